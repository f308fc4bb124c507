/** Polls whose answer is not had: a gap each time, and what closes it. */
import { abortAllDurableObjects, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { POLL_ANSWER_BYTES_MAX } from '../../../src/feed/limits.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { aFeed, BY, type FeedUnderTest, orderHistory } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { type Answering, neverAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** Bytes, then the connection breaks. */
const cut: Answering = () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"events":[{"orderRef":"')),
    pull: (controller) => controller.error(new Error('Network connection lost.')),
  });
  return new Response(body, { status: 200 });
};
const LOST: Record<string, { answer: Answering; why: string }> = {
  'no answer': { answer: new Error('Network connection lost.'), why: 'no_answer' },
  'a body that breaks off': { answer: cut, why: 'cut' },
  'a body beyond the limit': {
    answer: () => new Response(`{"events":[]}${' '.repeat(POLL_ANSWER_BYTES_MAX)}`),
    why: 'too_long',
  },
  'a 500': { answer: 500, why: 'server_error' },
  'a redirect': {
    answer: () => new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example/' } }),
    why: 'redirected',
  },
  'a page of HTML': { answer: () => new Response('<html>'), why: 'unreadable' },
  'an empty 200': { answer: () => new Response(''), why: 'unreadable' },
  'JSON without the list': { answer: () => Response.json({ items: [] }), why: 'unreadable' },
  'bytes that are no UTF-8': { answer: () => new Response(new Uint8Array([0x7b, 0xff, 0xfe])), why: 'unreadable' },
};

/** Two orders, one of them delivered; then a poll that takes a change of each with it. */
async function lostPoll(
  answer: Answering,
  singles: Answering | null = null,
): Promise<{ feed: FeedUnderTest; upstream: ReturnType<typeof orderHistory> }> {
  const upstream = orderHistory();
  const feed = aFeed();
  await feed.begin();
  await feed.poll();
  upstream.happens('OPEN', 'received');
  upstream.happens('DONE', 'delivered');
  await feed.poll();
  upstream.happens('OPEN', 'picked_up');
  upstream.singlesAnswer(singles);
  upstream.nextPoll(answer);
  await feed.poll();
  return { feed, upstream };
}

describe('a poll that is answered with', () => {
  it.each(Object.keys(LOST))('%s leaves a gap, which the history of each open order closes', async (name) => {
    const { answer, why } = LOST[name]!;
    const { feed, upstream } = await lostPoll(answer);
    expect((await feed.gaps()).map((gap) => gap.why)).toEqual([why]);
    if (why === 'no_answer') await feed.waitsPass(); // the one behind a 500 comes by itself
    await feed.isWhole();
    expect(await feed.log()).toEqual(['OPEN received', 'DONE delivered', 'OPEN picked_up']);
    const asked = upstream.singles.map(({ url }) => new URL(url).searchParams.get('orderRef'));
    expect(asked).toContain('OPEN');
    expect(new Set(asked).size).toBe(asked.length);
    expect((await feed.gaps()).map(({ closed_by }) => closed_by)).toEqual(['repair']);
    const [gap] = (await feed.status()).gaps.shown;
    expect(gap?.since_ms).toBeLessThanOrEqual(gap?.lost_at_ms ?? 0);
  });

  it.each([400, 401, 403, 404, 408, 429])('%i was not handled: no gap, and it is asked again', async (status) => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    upstream.nextPoll(status);
    await feed.poll();
    const [last] = (await feed.status()).polls;
    expect(last).toMatchObject({ state: 'refused', status });
    expect(await feed.gaps()).toEqual([]);
    const { nextPollMs } = await feed.status();
    expect(nextPollMs - (last?.ended_at_ms ?? 0)).toBeLessThanOrEqual(1_000); // 5 minutes, 300 times faster
  });

  it('204 says that there is nothing new', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    upstream.nextPoll(() => new Response(null, { status: 204 }));
    await feed.poll();
    expect((await feed.status()).polls[0]).toMatchObject({ state: 'read', status: 204, entries: 0 });
    expect(await feed.gaps()).toEqual([]);
  });
});

describe('a process that dies', () => {
  it('with a poll on the wire leaves a gap; the poll is not repeated', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.registers('A1');
    upstream.happens('A1', 'received');
    upstream.nextPoll(neverAnswers);
    const made = upstream.polls.length;
    await feed.stub().pollNow(BY);
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(made + 1), PATIENCE);
    await abortAllDurableObjects();
    await feed.wake();
    expect((await feed.gaps()).map(({ why }) => why)).toEqual(['interrupted']);
    expect(upstream.polls).toHaveLength(made + 1);
    await feed.waitsPass();
    await feed.isWhole();
    expect(await feed.log()).toEqual(['A1 received']);
  });

  it('between the stored answer and its commit has lost nothing', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    upstream.happens('B1', 'received');
    await feed.poll();
    // As if the process had died right behind the put: the row says `asking`, the answer is stored.
    await feed.sql(`DELETE FROM event`);
    await feed.sql(`UPDATE poll SET state = 'asking', key = NULL, sha256 = NULL, ended_at_ms = NULL
                    WHERE poll_no = (SELECT max(poll_no) FROM poll)`);
    await abortAllDurableObjects();
    await feed.wake();
    expect(await feed.log()).toEqual(['B1 received']);
    expect(await feed.gaps()).toEqual([]);
  });

  it('between the commit of the answer and its reading reads it then', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    upstream.happens('C1', 'received');
    await feed.poll();
    await feed.sql(`DELETE FROM event`);
    await feed.sql(`UPDATE poll SET state = 'stored' WHERE poll_no = (SELECT max(poll_no) FROM poll)`);
    const made = upstream.polls.length;
    await abortAllDurableObjects();
    await feed.wake();
    expect(await feed.log()).toEqual(['C1 received']);
    expect(upstream.polls).toHaveLength(made);
  });

  it('in the middle of a repair goes on with what is left of it', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    for (let order = 0; order < 20; order += 1) upstream.happens(`D${order}`, 'received');
    await feed.poll();
    for (let order = 0; order < 20; order += 1) upstream.happens(`D${order}`, 'picked_up');
    upstream.nextPoll(cut);
    await feed.stub().pollNow(BY);
    await vi.waitFor(() => expect(upstream.singles.length).toBeGreaterThan(5), PATIENCE);
    await abortAllDurableObjects();
    await feed.isWhole();
    expect(await feed.log()).toHaveLength(40);
    expect(upstream.singles.length).toBeLessThanOrEqual(21); // the one on the wire may be asked for twice
  });
});

describe('an answer that cannot be stored', () => {
  it('is not read: it is a gap, and repaired', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.registers('E1');
    upstream.happens('E1', 'received');
    await runInDurableObject(feed.stub(), (instance) => {
      const { FILES } = (instance as unknown as { env: Env }).env;
      vi.spyOn(Object.getPrototypeOf(FILES) as R2Bucket, 'put').mockRejectedValue(new Error('planned'));
    });
    await feed.poll();
    expect((await feed.gaps()).map(({ why }) => why)).toEqual(['not_stored']);
    await feed.isWhole();
    expect(await feed.log()).toEqual(['E1 received']);
  });
});

describe('a repair', () => {
  it('takes no number of the log for what it has already, nor for what one answer says twice', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.registers('N1', 'N2');
    for (const code of ['received', 'scheduled', 'picked_up']) upstream.happens('N1', code);
    upstream.happens('N2', 'received');
    await feed.poll();
    upstream.happens('N1', 'at_terminal');
    upstream.nextPoll(500);
    await feed.poll();
    await feed.waitsPass();
    await feed.isWhole();
    const twice = { orderRef: 'N2', code: 'delivered', eventTime: '2026-03-02T08:00:00.0000000+00:00' };
    upstream.nextPoll(() => Response.json({ events: [twice, twice] }));
    await feed.poll();
    expect(await feed.log()).toHaveLength(6);
    expect((await feed.events()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('keeps to its pace', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin({ repairsPerMinute: 2 }); // one in 100 ms here
    await feed.poll();
    for (let order = 0; order < 6; order += 1) upstream.happens(`F${order}`, 'received');
    await feed.poll();
    await feed.stub().repairNow(BY);
    await feed.isWhole();
    const times = upstream.singles.map(({ atMs }) => atMs);
    expect(times).toHaveLength(6);
    for (const [index, atMs] of times.slice(1).entries()) expect(atMs - (times[index] ?? 0)).toBeGreaterThanOrEqual(95);
  });

  it.each<[string, Answering]>([
    ['a 500', 500],
    ['no answer', new Error('Network connection lost.')],
    ['an unreadable answer', () => new Response('<html>')],
  ])('that is answered with %s leaves the gap open, and is tried again', async (_, answer) => {
    const { feed, upstream } = await lostPoll(cut, answer);
    await vi.waitFor(async () => expect((await feed.status()).orders.failing).toBeGreaterThan(0), PATIENCE);
    expect((await feed.status()).gaps.open).toBe(1);
    expect((await feed.status()).failures[0]).toMatchObject({ failure: expect.stringMatching(/\S/) });
    upstream.singlesAnswer(null);
    if (answer !== 500) await feed.waitsPass(); // that one comes by itself
    await feed.isWhole();
    expect(await feed.log()).toEqual(['OPEN received', 'DONE delivered', 'OPEN picked_up']);
  });

  it('counts and shows what does not fit, and does not ask for it again and again', async () => {
    const { feed, upstream } = await lostPoll(cut, () => Response.json({ events: [{ orderRef: 'OPEN', code: 'x' }] }));
    await feed.isWhole();
    const asked = upstream.singles.length;
    expect((await feed.status()).repairUnfit).toMatchObject({ count: asked, samples: [{ code: 'time_missing' }, {}] });
    upstream.singlesAnswer(null);
    await feed.stub().repairNow(BY);
    await feed.isWhole();
    expect((await feed.status()).repairUnfit).toEqual({ count: 0, samples: [] });
    expect(await feed.log()).toEqual(['OPEN received', 'DONE delivered', 'OPEN picked_up']);
  });

  it('waits for an order that is not listed yet', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.registers('YOUNG');
    upstream.happens('YOUNG', 'received');
    upstream.nextPoll(cut);
    upstream.singlesAnswer(() => Response.json({ events: [] }));
    await feed.poll();
    await vi.waitFor(async () => expect((await feed.status()).failures[0]?.failure).toBe('not listed yet'), PATIENCE);
    expect((await feed.status()).gaps.open).toBe(1);
    upstream.singlesAnswer(null);
    await feed.waitsPass();
    await feed.isWhole();
    expect(await feed.log()).toEqual(['YOUNG received']);
  });

  it('waits for an order that is not listed yet though a poll has told of it', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.registers('HEARD');
    upstream.happens('HEARD', 'received');
    await feed.poll();
    upstream.happens('HEARD', 'picked_up');
    upstream.nextPoll(cut);
    upstream.singlesAnswer(() => Response.json({ events: [] }));
    await feed.poll();
    await vi.waitFor(async () => expect((await feed.status()).failures[0]?.failure).toBe('not listed yet'), PATIENCE);
    upstream.singlesAnswer(null);
    await feed.waitsPass();
    await feed.isWhole();
    expect(await feed.log()).toEqual(['HEARD received', 'HEARD picked_up']);
  });

  it('asks for an order alone that is known only once a poll was lost behind it', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    const takenAtMs = Date.now();
    upstream.happens('LATE', 'received');
    upstream.nextPoll(cut);
    await feed.poll();
    await feed.isWhole();
    expect(await feed.log()).toEqual([]);
    await feed.says('LATE', 'open', { takenAtMs });
    await feed.isWhole();
    expect(await feed.log()).toEqual(['LATE received']);
  });

  it('asks at once for an order of which it hears late, and not with its next poll', async () => {
    const upstream = orderHistory();
    const feed = aFeed({ pollMinutes: 240 }); // the next poll is due 48 s from now
    await feed.begin();
    await feed.poll();
    const takenAtMs = Date.now();
    upstream.happens('LATE', 'received');
    upstream.nextPoll(cut);
    await feed.poll();
    await feed.wake();
    const made = upstream.polls.length;
    const alarmMs = () => runInDurableObject(feed.stub(), (_, { storage }) => storage.getAlarm());
    // Until its next poll it does nothing by itself: what wakes it sooner is the order.
    await vi.waitFor(async () => expect(await alarmMs()).toBeGreaterThan(Date.now() + 20_000), PATIENCE);
    await feed.says('LATE', 'open', { takenAtMs });
    await feed.isWhole();
    expect(await feed.log()).toEqual(['LATE received']);
    expect(upstream.polls).toHaveLength(made);
  });

  it('asks for an order alone that is heard of late, whatever made it since the lost poll', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    const sinceMs = Date.now();
    upstream.happens('UNHEARD', 'received');
    upstream.nextPoll(cut);
    await feed.poll();
    await feed.says('UNHEARD', 'open', { takenAtMs: Date.now() + 600_000, sinceMs });
    await feed.isWhole();
    expect(await feed.log()).toEqual(['UNHEARD received']);
  });

  it('leaves out an order of which nothing came', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.registers('REFUSED');
    await feed.says('REFUSED', 'none');
    upstream.nextPoll(500);
    await feed.poll();
    await feed.isWhole();
    expect(upstream.singles).toEqual([]);
  });
});

describe('a poll that may be handled after it was given up', () => {
  it('has taken what happens until then, which is asked for behind that', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.registers('SLOW');
    upstream.nextPoll(500);
    await feed.poll();
    await feed.registers('NEXT'); // it was not known when the poll was given up
    expect(upstream.singles).toEqual([]);
    upstream.happens('SLOW', 'received');
    upstream.happens('NEXT', 'received');
    upstream.takesAway();
    await feed.isWhole();
    expect((await feed.log()).sort()).toEqual(['NEXT received', 'SLOW received']);
  });

  it('is waited for by a repair that a person asks for, too', async () => {
    const { feed, upstream } = await lostPoll(500);
    await feed.stub().repairNow(BY);
    await feed.wake();
    expect(upstream.singles).toEqual([]);
    upstream.happens('OPEN', 'at_terminal');
    upstream.takesAway();
    await feed.waitsPass();
    await feed.isWhole();
    expect(await feed.log()).toContain('OPEN at_terminal');
  });
});

describe('what an order says of itself', () => {
  it('changes nothing when it comes behind later words', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.says('STALE', 'none');
    await feed.says('STALE', 'open');
    await feed.says('STALE', 'none', { toldAtMs: 1 });
    upstream.happens('STALE', 'received');
    upstream.nextPoll(cut);
    await feed.poll();
    await feed.isWhole();
    expect(await feed.log()).toEqual(['STALE received']);
  });

  it('has it asked for where a poll was lost while nothing was to come of it', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.says('ANEW', 'none');
    const takenAtMs = Date.now() + 1; // another create than the one it spoke of before
    upstream.happens('ANEW', 'received');
    upstream.nextPoll(cut);
    await feed.poll();
    await feed.says('ANEW', 'open', { takenAtMs });
    await feed.isWhole();
    expect(await feed.log()).toEqual(['ANEW received']);
  });

  it('has it asked for where a poll was lost while nothing was to come of it, though another one told of it since', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.says('ANEW', 'none');
    const takenAtMs = Date.now() + 1;
    upstream.happens('ANEW', 'received');
    upstream.nextPoll(cut);
    await feed.poll();
    upstream.happens('ANEW', 'picked_up');
    await feed.poll();
    await feed.says('ANEW', 'open', { takenAtMs });
    await feed.isWhole();
    expect((await feed.log()).sort()).toEqual(['ANEW picked_up', 'ANEW received']);
  });

  it('has it asked for where its feed knew it by its events alone when it says so', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    const takenAtMs = Date.now();
    upstream.happens('UNTOLD', 'received');
    upstream.nextPoll(cut);
    await feed.poll();
    upstream.happens('UNTOLD', 'picked_up');
    await feed.poll();
    await feed.says('UNTOLD', 'open', { takenAtMs });
    await feed.isWhole();
    expect((await feed.log()).sort()).toEqual(['UNTOLD picked_up', 'UNTOLD received']);
  });

  it('keeps it due while its second order under one reference may not be listed yet', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.says('TWICE', 'open', { takenAtMs: Date.now() - 1_000 });
    upstream.happens('TWICE', 'cancelled', { orderId: 'first' });
    await feed.poll();
    await feed.says('TWICE', 'open');
    upstream.happens('TWICE', 'received', { orderId: 'second' });
    upstream.nextPoll(cut);
    const [first] = (await feed.events()).map(({ at_ms }) => new Date(at_ms).toISOString());
    const listed = { orderId: 'first', orderRef: 'TWICE', code: 'cancelled', level: 'milestone', eventTime: first };
    upstream.singlesAnswer(() => Response.json({ events: [listed] }));
    await feed.poll();
    await vi.waitFor(async () => expect((await feed.status()).failures[0]?.failure).toBe('not listed yet'), PATIENCE);
    expect((await feed.status()).gaps.open).toBe(1);
    upstream.singlesAnswer(null);
    await feed.waitsPass();
    await vi.waitFor(async () => expect(await feed.log()).toEqual(['TWICE cancelled', 'TWICE received']), PATIENCE);
  });
});

describe('a stored answer that is read again', () => {
  const elsewhere = (edition: number) => ({
    edition,
    mapping: { ...DEFAULT_ANSWER_MAPPING, list: ['changes'] },
  });

  it('under a mapping that fits closes the gap it had left, and asks for nothing', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin({}, elsewhere(1));
    upstream.happens('H1', 'received');
    await feed.sql('UPDATE feed SET next_repair_ms = ?', Date.now() + 600_000);
    await feed.registers('H1');
    await feed.poll();
    const gaps = await feed.gaps();
    expect(gaps.at(-1)?.why).toBe('unreadable');
    await feed.begin({}, { edition: 2, mapping: DEFAULT_ANSWER_MAPPING });
    const made = upstream.polls.length;
    for (const { poll_no } of gaps) {
      expect(await feed.stub().reread(poll_no, BY)).toMatchObject({ outcome: 'reread', unfit: 0 });
    }
    expect(await feed.log()).toEqual(['H1 received']);
    expect((await feed.status()).gaps.open).toBe(0);
    expect(upstream.polls).toHaveLength(made);
    expect(upstream.singles).toEqual([]);
  });

  it('adds nothing twice, and names what it corrects', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('I1', 'received', { site: { town: 'Joliet' } });
    await feed.poll();
    const { poll_no: pollNo } = (await feed.status()).polls.find(({ news }) => news > 0)!;
    expect(await feed.stub().reread(pollNo, BY)).toEqual({ outcome: 'reread', entries: 1, news: 0, unfit: 0 });
    const placed = { edition: 1, mapping: { ...DEFAULT_ANSWER_MAPPING, place: { city: ['site.town'] } } };
    await feed.begin({}, placed);
    expect(await feed.stub().reread(pollNo, BY)).toEqual({ outcome: 'reread', entries: 1, news: 1, unfit: 0 });
    const [first, second] = await feed.events();
    expect(second).toMatchObject({ place: '{"city":"Joliet"}', corrects: first?.seq });
  });

  it('says anew behind which codes nothing follows, of what is known already', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    upstream.happens('J1', 'handed_over');
    await feed.poll();
    upstream.happens('J2', 'received');
    upstream.happens('J2', 'handed_over');
    await feed.poll();
    const pollNos = (await feed.status()).polls.filter(({ news }) => news > 0).map(({ poll_no }) => poll_no);
    const open = async () => (await feed.status()).orders.open;
    const rereadUnder = async (edition: number, finalCodes: string[]) => {
      await feed.begin({}, { edition, mapping: { ...DEFAULT_ANSWER_MAPPING, finalCodes } });
      for (const pollNo of pollNos) expect(await feed.stub().reread(pollNo, BY)).toMatchObject({ news: 0 });
    };
    expect(await open()).toBe(2);
    await rereadUnder(1, ['handed_over']);
    expect(await open()).toBe(0);
    await feed.stub().repairNow(BY);
    await rereadUnder(2, ['delivered']);
    expect(await open()).toBe(2);
    await rereadUnder(3, ['received']); // not the latest of J2
    expect(await open()).toBe(2);
    await rereadUnder(4, ['handed_over']);
    expect(await open()).toBe(0);
    await feed.registers('J1'); // another order under the reference
    await rereadUnder(5, []);
    await rereadUnder(6, ['handed_over']);
    expect(await open()).toBe(1);
  });

  it('leaves an order open whose end was read wrongly', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    upstream.happens('K1', 'received');
    upstream.happens('K1', 'delivered', { real: { time: '2026-01-01T08:00:00Z', code: 'scan' } });
    await feed.poll();
    expect((await feed.status()).orders.open).toBe(0);
    const { poll_no: pollNo } = (await feed.status()).polls.find(({ news }) => news > 0)!;
    const code = { from: ['real.code', 'code'], codes: {} };
    const time = { from: ['real.time', 'eventTime'], form: 'iso' as const };
    await feed.begin({}, { edition: 1, mapping: { ...DEFAULT_ANSWER_MAPPING, code, time } });
    expect(await feed.stub().reread(pollNo, BY)).toMatchObject({ news: 1 });
    expect((await feed.status()).orders.open).toBe(1); // what was read as its end is none, and lay before its beginning
  });

  it('must have been stored whole', async () => {
    const { feed } = await lostPoll(cut);
    const [gap] = await feed.gaps();
    expect(await feed.stub().reread(gap?.poll_no ?? 0, BY)).toEqual({ outcome: 'not_kept' });
    expect(await feed.stub().reread(9_999, BY)).toEqual({ outcome: 'poll_unknown' });
  });
});

describe('what a lost poll was answered with', () => {
  it('is kept as far as it came', async () => {
    const { feed } = await lostPoll(cut);
    const [lost] = (await feed.status()).polls.filter(({ state }) => state === 'lost');
    expect(await (await env.FILES.get(lost?.key ?? ''))?.text()).toBe('{"events":[{"orderRef":"');
  });
});
