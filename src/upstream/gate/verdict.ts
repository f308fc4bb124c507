/** What one finished attempt says to its gate, and what that means to each kind of breaker. Pure. */
import type { Failure, ProbeResult, Scope } from './breaker.ts';

export type Verdict =
  /** The upstream took the request, or refused it for its own sake: it works, and knows channel and SCAC. */
  | 'passed'
  /** No answer, or 5xx. */
  | 'failed'
  | 'redirected'
  /** Not now (429 and its like): says nothing about its health. */
  | 'busy'
  /** 401 also with a token that was renewed. */
  | 'credentials_refused'
  /** 403. */
  | 'scac_refused';

/** @property sendings more than one where a refused token was renewed; none where nothing left. */
export interface AttemptResult {
  lease: string;
  partner: string;
  scac: string;
  subject: string;
  verdict: Verdict;
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

/** @returns what the verdict of a probe says about the breaker of this scope. */
export function probeResult(scope: Scope, verdict: Verdict): ProbeResult {
  if (verdict === 'passed') return 'passed';
  if (scope === 'auth') return verdict === 'credentials_refused' ? 'failed' : 'unsaid';
  if (scope.startsWith('scac:')) return verdict === 'scac_refused' ? 'failed' : 'unsaid';
  return verdict === 'failed' || verdict === 'redirected' ? 'failed' : 'unsaid';
}
