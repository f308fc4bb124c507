/** Where a Batch stands, as it is stored between two steps. */
import type { Checkpoint } from '../formats/reader.ts';
import type { Problem } from '../kernel/problem.ts';
import type { DeliveryRules } from '../mapping/delivery-spec.ts';
import type { Withdrawal } from './cancel.ts';
import type { Contents } from './contents.ts';
import type { AwaitedLookUp } from './looking-up.ts';
import type { NewsMarks } from './news.ts';
import type { BatchState } from './ticket.ts';

/** A place in the order of requests: all up to it, or all behind it. */
export type BatchMark = { record: number; request: number };

/** Where the batch stands: what was read, and the last request handed over. */
export interface BatchProgress {
  state: BatchState;
  /** Of a batch that messages share, the one whose turn it is: what follows is of it. Absent: the batch is of one upload. */
  message?: number;
  /** In the file that is read; null before its first slice: where to begin is the reader's to say. */
  checkpoint: Checkpoint | null;
  /** What a compressed upload was unpacked to; null: it is read as received; absent: not looked at yet. */
  content?: Contents | null;
  readingFinished: boolean;
  /** What the mapping asks of delivery; absent: the usual. */
  rules?: DeliveryRules;
  /** It waits for answers to what its mapping looks up; absent: it does not. */
  awaited?: AwaitedLookUp;
  /** All files are read; groups whose rows may stand anywhere become requests now. */
  emitting?: boolean;
  /** Requests up to this (record, request) have been taken over by their loads. */
  handedOver: BatchMark;
  /** When that last moved; absent: nothing was handed over. */
  handedOverAtMs?: number;
  settledAtMs: number | null;
  /** Why the file, or one of an archive's files, could not be read as a whole, or where it breaks off. */
  problems: Problem[];
  /** Whether the register knows the end. */
  reported: boolean;
  /** When it was cancelled last; absent: never. */
  cancelledAtMs?: number;
  /** How far a cancel is; absent: it is done, or there was none. */
  withdrawal?: Withdrawal;
  /** When it was retried last; absent: never. */
  retriedAtMs?: number;
  /** Some of the requests chosen for a retry may not be with their subjects yet. */
  retrying?: true;
  /** How often it was opened again: the register goes by the latest opening, whatever comes late. Absent: never. */
  opening?: number;
  /** It ended withdrawn as a whole, and the register has let its claims go. */
  claimsNothing?: true;
  /** It takes no more messages: it has refused one, or its end has begun. Absent: not so. */
  isClosed?: true;
  /** When the life of its bytes ended; absent: they are there. */
  bytesDeletedAtMs?: number;
  /** What partners were told of it, or are to be. */
  news?: NewsMarks;
}
