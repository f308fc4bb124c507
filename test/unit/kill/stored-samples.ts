/** Stored requests and attempts as a Load or an Order keeps them, with the fields a test does not care about filled in. */
import { sha256 } from '../../../scripts/kill/sendings.ts';
import type { StoredAttempt, StoredRequest } from '../../../scripts/kill/stored.ts';

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
