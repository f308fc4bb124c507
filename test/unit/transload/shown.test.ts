/** What the command shows of files, answers and names: nothing in them steers the terminal, and nothing runs into it. */
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  type ShownBatch,
  type ShownRow,
  summaryLines,
  wrongRowLines,
} from '../../../scripts/transload/batches/messages.ts';
import { runTransload } from '../../../scripts/transload/program.ts';
import { paintFor } from '../../../scripts/transload/terminal.ts';
import { BRIDGE_URL, OPS_KEY, pauseless, transload } from './surroundings.ts';

const plain = paintFor({}, {});
const WILD = 'red\x1b[31m, back\r';
const isTame = (text: string): boolean => !text.includes('\x1b') && !text.includes('\r');
const TAME = 'red\\u{1b}[31m, back\\u{d}';

describe('control characters', () => {
  it('of a batch are shown by their numbers', () => {
    const problem = { code: 'bad', message: WILD, fix: WILD };
    const batch = {
      ...{ batchId: 'b_1', fileName: WILD, mapping: WILD, rows: 1, state: 'settled', problems: [problem] },
      ...{ notes: [WILD], resolved: 0, rowStates: { rejected: 1 } },
    } as unknown as ShownBatch;
    const shown = summaryLines(batch, plain);
    expect(shown.split(TAME)).toHaveLength(6);
    expect(isTame(shown)).toBe(true);
  });

  it('of a wrong row and of what was answered about it are shown by their numbers', () => {
    const row = {
      ...{ record: 1, position: { line: 2 }, errors: [{ code: 'bad', path: WILD, message: WILD, fix: WILD }] },
      requests: [{ state: 'rejected', status: 422, answer: WILD }],
    } as unknown as ShownRow;
    const shown = wrongRowLines([row], plain).join('\n');
    expect(shown.split(TAME)).toHaveLength(5);
    expect(isTame(shown)).toBe(true);
  });

  it('of what waits for a decision are shown by their numbers', async () => {
    const letter = {
      ...{ batchId: 'b_1', record: 1, request: 1, partner: 'acme', kind: 'milestone', subject: WILD },
      ...{ reason: WILD, recommended: WILD },
    };
    const { stdout } = await transload(['holds'], {
      fetch: async () => Response.json({ letters: [letter], next: null }),
    });
    expect(stdout.split(TAME)).toHaveLength(4);
    expect(isTame(stdout)).toBe(true);
  });
});

it('events that come while the command waits stand on lines of their own', async () => {
  const shown: string[] = [];
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    shown.push(String(chunk));
    done();
  };
  const stream = () => Object.assign(new Writable({ write }), { isTTY: true });
  const controller = new AbortController();
  const pages = [[], [{ seq: 7, at: '2026-03-02T08:15:30Z', orderRef: 'SO-1', code: 'X1', place: {} }]];
  const ended = runTransload(['events', '--follow'], {
    environment: { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: `tltest_${'0'.repeat(16)}_${'0'.repeat(64)}` },
    fetch: async () => {
      const events = pages.shift() ?? [];
      if (events.length > 0) controller.abort();
      return Response.json({ events, next: '7', more: pages.length > 0 });
    },
    ...{ input: new PassThrough(), output: stream(), errors: stream(), interrupted: () => controller.signal },
    pause: pauseless,
  });
  expect(await ended).toBe(0);
  const clears = '\r\x1b[K';
  expect(shown.slice(0, 3)).toEqual([
    ...[`${clears}Waiting for more. Ctrl-C ends it.`, clears, '     7  2026-03-02T08:15:30Z  SO-1  X1\n'],
  ]);
});

it('a decision for one request says which, and as which order, before it asks', async () => {
  const calls: string[] = [];
  const decided = {
    ...{ partner: 'acme', environment: 'test', state: 'delivered', decision: 'adopt_id', replayed: false },
    ...{ batchId: 'b_1', record: 2, request: 1, version: 'v', requests: 1, dryRun: true, links: { self: '' } },
  };
  const run = (more: readonly string[]) =>
    transload(['holds', 'decide', 'adopt_id', 'b_1/2/1', '--order-id', 'O-77', '--why', 'seen', ...more], {
      environment: { TRANSLOAD_URL: BRIDGE_URL, TRANSLOAD_KEY: OPS_KEY },
      fetch: async (url) => {
        calls.push(new URL(String(url)).search);
        return Response.json(decided);
      },
    });
  const plan = 'adopt_id: b_1/2/1 of acme (test), as the order O-77. It is delivered then.\n';
  const unasked = await run([]);
  expect([unasked.status, unasked.stdout, unasked.stderr]).toEqual([
    ...[2, plan, 'Nothing was done. To do it without being asked: --yes.\n'],
  ]);
  expect((await run(['--yes'])).stdout).toBe(`${plan}It is decided.\n`);
  expect((await run(['--dry-run'])).stdout).toBe(`${plan}It would be decided so.\n`);
  expect(calls).toEqual(['?dryRun=true', '?dryRun=true', '', '?dryRun=true']);
});
