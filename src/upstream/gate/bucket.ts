/**
 * The token bucket of a channel. Pure.
 *
 * What is out on leases counts as if it were still in: whatever is sent in any stretch of time is at most `burst` and what
 * came in meanwhile. A gate that starts anew starts empty, so that a restart gives no second burst.
 */
import type { Clock } from '../../kernel/clock.ts';

export interface Rate {
  ratePerSecond: number;
  burst: number;
}

/** @property tokens may be negative: a call that had to be sent twice is paid for afterwards. */
export interface Bucket {
  tokens: number;
  /** Permits that were given and neither used, handed back nor lost. */
  out: number;
  atMs: number;
}

export const emptyBucket = (nowMs: number): Bucket => ({ tokens: 0, out: 0, atMs: nowMs });

/** Of real time: the rate is one of the scaled clock. */
const tokensPerMs = ({ ratePerSecond }: Rate, { timeScale }: Clock): number => (ratePerSecond * timeScale) / 1_000;

export function refill(bucket: Bucket, rate: Rate, clock: Clock): Bucket {
  const nowMs = clock.nowMs();
  const passedMs = Math.max(0, nowMs - bucket.atMs); // a clock that goes back gives nothing and takes nothing
  const came = passedMs * tokensPerMs(rate, clock);
  const tokens = Math.max(Math.min(bucket.tokens, rate.burst), Math.min(rate.burst - bucket.out, bucket.tokens + came));
  return { ...bucket, tokens, atMs: Math.max(nowMs, bucket.atMs) };
}

/** @returns how many of the wanted permits there are, and the bucket without them. */
export function take(bucket: Bucket, wanted: number): { permits: number; bucket: Bucket } {
  const permits = Math.max(0, Math.min(wanted, Math.floor(bucket.tokens)));
  return { permits, bucket: { ...bucket, tokens: bucket.tokens - permits, out: bucket.out + permits } };
}

/** @param used sent, or lost with their lease; @param back never used. */
export const giveBack = (bucket: Bucket, used: number, back: number): Bucket => ({
  ...bucket,
  tokens: bucket.tokens + back,
  out: bucket.out - used - back,
});

/** Calls without a permit of their own: a second sending after a refused token, a probe of the gate itself. */
export const charge = (bucket: Bucket, calls: number): Bucket => ({ ...bucket, tokens: bucket.tokens - calls });

/** @returns when the next whole permit will be there, if nothing is out. */
export const nextPermitMs = (bucket: Bucket, rate: Rate, clock: Clock): number =>
  clock.nowMs() + Math.ceil(Math.max(0, 1 - bucket.tokens) / tokensPerMs(rate, clock));

/** Between two that come back, so that they come at the rate at which permits do; in ms. */
export const spacingMs = (rate: Rate, clock: Clock): number => 1 / tokensPerMs(rate, clock);
