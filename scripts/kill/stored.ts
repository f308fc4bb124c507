/** What the Load objects stored, read from their SQLite files while the bridge is down: the view from outside. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface StoredRequest {
  batchId: string;
  record: number;
  request: number;
  seq: number;
  body: string;
  state: string;
  possibleDuplicate: boolean;
  attempts: { startedAtMs: number; effect: string | null; status: number | null; requestSha256: string }[];
}

interface Row {
  batch_id: string;
  record: number;
  request: number;
  seq: number;
  body: string;
  state: string;
  possible_duplicate: number;
}

interface AttemptRow {
  seq: number;
  started_at_ms: number;
  effect: string | null;
  status: number | null;
  request_sha256: string;
}

/** @param persistTo the folder of `wrangler dev`. One list per Load object, in hand-over order. */
export function storedLoads(persistTo: string): StoredRequest[][] {
  const root = join(persistTo, 'v3', 'do');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sqlite') && /Load[/\\][^/\\]+$/.test(path) && !path.endsWith('metadata.sqlite'))
    .map((path) => requestsOf(join(root, path)));
}

function requestsOf(path: string): StoredRequest[] {
  const database = new DatabaseSync(path); // not read-only: a killed process leaves a journal to roll back
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'request'").all();
    if (tables.length === 0) return [];
    const attempts = database.prepare('SELECT * FROM attempt ORDER BY seq, attempt').all() as unknown as AttemptRow[];
    const bySeq = Map.groupBy(attempts, ({ seq }) => seq);
    return (database.prepare('SELECT * FROM request ORDER BY seq').all() as unknown as Row[]).map((row) => ({
      batchId: row.batch_id,
      record: row.record,
      request: row.request,
      seq: row.seq,
      body: row.body,
      state: row.state,
      possibleDuplicate: row.possible_duplicate === 1,
      attempts: (bySeq.get(row.seq) ?? []).map((attempt) => ({
        startedAtMs: attempt.started_at_ms,
        effect: attempt.effect,
        status: attempt.status,
        requestSha256: attempt.request_sha256,
      })),
    }));
  } finally {
    database.close();
  }
}
