import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadRecord } from '../../../src/formats/record-reader.ts';
import type { CompiledMapping, LocatedRecord } from '../../../src/mapping/compile/compile.ts';
import {
  collectGroups,
  type Grouped,
  groupAdjacent,
  groupedWhole,
  type RowGroup,
} from '../../../src/mapping/groups/grouping.ts';
import { mapGrouped } from '../../../src/mapping/groups/map-group.ts';
import { GROUP_ROWS_MAX } from '../../../src/mapping/limits.ts';
import { draws } from '../../draws.ts';
import { type Loose, mappingOf } from './documents.ts';
import { orderDocument } from './files.ts';

const ORDER = { orderRef: 'Order', to: 'To', lines: { each: 'rows', item: { from: 'SKU', required: true } } };
const SKIP = { skip: { when: { field: 'SKU', equals: 'TOTAL' } } };

/** Each compiled once. */
const mappings = new Map<string, CompiledMapping>();
function groupingBy(group: Loose): CompiledMapping {
  const name = JSON.stringify(group);
  const mapping =
    mappings.get(name) ?? mappingOf(orderDocument(ORDER, { group: { by: ['Order'], ...group }, ...SKIP }));
  mappings.set(name, mapping);
  return mapping;
}

/** The records of a file, read whole. The key stands in the first column or in the last. */
function read(rows: readonly string[], group: Loose = {}, header = 'Order,To,SKU') {
  const mapping = groupingBy(group);
  const bytes = new TextEncoder().encode(`${header}\n${rows.map((row) => `${row}\n`).join('')}`);
  const slice = mapping.reader.read(mapping.reader.start, bytes, true);
  if (slice.outcome !== 'records') throw new Error(JSON.stringify(slice));
  const bound = mapping.bind(slice.columns);
  if (!bound.ok || bound.value.group === undefined) throw new Error('no group');
  return { records: slice.records, bound: bound.value, reader: bound.value.group };
}
type File = ReturnType<typeof read>;

/** As a restart does it: what is carried over goes through its stored text. */
const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

function cutAt(records: readonly ReadRecord[], cuts: readonly number[]): ReadRecord[][] {
  const places = [...new Set(cuts.map((cut) => cut % (records.length + 1)))].sort((left, right) => left - right);
  return [0, ...places].map((from, index) => records.slice(from, places[index] ?? records.length));
}

function adjacent({ records, reader, bound }: File, cuts: readonly number[]): LocatedRecord[] {
  let open: RowGroup | null = null;
  const closed: string[] = [];
  const grouped: Grouped[] = [];
  const slices = cutAt(records, cuts);
  for (const [index, slice] of slices.entries()) {
    const before: RowGroup | null = stored(open);
    const end = index === slices.length - 1 ? 'whole' : 'more';
    const wasClosed = (key: string) => closed.includes(key);
    const step = groupAdjacent(reader, { open: before, records: slice, end, wasClosed });
    expect(before).toEqual(stored(open)); // what was stored may be read again after a crash
    open = step.open;
    closed.push(...step.closedKeys);
    grouped.push(...step.grouped);
  }
  expect(open).toBeNull();
  return placed(bound, grouped);
}

function anywhere({ records, reader, bound }: File, cuts: readonly number[]): LocatedRecord[] {
  const gathered = { groups: new Map<string, RowGroup>(), last: null };
  const alone = cutAt(records, cuts).flatMap((slice) => collectGroups(reader, gathered, slice));
  return placed(bound, [...alone, ...groupedWhole(gathered, false)]);
}

const placed = (bound: File['bound'], grouped: readonly Grouped[]): LocatedRecord[] =>
  grouped
    .flatMap((each) => mapGrouped(bound, each))
    .sort((left, right) => left.position.record - right.position.record);

const row = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('A,x,1', 'A,x,2', 'B,y,1', 'B,y,2', 'C,z,1') },
  { weight: 4, arbitrary: fc.constantFrom('A,,3', 'A,x,', 'B,q,3', ',,TOTAL', 'B,y,TOTAL', ',x,1', ',,') },
  { weight: 4, arbitrary: fc.constantFrom('A,x', 'B,y,1,surplus', 'x,A,1,B', '"A"x,y,1', 'C,"z"z,1', '"') },
);
const file = fc.record({
  rows: fc.array(row, { maxLength: 25 }),
  cuts: fc.array(fc.nat(40), { maxLength: 8 }),
  group: fc.record({
    invalidRow: fc.constantFrom('group', 'row'),
    whenDifferent: fc.constantFrom('reject', 'first'),
  }),
  header: fc.constantFrom('Order,To,SKU', 'SKU,To,Order'),
});
const MODES = [
  ['adjacent', adjacent],
  ['anywhere', anywhere],
] as const;

describe.each(MODES)('rows that are %s', (order, group) => {
  it('come together in the same way wherever the file is cut and the work is taken up again', () => {
    fc.assert(
      fc.property(file, ({ rows, cuts, group: spec, header }) => {
        const whole = read(rows, { ...spec, order }, header);
        expect(group(whole, cuts)).toEqual(group(whole, []));
      }),
      { numRuns: draws(400) },
    );
  });
  it('are each told of exactly once, and each by a request, errors, or the record it goes with', () => {
    fc.assert(
      fc.property(file, ({ rows, cuts, group: spec, header }) => {
        const whole = read(rows, { ...spec, order }, header);
        const records = group(whole, cuts);
        expect(records.map(({ position }) => position)).toEqual(whole.records.map(({ position }) => position));
        const carriers = new Set(
          records.flatMap(({ position, mapped }) => (mapped.requests.length > 0 ? [position.record] : [])),
        );
        for (const { mapped, position } of records) {
          const { requests, errors, skipped } = mapped;
          expect([requests.length > 0, errors.length > 0, skipped].filter(Boolean).length).toBeLessThanOrEqual(1);
          const follows = requests.length === 0 && errors.length === 0 && !skipped;
          if (follows) expect(carriers.has(mapped.group ?? 0) && mapped.group !== position.record).toBe(true);
        }
      }),
      { numRuns: draws(400) },
    );
  });
  it('make at most one request per key, and none beside a row in error that may belong to it', () => {
    fc.assert(
      fc.property(file, ({ rows, cuts, group: spec, header }) => {
        const whole = read(rows, { ...spec, order, invalidRow: 'group' }, header);
        const records = group(whole, cuts);
        const subjects = records.flatMap(({ mapped }) => mapped.requests.map(({ subject }) => subject));
        expect(new Set(subjects).size).toBe(subjects.length);
        const shown = records.filter(({ mapped }) => !mapped.skipped);
        for (const [index, { mapped }] of shown.entries()) {
          if (mapped.errors.length > 0) continue;
          const record = whole.records.find(({ position }) => position === shown[index]?.position);
          const own = whole.reader.keyOf(record?.fields ?? []);
          for (const beside of [shown[index - 1], shown[index + 1]]) {
            const neighbour = whole.records.find(({ position }) => position === beside?.position);
            if (neighbour === undefined) continue;
            const key = neighbour.fields.length === 0 ? undefined : whole.reader.keyOf(neighbour.fields);
            expect(key).not.toBe(undefined);
            if (neighbour.problem !== undefined) expect(key).not.toBe(own);
          }
        }
      }),
      { numRuns: draws(400) },
    );
  });
});

it('a group beyond its limits does not grow what is carried over', () => {
  const rows = Array.from({ length: 3 * GROUP_ROWS_MAX }, (_, index) => `A,x,${index}`);
  const { records, reader } = read(rows);
  let open: RowGroup | null = null;
  let given = 0;
  for (let from = 0; from < records.length; from += 500) {
    const step = groupAdjacent(reader, {
      open,
      records: records.slice(from, from + 500),
      end: 'more',
      wasClosed: () => false,
    });
    open = step.open;
    given += step.grouped.reduce((sum, each) => sum + (each.outcome === 'group' ? each.group.rows.length : 0), 0);
    expect(open?.rows.length).toBeLessThanOrEqual(GROUP_ROWS_MAX);
  }
  expect(given).toBe(rows.length - 1);
});

it('rows before the first group that cannot be placed are not carried over but for the last', () => {
  const { records, reader } = read(Array.from({ length: 100 }, () => '"A"x,y,1'));
  const step = groupAdjacent(reader, { open: null, records, end: 'more', wasClosed: () => false });
  expect([step.grouped.length, step.open?.rows.length]).toEqual([99, 1]);
});

it('a row before the first group puts it in doubt also where others between them are of that group', () => {
  const rows = [',,', 'B,y,1,surplus', 'A,x,1'];
  for (const cuts of [[], [1], [2], [1, 2]]) {
    const records = adjacent(read(rows, {}, 'SKU,To,Order'), cuts);
    expect(records.map(({ mapped }) => mapped.errors.map(({ code }) => code))).toEqual([
      ['group_key_missing'],
      ['ragged_row', 'group_uncertain'],
      ['group_uncertain'],
    ]);
  }
});
