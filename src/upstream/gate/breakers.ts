/** The breakers of one channel: which ones block a request, and how the results of attempts change them. */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  BREAKER_FAILED_SHARE,
  BREAKER_PARTNERS_MIN,
  BREAKER_REDIRECT_RUN,
  BREAKER_RESULTS_MIN,
  BREAKER_RUN,
  BREAKER_SUBJECTS_MAX,
  BREAKER_SUBJECTS_MIN,
  BREAKER_WINDOW_MS,
  BREAKER_WINDOW_MS_MIN,
  SCACS_DEFERRED_MAX,
} from '../../kernel/limits.ts';
import {
  type AttemptResult,
  afterProbe,
  type Breaker,
  type BreakerSignal,
  type Failure,
  failureOf,
  type OpenedBy,
  openBreaker,
  type ProbeResult,
  probeResult,
  type Scope,
} from './breaker.ts';

/*
 * The health of a channel and of each partner on it, from the last results.
 *
 * Each subject counts once, with its newest result: one load that keeps failing counts as one failure.
 */

interface Sample {
  partner: string;
  atMs: number;
  verdict: 'passed' | 'failed' | 'redirected';
}

interface Trip {
  scope: Scope;
  why: OpenedBy;
  solePartner: string | null;
}

/** By subject, oldest first. A run is the end of it without a `passed`. */
type FailureWindow = Map<string, Sample>;

/** The window's length, in real ms. */
const windowMs = (clock: Clock): number =>
  Math.max(Math.min(BREAKER_WINDOW_MS, BREAKER_WINDOW_MS_MIN), scaledMs(BREAKER_WINDOW_MS, clock));

/** Takes in a result, unless it says nothing about health. The window is changed: a copy for each result would cost more than a call. */
function takeIn(window: FailureWindow, { verdict, subject, partner }: AttemptResult, clock: Clock): void {
  if (verdict !== 'passed' && verdict !== 'failed' && verdict !== 'redirected') return;
  const oldestMs = clock.nowMs() - windowMs(clock);
  window.delete(subject);
  window.set(subject, { partner, atMs: clock.nowMs(), verdict });
  for (const [each, { atMs }] of window) {
    if (atMs >= oldestMs && window.size <= BREAKER_SUBJECTS_MAX) break;
    window.delete(each);
  }
}

/**
 * Runs after a failure of this partner.
 * @param activePartners that sent or requested within the window, including this one.
 * @returns what to open, if anything.
 */
function tripOf(window: FailureWindow, partner: string, activePartners: number): Trip | null {
  const all = evidenceIn([...window.values()]);
  if (all !== null) {
    const [sole = partner] = all.partners;
    if (all.partners.size >= BREAKER_PARTNERS_MIN) return { scope: 'channel', why: all.why, solePartner: null };
    if (activePartners < BREAKER_PARTNERS_MIN) return { scope: 'channel', why: all.why, solePartner: sole };
  }
  const own = evidenceIn([...window.values()].filter((sample) => sample.partner === partner));
  return own && { scope: `partner:${partner}`, why: own.why, solePartner: null };
}

interface Evidence {
  why: OpenedBy;
  partners: ReadonlySet<string>;
}

function evidenceIn(samples: readonly Sample[]): Evidence | null {
  const run = runOf(samples);
  const redirects = run.slice(-BREAKER_REDIRECT_RUN);
  if (redirects.length === BREAKER_REDIRECT_RUN && redirects.every(({ verdict }) => verdict === 'redirected')) {
    return { why: 'redirects', partners: partnersOf(redirects) };
  }
  if (run.length >= BREAKER_RUN) return { why: 'failures', partners: partnersOf(run) };
  const failed = samples.filter(({ verdict }) => verdict !== 'passed');
  const isMany = samples.length >= BREAKER_RESULTS_MIN && failed.length >= samples.length * BREAKER_FAILED_SHARE;
  if (isMany && failed.length >= BREAKER_SUBJECTS_MIN) return { why: 'failures', partners: failingPartners(samples) };
  return null;
}

/** A partner whose requests mostly pass is no evidence against the channel. */
function failingPartners(samples: readonly Sample[]): Set<string> {
  const byPartner = [...Map.groupBy(samples, ({ partner }) => partner)];
  const failing = byPartner.filter(([, own]) => {
    const failed = own.filter(({ verdict }) => verdict !== 'passed').length;
    return failed >= own.length * BREAKER_FAILED_SHARE;
  });
  return new Set(failing.map(([partner]) => partner));
}

function runOf(samples: readonly Sample[]): Sample[] {
  const lastPassed = samples.findLastIndex(({ verdict }) => verdict === 'passed');
  return samples.slice(lastPassed + 1);
}

const partnersOf = (samples: readonly Sample[]): Set<string> => new Set(samples.map(({ partner }) => partner));

/** Failures that opened a partner's breaker no longer count as evidence. */
const withoutPartner = (window: FailureWindow, partner: string): FailureWindow =>
  new Map([...window].filter(([, sample]) => sample.partner !== partner));

export class Breakers {
  readonly #clock: Clock;
  readonly #open: Map<Scope, Breaker>;
  readonly #closedAtMs = new Map<Scope, number>();
  readonly #activeAtMs = new Map<string, number>();
  readonly #changed = new Set<Scope>();
  #window: FailureWindow = new Map();
  /** Scopes that wait for the result of the channel's own probe. */
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

  /**
   * What changed since it was last stored; one that cannot be stored is left for the next time, and so are those after it.
   * @param store undefined: it is no longer open.
   */
  storeChanged(store: (scope: Scope, breaker: Breaker | undefined) => void): void {
    for (const scope of [...this.#changed]) {
      store(scope, this.get(scope));
      this.#changed.delete(scope);
    }
  }

  /** Breakers that block a request, widest scope first. */
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
    // The failures that opened it are no longer evidence.
    if (scope === 'channel') this.#window = new Map();
    if (scope.startsWith('partner:')) this.#window = withoutPartner(this.#window, scope.slice('partner:'.length));
    return was;
  }

  /**
   * Whether the channel's own probe must go before this request: always after refused credentials; before a request
   * that must not be sent twice, if nothing has passed yet.
   */
  awaitsOwnProbe(breaker: Breaker, repeatable: boolean): boolean {
    if (!this.#hasOwnProbe) return false;
    if (breaker.scope === 'auth') return breaker.state === 'open';
    if (repeatable || breaker.scope.startsWith('scac:') || breaker.successes > 0) return false;
    this.#ownProbeFor.add(breaker.scope);
    return true;
  }

  /** When the channel's own probe is due, null if none is needed. */
  ownProbeAtMs(): number | null {
    if (!this.#hasOwnProbe) return null;
    if (this.#ownProbeFor.size > 0) return this.#clock.nowMs();
    const auth = this.#open.get('auth');
    return auth?.state === 'open' ? auth.untilMs : null;
  }

  /** Result of the channel's own probe. It proves nothing about the SCAC, nor that a row's credentials pass. */
  noteOwnProbe(verdict: BreakerSignal, failure: Failure): void {
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
      if (scope === 'auth') continue;
      const stillOut = this.#open.get(scope)?.probe ?? null;
      const said = probeResult(scope, refused ? 'passed' : verdict);
      if (stillOut === null || said === 'passed') this.#probed(scope, said, failure, stillOut);
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
    if (result.verdict === 'scac_refused') this.#defer(result);
  }

  /** @param stillOut a request's probe that the channel's own does not end: it decides when it comes back. */
  #probed(scope: Scope, said: ProbeResult, failure: Failure, stillOut: Breaker['probe'] = null): void {
    const breaker = this.#open.get(scope);
    if (breaker === undefined) return;
    const next = afterProbe(breaker, said, failure, this.#clock);
    if (next === null) this.close(scope);
    else this.put({ ...next, probe: stillOut });
  }

  /** A lease ended without a result of its probe. */
  probeReturned(lease: string): void {
    for (const breaker of this.all) if (breaker.probe?.lease === lease) this.put({ ...breaker, probe: null });
  }

  #noteHealth(result: AttemptResult): void {
    if (this.#isLate('channel', result) || this.#isLate(`partner:${result.partner}`, result)) return;
    takeIn(this.#window, result, this.#clock);
    if (result.verdict !== 'failed' && result.verdict !== 'redirected') return;
    const trip = tripOf(this.#window, result.partner, this.#activePartners());
    if (trip === null || this.#open.has(trip.scope)) return;
    if (trip.scope !== 'channel') this.#window = withoutPartner(this.#window, result.partner);
    this.put(openBreaker({ ...trip, lastFailure: failureOf(result) }, this.#clock));
  }

  #trip(scope: Scope, why: OpenedBy, result: AttemptResult, solePartner: string | null = null): void {
    if (this.#isLate(scope, result)) return;
    this.put(openBreaker({ scope, why, solePartner, lastFailure: failureOf(result) }, this.#clock));
  }

  #defer(result: AttemptResult): void {
    const scope: Scope = `scac:${result.scac}`;
    if (this.#isLate(scope, result)) return;
    this.#trip(scope, 'not_onboarded', result, result.partner);
    this.#ownProbeFor.add('auth'); // the SCAC, or the channel?
    const parked = this.all.filter((breaker) => breaker.scope.startsWith('scac:'));
    if (parked.length < SCACS_DEFERRED_MAX || this.#open.has('auth')) return;
    const [sole = null, ...others] = new Set(parked.map(({ solePartner }) => solePartner));
    // One partner's SCACs are no evidence against the channel while others are at work.
    if (others.length > 0) this.#trip('auth', 'scacs_parked', result);
    else if (this.#activePartners() < BREAKER_PARTNERS_MIN) this.#trip('auth', 'scacs_parked', result, sole);
  }

  /** Only its probe counts for an open breaker; a result that began before it closed is outdated. */
  #isLate(scope: Scope, { startedAtMs }: AttemptResult): boolean {
    return this.#open.has(scope) || startedAtMs < (this.#closedAtMs.get(scope) ?? 0);
  }

  #activePartners(): number {
    const sinceMs = this.#clock.nowMs() - windowMs(this.#clock);
    for (const [partner, atMs] of this.#activeAtMs) if (atMs < sinceMs) this.#activeAtMs.delete(partner);
    return this.#activeAtMs.size;
  }

  /** One partner's failures opened the channel while it was alone; another one has come and must not wait for it. */
  #narrow(partner: string): void {
    const auth = this.#open.get('auth');
    if (auth?.why === 'scacs_parked' && auth.solePartner !== null && auth.solePartner !== partner) this.close('auth');
    const channel = this.#open.get('channel');
    if (channel === undefined || channel.solePartner === null || channel.solePartner === partner) return;
    const scope: Scope = `partner:${channel.solePartner}`;
    this.#open.delete('channel');
    this.#changed.add('channel');
    this.put({ ...channel, scope, solePartner: null });
  }
}
