/**
 * The batch of a message: one that is open for messages of the same day under the same terms, or a new one.
 * SQL only, inside the claim's transaction. A claim names what was uploaded; only this file knows its location, so a
 * message that its batch refuses moves to another and nothing else changes.
 */

import type { MessagePart } from '../batch/core/progress.ts';
import type { BatchTicket } from '../batch/core/ticket.ts';
import type { Appended } from '../batch/steps/messages.ts';
import { newBatchId } from '../kernel/ids.ts';
import {
  MESSAGES_ASSIGNED_AT_ONCE,
  PLACES_TRIED_MAX,
  ROLLING_BATCH_MESSAGES_MAX,
  ROLLING_BATCH_TABLES_MAX,
} from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName } from '../kernel/names.ts';

/** Uploads that are messages of batch ?1, and that it has. */
export const ASSIGNED_TO = '(SELECT upload_id FROM message WHERE batch_id = ?1 AND part IS NULL)';

/** Where a message is. */
export interface MessageLocation {
  batchId: string;
  message: number;
}

interface AssignedMessage extends MessageLocation {
  sha256: string;
  receivedAtMs: number;
  /** What its batch must still be notified of; null: the batch has it. */
  ticket: BatchTicket | null;
}

type RollingBatchRow = { batch_id: string; messages: number };

/** All that a batch's ticket says for every message in it: a message with other terms goes to another batch. */
const termsOf = (ticket: BatchTicket): string => {
  const { mapping, mappingSha256, scac, allowedScacs, channel, envelopes = null, orderPair = null, forced } = ticket;
  return JSON.stringify([mapping, mappingSha256, scac, allowedScacs, channel, envelopes, orderPair, forced === true]);
};

const dayOf = ({ receivedAtMs }: BatchTicket): string => new Date(receivedAtMs).toISOString().slice(0, 10);

const messagesMax = ({ format }: BatchTicket): number =>
  format === 'csv' || format === 'xlsx' ? ROLLING_BATCH_TABLES_MAX : ROLLING_BATCH_MESSAGES_MAX;

/** @param ticket as if the message were a batch of its own: one is created under this id if none is open. */
export function assignMessage(sql: SqlStorage, ticket: BatchTicket): MessageLocation {
  const place = nextLocation(sql, ticket);
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

function nextLocation(sql: SqlStorage, ticket: BatchTicket): MessageLocation {
  const { bytes, receivedAtMs } = ticket;
  const [day, terms] = [dayOf(ticket), termsOf(ticket)];
  const open = ticket.dryRun ? undefined : openRollingBatch(sql, day, terms);
  if (open !== undefined) {
    const isLast = open.messages + 1 >= messagesMax(ticket);
    const grow =
      'UPDATE roll SET messages = messages + 1, bytes = bytes + ?2, is_open = ?3 WHERE batch_id = ?1 RETURNING messages';
    const { messages } = sql.exec<{ messages: number }>(grow, open.batch_id, bytes, Number(!isLast)).one();
    return { batchId: open.batch_id, message: messages };
  }
  const isAccepted = sql.exec('SELECT 1 FROM batch WHERE batch_id = ?', ticket.batchId).toArray().length > 0;
  const batchId = isAccepted ? newBatchId(receivedAtMs) : ticket.batchId; // it was created with this message, and refuses it
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

const openRollingBatch = (sql: SqlStorage, day: string, terms: string): RollingBatchRow | undefined =>
  sql
    .exec<RollingBatchRow>(
      'SELECT batch_id, messages FROM roll WHERE day = ? AND terms = ? AND is_open = 1',
      day,
      terms,
    )
    .toArray()[0];

/** It accepts no more messages. Idempotent. */
function closeRollingBatch(sql: SqlStorage, batchId: string): void {
  sql.exec('UPDATE roll SET is_open = 0 WHERE batch_id = ?', batchId);
}

/** Its batch has refused it. No effect if it has already moved. */
export function moveMessage(sql: SqlStorage, refused: MessageLocation, ticket: BatchTicket): void {
  closeRollingBatch(sql, refused.batchId);
  if (messageAt(sql, ticket.batchId)?.batchId !== refused.batchId) return;
  sql.exec('DELETE FROM message WHERE upload_id = ?', ticket.batchId);
  const less = 'UPDATE roll SET messages = messages - 1, bytes = bytes - ? WHERE batch_id = ?'; // closed: no number is reused
  sql.exec(less, ticket.bytes, refused.batchId);
  assignMessage(sql, ticket);
}

export function messageAt(sql: SqlStorage, uploadId: string): AssignedMessage | undefined {
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
export function storeAssigned(sql: SqlStorage, uploadId: string, batchId: string): void {
  sql.exec('UPDATE message SET part = NULL WHERE upload_id = ? AND batch_id = ?', uploadId, batchId);
}

/** Those that their batch may not have yet, oldest first. */
export const unplacedMessages = (sql: SqlStorage, limit: number): string[] =>
  sql
    .exec<{ upload_id: string }>(
      'SELECT upload_id FROM message WHERE part IS NOT NULL ORDER BY received_at_ms, upload_id LIMIT ?',
      limit,
    )
    .toArray()
    .map(({ upload_id }) => upload_id);

/* Dispatches a claimed message to its batch, or to another one if that one refuses it. Every step can be repeated. */

export interface PlacingPort {
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;
  batch(name: string): { append(part: MessagePart, birth: BatchTicket | null): Promise<Appended> };
}

/** @returns the message's location once its batch has it. Throws when the batch cannot be reached. */
export async function assignToBatch({ storage, batch }: PlacingPort, uploadId: string): Promise<MessageLocation> {
  const { sql } = storage;
  for (let tries = 0; tries <= PLACES_TRIED_MAX; tries += 1) {
    const at = messageAt(sql, uploadId);
    if (at === undefined) throw new Error(`message ${uploadId} is not known`);
    const { batchId, message, ticket } = at;
    if (ticket === null) return { batchId, message };
    const birth = unbornTicket(sql, batchId);
    const { fileName, bytes, sha256, receivedAtMs, uploadedBy = null } = ticket;
    const part = { message, uploadId, fileName, bytes, sha256, receivedAtMs, uploadedBy };
    const appended = await batch(batchName(ticket, batchId)).append(part, birth);
    if (appended.outcome === 'refused') {
      storage.transactionSync(() => moveMessage(sql, { batchId, message }, ticket));
      continue;
    }
    if (birth !== null) sql.exec('UPDATE batch SET created = 1 WHERE batch_id = ?', batchId);
    if (appended.isFull) closeRollingBatch(sql, batchId);
    storeAssigned(sql, uploadId, batchId);
  }
  throw new Error(`no batch takes message ${uploadId}`);
}

/**
 * Messages claimed but not with their batch yet. One that fails does not hold up the others. @returns whether none is
 * left.
 */
export async function assignUnassigned(port: PlacingPort): Promise<boolean> {
  const { sql } = port.storage;
  for (const uploadId of unplacedMessages(sql, MESSAGES_ASSIGNED_AT_ONCE)) {
    try {
      await assignToBatch(port, uploadId);
    } catch (thrown) {
      log('error', 'message_not_placed', { detail: messageOf(thrown) });
    }
  }
  return unplacedMessages(sql, 1).length === 0;
}

/** The ticket of a batch that may not exist yet; null: it does, or did. */
function unbornTicket(sql: SqlStorage, batchId: string): BatchTicket | null {
  const query = 'SELECT ticket FROM batch WHERE batch_id = ? AND created = 0';
  const row = sql.exec<{ ticket: string }>(query, batchId).toArray()[0];
  return row ? (JSON.parse(row.ticket) as BatchTicket) : null;
}
