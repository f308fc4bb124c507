/** What of a batch did not arrive: a page of it, and one of them whole. */
import { LETTER_ACTIONS_MAX } from '../../kernel/limits.ts';
import {
  LETTER_STATES,
  type Letter,
  type LetterFilter,
  type LetterMark,
  type LetterWhole,
  mayHaveLetters,
  mergedLetters,
} from '../core/letters.ts';
import type { ActionPort } from '../object/action-port.ts';
import { letterOf } from '../store/letter-store.ts';
import type { BatchRow } from './summary.ts';

/** Behind `after`, in record order. A dry run sent nothing, so it has none. */
export function lettersOf(
  { store, letters }: ActionPort,
  filter: LetterFilter,
  after: LetterMark,
  limit: number,
): Letter[] {
  const ticket = store.ticket();
  if (!ticket || ticket.dryRun || !mayHaveLetters(store.tally(), filter.states)) return [];
  const words = (row: Parameters<typeof letterOf>[1]): Letter => letterOf(ticket.batchId, row);
  return mergedLetters(
    letters.requests(filter, after, limit).map(words),
    letters.invalid(filter, after, limit).map(words),
    limit,
  );
}

const ANY = { states: LETTER_STATES, reasons: null, statuses: null, kinds: null, subject: null };

/** @param rowsAfter as the batch shows its rows. @returns undefined when there is no such request or row. */
export async function letterWhole(
  port: ActionPort,
  { record, request }: LetterMark,
  rowsAfter: (record: number) => Promise<BatchRow[]>,
): Promise<LetterWhole | undefined> {
  const [row] = await rowsAfter(record - 1);
  if (row?.record !== record) return undefined;
  const stored = port.store.request(record, request);
  if (stored === undefined && request !== 0) return undefined;
  const before = { record, request: request - 1 };
  const [letter] = lettersOf(port, { ...ANY, places: [{ record, request }] }, before, 1);
  if (letter === undefined && request === 0) return undefined;
  return {
    letter: letter ?? null,
    row,
    subject: stored?.subject ?? null,
    scac: stored?.scac ?? null,
    actions: port.letters.actions(LETTER_ACTIONS_MAX),
  };
}
