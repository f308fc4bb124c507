/** Where a Batch stands, as it is stored between two steps. */
import type { Checkpoint } from '../../formats/reader.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { BATCH_RETENTION_MS, BYTES_RETENTION_MS } from '../../kernel/limits.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { DeliveryRules } from '../../mapping/document/delivery-spec.ts';
import type { AwaitedLookup } from '../steps/lookup.ts';
import type { BatchState } from './ticket.ts';

/** What the batch knows of its row. @property written JSON of it as the index has it; null: it is not known to have any. */
export interface IndexCheckpoint {
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
export interface NotificationCheckpoint {
  number: number;
  atMs: number;
  isTold: boolean;
}

/** What was told, or is to be. Absent: there was nothing of the kind. */
export interface NotificationCheckpoints {
  /** `number`: the opening that ended; `atMs`: its end. */
  settled?: NotificationCheckpoint;
  /** `requests`: how many held ones the partner knows of. */
  held?: NotificationCheckpoint & { requests: number };
  acknowledged?: NotificationCheckpoint;
}

/**
 * `doubtful`: a hand-over may have been under way when the process died, so what comes next in line may be with its subject.
 * `handed_over`: subjects are asked for what stands behind `after`, up to `last`. `rest`: everything else goes to nobody.
 */
type Withdrawal =
  | { phase: 'doubtful' | 'rest' }
  | { phase: 'handed_over'; after: BatchCheckpoint; last: BatchCheckpoint };

/** Withdrawn on request, and not retried since. */
export const isWithdrawn = ({ cancelledAtMs, retriedAtMs }: BatchProgress): boolean =>
  cancelledAtMs !== undefined && (retriedAtMs === undefined || cancelledAtMs >= retriedAtMs);

/** A place in the order of requests: all up to it, or all behind it. */
export type BatchCheckpoint = { record: number; request: number };

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
  awaited?: AwaitedLookup;
  /** All files are read; groups whose rows may stand anywhere become requests now. */
  emitting?: boolean;
  /** Requests up to this (record, request) have been taken over by their loads. */
  handedOver: BatchCheckpoint;
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
  news?: NotificationCheckpoints;
}

/* A message that shares its batch with others, as it is stored. Types only. */

/** A message as it is appended to its batch. Its bytes are stored under `uploadId`, as those of a file are under its batch. */
export interface MessagePart {
  /** Counts from 1 in its batch, in the order of claims. */
  message: number;
  uploadId: string;
  fileName: string | null;
  bytes: number;
  sha256: string;
  receivedAtMs: number;
  /** Id of the key it came with; absent: nobody said. */
  uploadedBy?: string | null;
}

/** `unread` until its turn; `read`: all its rows are known. */
export type MessageState = 'unread' | 'reading' | 'read' | 'unreadable';

export interface StoredMessage extends MessagePart {
  state: MessageState;
  /** Records in the messages read before it; null until its turn. */
  recordsBefore: number | null;
  /** Its own records; null until all are known. */
  records: number | null;
  /** What it was unpacked to; null: it is read as received. */
  content: Contents | null;
  /** Why it, or one of an archive's files, could not be read, or where it breaks off. */
  problems: Problem[];
  /** What a person should know though nothing is wrong. */
  notes: string[];
}

/** Of all messages together, kept as they change. */
export interface MessageCounts {
  messages: number;
  bytes: number;
  /** Of those that were read to their end. */
  bytesRead: number;
  unreadable: number;
}

/** What is known of a message once it was read. */
export type MessageEnd = Pick<StoredMessage, 'records' | 'content' | 'notes'> & {
  state: 'read' | 'unreadable';
  /** Whether its register has nothing to hear of it. */
  isTold: boolean;
  /** Whether its partner has nothing to hear of it. */
  isAnnounced: boolean;
};

/* How long a batch and its bytes live: both lives begin when its last row was decided. Pure. */

type BatchRetentionStep =
  /** Something is open. */
  { step: 'lives' } | { step: 'wait'; untilMs: number } | { step: 'delete_bytes' } | { step: 'end' };

export function batchRetentionStep(
  { state, settledAtMs, bytesDeletedAtMs }: Pick<BatchProgress, 'state' | 'settledAtMs' | 'bytesDeletedAtMs'>,
  clock: Clock,
): BatchRetentionStep {
  if ((state !== 'settled' && state !== 'unreadable') || settledAtMs === null) return { step: 'lives' };
  const endsMs = settledAtMs + scaledMs(BATCH_RETENTION_MS, clock);
  const bytesEndMs = settledAtMs + scaledMs(BYTES_RETENTION_MS, clock);
  if (clock.nowMs() >= endsMs) return { step: 'end' };
  if (bytesDeletedAtMs !== undefined) return { step: 'wait', untilMs: endsMs };
  return clock.nowMs() >= bytesEndMs ? { step: 'delete_bytes' } : { step: 'wait', untilMs: bytesEndMs };
}
