/** What the command does not begin, because it could only go wrong: it says what to do instead. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BRIDGE_URL, transload } from './surroundings.ts';

const KEY = `tltest_${'0'.repeat(16)}_${'0'.repeat(64)}`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'transload-here-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const aWorkbook = (bytes: number): string => {
  const path = join(folder, 'large.xlsx');
  writeFileSync(path, Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(bytes - 4)]));
  return path;
};

it('a mapping is not made from half a workbook', async () => {
  const path = aWorkbook(1024 * 1024 + 1);
  const { status, stderr } = await transload(['mapping', 'new', path]);
  expect(status).toBe(2);
  expect(stderr).toContain(`${path} is a workbook of more than 1 MiB, which cannot be cut. `);
  const whole = await transload(['mapping', 'new', aWorkbook(1024 * 1024)]);
  expect(whole.stderr).not.toContain('cannot be cut');
});

it('a large workbook is not sent to be told which kind it is', async () => {
  const path = aWorkbook(1024 * 1024 + 1);
  const environment = { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: KEY };
  const { status, stderr } = await transload(['upload', path], { environment });
  expect([status, stderr]).toEqual([
    2,
    `Say which kind of file ${path} is: --mapping NAME. A workbook or archive of more than 1 MiB is not looked into.\n`,
  ]);
});

it('a large file whose first column begins with PK is no workbook', async () => {
  const path = join(folder, 'large.csv');
  writeFileSync(path, `PKG,EVENT\n${'1234567,X3\n'.repeat(100_000)}`);
  const asked = await transload(['mapping', 'new', path]);
  expect(asked.stderr).not.toContain('workbook');
  const fetch = async () => Response.json({ mappings: [] });
  const environment = { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: KEY };
  const sent = await transload(['upload', path], { environment, fetch: fetch as never });
  expect(sent.stderr).not.toContain('Say which kind of file');
});

it('rows of a dry run are not sent as corrections: the others of their file never were', async () => {
  const environment = { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: KEY };
  const calls: string[] = [];
  const fetch = async (url: unknown) => {
    calls.push(new URL(String(url)).pathname);
    return Response.json({ batchId: 'b_1', mapping: 'm', scac: null, format: 'csv', dryRun: true, state: 'settled' });
  };
  for (const args of [[], [aWorkbook(9)]]) {
    const { status, stderr } = await transload(['correct', 'b_1', ...args], { environment, fetch: fetch as never });
    expect([status, stderr]).toEqual([
      2,
      'b_1 was a dry run, and nothing of it was sent. Correct your own file, and send that.\n',
    ]);
  }
  expect(calls).toEqual(['/v1/batches/b_1', '/v1/batches/b_1']);
});

it('a file whose name has blanks is completed as one', async () => {
  mkdirSync(join(folder, 'files'));
  for (const name of ['march events.csv', 'march.csv', 'other.csv']) writeFileSync(join(folder, 'files', name), '');
  const { stdout } = await transload(['completion', 'bash']);
  const script = `${stdout}\nCOMP_WORDS=(transload upload march); COMP_CWORD=2; _transload; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const ran = spawnSync('bash', ['-c', script], { cwd: join(folder, 'files') });
  expect(ran.stdout.toString().trim().split('\n').sort()).toEqual(['march events.csv', 'march.csv']);
});
