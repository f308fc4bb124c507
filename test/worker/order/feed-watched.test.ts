/** What operators see of a feed: which poll counts, what is on record, which gap is over, and when a wake-up failed. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PollSteps } from '../../../src/feed/poll-steps.ts';
import { aFeed, BY, orderHistory } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('a feed', () => {
  it('names for an order the last poll that was read, though a later one was refused', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('F1', 'received');
    await feed.poll();
    const [read] = (await feed.status()).polls;
    upstream.refusesPoll(400);
    await feed.poll();
    expect((await feed.status()).polls[0]?.state).toBe('refused');
    const followed = await feed.stub().followed(feed.settings, 'F1');
    expect(followed?.lastPoll).toEqual({ pollNo: read?.poll_no, atMs: read?.started_at_ms });
  });

  it('reads a stored answer again on record: which one, by whom, why, and what came of it', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    upstream.happens('F1', 'received');
    await feed.poll();
    const pollNo = (await feed.status()).polls.find(({ news }) => news > 0)?.poll_no ?? 0;
    const outcome = await feed.stub().reread(pollNo, BY);
    expect(outcome).toEqual({ outcome: 'reread', entries: 1, news: 0, unfit: 0 });
    const recorded = await runInDurableObject(feed.stub(), (_, { storage }) =>
      storage.sql.exec(`SELECT key_id, author, why, detail FROM audit WHERE what = 'reread'`).toArray(),
    );
    const { keyId, author, why } = BY;
    expect(recorded).toEqual([{ key_id: keyId, author, why, detail: JSON.stringify({ pollNo, ...outcome }) }]);
  });

  it('has no open gap any more once the last order that was to be asked for says that nothing came of it', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    await feed.registers('REFUSED');
    await feed.sql('UPDATE feed SET next_repair_ms = ?', Date.now() + 600_000);
    upstream.nextPoll(500);
    await feed.poll();
    expect(await feed.status()).toMatchObject({ gaps: { open: 1 }, orders: { due: 1 } });
    await feed.says('REFUSED', 'none');
    expect(await feed.status()).toMatchObject({ gaps: { open: 0 }, orders: { due: 0 } });
    expect(upstream.singles).toEqual([]);
  });

  it('that is woken while its poll is on the wire waits for the answer, and loses nothing', async () => {
    const upstream = orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.poll();
    const before = upstream.polls.length;
    const answer = Promise.withResolvers<void>();
    upstream.nextPoll(async () => {
      await answer.promise;
      return Response.json({ events: [] });
    });
    await feed.stub().pollNow(BY);
    await vi.waitFor(() => expect(upstream.polls).toHaveLength(before + 1), PATIENCE);
    const woken = feed.wake();
    await Promise.race([woken, new Promise((done) => setTimeout(done, 300))]);
    answer.resolve();
    await woken;
    const { polls, gaps } = await feed.status();
    expect(polls.map(({ state }) => state).filter((state) => state !== 'read')).toEqual([]);
    expect(gaps).toMatchObject({ open: 0, closed: 0 });
  });

  it('whose wake-up fails says so in the log, and is woken again within a minute', async () => {
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(PollSteps.prototype, 'poll').mockRejectedValue(new Error('planned: the storage is away'));
    orderHistory();
    const feed = aFeed();
    await feed.begin();
    await feed.wake();
    const logged = failed.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
    expect(logged[0]).toMatchObject({ event: 'feed_wake_up_failed', detail: 'planned: the storage is away' });
    const alarmMs = await runInDurableObject(feed.stub(), (_, { storage }) => storage.getAlarm());
    expect(alarmMs).toBeLessThanOrEqual(Date.now() + 60_000);
  });
});
