/** The breakers of one channel: which stand in the way of a request, and what the results of attempts do to them. */
import type { Clock } from '../../kernel/clock.ts';
import { SCACS_PARKED_MAX } from '../../kernel/limits.ts';
import {
  afterProbe,
  type Breaker,
  type Failure,
  type OpenedBy,
  openBreaker,
  type ProbeResult,
  type Scope,
} from './breaker.ts';
import { type FailureWindow, tripOf, windowMs, withoutPartner, withResult } from './failure-window.ts';
import { type AttemptResult, failureOf, probeResult, type Verdict } from './verdict.ts';

export class Breakers {
  readonly #clock: Clock;
  readonly #open: Map<Scope, Breaker>;
  readonly #closedAtMs = new Map<Scope, number>();
  readonly #activeAtMs = new Map<string, number>();
  readonly #changed = new Set<Scope>();
  #window: FailureWindow = new Map();
  /** What the channel's own probe was asked about and has not answered. */
  readonly #ownProbeFor = new Set<Scope>();
  /** Whether the channel has a probe of its own. */
  readonly #hasOwnProbe: boolean;

  constructor(stored: readonly Breaker[], hasOwnProbe: boolean, clock: Clock) {
    this.#clock = clock;
    this.#hasOwnProbe = hasOwnProbe;
    this.#open = new Map(stored.map((breaker) => [breaker.scope, breaker]));
  }

  get all(): Breaker[] {
    return [...this.#open.values()];
  }

  get(scope: Scope): Breaker | undefined {
    return this.#open.get(scope);
  }

  /** Scopes that changed since the last call; one that is not open any more is to be forgotten. */
  takeChanged(): Scope[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Those in the way of a request, the widest first. */
  over({ partner, scac }: { partner: string; scac: string }): Breaker[] {
    this.#narrow(partner);
    const scopes: Scope[] = ['auth', 'channel', `partner:${partner}`, `scac:${scac}`];
    return scopes.flatMap((scope) => this.#open.get(scope) ?? []);
  }

  active(partner: string): void {
    this.#activeAtMs.set(partner, this.#clock.nowMs());
  }

  put(breaker: Breaker): void {
    this.#open.set(breaker.scope, breaker);
    this.#changed.add(breaker.scope);
  }

  close(scope: Scope): Breaker | undefined {
    const was = this.#open.get(scope);
    if (was === undefined) return undefined;
    this.#open.delete(scope);
    this.#closedAtMs.set(scope, this.#clock.nowMs());
    this.#changed.add(scope);
    // What had opened it is no evidence any more.
    if (scope === 'channel') this.#window = new Map();
    if (scope.startsWith('partner:')) this.#window = withoutPartner(this.#window, scope.slice('partner:'.length));
    return was;
  }

  /**
   * Whether the channel's own probe is to go before this request: always where credentials were refused; before a request
   * that must not be sent twice, wherever nothing has passed yet.
   */
  awaitsOwnProbe(breaker: Breaker, repeatable: boolean): boolean {
    if (!this.#hasOwnProbe) return false;
    if (breaker.scope === 'auth') return breaker.state === 'open';
    if (repeatable || breaker.scope.startsWith('scac:') || breaker.successes > 0) return false;
    this.#ownProbeFor.add(breaker.scope);
    return true;
  }

  /** When the channel's own probe is due, null where nothing asks for it. */
  ownProbeAtMs(): number | null {
    if (!this.#hasOwnProbe) return null;
    if (this.#ownProbeFor.size > 0) return this.#clock.nowMs();
    const auth = this.#open.get('auth');
    return auth?.state === 'open' ? auth.untilMs : null;
  }

  /** What the channel's own probe was answered. It proves nothing about the SCAC, nor that a row's credentials pass. */
  noteOwnProbe(verdict: Verdict, failure: Failure): void {
    const refused = verdict === 'credentials_refused' || verdict === 'scac_refused';
    const auth = this.#open.get('auth');
    if (refused && auth === undefined) {
      this.put(openBreaker({ scope: 'auth', why: 'channel_refused', lastFailure: failure }, this.#clock));
    }
    if (auth?.state === 'open' && auth.untilMs <= this.#clock.nowMs()) {
      if (refused) this.#probed('auth', 'failed', failure);
      else this.put({ ...auth, state: 'half_open' });
    }
    for (const scope of this.#ownProbeFor) {
      if (scope !== 'auth') this.#probed(scope, probeResult(scope, refused ? 'passed' : verdict), failure);
    }
    this.#ownProbeFor.clear();
  }

  note(result: AttemptResult): void {
    this.active(result.partner);
    const probed = this.all.filter(({ probe }) => probe?.lease === result.lease);
    for (const breaker of probed) {
      this.#probed(breaker.scope, probeResult(breaker.scope, result.verdict), failureOf(result));
    }
    this.#noteHealth(result);
    if (result.verdict === 'credentials_refused') this.#trip('auth', 'credentials_refused', result);
    if (result.verdict === 'scac_refused') this.#park(result);
  }

  #probed(scope: Scope, said: ProbeResult, failure: Failure): void {
    const breaker = this.#open.get(scope);
    if (breaker === undefined) return;
    const next = afterProbe(breaker, said, failure, this.#clock);
    if (next === null) this.close(scope);
    else this.put(next);
  }

  /** A lease ended without a word about its probe. */
  probeReturned(lease: string): void {
    for (const breaker of this.all) if (breaker.probe?.lease === lease) this.put({ ...breaker, probe: null });
  }

  #noteHealth(result: AttemptResult): void {
    if (this.#isLate('channel', result) || this.#isLate(`partner:${result.partner}`, result)) return;
    this.#window = withResult(this.#window, result, this.#clock);
    if (result.verdict !== 'failed' && result.verdict !== 'redirected') return;
    const trip = tripOf(this.#window, result.partner, this.#activePartners());
    if (trip === null || this.#open.has(trip.scope)) return;
    if (trip.scope !== 'channel') this.#window = withoutPartner(this.#window, result.partner);
    this.put(openBreaker({ ...trip, lastFailure: failureOf(result) }, this.#clock));
  }

  #trip(scope: Scope, why: OpenedBy, result: AttemptResult): void {
    if (this.#isLate(scope, result)) return;
    this.put(openBreaker({ scope, why, lastFailure: failureOf(result) }, this.#clock));
  }

  #park(result: AttemptResult): void {
    const scope: Scope = `scac:${result.scac}`;
    if (this.#isLate(scope, result)) return;
    this.#trip(scope, 'not_onboarded', result);
    this.#ownProbeFor.add('auth'); // the SCAC, or the channel?
    const parked = this.all.filter((breaker) => breaker.scope.startsWith('scac:')).length;
    if (parked >= SCACS_PARKED_MAX && !this.#open.has('auth')) this.#trip('auth', 'scacs_parked', result);
  }

  /** Of what is open only its probe speaks; and what began before it closed speaks of the time before. */
  #isLate(scope: Scope, { startedAtMs }: AttemptResult): boolean {
    return this.#open.has(scope) || startedAtMs < (this.#closedAtMs.get(scope) ?? 0);
  }

  #activePartners(): number {
    const sinceMs = this.#clock.nowMs() - windowMs(this.#clock);
    for (const [partner, atMs] of this.#activeAtMs) if (atMs < sinceMs) this.#activeAtMs.delete(partner);
    return this.#activeAtMs.size;
  }

  /** The failures of one partner, alone at that time, closed the channel; now another has come, and is not to wait for him. */
  #narrow(partner: string): void {
    const channel = this.#open.get('channel');
    if (channel === undefined || channel.solePartner === null || channel.solePartner === partner) return;
    const scope: Scope = `partner:${channel.solePartner}`;
    this.#open.delete('channel');
    this.#changed.add('channel');
    this.put({ ...channel, scope, solePartner: null });
  }
}
