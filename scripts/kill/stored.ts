/** What the Load and Order objects stored, read from their SQLite files while the bridge is down: the view from outside. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface StoredAttempt {
  /** Other than `send`: it only asked. */
  purpose: 'send' | 'check' | 'precheck' | 'status';
  startedAtMs: number;
  /** null: no outcome was recorded. */
  effect: string | null;
  status: number | null;
  /** What happened in the place of an answer. */
  detail: string | null;
  /** null: no headers came. */
  latencyMs: number | null;
  requestSha256: string;
  tokenFingerprint: string | null;
  /** The seqs whose points it carried; null: its own request alone. */
  carries: number[] | null;
}

export interface StoredRequest {
  batchId: string;
  record: number;
  request: number;
  seq: number;
  lane: string;
  kind: string;
  body: string;
  state: string;
  reason: string | null;
  /** The request it travels in or repeats; the lead of a set names itself. */
  intoSeq: number | null;
  takenAtMs: number;
  possibleDuplicate: boolean;
  late: boolean;
  attempts: StoredAttempt[];
}

/** Trace points that travel together, known by the seq of their lead. */
export interface StoredSet {
  lead: number;
  points: number;
  body: string;
}

/** One Load or Order object: its requests in hand-over order, its sets in the order of their sending. */
export interface StoredSubject {
  requests: StoredRequest[];
  sets: StoredSet[];
}

interface Row {
  batch_id: string;
  record: number;
  request: number;
  seq: number;
  lane: string;
  kind: string;
  body: string;
  state: string;
  reason: string | null;
  into_seq: number | null;
  taken_at_ms: number;
  possible_duplicate: number;
  late: number;
}

interface AttemptRow {
  seq: number;
  purpose: StoredAttempt['purpose'];
  started_at_ms: number;
  effect: string | null;
  status: number | null;
  detail: string | null;
  latency_ms: number | null;
  request_sha256: string;
  token_fingerprint: string | null;
  carries: string | null;
}

/** @param persistTo the folder of `wrangler dev`. One entry per object of that class. */
export function storedSubjects(persistTo: string, className: 'Load' | 'Order'): StoredSubject[] {
  const root = join(persistTo, 'v3', 'do');
  const folder = new RegExp(`${className}[/\\\\][^/\\\\]+$`);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sqlite') && folder.test(path) && !path.endsWith('metadata.sqlite'))
    .map((path) => readSubject(join(root, path)));
}

function readSubject(path: string): StoredSubject {
  const database = new DatabaseSync(path); // not read-only: a killed process leaves a journal to roll back
  const all = <T>(sql: string): T[] => database.prepare(sql).all() as unknown as T[];
  try {
    const tables = new Set(all<{ name: string }>('SELECT name FROM sqlite_master').map(({ name }) => name));
    if (!tables.has('request')) return { requests: [], sets: [] };
    const attempts = Map.groupBy(all<AttemptRow>('SELECT * FROM attempt ORDER BY seq, attempt'), ({ seq }) => seq);
    const requests = all<Row>('SELECT * FROM request ORDER BY seq').map((row) =>
      storedRequest(row, attempts.get(row.seq) ?? []),
    );
    const setsInOrder = 'SELECT seq AS lead, points, body FROM trace_set ORDER BY set_no, part';
    return { requests, sets: tables.has('trace_set') ? all<StoredSet>(setsInOrder) : [] };
  } finally {
    database.close();
  }
}

const storedRequest = (row: Row, attempts: readonly AttemptRow[]): StoredRequest => ({
  batchId: row.batch_id,
  record: row.record,
  request: row.request,
  seq: row.seq,
  lane: row.lane,
  kind: row.kind,
  body: row.body,
  state: row.state,
  reason: row.reason,
  intoSeq: row.into_seq,
  takenAtMs: row.taken_at_ms,
  possibleDuplicate: row.possible_duplicate === 1,
  late: row.late === 1,
  attempts: attempts.map((attempt) => ({
    purpose: attempt.purpose,
    startedAtMs: attempt.started_at_ms,
    effect: attempt.effect,
    status: attempt.status,
    detail: attempt.detail,
    latencyMs: attempt.latency_ms,
    requestSha256: attempt.request_sha256,
    tokenFingerprint: attempt.token_fingerprint,
    carries: attempt.carries === null ? null : (JSON.parse(attempt.carries) as number[]),
  })),
});
