/**
 * The directory is lost and restored from what was exported of it earlier, by the commands that operators have for it: what came
 * in since is still delivered and known, and the index tells of it again once it was rebuilt from the batches. Everything but
 * the directory is as it was.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { breaks, type Violation } from '../invariants/evidence.ts';
import { callsWith, isSettled, pause } from '../local/client.ts';
import { exportDirectory, importDirectory } from '../local/directory.ts';
import { makeOpsKey } from '../local/ops-keys.ts';
import { withStack } from '../local/stack.ts';
import { PROVE, type Proof } from './proof.ts';

const MAPPING = 'carrier-status-csv';
const HEAD = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL';
const SETTLED_MS_MAX = 60_000;
const D1 = 'v3/d1';
const restored = breaks('restore');

/** @param rows of each of the two files. */
export async function proveRestore({ rows }: { rows: number }): Promise<Proof> {
  const operator = makeOpsKey({ name: 'Restore', role: 'admin', environments: ['test'] });
  return withStack({ ...PROVE, directorySql: operator.sql, timeScale: 60 }, async (stack, client) => {
    const ops = callsWith(() => stack.bridge.baseUrl, operator.key);
    const fileOf = (name: string): string =>
      [HEAD, ...Array.from({ length: rows }, (_, at) => rowOf(name, at))].join('\n');
    const listed = async (): Promise<string[]> => {
      const { batches } = await ops.json<{ batches: { batchId: string }[] }>('/v1/ops/batches?environment=test');
      return batches.map(({ batchId }) => batchId);
    };
    const delivered = async (name: string): Promise<string> => {
      const batchId = await client.put(fileOf(name), MAPPING);
      await client.drain([batchId], isSettled, SETTLED_MS_MAX);
      for (const endMs = Date.now() + SETTLED_MS_MAX; !(await listed()).includes(batchId); await pause(200))
        if (Date.now() > endMs) throw new Error(`batch ${batchId} is not listed`);
      return batchId;
    };
    const directory = join(stack.persistTo, D1);
    const exported = join(stack.persistTo, 'directory.sql');

    const before = await delivered('BEFORE');
    await stack.bridge.stop();
    await exportDirectory(stack.persistTo, exported);
    await stack.startBridge();
    const since = await delivered('SINCE');
    await stack.bridge.stop();
    rmSync(directory, { recursive: true });
    await importDirectory(stack.persistTo, exported);
    await stack.startBridge();

    const violations: Violation[] = [];
    const lost = await listed();
    const [kept] = await client.drain([since], isSettled, SETTLED_MS_MAX);
    if (kept?.rowStates.delivered !== rows)
      violations.push(restored('the batch itself does not know its rows any more'));
    if ((await client.put(fileOf('SINCE'), MAPPING)) !== since)
      violations.push(restored('the same file is another batch'));
    const rounds = await rebuilt(ops);
    const found = await listed();
    for (const batchId of [before, since])
      if (!found.includes(batchId))
        violations.push(restored(`batch ${batchId} is not listed after the index was rebuilt`));
    const sent = (await stack.journal()).filter(({ path }) => path.endsWith('/milestone-requests'));
    if (sent.length !== rows * 2) violations.push(restored(`${sent.length} requests arrived, not ${rows * 2}`));
    const figures = [
      `2 files of ${rows} rows, timeScale 60: after the restore ${lost.length} of 2 batches were listed, after ${rounds} calls of the rebuild ${found.length}; ${sent.length} requests arrived`,
    ];
    return { figures, violations };
  });
}

const rowOf = (name: string, at: number): string =>
  `${name}-${at},X3,NS,03/02/2026,${String(8 + (Math.floor(at / 60) % 12)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')},CT,Joliet,IL,1,,`;

/** As `npm run index` does it. @returns how many calls it took. */
async function rebuilt(ops: ReturnType<typeof callsWith>): Promise<number> {
  let path = '/v1/ops/batches/reindex?environment=test';
  for (let calls = 1; ; calls += 1) {
    const { next } = await ops.json<{ next: string | null }>(path, { method: 'POST' });
    if (next === null) return calls;
    path = next;
  }
}
