/** Where a Batch stands, as it is stored between two steps. */
import type { Checkpoint } from '../../formats/reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { DeliveryRules } from '../../mapping/document/delivery-spec.ts';

import type { AwaitedLookUp } from '../steps/looking-up.ts';

import type { BatchState } from './ticket.ts';

/** What the batch knows of its row. @property written JSON of it as the index has it; null: it is not known to have any. */
export interface IndexMark {
  revision: number;
  written: string | null;
}

/** What a compressed upload was unpacked to, or the CSV text that a workbook was converted to. */
export interface Contents {
  /** Of all files together. */
  bytes: number;
  /** Of an archive, in its order; absent: it held one file. */
  files?: ArchiveFile[];
  /** Name of the sheet that the text was, in a workbook. */
  sheet?: string;
  /** What a person should know of the archive or workbook though nothing is wrong. */
  notes?: string[];
}

export interface ArchiveFile {
  /** As it is shown; no two of an archive are equal. */
  name: string;
  bytes: number;
  /** Records in the files before it; null until its turn. */
  recordsBefore: number | null;
  state: 'unread' | 'reading' | 'read' | 'unreadable';
  /** How it was read, when a person should know. */
  notes?: string[];
}

/**
 * One thing to tell. It is committed before it is told, so that a repeat bears the same name.
 * @property number tells it from others of its type and batch.
 */
export interface NewsMark {
  number: number;
  atMs: number;
  isTold: boolean;
}

/** What was told, or is to be. Absent: there was nothing of the kind. */
export interface NewsMarks {
  /** `number`: the opening that ended; `atMs`: its end. */
  settled?: NewsMark;
  /** `requests`: how many held ones the partner knows of. */
  held?: NewsMark & { requests: number };
  acknowledged?: NewsMark;
}

/**
 * `doubtful`: a hand-over may have been under way when the process died, so what comes next in line may be with its subject.
 * `handed_over`: subjects are asked for what stands behind `after`, up to `last`. `rest`: everything else goes to nobody.
 */
export type Withdrawal = { phase: 'doubtful' | 'rest' } | { phase: 'handed_over'; after: BatchMark; last: BatchMark };

/** Withdrawn on request, and not retried since. */
export const isWithdrawn = ({ cancelledAtMs, retriedAtMs }: BatchProgress): boolean =>
  cancelledAtMs !== undefined && (retriedAtMs === undefined || cancelledAtMs >= retriedAtMs);

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
