/**
 * Who may send on a channel: permits by a token bucket, breakers, parked SCACs. No storage, no network: clock and calls in,
 * answers out, so that any sequence of them can be tried.
 */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  BODY_TIMEOUT_MS,
  DEFERRED_MS_MIN,
  DEFERRED_SLEEP_MS,
  DEFERRED_SLEEP_MS_MIN,
  HEADERS_TIMEOUT_MS,
  LEASE_LIFETIME_MS,
  LEASE_PERMITS_MAX,
  PROBE_PAUSE_MS,
  PROBE_PAUSE_MS_MIN,
} from '../../kernel/limits.ts';
import { type AttemptResult, type Breaker, passageAt, type Scope, withProbe } from './breaker.ts';
import { Breakers } from './breakers.ts';

/*
 * The token bucket of a channel. Pure.
 *
 * What is out on leases counts as if it were still in: whatever is sent in any stretch of time is at most `burst` and what
 * came in meanwhile. A gate that starts anew starts empty, so that a restart gives no second burst.
 */

interface Rate {
  ratePerSecond: number;
  burst: number;
}

/** @property tokens may be negative: a call that had to be sent twice is paid for afterwards. */
interface Bucket {
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
const spacingMs = (rate: Rate, clock: Clock): number => 1 / tokensPerMs(rate, clock);

/* What a subject asks of the gate of its channel, what it is told, and the leases that are out. */

/** @property repeatable whether the next request may be sent twice without harm: others are no first probe. */
export interface LeaseRequest {
  partner: string;
  scac: string;
  subject: string;
  /** How many permits; 0 only reports. */
  wanted: number;
  repeatable: boolean;
  /** Of attempts that have ended since the last call. */
  results: readonly AttemptResult[];
  /** Leases that end now, with the permits of each that were not used. */
  ended: readonly EndedLease[];
}

export interface EndedLease {
  lease: string;
  unused: number;
}

/** Why a subject is told to wait. `rate`: every permit is out; the others name the breaker. */
export type DeferredBy = 'rate' | 'channel' | 'partner' | 'auth' | 'scac';

export type LeaseAnswer =
  /** @property probe its one permit probes a breaker: a failure costs the request no try. */
  | { outcome: 'granted'; lease: string; permits: number; untilMs: number; probe: boolean }
  | { outcome: 'parked'; untilMs: number; why: DeferredBy }
  /** Nothing was asked for. */
  | { outcome: 'noted' };

interface Lease {
  permits: number;
  /** Of them, those whose result has come. */
  used: number;
  untilMs: number;
}

/** Longest time a request that began in time may still be under way, in real ms. */
const LATE_MS = HEADERS_TIMEOUT_MS + BODY_TIMEOUT_MS;

export class GateCore {
  readonly breakers: Breakers;
  readonly #clock: Clock;
  readonly #leases = new Map<string, Lease>();
  /** By what they wait for: where the line of those who were told to come back ends. */
  readonly #lines = new Map<Scope | 'rate', number>();
  readonly #name: () => string;
  #bucket: Bucket;
  readonly #rate: Rate;

  /** @param name makes the names of leases. */
  constructor(
    { rate, hasOwnProbe }: { rate: Rate; hasOwnProbe: boolean },
    clock: Clock,
    stored: readonly Breaker[],
    name: () => string,
  ) {
    this.#rate = rate;
    this.#clock = clock;
    this.#name = name;
    this.#bucket = emptyBucket(clock.nowMs());
    this.breakers = new Breakers(stored, hasOwnProbe, clock);
  }

  get permitsOut(): number {
    this.#expire();
    return this.#bucket.out;
  }

  get permitsLeft(): number {
    this.#bucket = refill(this.#bucket, this.#rate, this.#clock);
    return Math.max(0, Math.floor(this.#bucket.tokens));
  }

  /** Notes what has ended, then says whether the next may be sent. */
  request(asked: LeaseRequest): LeaseAnswer {
    this.#expire();
    for (const result of asked.results) this.#note(result);
    for (const ended of asked.ended) this.#end(ended);
    if (asked.wanted < 1) return { outcome: 'noted' };
    this.breakers.active(asked.partner);
    return this.#lease(asked);
  }

  /** A call of the gate itself. */
  charge(calls: number): void {
    this.#bucket = charge(this.#bucket, calls);
  }

  #lease(asked: LeaseRequest): LeaseAnswer {
    const nowMs = this.#clock.nowMs();
    const inTheWay = this.breakers.over(asked);
    const pauseMs = Math.max(PROBE_PAUSE_MS_MIN, scaledMs(PROBE_PAUSE_MS, this.#clock));
    for (const breaker of inTheWay) {
      const passage = passageAt(breaker, nowMs, pauseMs);
      if (passage.may === 'wait') return this.#defer(breaker.scope, passage.untilMs);
      if (this.breakers.awaitsOwnProbe(breaker, asked.repeatable)) return this.#defer(breaker.scope, nowMs + pauseMs);
    }
    this.#bucket = refill(this.#bucket, this.#rate, this.#clock);
    const wanted = inTheWay.length > 0 ? 1 : Math.min(asked.wanted, LEASE_PERMITS_MAX);
    const { permits, bucket } = take(this.#bucket, wanted);
    if (permits === 0) return this.#defer('rate', nextPermitMs(bucket, this.#rate, this.#clock));
    this.#bucket = bucket;
    return this.#grant(permits, inTheWay);
  }

  #grant(permits: number, probed: readonly Breaker[]): LeaseAnswer {
    const lease = this.#name();
    const untilMs = this.#clock.nowMs() + scaledMs(LEASE_LIFETIME_MS, this.#clock);
    this.#leases.set(lease, { permits, used: 0, untilMs });
    for (const breaker of probed)
      this.breakers.put(withProbe(breaker, { lease, sinceMs: this.#clock.nowMs(), untilMs: untilMs + LATE_MS }));
    return { outcome: 'granted', lease, permits, untilMs, probe: probed.length > 0 };
  }

  /** Each is told a moment of its own: those who wait for the same come back at the rate at which permits do. */
  #defer(scope: Scope | 'rate', untilMs: number): LeaseAnswer {
    const nowMs = this.#clock.nowMs();
    const sleepMs = Math.max(DEFERRED_SLEEP_MS_MIN, scaledMs(DEFERRED_SLEEP_MS, this.#clock));
    const soonMs = Math.min(untilMs, nowMs + sleepMs);
    const turnMs = Math.max(nowMs + DEFERRED_MS_MIN, soonMs, this.#lines.get(scope) ?? 0);
    this.#lines.set(scope, turnMs + spacingMs(this.#rate, this.#clock));
    return { outcome: 'parked', untilMs: Math.ceil(turnMs), why: deferredBy(scope) };
  }

  #note(result: AttemptResult): void {
    const lease = this.#leases.get(result.lease);
    if (lease !== undefined && lease.used < lease.permits) {
      lease.used += 1;
      this.#bucket = giveBack(this.#bucket, 1, 0);
    }
    if (result.sendings > 1) this.charge(result.sendings - 1);
    this.breakers.note(result);
  }

  #end({ lease: name, unused }: EndedLease): void {
    const lease = this.#leases.get(name);
    if (lease !== undefined) {
      const left = lease.permits - lease.used;
      const back = Math.min(unused, left);
      this.#bucket = giveBack(this.#bucket, left - back, back);
      this.#leases.delete(name);
    }
    this.breakers.probeReturned(name);
  }

  #expire(): void {
    for (const [name, { permits, used, untilMs }] of this.#leases) {
      if (this.#clock.nowMs() < untilMs) break; // they were given in the order of their ends
      this.#bucket = giveBack(this.#bucket, permits - used, 0);
      this.#leases.delete(name);
    }
  }
}

function deferredBy(scope: Scope | 'rate'): DeferredBy {
  if (scope.startsWith('partner:')) return 'partner';
  if (scope.startsWith('scac:')) return 'scac';
  return scope === 'rate' || scope === 'auth' ? scope : 'channel';
}
