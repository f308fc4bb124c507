/**
 * The shapes between the parts: the input and the result of a decision about a request.
 *
 * A decision is pure. It reads through `Look` and lists its effects; the object carries them out now, later or never,
 * which is how a fault can separate the answer from what really happened.
 */
import { type Answer, type Received, refuse } from './http.ts';
import type { Account, Environment, Settings } from './settings.ts';

export interface StoredToken {
  environment: Environment;
  account: string;
  expiresAtMs: number;
}

export type OrderAction = 'create' | 'update' | 'cancel';

/** An order without its document, which an update alone depends on. */
export interface StoredOrder {
  id: string;
  environment: Environment;
  account: string;
  partnerId: string;
  clientId: string;
  scac: string;
  orderRef: string;
  createdAtMs: number;
  cancelledAtMs: number | null;
  /** When each step of `LIFE` is reached, in its order, in real milliseconds after `createdAtMs`. */
  stepOffsetsMs: number[];
  actions: { action: OrderAction; atMs: number }[];
}

/** Whose changes a batch poll queries (seed 4.4), and of which account. */
export interface PollFeedKey {
  environment: Environment;
  account: string;
  partnerId: string;
  clientId: string;
}

/** What a decision may read, all as of the moment of the request. */
export interface Look {
  settings: Settings;
  timeScale: number;
  /** By `sha256Hex` of the token: tokens themselves are not stored. */
  token(hash: string): StoredToken | undefined;
  order(id: string): StoredOrder | undefined;
  /** As last written, including an id in the body. */
  document(id: string): unknown;
  ordersByRef(owner: Pick<PollFeedKey, 'environment' | 'account'>, orderRef: string): StoredOrder[];
  ordersOfFeedKey(pair: PollFeedKey): StoredOrder[];
  /** Instant of the last poll under this order-feed key; 0 before the first. */
  cursorMs(pair: PollFeedKey): number;
}

export type Effect =
  | { kind: 'token_minted'; hash: string; token: StoredToken; endpoint: 1 | 2 }
  | { kind: 'token_expired'; hash: string }
  /** Milestones and traces change nothing; only the journal row says `applied`. */
  | { kind: 'event_recorded' }
  | { kind: 'order_created'; order: StoredOrder; refs: string[]; document: string }
  | { kind: 'order_updated'; id: string; refs: string[]; document: string }
  | { kind: 'order_cancelled'; id: string }
  | { kind: 'cursor_moved'; pair: PollFeedKey; toMs: number };

export interface Decision {
  answer: Answer;
  effects: Effect[];
}

/** A request whose caller is known and whose headers are in order. */
export interface StoreQuery {
  received: Received;
  params: Record<string, string>;
  account: Account;
  /** Empty if the endpoint needs none. */
  scac: string;
  nowMs: number;
  look: Look;
  newId: () => string;
}

/** For plain reads, and for what was refused before. */
export function answerOnly(answer: Answer): Decision {
  return { answer, effects: [] };
}

export const refusal = (...why: Parameters<typeof refuse>): Decision => answerOnly(refuse(...why));

/** What a check found, or the answer that refuses the request. */
export type Checked<Value> = { ok: true; value: Value } | { ok: false; answer: Answer };

export const passed = <Value>(value: Value): Checked<Value> => ({ ok: true, value });
export const refused = (...why: Parameters<typeof refuse>): Checked<never> => ({ ok: false, answer: refuse(...why) });

export function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

/** One received request, as it is stored: secrets as fingerprints, the body capped. */
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
  /** What the client was answered; null if a fault sent no answer. */
  status: number | null;
  manner: string;
  applied: boolean;
  appliedAtMs: number | null;
  /** Id of the rule that acted. */
  fault: string | null;
}
