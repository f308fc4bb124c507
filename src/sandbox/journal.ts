/**
 * One received request into the row that is kept of it: secrets as fingerprints, the body capped. Pure.
 *
 * `applied` says whether the service acted on the request, whatever the client saw of it.
 */

import type { Decision } from './decision.ts';
import { isSuccess } from './decision.ts';
import type { Acted } from './faults/actions.ts';
import { maskBody, maskHeaders } from './masking.ts';
import type { Received } from './received.ts';

/** Longest body text that is kept: 512 KiB, more than a day of positions packs to. A row of the store holds 2 MB at most. */
export const BODY_CHARS_KEPT = 512 * 1024;

export interface JournalEntry {
  receivedAtMs: number;
  /** Null outside `/test` and `/production`. */
  environment: string | null;
  method: string;
  path: string;
  /** As sent, without the question mark. */
  query: string;
  headers: Record<string, string>;
  body: string;
  /** Length as received, also when `body` is capped or was too long to be read. */
  bodyBytes: number;
  /** What the client was answered with; null where a fault answered with nothing. */
  status: number | null;
  manner: string;
  applied: boolean;
  appliedAtMs: number | null;
  /** Id of the rule that acted. */
  fault: string | null;
}

export function describe(
  received: Received,
  outcome: { environment: string | null; decision: Decision; acted: Acted; fault: string | null; nowMs: number },
): JournalEntry {
  const { acted, decision, nowMs } = outcome;
  const { answer, manner } = acted.delivery;
  const applied = acted.applied && isSuccess(decision.answer);
  return {
    receivedAtMs: nowMs,
    environment: outcome.environment,
    method: received.method,
    path: received.path,
    query: new URLSearchParams(received.query).toString(),
    headers: maskHeaders(received.headers),
    body: maskBody(received.body.slice(0, BODY_CHARS_KEPT)),
    bodyBytes: received.bodyBytes,
    status: manner.kind === 'reset' ? null : answer.status,
    manner: manner.kind,
    applied,
    appliedAtMs: applied ? nowMs : null,
    fault: outcome.fault,
  };
}
