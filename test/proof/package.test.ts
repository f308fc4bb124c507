/** The package that `npm pack` makes works outside of the checkout, offline, and has no more in it than it needs. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';

const run = promisify(execFile);
/** The machine's npm, and what it needs to be found; nothing of this checkout. */
const outside = () =>
  ({
    PATH: process.env.PATH ?? '',
    HOME: folder,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    npm_config_offline: 'true',
    npm_config_prefix: join(folder, 'prefix'),
  }) as unknown as NodeJS.ProcessEnv;

let folder = '';
let packed: string[] = [];
let command = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transload-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PROJECT_ROOT });
  const [made] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  packed = made?.files.map(({ path }) => path) ?? [];
  await run('npm', ['install', '--global', join(folder, made?.filename ?? '')], { cwd: folder, env: outside() });
  command = join(folder, 'prefix', 'lib', 'node_modules', 'transload', 'dist', 'transload', 'transload.mjs');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('holds the command, the mappings and their schema, and nothing else', () => {
  const others = packed.filter((path) => !/^mappings\/(?:code-lists\/)?[\w-]+\.yaml$/.test(path));
  expect(others.sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist/transload/transload.mjs',
    'mappings/mapping.schema.json',
    'package.json',
  ]);
  expect(readdirSync(join(folder, 'prefix', 'lib', 'node_modules'))).toEqual(['transload']);
});

it('maps every clean fixture as this checkout does, with what Node 20 has of the language', async () => {
  const without = join(folder, 'node-20.mjs');
  writeFileSync(
    without,
    `delete Map.groupBy; delete Object.groupBy; delete Promise.withResolvers; delete Array.fromAsync;
     for (const name of ['union', 'intersection', 'difference', 'isSubsetOf', 'isDisjointFrom']) delete Set.prototype[name];
     const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
     for (const name of ['map', 'filter', 'flatMap', 'take', 'drop', 'some', 'every', 'find', 'forEach', 'reduce', 'toArray']) delete iterator[name];`,
  );
  const names = readdirSync(join(PROJECT_ROOT, 'mappings')).flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const fixture = join(PROJECT_ROOT, 'fixtures', name, 'clean');
    const files = readdirSync(fixture);
    const input = files.find((file) => file.startsWith('input.')) ?? '';
    const lookUps = files.includes('look-ups.json') ? ['--lookups', join(fixture, 'look-ups.json')] : [];
    const args = ['--import', without, command, 'map', ...lookUps, name, join(fixture, input)];
    const { stdout } = await run(process.execPath, args, { cwd: folder, env: outside() });
    const requests = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).requests);
    expect(requests(stdout), name).toEqual(requests(readFileSync(join(fixture, 'expected.jsonl'), 'utf8')));
  }
}, 240_000);
