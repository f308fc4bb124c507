/** `transload` in a real terminal, against a bridge and its sandbox: what it shows, asks and answers with its exit code. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/frame/kept-file.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import type { Stack } from '../../scripts/local/stack.ts';
import { transload as inThisProcess } from '../unit/transload/surroundings.ts';
import { startEnvironment } from './environment.ts';
import { type Terminal, terminalOf } from './terminal.ts';

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
    [[/loadNumber is only a guess[\s\S]*3\) \.\.\/referenceNumber[\s\S]*Number \[1\]: /, '3']],
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

describe('as a program calls it', () => {
  const json = async (args: string[], as = environment): Promise<[number, Record<string, unknown>]> => {
    const { status, stdout, stderr } = await transload([...args, '--json'], { environment: as });
    expect(stdout, stderr).not.toBe('');
    return [status, JSON.parse(stdout)];
  };

  it('prints the result of each command as JSON, and says by the exit code how it went', async () => {
    const file = fileOf('json.csv', 3);
    const [sent, { uploads }] = await json(['upload', file, MIXED, '-m', STATUS, '--watch']);
    expect([sent, (uploads as { batch: object }[]).map(({ batch }) => Object.keys(batch).slice(0, 2))]).toEqual([
      1,
      [
        ['batchId', 'state'],
        ['batchId', 'state'],
      ],
    ]);
    const [good = '', bad = ''] = (uploads as { receipt: { batchId: string } }[]).map(({ receipt }) => receipt.batchId);
    const corrections = join(folder, 'corrections.csv');
    const whole = async (args: string[], as?: Record<string, string>) => {
      const [status, value] = await json(args, as);
      return [status, Object.keys(value)[0]];
    };
    expect(await whole(['upload', file, '-m', STATUS, '--dry-run'])).toEqual([0, 'uploads']);
    expect(await whole(['batches'])).toEqual([0, 'batches']);
    expect(await whole(['batches', good])).toEqual([0, 'batchId']);
    expect(await whole(['batches', bad])).toEqual([1, 'batchId']);
    expect((await whole(['report', bad]))[0]).toBe(1);
    expect(await whole(['correct', bad, '-o', corrections])).toEqual([0, 'batchId']);
    expect(readFileSync(corrections, 'utf8')).toContain('_record');
    expect(await whole(['correct', bad, corrections])).toEqual([1, 'corrects']);
    expect(await whole(['orders'])).toEqual([0, 'orders']);
    expect(await whole(['mapping', 'list'])).toEqual([0, 'mappings']);
    expect(await whole(['mapping', 'show', STATUS])).toEqual([0, 'name']);
    expect(await whole(['profiles'])).toEqual([0, 'profiles']);
    expect(await whole(['batches'], operators)).toEqual([0, 'batches']);
    expect(await whole(['holds'], operators)).toEqual([0, 'holds']);
    expect(await whole(['replay', '--partner', 'acme', '--why', 'a test', '--dry-run'], operators)).toEqual([
      0,
      'dryRun',
    ]);
    expect(await whole(['keys', 'list', 'acme'], operators)).toEqual([0, 'environment']);
    expect(await whole(['keys', 'list'], operators)).toEqual([0, 'environment']);
    expect((await json(['keys', 'create', '--partner', 'acme', '--why', 'a test'], operators))[1]).toHaveProperty(
      'key',
    );
    expect(await whole(['mapping', 'history', STATUS], operators)).toEqual([0, 'name']);
    expect(await whole(['mapping', 'owners', STATUS], operators)).toEqual([0, 'name']);
    expect((await whole(['publish', `${PROJECT_ROOT}/mappings/${STATUS}.yaml`, '--dry-run'], operators))[0]).toBe(0);
    const none = await transload(['events', '--json'], { environment });
    expect([none.status, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('no_feed');
  });

  it('exits with 2 where it could not run, with one plain sentence', async () => {
    const run = async (args: string[], as = environment) => {
      const { status, stdout, stderr } = await transload(args, { environment: as });
      return [status, stdout, stderr];
    };
    expect(await run(['upload', 'absent.csv', '-m', STATUS])).toEqual([2, '', 'There is no file absent.csv.\n']);
    expect(await run(['upload', MIXED])).toEqual([
      2,
      '',
      expect.stringMatching(/--mapping NAME[\s\S]*carrier-status-csv \(/),
    ]);
    expect(await run(['upload', MIXED, '-m', 'carrier-status-cvs'])).toEqual([
      2,
      '',
      expect.stringContaining('carrier-status-csv'),
    ]);
    expect(await run(['upload', MIXED, '-m', STATUS], operators)).toEqual([
      2,
      '',
      expect.stringContaining("operator's"),
    ]);
    expect(await run(['batches'], { ...environment, TRANSLOAD_KEY: 'tltest_0' })).toEqual([
      2,
      '',
      expect.stringContaining('(unauthorized)'),
    ]);
    expect(await run(['batches'], { ...environment, TRANSLOAD_URL: 'http://127.0.0.1:1' })).toEqual([
      2,
      '',
      expect.stringContaining('cannot be reached'),
    ]);
    const elsewhere = { XDG_CONFIG_HOME: folder, TRANSLOAD_URL: 'https://elsewhere.example' };
    expect(await run(['batches', '--profile', 'mine'], elsewhere)).toEqual([
      2,
      '',
      expect.stringContaining('is sent nowhere else'),
    ]);
  });
});
