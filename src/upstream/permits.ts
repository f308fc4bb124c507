/**
 * The permits of a subject: each sending needs one. What ended is reported to the gate with the next call, or after a
 * drain.
 * Nothing here is stored: when a process dies, its leases run out. Without a permit nothing is sent.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { GATE_PAUSE_MS, LEASE_PERMITS_MAX, LEASE_USE_MS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { AttemptResult } from './gate/breaker.ts';
import type { DeferredBy, EndedLease, LeaseAnswer, LeaseRequest } from './gate/core.ts';

/** What a subject needs of a channel's gate; a call may fail. */
interface PermitGate {
  lease(channel: string, asked: LeaseRequest): Promise<LeaseAnswer>;
}

export interface Wanted {
  channel: string;
  scac: string;
  repeatable: boolean;
  /** Requests of the lane that could use a permit. */
  backlog: number;
  /** It gives up where its turn comes later; absent: it waits however long that takes. */
  waitsUntilMs?: number | undefined;
}

export interface Permit {
  lease: string;
  /** No sending begins after this. */
  untilMs: number;
  probe: boolean;
}

/** `gate`: it cannot be reached. */
export interface Deferred {
  untilMs: number;
  why: DeferredBy | 'gate';
}

type Ended = Omit<AttemptResult, 'lease' | 'partner' | 'subject' | 'scac'>;

/** Each lane has its own permit pool. */
interface PermitPool {
  channel: string;
  scac: string;
  permit: Permit | null;
  left: number;
  parked: Deferred | null;
  results: AttemptResult[];
  ended: EndedLease[];
}

export class Permits {
  readonly #gate: (channel: string) => PermitGate;
  readonly #of: { partner: string; subject: string };
  readonly #wallets = new Map<string, PermitPool>();
  #lastLatencyMs = 0;

  constructor(gate: (channel: string) => PermitGate, of: { partner: string; subject: string }) {
    this.#gate = gate;
    this.#of = of;
  }

  /** @returns a permit from the pool, or null: then request one. */
  take(lane: string, { channel, scac }: Pick<Wanted, 'channel' | 'scac'>, clock: Clock): Permit | null {
    const wallet = this.#wallets.get(lane);
    if (wallet?.permit == null || wallet.channel !== channel || wallet.scac !== scac) return null;
    if (wallet.left < 1 || clock.nowMs() >= wallet.permit.untilMs) return null;
    wallet.left -= 1;
    return wallet.permit;
  }

  /** Calls the gate, at most once until the time it named. Never throws. @returns null where permits came. */
  async request(lane: string, wanted: Wanted, clock: Clock): Promise<Deferred | null> {
    let wallet = this.#wallets.get(lane);
    if (wallet && (wallet.channel !== wanted.channel || wallet.scac !== wanted.scac)) {
      await this.settle(lane);
      wallet = undefined;
    }
    if (wallet?.parked && clock.nowMs() < wallet.parked.untilMs) return wallet.parked;
    const { channel, scac } = wanted;
    wallet ??= { channel, scac, permit: null, left: 0, parked: null, results: [], ended: [] };
    this.#wallets.set(lane, wallet);
    const { repeatable, waitsUntilMs } = wanted;
    const answer = await this.#call(wallet, { wanted: this.#count(wanted.backlog), repeatable, waitsUntilMs });
    if (answer?.outcome === 'granted') {
      const { lease, untilMs, probe, permits } = answer;
      wallet.permit = { lease, untilMs, probe };
      wallet.left = permits;
      wallet.parked = null;
      return null;
    }
    wallet.parked =
      answer?.outcome === 'parked'
        ? { untilMs: answer.untilMs, why: answer.why }
        : { untilMs: clock.nowMs() + scaledMs(GATE_PAUSE_MS, clock), why: 'gate' };
    return wallet.parked;
  }

  /** How an attempt ended. After anything but `passed` the gate decides again before another request is risked. */
  note(lane: string, { lease }: Permit, ended: Ended): void {
    const wallet = this.#wallets.get(lane);
    if (wallet === undefined) return;
    this.#lastLatencyMs = ended.endedAtMs - ended.startedAtMs;
    if (ended.sendings === 0) wallet.left += 1;
    if (ended.sendings > 0) wallet.results.push({ ...ended, ...this.#of, lease, scac: wallet.scac });
    if (ended.verdict !== 'passed') this.#endLease(wallet);
  }

  /**
   * The drain is over: unused permits go back. Never throws; what the gate is not told, it counts as used. The pool
   * stays: the next drain of this lane may have begun, and wait for permits or for an answer.
   */
  async settle(lane: string): Promise<void> {
    const wallet = this.#wallets.get(lane);
    if (wallet === undefined) return;
    this.#endLease(wallet);
    if (wallet.results.length + wallet.ended.length > 0) await this.#call(wallet, { wanted: 0, repeatable: true });
  }

  async #call(
    wallet: PermitPool,
    asked: Pick<LeaseRequest, 'wanted' | 'repeatable' | 'waitsUntilMs'>,
  ): Promise<LeaseAnswer | null> {
    this.#endLease(wallet);
    const { results, ended, channel, scac } = wallet;
    wallet.results = [];
    wallet.ended = [];
    const { partner, subject } = this.#of;
    try {
      return await this.#gate(channel).lease(channel, { partner, subject, scac, ...asked, results, ended });
    } catch (thrown) {
      log('warn', 'gate_unreachable', { channel, detail: messageOf(thrown) });
      return null;
    }
  }

  #endLease(wallet: PermitPool): void {
    if (wallet.permit !== null) wallet.ended.push({ lease: wallet.permit.lease, unused: wallet.left });
    wallet.permit = null;
    wallet.left = 0;
  }

  /** No more than can be sent soon: others could use idle permits. */
  #count(backlog: number): number {
    const soon = Math.floor(LEASE_USE_MS / Math.max(1, this.#lastLatencyMs));
    return Math.max(1, Math.min(backlog, soon, LEASE_PERMITS_MAX));
  }
}
