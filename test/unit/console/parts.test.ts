/** Parts that pages share: what a bar, a chart's scale and a table show. */
import { jsx } from 'hono/jsx';
import { expect, it } from 'vitest';
import type { Action } from '../../../src/console/actions.ts';
import { BATCH_PAGE_ISSUES } from '../../../src/console/limits.ts';
import { actionForm } from '../../../src/console/pages/action.tsx';
import { Issues } from '../../../src/console/pages/batch/batch-issues.tsx';
import type { ShownBatch } from '../../../src/console/pages/batch/batch-messages.ts';
import { batchListPages } from '../../../src/console/pages/batches.tsx';
import { FEED_ACTIONS } from '../../../src/console/pages/connections/feed-actions.ts';
import { searchPages } from '../../../src/console/pages/search.tsx';
import { type PreviewAnswer, titleOf } from '../../../src/console/pages/upload/upload-preview.tsx';
import { segmentsListed } from '../../../src/console/parts/bar.tsx';
import { Unbroken } from '../../../src/console/parts/basics.tsx';
import { scaleEnd } from '../../../src/console/parts/chart.tsx';
import { crumbsFrom } from '../../../src/console/parts/crumbs.tsx';
import { navAt } from '../../../src/console/parts/navigation.ts';
import { Table } from '../../../src/console/parts/table.tsx';
import { leafDifferences, pathTitle } from '../../../src/console/parts/value-leaves.ts';
import type { ConsolePages } from '../../../src/console/routes.ts';
import type { IssueLine } from '../../../src/http/views/issues.ts';
import { calledColumn, columnPath, spokenColumn } from '../../../src/mapping/values/element-names.ts';
import { drawn, textOf } from './drawn.ts';

it('rows that were corrected since are not among those not delivered, in the bar of a list as in its words', () => {
  const rowStates = { delivered: 3, invalid: 4, rejected: 1, skipped: 2, held: 1, queued: 1 };
  expect(segmentsListed(rowStates, 5)).toEqual({ good: 3, bad: 5, held: 1, wait: 1, done: 2 });
  expect(segmentsListed(rowStates, 2)).toEqual({ good: 3, bad: 2, held: 1, wait: 1, done: 5 });
  expect(segmentsListed(rowStates, 0)).toEqual({ good: 3, bad: 0, held: 1, wait: 1, done: 7 });
});

const aBatch = (refused: number) => ({
  ...{ batchId: 'b_1', state: 'settled', mapping: 'm', messages: null, fileName: 'a.csv', bytes: 1, dryRun: false },
  ...{ receivedAt: '2026-03-02T08:00:00Z', rows: 3, rowStates: { delivered: 1, invalid: 2 }, held: 0, refused },
});

it.each([
  [2, 'Finished, 2 not delivered', '1 delivered, 2 not delivered'],
  [1, 'Finished, 1 not delivered', '1 delivered, 1 not delivered, 1 corrected or left out'],
  [0, 'Finished', '1 delivered, 2 corrected or left out'],
])('a list of %i rows not delivered says so in its words and in its bar', async (refused, words, bar) => {
  const answers = { '/v1/batches': { batches: [aBatch(refused)], next: null } };
  const html = await drawn(batchListPages, { path: '/batches', answers });
  expect(html).toContain(`>${words}</span>`);
  expect(html).toContain(`aria-label="${bar}"`);
});

it('a choice that no filter offers is shown as it is, and stays', async () => {
  const answers = { '/v1/ops/batches': { batches: [], next: null } };
  const html = await drawn(batchListPages, { path: '/batches?state=reading,delivering', who: 'viewer', answers });
  expect(html).toMatch(/<option value="reading,delivering" selected="">[A-Z][^<]+, [A-Z][^<]+<\/option>/);
  const other = await drawn(batchListPages, { path: '/batches?state=reading', who: 'viewer', answers });
  expect(other.match(/ selected=""/g)).toHaveLength(2);
});

it('a list and a search say where not all was looked at, instead of saying that there is nothing', async () => {
  const none = { '/v1/batches': { batches: [], next: '/v1/batches?fileName=a&before=1~b&limit=50' } };
  const list = textOf(await drawn(batchListPages, { path: '/batches?fileName=a', answers: none }));
  expect(list).toContain('None of the newest is like that. Look at older ones.');
  const row = { batchId: 'b_1', record: 1, fileName: 'a.csv', line: 2, state: 'invalid', subject: null, problem: null };
  const found = (isCut: boolean) => ({
    '/v1/batches': { batches: [], next: null },
    '/v1/rows': { rows: [{ ...row, partner: 'acme', replacedBy: null }], batches: 1, isCut },
  });
  const search = (isCut: boolean) => drawn(searchPages, { path: '/search?q=word', answers: found(isCut) });
  expect(textOf(await search(true))).toContain('are looked for in the newest batches alone');
  expect(await search(false), 'the only one is opened').toMatch(/^to \/console\/batches\/b_1/);
});

const PREVIEWED = { records: 3, mapped: 0, requests: 0, skipped: 0, invalid: 0 };
it.each([
  [{ mapped: 3 }, 0, '3 rows: all is well'],
  [{ mapped: 3 }, 1, '3 rows: 3 can be sent'],
  [{ skipped: 3 }, 0, '3 rows: all are left out, nothing is to be sent'],
  [{ mapped: 1, invalid: 1, skipped: 1 }, 0, '3 rows: 1 can be sent, 1 needs a change'],
  [{ records: 0 }, 1, 'Nothing of it can be sent'],
])('what a look at a file says first is true of all of it: %o', (counts, problems, title) => {
  const fileProblems = Array.from({ length: problems }, () => ({}) as PreviewAnswer['fileProblems'][number]);
  const preview = { counts: { ...PREVIEWED, ...counts }, fileProblems, causes: [], records: [] };
  expect(titleOf(preview, null)).toBe(title);
});

it('the scale of a chart ends at a round number that no column exceeds', () => {
  expect([0, 1, 3, 9, 10, 11, 480, 5_001].map(scaleEnd)).toEqual([1, 1, 5, 10, 10, 20, 500, 10_000]);
});

it('a column in which no row has anything is not drawn, unless it may come while one looks', () => {
  const columns = [{ label: 'Row' }, { label: 'Why' }, { label: 'Value' }];
  const rows = [{ cells: ['1', jsx('span', {}, ''), null] }, { cells: ['2', '', false] }];
  const drawnAs = (steady: boolean): string => textOf(String(Table({ caption: 'c', columns, rows, steady })));
  expect(drawnAs(false)).not.toMatch(/Why|Value/);
  expect(drawnAs(true)).toMatch(/Row Why Value/);
});

it.each([
  ['/console/partners/acme/envelopes?environment=test', 'partners'],
  ['/console/feeds/acme', 'feeds'],
  ['/console/code-lists', 'codeLists'],
  ['/console', null],
  ['/console/letters', null],
])('%s is below the entry %s of the menu', (address, name) => {
  expect(navAt(true, address)).toBe(name);
});

it.each([
  ['AT7-01', 'status (AT7-01)'],
  ['L11[02=BM]-01', 'bill of lading (L11-01)'],
  ['L11[02=XX]-01', 'reference (L11[02=XX]-01)'],
  ['N1[01=ST>CN]/N4-04', 'country of the ship-to party (N4-04)'],
  ['NAD[01=CN]/NAD-04.1', 'name of the consignee (NAD-04.1)'],
  ['STS/DTM[01.1=334>178>186]-01.3', 'form of the time of the status (DTM-01.3)'],
  ['STS/RFF[01.1=CN>CU>BM>SRN]-01.2', 'reference of the status (RFF-01.2)'],
  ['S5[1].S5/G62[0].G62-05', 'time zone of date 1 of stop 2 (G62-05)'],
  ['S5[0].S5/OID[0].OID/AT8[01=G]-03', 'weight of order 1 of stop 1 (AT8[01=G]-03)'],
  ['PO1[1].PO1-06=SK>VN', 'kind of article number of line 2 (PO1-06)'],
  ['LX[1].skus', 'articles (SKUs) of line 2'],
  ['UNT-01', 'count of segments (UNT-01)'],
  ['position[1]', 'second position (position[1])'],
  ['position[1].time', 'time of the second position (position[1].time)'],
  ['vehicle.odometerKm', 'odometer in km of the vehicle (vehicle.odometerKm)'],
  ['stops[1].address.city', 'city of the address of the second stop (stops[1].address.city)'],
  ['../../inquiryNumber', 'inquiry number (../../inquiryNumber)'],
  ['Ref.No', 'Ref.No'],
  ['eventDate', 'eventDate'],
  ['SO-10', 'SO-10'],
  ['Event Date', 'Event Date'],
])('the column %s is called %s on a page', (column, spoken) => {
  expect(spokenColumn(column)).toBe(spoken);
});

it.each([
  ['../../inquiryNumber', 'inquiryNumber', '../../inquiryNumber'],
  ['../referenceNumber[0].number', 'number of the first reference number', '../referenceNumber[0].number'],
  ['AT7-01', 'status (AT7-01)', null],
  ['Load #', 'Load #', null],
])('a question calls the column %s %s', (column, called, place) => {
  expect([calledColumn(column), columnPath(column)]).toEqual([called, place]);
});

it.each([
  ['requests[0].body.loadNumber', 'load number'],
  ['requests[1].body.skus[0].quantity', 'quantity of articles (SKUs) 1 of request 2'],
  ['requests[0].subject', 'load or order'],
  ['errors[0].value', 'what was found'],
  ['fields.time.parse', 'time: parse'],
  ['source.delimiter', 'the file: delimiter'],
  ['examples[2].input', 'example 3: input'],
  ['examples[0].records[0].requests[0].body.eventCity', 'example 1, row 1: city'],
  ['examples[1].records[2].requests[1].subject', 'example 2, row 3: load or order of request 2'],
  ['examples[1].records[2].errors[0]', 'example 2, row 3: what is wrong'],
  ['examples[1].records[2]', 'example 2, row 3'],
  ['mapping', null],
])('the place %s of a difference is called %s', (path, words) => {
  expect(pathTitle(path)).toBe(words);
});

it('takes what was added or removed whole apart, and leaves out what stayed', () => {
  expect(leafDifferences('fields.zone', 'Zone', { const: 'UTC' })).toEqual([
    { path: 'fields.zone', from: 'Zone' },
    { path: 'fields.zone.const', to: 'UTC' },
  ]);
  expect(leafDifferences('requests[0]', undefined, { body: { a: 1, list: ['x'] } })).toEqual([
    { path: 'requests[0].body.a', to: '1' },
    { path: 'requests[0].body.list[0]', to: 'x' },
  ]);
  expect(leafDifferences('', { a: 1, b: 2 }, { a: 1, b: 3 })).toEqual([{ path: 'b', from: '2', to: '3' }]);
});

const askFeed = (query: string): Promise<string> =>
  drawn(
    { get: { '/do': (page) => actionForm(page, FEED_ACTIONS[0] as Action) }, reads: [] },
    { path: `/do?${query}`, who: 'operator', answers: {} },
  );

it('what the address of a form names is shown, and not asked', async () => {
  const asked = /<input id="field-partner" name="partner" type="text"/;
  expect(await askFeed('')).toMatch(asked);
  const named = await askFeed('partner=acme');
  expect(named).not.toMatch(asked);
  expect(named).toContain('<dd>acme</dd>');
  expect(named).toContain('<input type="hidden" name="partner" value="acme"/>');
});

it.each([
  ['/console/batches?environment=test&state=settled', [['Batches', '/console/batches?environment=test&state=settled']]],
  [
    '/console/partners/acme/keys?environment=test',
    [
      ['Partners and keys', '/console/partners?environment=test'],
      ['acme', '/console/partners/acme/keys?environment=test'],
    ],
  ],
  [
    '/console/batches/b_1',
    [
      ['Batches', '/console/batches'],
      ['This batch', '/console/batches/b_1'],
    ],
  ],
  [
    '/console/letters',
    [
      ['Holds', '/console/holds'],
      ['Not delivered', '/console/letters'],
    ],
  ],
  ['', []],
])('a form that was opened on %s leads back there', (from, crumbs) => {
  expect(crumbsFrom(true, from)).toEqual(crumbs);
});

const anIssue = (at: number) => ({
  ...{ id: `i${at}`, title: `Issue ${at}`, state: 'invalid', rows: 1, firstRecord: at, fix: 'Mend it.', list: null },
  ...{ value: null, code: 'value_missing', reason: null, path: 'Stop', status: null },
});

it('the number over the issues of a batch is that of those below it, and a link leads to all', async () => {
  const issues = Array.from({ length: BATCH_PAGE_ISSUES + 1 }, (_, at) => anIssue(at)) as unknown as IssueLine[];
  const batch = { batchId: 'b_1', dryRun: false } as ShownBatch;
  const pages: ConsolePages = {
    get: {
      '/x': (page) =>
        page.show({ title: '', nav: null, body: jsx(Issues, { page, batch, answer: { issues, isCut: false } }, []) }),
    },
    reads: [],
  };
  const part = await drawn(pages, { path: '/x', answers: {} });
  expect(part).toContain(`<h2>${BATCH_PAGE_ISSUES} of ${BATCH_PAGE_ISSUES + 1} issues</h2>`);
  expect(part.match(/>Issue \d+</g)).toHaveLength(BATCH_PAGE_ISSUES);
  expect(textOf(part)).toContain(`Show all ${BATCH_PAGE_ISSUES + 1} issues`);
  const all = await drawn(pages, { path: '/x?issues=all', answers: {} });
  expect(all).toContain(`<h2>${BATCH_PAGE_ISSUES + 1} issues</h2>`);
  expect(all.match(/>Issue \d+</g)).toHaveLength(BATCH_PAGE_ISSUES + 1);
});

it('dates, times and short codes stay whole in a line, and nothing else does', () => {
  const whole = (text: string) =>
    [...String(jsx(Unbroken, { text }, [])).matchAll(/<span class="unbroken">(.*?)<\/span>/g)].map(([, part]) => part);
  expect(whole('Known since 2026-11-25 08:15:00 as LD-100-2, or well-known')).toEqual([
    '2026-11-25',
    '08:15:00',
    'LD-100-2',
    'well-known',
  ]);
  expect(whole('a-name-that-is-longer-than-a-phone-is-wide and - more')).toEqual([]);
});

it('in a long list what one does not look for first waits on a phone until it is asked for', () => {
  const list = (rows: number) =>
    String(
      jsx(Table, {
        caption: 'Loads',
        columns: [
          { label: 'Load', kind: 'main' },
          { label: 'Cost', isMinor: true },
        ],
        rows: Array.from({ length: rows }, (_, at) => ({ cells: [`LD${at}`, '$1'] })),
      }),
    );
  expect(list(12)).toContain('More about each');
  expect(list(12).match(/ minor"/g)).toHaveLength(12);
  expect(list(11)).not.toContain('More about each');
});
