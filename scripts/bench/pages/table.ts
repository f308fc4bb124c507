/** What the pages of a batch are held to, as a table and checks. Pure. */
import type { Check } from '../check.ts';
import { count, table, times } from '../table.ts';
import type { PageResult, PagesResult } from './pages.ts';

/** How many times as long as that of ten rows a page may take, by the rows of its batch at most. Ours: nobody notices it. */
const TIMES_MAX: readonly (readonly [rows: number, times: number])[] = [
  [20_000, 3],
  [Number.POSITIVE_INFINITY, 5],
];

/** Of a page, in bytes. Ours: what a phone loads at once. */
const PAGE_BYTES_MAX = 100_000;

/** Kinds of failures in each file. */
const KINDS = 3;

const timesMax = (rows: number): number => TIMES_MAX.find(([most]) => rows <= most)?.[1] ?? 0;

const ratioOf = ({ ms, smallMs }: PageResult): number => ms / smallMs;

export const pagesTable = ({ pages }: PagesResult): string =>
  table(
    ['what', 'rows', 'of ten rows', 'of these', 'ratio', 'bytes'],
    pages.map((result) => [
      result.page,
      count(result.rows),
      `${result.smallMs.toFixed(1)} ms`,
      `${result.ms.toFixed(1)} ms`,
      times(ratioOf(result)),
      count(result.bytes),
    ]),
  );

export const checkPages = ({ pages, issues }: PagesResult): Check[] => [
  ...pages.map((result) => ({
    name: `pages, ${result.page}, ${count(result.rows)} rows`,
    measured: `${times(ratioOf(result))}, ${count(result.bytes)} bytes`,
    wanted: `at most ${times(timesMax(result.rows))} and ${count(PAGE_BYTES_MAX)} bytes`,
    holds: ratioOf(result) <= timesMax(result.rows) && result.bytes <= PAGE_BYTES_MAX,
  })),
  ...issues.map(({ rows, issues: found }) => ({
    name: `pages, issues of ${count(rows)} rows`,
    measured: String(found),
    wanted: String(KINDS),
    holds: found === KINDS,
  })),
];
