import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { codesOf, readJson, type WholeRead } from './reading.ts';

const whole = (text: string | Uint8Array, path = ''): object | undefined => {
  const read = readJson(text, path);
  expect(read.records).toEqual([]);
  expect(read.problems.length).toBeLessThan(2);
  return read.problems[0];
};
const cause = (read: WholeRead): unknown =>
  read.endProblem?.code === 'json_broken_from_here' ? read.endProblem.cause : read.endProblem;

describe('a file that is not JSON', () => {
  it.each([
    ['', 0],
    [' \n\t', 3],
    ['\ufeff', 3],
    ['\ufeff \n', 5],
  ])('is empty: %j', (text, bytes) => {
    expect(whole(text)).toEqual({ code: 'empty_file', bytes });
  });

  it.each([
    ['zip', 'PK\x03\x04'],
    ['pdf', '%PDF-1.7'],
    ['xml', '<?xml version="1.0"?><a/>'],
    ['html', '<!DOCTYPE html>'],
    ['x12', `ISA*00*${' '.repeat(90)}`],
    ['edifact', "UNB+UNOC:3+A+B'"],
  ])('looks like %s', (looksLike, text) => {
    expect(whole(text)).toEqual({ code: 'not_json', looksLike });
  });

  it.each([
    ['utf-16le', '\ufeff[{"a":1}]', 'ff fe'],
    ['utf-16le', '[{"a":1}]', '5b 00'],
    ['utf-16be', '\ufeff[{"a":1}]', 'fe ff'],
    ['utf-16be', '{"a":1}', '00 7b'],
  ] as const)('is %s: %j', (encoding, text, hex) => {
    const bytes = Buffer.from(text, 'utf16le');
    expect(whole(encoding === 'utf-16be' ? bytes.swap16() : bytes)).toEqual({
      code: 'encoding_disagrees',
      found: encoding,
      byte: 0,
      hex,
    });
  });

  it.each([
    ['Load;City\n1;Joliet\n', 0, 'value', 'text'],
    ['\n"', 1, 'value', 'text'],
    ["['a']", 1, 'item_or_end_of_array', 'text'],
    ['[', 1, 'item_or_end_of_array', 'end_of_file'],
    ['{', 1, 'name_or_end_of_object', 'end_of_file'],
    ['[{"a":1', 7, 'comma_or_end_of_object', 'end_of_file'],
    ['[{"a', 4, 'end_of_text', 'end_of_file'],
    ['[{"a"', 5, 'colon', 'end_of_file'],
    ['[{"a":1,}]', 8, 'name', 'text'],
    ['[{"a" 1}]', 6, 'colon', 'text'],
    ['[{,}]', 2, 'name_or_end_of_object', 'text'],
    ['[{"a":1]', 7, 'comma_or_end_of_object', 'text'],
    ['[{"a":[1}]', 8, 'comma_or_end_of_array', 'text'],
    ['[{"a":[1,]}]', 9, 'item', 'text'],
    ['[{"a":}]', 6, 'value', 'text'],
    ['[ // none\n]', 2, 'item_or_end_of_array', 'text'],
    ['{"a":1}{"a":2}', 7, 'end_of_file', 'text'],
    ['{"a":1}\n{"a":2}\n', 8, 'end_of_file', 'text'],
    ['{"a":1}]', 7, 'end_of_file', 'text'],
  ] as const)('breaks before its first record: %j', (text, byte, wanted, found) => {
    if (text === '\n"') return expect(whole(text)).toMatchObject({ code: 'records_not_found', found: 'string' });
    return expect(whole(text)).toMatchObject({ code: 'invalid_json', byte, wanted, found });
  });

  it('is unreadable as several documents wherever a slice ends', () => {
    const text = '{"a":1}\n {"a":2}';
    for (let sliceBytes = 1; sliceBytes <= text.length; sliceBytes++) {
      const read = readJson(text, '', { sliceBytes, limits: { sniffBytes: 4 } });
      expect(read).toMatchObject({ records: [], problems: [{ code: 'invalid_json', byte: 9, wanted: 'end_of_file' }] });
    }
  });

  it('gives the one record of a document when something follows far behind it', () => {
    const read = readJson(`{"a":1}${' '.repeat(48)}x`);
    expect(codesOf(read)).toEqual([undefined]);
    expect(cause(read)).toMatchObject({ code: 'invalid_json', byte: 55, wanted: 'end_of_file' });
    expect(whole(`{"a":1}${' '.repeat(47)}x`)).toMatchObject({ byte: 54, wanted: 'end_of_file' });
  });

  it('names the line, and quotes what stands there up to its end', () => {
    const text = '{\n "meta": {\n  "x": 1\n  "y": 2\n }, "data": []\n}';
    expect(whole(text, 'data')).toEqual({
      code: 'invalid_json',
      byte: text.indexOf('"y"'),
      line: 4,
      path: '',
      wanted: 'comma_or_end_of_object',
      found: 'text',
      text: '"y": 2',
    });
  });

  it.each(['nul', '01', '"\t"', '"\\x"', '"\\u12"', '[1 2]', '{"a" 1}', '{1:2}', '[1}', 'NaN', '-', '1.', '"'])(
    'breaks at what it holds before the records: %s',
    (value) => {
      expect(whole(`{"x":${value},"data":[{"a":1}]}`, 'data')).toMatchObject({ code: 'invalid_json', line: 1 });
    },
  );

  it('has members of more levels than can be passed over', () => {
    const levels = (count: number): string => `{"x":${'['.repeat(count)}${']'.repeat(count)},"data":[]}`;
    expect(readJson(levels(1_024), 'data')).toMatchObject({ problems: [], endProblem: null });
    expect(whole(levels(1_025), 'data')).toEqual({ code: 'nested_too_deep', byte: 1_029, line: 1, depthMax: 1_024 });
  });
});

describe('a path that leads to no records', () => {
  const document = '{"meta":{"page":1},\n"Shipments":[{"a":1}],"data":{"items":7,"none":null},"list":[1]}';

  it.each([
    ['shipments', '', 'shipments', 'object', ['meta', 'Shipments', 'data', 'list']],
    ['meta.events', 'meta', 'events', 'object', ['page']],
    ['data.events', 'data', 'events', 'object', ['items', 'none']],
    ['data.items', 'data.items', null, 'number', []],
    ['data.none', 'data.none', null, 'null', []],
    ['data.items.list', 'data.items', 'list', 'number', []],
    ['list.x', 'list', 'x', 'array', []],
  ])('%s', (path, reached, missing, found, members) => {
    expect(whole(document, path)).toMatchObject({ code: 'records_not_found', path, reached, missing, found, members });
  });

  it('tells where it stopped', () => {
    expect(whole(document, 'data.items')).toMatchObject({ byte: document.indexOf('7'), line: 2 });
    expect(whole(document, 'shipments')).toMatchObject({ byte: document.length - 1, line: 2 });
  });

  it.each([
    ['42', 'number'],
    ['"text"', 'string'],
    ['true', 'boolean'],
    ['null', 'null'],
  ])('is said of a document that is %s', (text, found) => {
    expect(whole(text)).toMatchObject({ code: 'records_not_found', reached: '', missing: null, found });
  });

  it('lists no more names than a message shows, and no more of each', () => {
    const names = Array.from({ length: 50 }, (_, at) => `"${at}${'x'.repeat(200)}":0`);
    const problem = whole(`{${names.join(',')}}`, 'data');
    if (problem === undefined || !('members' in problem)) throw new Error('no members');
    const members = problem.members as string[];
    expect(members).toHaveLength(20);
    expect(members[19]).toBe(`19${'x'.repeat(58)}`);
  });
});

describe('a document that breaks after records', () => {
  const good = '{"a":1}';

  it.each([
    [`[${good}`, 8, 'comma_or_end_of_array', 'end_of_file'],
    [`[${good},`, 9, 'item', 'end_of_file'],
    [`[${good},]`, 9, 'item', 'text'],
    [`[${good} ${good}]`, 9, 'comma_or_end_of_array', 'text'],
    [`[${good}; ${good}]`, 8, 'comma_or_end_of_array', 'text'],
    [`[${good},'x']`, 9, 'item', 'text'],
    [`[${good}}`, 8, 'comma_or_end_of_array', 'text'],
    [`[${good}]x`, 9, 'end_of_file', 'text'],
    [`[${good}]]`, 9, 'end_of_file', 'text'],
    [`[${good}] []`, 10, 'end_of_file', 'text'],
    [`[${good}]\0`, 9, 'end_of_file', 'text'],
  ] as const)('keeps them and says where: %j', (text, byte, wanted, found) => {
    const read = readJson(text);
    expect(codesOf(read)).toEqual([undefined]);
    expect(read.endProblem).toMatchObject({ code: 'json_broken_from_here', byte, line: 1, recordsBefore: 1 });
    expect(cause(read)).toMatchObject({ code: 'invalid_json', byte, wanted, found });
  });

  it.each([
    ['{"data":[{"a":1}]', 'comma_or_end_of_object'],
    ['{"data":[{"a":1}],}', 'name'],
    ['{"data":[{"a":1}],"x"}', 'colon'],
    ['{"data":[{"a":1}],"x":tru}', 'value'],
    ['{"data":[{"a":1}],"x":"\\q"}', 'escape'],
    ['{"data":[{"a":1}],"x":[1', 'comma_or_end_of_array'],
    ['{"data":[{"a":1}],"x', 'end_of_text'],
    ['{"data":[{"a":1}]}}', 'end_of_file'],
    ['{"data":{"a":1} "x":1}', 'comma_or_end_of_object'],
  ])('in what follows the array: %s', (text, wanted) => {
    const read = readJson(text, 'data');
    expect(codesOf(read)).toEqual([undefined]);
    expect(cause(read)).toMatchObject({ code: 'invalid_json', wanted });
  });

  it('inside a record makes that record invalid, and nothing after it is guessed at', () => {
    const read = readJson('[{"a":1},\n{"a":2,,"b":3},\n{"a":3}]');
    expect(codesOf(read)).toEqual([undefined, 'invalid_json']);
    expect(read.records[1]).toMatchObject({ value: null, position: { record: 2, line: 2, byteFrom: 10, byteTo: 17 } });
    expect(read.records[1]!.problem).toMatchObject({
      byte: 17,
      line: 2,
      wanted: 'name',
      found: 'text',
      text: ',"b":3},',
    });
    expect(read.endProblem).toMatchObject({ code: 'json_broken_from_here', byte: 17, line: 2, recordsBefore: 1 });
  });

  it('by an unclosed string gives the record that opened it as the last one', () => {
    const read = readJson('[{"a":"1"},\n{"a":"2},\n{"a":"3"},\n{"a":"4"}]');
    expect(codesOf(read)).toEqual([undefined, 'invalid_json']);
    expect(read.endProblem).toMatchObject({ line: 3, recordsBefore: 1 });
  });

  it('by being cut off gives the record that was cut as the last one', () => {
    const read = readJson('[{"a":1},{"a":2},{"a":');
    expect(codesOf(read)).toEqual([undefined, undefined, 'invalid_json']);
    expect(read.records[2]).toMatchObject({
      position: { byteFrom: 17, byteTo: 22 },
      problem: { byte: 22, wanted: 'value', found: 'end_of_file', path: 'a' },
    });
    expect(read.endProblem).toMatchObject({ recordsBefore: 2 });
  });

  it('by brackets beyond all limits says so', () => {
    const read = readJson(`[{"a":1},${'['.repeat(5_000)}`);
    expect(codesOf(read)).toEqual([undefined, 'too_deep']);
    expect(cause(read)).toEqual({ code: 'nested_too_deep', byte: 9 + 1_024, line: 1, depthMax: 1_024 });
  });

  it('by a second member of the name on the path says which', () => {
    const read = readJson('{"data":{"events":[{"a":1}],"events":[{"a":2}]}}', 'data.events');
    expect(codesOf(read)).toEqual([undefined]);
    expect(cause(read)).toEqual({ code: 'duplicate_key', byte: 28, line: 1, path: 'data.events', name: 'events' });
    const outer = readJson('{"data":{"events":[{"a":1}]},"d\\u0061ta":0}', 'data.events');
    expect(cause(outer)).toMatchObject({ code: 'duplicate_key', path: 'data', name: 'data' });
  });

  it('by a second member of that name is unreadable while no record was given', () => {
    expect(whole('{"data":[],"data":[{"a":1}]}', 'data')).toMatchObject({ code: 'duplicate_key', byte: 11 });
  });
});
