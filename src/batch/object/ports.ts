/** What cancelling and retrying need of their Batch, so that their steps stand in files of their own. */

import type { RequestOutcome } from '../../delivery/outcome.ts';
import type { BatchProgress } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { InterchangeRegister } from '../envelopes/interchanges.ts';
import type { Subjects } from '../steps/dispatch.ts';
import type { LookupStore } from '../steps/lookup.ts';
import type { ActionStore } from '../store/action-store.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { ClaimStore } from '../store/claim-store.ts';
import type { DeadLetterStore, ReplayStore } from '../store/dead-letter-store.ts';
import type { MessageStore } from '../store/message-store.ts';

/* The register that knows which batches are open, as a Batch needs it. */

/** @property claimsNothing the same file may come in again as new work; opening the one that ends, 0 for the first. */
export interface BatchEnd {
  state: 'settled' | 'unreadable';
  /** None of its rows became a request. */
  tookNothing: boolean;
  claimsNothing: boolean;
  opening: number;
}

/** What a Batch needs of the register that knows which batches are open: a port of the caller. */
export interface BatchRegister extends InterchangeRegister {
  /** Without effect once the batch was opened again since. */
  closeBatch(batchId: string, end: BatchEnd): Promise<void>;
  /** A batch that claims nothing takes its claim back. @returns the batch that holds it now: another one where the file came in again. */
  reclaim(batchId: string, nowMs: number): Promise<string>;
  /** The batch is open again. @param opening counts from 1; without effect where a later one, or the end of this one, is known. */
  reopenBatch(batchId: string, opening: number): Promise<void>;
  /** Nothing of a message became a request. @param isUnreadable nothing of it could be read either. Idempotent. */
  releaseMessage(uploadId: string, isUnreadable: boolean): Promise<void>;
  /** The life of the batch has ended, and it is gone. Idempotent. */
  forgetBatch(batchId: string): Promise<void>;
}

export interface ActionPort {
  store: BatchStore;
  claims: ClaimStore;
  created(): { ticket: BatchTicket; progress: BatchProgress };
  actions: ActionStore;
  letters: DeadLetterStore;
  replays: ReplayStore;
  messages: MessageStore;
  lookUps: LookupStore;
  subjects: Subjects;
  register(): BatchRegister;
  /** Changes requests as a subject's report does; counts and rows follow. */
  move(outcomes: readonly RequestOutcome[]): void;
  /** Changes what is named and leaves the rest as it stands now: reports may have come in meanwhile. */
  keep(change: { [Key in keyof BatchProgress]?: BatchProgress[Key] | undefined }): void;
  nowMs(): number;
}
