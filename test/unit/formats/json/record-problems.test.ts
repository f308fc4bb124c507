import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import type { JsonLimits } from '../../../../src/formats/json/limits.ts';
import { codesOf, cutOut, readJson, valuesOf, type WholeRead } from './reading.ts';

/** A record between two good ones, which it may not harm. */
function between(record: string | Buffer, limits: Partial<JsonLimits> = {}): WholeRead['records'][number] {
  const file = Buffer.concat([Buffer.from('[{"id":"1"},\n'), Buffer.from(record), Buffer.from(',\n{"id":"3"}]')]);
  const read = readJson(file, '', { limits });
  expect(read.endProblem).toBeNull();
  expect(valuesOf(read)).toEqual([{ id: '1' }, undefined, { id: '3' }]);
  expect(readJson(file, '', { limits, sliceBytes: 7 })).toEqual(read);
  const bad = read.records[1]!;
  expect(bad.position).toMatchObject({ record: 2, line: 2, byteFrom: 13, byteTo: 13 + Buffer.byteLength(record) });
  return bad;
}

describe('a record that is not valid JSON inside a string or a word', () => {
  it.each([
    ['{"a":{"b":"x\ty"}}', 'a.b', '\ty"}},', 12, 'printable'],
    ['{"a":["x","\0"]}', 'a[1]', '\0"]},', 11, 'printable'],
    ['{"path":"C:\\temp\\data"}', 'path', '\\data"},', 16, 'escape'],
    ['{"a":"\\u12g4"}', 'a', '\\u12g4"},', 6, 'escape'],
    ['{"a":"\\\'"}', 'a', '\\\'"},', 6, 'escape'],
    ['{"\\q":1}', '', '\\q":1},', 2, 'escape'],
    ['{"a":NaN}', 'a', 'NaN},', 5, 'value'],
    ['{"a":None,"b":1}', 'a', 'None,"b":1},', 5, 'value'],
    ['{"a":True}', 'a', 'True},', 5, 'value'],
    ['{"a":nul}', 'a', 'nul},', 5, 'value'],
    ['{"a":truely}', 'a', 'truely},', 5, 'value'],
    ['{"a":+1}', 'a', '+1},', 5, 'value'],
    ['{"a":.5}', 'a', '.5},', 5, 'value'],
    ['{"a":007}', 'a', '007},', 5, 'number'],
    ['{"a":-01}', 'a', '01},', 6, 'number'],
    ['{"a":1.}', 'a', '},', 7, 'number'],
    ['{"a":1.e3}', 'a', 'e3},', 7, 'number'],
    ['{"a":1e}', 'a', '},', 7, 'number'],
    ['{"a":1e+}', 'a', '},', 8, 'number'],
    ['{"a":-}', 'a', '},', 6, 'number'],
    ['{"a":0x1F}', 'a', 'x1F},', 6, 'number'],
    ['{"a":1_000}', 'a', '_000},', 6, 'number'],
    ['{"a":1.2.3}', 'a', '.3},', 8, 'number'],
    ['{"a":12abc}', 'a', 'abc},', 7, 'number'],
    ['NaN', '', 'NaN,', 0, 'value'],
    ['"\t"', '', '\t",', 1, 'printable'],
    ['{"a":"\x1f"}', 'a', '\x1f"},', 6, 'printable'],
  ])('costs itself: %j', (record, path, text, offset, wanted) => {
    const { problem, value } = between(record);
    expect(value).toBeNull();
    expect(problem).toEqual({
      code: 'invalid_json',
      byte: 13 + offset,
      line: 2,
      path,
      wanted,
      found: 'text',
      text,
    });
  });

  it('shows no part of a character that the excerpt cuts', () => {
    const { problem } = between(`{"a":NaN,"b":"${'é'.repeat(100)}"}`);
    expect(problem).toMatchObject({ text: `NaN,"b":"${'é'.repeat(35)}` });
  });

  it('names the line inside the record', () => {
    const { problem } = between('{\n "a": 1,\n "b": "x\ny"\n}');
    expect(problem).toMatchObject({ code: 'invalid_json', line: 4, path: 'b', wanted: 'printable', text: '\n' });
  });
});

describe('a record with', () => {
  it.each([
    ['{"a":1,"b":2,"a":1}', 'a', 'a', 13],
    ['{"o":{"x":[{"k":1,"k":2}]}}', 'o.x[0].k', 'k', 18],
    ['{"a":1,"\\u0061":2}', 'a', 'a', 7],
    ['{"":1,"":2}', '[""]', '', 6],
    ['{"__proto__":1,"__proto__":2}', '__proto__', '__proto__', 15],
  ])('a name that stands twice in one object is refused: %s', (record, path, name, offset) => {
    expect(between(record).problem).toEqual({ code: 'duplicate_key', byte: 13 + offset, line: 2, path, name });
  });

  it('the same name in several objects is read', () => {
    expect(codesOf(readJson('[{"a":{"a":[{"a":1},{"a":2}]}}]'))).toEqual([undefined]);
  });

  it.each([
    ['1.10', 'number'],
    ['"text"', 'string'],
    ['true', 'boolean'],
    ['null', 'null'],
    ['[{"a":1}]', 'array'],
  ])('no members is refused: %s', (record, found) => {
    expect(between(record).problem).toEqual({ code: 'not_an_object', byte: 13, line: 2, found, text: record });
  });

  it.each([
    ['windows-1252', [0x4d, 0xfc, 0x6e], 'fc', 1],
    ['a cut character', [0xe2, 0x82], 'e2 82', 0],
    ['a surrogate', [0xed, 0xa0, 0x80], 'ed a0 80', 0],
    ['an overlong form', [0xc0, 0xaf], 'c0 af', 0],
  ])('bytes that are not UTF-8 is refused: %s', (_, bytes, hex, offset) => {
    const record = Buffer.concat([Buffer.from('{"c":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(between(record).problem).toMatchObject({
      code: 'bad_encoding',
      path: 'c',
      byte: 19 + offset,
      line: 2,
      hex,
    });
  });

  it.each(['\\ud83d', '\\ude9a', '\\ude9a\\ud83d', '\\ud83dx\\ude9a', '\\uD83D\\u0041'])(
    'half a character is refused: %s',
    (text) => {
      const problem = { code: 'lone_surrogate', byte: 18, line: 2, path: 's' };
      expect(between(`{"s":"${text}"}`).problem).toMatchObject(problem);
    },
  );
});

describe('limits', () => {
  it('let a value of their size pass, and refuse one byte more', () => {
    const record = (bytes: number): string => `{"a":{"b":"${'x'.repeat(bytes)}"}}`;
    expect(codesOf(readJson(`[${record(10)}]`, '', { limits: { valueBytesMax: 10 } }))).toEqual([undefined]);
    expect(between(record(11), { valueBytesMax: 10 }).problem).toEqual({
      code: 'value_too_large',
      byte: 23,
      line: 2,
      path: 'a.b',
      bytesMax: 10,
      text: '"xxxxxxxxxxx"}},',
    });
    expect(codesOf(readJson(`[{"a":"${'x'.repeat(65_536)}"},{"a":"${'x'.repeat(65_537)}"}]`))).toEqual([
      undefined,
      'value_too_large',
    ]);
  });

  it('count the bytes of escapes and of other characters', () => {
    expect(between('{"a":"éééééé"}', { valueBytesMax: 10 }).problem).toMatchObject({ code: 'value_too_large' });
    expect(between('{"a":"\\u0041\\u0042"}', { valueBytesMax: 10 }).problem).toMatchObject({ code: 'value_too_large' });
  });

  it('hold for names and numbers too', () => {
    expect(between('{"elevenbytes":1}', { valueBytesMax: 10 }).problem).toMatchObject({
      code: 'value_too_large',
      path: '',
    });
    expect(between('{"a":12345678901}', { valueBytesMax: 10 }).problem).toMatchObject({
      code: 'value_too_large',
      path: 'a',
    });
  });

  it('let a record of their size pass, and say how large a larger one is', () => {
    const record = (bytes: number): string => `{"a":[${'1'.repeat(bytes - 8)}]}`;
    expect(codesOf(readJson(`[${record(40)}]`, '', { limits: { recordBytesMax: 40 } }))).toEqual([undefined]);
    expect(between(record(41), { recordBytesMax: 40 }).problem).toEqual({
      code: 'record_too_large',
      bytes: 41,
      bytesMax: 40,
    });
  });

  it('bound the levels of a record', () => {
    const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(codesOf(readJson(`[${nested(64)}]`))).toEqual([undefined]);
    const path = `a${'[0]'.repeat(63)}`;
    expect(between(nested(65)).problem).toEqual({ code: 'too_deep', byte: 13 + 68, line: 2, path, depthMax: 64 });
    expect(between(nested(1_024)).problem).toMatchObject({ code: 'too_deep' });
    const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(codesOf(readJson(`[${objects(64)},${objects(65)}]`))).toEqual([undefined, 'too_deep']);
  });

  it('bound the members of a record, all its objects taken together', () => {
    const limits = { membersMax: 4 };
    expect(codesOf(readJson('[{"a":1,"b":{"c":1,"d":2}}]', '', { limits }))).toEqual([undefined]);
    expect(between('{"a":1,"b":{"c":1,"d":2,"e":3}}', limits).problem).toEqual({
      code: 'too_many_members',
      byte: 37,
      line: 2,
      path: 'b',
      counted: 'members',
      countMax: 4,
    });
    const members = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join(',')}}`;
    expect(codesOf(readJson(`[${members(10_000)},${members(10_001)}]`))).toEqual([undefined, 'too_many_members']);
  });

  it('bound the items of a record, all its arrays taken together', () => {
    const limits = { itemsMax: 4 };
    expect(codesOf(readJson('[{"a":[1,2],"b":[3,4]}]', '', { limits }))).toEqual([undefined]);
    expect(between('{"a":[1,2],"b":[3,4,5]}', limits).problem).toMatchObject({
      code: 'too_many_members',
      path: 'b',
      counted: 'items',
      byte: 33,
    });
  });

  it('cost a record, however long it is, and not its neighbours', () => {
    const large = `{"a":"${'x'.repeat(25 * 1_024 * 1_024)}"}`;
    const file = Buffer.from(`[{"id":"1"},${large},{"id":"3"}]`);
    const read = readJson(file, '', { sliceBytes: 1_024 * 1_024 });
    expect(codesOf(read)).toEqual([undefined, 'value_too_large', undefined]);
    expect(cutOut(file, read.records[1]!)).toBe(large);
    expect(read.endProblem).toBeNull();
  });

  it('cost a record of many small values and of megabytes in the same way', () => {
    const large = `{"a":[${'{"b":"cdefghijklmnopqrstuvwxyz"},'.repeat(80_000)}{}]}`;
    const limits = { membersMax: 1_000_000 };
    const read = readJson(`[${large},{"id":"2"}]`, '', { sliceBytes: 512 * 1_024, limits });
    expect(read.records[0]!.problem).toEqual({ code: 'record_too_large', bytes: large.length, bytesMax: 2_097_152 });
    expect(valuesOf(read)).toEqual([undefined, { id: '2' }]);
  });

  it('do not hold for what stands before and after the records', () => {
    const large = `[${`"${'x'.repeat(100_000)}",`.repeat(30)}0]`;
    const name = 'n'.repeat(100_000);
    const text = `{"x":${large},"${name}":1,"data":[{"a":1}],"y":${large},"${name}":2}`;
    const read = readJson(text, 'data', { sliceBytes: 128 * 1_024 });
    expect(valuesOf(read)).toEqual([{ a: 1 }]);
    expect(read).toMatchObject({ endProblem: null, byte: text.length });
  });
});
