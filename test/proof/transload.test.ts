/** `transload` in a real terminal, against a bridge and its sandbox: what it shows, asks and answers with its exit code. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import type { Stack } from '../../scripts/local/stack.ts';
import { transload as programOf } from '../../scripts/transload/program.ts';
import { processSurroundings } from '../../scripts/transload/surroundings.ts';
import { startEnvironment } from '../e2e/environment.ts';
import { transload as inThisProcess } from '../unit/transload/surroundings.ts';
import { type Terminal, terminalOf } from './terminal.ts';
import type { Call } from './terminal-session.ts';

const OPERATOR = makeOpsKey({ name: 'Operator', role: 'admin', environments: ['test'] });
const STATUS = 'carrier-status-csv';
const MIXED = join(PROJECT_ROOT, 'fixtures', STATUS, 'mixed', 'input.csv');
const HEAD = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\n';

const transload = (args: readonly string[], at: { environment: Record<string, string> }) =>
  inThisProcess(args, { ...at, fetch });

let stack: Stack;
let folder = '';
let environment: Record<string, string> = {};
let operators: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transload-command-'));
  stack = await startEnvironment([], OPERATOR.sql);
  const TRANSLOAD_URL = stack.bridge.baseUrl;
  environment = { XDG_CONFIG_HOME: folder, TRANSLOAD_URL, TRANSLOAD_KEY: stack.keys[0] ?? '' };
  operators = { XDG_CONFIG_HOME: folder, TRANSLOAD_URL, TRANSLOAD_KEY: OPERATOR.key };
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string, rows: number): string => {
  const path = join(folder, name);
  const line = (at: number) =>
    `${name.slice(0, 4).toUpperCase()}${at % 3},X3,NS,03/02/2026,${String(8 + Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')},CT,Joliet,IL,1,,\n`;
  writeFileSync(path, HEAD + Array.from({ length: rows }, (_, at) => line(at)).join(''));
  return path;
};

const terminal = (args: readonly string[], env = environment): Terminal => terminalOf(args, env, { folder });

describe('on a terminal', () => {
  it('asks for the key without showing it, and keeps it in a file for the user alone', async () => {
    const key = environment.TRANSLOAD_KEY ?? '';
    const login = terminal(['login', '--profile', 'mine'], { XDG_CONFIG_HOME: folder });
    await login.until('Address of the bridge');
    login.pty.write(`${environment.TRANSLOAD_URL}\r`);
    await login.until('Your key');
    login.pty.write(`${key}\r`);
    expect(await login.ended, login.shown()).toBe(0);
    expect(login.shown()).toContain('as a partner');
    expect(login.shown()).not.toContain(key.slice(-64));
    expect(statSync(join(folder, 'transload', 'profiles.json')).mode & 0o777).toBe(0o600);
    const { stdout } = await transload(['batches', '--json', '--profile', 'mine'], {
      environment: { XDG_CONFIG_HOME: folder },
    });
    expect(JSON.parse(stdout)).toHaveProperty('batches');
  });

  it('suggests the mapping of a file, sends it with a bar, and says which rows to correct', async () => {
    const upload = terminal(['upload', MIXED, '--watch']);
    await upload.until(/Which kind of file[\s\S]*1\) carrier-status-csv/);
    upload.pty.write('\r');
    expect(await upload.ended, upload.shown()).toBe(1);
    expect(upload.shown()).toContain('\x1b[31mbad_date\x1b[39m');
    expect(upload.shown()).toMatch(/█|░/);
    expect(upload.shown()).toMatch(/To correct them: transload correct b_/);
  });

  it('has no colours where NO_COLOR says so, and offers what was meant', async () => {
    const wrong = terminal(['bathces'], { NO_COLOR: '1' });
    expect(await wrong.ended).toBe(2);
    expect(wrong.shown()).toContain('(Did you mean batches?)');
    expect(wrong.shown()).not.toContain('\x1b[3');
  });

  it('goes on with an upload that was killed: the same file is the same batch', async () => {
    await stack.putFaults([{ match: {}, fault: { type: 'delay', ms: 150, apply: 'before' } }]);
    const args = ['upload', fileOf('kill.csv', 90), '-m', STATUS, '--watch'];
    const first = terminal(args);
    await first.until(/batch b_\w{26}/);
    first.pty.kill('SIGKILL');
    await first.ended;
    const [id = ''] = /b_\w{26}/.exec(first.shown()) ?? [];
    await stack.putFaults([]);
    const again = terminal(args);
    expect(await again.ended, again.shown()).toBe(0);
    expect(again.shown()).toMatch(new RegExp(`was taken in before, .* it is batch ${id}`));
    expect(again.shown()).toContain('90 rows: \x1b[32m90 delivered');
  });

  it('ends with what is known at Ctrl-C, and the batch goes on', async () => {
    await stack.putFaults([{ match: {}, fault: { type: 'delay', ms: 400, apply: 'before' } }]);
    const stopped = terminal(['upload', fileOf('stop.csv', 60), '-m', STATUS, '-w']);
    await stopped.until('sending:');
    stopped.pty.write('\x03');
    expect(await stopped.ended, stopped.shown()).toBe(130);
    const [id = ''] = /b_\w{26}/.exec(stopped.shown()) ?? [];
    expect(stopped.shown()).toContain(`To watch it again: transload batches ${id} --watch`);
    await stack.putFaults([]);
    const watched = await transload(['batches', id, '--watch', '--json'], { environment });
    expect([watched.status, JSON.parse(watched.stdout).rowStates]).toEqual([0, { delivered: 60 }]);
  });
});

const ZONE = /In which time zone[\s\S]*Number: /;
const KNOWS: Record<string, string> = { Berlin: '6', Paris: '7' };

/** What the terminal asks for each sample, and what is typed: nothing else is. */
const UNSEEN: readonly (readonly [file: string, answers: readonly (readonly [RegExp, string])[], records: number])[] = [
  [
    'status-export-de.csv',
    [
      [/which fields\.eventCode is "Angekommen" \(6 rows\)/, 'X1'],
      [ZONE, KNOWS.Berlin ?? ''],
    ],
    24,
  ],
  [
    'fortras-status.txt',
    [
      [/is "010" \(6 rows\)/, 'd1'],
      [ZONE, KNOWS.Berlin ?? ''],
    ],
    18,
  ],
  [
    'parcel-tracking.json',
    [[/loadNumber is only a guess[\s\S]*3\) number of the first reference number[\s\S]*Number \[1\]: /, '3']],
    4,
  ],
  [
    'transport-status-fr.edi',
    [
      [/is "Avisé" \(/, 'ZZ9'],
      [/ZZ9 is no code of the list[\s\S]*leaves it open: /, '?'],
      [/D1: [\s\S]*leaves it open: /, 'AV'],
      [ZONE, KNOWS.Paris ?? ''],
    ],
    12,
  ],
  ['status-report.xml', [], 5],
];

describe('a file that no shipped mapping reads', () => {
  it.each(UNSEEN)(
    '%s becomes a published mapping by what is asked and by the commands that are shown',
    async (file, answers, records) => {
      const begunMs = Date.now();
      const name = file.replace(/\..*$/, '');
      const sample = join(PROJECT_ROOT, 'fixtures', 'unseen', file);
      const made = terminal(['mapping', 'new', sample, '-o', `${name}.yaml`], {});
      await made.answer(answers);
      expect(await made.ended, made.shown()).toBe(0);
      const next = made.shown().matchAll(/^ {2}transload (publish .*?)\r?$/gm);
      const commands = [...next].map(([, command = '']) => command.replace('NAME', 'acme'));
      expect(commands).toHaveLength(2);
      for (const command of commands) {
        const args = (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
        const published = await transload(
          args.map((word) => (word.endsWith('.yaml') ? join(folder, word) : word)),
          { environment: operators },
        );
        expect(published.status, published.stderr).toBe(0);
      }
      console.log(
        `transload: ${file} in ${Date.now() - begunMs} ms; typed ${answers.map(([, typed]) => typed).join(', ')}`,
      );
      const sent = await transload(['upload', sample, '-m', name, '--scac', 'DEMO', '--dry-run', '--json'], {
        environment,
      });
      expect(sent.status, sent.stderr).toBe(0);
      expect(JSON.stringify(JSON.parse(sent.stdout))).toContain(`"valid":${records}`);
    },
  );
});

interface Ended {
  status: number;
  shown: string;
}

/** All in one process, which sits in a terminal of 80 columns. */
async function session(calls: readonly Call[]): Promise<Ended[]> {
  const path = join(folder, 'calls.json');
  writeFileSync(path, JSON.stringify(calls));
  const entry = join(PROJECT_ROOT, 'test', 'proof', 'terminal-session.ts');
  const { shown, ended } = terminalOf([path], environment, { folder, cols: COLUMNS, entry });
  expect(await ended, shown()).toBe(0);
  const parts = shown()
    .replaceAll('\r\n', '\n')
    .split(/\n<<exit (\d+)>>\n/);
  const all = calls.map((_, at) => ({ shown: parts[at * 2] ?? '', status: Number(parts[at * 2 + 1]) }));
  expect(all.at(-1)?.status, shown()).not.toBeNaN();
  return all;
}

const COLUMNS = 80;

const SHOWN_CHARACTERS = 600;

/** Progress is written over before the result is shown. */
function jsonIn(shown: string): Record<string, unknown> {
  const text = shown.slice(shown.lastIndexOf('\x1b[K') === -1 ? 0 : shown.lastIndexOf('\x1b[K') + 3);
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return {};
  }
}

const below = (command: Command, path: string[] = []): { path: string; command: Command }[] => [
  { path: path.join(' '), command },
  ...command.commands.flatMap((each) => below(each, [...path, each.name()])),
];
const COMMANDS = below(programOf(processSurroundings(), () => undefined));

describe('every command, in one terminal', () => {
  it('says what it does, takes and shows, in lines that the terminal does not break', async () => {
    const calls = COMMANDS.map(({ path }) => ({
      args: [...path.split(' ').filter(Boolean), '--help'],
      environment: {},
    }));
    for (const [at, { status, shown }] of (await session(calls)).entries()) {
      const path = COMMANDS[at]?.path ?? '';
      expect([path, status]).toEqual([path, 0]);
      expect(shown).toMatch(new RegExp(`^Usage: transload ${path}`));
      expect(shown.split('\n').filter((line) => line.length > COLUMNS && !line.startsWith('  $ '))).toEqual([]);
    }
  });

  it('prints its result as JSON, and says by the exit code how it went', async () => {
    const file = fileOf('json.csv', 3);
    const quiet = async (args: string[], as = environment) =>
      JSON.parse((await transload([...args, '--json'], { environment: as })).stdout);
    const { uploads } = await quiet(['upload', file, MIXED, '-m', STATUS, '--watch']);
    const [good = '', bad = ''] = (uploads as { receipt: { batchId: string } }[]).map(({ receipt }) => receipt.batchId);
    const made = await quiet(['keys', 'create', '--partner', 'acme', '--why', 'a test'], operators);
    const ops = await quiet(
      ['keys', 'ops', 'create', '--name', 'A program', '--role', 'viewer', '--environments', 'test', '--why', 'a test'],
      operators,
    );
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, environment.TRANSLOAD_KEY ?? '');
    const corrections = join(folder, 'corrections.csv');
    const shipped = join(PROJECT_ROOT, 'mappings', `${STATUS}.yaml`);
    const words = 'carrier-status-words';
    const TABLE: readonly (readonly [
      command: string,
      args: string[],
      status: number,
      first: string,
      as?: 'operator',
    ])[] = [
      ['login', ['--profile', 'table', '--url', environment.TRANSLOAD_URL ?? '', '--key-file', keyFile], 0, 'profile'],
      ['profiles', [], 0, 'profiles'],
      ['upload', [file, MIXED, '-m', STATUS, '--watch'], 1, 'uploads'],
      ['upload', [file, '-m', STATUS, '--dry-run'], 0, 'uploads'],
      ['batches', [], 0, 'batches'],
      ['batches', [], 0, 'batches', 'operator'],
      ['batches', [good, '--watch'], 0, 'batchId'],
      ['batches', [bad], 1, 'batchId'],
      ['report', [bad], 1, 'batch'],
      ['correct', [bad, '-o', corrections], 0, 'batchId'],
      ['correct', [bad, corrections], 1, 'corrects'],
      ['orders', [], 0, 'orders'],
      ['mapping new', [join(PROJECT_ROOT, 'fixtures', 'unseen', 'status-report.xml')], 0, 'name'],
      ['mapping list', [], 0, 'mappings'],
      ['mapping list', [], 0, 'mappings', 'operator'],
      ['mapping show', [STATUS], 0, 'name'],
      ['mapping history', [STATUS], 0, 'name', 'operator'],
      ['mapping diff', [STATUS, '--from', 'bundled', '--to', 'current'], 0, 'name', 'operator'],
      ['mapping rerun', [good], 0, 'batchId', 'operator'],
      ['mapping owners', [STATUS], 0, 'name', 'operator'],
      ['mapping rollback', [STATUS, '--to', 'bundled', '--dry-run'], 0, 'dryRun', 'operator'],
      ['mapping check', [shipped], 0, 'dryRun', 'operator'],
      ['mapping publish', [shipped, '--dry-run'], 0, 'dryRun', 'operator'],
      ['publish', [shipped, '--dry-run'], 0, 'dryRun', 'operator'],
      ['mapping code-list list', [], 0, 'codeLists', 'operator'],
      ['mapping code-list show', [words], 0, 'name', 'operator'],
      ['mapping code-list history', [words], 0, 'name', 'operator'],
      ['mapping code-list set', [words, 'Handed over=D1', '--dry-run'], 0, 'dryRun', 'operator'],
      ['mapping code-list remove', [words, 'DELIVERED', '--dry-run'], 1, '(examples_failed)', 'operator'],
      ['mapping code-list rollback', [words, '--to', 'bundled', '--dry-run'], 0, 'dryRun', 'operator'],
      ['keys list', ['acme'], 0, 'environment', 'operator'],
      ['keys list', [], 0, 'environment', 'operator'],
      ['keys create', ['--partner', 'acme', '--why', 'a test'], 1, '(too_many_keys)', 'operator'],
      [
        'keys rotate',
        ['--partner', 'acme', '--key-id', made.keyId, '--why', 'a test'],
        1,
        '(too_many_keys)',
        'operator',
      ],
      ['keys revoke', ['--partner', 'acme', '--key-id', made.keyId, '--why', 'a test'], 0, 'keyId', 'operator'],
      [
        'keys ops create',
        ['--name', 'Another', '--role', 'viewer', '--environments', 'test', '--why', 'a test'],
        0,
        'key',
        'operator',
      ],
      ['keys ops rotate', ['--key-id', ops.keyId, '--why', 'a test'], 0, 'key', 'operator'],
      ['keys ops revoke', ['--key-id', ops.keyId, '--why', 'a test'], 0, 'keyId', 'operator'],
      ['holds list', [], 0, 'holds', 'operator'],
      ['holds decide', ['send_again', '--partner', 'acme', '--why', 'a test', '--dry-run'], 0, 'dryRun', 'operator'],
      ['replay', ['--partner', 'acme', '--why', 'a test', '--dry-run'], 0, 'dryRun', 'operator'],
      // What has no feed has no events.
      ['events', [], 2, '(no_feed)'],
    ];
    const withJson = COMMANDS.filter(({ command }) => command.options.some(({ long }) => long === '--json'));
    const ran = new Set(TABLE.map(([command]) => command));
    expect(
      withJson.map(({ path }) => path).filter((path) => !ran.has(path)),
      'each is tried',
    ).toEqual([]);
    const ended = await session(
      TABLE.map(([command, args, , , as]) => ({
        args: [...command.split(' '), ...args, '--json'],
        environment: as === 'operator' ? operators : environment,
      })),
    );
    const wrong = TABLE.flatMap(([command, , status, first], at) => {
      const { shown = '', status: got } = ended[at] ?? {};
      const isSaid = first.startsWith('(') ? shown.includes(first) : Object.hasOwn(jsonIn(shown), first);
      return got === status && isSaid ? [] : [`${command} ended with ${got}: ${shown.slice(0, SHOWN_CHARACTERS)}`];
    });
    expect(wrong).toEqual([]);
    expect(readFileSync(corrections, 'utf8')).toContain('_record');
  });

  it('exits with 2 where it could not run, with one plain sentence', async () => {
    const TABLE: readonly (readonly [args: string[], says: string, environment?: Record<string, string>])[] = [
      [['upload', 'absent.csv', '-m', STATUS], 'There is no file absent.csv.\n'],
      [['upload', MIXED, '-m', 'carrier-status-cvs'], 'carrier-status-csv'],
      [['upload', MIXED, '-m', STATUS], "operator's", operators],
      [['batches', '--limit', 'many'], 'many'],
      [['batches'], '(unauthorized)', { ...environment, TRANSLOAD_KEY: 'tltest_0' }],
      [['batches'], 'cannot be reached', { ...environment, TRANSLOAD_URL: 'http://127.0.0.1:1' }],
      [
        ['batches', '--profile', 'mine'],
        'is sent nowhere else',
        { XDG_CONFIG_HOME: folder, TRANSLOAD_KEY: '', TRANSLOAD_URL: 'https://elsewhere.example' },
      ],
    ];
    const calls = TABLE.map(([args, , own = environment]) => ({ args, environment: own }));
    for (const [at, { status, shown }] of (await session(calls)).entries()) {
      expect(shown).toContain(TABLE[at]?.[1]);
      expect([shown, status]).toEqual([shown, 2]);
    }
    // Without a terminal nobody can be asked which kind it is.
    const unasked = await transload(['upload', MIXED], { environment });
    expect([unasked.status, unasked.stdout]).toEqual([2, '']);
    expect(unasked.stderr).toMatch(/--mapping NAME[\s\S]*carrier-status-csv \(/);
  });
});
