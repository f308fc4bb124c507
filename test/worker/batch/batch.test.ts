/** A Batch's road: slices, hand-over, outcomes, and the moment it settles. */

import { evictDurableObject, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SubjectPace } from '../../../src/batch/core/pacing.ts';
import { SUBJECTS_AWAKE_MAX } from '../../../src/batch/limits.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import { SLICE_BYTES } from '../../../src/kernel/limits.ts';
import { loadName } from '../../../src/kernel/names.ts';
import { Load } from '../../../src/tracking/load.ts';
import type { VisitReport } from '../../../src/tracking/request.ts';
import { milestoneOf } from '../../milestone-of.ts';
import { aBatch } from '../batches.ts';
import { statusFile, statusRow, statusRows, wideStatusFile } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { heldAnswer, type Left, upstreamAnswers } from '../upstream-double.ts';
import { die } from '../watched.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** Stop numbers count the rows of a file from 1, so they say which row a request came from. */
const stopsOf = (left: readonly Left[]): number[] =>
  left.map(({ body }) => (JSON.parse(body) as { stopsequenceNumber: number }).stopsequenceNumber);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const outcome = (record: number, more: Partial<RequestOutcome>): RequestOutcome => ({
  record,
  request: 1,
  generation: 1,
  revision: 2,
  state: 'delivered',
  reason: null,
  outcome: null,
  evidence: null,
  attempts: 1,
  status: 200,
  answer: '{}',
  possibleDuplicate: false,
  late: false,
  into: null,
  intoState: null,
  nextAtMs: null,
  decidedAtMs: Date.now(),
  diff: null,
  action: null,
  ...more,
});

/** Loads take requests over and do nothing with them: the test reports the outcomes. */
const idleLoads = () => vi.spyOn(Load.prototype, 'visit').mockResolvedValue({ outcomes: [], receipt: null });

describe('a Batch', () => {
  it('maps every record, hands it to its load, and settles when all is delivered', async () => {
    const { left } = upstreamAnswers(200);
    const batch = await aBatch(statusFile(...statusRows(20, 4)));
    await batch.stub().create(batch.ticket);
    const summary = await batch.reaches('settled');
    expect(summary).toMatchObject({ rows: 20, rowStates: { delivered: 20 }, requestStates: { delivered: 20 } });
    expect(summary.bytesRead).toBe(batch.ticket.bytes);
    expect(Date.parse(summary.settledAt ?? '')).toBeGreaterThanOrEqual(batch.ticket.receivedAtMs);
    expect(stopsOf(left).sort((one, other) => one - other)).toEqual(upTo(20));
    expect((await batch.rows())[0]?.requests[0]).toMatchObject({ status: 200, attempts: 1, subject: 'load:LD0' });
  });

  it('is created once, however often it is asked', async () => {
    const { left } = upstreamAnswers(200);
    const batch = await aBatch(statusFile(...statusRows(3, 1)));
    await batch.stub().create(batch.ticket);
    await batch.stub().create({ ...batch.ticket, channel: 'live', sha256: 'another' });
    await batch.reaches('settled');
    await batch.stub().create(batch.ticket);
    await batch.wake();
    expect(await batch.summary()).toMatchObject({ state: 'settled', rows: 3, sha256: batch.ticket.sha256 });
    expect(left).toHaveLength(3);
  });

  it('has no summary before it is created', async () => {
    const batch = await aBatch('');
    expect(await batch.stub().summary()).toBeUndefined();
    await batch.wake();
    expect(await batch.stub().summary()).toBeUndefined();
  });

  it('keeps rows that are wrong and rows that are left out beside those it sends', async () => {
    upstreamAnswers(200);
    const batch = await aBatch(
      statusFile(statusRow('LD1'), statusRow('LD1', { Status: 'Q9' }), statusRow('TOTAL', { Status: '2' })),
    );
    await batch.stub().create(batch.ticket);
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 1, invalid: 1, skipped: 1 });
    expect((await batch.rows()).map(({ state, requests }) => [state, requests.length])).toEqual([
      ['delivered', 1],
      ['invalid', 0],
      ['skipped', 0],
    ]);
  });

  it('settles a file with a header and no rows at once', async () => {
    const batch = await aBatch(statusFile());
    await batch.stub().create(batch.ticket);
    expect(await batch.reaches('settled')).toMatchObject({ rows: 0, requests: 0, problems: [] });
  });

  it('goes on where it stood after its loads could not be reached', async () => {
    const { left } = upstreamAnswers(200);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const visit = vi.spyOn(Load.prototype, 'visit').mockRejectedValue(new Error('planned: no load answers'));
    const batch = await aBatch(statusFile(...statusRows(6, 1)));
    await batch.stub().create(batch.ticket);
    await vi.waitFor(() => expect(visit).toHaveBeenCalled(), PATIENCE);
    visit.mockRestore();
    await batch.wake();
    await batch.reaches('settled');
    expect(stopsOf(left).sort()).toEqual(upTo(6));
  });
});

describe('slices of a long file', () => {
  it('loses and doubles no record at slice borders, though it is evicted between slices', async () => {
    const { left } = upstreamAnswers(200);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const rows = 110;
    const file = wideStatusFile(statusRows(rows, 2), 30_000);
    expect(file.length).toBeGreaterThan(3 * SLICE_BYTES);

    // A slice after one that was read since the last eviction fails, so the work stops after each.
    let readMax = 0;
    const { addRows } = BatchStore.prototype;
    vi.spyOn(BatchStore.prototype, 'addRows').mockImplementation(function (this: BatchStore, ...read) {
      if (this.lastRecord() > readMax) throw new Error('planned: stop after this slice');
      return addRows.apply(this, read);
    });
    const batch = await aBatch(file);
    await batch.stub().create(batch.ticket);
    const read = new Set<number>();
    while (readMax < rows) {
      const summary = await vi.waitFor(async () => {
        const now = await batch.summary();
        expect(now.rows).toBeGreaterThan(readMax);
        return now;
      }, PATIENCE);
      read.add(summary.bytesRead);
      readMax = summary.rows;
      await evictDurableObject(batch.stub());
      await batch.wake();
    }
    expect(read.size).toBeGreaterThanOrEqual(4);
    await batch.reaches('settled');

    const found = await batch.rows();
    expect(found.map(({ record }) => record)).toEqual(upTo(rows));
    expect(found.map(({ requests }) => milestoneOf(requests[0]).stopsequenceNumber)).toEqual(upTo(rows));
    const ends = found.map(({ position }) => position.byteTo + 1);
    expect(found.slice(1).map(({ position }) => position.byteFrom)).toEqual(ends.slice(0, -1));
    expect(ends.at(-1)).toBe(batch.ticket.bytes);
    expect(stopsOf(left).sort((one, other) => one - other)).toEqual(upTo(rows));
  });

  it('numbers lines through quoted line breaks across slices', async () => {
    idleLoads();
    const rows = statusRows(60, 3).map((row) => row.replace('Joliet', '"Joli\net"'));
    const batch = await aBatch(wideStatusFile(rows, 40_000), { dryRun: true });
    await batch.stub().create(batch.ticket);
    await batch.reaches('settled');
    const found = await batch.rows();
    expect(found.map(({ position }) => position.line)).toEqual(upTo(60).map((record) => 2 * record));
  });
});

describe('hand-over', () => {
  it('is harmless when it is repeated after a crash before its mark', async () => {
    const held = heldAnswer();
    const { left, answer } = upstreamAnswers(held.answer);
    const batch = await aBatch(statusFile(...statusRows(12, 3)));
    await batch.stub().create(batch.ticket);
    await batch.reaches('delivering');
    await die(batch.stub());
    await batch.sql(
      `UPDATE kept SET json = json_set(json, '$.progress.handedOver', json('{"record":0,"request":0}')) WHERE name = 'state'`,
    );
    await die(batch.stub());
    await batch.wake();
    answer(200);
    held.release(200);
    await batch.reaches('settled');
    expect(stopsOf(left).sort((one, other) => one - other)).toEqual(upTo(12));
    expect((await batch.summary()).requestStates).toEqual({ delivered: 12 });
    const lane = await env.LOAD.getByName(loadName(batch.ticket, 'DEMO', 'LD0')).timeline();
    expect(lane.map(({ request }) => request.record)).toEqual([1, 4, 7, 10]);
  });

  it('is done by one wake-up at a time: a second one waits for the first', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<VisitReport>((go) => {
      letGo = () => go({ outcomes: [], receipt: null });
    });
    const visit = vi.spyOn(Load.prototype, 'visit').mockImplementation(() => held);
    const batch = await aBatch(statusFile(...statusRows(12, 3, 'ONE-')));
    await batch.stub().create(batch.ticket);
    await vi.waitFor(() => expect(visit).toHaveBeenCalledTimes(3), PATIENCE);
    const second = batch.wake();
    for (let look = 0; look < 5; look += 1) await batch.summary(); // by now it would have begun
    expect(visit).toHaveBeenCalledTimes(3);
    letGo();
    await second;
    expect(visit).toHaveBeenCalledTimes(3);
  });

  it('rests for as long as its pace of new loads says, and goes on by itself', async () => {
    const { left } = upstreamAnswers(200);
    const met = vi.spyOn(SubjectPace.prototype, 'meet');
    const rest = vi.spyOn(SubjectPace.prototype, 'restMs').mockReturnValue(100);
    const batch = await aBatch(statusFile(...statusRows(6, 2, 'PACE-')));
    await batch.stub().create(batch.ticket);
    await vi.waitFor(() => expect(rest.mock.calls.length).toBeGreaterThan(4), PATIENCE);
    expect(met).not.toHaveBeenCalled();
    rest.mockRestore();
    await batch.reaches('settled');
    expect(new Set(met.mock.calls.map(([name]) => name)).size).toBe(2);
    expect(left).toHaveLength(6);
  });

  it('goes on with loads that had to wait for room once others have told that they are done', async () => {
    const calls = idleLoads();
    const count = SUBJECTS_AWAKE_MAX + 1;
    const batch = await aBatch(statusFile(...statusRows(count, count)));
    await batch.stub().create(batch.ticket);
    await vi.waitFor(() => expect(calls).toHaveBeenCalledTimes(SUBJECTS_AWAKE_MAX), PATIENCE);
    await batch.stub().recordOutcomes(upTo(SUBJECTS_AWAKE_MAX).map((record) => outcome(record, {})));
    for (const _ of upTo(2)) await batch.wake(); // the first may join one that was under way
    expect(calls).toHaveBeenCalledTimes(count);
  });

  it('keeps file order within each load', async () => {
    const { left } = upstreamAnswers(200);
    const batch = await aBatch(statusFile(...statusRows(30, 3)));
    await batch.stub().create(batch.ticket);
    await batch.reaches('settled');
    for (const load of ['LD0', 'LD1', 'LD2']) {
      const stops = stopsOf(left.filter(({ body }) => body.includes(`"${load}"`)));
      expect(stops).toEqual([...stops].sort((one, other) => one - other));
      expect(stops).toHaveLength(10);
    }
  });
});

describe('outcomes told to a Batch', () => {
  async function delivering(rows: number) {
    idleLoads();
    const batch = await aBatch(statusFile(...statusRows(rows, 1)));
    await batch.stub().create(batch.ticket);
    await batch.reaches('delivering');
    return batch;
  }

  it('count once, however often they are told', async () => {
    const batch = await delivering(2);
    for (const _ of upTo(3)) await batch.stub().recordOutcomes([outcome(1, { revision: 2 })]);
    expect(await batch.summary()).toMatchObject({
      state: 'delivering',
      rowStates: { delivered: 1, queued: 1 },
      requestStates: { delivered: 1, queued: 1 },
    });
  });

  it('change nothing when a later one is known already', async () => {
    const batch = await delivering(1);
    await batch.stub().recordOutcomes([outcome(1, { revision: 6, state: 'rejected', status: 400 })]);
    await batch.stub().recordOutcomes([outcome(1, { revision: 4, state: 'unknown', status: 500 })]);
    await batch.stub().recordOutcomes([outcome(1, { revision: 6, state: 'delivered', status: 200 })]);
    const [row] = await batch.rows();
    expect([row?.state, row?.requests[0]?.status]).toEqual(['rejected', 400]);
    expect((await batch.summary()).rowStates).toEqual({ rejected: 1 });
  });

  it('change nothing when they name a record the batch does not have', async () => {
    const batch = await delivering(1);
    await batch.stub().recordOutcomes([outcome(7, {}), outcome(1, { request: 9 })]);
    expect(await batch.summary()).toMatchObject({ rowStates: { queued: 1 }, requestStates: { queued: 1 } });
  });

  it('settle the batch with the last request and not before', async () => {
    const batch = await delivering(3);
    await batch.stub().recordOutcomes([outcome(1, {}), outcome(2, { state: 'held', reason: 'unknown_then_refused' })]);
    expect((await batch.summary()).state).toBe('delivering');
    await batch.stub().recordOutcomes([outcome(3, { state: 'dead', outcome: 'unknown', reason: 'deadline' })]);
    expect(await batch.summary()).toMatchObject({ state: 'delivering', settledAt: null });
    await batch.stub().recordOutcomes([outcome(2, { revision: 9, state: 'delivered' })]);
    const summary = await batch.summary();
    expect(summary).toMatchObject({ state: 'settled', rowStates: { delivered: 2, dead: 1 } });
    expect(summary.settledAt).not.toBeNull();
  });

  it('survive an eviction', async () => {
    const batch = await delivering(2);
    await batch.stub().recordOutcomes([outcome(1, { state: 'waiting', nextAtMs: 1_900_000_000_000, late: true })]);
    const before = [await batch.summary(), await batch.rows()];
    await evictDurableObject(batch.stub());
    expect([await batch.summary(), await batch.rows()]).toEqual(before);
    expect((await batch.rows())[0]?.requests[0]).toMatchObject({ nextAt: '2030-03-17T17:46:40.000Z', late: true });
  });
});
