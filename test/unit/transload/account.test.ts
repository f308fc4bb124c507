/** `login`: whose key is taken from where, and what is kept only once a bridge has taken it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runTransload } from '../../../scripts/transload/program.ts';
import { BRIDGE_URL, type Played, transload } from './surroundings.ts';

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

it('takes the key of --key-file, then of standard input, then of TRANSLOAD_KEY, and says so of the last', async () => {
  const path = join(folder, 'key.txt');
  writeFileSync(path, `${OF_FILE}\n`);
  const environment = { TRANSLOAD_KEY: OF_ENVIRONMENT };
  const piped = await logIn(['--profile', 'piped'], { environment, input: `${PIPED}\n` });
  const file = await logIn(['--profile', 'file', '--key-file', path], { environment, input: PIPED });
  const own = await logIn(['--profile', 'own'], { environment });
  expect([piped.status, file.status, own.status]).toEqual([0, 0, 0]);
  expect([piped.stderr, file.stderr, own.stderr]).toEqual(['', '', 'The key is the one of TRANSLOAD_KEY.\n']);
  const { profiles, current } = kept();
  expect(current).toBe('own');
  expect(Object.values(profiles)).toEqual([PIPED, OF_FILE, OF_ENVIRONMENT].map((key) => ({ url: BRIDGE_URL, key })));
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
  const status = await runTransload(['login', '--url', BRIDGE_URL], { ...surroundings, interrupted });
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
  expect(asked).toEqual(['code-lists', 'batches?limit=20'].map((path) => `${BRIDGE_URL}/v1/ops/${path} Bearer ${key}`));
});
