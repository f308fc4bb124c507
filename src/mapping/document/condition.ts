/**
 * Conditions of a mapping document: their form, and their compilation into a function of a record.
 *
 * Values are compared trimmed and exactly (case matters). A missing optional column counts as empty.
 */

import * as z from 'zod';
import { trimmed } from '../../kernel/text.ts';
import { CONDITION_DEPTH_MAX, CONDITION_VALUES_MAX, DOCUMENT_TEXT_CHARACTERS_MAX } from '../limits.ts';

export interface Condition {
  field?: string | undefined;
  optional?: boolean | undefined;
  in?: string[] | undefined;
  notIn?: string[] | undefined;
  equals?: string | undefined;
  empty?: boolean | undefined;
  all?: Condition[] | undefined;
  any?: Condition[] | undefined;
  not?: Condition | undefined;
}

const text = z.string().max(DOCUMENT_TEXT_CHARACTERS_MAX);
const values = z.array(text).min(1).max(CONDITION_VALUES_MAX);

/**
 * One loose form instead of a union of seven: its errors name the wrong key. `conditionFault` checks what goes
 * together.
 */
export const condition: z.ZodType<Condition> = z
  .strictObject({
    field: text.min(1).optional().describe('Column that is looked at; with exactly one of in, notIn, equals, empty.'),
    optional: z.boolean().optional().describe('The column may be absent from the file; it then counts as empty.'),
    in: values.optional().describe('True when the value is one of these. An empty cell is "".'),
    notIn: values.optional().describe('True when the value is none of these.'),
    equals: text.optional().describe('True when the value is exactly this.'),
    empty: z.boolean().optional().describe('true: the cell is empty; false: it is not.'),
    get all() {
      return z.array(condition).min(1).optional().describe('True when all of these are.');
    },
    get any() {
      return z.array(condition).min(1).optional().describe('True when at least one of these is.');
    },
    get not() {
      return condition.optional().describe('True when this is not.');
    },
  })
  .meta({ id: 'Condition', description: 'A question about the record, answered by yes or no.' });

const OPERATORS = ['in', 'notIn', 'equals', 'empty'] as const;
const COMBINATIONS = ['all', 'any', 'not'] as const;

/**
 * @returns what does not go together in this condition (parts of a combination are checked separately), or undefined.
 */
export function conditionFault(of: Condition, depth: number): string | undefined {
  if (depth > CONDITION_DEPTH_MAX) return `conditions are nested more than ${CONDITION_DEPTH_MAX} deep`;
  const operators = OPERATORS.filter((key) => of[key] !== undefined);
  const combinations = COMBINATIONS.filter((key) => of[key] !== undefined);
  if (of.field === undefined && operators.length > 0) return `"${operators[0]}" needs "field", the column it looks at`;
  if (of.field === undefined && of.optional !== undefined) return '"optional" speaks of a column, so it needs "field"';
  if (combinations.length === 0 && of.field === undefined) return 'it names no column (field) and no all, any or not';
  if (of.field !== undefined && combinations.length > 0) return `"field" and "${combinations[0]}" exclude each other`;
  if (of.field === undefined && combinations.length > 1) return `"${combinations.join('" and "')}" exclude each other`;
  if (of.field !== undefined && operators.length === 0) return 'it says nothing about the column';
  if (operators.length > 1) return `"${operators.join('" and "')}" exclude each other`;
  return undefined;
}

/** The conditions directly inside, with their paths. */
export function innerConditions(of: Condition): { path: (string | number)[]; condition: Condition }[] {
  const list = (key: 'all' | 'any') =>
    (of[key] ?? []).map((inner, index) => ({ path: [key, index], condition: inner }));
  return [...list('all'), ...list('any'), ...(of.not === undefined ? [] : [{ path: ['not'], condition: of.not }])];
}

export type RecordTest = (fields: readonly string[]) => boolean;

/** @param indexOf index of a column in the record; undefined if the file has no such column (then its value is ''). */
export function compileCondition(of: Condition, indexOf: (column: string) => number | undefined): RecordTest {
  const inner = innerConditions(of).map(({ condition: part }) => compileCondition(part, indexOf));
  if (of.all !== undefined) return (fields) => inner.every((test) => test(fields));
  if (of.any !== undefined) return (fields) => inner.some((test) => test(fields));
  if (of.not !== undefined) return (fields) => !inner.some((test) => test(fields));
  const matches = compileMatch(of);
  const index = of.field === undefined ? undefined : indexOf(of.field);
  if (index === undefined) {
    const answer = matches('');
    return () => answer;
  }
  return (fields) => matches(trimmed(fields[index] ?? ''));
}

function compileMatch(of: Condition): (value: string) => boolean {
  const { equals, empty } = of;
  if (equals !== undefined) return (value) => value === equals;
  if (empty !== undefined) return (value) => (value === '') === empty;
  if (of.in !== undefined) {
    const wanted = new Set(of.in);
    return (value) => wanted.has(value);
  }
  const refused = new Set(of.notIn);
  return (value) => !refused.has(value);
}
