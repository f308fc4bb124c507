/** What the harnesses read from SQLite files, written here with the tables of the bridge. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { currentOf } from '../../../scripts/kill/batch-on-disk.ts';
import { objectFiles, storedSubjects } from '../../../scripts/local/stored-objects.ts';
import { SUBJECT_TABLES } from '../../../src/tracking/store/migrations.ts';

let persistTo: string;
beforeEach(() => {
  persistTo = mkdtempSync(join(tmpdir(), 'transload-stored-'));
});
afterEach(() => rmSync(persistTo, { recursive: true, force: true }));

function write(folder: string, sql: string): string {
  const place = join(persistTo, 'v3', 'do', folder);
  mkdirSync(place, { recursive: true });
  const path = join(place, 'a1.sqlite');
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return path;
}

const REQUEST = `INSERT INTO request (key, lane, batch_id, record, request, generation, kind, scac, channel, body, live, accepted_at_ms,
  taken_at_ms, deadline_ms, into_seq, state, reason, possible_duplicate) VALUES`;

it('reads the requests of a load with their attempts and sets', () => {
  write(
    'transload-Load',
    `${SUBJECT_TABLES}
     CREATE TABLE trace_set (seq INTEGER, set_no INTEGER, part INTEGER, points INTEGER, overflowed INTEGER, body TEXT);
     ${REQUEST} ('k1', 'traces', 'b_1', 1, 1, 1, 'trace', 'DEMO', 'c', 'p1', 0, 5, 6, 7, 1, 'delivered', NULL, 1),
                ('k2', 'traces', 'b_1', 2, 1, 1, 'trace', 'DEMO', 'c', 'p2', 0, 5, 6, 7, 1, 'coalesced', NULL, 0);
     INSERT INTO attempt (seq, attempt, purpose, started_at_ms, request_sha256, token_fingerprint, carries, effect, status, detail)
       VALUES (1, 2, 'send', 20, 'h', 'f', '[1,2]', 'applied', 200, NULL), (1, 1, 'check', 10, 'h', 'f', '[1,2]', NULL, NULL, 'gone');
     INSERT INTO trace_set VALUES (1, 1, 0, 2, 0, 'set');`,
  );
  write('transload-Order', SUBJECT_TABLES);
  const [load] = storedSubjects(persistTo, 'Load');
  expect(load?.sets).toEqual([{ lead: 1, points: 2, body: 'set' }]);
  expect(load?.requests).toMatchObject([
    { batchId: 'b_1', record: 1, seq: 1, lane: 'traces', body: 'p1', intoSeq: 1, possibleDuplicate: true },
    { record: 2, seq: 2, state: 'coalesced', intoSeq: 1, takenAtMs: 6, attempts: [] },
  ]);
  expect(load?.requests[0]?.attempts).toMatchObject([
    { purpose: 'check', startedAtMs: 10, effect: null, detail: 'gone', carries: [1, 2] },
    { purpose: 'send', startedAtMs: 20, effect: 'applied', status: 200, tokenFingerprint: 'f', requestSha256: 'h' },
  ]);
  expect(storedSubjects(persistTo, 'Order')).toEqual([{ requests: [], sets: [] }]);
});

it('reads where a batch stands without touching its file', () => {
  const path = write(
    'transload-Batch',
    `CREATE TABLE kept (name TEXT, json TEXT);
     CREATE TABLE record (record INTEGER);
     INSERT INTO record VALUES (1), (2);
     INSERT INTO kept VALUES ('ticket', '{"bytes":900}'),
       ('progress', '{"readingFinished":false,"checkpoint":{"byte":300}}');`,
  );
  expect(objectFiles(persistTo, 'Batch')).toEqual([path]);
  expect(currentOf(path)).toEqual({ byte: 300, rows: 2, readingFinished: false });
  const database = new DatabaseSync(path);
  database.exec(`UPDATE kept SET json = '{"readingFinished":true,"checkpoint":null}' WHERE name = 'progress'`);
  expect(currentOf(path)).toEqual({ byte: 900, rows: 2, readingFinished: true });
  database.exec('DELETE FROM kept');
  expect(currentOf(path)).toBeUndefined();
  database.close();
});
