/**
 * Calls to the upstream, each with a permit of its channel's gate: those of loads and orders, of feeds, of the fleet and
 * locations APIs. How a call ended is noted for the gate. Here nothing is stored: what must be committed before a call
 * leaves, its caller commits in `begin`.
 */
import type { Clock } from '../kernel/clock.ts';
import { gateName, type PartnerScope } from '../kernel/names.ts';
import type { Observation } from './answer.ts';
import type { SendingLog, UpstreamPort } from './call.ts';
import type { Channel } from './channels.ts';
import type { BreakerSignal } from './gate/breaker.ts';
import { type Deferred, type Permit, Permits } from './permits.ts';
import { CallTimer } from './send.ts';
import { tokenSource } from './tokens.ts';

/** As `SendingLog`; what is left out does nothing. */
interface PermittedCall extends Partial<SendingLog>, Pick<UpstreamPort, 'answerBytesMax' | 'moments'> {
  channel: Channel;
  scac: string;
  clock: Clock;
  post(port: UpstreamPort): Promise<Observation>;
  /** What its end says to the gate. */
  signal(observed: Observation, nowMs: number): BreakerSignal;
}

/** @property isRepeatable whether a repeat does no harm: only then may it probe an upstream that was down. */
export type SingleCall = PermittedCall & { isRepeatable: boolean };

export type CallOutcome = ({ outcome: 'parked' } & Deferred) | { outcome: 'observed'; observed: Observation };

export type UpstreamBindings = Pick<Env, 'UPSTREAM_GATE' | 'TOKENS'>;
/** @property subject the name the gate knows the caller by. */
type Caller = PartnerScope & { subject: string };

/** The lane of permits of a caller that has only one. */
const LANE = 'calls';

export class PermittedCalls {
  readonly permits: Permits;
  readonly #bindings: UpstreamBindings;
  /** By lane: a lane makes one call after another. */
  readonly #timers = new Map<string, CallTimer>();

  constructor(bindings: UpstreamBindings, { environment, partner, subject }: Caller) {
    this.#bindings = bindings;
    const gate = (channel: string) => bindings.UPSTREAM_GATE.getByName(gateName(environment, channel));
    this.permits = new Permits(gate, { partner, subject });
  }

  /** Under a permit that was taken from this lane. Never throws, except what `begin` and `end` throw. */
  async call(lane: string, permit: Permit, wanted: PermittedCall): Promise<Observation> {
    const { post, signal, mayBegin, begin, end, waits, ...port } = wanted;
    const { clock } = port;
    const { TOKENS: cache, UPSTREAM_GATE: gates } = this.#bindings;
    const seen = { sendings: 0, startedAtMs: clock.nowMs() };
    const log: SendingLog = {
      waits: () => waits?.(),
      mayBegin: () => clock.nowMs() < permit.untilMs && (mayBegin?.() ?? true),
      begin: (tokenFingerprint) => {
        if (seen.sendings === 0) seen.startedAtMs = clock.nowMs(); // waiting for a token or a slot does not count as latency
        seen.sendings += 1;
        begin?.(tokenFingerprint);
      },
      end: (observed) => end?.(observed),
    };
    let observed: Observation | null = null;
    try {
      const tokens = tokenSource({ cache, gate: (name) => gates.getByName(name) }, clock);
      observed = await post({ ...port, tokens, log, timer: this.#timer(lane) });
      return observed;
    } finally {
      const verdict = observed === null ? 'busy' : signal(observed, clock.nowMs());
      const status = observed?.outcome === 'answered' ? observed.status : null;
      this.permits.note(lane, permit, { verdict, status, detail: whyIn(observed), endedAtMs: clock.nowMs(), ...seen });
    }
  }

  #timer(lane: string): CallTimer {
    const timer = this.#timers.get(lane) ?? new CallTimer();
    this.#timers.set(lane, timer);
    return timer;
  }

  /**
   * With a permit at hand, or else one that it requests. Throws as `call`.
   * @param waitsUntilMs when it gives up waiting for a permit; absent: never.
   */
  async request(wanted: SingleCall, waitsUntilMs?: number): Promise<CallOutcome> {
    const { channel, scac, clock, isRepeatable } = wanted;
    const of = { channel: channel.name, scac };
    let permit = this.permits.take(LANE, of, clock);
    if (permit === null) {
      const needed = { ...of, repeatable: isRepeatable, backlog: 1, waitsUntilMs };
      const parked = await this.permits.request(LANE, needed, clock);
      permit = this.permits.take(LANE, of, clock);
      if (permit === null) return { outcome: 'parked', ...(parked ?? { untilMs: clock.nowMs(), why: 'rate' }) };
    }
    return { outcome: 'observed', observed: await this.call(LANE, permit, wanted) };
  }

  /** No more calls of this lane come soon: unused permits go back. Never throws. */
  settle(lane = LANE): Promise<void> {
    this.#timers.get(lane)?.stop();
    return this.permits.settle(lane);
  }
}

/** One call, with a permit of its own: somebody is waiting for the answer. @param waitMs for a permit, at most. */
export async function callOnce(
  bindings: UpstreamBindings,
  caller: Caller,
  wanted: SingleCall,
  waitMs: number,
): Promise<CallOutcome> {
  const { clock } = wanted;
  const calls = new PermittedCalls(bindings, caller);
  const untilMs = clock.nowMs() + waitMs;
  try {
    for (;;) {
      const called = deferredIfLate(await calls.request(wanted, untilMs), clock);
      const againMs = called.outcome === 'parked' ? Math.max(called.untilMs, clock.nowMs() + 1) : 0;
      if (called.outcome === 'observed' || againMs > untilMs) return called;
      await scheduler.wait(againMs - clock.nowMs());
    }
  } finally {
    await calls.settle();
  }
}

/** What the status does not say. */
function whyIn(observed: Observation | null): string {
  if (observed === null) return '';
  return observed.outcome === 'answered' ? (observed.notRenewed ?? '') : `${observed.code}: ${observed.detail}`;
}

/** A call whose permit ran out before it could leave was not made: it needs another one. */
function deferredIfLate(called: CallOutcome, clock: Clock): CallOutcome {
  const isLate =
    called.outcome === 'observed' && called.observed.outcome === 'not_sent' && called.observed.code === 'withdrawn';
  return isLate ? { outcome: 'parked', untilMs: clock.nowMs(), why: 'rate' } : called;
}
