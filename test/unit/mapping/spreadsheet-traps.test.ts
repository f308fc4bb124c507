/** What spreadsheets make of load numbers, codes and dates before a file is exported, and what a mapping can do about it. */
import { describe, expect, it } from 'vitest';
import { bodyOf, errorsOf, type Loose, withFields } from './documents.ts';
import { bodiesOf, mapInput, orderDocument } from './files.ts';

const loadOf = (field: unknown, load: string): unknown => {
  const document = withFields({ loadNumber: field });
  const [error] = errorsOf(document, { Load: load });
  return error === undefined ? bodyOf(document, { Load: load }).loadNumber : `${error.code} ${error.path}`;
};

describe('a long number that a spreadsheet has shortened', () => {
  it.each(['1.23E+11', '1,23E+11', '1E+12', '9.00000000000001E+15', '1.23e+21', '-1.5E+10', ' 1.23E+11 '])(
    'is never sent as a load number: %s',
    (load) => expect(loadOf('Load', load)).toBe('excel_damage Load'),
  );

  it('is told in words, with what to do', () => {
    const [error] = errorsOf(withFields({}), { Load: '1.23E+11' });
    expect(error).toMatchObject({ value: '1.23E+11', message: expect.stringContaining('spreadsheet') });
    expect(error?.fix).toContain('"Load" a column of text');
  });

  it('is neither a reference of an event nor one of an order', async () => {
    const references = [{ name: 'PRO', value: 'Pro' }];
    expect(errorsOf(withFields({ references }), { Pro: '4.56E+12' })).toMatchObject([
      { code: 'excel_damage', path: 'Pro' },
    ]);
    expect(await bodiesOf(orderDocument({ note: 'note' }), { no: '1.23E+11', note: '7E+10' })).toEqual([
      ['excel_damage no', 'excel_damage note'],
    ]);
  });

  it.each([
    'E+11',
    '1.23E11',
    '1.23E+1',
    '12E+11',
    '0E+11',
    '1.E+11',
    'L1.23E+11',
    '1.23E+11-A',
    '1E+1234',
    '123000000000',
  ])('is not seen in what may be a number of its own: %s', (load) => expect(loadOf('Load', load)).toBe(load));

  it('is no number either', () => {
    const stop = { from: 'Stop', as: 'integer' };
    expect(errorsOf(withFields({ stopsequenceNumber: stop }), { Stop: '1.23E+11' })).toMatchObject([
      { code: 'not_a_whole_number', path: 'Stop' },
    ]);
  });
});

describe('a number of JSON with an exponent', () => {
  const mapped = async (line: string): Promise<unknown> => {
    const fields = {
      loadNumber: 'load',
      eventCode: { const: 'X3' },
      stopsequenceNumber: { from: 'stop', as: 'integer', when: { field: 'stop', empty: false } },
      time: { const: '2026-03-02T08:00:00Z', parse: 'iso' },
    };
    const [row] = await mapInput({ source: { format: 'ndjson' }, fields }, `${line}\n`);
    return row?.errors[0] ?? row?.requests[0]?.body;
  };

  it.each(['1e3', '1E3', '1.23457e+08', '12e2', '1e400', `1.${'7'.repeat(60)}e80`])(
    'is never sent as a load number where its last digits are not told: %s',
    async (load) => expect(await mapped(`{"load":${load}}`)).toBe('excel_damage load'),
  );

  it('is sent in plain digits where it tells them all', async () =>
    expect(await mapped('{"load":1.234567e6}')).toMatchObject({ loadNumber: '1234567' }));

  it('is a number where one is wanted, and an error where its last digits are not told', async () => {
    expect(await mapped('{"load":"L1","stop":1.2e1}')).toMatchObject({ stopsequenceNumber: 12 });
    expect(await mapped('{"load":"L1","stop":1e3}')).toBe('not_a_whole_number stop');
  });

  it('is a text like any other in quotes', async () =>
    expect(await mapped('{"load":"1e3"}')).toMatchObject({ loadNumber: '1e3' }));
});

describe('a formula whose value the workbook does not hold', () => {
  it('is an error of the row, in a text, a number and a time', () => {
    expect(loadOf('Load', '#NOT_CALCULATED!')).toBe('excel_damage Load');
    const [error] = errorsOf(withFields({}), { Load: '#NOT_CALCULATED!' });
    expect(error?.message).toContain('formula');
    const stop = { from: 'Stop', as: 'integer' };
    expect(errorsOf(withFields({ stopsequenceNumber: stop }), { Stop: '#NOT_CALCULATED!' })).toMatchObject([
      { code: 'not_a_whole_number', path: 'Stop' },
    ]);
  });
});

describe('leading zeros that a spreadsheet has taken away', () => {
  it('stay where the file still has them', () => expect(loadOf('Load', '0004711')).toBe('0004711'));

  it('come back where the mapping says how long the number is', () => {
    const padded = { from: 'Load', pad: { to: 7, with: '0', side: 'left' } };
    expect(loadOf(padded, '4711')).toBe('0004711');
  });

  it('are an error where the mapping says the form of the number', () => {
    const exact = { from: 'Load', capture: { pattern: '^([0-9]{7})$' } };
    expect(loadOf(exact, '0004711')).toBe('0004711');
    expect(loadOf(exact, '4711')).toBe('pattern_not_found Load');
  });
});

describe('a number that a spreadsheet has taken for a date (Mar-26)', () => {
  const when = (parse: string): Loose => withFields({ time: { from: 'When', parse } });

  it.each(['Mar-26', '26-Mar', '3-26'])('is no time: %s', (text) => {
    expect(errorsOf(when('yyyy-MM-dd HH:mm'), { When: text })).toMatchObject([{ code: 'bad_date', path: 'When' }]);
  });

  it('is an error where the mapping says the form of the number, and else stays as it is written', () => {
    expect(loadOf({ from: 'Load', capture: { pattern: '^([0-9]+-[0-9]+)$' } }, 'Mar-26')).toBe(
      'pattern_not_found Load',
    );
    expect(loadOf('Load', 'Mar-26')).toBe('Mar-26');
  });
});
