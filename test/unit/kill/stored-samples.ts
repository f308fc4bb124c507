/** Stored requests and attempts as a Load or an Order keeps them, with the fields a test does not care about filled in. */
import {
  type StoredAttempt,
  type StoredRequest,
  sha256,
  type Violation,
} from '../../../scripts/invariants/evidence.ts';

export const aStoredRequest = (more: Partial<StoredRequest> = {}): StoredRequest => ({
  batchId: 'b_1',
  record: 1,
  request: 1,
  seq: more.record ?? 1,
  lane: 'milestones',
  kind: 'milestone',
  body: `{"row":${more.record ?? 1}}`,
  state: 'delivered',
  reason: null,
  intoSeq: null,
  takenAtMs: 0,
  possibleDuplicate: false,
  late: false,
  attempts: [],
  ...more,
});

/** @param body what it sent. */
export const anAttempt = (body: string, more: Partial<StoredAttempt> = {}): StoredAttempt => ({
  purpose: 'send',
  startedAtMs: 1_000,
  effect: 'applied',
  status: 200,
  detail: null,
  latencyMs: 20,
  requestSha256: sha256(body),
  tokenFingerprint: null,
  carries: null,
  ...more,
});

/** What was found, in words. */
export const said = (found: readonly Violation[]): string[] => found.map(({ what }) => what);
