/** What is agreed about a feed where the object of its pair is another partner's, whatever the list says. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it } from 'vitest';
import type { FeedSettings } from '../../../src/feed/feed-status.ts';
import { feedName } from '../../../src/kernel/names.ts';
import { answerMappings } from '../../../src/ops/directory/settings.ts';
import { FeedRows } from '../../../src/ops/feeds/feed-rows.ts';
import { type FeedStub, orderFeedsOf } from '../../../src/ops/feeds/order-feeds.ts';
import { upstreamOf } from '../../../src/upstream/settings.ts';
import { aPartner } from '../partners.ts';

afterEach(reset);

const BY = { keyId: 'k', author: 'Analyst', note: 'as agreed', atMs: Date.UTC(2026, 2, 1) };
const TAKEN = { partnerId: 'p-2', clientId: 'c-2' };

/** Feeds whose objects are free, but for the one of the pair `TAKEN`. */
function feeds() {
  const { channels } = upstreamOf(env);
  const begun: FeedSettings[] = [];
  const feed = (name: string) =>
    ({
      release: async () => true,
      begin: async (settings: FeedSettings) => {
        if (name === feedName('test', TAKEN)) return 'taken';
        begun.push(settings);
        return 'begun';
      },
    }) as Partial<FeedStub> as FeedStub;
  const port = { rows: new FeedRows(env.DIRECTORY), mappings: answerMappings(env.DIRECTORY), channels, feed };
  const [channel] = [...channels.values()].filter(({ environment }) => environment === 'test');
  const wanted = { channel: channel?.name ?? '', scac: null, pollMinutes: 10, repairsPerMinute: 5 };
  return { feeds: orderFeedsOf(port), begun, wanted };
}

const stored = async () => {
  const of = (table: string) => env.DIRECTORY.prepare(`SELECT * FROM ${table}`).all();
  return [(await of('order_feed')).results, (await of('order_feed_change')).results];
};

it("is as it was where the pair turns out to be another one's, and can be set again", async () => {
  const { partner } = { partner: (await aPartner()).name };
  const scope = { environment: 'test', partner } as const;
  const { feeds: operated, begun, wanted } = feeds();
  expect(await operated.set(scope, { ...wanted, ...TAKEN }, BY, null)).toEqual({
    ok: false,
    error: { code: 'pair_taken' },
  });
  expect(await stored()).toEqual([[], []]);
  const own = { ...wanted, partnerId: 'p-1', clientId: 'c-1' };
  expect(await operated.set(scope, own, BY, null)).toMatchObject({ ok: true });
  const before = await stored();
  expect(await operated.set(scope, { ...wanted, ...TAKEN, pollMinutes: 20 }, BY, null)).toMatchObject({
    error: { code: 'pair_taken' },
  });
  expect(await stored()).toEqual(before);
  expect(begun.map(({ partnerId, edition }) => [partnerId, edition])).toEqual([
    ['p-1', 1],
    ['p-1', 1], // it was released for the other pair
  ]);
  expect(await operated.set(scope, { ...own, pollMinutes: 30 }, BY, null)).toMatchObject({
    value: { settings: { pollMinutes: 30, edition: 2 } },
  });
});
