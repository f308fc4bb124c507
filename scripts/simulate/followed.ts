/**
 * Whose orders are followed: in some seeds the partner's. Their feed is begun as operators set it, watched as the cron
 * does, and now and then they ask it for a poll, a repair, or to read something again.
 */

import type { EditedMapping, FeedSettings } from '../../src/feed/feed-status.ts';
import { POLL_MINUTES_DEFAULT, REPAIRS_PER_MINUTE_MAX } from '../../src/feed/limits.ts';
import { feedName, type OrderFeedKey } from '../../src/kernel/names.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../src/upstream/statuses/answer-mapping.ts';
import { SCAC, SCOPE } from './partner.ts';
import type { World } from './world.ts';

export const PAIR: OrderFeedKey = { partnerId: 'P-1', clientId: 'C-1' };
export const FEED = feedName(SCOPE.environment, PAIR);
const BY = { keyId: 'key-1', author: 'operator', why: 'simulated' };
const MAPPING: EditedMapping = { edition: 0, mapping: DEFAULT_ANSWER_MAPPING };
const MINUTE_MS = 60_000;
/** In how many of these seeds the feed's clock is set, and how far it is wrong at most. */
const CLOCK_SHARE = 0.3;
const CLOCK_MS_MAX = 30_000;

export class Followed {
  readonly #world: World;
  readonly #settings: FeedSettings;
  isBegun = false;

  constructor(world: World, channel: string) {
    this.#world = world;
    this.#settings = {
      ...SCOPE,
      ...PAIR,
      channel,
      scac: SCAC,
      pollMinutes: POLL_MINUTES_DEFAULT,
      repairsPerMinute: REPAIRS_PER_MINUTE_MAX,
      edition: 1,
    };
  }

  /** The feed stands before anything is sent, in most seeds. */
  plan(): void {
    const { dice } = this.#world;
    this.watch(dice() < 0.8 ? 0 : dice() * 20 * MINUTE_MS);
    this.#planClock();
    for (let asks = Math.floor(dice() * dice() * 5); asks > 0; asks -= 1) {
      const drawn = dice();
      const atMs = dice() * dice() * 240 * MINUTE_MS;
      if (drawn < 0.5) this.#request(atMs, 'pollNow', [BY]);
      else if (drawn < 0.75) this.#request(atMs, 'repairNow', [BY]);
      else this.#request(atMs, 'reread', [1 + Math.floor(dice() * 6), BY]);
    }
  }

  /** Where the clock of its feed is not that of the others, it is set now and then, and right again in the end. */
  #planClock(): void {
    const world = this.#world;
    const { untilMs } = world.faults;
    if (world.dice() >= CLOCK_SHARE) return;
    for (let steps = 1 + Math.floor(world.dice() * 4); steps > 0; steps -= 1) {
      const aheadMs = (2 * world.dice() - 1) * CLOCK_MS_MAX;
      world.after(world.dice() * (untilMs - world.nowMs), () => world.stepClock('OrderFeed', FEED, aheadMs));
    }
    world.after(untilMs - world.nowMs, () => world.stepClock('OrderFeed', FEED, 0));
  }

  /** As the cron does each minute; here until it is heard. */
  watch(afterMs: number): void {
    const world = this.#world;
    world.after(afterMs, () =>
      world.step(world.outsider(), () => {
        const begun = world.call('OrderFeed', FEED, 'begin', [this.#settings, MAPPING]);
        begun.then(
          () => {
            this.isBegun = true;
          },
          () => this.watch(world.dice() * MINUTE_MS),
        );
      }),
    );
  }

  #request(atMs: number, method: string, args: readonly unknown[]): void {
    const world = this.#world;
    const ask = () => void world.call('OrderFeed', FEED, method, args).catch(() => undefined);
    world.after(atMs, () => world.step(world.outsider(), ask));
  }
}
