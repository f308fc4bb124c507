/** A JSON record as cells: each value under its path, changed where it stands, and nothing else of the text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctedJsonFile, jsonRow } from '../../../src/batch/report/corrected-rows.ts';
import { correctedJson } from '../../../src/batch/report/corrections.ts';
import { jsonCells, withJsonChanges } from '../../../src/batch/report/json-cells.ts';

const RECORD =
  ' { "load" : "L\\u0031", "stops":[ {"code":"X3","at":null}, {"code":"Q\\"Q"} ],\n "miles": 12.50, "ok":true, "none":{}, "list":[] }';

const shown = (record: string) => jsonCells(record)?.map(({ column, text }) => [column, text]);

describe('a JSON record', () => {
  it('is shown value by value, each under its path', () => {
    expect(shown(RECORD)).toEqual([
      ['load', 'L1'],
      ['stops[0].code', 'X3'],
      ['stops[0].at', ''],
      ['stops[1].code', 'Q"Q'],
      ['miles', '12.50'],
      ['ok', 'true'],
    ]);
  });

  it('is changed where a value stands, and nowhere else', () => {
    const changed = withJsonChanges(RECORD, {
      'stops[1].code': 'AF"',
      miles: '13.7',
      'stops[0].at': 'noon',
      scac: 'DEMO',
    });
    expect(changed).toBe(
      '{"scac":"DEMO", "load" : "L\\u0031", "stops":[ {"code":"X3","at":"noon"}, {"code":"AF\\""} ],\n "miles": 13.7, "ok":true, "none":{}, "list":[] }',
    );
    expect(withJsonChanges(RECORD, {})).toBe(RECORD);
    expect(withJsonChanges('{}', { a: '1' })).toBe('{"a":"1"}');
    expect(withJsonChanges('{"n":1}', { n: 'two' })).toBe('{"n":"two"}');
  });

  it.each(['', '[1]', '"a"', '{"a":1', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, `{"a":[${'1,'.repeat(400)}1]}`])(
    'is shown as no cells where it is none, or too much: %#',
    (record) => expect(jsonCells(record)).toBeNull(),
  );

  it('is shown with as many values as a page holds, and as deep as files go, and no further', () => {
    const wide = (values: number) => JSON.stringify({ a: Array.from({ length: values }, (_, at) => at) });
    expect([jsonCells(wide(300))?.length, jsonCells(wide(301))]).toEqual([300, null]);
    const deep = (objects: number) => `${'{"a":'.repeat(objects)}1${'}'.repeat(objects)}`;
    expect([jsonCells(deep(32))?.length, jsonCells(deep(33))]).toEqual([1, null]);
  });

  it('whatever it holds: cells say what JSON.parse says, and a change is what is read back', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 3 })),
        fc.string(),
        (object, text) => {
          const record = JSON.stringify(object, null, 1);
          const cells = jsonCells(record);
          if (cells === null) return;
          for (const { column, from, to, isText } of cells) {
            expect(() => JSON.parse(record.slice(from, to))).not.toThrow();
            const changed = withJsonChanges(record, { [column]: text });
            expect(() => JSON.parse(changed)).not.toThrow();
            if (isText) expect(jsonCells(changed)?.find((cell) => cell.from === from)?.text).toBe(text);
          }
        },
      ),
    );
  });
});

describe('a corrected record', () => {
  it('names the row it replaces, has what was missing, and stands where its mapping looks for records', () => {
    const row = jsonRow(3, '{"code":"QQ"}', ['load', 'code', 'stops[0].at', '']);
    expect(row?.cells.map(({ column }) => column)).toEqual(['code', 'load']);
    const cells = (row?.cells ?? []).map(({ column }) => ({ column, text: column === 'load' ? 'L1' : 'X3' }));
    const file = correctedJsonFile('b_1', ['data'], [{ record: 3, original: '{"code":"QQ"}', cells }]);
    expect(JSON.parse(file)).toEqual({ data: [{ _batch: 'b_1', _record: 3, load: 'L1', code: 'X3' }] });
    const lines = correctedJsonFile('b_1', 'lines', [
      { record: 3, original: '{"_batch":"b_0","_record":1,"code":"QQ"}', cells: [{ column: 'code', text: 'AF' }] },
    ]);
    expect(lines).toBe('{"_batch":"b_1","_record":3,"code":"AF"}\n');
  });

  it.each(['{"stop.city":"X","stop":{"city":"Y"},"Load":""}', '{"a[0]":1,"a":[2]}', '{"Load":"L1","Load":"L2"}'])(
    'is no row of cells where two of them are called the same: %s',
    (record) => expect(jsonRow(1, record, ['Load'])).toBeNull(),
  );

  it.each([
    ['{"Load":"L1","_batch":"b_1","_record":7}', ',"Load":"L1"}'],
    ['{"_record":"7","_batch":"b_1", "Load":"L1" }', ',"Load":"L1" }'],
    [
      '{"a":[1,{"_batch":"x"}],\n "_record" : 7, "b":"},\\"_batch\\":,"}',
      ',"a":[1,{"_batch":"x"}], "b":"},\\"_batch\\":,"}',
    ],
    ['{"\\u005fbatch":{"a":[1,2]},"\\"_batch":1}', ',"\\"_batch":1}'],
    ['{"_batch":"b_1","a":L1,"_record":7}', ',"a":L1}'],
    ['{ "_batch":"b_1" }', '}'],
  ])('names the row it replaces once, wherever it named another, and is otherwise as it came: %s', (text, rest) => {
    expect(correctedJson('b_2', 'lines', [{ record: 1, text }])).toBe(`{"_batch":"b_2","_record":1${rest}\n`);
  });

  it('whatever it holds, and wherever it named another row: all else is as it came', () => {
    const named = fc.tuple(fc.constantFrom('_batch', '_record', 'a', 'b'), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(named), (all) => {
        const written = all.map(([name, value]) => ({ name, text: `"${name}" : ${JSON.stringify(value, null, 1)}` }));
        const text = `{${written.map((member) => member.text).join(',')}}`;
        const own = written.filter(({ name }) => !name.startsWith('_')).map((member) => member.text);
        const expected = ['{"_batch":"b_2"', '"_record":1', ...own].join(',');
        expect(correctedJson('b_2', 'lines', [{ record: 1, text }])).toBe(`${expected}}\n`);
      }),
    );
  });
});
