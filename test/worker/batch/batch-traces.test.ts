/** Positions of a file: released to their loads when the batch has handed over its last, and counted with the request they travel in. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { TRACE_WINDOW_MS } from '../../../src/kernel/limits.ts';
import { loadName } from '../../../src/kernel/names.ts';
import type { TraceFields } from '../../../src/mapping/request.ts';
import { Load } from '../../../src/tracking/load.ts';
import { aBatch, type BatchUnderTest } from '../batches.ts';
import { EARLY_MS, TEST_TIME_SCALE } from '../channels.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { moreMayCome, pointBody, pointsIn, windowPasses } from '../traces.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  tracesInsteadOfMilestones();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

let made = 0;
/** Loads of its own for every test. */
const trackFile = (count: number, loads: number): { file: string; load: (index: number) => string } => {
  made += 1;
  return { file: statusFile(...statusRows(count, loads, `TR${made}-`)), load: (index) => `TR${made}-${index}` };
};

/** Every row becomes a position at the time of its record, numbered by its stop, as a mapping of positions would have it. */
function tracesInsteadOfMilestones(): void {
  const { addRows } = BatchStore.prototype;
  const asTrace = (row: MappedRow): MappedRow => ({
    ...row,
    requests: row.requests.map(({ subject, scac, body }) => ({
      kind: 'trace',
      subject,
      scac,
      body: pointAt(subject.slice('load:'.length), row.position.record, stopOf(body)),
    })),
  });
  vi.spyOn(BatchStore.prototype, 'addRows').mockImplementation(function (this: BatchStore, rows, recordState) {
    return addRows.call(this, rows.map(asTrace), recordState);
  });
}

const stopOf = (body: unknown): number => (body as { stopsequenceNumber: number }).stopsequenceNumber;

function pointAt(loadNumber: string, record: number, odometer: number): TraceFields {
  const fields = JSON.parse(pointBody(loadNumber, record)) as TraceFields;
  return { ...fields, traces: fields.traces.map((point) => ({ ...point, odometer })) };
}

async function created(file: string, more: Parameters<typeof aBatch>[1] = {}): Promise<BatchUnderTest> {
  const batch = await aBatch(file, more);
  await batch.stub().create(batch.ticket);
  return batch;
}
const states = async (batch: BatchUnderTest): Promise<Partial<BatchSummary>> => {
  const { rowStates, requestStates } = await batch.summary();
  return { rowStates, requestStates };
};

describe('the positions of a file', () => {
  it('go out as one request per load, and the batch settles with every row delivered', async () => {
    const { left } = upstreamAnswers(200);
    const batch = await created(trackFile(10, 2).file);
    await batch.reaches('settled');
    expect(pointsIn(left).sort()).toEqual([
      [1, 3, 5, 7, 9],
      [2, 4, 6, 8, 10],
    ]);
    expect(await states(batch)).toEqual({
      rowStates: { delivered: 10 },
      requestStates: { delivered: 2, coalesced: 8 },
    });
    const rows = await batch.rows();
    expect(rows[4]?.requests[0]).toMatchObject({
      state: 'coalesced',
      into: { batchId: batch.ticket.batchId, record: 1, request: 1 },
      intoState: 'delivered',
      status: 200,
      attempts: 0,
    });
    expect(rows[0]?.requests[0]).toMatchObject({ state: 'delivered', into: null, intoState: null, attempts: 1 });
  });

  it('are released by the visit that brings the last of them, and by no call of its own', async () => {
    upstreamAnswers(200);
    const told: string[] = [];
    const { visit } = Load.prototype;
    const release = vi.spyOn(Load.prototype, 'release');
    vi.spyOn(Load.prototype, 'visit').mockImplementation(async function (this: Load, parcel) {
      const report = await visit.call(this, parcel);
      told.push('handed over');
      return report;
    });
    const batch = await created(trackFile(9, 3).file);
    await batch.reaches('settled');
    expect(release).not.toHaveBeenCalled();
    expect(told).toEqual(['handed over', 'handed over', 'handed over']);
  });

  it('are released once per load, after the last visit, where a visit cannot know that it is the last', async () => {
    upstreamAnswers(200);
    moreMayCome();
    const release = vi.spyOn(Load.prototype, 'release');
    const visit = vi.spyOn(Load.prototype, 'visit');
    const batch = await created(trackFile(9, 3).file);
    await batch.reaches('settled');
    const { batchId } = batch.ticket;
    expect(release.mock.calls).toEqual([[batchId], [batchId], [batchId]]);
    expect(Math.min(...release.mock.invocationCallOrder)).toBeGreaterThan(Math.max(...visit.mock.invocationCallOrder));
  });

  it('are released though the batch dies on the way, and a load told before is told no more', async () => {
    upstreamAnswers(200);
    moreMayCome();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const release = vi.spyOn(Load.prototype, 'release').mockRejectedValue(new Error('planned: the load is down'));
    const { file, load } = trackFile(4, 2);
    const batch = await created(file);
    await vi.waitFor(() => expect(release).toHaveBeenCalled(), PATIENCE);
    await evictDurableObject(batch.stub());
    // As a page that ended behind the first load leaves it.
    await batch.sql('DELETE FROM traced_load WHERE subject = ?', `load:${load(0)}`);
    release.mockRestore();
    const told = vi.spyOn(Load.prototype, 'release');
    await batch.wake();
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), PATIENCE);
    await windowPasses(env.LOAD.getByName(loadName(batch.ticket, 'DEMO', load(0))));
    await batch.reaches('settled');
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('of a dry run are told to nobody', async () => {
    const release = vi.spyOn(Load.prototype, 'release');
    const batch = await created(trackFile(4, 2).file, { dryRun: true });
    await batch.reaches('settled');
    expect(release).not.toHaveBeenCalled();
  });
});

describe('a row whose position travels with another', () => {
  it('is counted under the state of that request while it is open, and shares its end', async () => {
    const held = heldAnswer();
    const upstream = upstreamAnswers(500, held.answer);
    const batch = await created(trackFile(3, 1).file);
    await vi.waitFor(async () => {
      expect(await states(batch)).toEqual({ rowStates: { unknown: 3 }, requestStates: { unknown: 3 } });
    }, PATIENCE);
    const rows = await batch.rows();
    expect(rows.map(({ requests }) => requests[0]?.state)).toEqual(['unknown', 'coalesced', 'coalesced']);
    expect(rows[2]?.requests[0]?.intoState).toBe('unknown');
    await vi.waitFor(() => expect(upstream.left).toHaveLength(2), PATIENCE);
    held.release(301);
    await batch.reaches('delivering');
    await vi.waitFor(async () => expect((await states(batch)).rowStates).toEqual({ held: 3 }), PATIENCE);
  });

  it('is given up with it, and says why', async () => {
    upstreamAnswers(() => new Response(null, { status: 307, headers: { Location: '/elsewhere' } }));
    const batch = await created(trackFile(3, 1).file);
    await batch.reaches('settled');
    expect(await states(batch)).toEqual({ rowStates: { dead: 3 }, requestStates: { dead: 3 } });
    const [, second] = await batch.rows();
    expect(second?.requests[0]).toMatchObject({
      state: 'coalesced',
      intoState: 'dead',
      reason: 'redirected',
      outcome: 'not_applied',
      status: 307,
    });
  });

  it('of another batch hears of it in its own', async () => {
    const { left } = upstreamAnswers(200);
    moreMayCome();
    const { file, load } = trackFile(2, 1);
    const other = statusFile(statusRow(load(0), { Stop: '11' }), statusRow(load(0), { Stop: '12' }));
    const enqueued = vi.spyOn(Load.prototype, 'release').mockResolvedValue(undefined); // both must be there first
    const first = await created(file);
    const second = await created(other);
    await Promise.all([first.reaches('delivering'), second.reaches('delivering')]);
    enqueued.mockRestore();
    const stub = env.LOAD.getByName(loadName(first.ticket, 'DEMO', load(0)));
    await Promise.all([first, second].map(({ ticket }) => stub.release(ticket.batchId)));
    await Promise.all([first.reaches('settled'), second.reaches('settled')]);
    // Equal times: the points go in the order in which they were handed over.
    expect([[[1, 11, 2, 12]], [[11, 1, 12, 2]]]).toContainEqual(pointsIn(left));
    const all = [await states(first), await states(second)].map(({ requestStates }) => requestStates);
    expect(all).toContainEqual({ delivered: 1, coalesced: 1 });
    expect(all).toContainEqual({ coalesced: 2 });
    const [leading, following] = all[0]?.delivered ? [first, second] : [second, first];
    expect((await following.rows()).map(({ state, requests }) => [state, requests[0]?.into?.batchId])).toEqual([
      ['delivered', leading.ticket.batchId],
      ['delivered', leading.ticket.batchId],
    ]);
  });
});

it('lets positions leave in their own time when the batch cannot tell their loads', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { left } = upstreamAnswers(200);
  moreMayCome();
  vi.spyOn(Load.prototype, 'release').mockRejectedValue(new Error('planned: the loads are down'));
  const batch = await created(trackFile(3, 1).file);
  await batch.reaches('settled');
  expect(pointsIn(left)).toEqual([[1, 2, 3]]);
  expect(left[0]?.atMs).toBeGreaterThanOrEqual(
    batch.ticket.receivedAtMs + TRACE_WINDOW_MS / TEST_TIME_SCALE - EARLY_MS,
  );
});
