/** What the Batch's actions and steps need of it, so that they can be in files of their own. */

import type { RequestOutcome } from '../../delivery/outcome.ts';
import type { Granted, UnderWayReport } from '../core/pacing.ts';
import type { BatchCheckpoint, BatchProgress } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { InterchangeRegister } from '../envelopes/interchanges.ts';
import type { Subjects } from '../steps/dispatch.ts';
import type { LookupStore } from '../steps/lookup.ts';
import type { ActionStore } from '../store/action-store.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { ClaimStore } from '../store/claim-store.ts';
import type { DeadLetterStore, ReplayStore } from '../store/dead-letter-store.ts';
import type { MessageStore } from '../store/message-store.ts';

/** @property claimsNothing the same file may come in again as new work; opening the reopen count, 0 at first. */
export interface BatchEnd {
  state: 'settled' | 'unreadable';
  /** None of its rows became a request. */
  tookNothing: boolean;
  claimsNothing: boolean;
  opening: number;
}

/** The register of open batches: a port of the caller. */
export interface BatchRegister extends InterchangeRegister {
  /** No effect if the batch was reopened since. */
  closeBatch(batchId: string, end: BatchEnd): Promise<void>;
  /**
   * A batch that claims nothing takes back what it claimed. @returns the batch that has it now: another one if the file,
   * or something under a key or control number of it, came in again.
   */
  reclaim(batchId: string, nowMs: number): Promise<string>;
  /**
   * The batch is open again. @param opening the reopen count, from 1; no effect if a later one, or the end of this one,
   * is known.
   */
  reopenBatch(batchId: string, opening: number): Promise<void>;
  /** Nothing of a message became a request. @param isUnreadable nothing of it could be read either. Idempotent. */
  releaseMessage(uploadId: string, isUnreadable: boolean): Promise<void>;
  /** What the batch has under way. @returns how many new loads and orders it may call. */
  underWay(batchId: string, told: UnderWayReport): Promise<Granted>;
  /** The batch's retention has ended, and it is deleted. Idempotent. */
  forgetBatch(batchId: string): Promise<void>;
}

export type ProgressChange = { [Key in keyof BatchProgress]?: BatchProgress[Key] | undefined };

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
  /** Requests after the checkpoint that their subject may have: all that may be are up to `last`. */
  doubtful(): { last: BatchCheckpoint; mayHave(request: BatchCheckpoint): boolean };
  /** Nothing that was read so far is dispatched; visits under way go on. */
  emptyAhead(): void;
  register(): BatchRegister;
  /** Changes requests as a subject's report does; counts and rows follow. */
  move(outcomes: readonly RequestOutcome[]): void;
  /** Changes only the named fields, of the current state: reports may have come in meanwhile. */
  keep(change: ProgressChange): void;
  /** The same in memory alone, until something is stored: for what is found out again if it is lost. */
  note(change: ProgressChange): void;
  nowMs(): number;
}
