/**
 * Which batch a message goes to: one that is open for messages of the same day under the same terms, or a new one.
 *
 * SQL only, inside the transaction of the claim. A claim names what was uploaded; where that stands is said here alone, so that
 * a message that its batch refuses moves to another one and nothing else changes.
 */
import type { BatchTicket } from '../batch/core/ticket.ts';
import { newBatchId } from '../kernel/ids.ts';
import { ROLL_MESSAGES_MAX, ROLL_TABLES_MAX } from '../kernel/limits.ts';

/** The uploads that are messages of batch ?1, and that it has. */
export const PLACED_IN = '(SELECT upload_id FROM message WHERE batch_id = ?1 AND part IS NULL)';

/** Where a message stands. */
export interface MessagePlace {
  batchId: string;
  message: number;
}

export interface PlacedMessage extends MessagePlace {
  sha256: string;
  receivedAtMs: number;
  /** What its batch is still to be told; null: the batch has it. */
  ticket: BatchTicket | null;
}

type RollRow = { batch_id: string; messages: number };

/** All that a batch's ticket says for every message in it: who asks for anything else gets another batch. */
const termsOf = (ticket: BatchTicket): string => {
  const { mapping, mappingSha256, scac, allowedScacs, channel, envelopes = null, orderPair = null, forced } = ticket;
  return JSON.stringify([mapping, mappingSha256, scac, allowedScacs, channel, envelopes, orderPair, forced === true]);
};

const dayOf = ({ receivedAtMs }: BatchTicket): string => new Date(receivedAtMs).toISOString().slice(0, 10);

const messagesMax = ({ format }: BatchTicket): number =>
  format === 'csv' || format === 'xlsx' ? ROLL_TABLES_MAX : ROLL_MESSAGES_MAX;

/** @param ticket as if the message were a batch of its own: it is born under this id where none is open. */
export function placeMessage(sql: SqlStorage, ticket: BatchTicket): MessagePlace {
  const place = nextPlace(sql, ticket);
  const { batchId, message } = place;
  sql.exec(
    'INSERT INTO message (upload_id, batch_id, message, sha256, received_at_ms, part) VALUES (?, ?, ?, ?, ?, ?)',
    ticket.batchId,
    batchId,
    message,
    ticket.sha256,
    ticket.receivedAtMs,
    JSON.stringify(ticket),
  );
  return place;
}

function nextPlace(sql: SqlStorage, ticket: BatchTicket): MessagePlace {
  const { bytes, receivedAtMs } = ticket;
  const [day, terms] = [dayOf(ticket), termsOf(ticket)];
  const open = ticket.dryRun ? undefined : openRoll(sql, day, terms);
  if (open !== undefined) {
    const isLast = open.messages + 1 >= messagesMax(ticket);
    const grow =
      'UPDATE roll SET messages = messages + 1, bytes = bytes + ?2, is_open = ?3 WHERE batch_id = ?1 RETURNING messages';
    const { messages } = sql.exec<{ messages: number }>(grow, open.batch_id, bytes, Number(!isLast)).one();
    return { batchId: open.batch_id, message: messages };
  }
  const isTaken = sql.exec('SELECT 1 FROM batch WHERE batch_id = ?', ticket.batchId).toArray().length > 0;
  const batchId = isTaken ? newBatchId(receivedAtMs) : ticket.batchId; // it was born with this message, and refuses it
  sql.exec('UPDATE roll SET is_open = 0 WHERE is_open = 1 AND day < ?', day);
  sql.exec(
    'INSERT INTO roll (batch_id, day, terms, messages, bytes, is_open) VALUES (?, ?, ?, 1, ?, ?)',
    batchId,
    day,
    terms,
    bytes,
    Number(!ticket.dryRun),
  );
  sql.exec('INSERT INTO batch (batch_id, ticket) VALUES (?, ?)', batchId, JSON.stringify({ ...ticket, batchId }));
  return { batchId, message: 1 };
}

const openRoll = (sql: SqlStorage, day: string, terms: string): RollRow | undefined =>
  sql
    .exec<RollRow>('SELECT batch_id, messages FROM roll WHERE day = ? AND terms = ? AND is_open = 1', day, terms)
    .toArray()[0];

/** It takes no more. Idempotent. */
export function closeRoll(sql: SqlStorage, batchId: string): void {
  sql.exec('UPDATE roll SET is_open = 0 WHERE batch_id = ?', batchId);
}

/** Its batch has refused it. Without effect where it stands elsewhere by now. */
export function moveMessage(sql: SqlStorage, refused: MessagePlace, ticket: BatchTicket): void {
  closeRoll(sql, refused.batchId);
  if (messageAt(sql, ticket.batchId)?.batchId !== refused.batchId) return;
  sql.exec('DELETE FROM message WHERE upload_id = ?', ticket.batchId);
  const less = 'UPDATE roll SET messages = messages - 1, bytes = bytes - ? WHERE batch_id = ?'; // closed, so no number comes again
  sql.exec(less, ticket.bytes, refused.batchId);
  placeMessage(sql, ticket);
}

export function messageAt(sql: SqlStorage, uploadId: string): PlacedMessage | undefined {
  type Row = { batch_id: string; message: number; sha256: string; received_at_ms: number; part: string | null };
  const row = sql.exec<Row>('SELECT * FROM message WHERE upload_id = ?', uploadId).toArray()[0];
  return (
    row && {
      batchId: row.batch_id,
      message: row.message,
      sha256: row.sha256,
      receivedAtMs: row.received_at_ms,
      ticket: row.part === null ? null : (JSON.parse(row.part) as BatchTicket),
    }
  );
}

/** Its batch has it. */
export function keepPlaced(sql: SqlStorage, uploadId: string, batchId: string): void {
  sql.exec('UPDATE message SET part = NULL WHERE upload_id = ? AND batch_id = ?', uploadId, batchId);
}

/** Those whose batch may not have them, oldest first. */
export const unplacedMessages = (sql: SqlStorage, limit: number): string[] =>
  sql
    .exec<{ upload_id: string }>(
      'SELECT upload_id FROM message WHERE part IS NOT NULL ORDER BY received_at_ms, upload_id LIMIT ?',
      limit,
    )
    .toArray()
    .map(({ upload_id }) => upload_id);
