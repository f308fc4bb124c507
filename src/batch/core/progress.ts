/** A Batch's progress, as it is stored between two steps. */
import type { FleetTrouble } from '../../fleet/answer.ts';
import type { Checkpoint } from '../../formats/reader.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  BATCH_RETENTION_MS,
  BYTES_RETENTION_MS,
  LOAD_RETENTION_MS,
  LOADS_END_AGAIN_MS,
  LOADS_END_PASSES_MAX,
} from '../../kernel/limits.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { DeliveryRules } from '../../mapping/document/delivery-spec.ts';
import type { BatchState } from './ticket.ts';

/** Since when a batch has waited for answers to lookups, and the last error. Times are epoch milliseconds. */
export interface AwaitedLookup extends Pick<FleetTrouble, 'api' | 'status' | 'detail'> {
  sinceMs: number;
  tries: number;
  nextMs: number;
}

/**
 * The batch's view of its index rows. @property written JSON of its own row as the index has it; null: it may have none.
 * parts: what else it has; absent: that is not known.
 */
export interface IndexCheckpoint {
  revision: number;
  written: string | null;
  parts?: WrittenParts;
}

/** By id of the issue, its counts; by minute, the sum of its numbers, which only grow. @property step of the minutes. */
export interface WrittenParts {
  issues: Record<string, string>;
  minutes: Record<string, number>;
  step: number;
}

/** What a compressed upload was unpacked to, or the CSV text converted from a workbook. */
export interface Contents {
  /** Of all files together. */
  bytes: number;
  /** Files of an archive, in order; absent: it held one file. */
  files?: ArchiveFile[];
  /** Name of the sheet in the workbook. */
  sheet?: string;
  /** Notes on the archive or workbook, though nothing is wrong. */
  notes?: string[];
}

export interface ArchiveFile {
  /** As shown; unique in an archive. */
  name: string;
  bytes: number;
  /** Records in the files before it; null until it is read. */
  recordsBefore: number | null;
  state: 'unread' | 'reading' | 'read' | 'unreadable';
  /** Notes on how it was read. */
  notes?: string[];
}

/**
 * One notification. It is committed before it is sent, so that a repeat has the same key.
 * @property number distinguishes it from others of its type and batch.
 */
export interface NotificationCheckpoint {
  number: number;
  atMs: number;
  isTold: boolean;
}

/** Notifications sent or due. Absent: none of the kind. */
export interface NotificationCheckpoints {
  /** `number`: the reopen count at that end; `atMs`: the end. */
  settled?: NotificationCheckpoint;
  /** `requests`: how many held ones the partner was notified of. */
  held?: NotificationCheckpoint & { requests: number };
  acknowledged?: NotificationCheckpoint;
}

/**
 * `doubtful`: visits may have been under way, so requests after the checkpoint may already be with their subject; `last`
 * is the checkpoint as it was then, absent before the first step. `handed_over`: subjects are called for the requests after `after`, up to `last`. `rest`: all others are
 * ended here.
 */
type Withdrawal =
  | { phase: 'doubtful'; last?: BatchCheckpoint }
  | { phase: 'rest' }
  | { phase: 'handed_over'; after: BatchCheckpoint; last: BatchCheckpoint };

/** Withdrawn on request, and not retried since. */
export const isWithdrawn = ({ cancelledAtMs, retriedAtMs }: BatchProgress): boolean =>
  cancelledAtMs !== undefined && (retriedAtMs === undefined || cancelledAtMs >= retriedAtMs);

/** A position in the order of requests: all up to it, or all after it. */
export type BatchCheckpoint = { record: number; request: number };
export const START: BatchCheckpoint = { record: 0, request: 0 };
export const isAfter = (one: BatchCheckpoint, other: BatchCheckpoint): boolean =>
  one.record > other.record || (one.record === other.record && one.request > other.request);

/**
 * The calls that end what is over of a batch's loads. @property of the end of the batch that these follow: a reopened batch
 * begins again. pass: from 0, one more where some could not be reached. after: the last request whose load was called.
 */
export interface LoadsEnd {
  of: number;
  pass: number;
  after: BatchCheckpoint;
  missed: number;
  isDone: boolean;
}

/**
 * Loads and orders go first. @property after the last request whose load or order is gone; null: all are. issues ids of
 * those that the index forgets with it.
 */
interface BatchErasing {
  after: BatchCheckpoint | null;
  issues: readonly string[];
}

/** What was read, and the last request dispatched. */
export interface BatchProgress {
  state: BatchState;
  /** Of a rolling batch, the message being read: the fields below are about it. Absent: the batch is of one upload. */
  message?: number;
  /** In the file being read; null before its first slice: the reader decides where to begin. */
  checkpoint: Checkpoint | null;
  /** What a compressed upload was unpacked to; null: it is read as received; absent: not examined yet. */
  content?: Contents | null;
  /**
   * How many texts of set outcomes are kept of what was read so far. Absent: the format has no acknowledgments, or they are
   * made from the stored bytes: an earlier release began to read, rows form groups, or there is too much to keep.
   */
  setTexts?: number;
  readingFinished: boolean;
  /** Content was taken out on request. @property issues ids of those that the index has still to forget. */
  erased?: { issues: readonly string[] };
  /** All of it is erased on request. */
  erasing?: BatchErasing;
  /** Delivery rules of the mapping; absent: the defaults. */
  rules?: DeliveryRules;
  /** The lookup it waits for; absent: none. */
  awaited?: AwaitedLookup;
  /** All files are read; pending groups are now made into requests. */
  emitting?: boolean;
  /** Requests up to this (record, request) are with their loads, and what the visits brought is stored. */
  handedOver: BatchCheckpoint;
  /** When that last advanced; absent: nothing was dispatched. */
  handedOverAtMs?: number;
  settledAtMs: number | null;
  /** Why the file, or one of an archive's files, could not be read, or where it breaks off. */
  problems: Problem[];
  /** Whether the register was notified of the end. */
  reported: boolean;
  /** When it was last cancelled; absent: never. */
  cancelledAtMs?: number;
  /** Progress of a cancel; absent: done, or there was none. */
  withdrawal?: Withdrawal;
  /** When it was last retried; absent: never. */
  retriedAtMs?: number;
  /** Some requests chosen for a retry may not have reached their subjects yet. */
  retrying?: true;
  /** Reopen count: the register goes by the latest, whatever arrives late. Absent: never reopened. */
  opening?: number;
  /** It ended fully withdrawn, and the register has released its claims. */
  claimsNothing?: true;
  /** It accepts no more messages: it has refused one, or is ending. Absent: false. */
  isClosed?: true;
  /** When the retention of its bytes ended; absent: they are stored. */
  bytesDeletedAtMs?: number;
  /** It looks after the retention of its loads. Absent: an earlier release created it, and each load has an alarm for that. */
  endsLoads?: true;
  /** How far it is with that; absent: not begun. */
  loadsEnd?: LoadsEnd;
  /** Notifications to partners, sent or due. */
  news?: NotificationCheckpoints;
}

/** Of a batch that has read nothing. */
export const NOTHING_READ: BatchProgress = {
  state: 'reading',
  checkpoint: null,
  readingFinished: false,
  handedOver: START,
  settledAtMs: null,
  problems: [],
  reported: false,
};

/* A message of a rolling batch, as it is stored. */

/** A message as it is appended to its batch. Its bytes are stored under `uploadId`, as a file's are under its batch. */
export interface MessagePart {
  /** From 1 in its batch, in the order of claims. */
  message: number;
  uploadId: string;
  fileName: string | null;
  bytes: number;
  sha256: string;
  receivedAtMs: number;
  /** Id of the key it came with; absent: unknown. */
  uploadedBy?: string | null;
}

/** `unread` until reading begins; `read`: all its rows are known. */
export type MessageState = 'unread' | 'reading' | 'read' | 'unreadable';

export interface StoredMessage extends MessagePart {
  state: MessageState;
  /** Records in the messages read before it; null until it is read. */
  recordsBefore: number | null;
  /** Its own records; null until all are known. */
  records: number | null;
  /** What it was unpacked to; null: it is read as received. */
  content: Contents | null;
  /** Why it, or one of an archive's files, could not be read, or where it breaks off. */
  problems: Problem[];
  /** Notes for a person, though nothing is wrong. */
  notes: string[];
}

/** Running counts of all messages together. */
export interface MessageCounts {
  messages: number;
  bytes: number;
  /** Of messages read to the end. */
  bytesRead: number;
  unreadable: number;
}

/** Known of a message once it was read. */
export type MessageEnd = Pick<StoredMessage, 'records' | 'content' | 'notes'> & {
  state: 'read' | 'unreadable';
  /** Whether the register needs no notification of it. */
  isTold: boolean;
  /** Whether the partner needs no notification of it. */
  isAnnounced: boolean;
  /** As of the batch of a file. */
  setTexts?: number | undefined;
};

/* Retention of a batch and its bytes: both periods begin when its last row was decided. */

type BatchRetentionStep =
  /** Something is open. */
  | { step: 'lives' }
  | { step: 'wait'; untilMs: number }
  | { step: 'end_loads'; from: LoadsEnd }
  | { step: 'erase_subjects'; erasing: BatchErasing; after: BatchCheckpoint }
  | { step: 'delete_bytes' }
  | { step: 'end' };

type RetentionFacts = Pick<
  BatchProgress,
  'state' | 'settledAtMs' | 'bytesDeletedAtMs' | 'endsLoads' | 'loadsEnd' | 'handedOver' | 'erasing'
>;

export function batchRetentionStep(progress: RetentionFacts, clock: Clock): BatchRetentionStep {
  const { state, settledAtMs, bytesDeletedAtMs } = progress;
  if ((state !== 'settled' && state !== 'unreadable') || settledAtMs === null) return { step: 'lives' };
  const { erasing } = progress;
  if (erasing !== undefined)
    return erasing.after === null ? { step: 'end' } : { step: 'erase_subjects', erasing, after: erasing.after };
  const nowMs = clock.nowMs();
  const loads = loadsToEnd(progress, settledAtMs, clock);
  if (loads !== null && nowMs >= loads.dueMs) return { step: 'end_loads', from: loads.from };
  const endsMs = settledAtMs + scaledMs(BATCH_RETENTION_MS, clock);
  const bytesEndMs = settledAtMs + scaledMs(BYTES_RETENTION_MS, clock);
  if (nowMs >= endsMs) return { step: 'end' };
  if (bytesDeletedAtMs === undefined && nowMs >= bytesEndMs) return { step: 'delete_bytes' };
  const nextMs = bytesDeletedAtMs === undefined ? bytesEndMs : endsMs;
  return { step: 'wait', untilMs: Math.min(nextMs, loads?.dueMs ?? nextMs) };
}

/** When the next pass over the loads begins, or goes on; null: there is none. */
function loadsToEnd(
  { endsLoads, loadsEnd, handedOver }: RetentionFacts,
  settledAtMs: number,
  clock: Clock,
): { dueMs: number; from: LoadsEnd } | null {
  if (endsLoads === undefined || !isAfter(handedOver, START)) return null;
  const fresh = { of: settledAtMs, pass: 0, after: START, missed: 0, isDone: false };
  const from = loadsEnd?.of === settledAtMs ? loadsEnd : fresh;
  if (from.isDone) return null;
  const dueMs = settledAtMs + scaledMs(LOAD_RETENTION_MS + from.pass * LOADS_END_AGAIN_MS, clock);
  return { dueMs, from };
}

/** What follows a step of a pass. @param last the last request looked at; undefined: there were no more. Pure. */
export function afterLoadsEnded(from: LoadsEnd, last: BatchCheckpoint | undefined, missed: number): LoadsEnd {
  const sum = from.missed + missed;
  if (last !== undefined) return { ...from, after: last, missed: sum };
  const pass = from.pass + 1;
  return { of: from.of, pass, after: START, missed: 0, isDone: sum === 0 || pass >= LOADS_END_PASSES_MAX };
}
