/** What is erased, or set anew, while the cron goes by what it read before: nothing of it comes back. */
import { createScheduledController, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FeedSettings } from '../../../src/feed/feed-status.ts';
import { OrderFeed } from '../../../src/feed/order-feed.ts';
import worker from '../../../src/index.ts';
import type { ErasableRegister } from '../../../src/intake/erasing.ts';
import { feedName, type OrderFeedKey } from '../../../src/kernel/names.ts';
import { FeedRows } from '../../../src/ops/feeds/feed-rows.ts';
import { erasePartner, type PartnerErasurePorts, planPartnerErasure } from '../../../src/ops/partner-erasure.ts';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { aTarget, hooksOf } from '../hooks.ts';
import { anOperator } from '../operators.ts';
import { aPartner } from '../partners.ts';

beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  vi.spyOn(OrderFeed.prototype, 'alarm').mockResolvedValue(undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const cron = () => worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);
const rows = new FeedRows(env.DIRECTORY);
const BY = { keyId: 'k', author: 'Analyst', note: 'as agreed', atMs: Date.UTC(2026, 2, 1) };
const OLD: OrderFeedKey = { partnerId: 'p-old', clientId: 'c' };
const statusOf = (key: OrderFeedKey) => env.ORDER_FEED.getByName(feedName('test', key)).status();

async function withFeed(key: OrderFeedKey = OLD): Promise<FeedSettings> {
  const { name: partner } = await aPartner();
  const settings: FeedSettings = {
    ...{ partner, environment: 'test', ...key, channel: 'plain', scac: 'DEMO' },
    ...{ pollMinutes: 30, repairsPerMinute: 60, edition: 1 },
  };
  await rows.write(settings, BY);
  return settings;
}

/** What comes in between: the object is called once the row was read. */
function beforeTheFeedBegins(work: () => Promise<unknown>): void {
  const begin = OrderFeed.prototype.begin;
  vi.spyOn(OrderFeed.prototype, 'begin').mockImplementationOnce(async function (this: OrderFeed, ...given) {
    await work();
    return begin.apply(this, given);
  });
}

describe('the cron', () => {
  it('begins no feed that was erased since it read of it', async () => {
    const { partner } = await withFeed();
    beforeTheFeedBegins(() => env.DIRECTORY.prepare('DELETE FROM order_feed WHERE partner = ?').bind(partner).run());
    await cron();
    expect(await statusOf(OLD)).toBeNull();
  });

  it('leaves no feed under an order-feed key that its partner gave up since it read of it', async () => {
    const settings = await withFeed();
    const anew = { ...OLD, partnerId: 'p-new' };
    beforeTheFeedBegins(() => rows.write({ ...settings, ...anew, edition: 2 }, BY));
    const waits = vi.spyOn(scheduler, 'wait').mockResolvedValue(undefined);
    vi.spyOn(OrderFeed.prototype, 'release').mockRejectedValueOnce(new Error('planned: a poll is under way'));
    await cron();
    expect(waits).toHaveBeenCalledOnce();
    expect(await statusOf(OLD)).toBeNull();
    await cron();
    expect((await statusOf(anew))?.settings).toMatchObject({ ...anew, edition: 2 });
  });

  it('gives no sender the targets of a partner that was erased since it read of them', async () => {
    const { name: partner } = await aPartner();
    const insert = `INSERT INTO partner_webhook VALUES (?, 'test', 'one', 1, 'register', 'https://one.example/hook',
      '["batch.settled"]', 1, 1, NULL, 'k', 'Analyst', '2026-03-01T00:00:00Z', 'as agreed')`;
    await env.DIRECTORY.prepare(insert).bind(partner).run();
    const keep = Webhooks.prototype.keepTargets;
    vi.spyOn(Webhooks.prototype, 'keepTargets').mockImplementationOnce(async function (this: Webhooks, ...given) {
      await env.DIRECTORY.prepare('DELETE FROM partner_webhook WHERE partner = ?').bind(partner).run();
      return keep.apply(this, given);
    });
    await cron();
    const hooks = hooksOf({ environment: 'test', partner });
    expect(await hooks.stub().current()).toEqual([]);
    await hooks.keep(aTarget('one'));
    expect(await hooks.stub().current(), 'it can be registered again').toHaveLength(1);
  });
});

it('an operator begins no feed that was erased since it was set', async () => {
  const { name: partner } = await aPartner();
  const operator = await anOperator();
  beforeTheFeedBegins(() => env.DIRECTORY.prepare('DELETE FROM order_feed WHERE partner = ?').bind(partner).run());
  const wanted = { ...OLD, channel: 'plain', pollMinutes: 30, repairsPerMinute: 60, note: 'as agreed' };
  await operator.done('PUT', `/v1/ops/partners/${partner}/feed`, wanted);
  expect(await statusOf(OLD)).toBeNull();
});

describe('the erasure of a partner', () => {
  const none: ErasableRegister = { batches: 0, open: 0, notCreated: 0, last: 0, begunAtMs: null };
  /** Whose feed fails at the given one of the tries to erase it. */
  function ports(failsAt: number): { ports: PartnerErasurePorts; wasListed: boolean[] } {
    const wasListed: boolean[] = [];
    let tries = 0;
    const eraseAll = async (): Promise<void> => {
      tries += 1;
      if (tries === failsAt) throw new Error('planned: the feed is not reached');
      wasListed.push((await rows.count()) > 0);
    };
    const register = () => ({ erasable: async () => none, eraseAll: async () => undefined });
    const webhooks = () => ({ eraseAll: async () => undefined });
    return { ports: { database: env.DIRECTORY, register, webhooks, feed: () => ({ eraseAll }) }, wasListed };
  }
  const planned = async (of: PartnerErasurePorts, partner: string) => {
    const plan = await planPartnerErasure(of, { environment: 'test', partner });
    if (!plan.ok) throw new Error(plan.error.code);
    return plan.value;
  };

  it.each([1, 2])('erases its feed where that fails at try %d, and nothing begins it again', async (failsAt) => {
    const { environment, partner } = await withFeed();
    const { ports: of, wasListed } = ports(failsAt);
    const erase = async () => erasePartner(of, { environment, partner }, await planned(of, partner), 0);
    const first = await erase();
    expect(first.ok || (await planned(of, partner)).feed !== null, 'a repetition knows its key').toBe(true);
    if (!first.ok) expect((await erase()).ok).toBe(true);
    expect(wasListed.at(-1)).toBe(false);
    expect((await planned(of, partner)).feed).toBeNull();
  });

  it('that is repeated does not erase a feed whose key another partner has by now', async () => {
    const { environment, partner } = await withFeed();
    const { ports: of } = ports(0);
    await env.DIRECTORY.prepare('DELETE FROM order_feed').run();
    expect((await planned(of, partner)).feed).toEqual(OLD);
    const other = await withFeed();
    expect((await planned(of, partner)).feed).toBeNull();
    expect((await planned(of, other.partner)).feed).toEqual(OLD);
    expect(environment).toBe('test');
  });
});
