/** What the harnesses read from SQLite files, written here with the tables of the bridge. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { currentOf } from '../../../scripts/kill/batch-on-disk.ts';
import { objectFiles, storedSubjects } from '../../../scripts/local/stored-objects.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { attemptKey } from '../../../src/tracking/store/subject-tables.ts';
import { writeLoad, writeObject, writeOrder } from '../stored-file.ts';
import { aTaken } from '../tracking/samples.ts';

let persistTo: string;
beforeEach(() => {
  persistTo = mkdtempSync(join(tmpdir(), 'transload-stored-'));
});
afterEach(() => rmSync(persistTo, { recursive: true, force: true }));

it('reads the requests of a load with their attempts and sets', () => {
  writeLoad(persistTo, 'a1', (tables) => {
    const store = new SubjectStore(tables);
    const point = { kind: 'trace', lane: 'traces', takenAtMs: 6 } as const;
    store.add([aTaken(1, { ...point, body: 'p1' }), aTaken(2, { ...point, body: 'p2' })]);
    const begun = { seq: 1, requestSha256: 'h', tokenFingerprint: 'f', carries: [1, 2], late: false } as const;
    store.beginAttempt({ ...begun, purpose: 'check', startedAtMs: 10, possibleDuplicate: false });
    tables.attempt.patch(attemptKey(1, 1), { detail: 'gone' });
    store.beginAttempt({ ...begun, purpose: 'send', startedAtMs: 20, possibleDuplicate: true });
    tables.attempt.patch(attemptKey(1, 2), { effect: 'applied', status: 200 });
    tables.request.patch(1, { state: 'delivered', into_seq: 1 });
    tables.request.patch(2, { state: 'coalesced', into_seq: 1 });
    tables.trace_set.put({ seq: 1, set_no: 1, part: 0, points: 2, overflowed: 0, body: 'set' });
  });
  writeOrder(persistTo, 'a1', () => undefined);
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
  expect(storedSubjects(persistTo, 'Order')).toEqual([]);
});

it('reads where a batch stands without touching its file', () => {
  const path = writeObject(persistTo, { className: 'Batch' }, (sql) =>
    sql.exec(`CREATE TABLE kept (name TEXT, json TEXT);
     CREATE TABLE slice (rows INTEGER);
     INSERT INTO slice VALUES (1), (1);
     INSERT INTO kept VALUES ('ticket', '{"bytes":900}'),
       ('state', '{"progress":{"readingFinished":false,"checkpoint":{"byte":300}}}');`),
  );
  expect(objectFiles(persistTo, 'Batch')).toEqual([path]);
  expect(currentOf(path)).toEqual({ byte: 300, rows: 2, readingFinished: false });
  const database = new DatabaseSync(path);
  database.exec(
    `UPDATE kept SET json = '{"progress":{"readingFinished":true,"checkpoint":null}}' WHERE name = 'state'`,
  );
  expect(currentOf(path)).toEqual({ byte: 900, rows: 2, readingFinished: true });
  database.exec('DELETE FROM kept');
  expect(currentOf(path)).toBeUndefined();
  database.close();
});
