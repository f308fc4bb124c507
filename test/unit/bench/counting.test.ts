import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { SCHEMA, statementsIn, tableOf } from '../../../scripts/bench/delivery/counters.ts';
import { COUNTS_PATH, countingScripts } from '../../../scripts/bench/delivery/counting.ts';

it.each([
  ['SELECT a FROM request WHERE b = ?', 'request'],
  ['INSERT INTO attempt (a) SELECT value FROM json_each(?)', 'attempt'],
  ['insert or replace into "Kept" VALUES (1) ON CONFLICT DO UPDATE SET a = 1', 'kept'],
  ['WITH due AS (SELECT 1 FROM outbox) UPDATE request SET a = (SELECT 1 FROM due)', 'request'],
  ['DELETE FROM outbox WHERE seq IN (SELECT value FROM json_each(?))', 'outbox'],
  ['SELECT 1 FROM json_each(?) AS wanted JOIN record ON id = wanted.value', 'record'],
  ['CREATE INDEX due ON request (due_at_ms)', SCHEMA],
  ['SELECT 1', '-'],
])('%s is counted for its table', (statement, table) => expect(tableOf(statement)).toBe(table));

it('several statements are counted one by one', () => {
  const text = "CREATE TABLE a (b TEXT DEFAULT ';'); -- one; two\nCREATE INDEX c ON a (b);\n";
  const parts = statementsIn(text);
  expect(parts.map((part) => part.trim())).toEqual([
    "CREATE TABLE a (b TEXT DEFAULT ';')",
    '-- one; two\nCREATE INDEX c ON a (b)',
  ]);
  expect(statementsIn('SELECT ?;')).toEqual(['SELECT ?']);
});

/** A Worker with one class and a binding of each kind. */
const WORKER = `
export class Load {
  constructor(ctx, env) { this.ctx = ctx; this.env = env; }
  run() { return this.ctx.storage.sql.exec('SELECT a FROM request', 1); }
  alarm(info) { return info; }
}
export default {
  async fetch(request, env) {
    const row = await env.DIRECTORY.prepare('SELECT').bind(1).first('name');
    const [written] = await env.DIRECTORY.batch([env.DIRECTORY.prepare('INSERT')]);
    await env.FILES.put('key', 'value');
    const upload = await env.FILES.createMultipartUpload('key');
    await upload.complete();
    return new Response([row, written.meta.rows_written, env.LOAD.getByName('load').add(2), env.MODE].join());
  },
};`;

const d1Result = { results: [{ name: 'Demo' }], meta: { rows_read: 3, rows_written: 1 } };
const statement = { bind: () => statement, all: async () => d1Result, first() {} };
const ENV = {
  MODE: 'test',
  LOAD: { getByName: (name: string) => ({ name, add: (number: number) => number + 1 }) },
  TOKENS: {},
  FILES: { put: async () => {}, createMultipartUpload: async () => ({ complete: async () => {} }) },
  DIRECTORY: { prepare: () => statement, batch: async (list: unknown[]) => list.map(() => d1Result) },
};
const BINDINGS = { objects: { LOAD: 'Load' }, kv: ['TOKENS'], r2: ['FILES'], d1: ['DIRECTORY'] };

async function countedWorker() {
  const folder = mkdtempSync(join(tmpdir(), 'transload-counting-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'index.js'), WORKER);
    for (const [name, text] of Object.entries(countingScripts(BINDINGS))) writeFileSync(join(folder, name), text);
    return await import(pathToFileURL(join(folder, 'entry.js')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('counts what a Worker and its objects ask for, beside them', async () => {
  const { default: worker, Load } = await countedWorker();
  const cursor = { rowsWritten: 0, rowsRead: 0 };
  const storage = {
    sql: { exec: (...parameters: unknown[]) => Object.assign(cursor, { parameters }) },
    kv: { put() {} },
    setAlarm() {},
  };
  const load = new Load({ storage }, ENV);
  expect(load.run().parameters).toEqual(['SELECT a FROM request', 1]);
  Object.assign(cursor, { rowsWritten: 2, rowsRead: 5 });
  storage.setAlarm();
  storage.kv.put();
  expect(load.alarm('late')).toBe('late');
  await Promise.resolve();
  const fetched = await worker.fetch(new Request('http://bridge/'), ENV);
  expect(await fetched.text()).toBe('Demo,1,3,test');

  const counts = async (method: string) =>
    (await worker.fetch(new Request(`http://bridge${COUNTS_PATH}`, { method }))).json();
  expect(await counts('GET')).toEqual({
    objects: {
      Load: {
        statements: 1,
        rowsWritten: 3,
        rowsRead: 5,
        alarmsSet: 1,
        alarmRuns: 1,
        calls: 1,
        storageCalls: 2,
        tables: {
          request: { statements: 1, rowsWritten: 2, rowsRead: 5 },
          '(storage.kv)': { statements: 0, rowsWritten: 1, rowsRead: 0 },
        },
      },
    },
    stores: { d1: { queries: 2, rowsRead: 6, rowsWritten: 2 }, r2: { put: 1, createMultipartUpload: 1, complete: 1 } },
    requests: 1,
  });
  expect(await counts('DELETE')).toEqual({ objects: {}, stores: {}, requests: 0 });
});
