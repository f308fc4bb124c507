/** Loads and orders as objects over their own tables: what they take, send, tell and forget, and what is asked of them. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOAD_RETENTION_MS } from '../../../src/kernel/limits.ts';
import type { DispatchedRequest } from '../../../src/tracking/request.ts';
import { forgetSlots } from '../../../src/upstream/call.ts';
import { NOW_MS, upstreamAnswers } from '../upstream/samples.ts';
import { accepted, around, BY, LOAD, ORDER, point, request, states } from './object-samples.ts';
import { loadStored } from './samples.ts';

vi.mock('cloudflare:workers', () => import('../../../scripts/simulate/workers.ts'));
const { Load } = await import('../../../src/tracking/load.ts');
const { Order } = await import('../../../src/tracking/order.ts');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
  forgetSlots();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a load', () => {
  function aLoad() {
    const parts = around();
    const load = new Load(...parts.made);
    const visit = (...requests: DispatchedRequest[]) =>
      load.visit({ form: 1, batchId: 'b_1', isLast: false, identity: LOAD, requests });
    return { ...parts, load, visit, next: () => new Load(...parts.made) };
  }

  it('is nothing before something came for it, and stores nothing when it is asked', async () => {
    const { load, alarm, wake } = aLoad();
    expect([await load.exists(), await load.page({ order: 'event', after: null, limit: 9 })]).toEqual([false, null]);
    expect([await load.record(0), await load.erasable(), await load.erase(null)]).toEqual([null, null, true]);
    await load.endIfOver();
    await wake(load);
    expect([await load.exists(), alarm.atMs]).toEqual([false, null]);
  });

  it('sends what a visit brings, answers what became of it, and is let go of when that is stored', async () => {
    const sent = upstreamAnswers(accepted(), accepted(422));
    const { load, visit, seen, next } = aLoad();
    const report = await visit(request(1), request(2));
    expect([states(report.outcomes), sent.length, report.form]).toEqual([
      [
        [1, 'delivered'],
        [2, 'rejected'],
      ],
      2,
      1,
    ]);
    expect(seen.aborted).toEqual([]);
    await load.settled(report.receipt ?? '');
    expect([seen.aborted.length, await load.erasable()]).toEqual([
      ...[1, { requests: 2, open: 0, untold: 0, batches: ['b_1'] }],
    ]);
    const timeline = await next().timeline();
    expect(timeline.map((each) => [each.request.state, each.attempts.length])).toEqual([
      ['delivered', 1],
      ['rejected', 1],
    ]);
    expect((await next().page({ order: 'event', after: null, limit: 9 }))?.events).toHaveLength(2);
    expect(await next().record(0)).not.toBeNull();
    expect((await visit(request(1))).outcomes).toEqual([]);
    expect([sent.length, await load.exists()]).toEqual([2, true]);
    await expect(load.visit({ form: 9 } as never)).rejects.toThrow('what came as parcel is of form 9');
  });

  it('takes each request with its time limit, its lane and its name for the event', async () => {
    const { load } = aLoad();
    const rules = { unclear: 'resend', loadWaitMs: 60_000, laterEvents: 'wait', namesKey: true } as never;
    await load.enqueue(LOAD, [
      ...[
        request(1),
        request(2, {
          kind: 'loadMilestoneEvent',
          body: '{"milestone_type":"ARRIVED","event_time":"2026-03-02T01:00:00Z"}',
        }),
      ],
      ...[
        point(3),
        { ...point(4), live: true },
        request(5, { kind: 'trace', body: '{"traces":[{"time":{"dateTime":"never"}}]}', rules }),
        request(6, { rules }),
      ],
    ]);
    const rows = (await load.timeline()).map((each) => each.request);
    expect(rows.map(({ lane }) => lane)).toEqual([
      'milestones',
      'milestones',
      'traces',
      'traces',
      'milestones',
      'milestones',
    ]);
    expect(rows.map(({ business_key }) => business_key !== null)).toEqual([true, true, true, true, false, true]);
    const lives = rows.map(({ deadline_ms }) => deadline_ms - NOW_MS);
    expect([lives[0], lives[0], lives[0]]).toEqual([lives[1], lives[4], lives[5]]);
    expect((lives[3] ?? 0) < (lives[2] ?? 0)).toBe(true);
    expect(rows.map(({ load_wait_until_ms }) => load_wait_until_ms)).toEqual([
      ...[null, null, null, null],
      ...[NOW_MS + 60_000, NOW_MS + 60_000],
    ]);
    expect(rows.map(({ body }) => body.includes('b_1/'))).toEqual([false, false, false, false, false, true]);
  });

  it('keeps positions for more of them, until its batch says that these are all', async () => {
    const sent = upstreamAnswers(accepted());
    const { load, wake } = aLoad();
    await load.enqueue(LOAD, [point(1), point(2)]);
    await wake(load);
    expect(sent).toEqual([]);
    await load.release('b_1');
    await wake(load);
    expect([sent.length, (await load.timeline()).map((each) => each.request.state)]).toEqual([
      1,
      ['delivered', 'coalesced'],
    ]);
    const whole = aLoad();
    const all = upstreamAnswers(accepted());
    await whole.load.visit({ form: 1, batchId: 'b_1', isLast: true, identity: LOAD, requests: [point(1), point(2)] });
    expect(all).toHaveLength(1);
  });

  it('gives no permit back that the next drain of a lane has, where its batch was told in between', async () => {
    const position = Promise.withResolvers<Response>();
    const second = Promise.withResolvers<Response>();
    const reported = Promise.withResolvers<void>();
    const sent = upstreamAnswers(
      accepted(),
      () => position.promise,
      () => second.promise,
    );
    const { load, visit, seen } = aLoad();
    await load.enqueue(LOAD, [request(1), { ...point(2), live: true }]);
    seen.reporting = () => reported.promise;
    const woken = load.alarm();
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    const visited = visit(request(3));
    await vi.waitFor(() => expect(sent).toHaveLength(3));
    reported.resolve();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen.leases.filter(({ wanted }) => wanted === 0)).toEqual([]);
    second.resolve(accepted());
    position.resolve(accepted());
    await Promise.all([woken, visited]);
    expect(seen.leases.filter(({ wanted }) => wanted === 0).length).toBeGreaterThan(0);
  });

  it('withdraws what was not sent, also what it did not know of, and tells its batch', async () => {
    const sent = upstreamAnswers(accepted());
    const { load, wake, seen } = aLoad();
    await load.enqueue(LOAD, [request(1)]);
    await load.cancel('b_1', { identity: LOAD, requests: [request(1), request(2)] });
    await wake(load);
    expect([states(seen.reported).sort(), sent]).toEqual([
      [
        [1, 'cancelled'],
        [2, 'cancelled'],
      ],
      [],
    ]);
    expect(await load.ensureAlarm()).toBeNull(); // nothing is left to do
  });

  it('withdraws what its batch has here, and wakes for that', async () => {
    const { load, alarm, waited, seen } = aLoad();
    await load.enqueue(LOAD, [request(1)]);
    alarm.atMs = null;
    await load.cancel('b_1');
    await Promise.all(waited);
    expect([states(seen.reported), alarm.atMs]).toEqual([[[1, 'cancelled']], NOW_MS]);
  });

  it('is told that a batch is over before anything came, and is still nothing', async () => {
    const { load, alarm, next } = aLoad();
    await load.release('b_1');
    expect([alarm.atMs, await load.exists(), await next().exists()]).toEqual([NOW_MS, false, false]);
  });

  it('shows what is stored: what a batch has confirmed is stored first', async () => {
    upstreamAnswers(accepted());
    for (const show of ['timeline', 'record'] as const) {
      const { load, visit, sql } = aLoad();
      const { receipt } = await visit(request(1));
      await load.settled(receipt ?? '');
      const untold = () => loadStored(sql).tables.outbox.size;
      expect(untold()).toBe(1);
      await (show === 'timeline' ? load.timeline() : load.record(0));
      expect(untold()).toBe(0);
    }
  });

  it('is let go of only where the deployment wants it, and where nothing is left to do', async () => {
    upstreamAnswers(accepted());
    const stays = around({ mode: 'stay' });
    const kept = new Load(...stays.made);
    const parcel = { form: 1, batchId: 'b_1', isLast: false, identity: LOAD, requests: [request(1)] };
    await kept.settled((await kept.visit(parcel)).receipt ?? '');
    expect(stays.seen.aborted).toEqual([]);
    const { load, seen, visit } = aLoad();
    await load.settled('of another life');
    expect(seen.aborted).toHaveLength(1);
    await visit(request(1));
    await load.settled('of another life');
    expect(seen.aborted).toHaveLength(1); // its batch does not have it yet
  });

  it('is decided about by people, who read its history first', async () => {
    const rules = { unclear: 'hold', loadWaitMs: null, laterEvents: 'pass', namesKey: false } as const;
    upstreamAnswers(accepted(500));
    const { load, visit } = aLoad();
    await visit(request(1, { rules }));
    const place = { batchId: 'b_1', record: 1, request: 1 };
    const decision = { ...{ id: 'd1', place, who: 'k1', name: 'Kim', why: 'seen', dryRun: false }, seen: null };
    expect((await load.history(place)).generations).toMatchObject([{ request: { state: 'held' } }]);
    expect(await load.decide({ ...decision, decision: 'mark_delivered', orderId: null, outcome: null })).toMatchObject({
      ok: true,
      value: { state: 'delivered' },
    });
    expect((await load.history(place)).decisions).toHaveLength(1);
  });

  it('is erased when nothing of it is open or of a batch that nobody named', async () => {
    upstreamAnswers(accepted());
    const { load, visit, seen } = aLoad();
    await load.enqueue(LOAD, [request(2)]);
    expect([await load.erase(null), seen.emptied]).toEqual([false, 0]);
    const report = await visit(request(1));
    expect(await load.erase(null)).toBe(false); // its batch does not have it yet
    await load.settled(report.receipt ?? '');
    expect([await load.erase(['b_2']), await load.erase(['b_1']), seen.emptied, await load.exists()]).toEqual([
      false,
      true,
      1,
      false,
    ]);
  });

  it('ends after its time, and keeps what was tried in a file', async () => {
    upstreamAnswers(accepted());
    const { load, visit, seen, files, alarm, wake } = aLoad();
    const report = await visit(request(1));
    await load.settled(report.receipt ?? '');
    await load.endIfOver();
    expect(seen.emptied).toBe(0);
    expect(alarm.atMs).toBe(NOW_MS + LOAD_RETENTION_MS);
    vi.setSystemTime(NOW_MS + LOAD_RETENTION_MS);
    await wake(load);
    expect([seen.emptied, await load.exists(), files.size]).toEqual([1, false, 1]);
    const [text = ''] = [...files.values()][0] ?? [];
    expect(JSON.parse(text)).toMatchObject({ subject: LOAD, request: { record: 1 }, attempts: [{ status: 201 }] });
  });
});

describe('an order', () => {
  const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
  const base = { document: { orderRef: 'SO-1', shipperCode: 'S1' }, orderId: ID } as never;
  function anOrder() {
    const parts = around();
    const order = new Order(...parts.made);
    return { ...parts, order, next: () => new Order(...parts.made) };
  }

  it('is nothing before something came for it', async () => {
    const { order } = anOrder();
    expect([await order.isKnown(), await order.page({ before: null, limit: 9 }), await order.statuses(null)]).toEqual([
      false,
      null,
      null,
    ]);
    expect([await order.trackTerms(null), (await order.ids()).ours]).toEqual([null, []]);
    expect(await order.state(ORDER, base, { ...BY, dryRun: true })).toEqual({
      outcome: 'stated',
      incarnation: 1,
      orderId: ID,
      changes: null,
    });
    expect(await order.isKnown()).toBe(false);
  });

  it('is what somebody states of it, once, and not over what is known unless that is wanted', async () => {
    const { order, next, alarm } = anOrder();
    expect(await order.state(ORDER, base, BY)).toEqual({
      outcome: 'stated',
      incarnation: 1,
      orderId: ID,
      changes: null,
    });
    expect([alarm.atMs, (await next().accepted())?.order_id]).toEqual([NOW_MS, ID]);
    expect(await order.state(ORDER, base, BY)).toEqual({
      outcome: 'same',
      incarnation: expect.any(Number),
      orderId: ID,
      changes: [],
    });
    const other = { document: { orderRef: 'SO-1', shipperCode: 'S2' }, orderId: ID } as never;
    expect(await order.state(ORDER, other, BY)).toEqual({
      outcome: 'base_known',
      orderId: ID,
      since: new Date(NOW_MS).toISOString(),
    });
    const trial = await order.state(ORDER, other, { ...BY, replace: true, dryRun: true });
    expect(trial).toMatchObject({ outcome: 'stated', changes: [{ path: 'shipperCode', before: 'S1', after: 'S2' }] });
    expect((await order.accepted())?.document).toContain('S1');
    await order.state(ORDER, other, { ...BY, replace: true });
    expect((await next().accepted())?.document).toContain('S2');
    const page = await next().page({ before: null, limit: 9 });
    expect(page?.versions.map(({ version, author, why }) => [version, author, why])).toEqual([
      [1, 'Kim', 'seen'],
      [2, 'Kim', 'seen'],
    ]);
    expect(await next().trackTerms(null)).toMatchObject({ ours: [ID], scac: null, isFollowed: false });
  });

  it('is not stated while an operation of it is open', async () => {
    const { order } = anOrder();
    await order.enqueue(ORDER, [request(1, { kind: 'order.create', body: '{"orderRef":"SO-1"}' })]);
    expect(await order.state(ORDER, base, BY)).toEqual({ outcome: 'order_busy' });
    expect(await order.ids()).toMatchObject({ isBeingMade: true, ours: [] });
  });

  it('is created upstream and known by its id, of which its feed hears first', async () => {
    const pair = { partnerId: 'P', clientId: 'C' };
    const created = new Response(JSON.stringify({ id: ID }), { status: 201 });
    const sent = upstreamAnswers(created);
    const { order, seen, next } = anOrder();
    const body = JSON.stringify({ orderRef: 'SO-1', ...pair });
    const report = await order.visit({
      form: 1,
      batchId: 'b_1',
      isLast: false,
      identity: ORDER,
      requests: [request(1, { kind: 'order.create', body })],
    });
    expect([states(report.outcomes), sent.length, (await next().accepted())?.order_id]).toEqual([
      [[1, 'delivered']],
      1,
      ID,
    ]);
    expect(seen.registered.length).toBeGreaterThan(0);
    expect(await next().trackTerms(null)).toMatchObject({ ours: [ID], scac: 'ABCD', isFollowed: true });
  });

  it('goes on where its feed cannot be told, and tells it later', async () => {
    const { order, seen, alarm, wake } = anOrder();
    upstreamAnswers(new Response(JSON.stringify({ id: ID }), { status: 201 }));
    seen.feedIsDown = true;
    const body = JSON.stringify({ orderRef: 'SO-1', partnerId: 'P', clientId: 'C' });
    await order.visit({
      form: 1,
      batchId: 'b_1',
      isLast: false,
      identity: ORDER,
      requests: [request(1, { kind: 'order.create', body })],
    });
    expect(seen.warned).toContainEqual(expect.objectContaining({ event: 'feed_not_told', detail: 'planned: down' }));
    expect([seen.registered, (alarm.atMs ?? 0) > NOW_MS]).toEqual([[], true]);
    seen.feedIsDown = false;
    vi.setSystemTime((alarm.atMs ?? 0) + 1);
    await wake(order);
    expect(seen.registered).toHaveLength(1);
  });
});
