/** Rows packed column by column come back as they were, whatever their members, and take the room of their own values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStoredNewer } from '../../../src/kernel/migrate.ts';
import { type JsonValue, packRows, unpackRows } from '../../../src/kernel/packed-rows.ts';

const value = fc.oneof(
  fc.constantFrom<JsonValue>('queued', 'delivered', null, 0, 1),
  fc.string(),
  fc.integer(),
  fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as JsonValue),
);
const row = fc.record(
  { record: fc.nat(), state: value, body: value, into: value, note: value },
  { requiredKeys: ['record'], noNullPrototype: true },
);

describe('packed rows', () => {
  it('come back as they were, with the members they had and without those they had not', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        const back = unpackRows(packRows(rows));
        expect(back).toStrictEqual(rows);
        expect(back.map((each) => Object.keys(each).sort())).toEqual(rows.map((each) => Object.keys(each).sort()));
      }),
    );
  });

  it('tell a member that is null from one that is not there', () => {
    const rows = [{ a: null }, {}, { a: null }, { a: 1 }, { a: undefined }];
    expect(unpackRows(packRows(rows))).toStrictEqual([{ a: null }, {}, { a: null }, { a: 1 }, {}]);
  });

  it('write a column once that is the same in all rows, and of a nearly equal one only the exceptions', () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ state: 'delivered', status: index === 7 ? 409 : 201 }));
    expect(packRows(rows)).toBe(
      '{"form":1,"rows":500,"columns":[["state",{"others":"delivered"}],["status",{"others":201,"at":[7],"are":[409]}]]}',
    );
  });

  it('write a column that differs from row to row as a list', () => {
    expect(packRows([{ line: 2 }, { line: 3 }, { line: 5 }])).toBe('{"form":1,"rows":3,"columns":[["line",[2,3,5]]]}');
  });

  it('are nothing but a form when there are none', () => {
    expect(unpackRows(packRows([]))).toEqual([]);
  });

  it('of a form of a later release are refused as newer data is', () => {
    const thrown = (): unknown => {
      try {
        return unpackRows('{"form":2,"rows":0,"columns":[]}');
      } catch (error) {
        return error;
      }
    };
    expect(isStoredNewer(thrown())).toBe(true);
  });
});
