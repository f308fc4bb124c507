/** The one face of all formats: whatever the format, a mapping sees records of texts, and problems in words. */
import { describe, expect, it } from 'vitest';
import { CSV_SLICE_BYTES_ENOUGH } from '../../../src/formats/csv/limits.ts';
import { FIXED_SLICE_BYTES_ENOUGH } from '../../../src/formats/fixed/limits.ts';
import { JSON_SLICE_BYTES_ENOUGH } from '../../../src/formats/json/limits.ts';
import { encodingOf, readerOf, readingNotes, recordSource } from '../../../src/formats/reader.ts';
import { XML_SLICE_BYTES_ENOUGH } from '../../../src/formats/xml/limits.ts';
import { SLICE_BYTES_MAX } from '../../../src/kernel/limits.ts';
import { readSlices } from './whole-read.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const reader = (source: unknown, paths: string[] = []) => readerOf(recordSource.parse(source), { paths, lists: [] });

/** Reads slices of `length` bytes, longer ones on `more`, with every checkpoint as it comes back from storage. */
function readAll(source: unknown, text: string, paths: string[] = [], length = 1_000) {
  const { start, read } = reader(source, paths);
  const { columns, records, problems, endProblem } = readSlices(read, start, bytesOf(text), length);
  return {
    fields: records.map(({ fields }) => fields),
    problems: records.map(({ problem }) => problem?.code),
    columns,
    end: problems.length > 0 ? problems : endProblem,
  };
}

const JSON_FILE = '{"list":[{"load":{"number":7.10},"stops":[{"city":"Köln"}]},{"load":null},{"load":{"number":{}}}]}';
const PATHS = ['load.number', 'stops[0].city', ' gone '];

describe('a reader', () => {
  it('gives CSV its own columns, whatever the mapping reads', () => {
    const read = readAll({ format: 'csv' }, 'b,a\n1,2\n', ['a']);
    expect(read).toMatchObject({ columns: ['b', 'a'], fields: [['1', '2']], end: null });
  });

  it.each([7, 30, 1_000])(
    'gives JSON the paths that the mapping reads, numbers as written, in slices of %d',
    (length) => {
      const read = readAll({ format: 'json', records: 'list' }, JSON_FILE, PATHS, length);
      expect(read.columns).toEqual(PATHS);
      expect(read.fields).toEqual([
        ['7.10', 'Köln', ''],
        ['', '', ''],
        ['', '', ''],
      ]);
    },
  );

  it('reads what is null, missing, an object or a list as the empty text', () => {
    const read = readAll({ format: 'ndjson' }, '{"a":null,"c":{},"d":[]}\n', ['a', 'b', 'c', 'd']);
    expect(read.fields).toEqual([['', '', '', '']]);
  });

  it('says in words what is wrong with one record, and reads on', () => {
    const read = readAll({ format: 'ndjson' }, '{"a":1}\n{"a":\n{"a":3}\n', ['a']);
    expect(read.problems).toEqual([undefined, 'invalid_json', undefined]);
    expect(read.fields).toEqual([['1'], [], ['3']]);
  });

  it('says where a document breaks off, and keeps the records before it', () => {
    const read = readAll({ format: 'json' }, '[{"a":1},{"a":2}', ['a']);
    expect(read.fields).toEqual([['1'], ['2']]);
    expect(read.end).toMatchObject({ code: 'json_broken_from_here', fix: expect.stringContaining('.') });
  });

  it.each([
    [{ format: 'json', records: 'rows' }, '{"row":[]}', 'records_not_found'],
    [{ format: 'json' }, 'PK\u0003\u0004zip', 'not_json'],
    [{ format: 'csv' }, 'PK\u0003\u0004zip', 'not_csv'],
    [{ format: 'csv' }, '{"a":1}', 'not_csv'],
  ])('refuses %j for %j as a whole: %s', (source, text, code) => {
    expect(readAll(source, text).end).toMatchObject([{ code, message: expect.any(String), fix: expect.any(String) }]);
  });

  it('takes a path that is none for one that leads nowhere', () => {
    expect(readAll({ format: 'ndjson' }, '{"a..b":1}', ['a..b']).fields).toEqual([['']]);
  });
});

describe('what is told about a file', () => {
  it('is its encoding, by declaration', () => {
    expect(encodingOf(recordSource.parse({ format: 'csv', encoding: 'windows-1252' }))).toBe('windows-1252');
    expect(encodingOf(recordSource.parse({ format: 'ndjson' }))).toBe('utf-8');
  });

  it('is nothing where nothing is odd, and a byte-order mark that won over the declaration', () => {
    expect(readingNotes(reader({ format: 'json' }).start)).toEqual([]);
    const { start, read } = reader({ format: 'csv', encoding: 'windows-1252' });
    const slice = read(start, bytesOf('\ufeffa\n1\n'), true);
    expect(slice.outcome === 'records' && readingNotes(slice.checkpoint)).toEqual([expect.stringContaining('utf-8')]);
  });
});

describe('fixed-width text and XML behind the same face', () => {
  const FIXED = { format: 'fixed', lineLength: 6, records: { D: { fields: { a: { at: 2, length: 5 } } } } };
  const XML = { format: 'xml', records: 'l/i' };

  it.each([3, 1_000])('have their fields or paths, in slices of %d', (length) => {
    expect(readAll(FIXED, 'Dfirst\nD2\n', [], length)).toMatchObject({
      columns: ['a', 'recordKind'],
      fields: [
        ['first', 'D'],
        ['2', 'D'],
      ],
      end: null,
    });
    expect(readAll(XML, '<l><i n="1">Köln</i><i/></l>', ['@n', '.'], length)).toMatchObject({
      fields: [
        ['1', 'Köln'],
        ['', ''],
      ],
      end: null,
    });
  });

  it('say what is wrong with one record, with all of them, and with the rest of a file', () => {
    expect(readAll(FIXED, 'Dfirst\nX\nD2\n').problems).toEqual([undefined, 'unknown_record_kind', undefined]);
    expect(readAll(FIXED, 'PK\u0003\u0004zip').end).toMatchObject([{ code: 'not_fixed_width' }]);
    expect(readAll(XML, '<l><i/><i>a & b</i></l>')).toMatchObject({
      fields: [[]],
      end: { code: 'xml_not_well_formed' },
    });
    expect(readAll(XML, '<!DOCTYPE l><l/>').end).toMatchObject([{ code: 'xml_doctype' }]);
  });

  it('tell short lines and another encoding in notes', () => {
    const note = (source: unknown, file: string) => {
      const { start, read } = reader(source);
      const slice = read(start, bytesOf(file), true);
      return slice.outcome === 'records' ? readingNotes(slice.checkpoint) : [];
    };
    expect(note(FIXED, 'D1\nDfirst\n')).toEqual([expect.stringContaining('Line 1 is shorter')]);
    expect(note({ ...FIXED, encoding: 'windows-1252' }, '\ufeffDfirst\n')).toEqual([expect.stringContaining('utf-8')]);
    expect(note(XML, '<?xml version="1.0" encoding="latin1"?><l><i/></l>')).toEqual([
      expect.stringContaining('iso-8859-1'),
    ]);
  });
});

it.each([CSV_SLICE_BYTES_ENOUGH, FIXED_SLICE_BYTES_ENOUGH, JSON_SLICE_BYTES_ENOUGH, XML_SLICE_BYTES_ENOUGH])(
  'no format wants a longer slice than there is: %d bytes',
  (bytes) => expect(bytes).toBeLessThan(SLICE_BYTES_MAX),
);
