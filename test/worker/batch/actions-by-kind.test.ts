/** Cancelling and retrying what is no milestone: positions that travel together, and orders that must not come into being twice. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { loadName, orderName } from '../../../src/kernel/names.ts';
import type { TraceFields } from '../../../src/mapping/request.ts';
import { Load } from '../../../src/tracking/load.ts';
import { cancel, created, redirect, retry, rowStates } from '../actions.ts';
import type { BatchUnderTest } from '../batches.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { aLoad, PATIENCE } from '../loads.ts';
import { creates, posts } from '../orders.ts';
import { moreMayCome, pointBody, points, pointsIn, windowPasses } from '../traces.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';
import { die } from '../watched.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

let made = 0;

/** A batch of `count` rows whose requests are what `asked` says instead of milestones. */
async function aBatchOf(count: number, asked: (record: number) => MappedRow['requests']): Promise<BatchUnderTest> {
  made += 1;
  const { addRows } = BatchStore.prototype;
  vi.spyOn(BatchStore.prototype, 'addRows').mockImplementation(function (this: BatchStore, rows, recordState) {
    return addRows.call(
      this,
      rows.map((row) => ({ ...row, requests: asked(row.position.record) })),
      recordState,
    );
  });
  return created(statusFile(...statusRows(count, 1, `AK${made}-`)));
}

const loadNumber = (): string => `AK${made}-0`;
const positions = (count: number): Promise<BatchUnderTest> =>
  aBatchOf(count, (record) => [
    {
      kind: 'trace',
      subject: `load:${loadNumber()}`,
      scac: 'DEMO',
      body: JSON.parse(pointBody(loadNumber(), record)) as TraceFields,
    },
  ]);
/** @param content what the order of each row holds; equal contents are one order. */
const orders = (...content: string[]): Promise<BatchUnderTest> =>
  aBatchOf(content.length, (record) => [
    {
      kind: 'order.create',
      subject: `order:AK${made}`,
      scac: 'DEMO',
      body: { orderRef: `AK${made}`, shipperCode: content[record - 1] ?? '' },
    },
  ]);

const told = (batch: BatchUnderTest) =>
  batch.rows().then((rows) => rows.map(({ requests: [request] }) => [request?.state, request?.generation]));

describe('positions of a file', () => {
  it('that wait for each other are withdrawn, and a retry sends them together', async () => {
    const { left } = upstreamAnswers(200);
    moreMayCome();
    const release = vi.spyOn(Load.prototype, 'release').mockRejectedValue(new Error('planned: the load is down'));
    const batch = await positions(4);
    await vi.waitFor(() => expect(release).toHaveBeenCalled(), PATIENCE);
    await cancel(batch);
    expect((await batch.reaches('settled')).requestStates).toEqual({ cancelled: 4 });
    expect(left).toEqual([]);
    release.mockRestore();
    await vi.waitFor(async () => {
      const reported = `SELECT json ->> '$.progress.reported' AS reported FROM kept WHERE name = 'state'`;
      expect(await batch.query(reported)).toEqual([{ reported: 1 }]); // it writes no more by itself
    }, PATIENCE);
    await die(batch.stub());
    await batch.sql(`UPDATE kept SET json = json_remove(json, '$.progress.claimsNothing') WHERE name = 'state'`); // no register
    await die(batch.stub());
    const released = vi.spyOn(Load.prototype, 'release');
    await retry(batch);
    expect((await batch.reaches('settled')).requestStates).toEqual({ delivered: 1, coalesced: 3 });
    expect(pointsIn(left)).toEqual([[1, 2, 3, 4]]);
    expect(released).toHaveBeenCalledTimes(1);
  });

  it('that were given up together are retried, each as a generation of its own', async () => {
    const upstream = upstreamAnswers(redirect);
    const batch = await positions(3);
    expect((await batch.reaches('settled')).requestStates).toEqual({ dead: 3 });
    const load = env.LOAD.getByName(loadName(batch.ticket, 'DEMO', loadNumber()));
    await windowPasses(load);
    const before = await load.timeline();
    upstream.answer(200);
    upstream.left.length = 0;
    expect(await retry(batch)).toMatchObject({ ok: true, value: { requests: 3, states: { dead: 3 } } });
    expect((await batch.reaches('settled')).requestStates).toEqual({ delivered: 1, coalesced: 2 });
    expect(pointsIn(upstream.left)).toEqual([[1, 2, 3]]);
    expect((await load.timeline()).slice(0, 3)).toEqual(before);
    expect(await told(batch)).toEqual([
      ['delivered', 2],
      ['coalesced', 2],
      ['coalesced', 2],
    ]);
    expect((await batch.rows())[1]?.requests[0]?.earlier).toMatchObject([
      { generation: 1, state: 'dead', status: 307 },
    ]);
  });

  it('that were delivered with a refused one are not touched', async () => {
    const upstream = upstreamAnswers(({ body }) =>
      Response.json({}, { status: pointsIn([{ body }])[0]?.includes(2) ? 422 : 200 }),
    );
    const batch = await positions(3);
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 2, rejected: 1 });
    upstream.answer(200);
    upstream.left.length = 0;
    await windowPasses(env.LOAD.getByName(loadName(batch.ticket, 'DEMO', loadNumber())));
    await retry(batch);
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 3 });
    expect(pointsIn(upstream.left)).toEqual([[2]]);
  });

  it('that may have arrived travel apart from those that have not', async () => {
    const { left } = upstreamAnswers(({ body }) =>
      Response.json({}, { status: pointsIn([{ body }])[0]?.includes(4) ? 422 : 200 }),
    );
    const load = aLoad();
    const again = points(load, [1, 3], { live: true, generation: 2, mayHaveArrived: true });
    const keyed = again.map((point) => ({ ...point, key: `${point.key}~2` }));
    await load.stub().enqueue(load.identity, [...keyed, ...points(load, [2, 4], { live: true })]);
    await load.reaches('delivered', 'coalesced', 'delivered', 'rejected');
    expect(pointsIn(left)).toEqual([[1, 3], [2, 4], [2], [4]]);
    expect((await load.timeline()).map(({ request }) => request.possible_duplicate)).toEqual([1, 1, 0, 0]);
  });
});

describe('orders of a file', () => {
  const timeline = (batch: BatchUnderTest) => env.ORDER.getByName(orderName(batch.ticket, `AK${made}`)).timeline();

  it('that were refused, given up or withdrawn are sent again, once', async () => {
    const held = heldAnswer();
    const upstream = upstreamAnswers(redirect, held.answer);
    const batch = await orders('S1', 'S2', 'S3');
    await vi.waitFor(() => expect(upstream.left).toHaveLength(2), PATIENCE);
    await cancel(batch);
    await vi.waitFor(async () => expect((await batch.summary()).requestStates.cancelled).toBe(1), PATIENCE);
    held.release(422);
    expect((await batch.reaches('settled')).rowStates).toEqual({ dead: 1, rejected: 1, cancelled: 1 });
    const before = await timeline(batch);
    upstream.answer(422, 422, creates);
    upstream.left.length = 0;
    expect(await retry(batch)).toMatchObject({
      value: { states: { dead: 1, rejected: 1, cancelled: 1 }, leftOut: {} },
    });
    expect((await batch.reaches('settled')).rowStates).toEqual({ rejected: 2, delivered: 1 });
    expect(upstream.left.map(({ body }) => (JSON.parse(body) as { shipperCode: string }).shipperCode)).toEqual([
      'S1',
      'S2',
      'S3',
    ]);
    expect((await timeline(batch)).slice(0, 3)).toEqual(before);
  });

  it('that met an order of other content are left out, and said so', async () => {
    const upstream = upstreamAnswers(422, creates);
    const batch = await orders('S1', 'S2', 'S3');
    expect((await batch.reaches('settled')).rowStates).toEqual({ rejected: 1, delivered: 1, dead: 1 });
    expect(await retry(batch)).toMatchObject({ value: { requests: 1, leftOut: { order_exists: 1 } } });
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 1, dead: 2 });
    expect(upstream.left).toHaveLength(2);
    const nothing = { ok: false, error: { code: 'nothing_to_retry', leftOut: { order_exists: 2 } } };
    expect(await retry(batch, { includeUnknown: true })).toEqual(nothing);
  });

  it('that may have come into being are looked up, and no retry touches them', async () => {
    const upstream = upstreamAnswers(500);
    const batch = await orders('S1');
    await rowStates(batch, { unknown: 1 });
    expect(await retry(batch, { includeUnknown: true })).toEqual({
      ok: false,
      error: { code: 'nothing_to_retry', leftOut: {} },
    });
    expect(posts(upstream)).toBe(1);
  });
});
