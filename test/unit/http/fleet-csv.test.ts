import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neutralised } from '../../../src/batch/report/report-csv.ts';
import type { FleetItem } from '../../../src/fleet/answer.ts';
import { FLEET_CELLS_MAX, FLEET_COLUMN_DEPTH_MAX, FLEET_COLUMNS_MAX } from '../../../src/fleet/limits.ts';
import { fleetTable } from '../../../src/http/partner/fleet-answer.ts';
import { LOCATIONS, SERVICE_RECORDS, VEHICLES } from '../../../src/sandbox/seeded.ts';
import { draws } from '../../draws.ts';
import { fieldsOf, problemsOf, readWhole } from '../formats/csv/reading.ts';

const textOf = (items: readonly FleetItem[]): string => [...fleetTable(items, 'vehicleNumber').lines()].join('');

/** By our own reader, as it takes any file of a partner's. */
function readBack(items: readonly FleetItem[]): { columns: readonly string[]; rows: string[][] } {
  const read = readWhole(textOf(items));
  expect([read.problems, problemsOf(read).filter(Boolean)]).toEqual([[], []]);
  return { columns: read.columns, rows: fieldsOf(read).map((fields) => [...fields]) };
}

const asObjects = (items: readonly FleetItem[]): Record<string, string>[] => {
  const { columns, rows } = readBack(items);
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [columns[index] ?? '', cell])));
};

describe('the columns', () => {
  it('are the dotted paths of scalar members, in the order in which they first appear', () => {
    const items = [
      { number: '1', address: { city: 'Reno', geo: { lat: 1 } } },
      { plate: 'X', number: '2', address: { state: 'NV', city: 'Elko' } },
    ];
    expect(readBack(items)).toEqual({
      columns: ['number', 'address.city', 'address.geo.lat', 'plate', 'address.state'],
      rows: [
        ['1', 'Reno', '1', '', ''],
        ['2', 'Elko', '', 'X', 'NV'],
      ],
    });
  });

  it('of a name with a dot in it are none of another member’s', () => {
    const [read] = asObjects([{ 'a.b': 'dotted', a: { b: 'nested' }, 'a\\': { b: 'slashed' } }]);
    expect(read).toEqual({ 'a\\.b': 'dotted', 'a.b': 'nested', 'a\\\\.b': 'slashed' });
  });

  it('stand apart though readers would take their names for one', () => {
    const items = [{ a: '1', ' a': '2', 'a ': '3', '=x': '4', "'=x": '5' }];
    const { columns, rows } = readBack(items);
    expect(new Set(columns).size).toBe(5);
    expect(rows).toEqual([['1', '2', '3', '4', '5']]);
  });

  it('are bounded, and those left out are counted once each', () => {
    const wide = Object.fromEntries(Array.from({ length: FLEET_COLUMNS_MAX + 3 }, (_, index) => [`m${index}`, index]));
    expect(readBack([wide, wide]).columns).toHaveLength(FLEET_COLUMNS_MAX);
    expect(fleetTable([wide, wide], '').columnsLeftOut).toBe(3);
    expect(fleetTable([{ a: 1 }], '').columnsLeftOut).toBe(0);
  });

  it('are fewer where there are very many things, so that no answer becomes an endless file', () => {
    const columns = 20;
    const wide = Object.fromEntries(Array.from({ length: columns + 3 }, (_, index) => [`m${index}`, index]));
    const things: FleetItem[] = Array.from({ length: FLEET_CELLS_MAX / columns }, () => ({}));
    const table = fleetTable([wide, ...things.slice(1)], '');
    expect(table.lines().next().value?.split(',')).toHaveLength(columns);
    expect(table.columnsLeftOut).toBe(3);
  });

  it('end at a depth, below which a cell is JSON', () => {
    const nested = (depth: number): FleetItem => (depth === 0 ? { end: '7' } : { d: nested(depth - 1) });
    const path = (depth: number): string => 'd.'.repeat(depth);
    const deepest = FLEET_COLUMN_DEPTH_MAX - 1;
    expect(asObjects([nested(deepest)])).toEqual([{ [`${path(deepest)}end`]: '7' }]);
    expect(asObjects([nested(deepest + 1)])).toEqual([{ [`${path(deepest)}d`]: '{"end":"7"}' }]);
  });

  it('of an empty list are the one that names its things, so that it is a file still', () => {
    expect(textOf([])).toBe('"vehicleNumber"\r\n');
  });
});

describe('a cell', () => {
  it.each([
    ['00123', '00123'],
    ['', ''],
    [' blank ', ' blank '],
    ['line\r\nbreak', 'line\r\nbreak'],
    ['say "yes", please', 'say "yes", please'],
    ['-5', '-5'],
    ['=1+1', "'=1+1"],
    ['+15551234567', '+15551234567'],
    ['+1-555-0100', "'+1-555-0100"],
    ['@x', "'@x"],
    ['\t=1', "'\t=1"],
    ['nul\0', 'nul\ufffd'],
    ['half \ud800', 'half \ufffd'],
    [7, '7'],
    [-0.5, '-0.5'],
    [1e21, '1e+21'],
    [true, 'true'],
    [null, ''],
    [[], ''],
    [['tire service', 'washing'], 'tire service | washing'],
    [['=1', 2, null, false], "'=1 | 2 |  | false"],
    [[{ day: 'Monday' }], '[{"day":"Monday"}]'],
    [[['a']], '[["a"]]'],
  ])('of %j is %j', (member, text) => {
    expect(readBack([{ member }]).rows).toEqual([[text]]);
  });
});

it('comes back from our own reader as it was sent, but for the mark in front of formulas', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^[ '"=+\-@,;\r\n\t0-9a|\\.]{0,12}$/),
    fc.constantFrom('00123', '=1+1', ' 7', '7 ', '"', "'=1", '\r\n', '-1', '1.23E+11'),
  );
  const item = fc.dictionary(fc.constantFrom('a', 'b', 'c.d', ' a', '=', '"', '\n'), text, { minKeys: 1 });
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
      fc.pre(!items.some((each) => Object.values(each).some((value) => value.includes('\0'))));
      const paths = [...new Set(items.flatMap((each) => Object.keys(each)))];
      const wanted = items.map((each) => paths.map((path) => neutralised(each[path] ?? '')));
      expect(readBack(items).rows).toEqual(wanted);
    }),
    { numRuns: draws(400) },
  );
});

it('of any JSON is a file that our reader takes, a row per item and a cell per column', () => {
  const item = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1 });
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
      const named = items.map((each) => ({ vehicleNumber: '1', ...each }));
      const { columns, rows } = readBack(named);
      expect(rows.map((row) => row.length)).toEqual(named.map(() => columns.length));
    }),
    { numRuns: draws(400) },
  );
});

it.each([
  ['vehicles', VEHICLES],
  ['service records', SERVICE_RECORDS],
  ['locations', LOCATIONS],
])('of the seeded %s has each scalar as it stands there', (_, items) => {
  const scalarAt = (item: object, column: string): unknown =>
    column.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], item);
  const read = asObjects(items.map((each) => ({ ...each })));
  expect(read).toHaveLength(items.length);
  items.forEach((item, index) => {
    for (const [column, cell] of Object.entries(read[index] ?? {})) {
      const there = scalarAt(item, column);
      if (typeof there !== 'object') expect(cell).toBe(neutralised(String(there)));
    }
  });
});
