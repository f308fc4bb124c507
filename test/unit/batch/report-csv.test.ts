import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  csvCell,
  csvLine,
  headerLine,
  ownColumns,
  RESULT_COLUMNS,
  recordLine,
  unreadableLines,
  unreadableReport,
} from '../../../src/batch/report/report-csv.ts';
import type { RowRequest } from '../../../src/batch/report/summary.ts';
import { foldRow } from '../../../src/delivery/outcome.ts';
import { REQUEST_STATES, type RequestState } from '../../../src/delivery/states.ts';
import { replacedReader } from '../../../src/formats/record-reader.ts';
import { draws } from '../../draws.ts';
import { aProblem, aRow, aRowRequest, aSummary, BATCH_ID } from './samples.ts';

const parsed = (csv: string): string[][] => parse(csv, { relax_column_count: false }) as string[][];
const cellOf = (text: string): string => parsed(csvLine([text]))[0]?.[0] ?? '';

/** The result cells of one row by column name. */
function results(row: Parameters<typeof recordLine>[1]['row']): Record<string, string> {
  const [header = [], cells = []] = parsed(
    headerLine(['Load']) + recordLine(BATCH_ID, { columns: ['Load'], fields: ['L1'], row }),
  );
  return Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']));
}

describe('csvCell', () => {
  it('is always quoted, with quotes doubled', () => {
    expect(csvCell('')).toBe('""');
    expect(csvCell('a"b')).toBe('"a""b"');
  });

  it.each([
    '=1+1',
    '=HYPERLINK("http://elsewhere.example","x")',
    '+1+1',
    '+15551234567 ext 2',
    '-1+1',
    '-ABC',
    '@SUM(A1)',
    '\t=1+1',
    '\r=1+1',
    '\n=1+1',
    ' =1+1',
    '\u00a0\u2003@SUM(A1)',
    '\ufeff=1+1',
    '\0=1+1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '=',
    '-',
    '--5',
    '+-5',
    '-5.5.5',
    "=cmd|' /C calc'!A0",
  ])('keeps a spreadsheet from running %j', (text) => {
    expect(cellOf(text)).toBe(`'${text}`);
  });

  it.each(['-5', '+5', '-5.25', '-5,25', '+0', '-007', '12', '3.14', '0'])('leaves the number %s alone', (text) => {
    expect(cellOf(text)).toBe(text);
  });

  it.each(['LD100200', 'a=b', "O'Hare", ' x', '\n', 'Zürich', '😀', '2026-03-02', 'a,b;c', '"'])(
    'leaves %j alone',
    (text) => {
      expect(cellOf(text)).toBe(text);
    },
  );

  it.each(["'=1", "''@x", "'-5"])('marks %j, too, so that what is taken off again is the mark', (text) => {
    const reader = replacedReader(['Cell', '_batch', '_record']);
    expect(cellOf(text)).toBe(`'${text}`);
    expect(reader?.read([cellOf(text), 'b', '1']).fields[0]).toBe(text);
  });

  it('is read back as it was by a file that brings rows back', () => {
    const reader = replacedReader(['Cell', '_batch', '_record']);
    const formula = fc.tuple(
      fc.constantFrom('', "'", "''", ' ', "' ", '\n', '\ufeff', "'\ufeff "),
      fc.constantFrom('=', '+', '-', '@', 'a', '5'),
      fc.string(),
    );
    fc.assert(
      fc.property(formula, (parts) => {
        expect(reader?.read([cellOf(parts.join('')), 'b', '1']).fields[0]).toBe(parts.join(''));
      }),
    );
  });

  it('comes back from a CSV reader as it was, but for the mark in front of formulas', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.startsWith('\ufeff')); // a reader may take it for the file's own mark
        expect([text, `'${text}`]).toContain(cellOf(text));
      }),
      { numRuns: draws(300) },
    );
  });

  it('never begins with what a spreadsheet runs, unless it is a number', () => {
    const dangerous = fc
      .tuple(fc.constantFrom(...'=+-@\t\r\0＝＋－＠'), fc.string())
      .map(([first, rest]) => first + rest);
    fc.assert(
      fc.property(dangerous, (text) => {
        const cell = cellOf(text);
        return cell.startsWith("'") || /^[+-]\d+([.,]\d+)?$/.test(cell);
      }),
      { numRuns: draws(1_000) },
    );
  });
});

describe('headerLine', () => {
  it('puts our columns after the originals', () => {
    expect(parsed(headerLine(['Load #', 'Status']))[0]).toEqual(['Load #', 'Status', ...RESULT_COLUMNS]);
  });

  it('neutralises a column name that is a formula', () => {
    expect(parsed(headerLine(['=1+1']))[0]?.[0]).toBe("'=1+1");
  });

  it('names the columns a corrected upload is matched by', () => {
    expect(RESULT_COLUMNS.slice(0, 2)).toEqual(['_batch', '_record']);
    expect(RESULT_COLUMNS.every((name) => name.startsWith('_'))).toBe(true);
  });

  it('ends with what was added later, where no reader by place is hurt', () => {
    const added = [
      '_evidence',
      '_place',
      '_change',
      '_action',
      '_warning',
      '_warning_words',
      '_looked_up',
      '_replaced_by',
    ];
    expect(RESULT_COLUMNS.slice(-8)).toEqual(added);
  });
});

describe('recordLine', () => {
  const line = (columns: string[], fields: string[]) =>
    parsed(recordLine(BATCH_ID, { columns, fields, row: aRow(7) }))[0] ?? [];

  it('writes the original cells first, then ours', () => {
    const cells = line(['Load', 'City'], ['L1', 'Joliet, IL']);
    expect(cells.slice(0, 6)).toEqual(['L1', 'Joliet, IL', BATCH_ID, '7', '8', 'delivered']);
    expect(cells).toHaveLength(2 + RESULT_COLUMNS.length);
  });

  it('fills a row that is too short, so that our columns stand where they belong', () => {
    expect(line(['a', 'b', 'c'], ['1']).slice(0, 4)).toEqual(['1', '', '', BATCH_ID]);
  });

  it('cuts a row that is too long', () => {
    expect(line(['a'], ['1', '2', '3']).slice(0, 2)).toEqual(['1', BATCH_ID]);
  });

  it('keeps a record with line breaks in its cells one record', () => {
    expect(line(['a', 'b'], ['two\r\nlines', 'x\ny'])[0]).toBe('two\r\nlines');
  });

  it('tells what came back for a row that was not delivered', () => {
    const rejected = aRowRequest({ state: 'rejected', status: 400, attempts: 3, answer: '{"error":"no such load"}' });
    expect(results(aRow(7, { state: 'rejected', requests: [rejected] }))).toMatchObject({
      _state: 'rejected',
      _status: '400',
      _attempts: '3',
      _answer: '{"error":"no such load"}',
      _possible_duplicate: '',
    });
  });

  it('tells all that is wrong with a row, part by part in one order', () => {
    const errors = [
      aProblem({ message: 'No load.', fix: 'Fill it.' }),
      aProblem({ code: 'bad_date', path: 'At', value: '=2', message: 'No date.', fix: 'Mend it.' }),
    ];
    expect(results(aRow(7, { state: 'invalid', errors, requests: [] }))).toMatchObject({
      _state: 'invalid',
      _status: '',
      _attempts: '',
      _code: 'value_missing | bad_date',
      _column: 'Load # | At',
      _value: ' | =2',
      _problem: 'No load. | No date.',
      _fix: 'Fill it. | Mend it.',
      _answer: '',
    });
  });

  it('neutralises a formula that a row or an answer brought in', () => {
    const errors = [aProblem({ value: '=cmd()' })];
    expect(results(aRow(7, { state: 'invalid', errors, requests: [] }))._value).toBe("'=cmd()");
    const requests = [aRowRequest({ state: 'rejected', answer: '@evil' })];
    expect(results(aRow(7, { state: 'rejected', requests }))._answer).toBe("'@evil");
  });

  it('gives the reason where nothing is wrong with the row itself', () => {
    const requests = [aRowRequest({ state: 'waiting', reason: 'credentials_refused', status: 401 })];
    expect(results(aRow(7, { state: 'waiting', requests }))).toMatchObject({
      _code: 'credentials_refused',
      _status: '401',
    });
  });

  it('leaves the status empty where there was no answer', () => {
    const requests = [aRowRequest({ state: 'unknown', status: null, answer: 'timeout: no headers' })];
    expect(results(aRow(7, { state: 'unknown', requests }))).toMatchObject({
      _status: '',
      _answer: 'timeout: no headers',
    });
  });

  it('flags a row whose request may have been applied twice', () => {
    const requests = [aRowRequest(), aRowRequest({ request: 2, possibleDuplicate: true })];
    expect(results(aRow(7, { requests }))._possible_duplicate).toBe('yes');
  });
});

describe('a row of several requests', () => {
  it('tells of the request that was refused when another was delivered', () => {
    const requests = [aRowRequest(), aRowRequest({ request: 2, state: 'rejected', status: 422 })];
    expect(results(aRow(7, { state: 'rejected', requests }))._status).toBe('422');
  });

  it('tells of the request that the row takes its state from, not of the first that was not delivered', () => {
    const requests = [
      aRowRequest({ state: 'duplicate', status: null, answer: 'first' }),
      aRowRequest({ request: 2, state: 'dead', status: 302, answer: 'moved', reason: 'redirected' }),
    ];
    expect(results(aRow(7, { state: 'dead', requests }))).toMatchObject({
      _state: 'dead',
      _status: '302',
      _code: 'redirected',
      _answer: 'moved',
    });
  });

  it('tells of the first where several are in the state of the row', () => {
    const requests = [201, 202].map((status, index) => aRowRequest({ request: index + 1, status }));
    expect(results(aRow(7, { requests }))._status).toBe('201');
  });

  it('tells of the first where none is in the state of the row', () => {
    const requests = [aRowRequest({ state: 'queued', status: null, attempts: 0, answer: null })];
    expect(results(aRow(7, { state: 'valid', requests }))).toMatchObject({
      _state: 'valid',
      _status: '',
      _attempts: '0',
    });
  });

  it('tells in all its cells of one request, and that is in the state of the row', () => {
    const states = fc.array(fc.constantFrom(...REQUEST_STATES), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(states, (given) => {
        const requests = given.map((state, index) =>
          aRowRequest({ request: index, state, status: 200 + index, attempts: 10 + index, answer: `answer ${index}` }),
        );
        const shown = results(aRow(7, { state: foldRow(given), requests }));
        const told = Number(shown._status) - 200;
        expect(given[told]).toBe(shown._state);
        expect(shown).toMatchObject({ _attempts: String(10 + told), _answer: `answer ${told}` });
      }),
    );
  });
});

describe('the effect of a row that was given up', () => {
  const effectOf = (more: Partial<Pick<RowRequest, 'outcome' | 'status' | 'answer'>>): string | undefined =>
    results(aRow(7, { state: 'dead', requests: [aRowRequest({ state: 'dead', reason: 'deadline', ...more })] }))
      ._effect;

  it('is that it may have arrived when nobody can tell', () => {
    expect(effectOf({ outcome: 'unknown', status: null, answer: '' })).toBe('may have arrived');
  });

  it('is that it was not applied when that is known', () => {
    expect(effectOf({ outcome: 'not_applied', status: null, answer: '' })).toBe('not applied');
  });

  it('is nothing for a row that was not given up', () => {
    expect(results(aRow(7))._effect).toBe('');
    expect(results(aRow(7, { state: 'invalid', errors: [aProblem()], requests: [] }))._effect).toBe('');
  });

  it('is that of the request which the row takes its state from', () => {
    const requests = [
      aRowRequest(),
      aRowRequest({ request: 2, state: 'dead', reason: 'deadline', outcome: 'unknown' }),
    ];
    expect(results(aRow(7, { state: 'dead', requests }))._effect).toBe('may have arrived');
  });
});

describe('unreadableReport', () => {
  it('has a line for each problem, in our columns', () => {
    const problems = [
      aProblem({ code: 'missing_column', path: 'Load #', message: 'The file has no column "Load #".' }),
      aProblem({
        code: 'wrong_delimiter',
        path: '',
        value: ';',
        position: { record: 0, line: 1, byteFrom: 0, byteTo: 5 },
      }),
    ];
    const [header = [], ...lines] = parsed(unreadableReport(aSummary({ state: 'unreadable', problems })));
    expect(header).toEqual([...RESULT_COLUMNS]);
    const named = lines.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index]])));
    expect(named).toMatchObject([
      { _batch: BATCH_ID, _record: '', _line: '', _state: 'unreadable', _code: 'missing_column', _column: 'Load #' },
      { _batch: BATCH_ID, _line: '1', _code: 'wrong_delimiter', _value: ';', _fix: 'Fill the cell.' },
    ]);
  });
});

describe('the generation', () => {
  it('is that of the request the row takes its state from, and empty where there is none', () => {
    const generationOf = (row: ReturnType<typeof aRow>) =>
      parsed(recordLine(BATCH_ID, { columns: [], fields: [], row }))[0]?.at(RESULT_COLUMNS.indexOf('_generation'));
    expect(generationOf(aRow(7))).toBe('1');
    const requests = [aRowRequest(), aRowRequest({ request: 2, state: 'rejected', generation: 3 })];
    expect(generationOf(aRow(7, { state: 'rejected', requests }))).toBe('3');
    expect(generationOf(aRow(7, { state: 'invalid', requests: [] }))).toBe('');
  });
});

describe('the file of an archive', () => {
  it('stands beside each of its rows, and nowhere else', () => {
    const place = { record: 7, line: 2, byteFrom: 0, byteTo: 9 };
    const lineOf = (position: ReturnType<typeof aRow>['position']) =>
      parsed(recordLine(BATCH_ID, { columns: [], fields: [], row: aRow(7, { position }) }))[0]?.at(
        RESULT_COLUMNS.indexOf('_file'),
      );
    expect(lineOf({ ...place, file: 'north.csv' })).toBe('north.csv');
    expect(lineOf(place)).toBe('');
  });

  it('that could not be read has a line for each problem, below our columns', () => {
    const problems = [
      aProblem({ code: 'not_csv', file: 'photo.jpg' }),
      aProblem({ code: 'missing_column', file: 'a.csv' }),
    ];
    const lines = parsed(unreadableLines(BATCH_ID, ['Load', 'City'], problems));
    expect(lines.map((cells) => [...cells.slice(0, 3), cells[5], cells[2 + RESULT_COLUMNS.indexOf('_file')]])).toEqual([
      ['', '', BATCH_ID, 'unreadable', 'photo.jpg'],
      ['', '', BATCH_ID, 'unreadable', 'a.csv'],
    ]);
    expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([2 + RESULT_COLUMNS.length]));
  });
});

describe('what a partner is told in the file itself', () => {
  const told = (row: ReturnType<typeof aRow>) => {
    const [header = [], cells = []] = parse(
      headerLine([]) + recordLine(BATCH_ID, { columns: [], fields: [], row }),
    ) as string[][];
    return Object.fromEntries(header.map((name, index) => [name, cells[index]]));
  };

  it('is who refused a row, and what to do', () => {
    const requests = [aRowRequest({ state: 'rejected', status: 422, answer: 'closed' })];
    expect(told(aRow(1, { state: 'rejected', requests }))).toMatchObject({
      _code: 'refused_by_upstream',
      _problem: 'The receiving system refused it with status 422.',
      _fix: expect.stringContaining('new file'),
    });
  });

  it('is why a row was given up', () => {
    const requests = [aRowRequest({ state: 'dead', status: 302, reason: 'redirected', outcome: 'not_applied' })];
    expect(told(aRow(1, { state: 'dead', requests }))).toMatchObject({
      _code: 'redirected',
      _problem: expect.stringContaining('another address'),
      _effect: 'not applied',
    });
  });

  it('is the fate of each event where a row makes several', () => {
    const requests = [aRowRequest({}), aRowRequest({ request: 2, state: 'rejected', status: 400 })];
    expect(told(aRow(1, { state: 'rejected', requests }))._requests).toMatch(/^\w+: delivered \| \w+: rejected$/);
  });

  it('is that of the request it travelled with, which is named', () => {
    const into = { batchId: BATCH_ID, record: 17, request: 1 };
    const row = (intoState: RequestState, batchId = BATCH_ID) =>
      told(aRow(18, { requests: [aRowRequest({ state: 'coalesced', into: { ...into, batchId }, intoState })] }));
    expect(row('delivered')).toMatchObject({ _into: `${BATCH_ID}/17/1`, _problem: '' });
    expect(row('delivered')._requests).toMatch(/: coalesced \(Travelled with row 17\)$/);
    expect(row('waiting')._requests).toContain('(Travels with row 17)');
    expect(row('delivered', 'b_other')).toMatchObject({
      _into: 'b_other/17/1',
      _requests: expect.stringContaining('Travelled with row 17 of batch b_other'),
    });
  });

  it('is a refusal where the request it travelled with was refused', () => {
    const into = { batchId: BATCH_ID, record: 17, request: 1 };
    const requests = [aRowRequest({ state: 'coalesced', into, intoState: 'rejected', status: 422 })];
    expect(told(aRow(18, { state: 'rejected', requests }))).toMatchObject({
      _code: 'refused_by_upstream',
      _problem: 'The receiving system refused it with status 422.',
    });
  });

  it('is nothing to do where all is well', () => {
    expect(told(aRow(1, { requests: [aRowRequest({})] }))).toMatchObject({ _problem: '', _fix: '', _requests: '' });
  });
});

describe('the place', () => {
  it('is that of the record in the words of its format, and empty where lines say enough', () => {
    const locationOf = (row: ReturnType<typeof aRow>) =>
      parsed(recordLine(BATCH_ID, { columns: [], fields: [], row }))[0]?.at(RESULT_COLUMNS.indexOf('_place'));
    expect(locationOf(aRow(7))).toBe('');
    const { position } = aRow(7);
    expect(locationOf(aRow(7, { position: { ...position, place: 'ST 0001, segment 7 (AT7)' } }))).toBe(
      'ST 0001, segment 7 (AT7)',
    );
  });
});

describe('the word of the receiving system', () => {
  const actionOf = (...actions: (string | null)[]) =>
    results(aRow(7, { requests: actions.map((action) => aRowRequest({ action })) }))._action;

  it('stands beside the change, as in report.json, and is empty where there is none', () => {
    expect(RESULT_COLUMNS.indexOf('_action')).toBe(RESULT_COLUMNS.indexOf('_change') + 1);
    expect(actionOf(null)).toBe('');
    expect(actionOf('rejected')).toBe('rejected');
    expect(actionOf('updated', null, 'rejected')).toBe('updated | rejected');
  });

  it('is a cell like others: a formula is made harmless', () => {
    expect(actionOf('=1+1')).toBe("'=1+1");
  });

  it('of an earlier report is not a column of the file that brings it back', () => {
    expect(ownColumns(['Load', '_action', ' _action ', 'Action'])).toEqual(['Load', 'Action']);
  });
});

describe('the evidence', () => {
  it('says what shows that the row was delivered, and nothing where it was not', () => {
    const evidenceOf = (more: Parameters<typeof aRowRequest>[0]) => {
      const row = aRow(7, { requests: [aRowRequest(more)] });
      return parsed(recordLine(BATCH_ID, { columns: [], fields: [], row }))[0]?.at(RESULT_COLUMNS.indexOf('_evidence'));
    };
    expect(evidenceOf({})).toBe('answer');
    expect(evidenceOf({ evidence: 'reconcile' })).toBe('reconcile');
    expect(evidenceOf({ state: 'held', evidence: null })).toBe('');
  });
});
