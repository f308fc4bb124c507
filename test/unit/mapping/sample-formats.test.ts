/** Samples in every way a file can be written: read back, they are what was to be written. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvSource } from '../../../src/formats/csv/declaration.ts';
import { readerOf } from '../../../src/formats/reader.ts';
import { encode } from '../../../src/mapping/examples.ts';
import { csvText, csvWrites } from '../../../src/mapping/sample-csv.ts';
import { type Loose, withFields } from './documents.ts';
import { sampled } from './samples.ts';

const withSource = (source: Loose, input = 'x'): Loose => ({
  source,
  ...withFields({ eventCity: 'City' }),
  examples: [{ input, records: [] }],
});
const linesOf = (bytes: Uint8Array, encoding: BufferEncoding) => Buffer.from(bytes).toString(encoding).split('\n');

describe('a sample in CSV', () => {
  it('has no header where the file has none, and every declared column', async () => {
    const columns = ['Load', 'Nobody reads this', 'Code', 'When', 'City'];
    const sample = await sampled(withSource({ format: 'csv', header: false, columns }));
    expect(sample.text.split('\n')[0]).toMatch(/^LD100001,,X3,2026-03-16 07:35,Joliet$/);
  });

  it('leaves out a column that a file without header does not declare', async () => {
    const { fields } = withFields({ eventCity: { from: 'City', optional: true } });
    const source = { format: 'csv', header: false, columns: ['Load', 'Code', 'When'] };
    const sample = await sampled({ source, fields, examples: [{ input: 'x,y,z', records: [] }] });
    expect(sample.text.split('\n')[0]).toBe('LD100001,X3,2026-03-16 07:35');
  });

  it('fills the lines to skip and a comment with words', async () => {
    const sample = await sampled(withSource({ format: 'csv', skipLines: 2, comment: '//', delimiter: '\t' }));
    expect(sample.text.split('\n').slice(0, 4)).toEqual([
      'Sample of trial-csv',
      '-',
      '// Sample of trial-csv',
      'Code\tLoad\tCity\tWhen',
    ]);
  });

  it('chooses words without delimiters where cells are never quoted', async () => {
    const source = { format: 'csv', quote: '', delimiter: ' ' };
    const time = { from: 'When', parse: ['yyyy-MM-dd HH:mm', 'iso'] };
    const sample = await sampled({ ...withSource(source), ...withFields({ time, eventCity: 'City' }) });
    expect(sample.column('When').every((cell) => /^2026-03-1\dT/.test(cell))).toBe(true);
    expect(sample.column('City').every((cell) => cell !== '' && !cell.includes(' '))).toBe(true);
  });

  it.each(['utf-16le', 'utf-16be'])('is marked in %s', async (encoding) => {
    const input = 'Load,Code,When,City\nL1,X1,2026-03-02 08:00,Łódź\n';
    const { bytes } = await sampled(withSource({ format: 'csv', encoding }, input));
    expect([...bytes.slice(0, 2)]).toEqual(encoding === 'utf-16le' ? [0xff, 0xfe] : [0xfe, 0xff]);
    const text = new TextDecoder(encoding).decode(bytes);
    expect(text.split('\n')[1]).toBe('L2,X1,2026-03-16 07:35,Łódź');
  });

  it('is in windows-1252, its column names, too', async () => {
    const input = 'Load,Code,When,Straße\nL1,X1,2026-03-02 08:00,Köln\n';
    const { fields } = withFields({ eventCity: 'Straße' });
    const { bytes } = await sampled({ ...withSource({ format: 'csv', encoding: 'windows-1252' }, input), fields });
    expect(linesOf(bytes, 'latin1').slice(0, 2)).toEqual(['Load,Code,When,Straße', 'L2,X1,2026-03-16 07:35,Köln']);
  });

  it('takes no word that its encoding cannot write', async () => {
    const list = { from: 'City', replace: [{ find: 'Lodz', with: 'Łódź' }] };
    const { column } = await sampled({
      ...withSource({ format: 'csv', encoding: 'windows-1252' }),
      ...withFields({ eventCity: { ...list, when: { field: 'City', in: ['Łódź', 'Lodz'] } } }),
    });
    expect(new Set(column('City'))).toEqual(new Set(['Lodz']));
  });
});

describe('a sample in JSON', () => {
  const fields = {
    fields: { loadNumber: 'load.no', eventCode: '["event code"]', time: { from: 'at', parse: 'epochSeconds' } },
  };
  const examples = [{ input: '[]', records: [] }];

  it('has its records where the document says', async () => {
    const sample = await sampled({ source: { format: 'json', records: 'a["b.c"].d' }, ...fields, examples });
    expect(JSON.parse(sample.text).a['b.c'].d[0]).toEqual({
      load: { no: 'LD100001' },
      'event code': 'X3',
      at: Date.UTC(2026, 2, 16, 12, 35, 30) / 1_000,
    });
  });
  it('is an array where nothing is said', async () => {
    const sample = await sampled({ source: { format: 'json' }, ...fields, examples });
    expect(JSON.parse(sample.text)).toHaveLength(10);
  });
  it('has one record on each line in NDJSON', async () => {
    const sample = await sampled({ source: { format: 'ndjson' }, ...fields, examples });
    expect(sample.text.trimEnd().split('\n')).toHaveLength(10);
  });
  it('fills an array with null where a path names an item further on, and takes any name', async () => {
    const { text } = await sampled({
      source: { format: 'ndjson' },
      fields: { ...fields.fields, eventCity: '["__proto__"].x[2].city' },
      examples,
    });
    expect(text.split('\n')[0]).toContain('"__proto__":{"x":[null,null,{"city":"Joliet"}]}');
  });
});

describe('written CSV', () => {
  it('of one column keeps its empty cells, and the marks of other delimiters', () => {
    const source = csvSource.parse({ format: 'csv' });
    const rows = ['a;b', '', 'c'].map((cell) => ({ cells: new Map([['One;only', cell]]), lists: new Map() }));
    const bytes = encode(csvText(source, { columns: ['One;only'], rows, title: '' }), source);
    const { start, read } = readerOf(source, { paths: [], lists: [] });
    const found = read(start, bytes ?? new Uint8Array(), true);
    if (found.outcome !== 'records') throw new Error(JSON.stringify(found));
    expect(found.records.map(({ fields }) => fields)).toEqual([['a;b'], [''], ['c']]);
  });

  const form = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t', '||', ' '),
    quote: fc.constantFrom('"', "'", ''),
    comment: fc.constantFrom('#', undefined),
    skipLines: fc.nat({ max: 2 }),
    encoding: fc.constantFrom('utf-8' as const, 'windows-1252' as const, 'utf-16le' as const),
  });
  const cell = fc.oneof(
    fc.constantFrom('', '#', 'sep=;', 'a"b', "it's", 'x\ny', ' z ', 'ö;,|'),
    fc.string({ maxLength: 8 }),
  );

  it('reads back as what was written, whatever the form', () => {
    fc.assert(
      fc.property(form, fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 4 }), (shape, cells) => {
        const source = csvSource.parse({ format: 'csv', ...shape });
        const columns = ['a', 'sep=b'];
        const kept = cells.filter((row) => row.every((text) => csvWrites(source, text)));
        const rows = kept.map(([a, b]) => ({
          cells: new Map([
            ['a', a],
            ['sep=b', b],
          ]),
          lists: new Map(),
        }));
        const bytes = encode(csvText(source, { columns, rows, title: 'Title' }), source);
        const { start, read } = readerOf(source, { paths: columns, lists: [] });
        const found = read(start, bytes ?? new Uint8Array(), true);
        if (found.outcome !== 'records') throw new Error(JSON.stringify(found));
        expect(found.records.map(({ fields }) => fields)).toEqual(kept);
      }),
    );
  });
});
