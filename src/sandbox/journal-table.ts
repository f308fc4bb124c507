/** Journal rows in and out of the object's SQL. One insert per request, no index beside the row number. */
import type { JournalEntry } from './journal.ts';

export interface NumberedEntry extends JournalEntry {
  seq: number;
}

export interface JournalQuery {
  after: number;
  limit: number;
  /** Exact, or a prefix when it ends in a star. */
  path: string | null;
  method: string | null;
  withBodies: boolean;
}

/** Stops a page of long bodies before it outgrows an RPC message (about 32 MiB). */
const PAGE_CHARS_MAX = 8 * 1024 * 1024;

export function insertEntry(sql: SqlStorage, entry: JournalEntry): number {
  const row = sql
    .exec<{ seq: number }>(
      `INSERT INTO journal (received_at_ms, environment, method, path, query, headers, body, body_bytes, status, manner,
        applied, applied_at_ms, fault) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
      entry.receivedAtMs,
      entry.environment,
      entry.method,
      entry.path,
      entry.query,
      JSON.stringify(entry.headers),
      entry.body,
      entry.bodyBytes,
      entry.status,
      entry.manner,
      entry.applied ? 1 : 0,
      entry.appliedAtMs,
      entry.fault,
    )
    .one();
  return row.seq;
}

export function selectEntries(sql: SqlStorage, query: JournalQuery): NumberedEntry[] {
  const { after, limit, path, method } = query;
  const conditions: [text: string, ...bindings: (string | number)[]][] = [['seq > ?', after]];
  if (method !== null) conditions.push(['method = ?', method]);
  if (path?.endsWith('*')) conditions.push(['substr(path, 1, ?) = ?', path.length - 1, path.slice(0, -1)]);
  else if (path !== null) conditions.push(['path = ?', path]);
  const where = conditions.map(([text]) => text).join(' AND ');
  const bindings = conditions.flatMap(([, ...values]) => values);
  const rows = sql.exec<Row>(`SELECT * FROM journal WHERE ${where} ORDER BY seq LIMIT ?`, ...bindings, limit);
  const entries: NumberedEntry[] = [];
  let chars = 0;
  for (const row of rows) {
    const entry = readRow(row, query.withBodies);
    chars += entry.body.length + row.headers.length;
    if (chars > PAGE_CHARS_MAX && entries.length > 0) break;
    entries.push(entry);
  }
  return entries;
}

type Row = {
  seq: number;
  received_at_ms: number;
  environment: string | null;
  method: string;
  path: string;
  query: string;
  headers: string;
  body: string;
  body_bytes: number;
  status: number | null;
  manner: string;
  applied: number;
  applied_at_ms: number | null;
  fault: string | null;
};

function readRow(row: Row, withBody: boolean): NumberedEntry {
  return {
    seq: row.seq,
    receivedAtMs: row.received_at_ms,
    environment: row.environment,
    method: row.method,
    path: row.path,
    query: row.query,
    headers: JSON.parse(row.headers) as Record<string, string>,
    body: withBody ? row.body : '',
    bodyBytes: row.body_bytes,
    status: row.status,
    manner: row.manner,
    applied: row.applied === 1,
    appliedAtMs: row.applied_at_ms,
    fault: row.fault,
  };
}
