/**
 * What the last results say about the health of a channel and of each partner on it. Pure: a fold over results.
 *
 * Each subject counts once, by its newest result: one load that fails over and over is one voice.
 */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  BREAKER_FAILED_SHARE,
  BREAKER_PARTNERS_MIN,
  BREAKER_REDIRECT_RUN,
  BREAKER_RESULTS_MIN,
  BREAKER_RUN,
  BREAKER_SUBJECTS_KEPT,
  BREAKER_SUBJECTS_MIN,
  BREAKER_WINDOW_MS,
  BREAKER_WINDOW_MS_MIN,
} from '../../kernel/limits.ts';
import type { OpenedBy, Scope } from './breaker.ts';
import type { AttemptResult } from './verdict.ts';

interface Sample {
  partner: string;
  atMs: number;
  verdict: 'passed' | 'failed' | 'redirected';
}

export interface Trip {
  scope: Scope;
  why: OpenedBy;
  solePartner: string | null;
}

/** By subject, the oldest first. A run is what stands at the end without a `passed`. */
export type FailureWindow = ReadonlyMap<string, Sample>;

/** How far back it looks, in real ms. */
export const windowMs = (clock: Clock): number =>
  Math.max(Math.min(BREAKER_WINDOW_MS, BREAKER_WINDOW_MS_MIN), scaledMs(BREAKER_WINDOW_MS, clock));

/** @returns the window with this result, or the same where it says nothing about health. */
export function withResult(window: FailureWindow, result: AttemptResult, clock: Clock): FailureWindow {
  const { verdict, subject, partner } = result;
  if (verdict !== 'passed' && verdict !== 'failed' && verdict !== 'redirected') return window;
  const oldestMs = clock.nowMs() - windowMs(clock);
  const next = new Map(window);
  next.delete(subject);
  next.set(subject, { partner, atMs: clock.nowMs(), verdict });
  for (const [each, { atMs }] of next) {
    if (atMs >= oldestMs && next.size <= BREAKER_SUBJECTS_KEPT) break;
    next.delete(each);
  }
  return next;
}

/**
 * Looks after a failure of this partner.
 * @param activePartners that sent or asked within the window, this one among them.
 * @returns what is to be opened, if anything.
 */
export function tripOf(window: FailureWindow, partner: string, activePartners: number): Trip | null {
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

/** A partner whose requests mostly pass is no witness against the channel. */
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

/** What a partner's breaker was opened for is no evidence any more. */
export const withoutPartner = (window: FailureWindow, partner: string): FailureWindow =>
  new Map([...window].filter(([, sample]) => sample.partner !== partner));
