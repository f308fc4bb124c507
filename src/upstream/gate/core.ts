/**
 * Who may send on a channel: permits by a token bucket, breakers, parked SCACs. No storage, no network: clock and calls in,
 * answers out, so that any sequence of them can be tried.
 */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  BODY_TIMEOUT_MS,
  HEADERS_TIMEOUT_MS,
  LEASE_LIFE_MS,
  LEASE_PERMITS_MAX,
  PARKED_MS_MIN,
  PARKED_SLEEP_MS,
  PARKED_SLEEP_MS_MIN,
  PROBE_PAUSE_MS,
  PROBE_PAUSE_MS_MIN,
} from '../../kernel/limits.ts';
import { type Breaker, passageAt, type Scope, withProbe } from './breaker.ts';
import { Breakers } from './breakers.ts';
import {
  type Bucket,
  charge,
  emptyBucket,
  giveBack,
  nextPermitMs,
  type Rate,
  refill,
  spacingMs,
  take,
} from './bucket.ts';
import type { EndedLease, Lease, LeaseAnswer, LeaseRequest, ParkedBy } from './leases.ts';
import type { AttemptResult } from './verdict.ts';

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
  ask(asked: LeaseRequest): LeaseAnswer {
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
      if (passage.may === 'wait') return this.#park(breaker.scope, passage.untilMs);
      if (this.breakers.awaitsOwnProbe(breaker, asked.repeatable)) return this.#park(breaker.scope, nowMs + pauseMs);
    }
    this.#bucket = refill(this.#bucket, this.#rate, this.#clock);
    const wanted = inTheWay.length > 0 ? 1 : Math.min(asked.wanted, LEASE_PERMITS_MAX);
    const { permits, bucket } = take(this.#bucket, wanted);
    if (permits === 0) return this.#park('rate', nextPermitMs(bucket, this.#rate, this.#clock));
    this.#bucket = bucket;
    return this.#grant(permits, inTheWay);
  }

  #grant(permits: number, probed: readonly Breaker[]): LeaseAnswer {
    const lease = this.#name();
    const untilMs = this.#clock.nowMs() + scaledMs(LEASE_LIFE_MS, this.#clock);
    this.#leases.set(lease, { permits, used: 0, untilMs });
    for (const breaker of probed)
      this.breakers.put(withProbe(breaker, { lease, sinceMs: this.#clock.nowMs(), untilMs: untilMs + LATE_MS }));
    return { outcome: 'granted', lease, permits, untilMs, probe: probed.length > 0 };
  }

  /** Each is told a moment of its own: those who wait for the same come back at the rate at which permits do. */
  #park(scope: Scope | 'rate', untilMs: number): LeaseAnswer {
    const nowMs = this.#clock.nowMs();
    const sleepMs = Math.max(PARKED_SLEEP_MS_MIN, scaledMs(PARKED_SLEEP_MS, this.#clock));
    const soonMs = Math.min(untilMs, nowMs + sleepMs);
    const turnMs = Math.max(nowMs + PARKED_MS_MIN, soonMs, this.#lines.get(scope) ?? 0);
    this.#lines.set(scope, turnMs + spacingMs(this.#rate, this.#clock));
    return { outcome: 'parked', untilMs: Math.ceil(turnMs), why: parkedBy(scope) };
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

function parkedBy(scope: Scope | 'rate'): ParkedBy {
  if (scope.startsWith('partner:')) return 'partner';
  if (scope.startsWith('scac:')) return 'scac';
  return scope === 'rate' || scope === 'auth' ? scope : 'channel';
}
