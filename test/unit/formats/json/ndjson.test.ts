import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { ndjsonStart } from '../../../../src/formats/json/checkpoint.ts';
import { ndjsonSlices } from '../../../../src/formats/json/lines.ts';
import { codesOf, cutOut, membersOf, readNdjson, valuesOf } from './reading.ts';

const good = '{"a":"1"}';

describe('lines', () => {
  it('are records', () => {
    const read = readNdjson('{"a":"1"}\n{"a":"2"}\n');
    expect(valuesOf(read)).toEqual([{ a: '1' }, { a: '2' }]);
    expect(read).toMatchObject({ problems: [], endProblem: null, byte: 20 });
  });

  it.each([
    ['CRLF', '{"a":"1"}\r\n{"a":"2"}\r\n'],
    ['no end of the last line', '{"a":"1"}\n{"a":"2"}'],
    ['a CR at the end', '{"a":"1"}\n{"a":"2"}\r'],
    ['blank lines', '\n\n{"a":"1"}\n \t\r\n\n{"a":"2"}\n\n'],
    ['blanks around records', '  {"a":"1"}\t\n\t{"a" : "2"}  '],
    ['a byte-order mark', '\ufeff{"a":"1"}\n{"a":"2"}\n'],
    ['a CR inside a record', '{"a":\r"1"}\n{"a":"2"}'],
  ])('may have %s', (_, text) => {
    const read = readNdjson(text);
    expect(valuesOf(read)).toEqual([{ a: '1' }, { a: '2' }]);
    expect(read).toMatchObject({ problems: [], endProblem: null, byte: Buffer.byteLength(text) });
  });

  it('are counted where records are not', () => {
    const text = '\ufeff\n\r\n {"a":"é"} \r\n\n{"a":"2"}\n';
    const read = readNdjson(text);
    expect(read.records.map(({ position: { record, line } }) => [record, line])).toEqual([
      [1, 3],
      [2, 5],
    ]);
    expect(read.records.map((record) => cutOut(text, record))).toEqual(['{"a":"é"}', '{"a":"2"}']);
  });

  it('keep numbers as they are written', () => {
    const [record] = readNdjson('{"n":1.10}').records;
    expect(membersOf(record!.value)).toEqual([['n', { kind: 'number', text: '1.10' }]]);
  });
});

describe('a bad line', () => {
  it.each([
    ['{"a":1', 'comma_or_end_of_object', 'end_of_line', 6],
    ['{"a"', 'colon', 'end_of_line', 4],
    ['{"a', 'end_of_text', 'end_of_line', 3],
    ['{"a\\', 'end_of_text', 'end_of_line', 4],
    ['{', 'name_or_end_of_object', 'end_of_line', 1],
    ['{"a":1,}', 'name', 'text', 7],
    ["{'a':1}", 'name_or_end_of_object', 'text', 1],
    ['{"a":1}{"a":2}', 'end_of_line', 'text', 7],
    ['{"a":1},', 'end_of_line', 'text', 7],
    ['{"a":1} // one', 'end_of_line', 'text', 8],
    ['a;b;c', 'value', 'text', 0],
    ['{"a":1]', 'comma_or_end_of_object', 'text', 6],
    ['\ufeff{"a":1}', 'value', 'text', 0],
    [']', 'value', 'text', 0],
    ['{"a":"\u0007"}', 'printable', 'text', 6],
    ['tru', 'value', 'text', 0],
    ['-', 'number', 'end_of_line', 1],
  ] as const)('costs its record only: %j', (line, wanted, found, offset) => {
    const text = `${good}\n${line} \r\n${good}`;
    const read = readNdjson(text);
    expect(codesOf(read)).toEqual([undefined, 'invalid_json', undefined]);
    expect(read.endProblem).toBeNull();
    expect(cutOut(text, read.records[1]!)).toBe(line);
    expect(read.records[1]!.problem).toMatchObject({ byte: 10 + offset, line: 2, wanted, found });
  });

  it.each([
    ['{"a":1,"a":2}', 'duplicate_key'],
    ['[1]', 'not_an_object'],
    ['null', 'not_an_object'],
    ['1.10', 'not_an_object'],
    ['{"a":"\\ud800"}', 'lone_surrogate'],
    [`{"a":"${'x'.repeat(65_537)}"}`, 'value_too_large'],
    [`{"a":${'['.repeat(70)}${']'.repeat(70)}}`, 'too_deep'],
    [`{"a":[${'1,'.repeat(1_100_000)}1]}`, 'record_too_large'],
    ['['.repeat(100_000), 'too_deep'],
  ])('that JSON allows costs its record only', (line, code) => {
    expect(codesOf(readNdjson(`${good}\n${line}\n${good}\n`))).toEqual([undefined, code, undefined]);
  });

  it('at the end of the file was cut off', () => {
    const read = readNdjson(`${good}\n{"a":`);
    expect(read.records[1]!.problem).toMatchObject({ code: 'invalid_json', found: 'end_of_file', byte: 15, line: 2 });
    expect(read.endProblem).toBeNull();
  });

  it('may be the first one', () => {
    expect(codesOf(readNdjson(`{"a":\n${good}\n`))).toEqual(['invalid_json', undefined]);
  });

  it('with bytes that are not UTF-8 names them', () => {
    const file = Buffer.from(`${good}\n{"c":"M\xfcn"}\n`, 'latin1');
    expect(readNdjson(file).records[1]!.problem).toMatchObject({
      code: 'bad_encoding',
      byte: 17,
      path: 'c',
      hex: 'fc',
    });
  });
});

describe('overlong lines', () => {
  const limits = { recordBytesMax: 20 };
  const line = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

  it.each(['\n', '\r\n'])('are passed over to their end, before %j', (lineEnd) => {
    const text = [line(20), line(21), line(500), line(20), line(300)].join(lineEnd);
    const read = readNdjson(text, { limits });
    for (const sliceBytes of [1, 2, 3, 7, 64, 90, 199]) expect(readNdjson(text, { limits, sliceBytes })).toEqual(read);
    const large = 'record_too_large';
    expect(codesOf(read)).toEqual([undefined, large, large, undefined, large]);
    expect(read.records.map(({ position }) => position.line)).toEqual([1, 2, 3, 4, 5]);
  });

  it('say how long they are', () => {
    const text = `${line(20)}\r\n${line(400)}\r\n${line(20)}`;
    const read = readNdjson(text, { limits });
    expect(codesOf(read)).toEqual([undefined, 'record_too_large', undefined]);
    expect(read.records[1]!.problem).toEqual({ code: 'record_too_large', bytes: 400, bytesMax: 20 });
    expect(cutOut(text, read.records[1]!)).toBe(line(400));
  });

  it('of 25 MB cost one record', () => {
    const text = `${good}\n${line(25 * 1_024 * 1_024)}\n${good}`;
    const read = readNdjson(text, { sliceBytes: 1_024 * 1_024 });
    expect(codesOf(read)).toEqual([undefined, 'record_too_large', undefined]);
  });
});

describe('a file', () => {
  it.each(['', '\n\n', '\ufeff', ' \r\n'])('without a record is empty: %j', (text) => {
    expect(readNdjson(text).problems).toEqual([{ code: 'empty_file', bytes: Buffer.byteLength(text) }]);
  });

  it.each(['[\n{"a":1},\n{"a":2}\n]\n', '[{"a":1},\n{"a":2}]', '{\n "a": 1\n}', '\n{ \r\n"a":1}'])(
    'that is a JSON document of several lines is refused as a whole: %j',
    (text) => {
      expect(readNdjson(text).problems).toMatchObject([{ code: 'not_ndjson' }]);
    },
  );

  it('of another kind is refused as a whole', () => {
    expect(readNdjson('<?xml version="1.0"?>').problems).toEqual([{ code: 'not_json', looksLike: 'xml' }]);
    expect(readNdjson(Buffer.from('{"a":1}\n', 'utf16le')).problems).toMatchObject([{ code: 'encoding_disagrees' }]);
  });

  it('with less than a line in sight asks for more', () => {
    const bytes = Buffer.from(`{"a":"${'x'.repeat(1_000)}`);
    expect(ndjsonSlices()(ndjsonStart, bytes, false)).toEqual({ outcome: 'more' });
  });
});
