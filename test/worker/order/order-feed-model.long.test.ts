/** A feed against a model: whatever becomes of its polls, its repairs and its process, each change is logged exactly once in the end. */
import { abortAllDurableObjects, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dice } from '../dice.ts';
import { aFeed, BY, orderHistory } from '../feeds.ts';
import { PATIENCE } from '../loads.ts';
import { type Answering, neverAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const STEPS = 15;
const LOST: readonly Answering[] = [
  500,
  new Error('Network connection lost.'),
  () => new Response('<html>'),
  () => new Response('{"events":['),
  () => Response.json({}),
];
const CODES = ['received', 'picked_up', 'at_terminal', 'out_for_delivery', 'delivered', 'cancelled', 'updated'];

describe('a feed under faults', () => {
  it.each([1, 4])(
    'has each change exactly once in the end (seed %i)',
    async (seed) => {
      const draw = dice(seed);
      const upstream = orderHistory();
      const feed = aFeed();
      await feed.begin();
      await feed.poll();
      const happened: string[] = [];
      const known = new Set<string>();
      for (let step = 0; step < STEPS; step += 1) {
        for (let change = Math.floor(draw() * 4); change > 0; change -= 1) {
          const orderRef = `M${Math.floor(draw() * 8)}`;
          if (!known.has(orderRef)) await feed.registers(orderRef); // an order tells its feed before it is sent
          known.add(orderRef);
          const code = `${CODES[Math.floor(draw() * CODES.length)]}`;
          upstream.happens(orderRef, code);
          happened.push(`${orderRef} ${code}`);
        }
        upstream.singlesAnswer(draw() < 0.3 ? (LOST[Math.floor(draw() * LOST.length)] ?? 500) : null);
        const fate = draw();
        if (fate < 0.3) upstream.nextPoll(LOST[Math.floor(draw() * LOST.length)] ?? 500);
        else if (fate < 0.4) upstream.refusesPoll(429);
        if (fate < 0.9) await feed.poll();
        else {
          upstream.nextPoll(neverAnswers);
          const made = upstream.polls.length;
          await feed.stub().pollNow(BY);
          await vi.waitFor(() => expect(upstream.polls.length).toBeGreaterThan(made), PATIENCE);
          await abortAllDurableObjects();
          await feed.wake();
        }
      }
      upstream.singlesAnswer(null);
      await feed.poll();
      await feed.stub().repairNow(BY); // does not wait until what failed is tried again by itself
      await feed.isWhole();
      expect((await feed.log()).sort()).toEqual(happened.sort());
      const seqs = (await feed.events()).map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
    },
    120_000,
  );
});
