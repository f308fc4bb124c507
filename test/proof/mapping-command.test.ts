/** Mappings of a running bridge changed from the command line: a key made, a document published and taken back, a word added. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { startBridge } from '../../scripts/local/bridge.ts';
import { newDirectory } from '../../scripts/local/directory.ts';
import { freePort, type RunningWorker } from '../../scripts/local/running.ts';

interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

const folder = mkdtempSync(join(tmpdir(), 'transload-mapping-'));
let bridge: RunningWorker;
let key = '';

const run = (args: string[], environment: Record<string, string> = {}): Promise<Ran> =>
  new Promise((done) => {
    const options = { cwd: PROJECT_ROOT, env: { ...process.env, ...environment } };
    execFile(
      process.execPath,
      [join(PROJECT_ROOT, 'scripts/transload.ts'), ...args],
      options,
      (error, stdout, stderr) =>
        done({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });
const mapping = (...args: string[]): Promise<Ran> =>
  run(['mapping', ...args], { TRANSLOAD_URL: bridge.baseUrl, TRANSLOAD_KEY: key });

beforeAll(async () => {
  const persistTo = join(folder, 'bridge');
  await newDirectory(persistTo);
  const who = ['--name', 'Analyst', '--role', 'operator', '--environments', 'test'];
  const made = await run(['keys', 'ops', 'create', ...who, '--persist-to', persistTo]);
  expect(made.status, made.stderr).toBe(0);
  key = made.stdout.trim();
  // Nothing is sent in this test: no upstream is needed behind the channel's address.
  bridge = await startBridge({ sandboxUrl: `http://127.0.0.1:${await freePort()}`, persistTo });
});
afterAll(async () => {
  await bridge?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('publishes, compares, edits a code list and goes back, and says at every step what happened', async () => {
  const NAME = 'carrier-status-csv';
  expect(key).toMatch(/^tlops_/);
  const shipped = readFileSync(join(PROJECT_ROOT, 'mappings', `${NAME}.yaml`), 'utf8');
  const mine = join(folder, 'mine.yaml');
  writeFileSync(mine, shipped.replace('target: milestone', 'target: mileston'));
  const wrong = await mapping('check', mine);
  expect([wrong.status, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toMatch(/^ {2}line \d+:1 target: .* Wanted: .*milestone/m);

  writeFileSync(mine, shipped.replace(/^description: .*$/m, 'description: Agreed on Monday.'));
  expect(await mapping('check', mine)).toMatchObject({ status: 0, stdout: expect.stringContaining('would stand') });
  expect((await mapping('list')).stdout).toMatch(new RegExp(`^${NAME} +\\w{12} +bundled +everybody +- `, 'm'));
  const published = await mapping('publish', mine, '--note', 'as agreed');
  expect(published).toMatchObject({ status: 0, stderr: '' });
  expect(published.stdout).toContain('"Agreed on Monday."');
  expect((await mapping('list')).stdout).toMatch(new RegExp(`^${NAME} .* published .* by Analyst .*Agreed`, 'm'));
  expect((await mapping('show', NAME)).stdout).toBe(readFileSync(mine, 'utf8'));
  expect((await mapping('diff', NAME, '--from', 'bundled')).stdout).toMatch(
    /^~ description: .* -> "Agreed on Monday."$/m,
  );

  const word = await mapping('code-list', 'set', 'x12-status-codes', 'Q9=X6', '--note', 'their word');
  expect(word.stdout).toContain('+ codes.Q9: "X6"');
  expect(word.stdout).toMatch(new RegExp(`^ {2}${NAME}: \\w{12} -> \\w{12}$`, 'm'));
  const lost = await mapping('code-list', 'remove', 'x12-status-codes', 'X3');
  expect([lost.status, lost.stdout]).toEqual([1, '']);
  expect(lost.stderr).toContain(`${NAME}: examples[0].records[0].requests[0]`);

  const version = /version (\w{12})/.exec(published.stdout)?.[1] ?? '';
  expect((await mapping('rollback', NAME, '--to', version)).stdout).toContain(`stands for version ${version}`);
  expect((await mapping('rollback', NAME, '--to', 'bundled')).status).toBe(0);
  const history = (await mapping('history', NAME)).stdout.trimEnd().split('\n').slice(1);
  expect(history.map((line) => /Analyst +(\S.*?) {2,}/.exec(line)?.[1])).toEqual([
    'back to bundled',
    'back',
    'code list x12-status-codes',
    'published',
  ]);
  expect((await mapping('list', '--environment', 'production')).stderr).toContain('environment_not_allowed');
});
