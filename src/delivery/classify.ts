/**
 * What one observation says about the request's effect at the upstream.
 *
 * Pure and total over every status and every kind of failure: an ambiguous one is `unknown`, never a guess.
 */

import { RETRY_AFTER_MAX_MS, RETRY_AFTER_MIN_MS } from '../kernel/limits.ts';
import type { Answer, Observation } from '../upstream/answer.ts';
import { parseJson, valueAt } from '../upstream/contracts/json.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import type { BreakerSignal } from '../upstream/gate/breaker.ts';

/* Whether an answer says that the upstream does not know the load: its form is our choice (NOT_SHOWN.loadUnknown). */

const { status: STATUS, path: PATH, codes: CODES } = NOT_SHOWN.loadUnknown;

export function isLoadUnknown({ status, body, bodyEnd }: Answer): boolean {
  if (status !== STATUS || bodyEnd !== 'whole') return false;
  const code = valueAt(parseJson(body), PATH);
  return CODES.some((known) => known === code);
}

export type AttemptClass =
  /** 2xx. */
  | { effect: 'applied' }
  /** The upstream refused the request. `loadUnknown`: because it does not know the load, which may change. */
  | { effect: 'refused'; loadUnknown?: true }
  /** 3xx: recorded, never followed. */
  | { effect: 'redirected' }
  /** Proved not to be applied; the same request may succeed later. */
  | { effect: 'not_applied'; retryAfterMs?: number }
  /**
   * The channel is at fault, not the request: the request waits and loses no try. `no_token`: its token was refused, and no
   * new one can be had.
   */
  | { effect: 'channel'; reason: 'credentials_refused' | 'scac_refused' | 'no_token'; retryAfterMs?: number }
  /** It may or may not have been applied. */
  | { effect: 'unknown'; retryAfterMs?: number }
  /** Nothing left this process. `retry`: a token may be available later. */
  | { effect: 'not_sent'; retry: boolean };

const NOT_APPLIED_STATUSES = new Set([408, 421, 425, 429]);
const CREDENTIAL_STATUSES = new Set([401, 407]);

/** @param nowMs converts a Retry-After date to a wait. */
export function classify(observed: Observation, nowMs: number): AttemptClass {
  switch (observed.outcome) {
    case 'not_sent':
      return { effect: 'not_sent', retry: observed.code === 'no_token' };
    case 'no_answer':
      return { effect: 'unknown' }; // a throw never proves "not sent"
    case 'answered':
      if (isLoadUnknown(observed)) return { effect: 'refused', loadUnknown: true };
      return classifyStatus(observed, nowMs);
  }
}

function classifyStatus({ status, headers, notRenewed }: Answer, nowMs: number): AttemptClass {
  const retryAfter = headers['retry-after'];
  if (status >= 200 && status < 300) return { effect: 'applied' };
  if (status >= 300 && status < 400) return { effect: 'redirected' };
  const retryAfterMs = readRetryAfter(retryAfter, nowMs);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (CREDENTIAL_STATUSES.has(status)) {
    return { effect: 'channel', reason: notRenewed === undefined ? 'credentials_refused' : 'no_token', ...wait };
  }
  if (status === 403) return { effect: 'channel', reason: 'scac_refused', ...wait };
  if (NOT_APPLIED_STATUSES.has(status)) return { effect: 'not_applied', ...wait };
  if (status === 503 && retryAfter !== undefined) return { effect: 'not_applied', ...wait };
  if (status >= 400 && status < 500) return { effect: 'refused' };
  return { effect: 'unknown', ...wait };
}

/** `Date.parse` alone finds a date in almost any text. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Seconds or an HTTP date (RFC 9110 §10.2.3), clamped to 1 s – 6 h.
 * @returns undefined if it is neither: then the schedule applies.
 */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const waitMs = /^\d+$/.test(trimmed)
    ? Number(trimmed) * 1_000
    : HTTP_DATE.test(trimmed)
      ? Date.parse(trimmed) - nowMs
      : NaN;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(RETRY_AFTER_MAX_MS, Math.max(RETRY_AFTER_MIN_MS, waitMs));
}

/* What an attempt says to its channel's gate. */

export const signalOf = (observed: Observation, nowMs: number): BreakerSignal =>
  classificationOf(observed, classify(observed, nowMs));

export function classificationOf(observed: Observation, seen: AttemptClass): BreakerSignal {
  switch (seen.effect) {
    case 'applied':
    case 'refused':
      return 'passed';
    case 'redirected':
      return 'redirected';
    case 'unknown':
      return 'failed';
    case 'channel': // without a new token nothing is known of the credentials, only that no token can be had
      return seen.reason === 'no_token' ? 'failed' : seen.reason;
    case 'not_applied': // a 503 that names a time is still a 5xx
      return observed.outcome === 'answered' && observed.status >= 500 ? 'failed' : 'busy';
    case 'not_sent':
      return 'busy';
  }
}
