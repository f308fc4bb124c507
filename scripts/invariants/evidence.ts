/**
 * What the invariants look at: what was accepted, what the upstream's journal saw, what the bridge stored and reports. `kill` and
 * `prove` collect it over HTTP and from files on disk, `simulate` from its world. Plain data, times in ms.
 */
import { createHash } from 'node:crypto';
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import { requestKey } from '../../src/kernel/names.ts';
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import type { JournalEntry } from '../local/stack.ts';

/** What did not hold. @property invariant its name in docs/design/delivery.md, or what a proof is about. */
export interface Violation {
  invariant: string;
  what: string;
}

/** Makes violations of one invariant. */
export const breaks =
  (invariant: string) =>
  (what: string): Violation => ({ invariant, what });

export const sentenceOf = ({ invariant, what }: Violation): string => `${invariant}: ${what}`;

/** A request as the upstream logged it. */
export type Arrival = Pick<JournalEntry, 'seq' | 'receivedAtMs' | 'path' | 'body' | 'applied' | 'status'>;

/** Of a journal, what went to one endpoint. */
export const seenAt = <Entry extends Pick<Arrival, 'path'>>(
  journal: readonly Entry[],
  endpoint: 'milestone' | 'trace' | 'orderCreate' | 'orderHistory' | 'oauthToken',
): Entry[] => journal.filter(({ path }) => path.endsWith(ENDPOINTS[endpoint].path));

/** A batch: how many rows came in, and what is reported of them. */
export interface BatchEvidence {
  summary: BatchSummary;
  rows: readonly BatchRow[];
  rowsUploaded: number;
}

export interface StoredAttempt {
  /** Other than `send`: it only asked. */
  purpose: 'send' | 'check' | 'precheck' | 'status';
  startedAtMs: number;
  /** null: no outcome was recorded. */
  effect: string | null;
  status: number | null;
  /** What happened in the place of an answer. */
  detail: string | null;
  /** null: no headers came. */
  latencyMs: number | null;
  requestSha256: string;
  tokenFingerprint: string | null;
  /** The seqs whose points it carried; null: its own request alone. */
  carries: number[] | null;
}

export interface StoredRequest {
  batchId: string;
  record: number;
  request: number;
  seq: number;
  lane: string;
  kind: string;
  body: string;
  state: string;
  reason: string | null;
  /** The request it travels in or repeats; the lead of a set names itself. */
  intoSeq: number | null;
  takenAtMs: number;
  possibleDuplicate: boolean;
  late: boolean;
  attempts: StoredAttempt[];
}

/** One Load or Order object: its requests in hand-over order; its sets of points, known by their leads, in the order of their sending. */
export interface StoredSubject {
  requests: StoredRequest[];
  sets: { lead: number; points: number; body: string }[];
}

/** What may have left a subject: the exact body, the requests it carries, its attempts. */
export interface Sending {
  lane: string;
  body: string;
  /** In the order of the set; a request that travels by itself carries itself. */
  carries: StoredRequest[];
  /** Those that sent it. */
  attempts: StoredAttempt[];
  /** Those that only asked what became of it. */
  lookUps: StoredAttempt[];
}

/**
 * In the order in which they must be applied, lane by lane. Points that are in no set yet are left out. Nothing is refused in the
 * harnesses, so no set is ever halved: a set has one body for life.
 */
export function sendingsOf({ requests, sets }: StoredSubject): Sending[] {
  const alone = requests
    .filter(({ lane }) => lane !== 'traces')
    .map((request) => ({ lane: request.lane, body: request.body, carries: [request], ...byPurpose(request.attempts) }));
  const points = Map.groupBy(
    requests.filter(({ lane }) => lane === 'traces'),
    ({ intoSeq }) => intoSeq,
  );
  const packed = sets.map(({ lead, body }) => {
    const carries = points.get(lead) ?? [];
    const attempts = carries.find(({ seq }) => seq === lead)?.attempts ?? [];
    return { lane: 'traces', body, carries, ...byPurpose(attempts) };
  });
  return [...alone, ...packed];
}

const byPurpose = (attempts: readonly StoredAttempt[]): Pick<Sending, 'attempts' | 'lookUps'> => ({
  attempts: attempts.filter(({ purpose }) => purpose === 'send'),
  lookUps: attempts.filter(({ purpose }) => purpose !== 'send'),
});

export const keyOf = ({ batchId, record, request }: Pick<StoredRequest, 'batchId' | 'record' | 'request'>): string =>
  requestKey(batchId, record, request);

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** How often each name came that was wanted, and what came that nobody wanted. */
export function counted(
  wanted: readonly string[],
  came: readonly string[],
): { times(name: string): number; strangers: string[] } {
  const times = new Map<string, number>();
  for (const name of came) times.set(name, (times.get(name) ?? 0) + 1);
  const known = new Set(wanted);
  return { times: (name) => times.get(name) ?? 0, strangers: [...times.keys()].filter((name) => !known.has(name)) };
}

/** A document that the upstream accepted. @property seq of the operation that brought it about. */
export interface StoredVersion {
  seq: number;
  incarnation: number;
  orderId: string;
  document: string;
}

/** What an operation does, as decided at its first turn. @property body sent byte for byte; '' for a cancel. */
export interface StoredPlan {
  seq: number;
  does: 'create' | 'update' | 'cancel';
  orderId: string | null;
  body: string;
  /** Those that sent it. */
  attempts: { startedAtMs: number; requestSha256: string }[];
}

export interface StoredOrder {
  orderRef: string;
  versions: StoredVersion[];
  plans: StoredPlan[];
  /** Operations in hand-over order. */
  operations: { seq: number; kind: string; state: string; reason: string | null }[];
}

/** A status of an order: it happened upstream, or stands in the partner's log. */
export interface Status {
  orderRef: string;
  orderId: string | null;
  code: string;
  atMs: number;
}

export type LoggedStatus = Status & { seq: number };

export interface StoredPoll {
  pollNo: number;
  state: string;
  startedAtMs: number;
  endedAtMs: number | null;
}

export interface StoredGap {
  pollNo: number;
  why: string;
  closedBy: string | null;
}

export interface StoredFeed {
  /** Polls are timed from then on. */
  beganAtMs: number;
  polls: StoredPoll[];
  gaps: StoredGap[];
}
