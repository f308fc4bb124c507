/**
 * Maps a group of rows: the first row carries the request, every row refers to it. Pure.
 *
 * One row in error makes the whole group an error, so that no order goes out with a line missing; a mapping may choose
 * to leave such rows out instead.
 */
import type { ReadRecord } from '../../formats/record-reader.ts';
import { type Problem, quoteValue } from '../../kernel/problem.ts';
import { type BoundMapping, type LocatedRecord, orFault } from '../compile/compile.ts';
import type { RowProblem } from '../compile/mapper.ts';
import { GROUP_CHARACTERS_MAX, GROUP_ROWS_MAX } from '../limits.ts';
import type { MappedRecord } from '../request.ts';
import { type Grouped, type GroupReader, isLocated, type RowGroup } from './grouping.ts';

/** @param mapping one that groups. @returns every row, in file order within a group. */
export function mapGrouped(mapping: BoundMapping, grouped: Grouped): LocatedRecord[] {
  switch (grouped.outcome) {
    case 'group':
      return mapGroup(mapping, grouped.group);
    case 'skipped':
      return [{ position: grouped.record.position, mapped: { requests: [], errors: [], skipped: true } }];
    case 'invalid':
      return [{ position: grouped.record.position, mapped: inError([grouped.problem]) }];
  }
}

function mapGroup(mapping: BoundMapping, group: RowGroup): LocatedRecord[] {
  const { group: reader } = mapping;
  if (reader === undefined) throw new Error('this mapping does not group');
  const [first] = group.rows;
  if (first === undefined) return [];
  const failed = (problem: Problem) => allInError(reader, group, problem);
  return orFault(first.position, () => mapRows(mapping, reader, group), failed);
}

function mapRows(mapping: BoundMapping, reader: GroupReader, group: RowGroup): LocatedRecord[] {
  const whole = problemOfWhole(reader, group);
  if (whole !== undefined) return allInError(reader, group, whole);
  const tried = tryRows(mapping, reader, group.rows);
  if (tried.wrong.size === 0) return pointing(group.rows, tried.mapped);
  const wellFormed = group.rows.filter((row) => !tried.wrong.has(row));
  if (reader.invalidRow === 'group' || wellFormed.length === 0 || isTooLarge(tried))
    return spoilt(group.rows, tried.wrong);
  const again = tryRows(mapping, reader, wellFormed);
  if (again.wrong.size === 0) return mixed(group.rows, tried.wrong, wellFormed, again.mapped);
  return spoilt(group.rows, new Map([...tried.wrong, ...again.wrong]));
}

interface Tried {
  mapped: MappedRecord;
  /** Rows in error, with their own problems. */
  wrong: Map<ReadRecord, Problem[]>;
}

function tryRows(mapping: BoundMapping, reader: GroupReader, rows: readonly ReadRecord[]): Tried {
  const wrong = new Map<ReadRecord, Problem[]>();
  const blame = (row: ReadRecord | undefined, problem: Problem) => {
    if (row !== undefined) wrong.set(row, [...(wrong.get(row) ?? []), problem]);
  };
  for (const row of rows) if (row.problem !== undefined) blame(row, row.problem);
  const wellFormed = rows.filter((row) => row.problem === undefined);
  const [first, ...others] = wellFormed;
  if (first === undefined) return { mapped: inError([]), wrong };
  for (const row of others) {
    for (const found of reader.differing(first.fields, row.fields)) blame(row, disagrees(found, first));
  }
  const mapped = mapping.map(first.fields, [wellFormed, ...first.lists]);
  for (const { row, ...problem } of mapped.errors as RowProblem[])
    blame(row === undefined ? first : wellFormed[row], problem);
  return { mapped, wrong };
}

/** No row is at fault, so leaving one out would only lose it. */
const isTooLarge = ({ mapped }: Tried): boolean => mapped.errors.some(({ code }) => code === 'order_too_large');

const inError = (errors: Problem[]): MappedRecord => ({ requests: [], errors, skipped: false });

function problemOfWhole({ by, invalidRow }: GroupReader, group: RowGroup): Problem | undefined {
  const place = { path: by.join(', '), value: quoteValue(keyText(group.key)) };
  if (group.tooLarge) {
    return {
      code: 'group_too_large',
      ...place,
      message: `The group is too large: at most ${GROUP_ROWS_MAX} rows with ${GROUP_CHARACTERS_MAX} characters can be one request.`,
      fix: 'Split it into several, each with a number of its own.',
    };
  }
  if (group.reopened) {
    return {
      code: 'group_reopened',
      ...place,
      message:
        'Rows of this group stood further up, with other rows in between; the group was closed there and is not sent twice.',
      fix: 'Sort the file so that all rows of a group follow each other, and send it again.',
    };
  }
  if (group.cutOff) {
    return {
      code: 'group_uncertain',
      ...place,
      message: 'The file breaks off, so rows of this group may be missing and nothing was sent for it.',
      fix: 'Export the file again and send all rows of the group.',
    };
  }
  if (group.doubtfulRecord === null || invalidRow === 'row') return undefined;
  return {
    code: 'group_uncertain',
    ...place,
    message: `Row ${group.doubtfulRecord} is wrong and may belong to this group, so nothing was sent for it.`,
    fix: 'Correct that row, and send it together with this group again.',
  };
}

const keyText = (key: string): string => (JSON.parse(key) as string[]).join(', ');

/** A row that only may belong to the group has only its own problem. */
const allInError = (reader: GroupReader, { key, rows }: RowGroup, problem: Problem): LocatedRecord[] =>
  rows.map((row) => {
    const own = row.problem === undefined ? [] : [row.problem];
    return { position: row.position, mapped: inError(isLocated(reader, row, key) ? [...own, problem] : own) };
  });

const disagrees = (found: { column: string; first: string; value: string }, first: ReadRecord): Problem => ({
  code: 'group_disagrees',
  path: found.column,
  value: quoteValue(found.value),
  message: `Row ${first.position.record} of this group ${found.first === '' ? 'has nothing' : `says "${quoteValue(found.first)}"`} here.`,
  fix: 'Write the same into all rows of the group, or leave it empty in all rows but the first.',
});

/** The first row carries the requests. */
function pointing(rows: readonly ReadRecord[], mapped: MappedRecord): LocatedRecord[] {
  const group = rows[0]?.position.record ?? 0;
  const follower: MappedRecord = { requests: [], errors: [], skipped: mapped.skipped };
  return rows.map(({ position }, index) => ({ position, mapped: { ...(index === 0 ? mapped : follower), group } }));
}

function mixed(
  rows: readonly ReadRecord[],
  wrong: ReadonlyMap<ReadRecord, Problem[]>,
  wellFormed: readonly ReadRecord[],
  mapped: MappedRecord,
): LocatedRecord[] {
  const placed = new Map(pointing(wellFormed, mapped).map((record) => [record.position.record, record]));
  return rows.map(
    (row) => placed.get(row.position.record) ?? { position: row.position, mapped: inError(wrong.get(row) ?? []) },
  );
}

/** Rows without an error of their own name the row in error. */
function spoilt(rows: readonly ReadRecord[], wrong: ReadonlyMap<ReadRecord, Problem[]>): LocatedRecord[] {
  const because = spoiltBy([...wrong.keys()].map(({ position }) => position.record));
  const group = rows[0]?.position.record ?? 0;
  return rows.map((row) => ({
    position: row.position,
    mapped: { ...inError(wrong.get(row) ?? [because]), group },
  }));
}

/** @param records numbers of the rows in error. */
export const spoiltBy = (records: readonly number[]): Problem => ({
  code: 'group_invalid',
  path: '',
  value: '',
  message: `Nothing was sent for this group, because ${listed(records)} wrong.`,
  fix: 'Correct what is wrong there and send all rows of the group again.',
});

const NAMED_MAX = 5;
const listed = (records: readonly number[]): string => {
  if (records.length === 1) return `row ${records.join()} is`;
  if (records.length <= NAMED_MAX) return `rows ${records.join(', ')} are`;
  return `rows ${records.slice(0, NAMED_MAX).join(', ')} and ${records.length - NAMED_MAX} more are`;
};

/** Rows that a problem of a group names first: those at fault. */
const NAMED_ROWS = /^(.*?\brows? )(\d+(?:, \d+)*)/i;

/** @property rows at fault, as many as are named. before, after: what the message says around their numbers. */
interface OfOtherRows {
  rows: readonly number[];
  before: string;
  after: string;
}

/** What a row's group says of other rows of it; null: the row itself is at fault, or none. */
export function ofOtherRows({ code, message }: Pick<Problem, 'code' | 'message'>): OfOtherRows | null {
  const [whole, before = '', numbers = ''] = NAMED_ROWS.exec(message) ?? [];
  if (whole === undefined || !['group_invalid', 'group_uncertain'].includes(code)) return null;
  return { rows: numbers.split(', ').map(Number), before, after: message.slice(whole.length) };
}
