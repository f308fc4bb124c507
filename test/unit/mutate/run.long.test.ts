/** A whole run of `npm run mutate` over a bridge of one small source and its test: what is told, and what a second run still does. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { env, execPath } from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mutantsOf } from '../../../scripts/mutate/mutants.ts';
import { isSurvivor, SURVIVORS } from '../../../scripts/mutate/survivors.ts';

const SOURCE = `export const LIMIT = 3;
export function isMany(count: number): boolean {
  return count > LIMIT;
}
export function words(count: number): string {
  return count > 1 ? 'many' : 'one';
}
export const nobodyAsks = () => 7;
`;
/** Planted: nothing is asked between 1 and many, so that the boundary of \`words\` holds nothing. */
const TEST = `import { expect, it } from 'vitest';
import { isMany, words } from '../../src/delivery/small.ts';
it('counts', () => expect([3, 4].map(isMany)).toEqual([false, true]));
it('says', () => expect([words(0), words(9)]).toEqual(['one', 'many']));
`;
const SAYS_ONE = `it('says one', () => expect(words(1)).toBe('one'));\n`;
const REASON = 'Nobody is asked about one alone.';
const LISTED = [
  { file: 'src/delivery/small.ts', inside: 'words', before: 'count > 1', after: 'count >= 1', reason: REASON },
];

const root = mkdtempSync(join(tmpdir(), 'mutate-'));
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);

function run(...options: string[]): Promise<{ code: number; said: string }> {
  const { VITEST: _, ...others } = env;
  const argv = [join(root, 'scripts/mutate.ts'), '--mutants', '100', '--project', 'unit', '--jobs', '1', ...options];
  return new Promise((done) => {
    execFile(execPath, argv, { cwd: root, env: others }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr }),
    );
  });
}

beforeAll(() => {
  for (const folder of ['scripts', 'src/delivery', 'test/unit']) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['frame', 'mutate', 'mutate.ts'])
    cpSync(`scripts/${name}`, join(root, 'scripts', name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  write('package.json', '{"type":"module"}');
  write(
    'vitest.config.ts',
    `export default { test: { projects: [{ test: { name: 'unit', exclude: ['**/*.door.test.ts'] } }] } };\n`,
  );
  write('src/delivery/small.ts', SOURCE);
  write('test/unit/small.test.ts', TEST);
  write('test/unit/opens.door.test.ts', `import '../../src/delivery/small.ts';\n`); // of another project: it is run, too
  write('test/unit/takes.long.test.ts', `${TEST}${SAYS_ONE}`); // not waited for, though it would kill one more
  write('scripts/mutate/survivors.json', JSON.stringify(LISTED));
});
afterAll(() => rmSync(root, { recursive: true }));

it('names what survives with the reason that is listed and what nothing reaches, and a second run does only what is new', async () => {
  const first = await run('--list', join(root, 'list.txt'), '--floor', '99');
  expect(first.said).toContain('src/delivery/small.ts:6 words [boundary] count > 1 -> count >= 1');
  expect(first.said).toContain(REASON);
  expect(first.said).toContain('nobodyAsks [constant, unreached] 7 -> 8');
  const all = mutantsOf('src/delivery/small.ts', SOURCE).length;
  // Besides those two: between 0 and 9 lies also what a limit of 2 lets through.
  const survived = readFileSync(join(root, 'list.txt'), 'utf8').trim().split('\n');
  expect(survived.map((line) => line.split(' ')[1]).sort()).toEqual(['nobodyAsks', 'words', 'words']);
  expect(first.said).toContain(`${all - 3} of ${all} mutants killed`);
  expect(first.said).toContain('3 survived, 1 of them for a reason that is listed');
  expect(first.code).toBe(1); // under the floor

  const again = await run('--floor', '50');
  expect(again.said).toContain(`${all} of ${all} are known`);
  expect(again.said).not.toContain('unit:'); // no test was run
  expect([again.code, again.said.includes(`${all - 3} of ${all} mutants killed`)]).toEqual([0, true]);

  write('test/unit/small.test.ts', `${TEST}${SAYS_ONE}`);
  const mended = await run('--floor', '50');
  expect(mended.said).not.toContain('count > 1 -> count >= 1');
  expect(mended.said).toContain(`${all - 2} of ${all} mutants killed`);
}, 120_000);

it('goes on in a new process where one ends before its files do, and says which file no process ends', async () => {
  const once = `import { existsSync, writeFileSync } from 'node:fs';
if (!existsSync('ended-once')) {
  writeFileSync('ended-once', '');
  process.kill(process.pid, 'SIGKILL');
}
`;
  write('test/unit/another.test.ts', `${once}${TEST.replaceAll("it('", "it('again ")}`);
  const seen = await run('--floor', '50');
  expect(seen.said).toContain('unit: what 2 tests reach');

  write('test/unit/another.test.ts', `process.kill(process.pid, 'SIGKILL');\n${TEST}`);
  const unseen = await run('--floor', '50', '--fresh');
  expect(unseen.said).toContain('No process runs these to their end: test/unit/another.test.ts');
  expect(unseen.code).toBe(1);
}, 120_000);

it('sees what a test reaches that keeps its process busy for longer than an idle connection lasts', async () => {
  const busy = `it('is busy', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_500));\n`;
  write('test/unit/another.test.ts', `${TEST}${busy}`);
  const seen = await run('--floor', '50');
  expect(seen.said).toContain('unit: what 3 tests reach');
}, 120_000);

it.each(SURVIVORS)('what is listed as a survivor is a mutant of today: $file $inside $before', (listed) => {
  const mutants = mutantsOf(listed.file, readFileSync(listed.file, 'utf8'));
  expect(mutants.some((mutant) => isSurvivor(listed, mutant))).toBe(true);
  expect(listed.reason).toMatch(/\.$/);
});
