/**
 * The messages of a rolling batch, in a table of their own: a batch may have thousands, and its progress is written
 * with every slice. SQL only: nothing here decides.
 */

import type { Problem } from '../../kernel/problem.ts';
import type {
  Contents,
  MessageCounts,
  MessageEnd,
  MessagePart,
  MessageState,
  StoredMessage,
} from '../core/progress.ts';

/**
 * A record belongs to the last message that began before it and has records.
 * @param record an SQL expression.
 */
export const messageOfRecord = (column: string, record: string): string =>
  `(SELECT ${column} FROM message WHERE records_before < ${record} AND (records IS NULL OR records > 0)
    ORDER BY records_before DESC LIMIT 1)`;

type MessageRow = {
  message: number;
  upload_id: string;
  file_name: string | null;
  bytes: number;
  sha256: string;
  received_at_ms: number;
  uploaded_by: string | null;
  state: MessageState;
  records_before: number | null;
  records: number | null;
  content: string | null;
  problems: string | null;
  notes: string | null;
};

export class MessageStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add({ message, uploadId, fileName, bytes, sha256, receivedAtMs, uploadedBy = null }: MessagePart): void {
    this.#sql.exec(
      'INSERT INTO message (message, upload_id, file_name, bytes, sha256, received_at_ms, uploaded_by) VALUES (?, ?, ?, ?, ?, ?, ?)',
      message,
      uploadId,
      fileName,
      bytes,
      sha256,
      receivedAtMs,
      uploadedBy,
    );
    const counts = this.counts();
    this.#keepCounts({ ...counts, messages: counts.messages + 1, bytes: counts.bytes + bytes });
  }

  isKnown = (uploadId: string): boolean =>
    this.#sql.exec('SELECT 1 AS found FROM message WHERE upload_id = ?', uploadId).toArray().length > 0;

  message(message: number): StoredMessage | undefined {
    const row = this.#sql.exec<MessageRow>('SELECT * FROM message WHERE message = ?', message).toArray()[0];
    return row && stored(row);
  }

  nextUnread(): number | undefined {
    const sql = `SELECT message FROM message WHERE state = 'unread' ORDER BY message LIMIT 1`;
    return this.#sql.exec<{ message: number }>(sql).toArray()[0]?.message;
  }

  begin(message: number, recordsBefore: number): void {
    const sql = `UPDATE message SET state = 'reading', records_before = ? WHERE message = ?`;
    this.#sql.exec(sql, recordsBefore, message);
  }

  addProblems(message: number, problems: readonly Problem[]): void {
    if (problems.length === 0) return;
    const known = this.message(message)?.problems ?? [];
    const sql = 'UPDATE message SET problems = ? WHERE message = ?';
    this.#sql.exec(sql, JSON.stringify([...known, ...problems]), message);
  }

  end(message: number, { state, records, content, notes, isTold, isAnnounced }: MessageEnd): void {
    this.#sql.exec(
      'UPDATE message SET state = ?2, records = ?3, content = ?4, notes = ?5, is_told = ?6, is_announced = ?7 WHERE message = ?1',
      message,
      state,
      records,
      content === null ? null : JSON.stringify(content),
      notes.length === 0 ? null : JSON.stringify(notes),
      Number(isTold),
      Number(isAnnounced),
    );
    const { bytes = 0 } = this.message(message) ?? {};
    const counts = this.counts();
    const unreadable = counts.unreadable + Number(state === 'unreadable');
    this.#keepCounts({ ...counts, bytesRead: counts.bytesRead + bytes, unreadable });
  }

  /** Messages the register must still be notified of, at most `limit`. */
  untold(limit: number): StoredMessage[] {
    const sql = 'SELECT * FROM message WHERE is_told = 0 ORDER BY message LIMIT ?';
    return this.#sql.exec<MessageRow>(sql, limit).toArray().map(stored);
  }

  storeNotified(message: number): void {
    this.#sql.exec('UPDATE message SET is_told = 1 WHERE message = ?', message);
  }

  /** Messages the partner must still be notified of, at most `limit`. */
  unannounced(limit: number): StoredMessage[] {
    const sql = 'SELECT * FROM message WHERE is_announced = 0 ORDER BY message LIMIT ?';
    return this.#sql.exec<MessageRow>(sql, limit).toArray().map(stored);
  }

  storePublished(message: number): void {
    this.#sql.exec('UPDATE message SET is_announced = 1 WHERE message = ?', message);
  }

  counts(): MessageCounts {
    const row = this.#sql.exec<{ json: string }>('SELECT json FROM message_counts').toArray()[0];
    return row ? (JSON.parse(row.json) as MessageCounts) : { messages: 0, bytes: 0, bytesRead: 0, unreadable: 0 };
  }

  #keepCounts(counts: MessageCounts): void {
    const sql =
      'INSERT INTO message_counts (id, json) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json';
    this.#sql.exec(sql, JSON.stringify(counts));
  }

  /** The first ones with something unreadable. */
  faulty(limit: number): StoredMessage[] {
    const sql = 'SELECT * FROM message WHERE problems IS NOT NULL ORDER BY message LIMIT ?';
    return this.#sql.exec<MessageRow>(sql, limit).toArray().map(stored);
  }

  /** Those being read or read, in reading order, after one of them. */
  inOrder(after: { recordsBefore: number; message: number }, limit: number): StoredMessage[] {
    const sql =
      'SELECT * FROM message WHERE (records_before, message) > (?, ?) ORDER BY records_before, message LIMIT ?';
    return this.#sql.exec<MessageRow>(sql, after.recordsBefore, after.message, limit).toArray().map(stored);
  }

  /** All of them, by number. */
  after(message: number, limit: number): StoredMessage[] {
    const sql = 'SELECT * FROM message WHERE message > ? ORDER BY message LIMIT ?';
    return this.#sql.exec<MessageRow>(sql, message, limit).toArray().map(stored);
  }

  /** The messages these records belong to, in order. @param first and last of a page of records. */
  holding(first: number, last: number): StoredMessage[] {
    const sql = `SELECT * FROM message WHERE records_before < ?2 AND (records IS NULL OR records > 0)
                 AND records_before >= coalesce(${messageOfRecord('records_before', '?1')}, 0) ORDER BY records_before`;
    return this.#sql.exec<MessageRow>(sql, first, last).toArray().map(stored);
  }
}

const stored = (row: MessageRow): StoredMessage => ({
  message: row.message,
  uploadId: row.upload_id,
  fileName: row.file_name,
  bytes: row.bytes,
  sha256: row.sha256,
  receivedAtMs: row.received_at_ms,
  uploadedBy: row.uploaded_by,
  state: row.state,
  recordsBefore: row.records_before,
  records: row.records,
  content: row.content === null ? null : (JSON.parse(row.content) as Contents),
  problems: row.problems === null ? [] : (JSON.parse(row.problems) as Problem[]),
  notes: row.notes === null ? [] : (JSON.parse(row.notes) as string[]),
});
