/** What an upload asks of the register, and what it is answered. */

import type { BatchTicket } from '../batch/core/ticket.ts';
import type { ClaimedInterchange } from '../batch/envelopes/judged.ts';
import type { RefusedInterchange } from '../batch/envelopes/refused-upload.ts';
import type { MessagePlace } from './rolls.ts';

export interface ClaimRequest {
  ticket: BatchTicket;
  /** Those of the file that may come once only; absent: it has none. */
  interchanges?: readonly ClaimedInterchange[];
  idempotencyKey: string | null;
  /** What the idempotency key stands for: file, mapping name, SCAC, dry run and force. */
  fingerprint: string;
  /** Id of the key that asks. */
  who: string;
}

export type Claim =
  /** `placed`: set for a message. */
  | { outcome: 'claimed'; placed?: MessagePlace }
  /** The same bytes under the same mapping version, or the same key, are that batch or message already. */
  | { outcome: 'replayed'; batchId: string; message?: number; receivedAtMs: number }
  | { outcome: 'force_needs_key'; batchId: string }
  /** One of its interchanges has come before. */
  | { outcome: 'interchange_repeated'; refusal: RefusedInterchange }
  /** `sha256`: of the file that the key stands for. */
  | { outcome: 'key_reused'; batchId: string; sha256: string };

export type Reservation =
  /** The upload goes on: the key is new, or stands for an upload that is known. */
  | { outcome: 'free' }
  /** An upload under this key is under way, at most until then. */
  | { outcome: 'in_flight'; untilMs: number };
