/** What the page of a batch says of it. */
import { jsx } from 'hono/jsx';
import { describe, expect, it } from 'vitest';
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { alikeText } from '../../../src/console/pages/batch/batch-issues.tsx';
import {
  defaultStates,
  isHalted,
  mayCancel,
  mayRetry,
  nameOf,
  progressText,
  requestText,
  resolvedIn,
  rowState,
  rowText,
  stateLook,
  stateMessage,
  stopText,
  toCorrect,
  toFix,
} from '../../../src/console/pages/batch/batch-messages.ts';
import { eventTime, whatText } from '../../../src/console/pages/batch/batch-row.tsx';
import { endOf, rangeText } from '../../../src/console/pages/batch/batch-rows.tsx';
import { cellNotes } from '../../../src/console/pages/batch/fix-form.tsx';
import { segmentsOf, segmentsText } from '../../../src/console/parts/bar.tsx';
import { OtherRows } from '../../../src/console/parts/row-link.tsx';
import type { Problem } from '../../../src/kernel/problem.ts';
import { spoiltBy } from '../../../src/mapping/groups/map-group.ts';
import { aProblem, aRow, aRowRequest, aSummary } from '../batch/samples.ts';

const labelOf = (more: Partial<BatchSummary>): string => stateMessage(aSummary(more)).label;

describe('the state of a batch', () => {
  it.each([
    [{ state: 'settled', rowStates: { delivered: 3 } }, 'Finished'],
    [{ state: 'settled', rowStates: { delivered: 3, invalid: 2, rejected: 5, dead: 1 } }, 'Finished, 8 not delivered'],
    [{ state: 'settled', rowStates: { invalid: 2 }, resolvedStates: { invalid: 2 } }, 'Finished'],
    [{ state: 'settled', dryRun: true, rowStates: { invalid: 2 } }, 'Checked, 2 wrong'],
    [{ state: 'settled', rowStates: { skipped: 12, duplicate: 1 } }, 'Finished, nothing to send'],
    [{ state: 'settled', rows: 0, rowStates: {} }, 'Finished, no rows'],
    [{ state: 'delivering', rowStates: { held: 1, delivered: 3 } }, 'Waiting for a decision'],
    [{ state: 'delivering', rowStates: { held: 1, queued: 3 } }, 'Delivering'],
    [{ state: 'unreadable', rowStates: {} }, 'File not readable'],
    [{ state: 'delivering', cancelledAt: '2026-03-02T08:00:05.000Z', rowStates: { queued: 1 } }, 'Cancelling'],
    [{ state: 'settled', cancelledAt: '2026-03-02T08:00:05.000Z', rowStates: { cancelled: 1 } }, 'Cancelled'],
  ] satisfies [Partial<BatchSummary>, string][])('%j is said as %s', (more, label) =>
    expect(labelOf(more)).toBe(label),
  );

  it('never looks well with failures, and is violet where a person decides', () => {
    expect(stateLook(stateMessage(aSummary({ state: 'settled', rowStates: { rejected: 1 } })))).toBe('bad');
    expect(stateLook(stateMessage(aSummary({ state: 'settled', rowStates: { skipped: 1 } })))).toBe('done');
    expect(stateLook(stateMessage(aSummary({ state: 'delivering', rowStates: { held: 1 } })))).toBe('held');
  });

  it('calls nothing of a dry run delivered', () => {
    expect(segmentsText(segmentsOf({ valid: 3, invalid: 2, skipped: 1 }), true)).toBe('3 valid, 2 wrong, 1 left out');
    expect(segmentsText(segmentsOf({ delivered: 3, invalid: 2 }))).toBe('3 delivered, 2 not delivered');
    const tried = { state: 'settled', rows: 5, dryRun: true } as const;
    expect(progressText(aSummary({ ...tried, rowStates: { valid: 3, invalid: 2 } }))).toBe('3 of 5 rows valid');
    expect(progressText(aSummary({ ...tried, rowStates: { valid: 5 } }))).toBe('5 of 5 rows valid');
  });

  it('counts what is done, of what is read so far', () => {
    const rowStates = { delivered: 1_200, queued: 34, held: 1 };
    expect(progressText(aSummary({ state: 'reading', rows: 1_235, rowStates }))).toBe(
      '1,200 of 1,235 rows so far are done',
    );
    expect(progressText(aSummary({ state: 'delivering', rows: 1, rowStates: { queued: 1 } }))).toBe(
      '0 of 1 row is done',
    );
    expect(progressText(aSummary({ state: 'settled', rows: 1, rowStates: { delivered: 1 } }))).toBe(
      '1 of 1 row delivered',
    );
    expect(progressText(aSummary({ state: 'settled', rows: 13, rowStates: { skipped: 12, duplicate: 1 } }))).toBe(
      '1 duplicate, 12 left out',
    );
    expect(progressText(aSummary({ state: 'settled', rows: 0, rowStates: {} }))).toBe(
      'The file has a header and no rows',
    );
  });

  it('shows first what needs a person, and no row that was corrected', () => {
    expect(defaultStates(aSummary({ rowStates: { delivered: 1, invalid: 2, waiting: 1 } }))).toEqual([
      'invalid',
      'waiting',
    ]);
    expect(defaultStates(aSummary({ rowStates: { invalid: 2 }, resolvedStates: { invalid: 2 } }))).toBeNull();
  });

  it('is called after its file, or after the day of its messages', () => {
    expect(nameOf(aSummary())).toBe('events.csv');
    expect(nameOf(aSummary({ messages: 3, fileName: null }))).toMatch(/^Messages of \d{4}-\d\d-\d\d$/);
  });
});

it('nothing is called delivering while something stops it and nothing is on its way', () => {
  const stop = { scac: null, since: '2026-03-02T14:02:10.000Z', nextTry: '2026-03-02T14:32:10.000Z' };
  const stops = [{ ...stop, why: 'failures' as const }];
  const labelWith = (rowStates: BatchSummary['rowStates']): string =>
    stateMessage({ ...aSummary({ state: 'delivering', rowStates }), stops }).label;
  expect(labelWith({ unknown: 8, queued: 2 })).toBe('Waiting for the receiving system');
  expect(labelWith({ unknown: 7, sending: 1 })).toBe('Delivering');
  expect(labelWith({ queued: 2 })).toBe('Waiting for the receiving system');
  const ofOneScac = [{ ...stop, scac: 'DEMO', why: 'not_onboarded' as const }];
  expect(isHalted({ stops: ofOneScac, rowStates: { queued: 2 } })).toBe(false);
  expect(isHalted({ stops: ofOneScac, rowStates: { queued: 2, waiting: 1 } })).toBe(true);
});

describe('what may be done', () => {
  it('is a retry of what ended badly, and never of a dry run', () => {
    expect(mayRetry(aSummary({ requestStates: { rejected: 1 } }))).toBe(true);
    expect(mayRetry(aSummary({ requestStates: { rejected: 1 }, dryRun: true }))).toBe(false);
    expect(mayRetry(aSummary({ requestStates: { delivered: 1 } }))).toBe(false);
  });

  it('is a cancel while it is under way, once', () => {
    expect(mayCancel(aSummary({ state: 'reading' }))).toBe(true);
    expect(mayCancel(aSummary({ state: 'reading', cancelledAt: '2026-03-02T08:00:05.000Z' }))).toBe(false);
    expect(mayCancel(aSummary({ state: 'settled' }))).toBe(false);
  });

  it('is to correct rows in a file, but none of EDI, whose sets stand in their interchange, and to fix them in a page', () => {
    const rowStates = { invalid: 2, delivered: 1 };
    const of = (more: Partial<BatchSummary>): [number, number] => {
      const summary = aSummary({ rowStates, ...more });
      return [toCorrect(summary), toFix(summary)];
    };
    expect(of({})).toEqual([2, 2]);
    expect(of({ format: 'x12' })).toEqual([0, 2]);
    expect(of({ format: 'x12', messages: 7 })).toEqual([0, 0]); // messages of a day come by programs
    expect(of({ format: 'json', messages: 7 })).toEqual([2, 0]);
    expect(of({ dryRun: true }), 'nothing of a dry run is sent from a page').toEqual([2, 0]);
    expect(of({ state: 'unreadable' })).toEqual([0, 0]);
  });
});

describe('a list of rows', () => {
  const rows = [{ record: 61 }, { record: 100 }];

  it('says how many are like it, and how many of these were corrected since', () => {
    expect(rangeText(rows, { total: 400, resolved: 0 })).toBe('Rows 61 to 100 of the file; 400 rows in all like this');
    expect(rangeText(rows, { total: 10, resolved: 2 })).toBe(
      'Rows 61 to 100 of the file; 10 rows in all like this, 2 of them corrected since',
    );
    expect(rangeText(rows, null)).toBe('Rows 61 to 100 of the file');
    const summary = aSummary({ rowStates: { rejected: 10 }, resolvedStates: { rejected: 2 }, resolved: 2 });
    expect([['rejected'], ['held'], null].map((states) => resolvedIn(summary, states))).toEqual([2, 0, 2]);
  });

  it.each([
    ['Load LD-42 is closed', 'load:LD-42', 'is closed'],
    ['{"message":"Load LD-42 is closed since 2026-03-02T08:00:00Z"}', 'load:LD-42', 'is closed since'],
    ['Stop unknown', 'load:LD-42', 'Stop unknown'],
    [JSON.stringify({ message: 'a "quoted" name' }), 'load:LD-42', null],
    ['LD-42', 'load:LD-42', null],
    [null, 'load:LD-42', null],
  ])('with the answer %s for %s is found by what all such answers say: %s', (answer, subject, text) => {
    const example = { record: 1, request: 1, line: 2, subject, links: { batch: '', row: '', console: '' } };
    expect(alikeText({ answer, examples: [example] })).toBe(text);
  });
});

it('sending that is stopped is said with since when, until when, and for whom', () => {
  const stop = { scac: null, since: '2026-03-02T14:02:10.000Z', nextTry: '2026-03-02T14:32:10.000Z' };
  expect(stopText([{ ...stop, why: 'failures' }])).toBe(
    'Waiting for the receiving system since 2026-03-02 14:02, next try 14:32:10 UTC',
  );
  expect(stopText([{ ...stop, scac: 'DEMO', why: 'not_onboarded' }])).toContain('(DEMO) since');
  expect(stopText([])).toBe('');
});

describe('a row of a group', () => {
  const labelOf = (...errors: ReturnType<typeof aProblem>[]) => {
    const { label, look } = rowState(aRow(1, { state: 'invalid', errors, requests: [] }));
    return `${label} (${look})`;
  };
  it('that is right waits for those that are wrong, which it names; one that is wrong is to be corrected', () => {
    expect(labelOf(spoiltBy([1_012]))).toBe('Waits for row 1,012 (wait)');
    expect(labelOf(spoiltBy([12, 14]))).toBe('Waits for rows 12 and 14 (wait)');
    expect(labelOf(spoiltBy([1, 2, 3, 4, 5, 6, 7]))).toBe('Waits for its group (wait)');
    expect(labelOf(aProblem())).toBe('To correct (bad)');
    expect(labelOf(aProblem(), spoiltBy([12]))).toBe('To correct (bad)');
    const cutOff = 'The file breaks off, so rows of this group may be missing and nothing was sent for it.';
    expect(labelOf(aProblem({ code: 'group_uncertain', message: cutOff }))).toBe('To correct (bad)');
    expect(labelOf(aProblem({ code: 'code_unknown', message: '"row 7" is none of the values known.' }))).toBe(
      'To correct (bad)',
    );
  });
  it('links to those that it waits for', async () => {
    const to = (record: number) => `/r${record}`;
    const said = (problem: ReturnType<typeof aProblem>) => String(jsx(OtherRows, { problem, to }, 'else'));
    expect(said(spoiltBy([12]))).toBe('Nothing was sent for this group, because row <a href="/r12">12</a> is wrong.');
    expect(said(spoiltBy([3, 4, 5, 6, 7, 8, 9]))).toMatch(
      /rows <a href="\/r3">3<\/a>, <a.*>7<\/a> and 2 more are wrong/,
    );
    expect(said(aProblem())).toBe('else');
  });
});

describe('beneath a cell', () => {
  const cells = [
    { column: 'Event Date', text: '20260303' },
    { column: 'Event Time', text: '2515' },
    { column: 'Appointment', text: '' },
  ];
  const of = (at: number[], more: Partial<Problem> = {}) => ({
    ...aProblem({ message: 'It is wrong.', ...more }),
    cells: at,
  });

  it('of several each that is marked says why: the first what is wrong, the others what they are read with', () => {
    expect(cellNotes(of([0, 1]), cells)).toEqual([
      { at: 0, text: 'It is wrong.' },
      { at: 1, text: 'Read together with Event Date: change whichever is wrong.' },
    ]);
  });
  it('nothing is said, and nothing marked, where it is empty beside what is not', () => {
    expect(cellNotes(of([2, 1]), cells)).toEqual([{ at: 1, text: 'It is wrong.' }]);
    expect(cellNotes(of([2]), cells)).toEqual([{ at: 2, text: 'It is wrong.' }]);
  });
  it.each([
    ['', 'The time has no time zone. Write the code of that of the place, such as CT.'],
    ['LT', '“LT” is local time: it names no time zone. Write the code of that of the place, such as CT.'],
    ['??', '“??” names no time zone. Write the code of that of the place, such as CT.'],
  ])('of a time zone %j stands what it is and what to write', (text, said) => {
    const zone = of([0], { code: 'time_zone_missing', path: 'AT7-07' });
    expect(cellNotes(zone, [{ column: 'AT7-07', text }])).toEqual([{ at: 0, text: said }]);
  });
});

describe('why a row is where it is', () => {
  it('is its first problem, or what the receiving system said', () => {
    expect(rowText(aRow(1, { errors: [aProblem({ path: 'Status', message: 'It is unknown.' })] }))).toBe(
      'Status: It is unknown.',
    );
    const refused = aRowRequest({ state: 'rejected', status: 422, answer: '{"message":"The load is closed."}' });
    expect(rowText(aRow(1, { state: 'rejected', requests: [refused] }))).toBe('“The load is closed.” · Status 422');
  });

  it('is nothing where it was delivered, whatever the answer was, unless something else shows it', () => {
    const packed = aRowRequest({ state: 'coalesced', status: 200, answer: '{"id":"b4","points":4}' });
    expect(rowText(aRow(1, { state: 'delivered', requests: [packed] }))).toBe('');
    const found = aRowRequest({ state: 'delivered', status: 500, answer: '', evidence: 'reconcile' });
    expect(rowText(aRow(1, { state: 'delivered', requests: [found] }))).toBe(
      'Found in the receiving system by its reference',
    );
  });

  it('says when it is tried again', () => {
    const waiting = aRowRequest({ state: 'waiting', reason: null, nextAt: '2026-03-02T08:00:05.000Z', answer: null });
    expect(requestText(waiting)).toContain('Again at 08:00:05 UTC');
    const stop = { why: 'failures', since: '2026-03-02T07:59:00.000Z', nextTry: '2026-03-02T08:00:02.000Z' } as const;
    const at = (scac: string | null, nextAt: string) =>
      requestText({ ...waiting, scac: 'DEMO', nextAt }, [{ ...stop, scac }]);
    expect(at(null, '2026-03-02T08:00:05.000Z'), 'as the note above the rows').toContain('Again at 08:00:02 UTC');
    expect(at('DEMO', '2026-03-02T08:00:01.000Z')).toContain('Again at 08:00:02 UTC');
    expect(at('ELSE', '2026-03-02T08:00:05.000Z')).toContain('Again at 08:00:05 UTC');
    expect(at(null, '2026-03-02T08:30:00.000Z')).toContain('Again at 08:30:00 UTC');
  });
});

it('the time of an event is shown in the zone of the file', () => {
  expect(eventTime('2026-03-02T08:00:00.0000000-06:00')).toBe('2026-03-02 08:00 -06:00');
  expect(eventTime('2026-03-02T08:00:59Z')).toBe('2026-03-02 08:00:59 UTC');
  expect(whatText(aRowRequest())).toMatch(/^Arrived, pickup X3 · 2026-/);
});

it('where a row is ends with what tells it from others', () => {
  expect(endOf('line 15')).toBe('line 15');
  expect(endOf('ISA 000000201, GS 201, ST 0001, segment 6 (AT7)')).toBe('… ST 0001, segment 6 (AT7)');
  expect(endOf('a-very-long-name-of-a-file-in-an-archive.csv, line 3')).toBe('… line 3');
});
