/**
 * One breaker that is not closed; closed ones are not stored. Pure.
 *
 * Open until a time, then half-open with one probe at a time; it closes when enough probes pass. Blocked SCACs and
 * refused credentials are breakers too, with their own waits.
 */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  AUTH_PROBE_MS,
  BREAKER_OPEN_MS,
  BREAKER_OPEN_MS_MAX,
  BREAKER_SUCCESSES,
  SCAC_PROBE_MS,
} from '../../kernel/limits.ts';

/** What a breaker guards: the channel, a partner on it, its credentials, or a SCAC the upstream does not accept. */
export type Scope = 'channel' | 'auth' | `partner:${string}` | `scac:${string}`;

export type OpenedBy =
  | 'failures'
  | 'redirects'
  | 'credentials_refused'
  | 'channel_refused'
  | 'scacs_parked'
  | 'not_onboarded';

/** The last failure; enough to find the attempt. */
export interface Failure {
  atMs: number;
  subject: string;
  status: number | null;
  detail: string;
}

export interface Breaker {
  scope: Scope;
  why: OpenedBy;
  state: 'open' | 'half_open';
  /** When it first opened. */
  sinceMs: number;
  /** Open: the next probe may leave then. */
  untilMs: number;
  /** How long it stays open, on the unscaled clock; doubles with every failed probe. */
  openMs: number;
  successes: number;
  /** The lease that has the probe, and when it counts as lost. */
  probe: { lease: string; sinceMs: number; untilMs: number } | null;
  /** The one partner whose failures opened the channel while no other was active; of a SCAC, who met the refusal. */
  solePartner: string | null;
  lastFailure: Failure | null;
}

interface Rhythm {
  firstMs: number;
  maxMs: number;
  successes: number;
}

const HEALTH: Rhythm = { firstMs: BREAKER_OPEN_MS, maxMs: BREAKER_OPEN_MS_MAX, successes: BREAKER_SUCCESSES };
const AUTH: Rhythm = { firstMs: AUTH_PROBE_MS, maxMs: AUTH_PROBE_MS, successes: 1 };
const SCAC: Rhythm = { firstMs: SCAC_PROBE_MS, maxMs: SCAC_PROBE_MS, successes: 1 };

const rhythmOf = (scope: Scope): Rhythm => (scope === 'auth' ? AUTH : scope.startsWith('scac:') ? SCAC : HEALTH);

export function openBreaker(
  opened: { scope: Scope; why: OpenedBy; solePartner?: string | null; lastFailure: Failure | null },
  clock: Clock,
): Breaker {
  const { firstMs } = rhythmOf(opened.scope);
  return {
    solePartner: null,
    ...opened,
    state: 'open',
    sinceMs: clock.nowMs(),
    untilMs: clock.nowMs() + scaledMs(firstMs, clock),
    openMs: firstMs,
    successes: 0,
    probe: null,
  };
}

/** What a request may do under this breaker now. */
type Passage = { may: 'probe' } | { may: 'wait'; untilMs: number };

/**
 * While a probe is under way, a request waits about as long again as the probe has taken.
 * @param pauseMs the shortest wait, in real ms.
 */
export function passageAt(breaker: Breaker, nowMs: number, pauseMs: number): Passage {
  if (breaker.state === 'open' && nowMs < breaker.untilMs) return { may: 'wait', untilMs: breaker.untilMs };
  const { probe } = breaker;
  if (probe !== null && nowMs < probe.untilMs) {
    return { may: 'wait', untilMs: Math.min(probe.untilMs, nowMs + Math.max(pauseMs, nowMs - probe.sinceMs)) };
  }
  return { may: 'probe' };
}

export const withProbe = (breaker: Breaker, probe: NonNullable<Breaker['probe']>): Breaker => ({
  ...breaker,
  state: 'half_open',
  probe,
});

/** What a probe showed about this breaker. `unsaid`: nothing; the next one may try. */
export type ProbeResult = 'passed' | 'failed' | 'unsaid';

/** @returns null when it closes. */
export function afterProbe(
  breaker: Breaker,
  result: ProbeResult,
  lastFailure: Failure | null,
  clock: Clock,
): Breaker | null {
  const { maxMs, successes } = rhythmOf(breaker.scope);
  switch (result) {
    case 'passed':
      if (breaker.successes + 1 >= successes) return null;
      return { ...breaker, probe: null, successes: breaker.successes + 1 };
    case 'failed': {
      const openMs = Math.min(maxMs, breaker.openMs * 2);
      const untilMs = clock.nowMs() + scaledMs(openMs, clock);
      return { ...breaker, state: 'open', probe: null, successes: 0, openMs, untilMs, lastFailure };
    }
    case 'unsaid':
      return { ...breaker, probe: null };
  }
}

/* What a finished attempt tells its gate, and what that means to each kind of breaker. */

export type BreakerSignal =
  /** The upstream accepted the request, or refused the request itself: it works, and knows channel and SCAC. */
  | 'passed'
  /** No answer, or 5xx; also of the token endpoint, after a 401 to a token that may be old. */
  | 'failed'
  | 'redirected'
  /** Not now (429 and similar): says nothing about its health. */
  | 'busy'
  /** 401 even with a renewed token, or where the token endpoint refused to renew it. */
  | 'credentials_refused'
  /** 403. */
  | 'scac_refused';

/** @property sendings 2 or more if a refused token was renewed; 0 if nothing left. */
export interface AttemptResult {
  lease: string;
  partner: string;
  scac: string;
  subject: string;
  verdict: BreakerSignal;
  sendings: number;
  startedAtMs: number;
  endedAtMs: number;
  status: number | null;
  detail: string;
}

export const failureOf = ({ endedAtMs, subject, status, detail }: AttemptResult): Failure => ({
  atMs: endedAtMs,
  subject,
  status,
  detail,
});

/** @returns what a probe's result means for the breaker of this scope. */
export function probeResult(scope: Scope, classify: BreakerSignal): ProbeResult {
  if (classify === 'passed') return 'passed';
  if (scope === 'auth') return classify === 'credentials_refused' ? 'failed' : 'unsaid';
  if (scope.startsWith('scac:')) return classify === 'scac_refused' ? 'failed' : 'unsaid';
  return classify === 'failed' || classify === 'redirected' ? 'failed' : 'unsaid';
}
