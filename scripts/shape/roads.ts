/** Roads through the code, walked: what happens to one row, one interchange, one status, and the files whose functions it ran. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openSimulator } from '../simulate/open.ts';

export interface Road {
  name: string;
  /** @returns paths below the project's root, in their order. */
  run(): Promise<string[]>;
}

/** A seed whose orders are followed and in which nothing fails. */
const QUIET_SEED = 19;
const X12_214 = 'fixtures/x12-214/clean/input.x12';
const root = join(import.meta.dirname, '..', '..');

export const ROADS: readonly Road[] = [
  {
    name: 'a CSV row, from its claim to what became of it',
    run: async () => {
      const simulator = await openSimulator(null, []);
      return filesOf(() => simulator.runLarge({ loads: 1, rowsOfOne: 0 }));
    },
  },
  {
    name: 'a status of an order, from the file that makes the order and the poll that tells of it to the partner’s log',
    run: async () => {
      const simulator = await openSimulator(null, []);
      return filesOf(() => simulator.runSeed(QUIET_SEED));
    },
  },
  { name: 'an X12 214, from its bytes to its 997', run: acknowledged },
];

async function acknowledged(): Promise<string[]> {
  const { acknowledgmentText, outcomesStored, setsOf } = await import('../../src/batch/acknowledgment/file.ts');
  const { runSlice } = await import('../../src/batch/core/run.ts');
  const { openMapping } = await import('../transload/map/open-mapping.ts');
  const { mapping } = openMapping({ name: 'x12-214' });
  const bytes = readFileSync(join(root, X12_214));
  return filesOf(async () => {
    const slice = { bytes, atEnd: true, checkpoint: mapping.reader.start };
    const run = runSlice(mapping, { scac: 'DEMO', allowed: ['DEMO'] }, slice);
    if (run.outcome !== 'rows' || run.parts === undefined) throw new Error(`${X12_214}: ${run.outcome}`);
    const sets = [setsOf(run.parts, run.rows)];
    const text = acknowledgmentText({
      kind: '997',
      outcomes: outcomesStored({ sets, next: null }, async () => null),
      control: async (interchange) => interchange,
      atMs: 0,
    });
    const written = await new Response(text).text();
    if (!written.includes('ST*997*')) throw new Error(`no 997: ${written.slice(0, 200)}`);
  });
}

/** Runs it twice: what runs once in a process, such as reading a contract, is no part of the road. */
async function filesOf(walk: () => Promise<unknown>): Promise<string[]> {
  await walk();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await walk();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const src = pathToFileURL(join(root, 'src')).href;
  const ran = result.filter(
    ({ url, functions }) =>
      url.startsWith(src) &&
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  );
  return [
    ...new Set(ran.map(({ url }) => relative(root, fileURLToPath(url.split('?')[0] ?? '')).replaceAll('\\', '/'))),
  ].sort();
}
