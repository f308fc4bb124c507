/** The register that knows which batches are open, as a Batch needs it. */
import type { InterchangeRegister } from '../envelopes/unpacked.ts';

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
