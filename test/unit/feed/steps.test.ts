/** The steps of a feed, one at a time: what a poll leaves behind, and what a repair learns and when it asks again. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { notifyOrders } from '../../../src/feed/notify.ts';
import { forgetOld } from '../../../src/feed/retention.ts';
import { ok } from '../../../src/kernel/result.ts';
import { NOTHING_NAMED } from '../../../src/tracking/store/order-store.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { json, upstreamAnswers } from '../upstream/samples.ts';
import { aFeed, entry } from './samples.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SCOPE = { environment: 'test', partner: 'acme' } as const;

let warned: { mock: { calls: unknown[][] } };
const events = (): string[] => warned.mock.calls.map(([line]) => JSON.parse(String(line)).event as string);
beforeEach(() => {
  forgetTokens();
  warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const listed = (...entries: unknown[]): Response => json({ events: entries });

describe('a poll', () => {
  it('whose answer is stored waits to be read: nobody has to look for it', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received')));
    await feed.poll();
    expect(feed.polls.openPoll()).toMatchObject({ poll_no: 1, state: 'stored', ended_at_ms: feed.clock.nowMs() });
    expect(feed.polls.countUnread()).toEqual({ waiting: 1, unreadable: 0 });
    expect(feed.files.head).not.toHaveBeenCalled();
  });

  it('that the gate lets not pass is due when the gate says, and why is shown', async () => {
    const feed = aFeed();
    const seen = upstreamAnswers(listed());
    const nowMs = feed.clock.nowMs();
    feed.gate.answers.push({ outcome: 'parked', untilMs: nowMs + 7 * MINUTE_MS, why: 'auth' });
    await feed.poll();
    expect(feed.feed()).toMatchObject({
      nextPollMs: nowMs + 7 * MINUTE_MS,
      trouble: { atMs: nowMs, detail: 'the gate of the channel lets nothing pass: auth' },
    });
    expect([feed.polls.polls(1), seen]).toEqual([[], []]);
  });

  it('is no probe of a channel that was down: asking twice would take changes with it', async () => {
    const feed = aFeed();
    upstreamAnswers(listed());
    await feed.poll();
    expect(feed.gate.asked.map(({ repeatable }) => repeatable)).toEqual([false]);
  });

  it('whose permit runs out while a token is fetched is not made, and is due a second later', async () => {
    const feed = aFeed({ auth: 'key+bearer' });
    const seen = upstreamAnswers(listed());
    feed.gate.mints.mockImplementation(async () => {
      feed.clock.pass(MINUTE_MS);
      const expiresAtMs = feed.clock.nowMs() + HOUR_MS;
      return ok({ token: 'late', fingerprint: '0', refreshAtMs: expiresAtMs, expiresAtMs });
    });
    await feed.poll();
    const nowMs = feed.clock.nowMs();
    expect([feed.polls.polls(1), seen]).toEqual([[], []]);
    expect(feed.feed()).toMatchObject({
      nextPollMs: nowMs + SECOND_MS,
      trouble: { atMs: nowMs, detail: 'withdrawn: withdrawn in time' },
    });
  });

  it('whose stored answer cannot be fetched is read five seconds later, and that is logged', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received')));
    await feed.poll();
    feed.files.get.mockRejectedValueOnce(new Error('planned'));
    await feed.reads(1);
    const dueMs = feed.clock.nowMs() + 5 * SECOND_MS;
    expect(feed.polls.openPoll()).toMatchObject({ poll_no: 1, state: 'stored', not_before_ms: dueMs });
    expect(feed.polls.hasOpenGap()).toBe(false);
    expect(events()).toEqual(['poll_not_fetched']);
    await feed.reads(1);
    expect(feed.events.after(0, 10)).toMatchObject([{ order_ref: 'R1', code: 'received' }]);
  });
});

describe('a feed that another partner has by the time of an answer', () => {
  const known = { ...NOTHING_NAMED, ours: ['id-R1'] };

  it('learns nothing from the repair of an order, wherever that waited, and closes no gap of the new owner', async () => {
    const whileAsked = aFeed();
    upstreamAnswers(async () => {
      whileAsked.passesOn();
      return listed(entry('R1', 'received'));
    });
    const whileNamed = aFeed();
    for (const feed of [whileAsked, whileNamed]) {
      feed.registers('R1');
      feed.gap();
      feed.named.ids = known;
    }
    await whileAsked.repair();
    upstreamAnswers(listed(entry('R1', 'received')));
    whileNamed.named.meanwhile = whileNamed.passesOn;
    await whileNamed.repair();
    for (const { events, feed } of [whileAsked, whileNamed])
      expect([events.after(0, 9), feed().nextRepairMs, feed().settings.partner]).toMatchObject([[], {}, 'other']);
    expect(whileAsked.feed().nextRepairMs).toBe(0);
    const unknown = aFeed();
    upstreamAnswers(json({}, 404));
    unknown.registers('R1');
    unknown.clock.pass(DAY_MS);
    unknown.gap();
    unknown.named.meanwhile = () => {
      unknown.passesOn();
      unknown.polls.lost(unknown.polls.beginPoll(1), 'interrupted', 'planned', 1);
    };
    await unknown.repair();
    expect(unknown.polls.hasOpenGap()).toBe(true);
  });

  it('learns nothing from an answer that is read again, and requests no orders for the one before', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received')));
    await feed.poll();
    await feed.reads(1);
    const got = await feed.files.get('');
    feed.files.get.mockImplementationOnce(async () => {
      feed.passesOn();
      return got;
    });
    const before = feed.events.last();
    expect([await feed.reread(1), feed.events.last()]).toEqual([{ outcome: 'poll_unknown' }, before]);
    const other = aFeed();
    other.named.ids = known;
    other.named.meanwhile = other.passesOn;
    expect([await other.request(['R1'], () => 0), other.orders.one('R1')]).toEqual([null, null]);
  });
});

describe('orders that an operator requests', () => {
  it('are requested from when the last lost poll may have taken changes, also where one was lost meanwhile', async () => {
    const feed = aFeed();
    feed.named.ids = { ...NOTHING_NAMED, ours: ['id-R1'] };
    let fromMs = 0;
    feed.named.meanwhile = () => {
      fromMs = feed.clock.nowMs() + MINUTE_MS;
    };
    expect(await feed.request(['R1'], () => fromMs)).toEqual({ outcome: 'asked', due: 1 });
    expect(feed.orders.dueAtMs()).toBe(fromMs);
  });
});

describe('a poll that waits for its token while the feed is set anew', () => {
  it('is not made under the old settings, and is due a second later', async () => {
    const feed = aFeed({ auth: 'key+bearer' });
    const seen = upstreamAnswers(listed());
    feed.gate.mints.mockImplementation(async () => {
      feed.isSet({ pollMinutes: 5 });
      const expiresAtMs = feed.clock.nowMs() + HOUR_MS;
      return ok({ token: 'one', fingerprint: '0', refreshAtMs: expiresAtMs, expiresAtMs });
    });
    await feed.poll();
    expect([seen, feed.feed().nextPollMs]).toEqual([[], feed.clock.nowMs() + SECOND_MS]);
    await feed.poll();
    expect([seen.length, feed.feed().nextPollMs - feed.clock.nowMs() <= 6 * MINUTE_MS]).toEqual([1, true]);
  });
});

describe('a feed whose channel is of the other environment', () => {
  it('sends nothing, says why, and looks again five minutes later', async () => {
    const feed = aFeed({ environment: 'production' });
    const seen = upstreamAnswers(listed());
    const nowMs = feed.clock.nowMs();
    await feed.poll();
    expect([feed.polls.polls(1), feed.gate.asked, seen]).toEqual([[], [], []]);
    expect(feed.feed()).toMatchObject({
      nextPollMs: nowMs + 5 * MINUTE_MS,
      nextRepairMs: nowMs + 5 * MINUTE_MS,
      trouble: { atMs: nowMs, detail: 'channel "main" is not configured for this environment' },
    });
  });
});

describe('a repair', () => {
  it('may be repeated: as a probe of a channel that was down it does no harm', async () => {
    const feed = aFeed();
    upstreamAnswers(listed());
    feed.registers('R1');
    feed.gap();
    await feed.repair();
    expect(feed.gate.asked.map(({ repeatable }) => repeatable)).toEqual([true]);
  });

  it('leaves a second until the next order, at sixty in a minute', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received')));
    feed.registers('R1');
    feed.gap();
    await feed.repair();
    expect(feed.feed().nextRepairMs).toBe(feed.clock.nowMs() + SECOND_MS);
  });

  it('that fails waits longer each time, as its order is shown: with why, and how often', async () => {
    const feed = aFeed();
    upstreamAnswers(json({}, 500));
    feed.registers('R1');
    feed.gap();
    const waits: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      await feed.repair();
      const dueMs = feed.orders.dueAtMs() ?? 0;
      waits.push(dueMs - feed.clock.nowMs());
      feed.clock.pass(waits.at(-1) ?? 0);
    }
    expect(waits).toEqual([30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS]);
    expect(feed.orders.failures(9)).toEqual([{ order_ref: 'R1', failure: 'status 500', tries: 3 }]);
  });

  it('that cannot be sent costs its order no try: all of them wait a second, and why is shown', async () => {
    const feed = aFeed({ auth: 'key+bearer' });
    const seen = upstreamAnswers(listed());
    feed.registers('R1');
    feed.gap();
    await feed.repair();
    const nowMs = feed.clock.nowMs();
    expect(feed.feed()).toMatchObject({
      nextRepairMs: nowMs + SECOND_MS,
      trouble: { atMs: nowMs, detail: 'no_token: token_refused: status 500' },
    });
    expect(feed.orders.counts()).toEqual({ open: 1, due: 1, failing: 0 });
    expect(seen).toEqual([]);
  });

  it('that finds nothing of a delivered order asks again for three days, as a return may be lost; then it may be forgotten upstream', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'delivered')), json({}, 404));
    await feed.poll();
    await feed.reads(1);
    feed.clock.pass(3 * DAY_MS - MINUTE_MS);
    feed.gap();
    await feed.repair();
    expect(feed.orders.failures(9)).toEqual([{ order_ref: 'R1', failure: 'status 404', tries: 1 }]);
    feed.clock.pass(MINUTE_MS);
    await feed.repair();
    expect(feed.orders.counts()).toEqual({ open: 0, due: 0, failing: 0 });
  });

  it.each([
    ['has named', { ours: ['id-1'] }],
    ['has made without a name', { hasUnnamed: true, unnamed: 1 }],
  ])('that is told that an order is unknown which the upstream %s asks again', async (_, known) => {
    const feed = aFeed();
    upstreamAnswers(json({}, 404));
    feed.registers('R1');
    feed.named.ids = { ...NOTHING_NAMED, ...known };
    feed.clock.pass(2 * HOUR_MS);
    feed.gap();
    await feed.repair();
    expect(feed.orders.failures(9)).toEqual([{ order_ref: 'R1', failure: 'status 404', tries: 1 }]);
  });

  it('that finds nothing of an order which nobody made is done with it once it must be listed', async () => {
    const feed = aFeed();
    upstreamAnswers(json({}, 404));
    feed.registers('R1');
    feed.clock.pass(2 * HOUR_MS);
    feed.gap();
    await feed.repair();
    expect(feed.orders.counts()).toEqual({ open: 1, due: 0, failing: 0 });
  });

  it('that is told that an open order it has heard of is unknown asks again', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received')), json({}, 404));
    await feed.poll();
    await feed.reads(1);
    feed.gap();
    await feed.repair();
    expect(feed.orders.failures(9)).toEqual([{ order_ref: 'R1', failure: 'status 404', tries: 1 }]);
  });

  it('is done with a young order once one entry is of it, whatever else is listed', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received'), entry('OTHER', 'received')));
    feed.registers('R1');
    feed.gap();
    await feed.repair();
    expect(feed.orders.counts()).toEqual({ open: 1, due: 0, failing: 0 });
    expect(feed.feed().repairUnfit).toMatchObject({ count: 1, samples: [{ code: 'order_ref_foreign' }] });
  });

  it('is not done with a young order of which one of two ids is not listed yet', async () => {
    const feed = aFeed();
    feed.registers('R1');
    feed.named.ids = { ...NOTHING_NAMED, ours: ['FIRST', 'second'] };
    feed.gap();
    const first = entry('R1', 'received', { orderId: 'first' });
    upstreamAnswers(listed(first), listed(first, entry('R1', 'received', { orderId: 'Second' })));
    await feed.repair();
    expect(feed.orders.one('R1')).toMatchObject({ due: true, failure: 'not listed yet' });
    feed.clock.pass(HOUR_MS);
    await feed.repair();
    expect(feed.orders.one('R1')).toMatchObject({ due: false, failure: null });
  });

  it('asks again where one entry may be of another order, as its own is being made and has no id yet', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received', { orderId: 'whose' })));
    feed.registers('R1');
    feed.named.ids = { ...NOTHING_NAMED, isBeingMade: true };
    feed.gap();
    await feed.repair();
    const failure = 'it is being made, and what is listed may be of another: its id is not known yet';
    expect(feed.orders.failures(9)).toEqual([{ order_ref: 'R1', failure, tries: 1 }]);
    expect(feed.events.after(0, 9)).toEqual([]);
  });

  it('is not done with an order that was made anew while its ids were asked for', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'cancelled', { orderId: 'first' })));
    feed.registers('R1');
    feed.named.ids = { ...NOTHING_NAMED, ours: ['first'] };
    feed.clock.pass(2 * HOUR_MS);
    feed.gap();
    feed.named.meanwhile = () => {
      feed.registers('R1');
    };
    await feed.repair();
    expect(feed.orders.one('R1')).toMatchObject({ due: true, failure: 'not listed yet' });
  });

  it('whose order cannot say its ids asks again, and that is logged', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received')));
    feed.registers('R1');
    feed.named.fails = true;
    feed.gap();
    await feed.repair();
    expect(feed.orders.one('R1')).toMatchObject({ due: true, tries: 1 });
    expect(events()).toEqual(['order_not_asked']);
  });

  it.each([
    ['is being made', { isBeingMade: true }],
    ['was made without a name', { hasUnnamed: true, unnamed: 1 }],
  ])(
    'is not done with a young order of which an earlier one alone is listed, and the present one %s',
    async (_, is) => {
      const feed = aFeed();
      feed.registers('R1');
      feed.named.ids = { ...NOTHING_NAMED, ours: ['first'], ...is };
      feed.gap();
      const first = entry('R1', 'received', { orderId: 'first' });
      upstreamAnswers(listed(first), listed(first, entry('R1', 'received', { orderId: 'second' })));
      await feed.repair();
      expect(feed.orders.one('R1')).toMatchObject({ due: true, failure: 'not listed yet' });
      feed.named.ids = { ...NOTHING_NAMED, ours: ['first', 'second'] };
      feed.clock.pass(HOUR_MS);
      await feed.repair();
      expect(feed.orders.one('R1')).toMatchObject({ due: false, failure: null });
    },
  );

  it('whose answer is unreadable waits longer each time', async () => {
    const feed = aFeed();
    upstreamAnswers(new Response('<html>'));
    feed.registers('R1');
    feed.gap();
    for (const waitMs of [30 * SECOND_MS, 2 * MINUTE_MS]) {
      await feed.repair();
      expect(feed.orders.dueAtMs()).toBe(feed.clock.nowMs() + waitMs);
      feed.clock.pass(waitMs);
    }
    expect(feed.orders.failures(9)).toMatchObject([{ failure: expect.stringMatching(/^the answer is unreadable: /) }]);
  });
});

describe('an order that cannot be told', () => {
  it('is told again five seconds later, which is logged, and holds up no other', async () => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('R1', 'received'), entry('R2', 'received')));
    await feed.poll();
    await feed.reads(1);
    const told: string[] = [];
    const order = (orderRef: string) => ({
      takeStatuses: async () => {
        if (orderRef === 'R1' && told.length < 2) throw new Error('planned');
        told.push(orderRef);
      },
    });
    await notifyOrders(feed.events, SCOPE, order, feed.clock);
    expect(told).toEqual(['R2']);
    expect(events()).toEqual(['order_not_told']);
    expect(feed.events.notifyAtMs()).toBe(feed.clock.nowMs() + 5 * SECOND_MS);
  });
});

describe('an order of which nothing was heard for 90 days', () => {
  const forgets = async (passedMs: number) => {
    const feed = aFeed();
    upstreamAnswers(listed(entry('OLD', 'delivered')), listed(entry('NEW', 'received')));
    await feed.poll();
    await feed.reads(1);
    feed.clock.pass(passedMs);
    await feed.poll();
    await feed.reads(2);
    await forgetOld(feed, feed.clock);
    return {
      booked: feed.orders.recent(9).map(({ order_ref }) => order_ref),
      log: feed.events.after(0, 9).map(({ order_ref }) => order_ref),
      polls: feed.polls.polls(9).map(({ poll_no }) => poll_no),
      deleted: feed.files.delete.mock.calls.length,
    };
  };

  it('is known no more, nor are its events and what they were read out of', async () => {
    expect(await forgets(90 * DAY_MS + 1)).toEqual({ booked: ['NEW'], log: ['NEW'], polls: [2], deleted: 1 });
  });

  it('stays known, and stops no poll, while its files cannot be deleted', async () => {
    const feed = aFeed();
    upstreamAnswers(() => Promise.resolve(listed(entry('OLD', 'received'))));
    await feed.poll();
    await feed.reads(1);
    feed.clock.pass(90 * DAY_MS + 1);
    feed.files.delete.mockRejectedValueOnce(new Error('planned: down'));
    await forgetOld(feed, feed.clock);
    expect([feed.polls.polls(9).length, feed.events.after(0, 9).length]).toEqual([1, 0]);
    expect(events()).toContain('old_polls_not_deleted');
    await forgetOld(feed, feed.clock);
    expect(feed.polls.polls(9)).toEqual([]);
  });

  it('is known until then', async () => {
    const all = { booked: ['NEW', 'OLD'], log: ['OLD', 'NEW'], polls: [2, 1], deleted: 0 };
    expect(await forgets(90 * DAY_MS)).toEqual(all);
  });
});

it('another owner of the key begins without the trouble and the odd entries of the one before', () => {
  const feed = aFeed();
  const nowMs = feed.clock.nowMs();
  feed.polls.noteTrouble({ atMs: nowMs, detail: 'of the one before' });
  feed.polls.storeRepairSkipped({ count: 2, samples: [] });
  feed.passesOn();
  expect(feed.polls.feed()).toMatchObject({ trouble: null, repairUnfit: { count: 0, samples: [] } });
});
