/** What the core of a batch decides at the edges: nothing read, nothing left, the last of a kind, what came back. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { messageNotifications } from '../../../src/batch/core/batch-events.ts';
import { contentInReading } from '../../../src/batch/core/contents.ts';
import { LookAhead, type NextVisit } from '../../../src/batch/core/look-ahead.ts';
import { mappedAgain } from '../../../src/batch/core/mapped-again.ts';
import { timeOfShare } from '../../../src/batch/core/minutes.ts';
import { Wave } from '../../../src/batch/core/pacing.ts';
import { type Contents, START } from '../../../src/batch/core/progress.ts';
import { afterReplacing } from '../../../src/batch/core/replacing.ts';
import { progressedBatch, type ReplayRun } from '../../../src/batch/core/replay-run.ts';
import { firstState } from '../../../src/batch/core/tally.ts';
import { describeZipProblem, type ZipProblem } from '../../../src/batch/core/zip-problems.ts';
import { LOOK_AHEAD_CHARACTERS, LOOK_AHEAD_REQUESTS, SUBJECTS_AWAKE_MAX } from '../../../src/batch/limits.ts';
import { addAhead } from '../../../src/batch/steps/dispatch.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { aMappedRow, aMapping, anOutcome, aProblem, aStoredRequest, aTicket } from './samples.ts';

const RULE = { scac: 'ABCD', allowed: ['ABCD'] };
const HEAD = 'Load,Code,At';

describe('rows that are mapped again', () => {
  const again = (records: readonly (number | null)[], ...lines: string[]) =>
    mappedAgain(aMapping(), RULE, { records, bytes: Buffer.from([...lines, ''].join('\n')) });

  it('become requests, are wrong still, or are skipped, each under the number that it had', async () => {
    const good = (load: string) => `${load},X3,2026-03-02 08:15`;
    const lines = [good('L1'), 'L2,X3,yesterday', good('L3'), 'L4,-,', good('L5'), good('L6'), good('L7')];
    const found = await again([7, 8, null, 12, 13, 14, 15], HEAD, ...lines);
    expect(found).toMatchObject({
      ...{ sendable: [7, 13, 14, 15], requests: { milestone: 4 } },
      wrong: [
        { record: 8, problem: { path: 'At' } },
        { record: 12, problem: null },
      ],
    });
    expect(found?.examples.map(({ record, requests }) => [record, requests.length])).toEqual([
      [7, 1],
      [13, 1],
      [14, 1],
    ]);
  });

  it('are nothing where the file does not read as these records any more', async () => {
    const line = 'L1,X3,2026-03-02 08:15';
    expect([await again([7, 8], HEAD, line), await again([7], HEAD, line, line)]).toEqual([null, null]);
    expect(await again([7], 'Other', line)).toBeNull();
  });
});

describe('the look-ahead', () => {
  const filled = (bodies: readonly string[]) => {
    const ahead = new LookAhead(START);
    for (const [index, body] of bodies.entries())
      addAhead(ahead, aStoredRequest(index + 1, 1, { subject: `load:L${index % 2}`, body }), aTicket(), undefined);
    return ahead;
  };
  const next = (ahead: LookAhead): NextVisit => ahead.next(0) as NextVisit;
  const addTo = (ahead: LookAhead, record: number, body: string, load = 'L0') =>
    addAhead(ahead, aStoredRequest(record, 1, { subject: `load:${load}`, body }), aTicket(), undefined);

  it('is full of characters again when a visit failed, of what came meanwhile for its load too', () => {
    const quarter = 'x'.repeat(LOOK_AHEAD_CHARACTERS / 4);
    const ahead = filled([quarter]);
    const first = next(ahead);
    addTo(ahead, 2, quarter);
    addTo(ahead, 3, quarter);
    addTo(ahead, 4, quarter, 'L1');
    expect(ahead.isFull).toBe(false);
    ahead.failed(first, 5);
    expect([ahead.isFull, ahead.repeatMs()]).toEqual([true, 5]);
    ahead.ended([next(ahead)]); // of the other load
    expect([ahead.isFull, ahead.hasNext(4)]).toEqual([false, false]);
    const parcel = ahead.next(5) as NextVisit;
    const brought = parcel.part.requests.map(({ record }) => record);
    expect([brought, parcel.characters, parcel.isLast]).toEqual([[1, 2], 2 * quarter.length, false]);
    ahead.failed(parcel, 5);
    ahead.ended([ahead.next(5) as NextVisit]);
    ahead.ended([ahead.next(5) as NextVisit]);
    for (let record = 5; record <= 7; record += 1) addTo(ahead, record, quarter);
    expect(ahead.isFull).toBe(false);
    addTo(ahead, 8, quarter);
    expect([ahead.isFull, ahead.endedUpTo([])]).toEqual([true, { record: 4, request: 1 }]);
  });

  it('is full of requests again when a visit failed', () => {
    const ahead = filled(Array.from({ length: LOOK_AHEAD_REQUESTS }, () => '{}'));
    expect(ahead.isFull).toBe(true);
    const first = next(ahead);
    expect(ahead.isFull).toBe(false);
    ahead.failed(first, 0);
    expect(ahead.isFull).toBe(true);
  });

  it('keeps nothing of a visit that failed after it was emptied', () => {
    const ahead = filled(['{}']);
    const first = next(ahead);
    ahead.empty();
    ahead.failed(first, 0);
    expect([ahead.isEmpty, ahead.hasNext(0), ahead.repeatMs()]).toEqual([true, false, null]);
  });
});

it('a wave goes on without loads that wait for something else, whatever that is', () => {
  const hasRoomAfter = (state: RequestState, reason: 'scac_refused' | null = null): boolean => {
    const wave = new Wave();
    for (let load = 1; load <= SUBJECTS_AWAKE_MAX; load += 1) {
      const part = { ...aStoredRequest(load, 1), body: '{}' };
      wave.wake(`L${load}`, [part as never], 0);
      wave.wake(`L${load}`, [{ ...part, request: 2 } as never], 0);
    }
    wave.note([anOutcome(1, { state, reason })]);
    return wave.hasRoom(0);
  };
  const states = ['queued', 'sending', 'waiting', 'unknown', 'held', 'delivered', 'rejected'] as const;
  expect(states.map((state) => hasRoomAfter(state))).toEqual([false, false, true, true, true, false, false]);
  expect(hasRoomAfter('queued', 'scac_refused')).toBe(true);
});

it('a row that replaces one that was delivered is a duplicate of it, or wrong where something in it is', () => {
  const replaces = { batch: 'b_01kjp00000000000000000000z', record: '1' };
  const rows = [aMappedRow(1, 1, { replaces }), aMappedRow(2, 1, { replaces, problems: [aProblem()] })];
  const answers = new Map([1, 2].map((record) => [record, { outcome: 'delivered' as const }]));
  expect(afterReplacing(rows, answers).map(({ state, requests }) => [state, requests])).toEqual([
    ...[
      ['duplicate', []],
      ['invalid', []],
    ],
  ]);
});

it('a replay that was cancelled leaves what was neither sent nor skipped', () => {
  const batch = { batchId: 'b_1', requests: 10, state: 'running' } as unknown as ReplayRun['batches'][number];
  const progress = { step: 1, chosen: 3, skipped: 2, left: 5, isCancelled: true };
  expect(progressedBatch(batch, progress)).toMatchObject({ state: 'cancelled', left: 5, chosen: 3, skipped: 2 });
  expect(progressedBatch(batch, { ...progress, isCancelled: false })).toMatchObject({ state: 'running', left: 5 });
  expect(progressedBatch(batch, { ...progress, left: 0, isCancelled: false })).toMatchObject({ state: 'done' });
});

it('a row begins as it was read: in line, or valid in a dry run, or wrong where something in it is', () => {
  const wrong = { problems: [aProblem()] };
  const states = [aMappedRow(1, 1), aMappedRow(1, 1, wrong), aMappedRow(1, 0, { state: 'skipped' })].map((row) => [
    ...[firstState(row, false), firstState(row, true)],
  ]);
  expect(states).toEqual([
    ['queued', 'valid'],
    ['queued', 'invalid'],
    ['skipped', 'skipped'],
  ]);
});

it('a message whose rows nobody counted is told of with none, and with where it is found', () => {
  const { key, data } = messageNotifications(aTicket({ format: 'x12' }), { message: 3, sha256: 's', records: null }, 7);
  expect([key.slice(1), data.rows, data.format]).toEqual([['message', 3], 0, 'x12']);
  expect(data.links).toMatchObject({ rows: expect.stringMatching(/^\/v1\/messages\/b_.*\/3\/rows$/) });
});

it('an archive in which no file is left to read has none in reading', () => {
  expect(contentInReading({ bytes: 0, files: [] } as unknown as Contents)).toMatchObject({ bytes: 0 });
});

it('none of all deliveries took no longer than the class of the first one begins', () => {
  expect(timeOfShare([0, 4], 0)).toBe(100);
});

describe('an archive that is refused', () => {
  const entry = 'a.csv';
  const problems: ZipProblem[] = [
    ...(['header', 'content', 'checksum'] as const).map((fault) => ({ code: 'zip_broken' as const, fault, entry })),
    { code: 'zip_broken', fault: 'directory' },
    { code: 'zip_broken', fault: 'length', entry, declaredBytes: 5, bytes: 7 },
    ...[
      { code: 'zip_empty' } as const,
      { code: 'zip_too_many_files', filesMax: 9 } as const,
      { code: 'zip_split' } as const,
    ],
    { code: 'zip_too_large', entry, bytesMax: 9 },
    ...[entry, null].map((name) => ({ code: 'zip_encrypted' as const, entry: name })),
    { code: 'zip_nested', entry, looksLike: 'zip' },
    ...(['zip_overlapping', 'zip_link', 'zip_office_file'] as const).map((code) => ({ code, entry })),
    { code: 'zip_method', entry, method: 9 },
  ];

  it.each(problems)('says what is wrong and how to mend it: $code $fault', (problem) => {
    const described = describeZipProblem(problem);
    expect(described).toMatchObject({ code: problem.code, path: '' });
    expect([described.message.length > 20, described.fix.length > 20]).toEqual([true, true]);
    const named = 'entry' in problem && problem.entry !== null;
    expect('file' in described ? described.file : null).toBe(named ? entry : null);
  });

  it('shows the value that is wrong where there is one', () => {
    const values = problems.map((problem) => describeZipProblem(problem)).filter(({ value }) => value !== '');
    expect(values.map(({ code, value }) => [code, value])).toEqual([
      ...[
        ['zip_nested', 'zip'],
        ['zip_office_file', entry],
        ['zip_method', '9'],
      ],
    ]);
  });
});
