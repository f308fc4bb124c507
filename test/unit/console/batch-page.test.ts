import { describe, expect, it } from 'vitest';
import type { BatchRow, BatchSummary, RowRequest } from '../../../src/batch/report/summary.ts';
import { batchPage, bytesText, defaultStates, doneRows, progressText } from '../../../src/console/batch-page.tsx';
import { BATCH_MESSAGES, WAITING_FOR_DECISION } from '../../../src/console/messages.ts';
import { shortTime } from '../../../src/console/row-line.tsx';
import { ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import type { BatchPageView } from '../../../src/http/pages/views.ts';
import { aBody, aProblem, aRow, aRowRequest, aSummary, BATCH_ID } from '../batch/samples.ts';
import { OWN } from '../http/loads.ts';

const page = (summary: Partial<BatchSummary> = {}, view: Partial<BatchPageView> = {}): string =>
  batchPage({ reader: OWN, summary: aSummary(summary), rows: [], shown: null, nextPage: null, ...view });
const pageOf = (...rows: BatchRow[]): string => page({}, { rows });

/** What a person reads: tags out, entities back. */
const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

describe('the page of a batch', () => {
  it('is a whole document with a title, a stylesheet and no script of its own', () => {
    const html = page();
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).toContain('<title>events.csv – Transload</title>');
    expect(html).toContain('href="/console/console.css"');
    expect(html).not.toMatch(/<script|\son\w+=|javascript:|style="/);
    expect(html).not.toMatch(/\[object|undefined|null|NaN/);
  });

  it('tells what came in and when', () => {
    const text = textOf(page({ mapping: 'carrier-status-csv', bytes: 2_048, scac: null }));
    for (const fact of [
      'events.csv',
      'carrier-status-csv',
      'from each row',
      '2.0 KB',
      '2026-03-02 08:00:00 UTC',
      'test',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('says of a dry run that nothing is sent', () => {
    expect(textOf(page({ dryRun: true }))).toContain('Dry run nothing is sent');
    expect(textOf(page())).not.toContain('Dry run');
  });

  it('marks production', () => {
    expect(page({ environment: 'production' })).toContain('<span class="environment production">production</span>');
  });

  it('shows what a person should know though nothing is wrong', () => {
    expect(textOf(page({ notes: ['It was read as utf-16le.'] }))).toContain('It was read as utf-16le.');
  });

  it.each(['reading', 'delivering', 'settled', 'unreadable'] as const)('says in words that it is %s', (state) => {
    const text = textOf(page({ state }));
    expect(text).toContain(BATCH_MESSAGES[state].label);
    expect(text).toContain(BATCH_MESSAGES[state].meaning);
  });

  it('keeps itself fresh while the batch is open, and not after', () => {
    expect(page({ state: 'delivering' })).toContain('<script src="/console/live.js"');
    expect(page({ state: 'settled' })).not.toContain('live.js');
  });

  it('does not call it under way when all that is left waits for a person', () => {
    const text = textOf(page({ state: 'delivering', rowStates: { held: 1, delivered: 3 }, rows: 4 }));
    expect(text).toContain(WAITING_FOR_DECISION.label);
    expect(textOf(page({ state: 'delivering', rowStates: { held: 1, queued: 3 }, rows: 4 }))).toContain(
      BATCH_MESSAGES.delivering.label,
    );
  });

  it('counts rows by state, each a link to just those', () => {
    const html = page({ rows: 1_234, rowStates: { invalid: 4, delivered: 1_230 } }, { shown: ['invalid'] });
    expect(textOf(html)).toContain(`1,230 ${ROW_MESSAGES.delivered.label}`);
    expect(html).toMatch(/href="[^"]*\?state=invalid" class="count tone-bad here"/);
    expect(html.indexOf('?state=invalid')).toBeLessThan(html.indexOf('?state=delivered'));
  });

  it('links report, and file as received, and the next rows', () => {
    const html = page({}, { rows: [aRow(1)], nextPage: '/console/batches/b_1?state=all&after=200' });
    for (const name of ['report.csv', 'report.json', 'source']) expect(html).toContain(`/${name}"`);
    expect(html).toContain('href="/console/batches/b_1?state=all&amp;after=200"');
  });
});

describe('a row', () => {
  it('links the page of its load, and shows what is odd about it', () => {
    const warning = {
      code: 'sequence_suspicious',
      kind: 'stops',
      value: 'v',
      other: 'o',
      message: 'Strange stop.',
      fix: 'Check it.',
    } as const;
    const html = pageOf(aRow(7, { requests: [aRowRequest({ subject: 'load:A/1', warnings: [warning] })] }));
    expect(html).toContain('href="/console/loads/A%2F1?scac=ABCD"');
    expect(textOf(html)).toMatch(/Odd: Strange stop. sequence_suspicious Check it./);
  });

  it('tells where it stands and what became of it', () => {
    const text = textOf(pageOf(aRow(7)));
    for (const fact of [
      'Row 7',
      'line 8',
      ROW_MESSAGES.delivered.label,
      'load L1',
      'milestone X3',
      'ABCD',
      '2026-03-02 08:15:00 -06:00',
      'status 200',
      '1 attempt',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('shows of every problem its place, what was received and how to mend it', () => {
    const errors = [
      aProblem({
        code: 'bad_date',
        path: 'Event Date',
        value: '31/31/2026',
        message: 'There is no such day.',
        fix: 'Write MM/dd/yyyy.',
      }),
      aProblem({
        code: 'code_unknown',
        path: 'Status',
        value: 'ZZ',
        message: 'The code is not listed.',
        fix: 'Use one of X1, X3.',
      }),
    ];
    const text = textOf(pageOf(aRow(3, { state: 'invalid', errors, requests: [] })));
    for (const { code, path, value, message, fix } of errors) {
      for (const part of [code, `${path}:`, value, message, fix]) expect(text).toContain(part);
    }
  });

  it('shows no empty place and no empty value', () => {
    const html = pageOf(aRow(3, { state: 'invalid', errors: [aProblem({ path: '', value: '' })], requests: [] }));
    expect(textOf(html)).not.toContain('Received <code');
    expect(html).not.toContain('<b>: </b>');
    expect(html).not.toContain('<code class="value"></code>');
  });

  it('shows what an update changed of its order, escaped like all else', () => {
    const diff = [
      { path: 'consignee.phone', before: '555-0100', after: '<b>' },
      { path: 'comments', after: ['Ring'] },
    ];
    const shown = pageOf(aRow(1, { requests: [aRowRequest({ diff, action: 'updated' })] }));
    expect(shown).toContain('The receiving system says: updated');
    expect(shown).toContain('consignee.phone: &quot;555-0100&quot; → &quot;&lt;b&gt;&quot;');
    expect(shown).toContain('comments: nothing → [&quot;Ring&quot;]');
  });

  it('shows the answer of what was refused, and not of what was delivered', () => {
    const refused = aRowRequest({ state: 'rejected', status: 422, answer: '{"error":"no such load"}' });
    expect(textOf(pageOf(aRow(1, { state: 'rejected', requests: [refused] })))).toContain('{"error":"no such load"}');
    expect(textOf(pageOf(aRow(1)))).not.toContain('c-1');
  });

  it('tells why it waits, when it is tried again and how often it was', () => {
    const waiting = aRowRequest({
      state: 'waiting',
      reason: 'credentials_refused',
      status: 401,
      attempts: 2,
      nextAt: '2026-03-02T08:05:00.000Z',
    });
    const text = textOf(pageOf(aRow(1, { state: 'waiting', requests: [waiting] })));
    for (const fact of [
      'credentials were refused; the row is not at fault',
      'again at 08:05:00 UTC',
      '2 attempts',
      'status 401',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('tells of an order that is looked up, and how it was found', () => {
    const create = { kind: 'order.create' as const, subject: 'order:SO-1', body: { orderRef: 'SO-1' } };
    const pageWith = (more: object): string => {
      const request = { ...aRowRequest(), ...create, ...more } as RowRequest;
      return textOf(pageOf(aRow(1, { state: request.state, requests: [request] })));
    };
    const nextAt = '2026-03-02T08:05:00.000Z';
    const unclear = { state: 'unknown', evidence: null, reason: 'create_unconfirmed', nextAt };
    expect(pageWith(unclear)).toContain('looked up at 08:05:00 UTC');
    expect(pageWith({ evidence: 'reconcile' })).toContain('Delivered, found in the receiving system by its reference');
    expect(pageWith({ evidence: 'operator' })).toContain('Delivered, as the operator states');
    expect(pageWith({})).not.toContain('Delivered,');
  });

  it('flags what may be there twice and what came late', () => {
    const text = textOf(pageOf(aRow(1, { requests: [aRowRequest({ possibleDuplicate: true, late: true })] })));
    expect(text).toContain('possible duplicate');
    expect(text).toContain('late');
  });

  it('names the row that a position travelled with, and its batch where that is another', () => {
    const travelled = (batchId: string): string => {
      const into = { batchId, record: 17, request: 1 };
      return textOf(
        pageOf(aRow(18, { requests: [aRowRequest({ state: 'coalesced', into, intoState: 'delivered' })] })),
      );
    };
    expect(travelled(BATCH_ID)).toContain('Travelled with row 17 ');
    expect(travelled(BATCH_ID)).not.toContain('of batch');
    expect(travelled('b_other')).toContain('Travelled with row 17 of batch b_other');
    expect(travelled(BATCH_ID)).not.toContain('c-1'); // the answer of what was delivered
  });

  it('tells of what was given up whether it may have arrived', () => {
    const givenUp = (outcome: 'unknown' | 'not_applied' | null, state: 'dead' | 'waiting' = 'dead') =>
      textOf(pageOf(aRow(1, { state, requests: [aRowRequest({ state, reason: 'deadline', outcome })] })));
    expect(givenUp('unknown')).toContain('It could not be delivered in time. It may have arrived.');
    expect(givenUp('not_applied')).toContain('It could not be delivered in time. It was not applied.');
    expect(givenUp(null, 'waiting')).not.toMatch(/It may have arrived|It was not applied/);
  });

  it('shows all its requests', () => {
    const requests = [aRowRequest(), aRowRequest({ request: 2, subject: 'load:L2', body: aBody('L2') })];
    expect(textOf(pageOf(aRow(1, { requests })))).toMatch(/load L1.*load L2/);
  });
});

describe('hostile texts', () => {
  const ATTACKS = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    '</title><script>alert(1)</script>',
    '</code><iframe src=javascript:alert(1)>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '{{constructor.constructor("alert(1)")()}}',
    '<a href="javascript:alert(1)">x</a>',
    '<!--<script>',
  ];

  /** The attack in every place that comes from outside. */
  function attacked(attack: string): string {
    const body = { ...aBody(attack), eventCode: attack };
    const request = aRowRequest({
      body,
      state: 'rejected',
      subject: `load:${attack}`,
      scac: attack,
      answer: attack,
    });
    const row = aRow(1, {
      state: 'rejected',
      errors: [aProblem({ code: attack, path: attack, value: attack, message: attack, fix: attack })],
      requests: [request],
    });
    return page(
      { fileName: attack, mapping: attack, scac: attack, notes: [attack] },
      { rows: [row], nextPage: `/x?a=${attack}` },
    );
  }

  it.each(ATTACKS)('show as texts and are never markup: %s', (attack) => {
    expect(tagsOf(attacked(attack))).toEqual(tagsOf(attacked('harmless')));
    expect(textOf(attacked(attack))).toContain(attack);
  });

  it.each(ATTACKS)('are as harmless in a file that could not be read: %s', (attack) => {
    const unreadable = (text: string) =>
      page({
        state: 'unreadable',
        fileName: text,
        problems: [aProblem({ code: text, path: text, value: text, message: text, fix: text })],
      });
    expect(tagsOf(unreadable(attack))).toEqual(tagsOf(unreadable('harmless')));
  });
});

/** The names of all tags and attributes, in order: what a browser would build. */
function tagsOf(html: string): string[] {
  return [...html.matchAll(/<\/?([a-z!][^\s>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/gi)].map(
    ([, name = '', attributes = '']) => `${name} ${attributes.replace(/="[^"]*"/g, '')}`,
  );
}

describe('empty states', () => {
  it('of a file with a header and no rows', () => {
    const text = textOf(page({ rows: 0, rowStates: {}, requests: 0, requestStates: {} }));
    expect(text).toContain('The file has a header and no rows.');
  });

  it('of a batch whose reading has just begun', () => {
    const text = textOf(page({ state: 'reading', rows: 0, rowStates: {} }));
    expect(text).toContain('No row has been read yet.');
    expect(text).toContain('No rows so far');
  });

  it('of a state in which no row is', () => {
    expect(textOf(page({}, { shown: ['held'] }))).toContain('No row is in this state.');
  });
});

describe('a file that could not be read', () => {
  const problems = [
    aProblem({
      code: 'missing_column',
      path: 'Load #',
      value: 'Load',
      message: 'The file has no column "Load #".',
      fix: 'Rename it.',
    }),
    aProblem({ code: 'wrong_delimiter', path: '', value: '', message: 'The delimiter differs.', fix: 'Declare it.' }),
  ];
  const html = page({ state: 'unreadable', rows: 0, rowStates: {}, problems });

  it('says of every problem what was found and how to mend it', () => {
    const text = textOf(html);
    expect(text).toContain('Why the file could not be read');
    for (const { code, message, fix } of problems)
      for (const part of [code, message, fix]) expect(text).toContain(part);
    expect(text).toContain('Found: Load');
  });

  it('shows the place of every problem that has one, and no empty place', () => {
    const placed = page({
      state: 'unreadable',
      problems: [
        aProblem({ path: 'Load #', position: { record: 0, line: 7, byteFrom: 0, byteTo: 1 } }),
        aProblem({ path: '', message: 'The delimiter differs.' }),
      ],
    });
    expect(textOf(placed)).toContain('Load #: ');
    expect(textOf(placed).match(/line \d+/g)).toEqual(['line 7']);
    expect(placed).not.toMatch(/<b>:? ?<\/b>/);
  });

  it('shows no progress and no list of rows', () => {
    expect(html).not.toContain('<progress');
    expect(textOf(html)).not.toContain('No row');
  });
});

describe('numbers in words', () => {
  it.each([
    [{ rows: 0, rowStates: {} }, 'No rows so far'],
    [{ rows: 1, rowStates: { delivered: 1 } }, 'The one row is done'],
    [{ rows: 5_000, rowStates: { delivered: 5_000 } }, 'All 5,000 rows are done'],
    [{ rows: 10, rowStates: { delivered: 4, queued: 3, held: 2, unknown: 1 } }, '4 of 10 rows are done'],
    [
      { state: 'reading' as const, rows: 10, rowStates: { invalid: 1, queued: 9 } },
      '1 of 10 rows read so far are done',
    ],
  ])('%j is "%s"', (summary, words) => {
    expect(progressText(aSummary(summary))).toBe(words);
  });

  it('counts as done what is final and nothing else', () => {
    const open = { queued: 1, sending: 1, waiting: 1, unknown: 1, held: 1, coalesced: 1 };
    const final = { delivered: 1, rejected: 1, duplicate: 1, cancelled: 1, dead: 1, invalid: 1, skipped: 1, valid: 1 };
    expect(doneRows(aSummary({ rowStates: { ...open, ...final } }))).toBe(8);
  });

  it.each([
    [0, '0 bytes'],
    [1_023, '1023 bytes'],
    [1_024, '1.0 KB'],
    [1_048_576, '1.0 MB'],
    [104_857_600, '100.0 MB'],
  ])('%d bytes are "%s"', (bytes, words) => {
    expect(bytesText(bytes)).toBe(words);
  });

  it('writes a time for people, and says that it is UTC', () => {
    expect(shortTime('2026-03-02T08:00:09.123Z')).toBe('2026-03-02 08:00:09 UTC');
  });
});

describe('the title of the rows', () => {
  const summary = { rows: 9, rowStates: { invalid: 2, held: 1, delivered: 6 } };
  const titleOf = (shown: readonly string[] | null, more: Partial<BatchSummary> = {}): string | undefined =>
    /<h2>([^<]*)<\/h2>/.exec(page({ ...summary, ...more }, { shown }))?.[1];

  it('is all rows when all are shown', () => {
    expect(titleOf(null)).toBe('All rows');
  });

  it('names the one state that was chosen, and how many rows are in it', () => {
    expect(titleOf(['delivered'])).toBe(`${ROW_MESSAGES.delivered.label} · 6 rows`);
    expect(titleOf(['held'])).toBe(`${ROW_MESSAGES.held.label} · 1 row`);
  });

  it('says of the rows the page opens on what they have in common', () => {
    expect(titleOf(['invalid', 'held'])).toBe('Rows that were not delivered');
    expect(titleOf(['invalid', 'held'], { state: 'delivering' })).toBe('Rows that need attention');
  });

  it.each([[['delivered', 'valid']], [['invalid', 'delivered']], [['held', 'invalid', 'delivered']]])(
    'names the states of any other choice: %j',
    (shown) => {
      const labels = shown.map((state) => ROW_MESSAGES[state as keyof typeof ROW_MESSAGES].label);
      expect(titleOf(shown)).toBe(`Rows: ${labels.join(', ')}`);
    },
  );
});

describe('what the page opens on', () => {
  it('is the rows that need eyes, the most pressing first', () => {
    expect(defaultStates(aSummary({ rowStates: { delivered: 5, waiting: 1, invalid: 2, held: 1 } }))).toEqual([
      'invalid',
      'held',
      'waiting',
    ]);
  });

  it('is every row when none needs eyes', () => {
    expect(defaultStates(aSummary({ rowStates: { delivered: 5, queued: 2 } }))).toBeNull();
  });
});

describe('the links of a batch of interchanges', () => {
  const links = (summary: Partial<BatchSummary>): string[] =>
    [
      ...page({ rowStates: { invalid: 1, delivered: 1 }, ...summary }).matchAll(/href="\/console\/[^"]*\/([a-z.]+)"/g),
    ].map(([, file = '']) => file);

  it('offer its acknowledgment and no corrections, which its sender makes', () => {
    expect(links({ format: 'x12' })).toEqual(expect.arrayContaining(['acknowledgment', 'source']));
    expect(links({ format: 'edifact' })).not.toContain('corrections');
  });

  it('offer none while it is read, or where nothing could be read', () => {
    expect(links({ format: 'x12', state: 'reading' })).not.toContain('acknowledgment');
    expect(links({ format: 'x12', state: 'unreadable' })).not.toContain('acknowledgment');
  });

  it('are those of rows for other files', () => {
    expect(links({ format: 'csv' })).toContain('corrections');
    expect(links({ format: 'csv' })).not.toContain('acknowledgment');
  });
});
