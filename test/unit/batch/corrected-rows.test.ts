/** Rows corrected one by one: which cells a problem is about, and the file that they become. */
import { describe, expect, it } from 'vitest';
import {
  cellsAtFault,
  correctedCsv,
  ownCells,
  unquotableIn,
  withChanges,
} from '../../../src/batch/report/corrected-rows.ts';
import { changedRows } from '../../../src/console/pages/batch/fix-rows.tsx';
import { csvSource } from '../../../src/formats/csv/declaration.ts';

const COLUMNS = ['Load #', 'Event Date', 'Event Time', 'Time', 'City, State', 'State'];

it.each([
  ['Load #', [0]],
  ['Event Date, Event Time', [1, 2]],
  ['Time', [3]],
  ['City, State', [4]],
  ['City, State, State', [4, 5]],
  ['Event Date, Nowhere', [1]],
  ['Nowhere, Elsewhere', []],
  ['', []],
  ['loadNumber', []],
])('a problem of "%s" is about the cells %j', (path, places) => {
  expect(cellsAtFault(path, COLUMNS)).toEqual(places);
});

const row = (record: number, ...texts: string[]) => ({
  record,
  cells: texts.map((text, at) => ({ column: COLUMNS[at] ?? '', text })),
});

describe('corrected rows', () => {
  it('become a file in the dialect of their mapping, in which each names the row it replaces', () => {
    const source = csvSource.parse({ format: 'csv', delimiter: ';', skipLines: 1 });
    const text = correctedCsv(source, 'b_1', [row(7, 'L"1', '=1+1'), row(9, 'L2')]);
    expect(text).toBe(
      '\ufeff\r\n"Load #";"Event Date";"_batch";"_record"\r\n"L""1";"=1+1";"b_1";"7"\r\n"L2";"";"b_1";"9"\r\n',
    );
  });

  it.each([
    ['a separator', 'a;b', true],
    ['a line break', 'a\nb', true],
    ['a return', 'a\rb', true],
    ['neither', 'a,"b"', false],
  ])('cannot have %s in a cell where cells are never quoted', (_, text, isUnfit) => {
    const rows = [row(7, 'L1'), row(9, 'L2', text)];
    const source = { format: 'csv', delimiter: ';' };
    const found = { record: 9, cell: { column: 'Event Date', text }, why: expect.stringContaining('";"') };
    expect(unquotableIn(rows, csvSource.parse({ ...source, quote: '' }))).toEqual(isUnfit ? found : undefined);
    expect(unquotableIn(rows, csvSource.parse(source))).toBeUndefined();
    const half = [row(7, 'a|')];
    expect(unquotableIn(half, csvSource.parse({ ...source, delimiter: '||', quote: '' }))).toMatchObject({ record: 7 });
  });

  it('take changes by name, and no name that they lack', () => {
    expect(withChanges(row(1, 'L', 'x'), { 'Event Date': 'y' })).toEqual(row(1, 'L', 'y'));
    expect(withChanges(row(1, 'L', 'x'), { Other: 'y' })).toEqual({ unknown: 'Other' });
  });

  it('have no columns of an earlier correction', () => {
    expect(ownCells([...row(1, 'L').cells, { column: '_batch', text: 'b' }, { column: '_record', text: '3' }])).toEqual(
      row(1, 'L').cells,
    );
  });
});

describe('a form of changed cells', () => {
  const wrong = (record: number, text: string) => ({
    ...{ record, group: null, why: null, line: record + 1, place: null, file: null },
    ...{ state: 'invalid' as const, answer: null, reason: null },
    cells: [
      { column: 'Load', text: `L${record}` },
      { column: 'Status', text },
    ],
    errors: [{ code: 'code_unknown', path: 'Status', value: text, message: '', fix: '', cells: [1] }],
  });
  const rows = [wrong(1, 'QQ'), wrong(2, 'QQ'), wrong(3, 'ZZ'), wrong(4, 'QQ')];

  it('yields the rows that differ, and none that is as it was', () => {
    expect(changedRows(rows, { 'cell.1.1': 'AF', 'cell.2.1': 'QQ' })).toEqual([{ record: 1, cells: { Status: 'AF' } }]);
  });

  it('applies one change to all rows with that value, but not where another was typed', () => {
    expect(changedRows(rows, { 'cell.1.1': 'AF', 'same.1.1': 'yes', 'cell.2.1': 'QQ', 'cell.4.1': 'X1' })).toEqual([
      { record: 1, cells: { Status: 'AF' } },
      { record: 2, cells: { Status: 'AF' } },
      { record: 4, cells: { Status: 'X1' } },
    ]);
  });
});
