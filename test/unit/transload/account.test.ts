/** `login`: whose key is taken from where, and what is kept only once a bridge has taken it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandPage } from '../../../scripts/reference/command.ts';
import { runTransload } from '../../../scripts/transload/program.ts';
import { BRIDGE_URL, type Played, pauseless, transload } from './surroundings.ts';

const keyOf = (digit: string): string => `tltest_${digit.repeat(16)}_${digit.repeat(64)}`;
const [PIPED, OF_ENVIRONMENT, OF_FILE] = [keyOf('1'), keyOf('2'), keyOf('3')];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'transload-account-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const kept = () => JSON.parse(readFileSync(join(folder, 'transload', 'profiles.json'), 'utf8'));
const isTaken: Played['fetch'] = async () => Response.json({ mappings: [] });
const logIn = (args: readonly string[], played: Played = {}) =>
  transload(['login', '--url', BRIDGE_URL, ...args], {
    fetch: isTaken,
    ...played,
    environment: { XDG_CONFIG_HOME: folder, ...played.environment },
  });

it('takes the key of a file first, then TRANSLOAD_KEY, and says so, then of whatever standard input is', async () => {
  const path = join(folder, 'key.txt');
  writeFileSync(path, `${OF_FILE}\n`);
  const environment = { TRANSLOAD_KEY: OF_ENVIRONMENT };
  const input = `${PIPED}\n`;
  const ran = [
    await logIn(['--profile', 'named', '--key-file', path], { environment, input }),
    await logIn(['--profile', 'led in'], { environment, input, isFile: true }),
    await logIn(['--profile', 'asked for', '--key-file', '-'], { environment, input }),
    await logIn(['--profile', 'of the script'], { environment, input }), // a pipe may be that of a whole script
    await logIn(['--profile', 'piped'], { input }),
  ];
  expect(ran.map(({ status, stderr }) => `${status} ${stderr}`)).toEqual([
    ...['0 ', '0 ', '0 ', '0 The key is the one of TRANSLOAD_KEY.\n', '0 '],
  ]);
  const { profiles, current } = kept();
  expect(current).toBe('piped');
  expect(Object.values(profiles)).toEqual(
    [OF_FILE, PIPED, PIPED, OF_ENVIRONMENT, PIPED].map((key) => ({ url: BRIDGE_URL, key })),
  );
});

it('keeps profiles where the machine keeps such files, and the reference says so', async () => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  try {
    const environment = { XDG_CONFIG_HOME: '', APPDATA: folder };
    expect((await logIn(['--profile', 'windows'], { environment, input: PIPED })).status).toBe(0);
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
  expect(kept().current).toBe('windows');
  expect(commandPage()).toContain('on Windows `%APPDATA%`');
});

it('asks for no key where the question is not seen: what is typed would be', async () => {
  const [input, nowhere] = [Object.assign(new PassThrough(), { isTTY: true }), () => new PassThrough().resume()];
  const said: string[] = [];
  const errors = new Writable({
    write(chunk, _, done) {
      said.push(String(chunk));
      done();
    },
  });
  const surroundings = { environment: { XDG_CONFIG_HOME: folder }, fetch, input, output: nowhere(), errors };
  const interrupted = () => new AbortController().signal;
  const status = await runTransload(['login', '--url', BRIDGE_URL], { ...surroundings, interrupted, pause: pauseless });
  expect([status, said.join('')]).toEqual([2, 'Say your key: --key-file PATH, or on standard input.\n']);
});

it('keeps nothing where the address is that of some page', async () => {
  const page: Played['fetch'] = async () => new Response('<!doctype html>', { status: 200 });
  const { status, stderr } = await logIn([], { input: PIPED, fetch: page });
  expect([status, stderr]).toEqual([2, expect.stringContaining('Is it the address of a bridge?')]);
  expect(kept).toThrow('no such file');
});

it('keeps beside it what was kept while it asked', async () => {
  await logIn(['--profile', 'first'], { input: PIPED });
  const meanwhile: Played['fetch'] = async () => {
    await logIn(['--profile', 'other'], { input: OF_FILE });
    return Response.json({ mappings: [] });
  };
  await logIn(['--profile', 'first'], { input: OF_ENVIRONMENT, fetch: meanwhile });
  expect(kept().profiles).toMatchObject({ first: { key: OF_ENVIRONMENT }, other: { key: OF_FILE } });
});

it('reads a variable that is empty as one that is not set', async () => {
  const key = keyOf('4').replace('tltest', 'tlops');
  await logIn([], { input: key });
  const empty = { TRANSLOAD_URL: '', TRANSLOAD_KEY: '', TRANSLOAD_PROFILE: '', TRANSLOAD_ENVIRONMENT: '' };
  const environment = { XDG_CONFIG_HOME: folder, ...empty };
  const asked: string[] = [];
  const fetch: Played['fetch'] = async (url, init) => {
    asked.push(`${url} ${new Headers(init?.headers).get('Authorization')}`);
    return Response.json({ batches: [], next: null });
  };
  const again = await transload(['login'], { environment, fetch, input: key });
  const { status, stderr } = await transload(['batches'], { environment, fetch });
  expect([again.status, status, stderr]).toEqual([0, 0, '']);
  expect(asked).toEqual(['code-lists', 'batches?limit=21'].map((path) => `${BRIDGE_URL}/v1/ops/${path} Bearer ${key}`));
});

it('uses no other profile by itself once the one in use is forgotten', async () => {
  await logIn(['--profile', 'production'], { input: `${PIPED}\n` });
  await logIn(['--profile', 'test'], { input: `${OF_FILE}\n` });
  const environment = { XDG_CONFIG_HOME: folder };
  const { status, stdout } = await transload(['logout'], { environment });
  expect([status, stdout]).toEqual([
    0,
    'The profile "test" is forgotten.\nNone is used by itself now: --profile production, or transload login.\n',
  ]);
  const asked = await transload(['batches'], { environment });
  expect([asked.status, asked.stderr]).toEqual([2, expect.stringContaining('Say where the bridge is')]);
  expect((await transload(['profiles'], { environment })).stdout).toContain('production');
});
