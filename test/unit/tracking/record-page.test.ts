/** The whole record of a load or an order, page by page. */
import { expect, it } from 'vitest';
import { recordPage } from '../../../src/tracking/record-page.ts';
import type { StoredAttempt, StoredRequest } from '../../../src/tracking/request.ts';
import type { SubjectTables } from '../../../src/tracking/store/subject-tables.ts';

const rowsOf = (name: string, rows: object[]) => ({ form: { name }, values: () => rows.values() });
const requests = [1, 2, 3].map((seq) => ({ seq, body: `body ${seq}` }) as StoredRequest);
const tables = {
  journal: 'not a table',
  identity: rowsOf('identity', [{ id: 1 }]),
  request: rowsOf('request', requests),
  attempt: rowsOf('attempt', [{ seq: 1 }]),
  decision: rowsOf('decision', []),
  new_one: rowsOf('new_one', [{ seq: 7 }, { seq: 8 }]),
} as unknown as SubjectTables;
const attemptsOf = (seq: number) => (seq === 1 ? [{ seq, attempt: 1 } as StoredAttempt] : []);
const store = { tables, attemptsOf };

const LINES = [
  { request: requests[0], attempts: [{ seq: 1, attempt: 1 }] },
  { request: requests[1], attempts: [] },
  { request: requests[2], attempts: [] },
  { identity: { id: 1 } },
  { new_one: { seq: 7 } },
  { new_one: { seq: 8 } },
].map((line) => JSON.stringify(line));

it('has every row of every table once, attempts with their request', () => {
  expect(recordPage(store, 0)).toEqual({ lines: LINES, next: null });
});

it.each([1, 30, 60, 100])('ends a page after %i characters, and the next one goes on there', (charactersMax) => {
  const pages: string[][] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page = recordPage(store, from, charactersMax);
    pages.push(page.lines);
    from = page.next;
  }
  expect(pages.flat()).toEqual(LINES);
  for (const page of pages) expect(page.slice(0, -1).join('').length).toBeLessThan(charactersMax);
});
