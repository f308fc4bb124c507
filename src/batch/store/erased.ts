/** Rows of a slice whose content was taken out on request: what became of them stays. Pure. */
import type { Problem } from '../../kernel/problem.ts';
import type { SliceRequest, SliceRow, StoredOutcome } from './slice.ts';

/** In place of a body. */
export const ERASED_BODY = '{"erased":true}';

/**
 * Requests of one load or order. @property scac null: whatever it is. records: of rows in whose place others were sent for
 * it, though they have no requests of it themselves.
 */
export interface ErasedSubject {
  subject: string;
  scac: string | null;
  records: readonly number[];
}

export type IsErased = (request: Pick<SliceRequest, 'subject' | 'scac'>) => boolean;

export const isOf =
  ({ subject, scac }: ErasedSubject): IsErased =>
  (request) =>
    request.subject === subject && (scac === null || request.scac === scac);

/** @property record and request of each. carriers: rows that have them, or are named, with the rows of their groups. */
export interface ErasedRows {
  requests: [record: number, request: number][];
  carriers: Set<number>;
  records: Set<number>;
  /** `batch/record` of rows in whose place these were sent. */
  replaced: Set<string>;
}

export function erasedAmong(rows: Iterable<SliceRow>, of: ErasedSubject): ErasedRows {
  const isErased = isOf(of);
  const named = new Set(of.records);
  const found: ErasedRows = { requests: [], carriers: new Set(), records: new Set(), replaced: new Set() };
  const replaces = new Map<number, string>();
  const groups = new Map<number, readonly number[]>();
  for (const { record, requests, members, group_record, ...row } of rows) {
    if (row.replaces !== null) replaces.set(record, row.replaces);
    if (members.length > 0) groups.set(record, members);
    const own = requests.filter(isErased);
    found.requests.push(...own.map(({ request }): [number, number] => [record, request]));
    if (own.length > 0 || named.has(record)) found.carriers.add(group_record ?? record);
  }
  for (const record of found.carriers)
    for (const each of [record, ...(groups.get(record) ?? [])]) {
      found.records.add(each);
      const place = replaces.get(each);
      if (place !== undefined) found.replaced.add(place);
    }
  return found;
}

export function withoutContent(row: SliceRow, isErased: IsErased, { carriers }: ErasedRows): SliceRow {
  if (!carriers.has(row.group_record ?? row.record)) return row;
  const requests = row.requests.map((request) =>
    isErased(request) ? { ...withoutAnswer(request), body: request.body === null ? null : ERASED_BODY } : request,
  );
  return { ...row, requests, looked_up: null, problems: problemsWithoutContent(row.problems) };
}

export const withoutAnswer = <Of extends Pick<StoredOutcome, 'answer' | 'diff' | 'surprises'>>(of: Of): Of => ({
  ...of,
  answer: null,
  diff: null,
  surprises: null,
});

/** That something was wrong, and where, is what the state of the row comes from. */
function problemsWithoutContent(problems: string | null): string | null {
  if (problems === null) return null;
  const without = (JSON.parse(problems) as Problem[]).map(({ code, path }) => ({
    ...{ code, path, value: '', message: 'What was wrong was erased on request.', fix: '' },
  }));
  return JSON.stringify(without);
}
