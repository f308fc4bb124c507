/** Dead letters of a batch, for operators: which requests and rows were not delivered, and how to filter them. Pure. */
import { RETRIABLE_STATES } from '../../delivery/retry.ts';
import type { StateReason } from '../../delivery/states.ts';
import type { Problem } from '../../kernel/problem.ts';
import { loadSubject, orderSubject, type RequestKind } from '../../mapping/request.ts';
import type { BatchRow } from '../report/summary.ts';
import type { RowLocation } from './row.ts';

/** `invalid`: a row that never became a request, or one with events that did not; the others are states of requests. */
export const DEAD_LETTER_STATES = ['held', ...RETRIABLE_STATES, 'invalid'] as const;
export type DeadLetterState = (typeof DEAD_LETTER_STATES)[number];

/** Shown when no state is named: withdrawn requests need no attention. */
export const TROUBLED_STATES: readonly DeadLetterState[] = DEAD_LETTER_STATES.filter((state) => state !== 'cancelled');

/** null: any. */
export interface DeadLetterFilter {
  states: readonly DeadLetterState[];
  /** Reasons of requests, or codes of the problems of a row. */
  reasons: readonly string[] | null;
  /** HTTP statuses of the last answer. */
  statuses: readonly number[] | null;
  kinds: readonly RequestKind[] | null;
  /** Load number or order reference. */
  subject: string | null;
  /** Only these requests. */
  places: readonly DeadLetterCheckpoint[] | null;
  /** Keys of issues: only what failed like that. Absent: any, as in what an earlier release stored. */
  issues?: readonly string[] | null;
}

/** A position in the order of dead letters; a row without a request has request number 0. */
export type DeadLetterCheckpoint = { record: number; request: number };

export interface DeadLetter {
  batchId: string;
  record: number;
  request: number;
  line: number;
  /** Of its upload; null: it has none, or the rows came as messages. */
  fileName: string | null;
  state: DeadLetterState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  kind: RequestKind | null;
  subject: string | null;
  scac: string | null;
  generation: number;
  attempts: number;
  status: number | null;
  /** Beginning of the last answer. */
  answer: string | null;
  possibleDuplicate: boolean;
  /** Why the row could not become a request. */
  problems: Problem[];
  decidedAtMs: number | null;
  /** The row of a later batch that replaced it. */
  replacedBy: RowLocation | null;
}

/** One dead letter in full; its subject has the answers. */
export interface WholeDeadLetter {
  letter: DeadLetter | null;
  row: BatchRow;
  /** Name of its subject; null for a row without a request. */
  subject: string | null;
  scac: string | null;
  /** Actions on the whole batch, newest first; `detail` is JSON. */
  actions: { atMs: number; who: string; what: string; detail: string }[];
}

/** @returns the subject names that a load number or an order's reference may have. */
export const subjectsNamed = (subject: string): string[] => [loadSubject(subject), orderSubject(subject)];

/** Whether the batch's counts allow any: most batches have none and are not searched. */
export function mayHaveDeadLetters(
  counts: { records: Partial<Record<string, number>>; requests: Partial<Record<string, number>> },
  states: readonly DeadLetterState[],
): boolean {
  return states.some((state) => (state === 'invalid' ? counts.records : counts.requests)[state] !== undefined);
}
