import { expect, it } from 'vitest';
import { type Condition, compileCondition } from '../../../src/mapping/document/condition.ts';
import { namesOf, problemsOf } from './documents.ts';

const COLUMNS = ['A', 'B', '__proto__'];
const holds = (condition: Condition, ...cells: string[]): boolean =>
  compileCondition(condition, (column) => {
    const index = COLUMNS.indexOf(column);
    return index < 0 ? undefined : index;
  })(cells);

it.each<[Condition, string, boolean]>([
  [{ field: 'A', in: ['', 'N/A'] }, '', true],
  [{ field: 'A', in: ['', 'N/A'] }, ' N/A ', true],
  [{ field: 'A', in: ['', 'N/A'] }, 'n/a', false],
  [{ field: 'A', notIn: ['X'] }, 'Y', true],
  [{ field: 'A', notIn: ['X'] }, 'X', false],
  [{ field: 'A', equals: '' }, '  ', true],
  [{ field: 'A', equals: 'x' }, 'x', true],
  [{ field: 'A', equals: 'x' }, 'X', false],
  [{ field: 'A', empty: true }, ' ', true],
  [{ field: 'A', empty: false }, ' ', false],
  [{ field: 'A', empty: false }, '0', true],
])('%j on %j is %s', (condition, cell, wanted) => expect(holds(condition, cell)).toBe(wanted));

it('combines by all, any and not', () => {
  const a: Condition = { field: 'A', equals: 'x' };
  const b: Condition = { field: 'B', equals: 'y' };
  expect([holds({ all: [a, b] }, 'x', 'y'), holds({ all: [a, b] }, 'x', 'z')]).toEqual([true, false]);
  expect([holds({ any: [a, b] }, 'q', 'y'), holds({ any: [a, b] }, 'q', 'z')]).toEqual([true, false]);
  expect([holds({ not: a }, 'x'), holds({ not: { any: [a, b] } }, 'q', 'z')]).toEqual([false, true]);
});

it('takes a column that is absent, and a cell that the record lacks, for empty', () => {
  expect(holds({ field: 'Z', empty: true }, 'x')).toBe(true);
  expect(holds({ field: 'B', empty: true }, 'x')).toBe(true);
});

it('asks a column named like a part of every object', () =>
  expect(holds({ field: '__proto__', equals: 'x' }, '', '', 'x')).toBe(true));

it.each<[unknown, string]>([
  [{}, 'it names no column'],
  [{ field: 'Load' }, 'says nothing about the column'],
  [{ in: ['x'] }, '"in" needs "field"'],
  [{ optional: true, all: [{ field: 'Load', empty: true }] }, '"optional" speaks of a column'],
  [{ field: 'Load', empty: true, equals: 'x' }, '"equals" and "empty" exclude each other'],
  [{ field: 'Load', empty: true, not: { field: 'Load', empty: true } }, '"field" and "not" exclude each other'],
  [
    { all: [{ field: 'Load', empty: true }], any: [{ field: 'Load', empty: true }] },
    '"all" and "any" exclude each other',
  ],
])('refuses %j', (when, words) => {
  const [problem] = problemsOf({ skip: { when } });
  expect(problem).toMatchObject({ code: 'condition_invalid', path: 'skip.when' });
  expect(problem?.message).toContain(words);
});

it('finds the wrong condition inside a right one', () =>
  expect(namesOf(problemsOf({ skip: { when: { any: [{ field: 'Load', empty: true }, { not: {} }] } } }))).toEqual([
    'condition_invalid skip.when.any[1].not',
  ]));

it('refuses conditions nested too deep', () => {
  let when: unknown = { field: 'Load', empty: true };
  for (let depth = 0; depth < 9; depth += 1) when = { not: when };
  expect(problemsOf({ skip: { when } })).toMatchObject([
    { code: 'condition_invalid', path: `skip.when${'.not'.repeat(8)}` },
  ]);
});
