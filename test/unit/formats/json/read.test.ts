import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { jsonStart } from '../../../../src/formats/json/checkpoint.ts';
import { jsonSource } from '../../../../src/formats/json/declaration.ts';
import { jsonSlices } from '../../../../src/formats/json/document.ts';
import { codesOf, cutOut, membersOf, plain, readJson, valuesOf } from './reading.ts';

const first = (text: string): unknown => plain(readJson(text).records[0]?.value ?? null);

describe('records', () => {
  it('are the items of the array that the document is', () => {
    const read = readJson('[{"load":"1"}, {"load":"2"} ,\n{"load":"3"}]\n');
    expect(valuesOf(read)).toEqual([{ load: '1' }, { load: '2' }, { load: '3' }]);
    expect(read).toMatchObject({ endProblem: null, problems: [], byte: 44 });
  });

  it('are none in an empty array', () => {
    for (const text of ['[]', ' [ ] ', '\n[\n]\n']) {
      expect(readJson(text)).toMatchObject({ records: [], problems: [], endProblem: null, byte: text.length });
    }
  });

  it('are one when the document is an object', () => {
    const read = readJson(' {"load":"1","stops":[{"city":"Joliet"}]} \n');
    expect(valuesOf(read)).toEqual([{ load: '1', stops: [{ city: 'Joliet' }] }]);
    expect(read.records[0]!.position).toEqual({ record: 1, line: 1, byteFrom: 1, byteTo: 41 });
  });

  it('are found at the end of a path', () => {
    const text = '{"meta":{"data":[9]},"data":{"n":1,"events":[{"a":"1"},{"a":"2"}],"m":[]},"z":null}';
    expect(valuesOf(readJson(text, 'data.events'))).toEqual([{ a: '1' }, { a: '2' }]);
    expect(readJson(text, 'data.events')).toMatchObject({ endProblem: null, byte: text.length });
  });

  it('are found under odd names, written with escapes or not', () => {
    const text = '{"odd.name":{"":{"caf\\u00e9":[{"a":"1"}]}}}';
    expect(valuesOf(readJson(text, '["odd.name"][""].café'))).toEqual([{ a: '1' }]);
  });

  it('are one when the path leads to an object', () => {
    const read = readJson('{"x":{"a":1},"data":{"a":2},"y":0}', 'data');
    expect(valuesOf(read)).toEqual([{ a: 2 }]);
    expect(read.endProblem).toBeNull();
  });

  it('are told from members of the same name deeper down', () => {
    const text = '{"data":{"data":[{"a":1}],"x":{"data":[]}},"y":[{"data":1}]}';
    expect(readJson(text, 'data.data')).toMatchObject({ records: [{}], endProblem: null });
  });

  it('keep the order of their members', () => {
    expect(first('[{"z":"1","a":"2","10":"3","9":"4"}]')).toEqual({
      members: [
        ['z', '1'],
        ['a', '2'],
        ['10', '3'],
        ['9', '4'],
      ],
    });
  });

  it.each([
    ['in another order', '[{"a":1,"b":2},{"b":3,"a":4}]'],
    ['fewer or more', '[{"a":1,"b":2},{"a":3},{"a":4,"b":5,"c":6},{},{"c":7}]'],
    ['longer and shorter', '[{"a":1},{"ab":2},{"a":3},{"":4}]'],
    ['written otherwise', String.raw`[{"a":1},{"\u0061":2},{"\u0061":3},{"a":4}]`],
    ["that are each other's bytes", String.raw`[{"\u00c3\u00a9":1},{"é":2},{"\u00c3\u00a9":3}]`],
    ['deeper down', '[{"a":{"b":1}},{"a":{"c":2}},{"a":[{"b":3},{"c":4}]},{"a":{"b":5}}]'],
  ])('have names of their own, whatever those before are called: %s', (_, text) => {
    expect(valuesOf(readJson(text))).toEqual(JSON.parse(text));
  });

  it.each(['{"a":1,"a":2}', '{"a":1,"b":2,"a":3}', String.raw`{"a":1,"\u0061":2}`])(
    'are refused with a name twice, also when those before have it once: %s',
    (record) => {
      const read = readJson(`[{"a":1,"b":2},${record},{"a":1,"b":2}]`);
      expect(codesOf(read)).toEqual([undefined, 'duplicate_key', undefined]);
    },
  );

  it('are read behind a byte-order mark, which is part of none', () => {
    const read = readJson('\ufeff[{"a":"1"}]');
    expect(valuesOf(read)).toEqual([{ a: '1' }]);
    expect(read.records[0]!.position.byteFrom).toBe(4);
  });
});

describe('values', () => {
  it.each([
    '1.10',
    '-0',
    '0.0',
    '1e400',
    '-1E-999',
    '12345678901234567890',
    '0.1000000000000000055511151231257827',
    '1E+2',
  ])('keep the number %s as it is written', (text) => {
    expect(first(`[{"n":${text}}]`)).toEqual({ members: [['n', { number: text }]] });
  });

  it('that are literals keep their kind', () => {
    const [record] = readJson('[{"t":true,"f":false,"z":null,"q":"null"}]').records;
    expect(membersOf(record!.value)).toEqual([
      ['t', { kind: 'boolean', text: 'true' }],
      ['f', { kind: 'boolean', text: 'false' }],
      ['z', { kind: 'null', text: 'null' }],
      ['q', { kind: 'string', text: 'null' }],
    ]);
  });

  it.each([
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"\\u0041\\u00e9\\u20AC"', 'Aé€'],
    ['"\\ud83d\\ude9a"', '🚚'],
    ['"\\u0000"', '\0'],
    ['"\\\\u0041"', '\\u0041'],
    ['"\\\\\\u0041"', '\\A'],
    ['"Zürich 漢 🚚 \u2028\u007f"', 'Zürich 漢 🚚 \u2028\u007f'],
    ['"ü\\n🚚"', 'ü\n🚚'],
    ['"{[,:]}\\""', '{[,:]}"'],
    ['""', ''],
  ])('read the string %s', (written, text) => {
    expect(first(`[{"s":${written}}]`)).toEqual({ members: [['s', text]] });
  });

  it('may be nested, empty, and stand between any blanks', () => {
    expect(first(' [ { "a" :\t[ ] , "b"\r\n: { } , "c" : [ [ 1 , { "d" : "e" } ] ] } ] ')).toEqual({
      members: [
        ['a', []],
        ['b', { members: [] }],
        ['c', [[{ number: '1' }, { members: [['d', 'e']] }]]],
      ],
    });
  });

  it('under names of prototypes are members like any other', () => {
    const text = '[{"__proto__":{"polluted":"1"},"constructor":"2","hasOwnProperty":"3","toString":null}]';
    const [record] = readJson(text).records;
    expect(plain(record!.value)).toMatchObject({
      members: [['__proto__', { members: [['polluted', '1']] }], {}, {}, {}],
    });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  });
});

describe('positions', () => {
  const text = '{"n":"é",\r\n "data" : [\n  {"a":"1"},\n\n  {"a":\n"ü"} , {"a":"3"}\n], "x":[\n]}\n';
  const read = readJson(text, 'data');

  it('cut out what was written', () => {
    expect(read.records.map((record) => cutOut(text, record))).toEqual(['{"a":"1"}', '{"a":\n"ü"}', '{"a":"3"}']);
  });

  it('number records and lines from 1', () => {
    expect(read.records.map(({ position: { record, line } }) => [record, line])).toEqual([
      [1, 3],
      [2, 5],
      [3, 6],
    ]);
  });

  it('end with the file', () => {
    expect(read.byte).toBe(Buffer.byteLength(text));
    expect(codesOf(read)).toEqual([undefined, undefined, undefined]);
  });
});

describe('slices', () => {
  const source = jsonSource.parse({ format: 'json' });
  const bytes = (text: string): Uint8Array => Buffer.from(text);

  it('end between records, and the next one goes on there', () => {
    const text = `[{"a":"${'x'.repeat(300)}"}, {"a":"2"}]`;
    const read = jsonSlices(source)(jsonStart, bytes(text.slice(0, 315)), false);
    expect(read).toMatchObject({ outcome: 'records', finished: false, checkpoint: { record: 1, stage: 'item' } });
    if (read.outcome !== 'records') return;
    const { byte } = read.checkpoint;
    const rest = jsonSlices(source)(read.checkpoint, bytes(text.slice(byte)), true);
    expect(rest).toMatchObject({ outcome: 'records', finished: true, records: [{ position: { record: 2, line: 1 } }] });
  });

  it('with less than a record ask for more', () => {
    expect(jsonSlices(source)({ ...jsonStart, stage: 'item' }, bytes('{"a":'), false)).toEqual({ outcome: 'more' });
    expect(jsonSlices(source)(jsonStart, bytes('[{"a":1}'), false)).toEqual({ outcome: 'more' });
  });

  it('do not alter the checkpoint they are given', () => {
    const checkpoint = Object.freeze({ ...jsonStart, members: Object.freeze([]) as readonly string[] });
    jsonSlices(jsonSource.parse({ format: 'json', records: 'data' }))(checkpoint, bytes('{"x":1,"data":[]}'), true);
    expect(checkpoint).toEqual(jsonStart);
  });

  it('after the end give nothing, and the same verdict', () => {
    for (const text of ['[{"a":1}]', '[{"a":1}]x']) {
      const read = jsonSlices(source)(jsonStart, bytes(text), true);
      if (read.outcome !== 'records') throw new Error('unreadable');
      expect(read.finished).toBe(true);
      const again = jsonSlices(source)(read.checkpoint, bytes(text.slice(read.checkpoint.byte)), true);
      expect(again).toEqual({ ...read, records: [] });
    }
  });
});
