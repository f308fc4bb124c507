/**
 * The batch of a message: one that is open for messages of the same day under the same terms, or a new one.
 * SQL and memory only, inside the claim's transaction. A claim names what was uploaded; only this file knows its
 * location, so a message that its batch refuses moves to another and nothing else changes.
 *
 * A message is one row, written once. How many an open batch has, and which ones their batch may not have yet, is
 * known in memory, and found out again after a restart: the messages of a batch are of one day, as their ids are.
 */

import type { MessagePart } from '../batch/core/progress.ts';
import type { BatchTicket } from '../batch/core/ticket.ts';
import type { Appended } from '../batch/steps/messages.ts';
import { ticketIn } from '../batch/store/documents.ts';
import { DAY_MS } from '../kernel/clock.ts';
import { BATCH_ID_FORM, batchIdTimeMs, firstBatchId, newBatchId } from '../kernel/ids.ts';
import { inLanes } from '../kernel/lanes.ts';
import {
  MESSAGES_ASSIGNED_AT_ONCE,
  PLACES_TRIED_MAX,
  ROLLING_BATCH_MESSAGES_MAX,
  ROLLING_BATCH_TABLES_MAX,
  WATCH_REGISTER_MS,
} from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName } from '../kernel/names.ts';

/** Where a message is. */
export interface MessageLocation {
  batchId: string;
  message: number;
}

type MessageFacts = Omit<MessagePart, 'message' | 'uploadId' | 'uploadedBy'> & { uploadedBy: string | null };
type StoredMessage = MessageLocation & MessageFacts;

/** A batch that is open for more. @property last number given. */
interface OpenBatch {
  batchId: string;
  day: string;
  terms: string;
  last: number;
  messages: number;
  bytes: number;
}

/** All that a batch's ticket says for every message in it: a message with other terms goes to another batch. */
const termsOf = (ticket: BatchTicket): string => {
  const { mapping, mappingSha256, scac, allowedScacs, channel, envelopes = null, orderPair = null, forced } = ticket;
  return JSON.stringify([mapping, mappingSha256, scac, allowedScacs, channel, envelopes, orderPair, forced === true]);
};

const dayOf = ({ receivedAtMs }: BatchTicket): string => new Date(receivedAtMs).toISOString().slice(0, 10);

const messagesMax = ({ format }: BatchTicket): number =>
  format === 'csv' || format === 'xlsx' ? ROLLING_BATCH_TABLES_MAX : ROLLING_BATCH_MESSAGES_MAX;

/** Uploads of the day of a batch: from the one id up to the other, without it. */
function daysUploads(batchId: string): [from: string, to: string] {
  if (!BATCH_ID_FORM.test(batchId)) return ['', '~'];
  const ms = batchIdTimeMs(batchId);
  const day = ms - (ms % DAY_MS);
  return [firstBatchId(day), firstBatchId(day + DAY_MS)];
}

/** An upload's id says when it began: those under way are claimed later than others that began after them. */
const UPLOAD_MS_MAX = 60_000;

export class RollingBatches {
  readonly #sql: SqlStorage;
  /** By day and terms. */
  #open: Map<string, OpenBatch> | undefined;
  /** Batches of the messages that these may not have yet, by upload. */
  #unplaced: Map<string, string> | undefined;
  /** No upload before this one is unplaced, as stored. */
  #since = '';
  #hasNew = false;
  /** They were found again after a restart: the next one need not offer them once more. */
  #areFound = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** What was done is undone: all is read again. */
  forget(): void {
    this.#open = undefined;
    this.#unplaced = undefined;
  }

  get #batches(): Map<string, OpenBatch> {
    if (this.#open !== undefined) return this.#open;
    type Row = { batch_id: string; day: string; terms: string; ticket: string };
    const sql = 'SELECT batch_id, day, terms, ticket FROM roll JOIN batch USING (batch_id) WHERE is_open = 1';
    const rows = this.#sql.exec<Row>(sql).toArray();
    this.#open = new Map(
      rows.map(({ batch_id: batchId, day, terms }) => [
        keyOf(day, terms),
        { batchId, day, terms, ...this.#countsOf(batchId) },
      ]),
    );
    // No message gets into one that this release cannot read: others would wait there for the release that can.
    for (const { batch_id: batchId, ticket } of rows) if (!isReadable(ticket)) this.close(batchId);
    return this.#open;
  }

  #countsOf(batchId: string): Pick<OpenBatch, 'last' | 'messages' | 'bytes'> {
    const sql = `SELECT coalesce(max(message), 0) AS last, count(*) AS messages, coalesce(sum(bytes), 0) AS bytes
                 FROM message WHERE upload_id >= ?2 AND upload_id < ?3 AND batch_id = ?1`;
    return this.#sql
      .exec<{ last: number; messages: number; bytes: number }>(sql, batchId, ...daysUploads(batchId))
      .one();
  }

  get #mayBeUnplaced(): Map<string, string> {
    if (this.#unplaced !== undefined) return this.#unplaced;
    this.#since = this.#sql.exec<{ since: string }>('SELECT since FROM unplaced_message').toArray()[0]?.since ?? '';
    this.#unplaced = messagesSince(this.#sql, this.#since);
    this.#hasNew = this.#unplaced.size > 0;
    this.#areFound = this.#hasNew;
    return this.#unplaced;
  }

  /** @param ticket as if the message were a batch of its own: one is created under this id if none is open. */
  assign(ticket: BatchTicket): MessageLocation {
    const location = this.#nextLocation(ticket);
    const { batchId, message } = location;
    const { batchId: uploadId, sha256, receivedAtMs, bytes, fileName, uploadedBy = null } = ticket;
    this.#mayBeUnplaced.set(uploadId, batchId);
    this.#hasNew = true;
    this.#sql.exec(
      `INSERT INTO message (upload_id, batch_id, message, sha256, received_at_ms, bytes, file_name, uploaded_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      uploadId,
      batchId,
      message,
      sha256,
      receivedAtMs,
      bytes,
      fileName,
      uploadedBy,
    );
    if (uploadId < this.#since) this.#storeSince(uploadId);
    return location;
  }

  #nextLocation(ticket: BatchTicket): MessageLocation {
    const { bytes, receivedAtMs } = ticket;
    const [day, terms] = [dayOf(ticket), termsOf(ticket)];
    const open = ticket.dryRun ? undefined : this.#batches.get(keyOf(day, terms));
    if (open !== undefined) {
      open.last += 1;
      open.messages += 1;
      open.bytes += bytes;
      if (open.last >= messagesMax(ticket)) this.close(open.batchId);
      return { batchId: open.batchId, message: open.last };
    }
    const isAccepted = this.#sql.exec('SELECT 1 FROM batch WHERE batch_id = ?', ticket.batchId).toArray().length > 0;
    const batchId = isAccepted ? newBatchId(receivedAtMs) : ticket.batchId; // it was created with this message, and refuses it
    for (const before of [...this.#batches.values()]) if (before.day < day) this.close(before.batchId);
    this.#sql.exec(
      'INSERT INTO roll (batch_id, day, terms, messages, bytes, is_open) VALUES (?, ?, ?, 1, ?, ?)',
      batchId,
      day,
      terms,
      bytes,
      Number(!ticket.dryRun),
    );
    this.#sql.exec(
      'INSERT INTO batch (batch_id, ticket) VALUES (?, ?)',
      batchId,
      JSON.stringify({ ...ticket, batchId }),
    );
    if (!ticket.dryRun) this.#batches.set(keyOf(day, terms), { batchId, day, terms, last: 1, messages: 1, bytes });
    return { batchId, message: 1 };
  }

  #openBatch = (batchId: string): OpenBatch | undefined =>
    [...this.#batches.values()].find((open) => open.batchId === batchId);

  /** It accepts no more messages. Idempotent. */
  close(batchId: string): void {
    const open = this.#openBatch(batchId);
    if (open === undefined) return;
    const sql = 'UPDATE roll SET is_open = 0, messages = ?2, bytes = ?3 WHERE batch_id = ?1';
    this.#sql.exec(sql, batchId, open.messages, open.bytes);
    this.#batches.delete(keyOf(open.day, open.terms));
  }

  /** Messages and bytes of an open batch; undefined: its row has them. */
  counts(batchId: string): { messages: number; bytes: number } | undefined {
    const open = this.#openBatch(batchId);
    return open && { messages: open.messages, bytes: open.bytes };
  }

  /** Its batch has refused it. No effect if it has already moved. */
  move(refused: MessageLocation, ticket: BatchTicket): void {
    this.close(refused.batchId);
    if (messageAt(this.#sql, ticket.batchId)?.batchId !== refused.batchId) return;
    this.#sql.exec('DELETE FROM message WHERE upload_id = ?', ticket.batchId);
    const less = 'UPDATE roll SET messages = messages - 1, bytes = bytes - ? WHERE batch_id = ?'; // closed: no number is reused
    this.#sql.exec(less, ticket.bytes, refused.batchId);
    this.assign(ticket);
  }

  /** Its batch has it. */
  storeAssigned(uploadId: string, batchId: string): void {
    if (this.#mayBeUnplaced.get(uploadId) === batchId) this.#mayBeUnplaced.delete(uploadId);
  }

  /** It could not be offered: those behind it come first the next time. */
  putOff(uploadId: string): void {
    const batchId = this.#mayBeUnplaced.get(uploadId);
    if (batchId === undefined) return;
    this.#mayBeUnplaced.delete(uploadId);
    this.#mayBeUnplaced.set(uploadId, batchId);
  }

  isPlaced = (uploadId: string): boolean => !this.#mayBeUnplaced.has(uploadId);

  /** Those that their batch may not have yet, oldest first, but for those that were put off. */
  unplaced = (limit: number): string[] => [...this.#mayBeUnplaced.keys()].slice(0, limit);

  /** Those that this batch may not have yet. */
  unplacedOf = (batchId: string): string[] =>
    [...this.#mayBeUnplaced].filter(([, at]) => at === batchId).map(([uploadId]) => uploadId);

  /** Now and then: a restart offers to their batches again only what came since. */
  noteAssigned(nowMs: number): void {
    const [oldest] = [...this.#mayBeUnplaced.keys()].sort();
    const since = oldest ?? firstBatchId(nowMs - UPLOAD_MS_MAX);
    const isDue = since >= firstBatchId(timeOf(this.#since) + WATCH_REGISTER_MS);
    if (!this.#hasNew || !(isDue || (this.#areFound && oldest === undefined && since > this.#since))) return;
    this.#storeSince(since);
    this.#hasNew = oldest !== undefined;
    this.#areFound = false;
  }

  #storeSince(since: string): void {
    const sql =
      'INSERT INTO unplaced_message (id, since) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET since = excluded.since';
    this.#sql.exec(sql, since);
    this.#since = since;
  }

  /** A batch and the messages that it has, as a JSON array of their ids. */
  uploadsOf(batchId: string): string {
    const sql = 'SELECT upload_id FROM message WHERE upload_id >= ?2 AND upload_id < ?3 AND batch_id = ?1';
    const rows = this.#sql.exec<{ upload_id: string }>(sql, batchId, ...daysUploads(batchId)).toArray();
    const had = rows.map(({ upload_id }) => upload_id).filter(this.isPlaced);
    return JSON.stringify([batchId, ...had]);
  }

  /** The batch is deleted, and so are its messages. */
  drop(batchId: string): void {
    const sql = 'DELETE FROM message WHERE upload_id IN (SELECT value FROM json_each(?2)) AND batch_id = ?1';
    this.#sql.exec(sql, batchId, this.uploadsOf(batchId));
    const open = this.#openBatch(batchId);
    if (open !== undefined) this.#batches.delete(keyOf(open.day, open.terms));
    this.#sql.exec('DELETE FROM roll WHERE batch_id = ?', batchId);
  }
}

/** After a restart: their batches may have them, and know them then. @returns the batch of each upload. */
function messagesSince(sql: SqlStorage, since: string): Map<string, string> {
  const query = 'SELECT upload_id, batch_id FROM message WHERE upload_id >= ? ORDER BY upload_id';
  const rows = sql.exec<{ upload_id: string; batch_id: string }>(query, since).toArray();
  return new Map(rows.map(({ upload_id, batch_id }) => [upload_id, batch_id]));
}

function isReadable(ticket: string): boolean {
  try {
    return ticketIn(ticket) !== undefined;
  } catch {
    return false;
  }
}

const keyOf = (day: string, terms: string): string => `${day} ${terms}`;

const timeOf = (uploadId: string): number => (BATCH_ID_FORM.test(uploadId) ? batchIdTimeMs(uploadId) : 0);

export function messageAt(sql: SqlStorage, uploadId: string): StoredMessage | undefined {
  const query = `SELECT batch_id AS batchId, message, sha256, received_at_ms AS receivedAtMs, coalesce(bytes, 0) AS bytes,
                   file_name AS fileName, uploaded_by AS uploadedBy FROM message WHERE upload_id = ?`;
  return sql.exec<StoredMessage & Record<string, SqlStorageValue>>(query, uploadId).toArray()[0];
}

/* Dispatches a claimed message to its batch, or to another one if that one refuses it. Every step can be repeated. */

export interface PlacingPort {
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;
  rolling: RollingBatches;
  batch(name: string): {
    append(part: MessagePart, birth: BatchTicket | null, bytes?: Uint8Array): Promise<Appended>;
  };
}

/**
 * @param bytes of a short message that was just claimed.
 * @returns the message's location once its batch has it. Throws when the batch cannot be reached.
 */
export async function assignToBatch(
  { storage, rolling, batch }: PlacingPort,
  uploadId: string,
  bytes?: Uint8Array,
): Promise<MessageLocation> {
  const { sql } = storage;
  for (let tries = 0; tries <= PLACES_TRIED_MAX; tries += 1) {
    const at = messageAt(sql, uploadId);
    if (at === undefined) throw new Error(`message ${uploadId} is not known`);
    const { batchId, message, ...facts } = at;
    if (rolling.isPlaced(uploadId)) return { batchId, message };
    const { ticket, isCreated } = batchOf(sql, batchId);
    const part = { message, uploadId, ...facts };
    const appended = await batch(batchName(ticket, batchId)).append(part, isCreated ? null : ticket, bytes);
    if (appended.outcome === 'refused') {
      transaction(storage, rolling, () => rolling.move({ batchId, message }, ticketOf(ticket, uploadId, facts)));
      continue;
    }
    if (!isCreated) sql.exec('UPDATE batch SET created = 1 WHERE batch_id = ?', batchId);
    if (appended.isFull) rolling.close(batchId);
    rolling.storeAssigned(uploadId, batchId);
    return { batchId, message };
  }
  throw new Error(`no batch takes message ${uploadId}`);
}

/** What is undone in storage is undone in memory, too. */
export function transaction<T>(
  storage: Pick<DurableObjectStorage, 'transactionSync'>,
  rolling: RollingBatches,
  work: () => T,
): T {
  try {
    return storage.transactionSync(work);
  } catch (thrown) {
    rolling.forget();
    throw thrown;
  }
}

/** As if it were a batch of its own: under the terms of the batch it was assigned to. */
function ticketOf(terms: BatchTicket, uploadId: string, { uploadedBy, ...facts }: MessageFacts): BatchTicket {
  const { uploadedBy: _, ...shared } = terms;
  const { fileName, bytes, sha256, receivedAtMs } = facts;
  const own = { batchId: uploadId, fileName, bytes, sha256, receivedAtMs };
  return { ...shared, ...own, ...(uploadedBy === null ? {} : { uploadedBy }) };
}

/**
 * Messages claimed but not with their batch yet. One that fails does not hold up the others. @returns whether none is
 * left.
 */
export async function assignUnassigned(port: PlacingPort): Promise<boolean> {
  const { rolling } = port;
  for (const uploadId of rolling.unplaced(MESSAGES_ASSIGNED_AT_ONCE)) {
    try {
      await assignToBatch(port, uploadId);
    } catch (thrown) {
      log('error', 'message_not_placed', { detail: `message ${uploadId}: ${messageOf(thrown)}` });
      rolling.putOff(uploadId);
    }
  }
  return rolling.unplaced(1).length === 0;
}

/**
 * After a restart a batch may have more than its register knows: it answers for what it has, and what it refuses moves to
 * another one. Throws when it cannot be reached.
 */
export const assignUnassignedOf = (port: PlacingPort, batchId: string): Promise<void> =>
  inLanes(port.rolling.unplacedOf(batchId), async (uploadId) => void (await assignToBatch(port, uploadId)));

/** @property isCreated whether it exists, or did. */
function batchOf(sql: SqlStorage, batchId: string): { ticket: BatchTicket; isCreated: boolean } {
  const query = 'SELECT ticket, created FROM batch WHERE batch_id = ?';
  const { ticket, created } = sql.exec<{ ticket: string; created: number }>(query, batchId).one();
  return { ticket: ticketIn(ticket), isCreated: created === 1 };
}
