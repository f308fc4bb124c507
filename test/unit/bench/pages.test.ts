import { expect, it } from 'vitest';
import { fileRows, type PagesResult } from '../../../scripts/bench/pages/pages.ts';
import { checkPages, pagesTable } from '../../../scripts/bench/pages/table.ts';

const page = { page: 'page, first', rows: 10_000, ms: 30, smallMs: 10, bytes: 60_000 };
const failing = (result: PagesResult): string[] =>
  checkPages(result).flatMap(({ name, holds }) => (holds ? [] : [name]));

it('holds a page to three times that of ten rows, one of a million to five, and each to its weight', () => {
  expect(failing({ pages: [page], issues: [{ rows: 10_000, issues: 3 }] })).toEqual([]);
  expect(failing({ pages: [{ ...page, ms: 31 }], issues: [] })).toEqual(['pages, page, first, 10,000 rows']);
  expect(failing({ pages: [{ ...page, ms: 50, rows: 1_000_000 }], issues: [] })).toEqual([]);
  expect(failing({ pages: [{ ...page, ms: 51, rows: 1_000_000 }], issues: [] })).toHaveLength(1);
  expect(failing({ pages: [{ ...page, bytes: 100_001 }], issues: [] })).toHaveLength(1);
  expect(failing({ pages: [], issues: [{ rows: 10, issues: 2 }] })).toEqual(['pages, issues of 10 rows']);
});

it('says what took how long', () => {
  const [, , line] = pagesTable({ pages: [page], issues: [] }).split('\n');
  expect(line?.replace(/ {2,}/g, ' | ')).toBe('page, first | 10,000 | 10.0 ms | 30.0 ms | 3.0 x | 60,000');
});

it('spoils 400 of 10,000 rows, and three of ten, in three ways; a part of a file is the same part of it', () => {
  const wrong = (rows: string[]): number => rows.filter((row) => /^,|QZ|13\/45/.test(row)).length;
  const rows = fileRows(10_000).split('\n');
  expect(wrong(rows)).toBe(400);
  expect(wrong(fileRows(10).split('\n'))).toBe(3);
  expect(fileRows(10_000, 25, 1)).toBe(`${rows[25]}\n`);
});
