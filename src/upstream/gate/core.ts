/**
 * Who may send on a channel: permits from a token bucket, breakers, blocked SCACs. No storage, no network: clock and
 * calls in, answers out, so that any sequence can be tested.
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
 * The token bucket of a channel.
 *
 * Leased permits count as still in the bucket: in any period at most `burst` plus what came in meanwhile is sent. A
 * restarted gate starts empty, so that a restart gives no second burst.
 */

interface Rate {
  ratePerSecond: number;
  burst: number;
}

/** @property tokens may be negative: a call that had to be sent twice is paid for afterwards. */
interface Bucket {
  tokens: number;
  /** Permits that are leased and not yet used, returned or lost. */
  out: number;
  atMs: number;
}

export const emptyBucket = (nowMs: number): Bucket => ({ tokens: 0, out: 0, atMs: nowMs });

/** Per ms of real time: the rate is per second of the scaled clock. */
const tokensPerMs = ({ ratePerSecond }: Rate, { timeScale }: Clock): number => (ratePerSecond * timeScale) / 1_000;

export function refill(bucket: Bucket, rate: Rate, clock: Clock): Bucket {
  const nowMs = clock.nowMs();
  const passedMs = Math.max(0, nowMs - bucket.atMs); // a clock that goes back changes nothing
  const came = passedMs * tokensPerMs(rate, clock);
  const tokens = Math.max(Math.min(bucket.tokens, rate.burst), Math.min(rate.burst - bucket.out, bucket.tokens + came));
  return { ...bucket, tokens, atMs: Math.max(nowMs, bucket.atMs) };
}

/** @returns how many of the wanted permits are available, and the bucket without them. */
export function take(bucket: Bucket, wanted: number): { permits: number; bucket: Bucket } {
  const permits = Math.max(0, Math.min(wanted, Math.floor(bucket.tokens)));
  return { permits, bucket: { ...bucket, tokens: bucket.tokens - permits, out: bucket.out + permits } };
}

/** @param used sent, or lost with their lease; @param back not used. */
export const giveBack = (bucket: Bucket, used: number, back: number): Bucket => ({
  ...bucket,
  tokens: bucket.tokens + back,
  out: bucket.out - used - back,
});

/** Calls without their own permit: a second sending after a refused token, a probe by the gate itself. */
export const charge = (bucket: Bucket, calls: number): Bucket => ({ ...bucket, tokens: bucket.tokens - calls });

/** @returns when the next whole permit is available, if none is leased. */
export const nextPermitMs = (bucket: Bucket, rate: Rate, clock: Clock): number =>
  clock.nowMs() + Math.ceil(Math.max(0, 1 - bucket.tokens) / tokensPerMs(rate, clock));

/** Time between two callers that return, so that they return at the rate of permits; in ms. */
const spacingMs = (rate: Rate, clock: Clock): number => 1 / tokensPerMs(rate, clock);

/* A subject's request to its channel's gate, the gate's answer, and the open leases. */

/** @property repeatable whether the next request may be sent twice without harm: others are never the first probe. */
export interface LeaseRequest {
  partner: string;
  scac: string;
  subject: string;
  /** How many permits; 0 only reports. */
  wanted: number;
  repeatable: boolean;
  /** Of attempts that have ended since the last call. */
  results: readonly AttemptResult[];
  /** Leases that end now, each with its unused permits. */
  ended: readonly EndedLease[];
  /** Until when it waits for its turn; absent: however long that takes. */
  waitsUntilMs?: number | undefined;
}

export interface EndedLease {
  lease: string;
  unused: number;
}

/** Why a subject must wait. `rate`: every permit is leased; the others name the breaker. */
export type DeferredBy = 'rate' | 'channel' | 'partner' | 'auth' | 'scac';

export type LeaseAnswer =
  /** @property probe its one permit probes a breaker: a failure does not count as a try of the request. */
  | { outcome: 'granted'; lease: string; permits: number; untilMs: number; probe: boolean }
  | { outcome: 'parked'; untilMs: number; why: DeferredBy }
  /** No permit was requested. */
  | { outcome: 'noted' };

interface Lease {
  permits: number;
  /** Of them, those with a result. */
  used: number;
  untilMs: number;
}

/** Longest time that a request which began in time may still be under way, in real ms. */
const LATE_MS = HEADERS_TIMEOUT_MS + BODY_TIMEOUT_MS;

export class GateCore {
  readonly breakers: Breakers;
  readonly #clock: Clock;
  readonly #leases = new Map<string, Lease>();
  /** By what callers wait for: the time given to the last one in line. */
  readonly #lines = new Map<Scope | 'rate', number>();
  readonly #name: () => string;
  #bucket: Bucket;
  readonly #rate: Rate;

  /** @param name names new leases. */
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

  /** Notes what has ended, then decides whether the next request may be sent. */
  request(asked: LeaseRequest): LeaseAnswer {
    this.#expire();
    for (const result of asked.results) this.#note(result);
    for (const ended of asked.ended) this.#end(ended);
    if (asked.wanted < 1) return { outcome: 'noted' };
    this.breakers.active(asked.partner);
    return this.#lease(asked);
  }

  /** A call by the gate itself. */
  charge(calls: number): void {
    this.#bucket = charge(this.#bucket, calls);
  }

  #lease(asked: LeaseRequest): LeaseAnswer {
    const nowMs = this.#clock.nowMs();
    const inTheWay = this.breakers.over(asked);
    const pauseMs = Math.max(PROBE_PAUSE_MS_MIN, scaledMs(PROBE_PAUSE_MS, this.#clock));
    for (const breaker of inTheWay) {
      const passage = passageAt(breaker, nowMs, pauseMs);
      if (passage.may === 'wait') return this.#defer(asked, breaker.scope, passage.untilMs);
      if (this.breakers.awaitsOwnProbe(breaker, asked.repeatable))
        return this.#defer(asked, breaker.scope, nowMs + pauseMs);
    }
    this.#bucket = refill(this.#bucket, this.#rate, this.#clock);
    const wanted = inTheWay.length > 0 ? 1 : Math.min(asked.wanted, LEASE_PERMITS_MAX);
    const { permits, bucket } = take(this.#bucket, wanted);
    if (permits === 0) return this.#defer(asked, 'rate', nextPermitMs(bucket, this.#rate, this.#clock));
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

  /**
   * Everyone gets a different time: callers that wait for the same thing return at the rate of permits. Who gives up
   * before that time takes no place: nobody would use it, and everybody after would wait the longer.
   */
  #defer({ waitsUntilMs }: LeaseRequest, scope: Scope | 'rate', untilMs: number): LeaseAnswer {
    const nowMs = this.#clock.nowMs();
    const sleepMs = Math.max(DEFERRED_SLEEP_MS_MIN, scaledMs(DEFERRED_SLEEP_MS, this.#clock));
    const soonMs = Math.min(untilMs, nowMs + sleepMs);
    const turnMs = Math.max(nowMs + DEFERRED_MS_MIN, soonMs, this.#lines.get(scope) ?? 0);
    const comesMs = Math.ceil(turnMs);
    if (waitsUntilMs === undefined || comesMs <= waitsUntilMs)
      this.#lines.set(scope, turnMs + spacingMs(this.#rate, this.#clock));
    return { outcome: 'parked', untilMs: comesMs, why: deferredBy(scope) };
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
      if (this.#clock.nowMs() < untilMs) break; // ordered by their ends
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
