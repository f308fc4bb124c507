/** A feed that polls: what it learns, whom it tells, and what it never does. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventStore } from '../../../src/feed/event-store.ts';
import { orderName } from '../../../src/kernel/names.ts';
import { Order } from '../../../src/tracking/order.ts';
import { UpstreamGate } from '../../../src/upstream/gate/gate.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { aFeed, BY, orderHistory, USUAL } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

describe('a feed', () => {
  it('asks for all changes of its pair by one call, stores the answer under its hash, and logs each change once', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    upstream.happens('R1', 'received');
    upstream.happens('R2', 'received');
    await feed.begin();
    await feed.poll();
    upstream.happens('R1', 'delivered');
    await feed.poll();
    await feed.poll();
    expect(await feed.log()).toEqual(['R1 received', 'R2 received', 'R1 delivered']);
    expect(upstream.singles).toEqual([]);
    const { partnerId, clientId } = feed.settings;
    for (const { url, headers } of upstream.polls) {
      expect(Object.fromEntries(new URL(url).searchParams)).toEqual({ partnerId, clientId });
      expect(headers).toMatchObject({ carrierSCAC: 'DEMO' });
    }
    const polls = (await feed.status()).polls.filter(({ entries }) => entries > 0);
    expect(polls.map(({ state, entries, news, unfit }) => ({ state, entries, news, unfit }))).toEqual([
      { state: 'read', entries: 1, news: 1, unfit: 0 },
      { state: 'read', entries: 2, news: 2, unfit: 0 },
    ]);
    for (const { key, sha256 } of polls) {
      const kept = await env.FILES.get(key ?? '');
      const bytes = (await kept?.bytes()) ?? new Uint8Array();
      const digest = await crypto.subtle.digest('SHA-256', bytes);
      expect(new Uint8Array(digest).toHex()).toBe(sha256);
    }
  });

  it('polls again by its own alarm, at its interval, and never by two wake-ups at once', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls.length).toBeGreaterThanOrEqual(2), PATIENCE);
    await runInDurableObject(feed.stub(), (instance) =>
      Promise.all([instance.alarm(), instance.alarm(), instance.alarm()]),
    );
    const times = upstream.polls.map(({ atMs }) => atMs);
    const waits = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    for (const waitMs of waits) expect(waitMs).toBeGreaterThan(5_600); // 30 minutes, 300 times faster, less 5 % and a little
    for (const waitMs of waits) expect(waitMs).toBeLessThan(8_000);
  });

  it('tells each order of its own statuses, once, in the order in which they happened', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('S1', 'received');
    upstream.happens('S2', 'received');
    upstream.happens('S1', 'out_for_delivery', { city: 'Joliet', state: 'IL' });
    await feed.poll();
    await feed.wake();
    const order = env.ORDER.getByName(orderName(feed.settings, 'S1'));
    const statuses = await order.statuses(null);
    expect(statuses?.map(({ code, place }) => [code, JSON.parse(place)])).toEqual([
      ['received', {}],
      ['out_for_delivery', { city: 'Joliet', state: 'IL' }],
    ]);
    await feed.sql('UPDATE event SET told = 0');
    await feed.wake();
    expect(await order.statuses(null)).toEqual(statuses);
  });

  it('tells the others when one order cannot be reached, and that one later', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('T1', 'received');
    upstream.happens('T2', 'received');
    const order = (orderRef: string) => env.ORDER.getByName(orderName(feed.settings, orderRef));
    const { takeStatuses } = Order.prototype;
    let refused = 0;
    vi.spyOn(Order.prototype, 'takeStatuses').mockImplementation(async function (this: Order, identity, statuses) {
      if (identity.orderRef === 'T1' && refused++ === 0) throw new Error('planned');
      await takeStatuses.call(this, identity, statuses);
    });
    await feed.poll();
    await feed.wake();
    expect(await order('T2').statuses(null)).toHaveLength(1);
    await vi.waitFor(async () => expect(await order('T1').statuses(null)).toHaveLength(1), PATIENCE);
    expect(refused).toBe(2);
  });

  it('keeps what does not fit as it came, counts it, and reads the rest', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('U1', 'received');
    upstream.happens('U2', 'received', { eventTime: 'yesterday' });
    upstream.happens('', 'received');
    await feed.poll();
    expect(await feed.log()).toEqual(['U1 received']);
    const [poll] = (await feed.status()).polls.filter(({ entries }) => entries > 0);
    expect(poll).toMatchObject({ entries: 3, news: 1, unfit: 2 });
    expect(JSON.parse(poll?.samples ?? '')).toMatchObject([
      { index: 1, code: 'time_unreadable', entry: expect.stringContaining('"yesterday"') },
      { index: 2, code: 'order_ref_missing' },
    ]);
    expect(await feed.gaps()).toEqual([]);
  });

  it('belongs to one partner: another one is refused, its orders are not heard, and it sees no event', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('V1', 'received');
    await feed.poll();
    const other = { ...feed.settings, partner: 'somebody-else' };
    expect(await feed.stub().begin({ ...other, edition: 9 }, USUAL)).toBe('taken');
    expect((await feed.status()).settings.partner).toBe(feed.settings.partner);
    await feed.stub().register(other, 'FOREIGN', {
      state: 'open',
      takenAtMs: Date.now(),
      sinceMs: Date.now(),
      toldAtMs: Date.now(),
    });
    expect((await feed.status()).orders.open).toBe(1);
    expect(await feed.stub().eventsAfter(other, null, 10)).toEqual({ outcome: 'no_feed' });
    expect(await feed.stub().release(feed.settings.partner)).toBe(false);
  });

  it('that has logged nothing is given up, and another partner may have the pair then', async () => {
    orderHistory();
    const feed = aFeed();
    await feed.begin();
    expect(await feed.stub().release(feed.settings.partner)).toBe(true);
    expect(await feed.begin({ partner: 'the-next' })).toBe('begun');
  });

  it('that is erased while it polls is gone once that has ended, and tells nobody what it was answered', async () => {
    const history = orderHistory();
    const feed = aFeed();
    const answered = Promise.withResolvers<void>();
    history.nextPoll(async () => {
      await answered.promise;
      const eventTime = '2026-03-01T08:00:00.0000000+00:00';
      return Response.json({
        events: [{ orderId: 'id-R1', orderRef: 'R1', code: 'received', level: 'milestone', eventTime }],
      });
    });
    await feed.begin();
    const woken = feed.wake();
    await vi.waitFor(() => expect(history.polls).toHaveLength(1), PATIENCE);
    let isErased = false;
    const erased = feed
      .stub()
      .eraseAll()
      .then(() => {
        isErased = true;
      });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isErased).toBe(false);
    answered.resolve();
    await Promise.all([woken, erased]);
    const order = env.ORDER.getByName(orderName(feed.settings, 'R1'));
    expect([await feed.stub().status(), history.polls.length, await order.isKnown()]).toEqual([null, 1, false]);
    await runInDurableObject(feed.stub(), async (_, { storage }) => {
      expect([
        storage.sql.exec(`SELECT name FROM sqlite_master WHERE name = 'poll'`).toArray(),
        await storage.getAlarm(),
      ]).toEqual([[], null]);
    });
  });

  it('that is given up while its poll waits for a permit asks nothing: what it would take away is the next one’s', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    const before = upstream.polls.length;
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { lease } = UpstreamGate.prototype;
    const asked = vi.spyOn(UpstreamGate.prototype, 'lease').mockImplementation(async function (
      this: UpstreamGate,
      ...args
    ) {
      await opened;
      return lease.apply(this, args);
    });
    await feed.stub().pollNow(BY);
    await vi.waitFor(() => expect(asked.mock.calls.some(([, { wanted }]) => wanted > 0)).toBe(true), PATIENCE);
    expect(await feed.stub().release(feed.settings.partner)).toBe(true);
    open();
    await vi.waitFor(() => expect(asked.mock.lastCall?.[1].ended).toMatchObject([{ unused: 1 }]), PATIENCE);
    expect(upstream.polls).toHaveLength(before);
  });

  it('whose permit has run out while a token was fetched asks nothing before it has another one', async () => {
    const upstream = orderHistory();
    const { lease, currentToken } = UpstreamGate.prototype;
    const grants: { untilMs: number }[] = [];
    vi.spyOn(UpstreamGate.prototype, 'lease').mockImplementation(async function (this: UpstreamGate, ...args) {
      const answer = await lease.apply(this, args);
      if (answer.outcome === 'granted') grants.push(answer);
      return answer;
    });
    vi.spyOn(UpstreamGate.prototype, 'currentToken').mockImplementationOnce(async function (
      this: UpstreamGate,
      ...args
    ) {
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(grants[0]?.untilMs ?? 0), PATIENCE);
      return currentToken.apply(this, args);
    });
    await aFeed({ channel: 'order-bearer' }).begin();
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(1), PATIENCE);
    expect(grants).toHaveLength(2);
    expect(upstream.polls[0]?.atMs).toBeGreaterThan(grants[0]?.untilMs ?? 0);
  });

  it('takes later settings and mappings, and never earlier ones', async () => {
    orderHistory();
    const feed = aFeed();
    await feed.begin({ edition: 3, repairsPerMinute: 30 });
    await feed.begin({ edition: 2, repairsPerMinute: 10 });
    expect((await feed.status()).settings).toMatchObject({ edition: 3, repairsPerMinute: 30 });
    await feed.begin({ edition: 4, repairsPerMinute: 40 });
    expect((await feed.status()).settings).toMatchObject({ edition: 4, repairsPerMinute: 40 });
  });

  it('that is begun again as it is keeps its times, also where somebody else has moved its next poll', async () => {
    orderHistory();
    const feed = aFeed({ pollMinutes: 5 });
    await feed.begin();
    await feed.poll();
    const farMs = Date.now() + 600_000;
    await feed.sql('UPDATE feed SET next_poll_ms = ?', farMs); // as after an answer that named a time
    await feed.begin({ repairsPerMinute: 10 });
    const { nextPollMs, settings } = await feed.status();
    expect([nextPollMs, settings.repairsPerMinute]).toEqual([farMs, 600]);
  });

  it('takes the usual mapping of a later release as long as nobody has set another one', async () => {
    orderHistory();
    const feed = aFeed();
    const reads = async () => (await feed.stub().answerMapping(feed.settings))?.list;
    const under = (edition: number, list: string) => ({ edition, mapping: { ...USUAL.mapping, list: [list] } });
    await feed.begin();
    await feed.begin({}, under(0, 'later'));
    expect(await reads()).toEqual(['later']);
    await feed.begin({}, under(1, 'set'));
    await feed.begin({}, under(0, 'still-later'));
    expect(await reads()).toEqual(['set']);
  });

  it('that is to wake later wakes at the earlier of its times', async () => {
    const upstream = orderHistory();
    const feed = aFeed({ pollMinutes: 240 });
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(1), PATIENCE);
    await feed.wake();
    const soonMs = Date.now() + 20_000;
    await runInDurableObject(feed.stub(), (_, { storage }) => storage.setAlarm(soonMs));
    await feed.begin(); // its next poll is due 48 s from now
    expect(await runInDurableObject(feed.stub(), (_, { storage }) => storage.getAlarm())).toBe(soonMs);
  });

  it('that is to wake in a moment still does when it is begun again', async () => {
    const upstream = orderHistory();
    const feed = aFeed({ pollMinutes: 240 });
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(1), PATIENCE);
    await feed.wake();
    const armed = await runInDurableObject(feed.stub(), async (instance, { storage }) => {
      vi.spyOn(storage, 'getAlarm').mockResolvedValueOnce(Date.now() + 3_000);
      const arms = vi.spyOn(storage, 'setAlarm');
      await instance.begin(feed.settings, USUAL);
      return arms.mock.calls;
    });
    expect(armed).toEqual([]);
  });

  it('that has more to do than 500 steps lets others have their turn, and goes on at once', async () => {
    const upstream = orderHistory();
    const feed = aFeed({ pollMinutes: 240 });
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(1), PATIENCE);
    await feed.wake();
    vi.spyOn(EventStore.prototype, 'notifyAtMs').mockReturnValue(0);
    const steps = vi.spyOn(EventStore.prototype, 'untold').mockReturnValue([]);
    await runInDurableObject(feed.stub(), async (instance, { storage }) => {
      await storage.deleteAlarm();
      const armed = vi.spyOn(storage, 'setAlarm').mockResolvedValue();
      await instance.alarm();
      expect(armed.mock.calls.map(([atMs]) => Number(atMs) <= Date.now())).toEqual([true]);
    });
    expect(steps).toHaveBeenCalledTimes(500);
  });

  it('that is to poll more often does so at once, not at its old time', async () => {
    const upstream = orderHistory();
    const feed = aFeed({ pollMinutes: 240 });
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(1), PATIENCE);
    await vi.waitFor(
      async () => expect((await feed.status()).nextPollMs).toBeGreaterThan(Date.now() + 30_000),
      PATIENCE,
    );
    await feed.begin({ edition: 2, pollMinutes: 5 }); // a second here
    expect((await feed.status()).nextPollMs).toBeLessThan(Date.now() + 2_000);
    await vi.waitFor(() => expect(upstream.polls.length).toBeGreaterThan(1), PATIENCE);
  });

  it('whose alarm was lost polls again once it is begun again', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(1), PATIENCE);
    await runInDurableObject(feed.stub(), (_, state) => state.storage.deleteAlarm());
    await feed.sql('UPDATE feed SET next_poll_ms = ?', Date.now() + 300);
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls.length).toBeGreaterThanOrEqual(2), PATIENCE);
  });

  it('whose alarm is long overdue is woken by whoever begins it again', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(1), PATIENCE);
    await feed.sql('UPDATE feed SET next_poll_ms = ?', Date.now());
    await runInDurableObject(feed.stub(), async (_, state) => {
      // As the platform shows an alarm that it will repeat later, because its process died.
      vi.spyOn(state.storage, 'getAlarm').mockResolvedValueOnce(Date.now() - 60_000);
      await state.storage.deleteAlarm();
    });
    await feed.begin();
    await vi.waitFor(() => expect(upstream.polls.length).toBeGreaterThanOrEqual(2), PATIENCE);
  });

  it('pages its log by a cursor that neither skips nor repeats, and goes on from any earlier point', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    for (let step = 0; step < 25; step += 1) {
      upstream.happens(`W${step % 4}`, `step-${step}`);
      if (step % 10 === 9) await feed.poll();
    }
    await feed.poll();
    const all = await feed.events();
    expect(all).toHaveLength(25);
    const paged: typeof all = [];
    for (let after: number | null = null; ; ) {
      const page = await feed.stub().eventsAfter(feed.settings, after, 7);
      if (page.outcome !== 'page') throw new Error(page.outcome);
      paged.push(...page.events);
      after = page.events.at(-1)?.seq ?? after;
      if (!page.hasMore) break;
    }
    expect(paged).toEqual(all);
    const again = await feed.stub().eventsAfter(feed.settings, all[9]?.seq ?? 0, 1_000);
    expect(again).toMatchObject({ outcome: 'page', events: all.slice(10), hasMore: false });
  });

  it('shows what is kept between events that are forgotten, and says so to a cursor from before alone', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    for (const [step, orderRef] of ['GONE', 'KEPT', 'GONE', 'KEPT', 'GONE', 'GONE', 'KEPT'].entries()) {
      upstream.happens(orderRef, `step-${step}`);
    }
    await feed.poll();
    const forgets = async (orderRef: string) => {
      await feed.sql('UPDATE order_book SET learned_at_ms = 1, registered_at_ms = 1 WHERE order_ref = ?', orderRef);
      await feed.poll();
    };
    const page = (after: number | null, limit = 10) => feed.stub().eventsAfter(feed.settings, after, limit);
    await forgets('GONE');
    const kept = (await feed.events()).map(({ seq }) => seq);
    expect(kept).toEqual([2, 4, 7]);
    const paged: number[] = [];
    for (let after: number | null = null, more = true; more; ) {
      const found = await page(after, 1);
      if (found.outcome !== 'page') throw new Error(found.outcome);
      paged.push(...found.events.map(({ seq }) => seq));
      after = found.next;
      more = found.hasMore;
    }
    expect(paged).toEqual(kept);
    expect(await page(0)).toEqual({ outcome: 'expired', oldest: 1 });
    for (const [after, seqs] of [
      [1, [2, 4, 7]],
      [3, [4, 7]],
      [5, [7]],
      [7, []],
    ] as const) {
      const found = await page(after);
      expect(found.outcome === 'page' && found.events.map(({ seq }) => seq)).toEqual(seqs);
    }
    expect(await page(8)).toEqual({ outcome: 'ahead', last: 7 });
    await forgets('KEPT');
    expect(await page(8)).toEqual({ outcome: 'ahead', last: 7 });
    expect(await page(null)).toMatchObject({ outcome: 'page', events: [], next: 7, hasMore: false });
    expect(await page(6)).toEqual({ outcome: 'expired', oldest: 7 });
    expect(await page(7)).toMatchObject({ outcome: 'page', events: [], next: 7, hasMore: false });
    expect(await page(8)).toEqual({ outcome: 'ahead', last: 7 });
    upstream.happens('NEW', 'received');
    await feed.poll();
    expect(await page(7)).toMatchObject({ events: [{ seq: 8 }], next: 8 });
  });

  it('takes no cursor that it never gave: one from ahead of its newest event would pass over all up to there', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    const page = (after: number | null) => feed.stub().eventsAfter(feed.settings, after, 10);
    expect(await page(1)).toEqual({ outcome: 'ahead', last: 0 });
    for (const after of [0, null]) expect(await page(after)).toMatchObject({ outcome: 'page', events: [], next: 0 });
    for (const code of ['received', 'picked_up']) upstream.happens('SO-1', code);
    await feed.poll();
    for (const after of [3, 999_999]) expect(await page(after)).toEqual({ outcome: 'ahead', last: 2 });
    expect(await page(2)).toMatchObject({ outcome: 'page', events: [], next: 2, hasMore: false });
  });

  it('forgets orders of which nothing was heard for 90 days, and says so to a cursor from before', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('X1', 'received');
    upstream.happens('X2', 'received');
    upstream.happens('X3', 'cancelled');
    await feed.poll();
    await feed.says('X3', 'open'); // another order under the reference
    const lifeMs = (90 * 24 * 3_600_000) / 300;
    await feed.sql(
      `UPDATE order_book SET learned_at_ms = learned_at_ms - ?1, registered_at_ms = registered_at_ms - ?1 WHERE order_ref = 'X1'`,
      lifeMs + 1_000,
    );
    await feed.sql(`UPDATE order_book SET learned_at_ms = learned_at_ms - ? WHERE order_ref = 'X3'`, lifeMs + 1_000);
    await feed.sql('UPDATE poll SET ended_at_ms = ended_at_ms - ?', lifeMs + 1_000);
    const [old] = (await feed.status()).polls;
    await feed.poll();
    expect(await feed.log()).toEqual(['X2 received', 'X3 cancelled']);
    expect(await feed.stub().eventsAfter(feed.settings, 0, 10)).toEqual({ outcome: 'expired', oldest: 1 });
    expect(await env.FILES.head(old?.key ?? '')).toBeNull();
    expect(await feed.stub().pollNow(BY)).toBe(true);
  });
});
