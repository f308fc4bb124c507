import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cells } from '../../../src/formats/record-reader.ts';
import { isOrderKind } from '../../../src/mapping/document/targets.ts';
import type { MappedRecord } from '../../../src/mapping/request.ts';
import { BODY_CONTRACTS } from '../../body-contracts.ts';
import { draws } from '../../draws.ts';
import { type Loose, mapperOf, mappingOf } from './documents.ts';
import { orderDocument } from './files.ts';

/** Every way to a number, a position and a temperature at once. */
const TRACE: Loose = {
  target: {
    switch: 'Kind',
    cases: {
      P: { target: 'trace', fields: { coordinate: { latitude: 'Lat', longitude: 'Lon' } } },
      D: {
        target: 'trace',
        fields: {
          coordinate: {
            latitude: { from: ['Lat', { const: 'N' }], join: '', form: 'DDDMMSS' },
            longitude: { from: 'Lon', capture: { pattern: '([0-9]+[EW]?)', onMiss: 'empty' }, form: 'DDDMMSS' },
          },
        },
      },
      E: {
        target: 'loadMilestoneEvent',
        fields: { load_id: 'Load', milestone_type: 'Lat', event_time: { from: 'When', parse: 'iso' } },
      },
    },
    otherwise: 'skip',
  },
  scac: { from: 'Unit', when: { field: 'Unit', in: ['ABCD', 'x'] } },
  zone: { from: 'Zone', lookup: 'zones', onMiss: 'keep', default: 'UTC' },
  time: { gap: 'later', overlap: 'earlier' },
  fields: {
    loadNumber: 'Load',
    time: { from: 'When', parse: ['iso', 'epochSeconds', 'yyyy-MM-dd HH:mm'] },
    odometer: { from: 'Odo', as: 'integer', thousands: ',', unit: { from: { column: 'Unit' }, to: 'mi' }, round: 0 },
    stopsequenceNumber: { from: 'Odo', as: 'integer', when: { field: 'Unit', empty: true } },
    temperature: {
      value: { from: 'Odo', decimal: ',', unit: { from: 'F', to: 'C' }, round: 3, default: '32' },
      unitOfMeasure: { firstOf: ['Unit', 'Zone'], substring: { from: 1, length: 1 } },
      time: { from: 'When', parse: 'epochMillis' },
    },
    resourceId: { template: '{Unit}{Zone}' },
  },
};
const TRACE_COLUMNS = ['Kind', 'Load', 'Lat', 'Lon', 'When', 'Zone', 'Odo', 'Unit'];

/** Every form of a value, and every way of nesting. */
const ORDER: Loose = orderDocument(
  {
    orderRef: 'a',
    text: { from: ['a', 'b'], join: '\n' },
    kind: { from: 'b', lookup: ['words', 'exact'], reverse: true, onMiss: 'keep' },
    flags: {
      list: [
        { from: 'b', as: 'boolean', when: { field: 'b', in: ['Y', 'no'] } },
        { from: 'c', as: 'boolean', default: 'no' },
      ],
    },
    when: {
      object: {
        day: { from: 'c', as: 'date', parse: ['iso', 'd.M.yyyy'] },
        at: { from: 'c', as: 'time', parse: 'iso' },
      },
      when: { field: 'c', empty: false },
    },
    lines: {
      each: 'list',
      object: {
        sku: { from: 'a', required: true },
        quantity: { from: 'b', as: 'number', round: 2 },
        inner: { each: 'list', item: { from: '.', as: 'integer' } },
      },
    },
    first: { list: [{ from: 'list[0].a', as: 'text' }] },
  },
  { source: { format: 'ndjson' }, zone: { from: 'b', onMiss: 'keep', lookup: 'zones' } },
);
const ORDER_EACH: Loose = {
  ...ORDER,
  order: undefined,
  requests: [
    { each: 'list', order: ORDER.order },
    { target: 'order.cancel', when: { field: 'b', equals: 'no' }, order: { orderRef: 'a' } },
  ],
};

const likely = fc.constantFrom(
  ...[
    '',
    ' ',
    '0',
    '-0',
    '1',
    '41.5',
    '-88.1',
    '0413130',
    '0880448W',
    '181',
    '91S',
    '120,345',
    '1,2',
    '28,4',
    '1e5',
    '-3',
  ],
  ...[
    'P',
    'D',
    'E',
    'LD1',
    'ABCD',
    'mi',
    'km',
    'F',
    'kg',
    'Y',
    'no',
    'AF',
    'UTC',
    'CT',
    'Mars/Base',
    'America/St_Johns',
  ],
  ...[
    '2026-03-02T08:00:00Z',
    '2026-03-08 02:30',
    '1772465400',
    '9.3.2026',
    '__proto__',
    'constructor',
    '\u0000',
    'a\nb',
    '\ud800',
  ],
);
const cell = fc.oneof(
  { weight: 6, arbitrary: likely },
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 5_000 }),
);
const traceCells = fc
  .tuple(fc.constantFrom('P', 'P', 'D', 'E', 'X', ''), ...TRACE_COLUMNS.slice(1).map(() => cell))
  .map((cells) => cells.slice());

/** Trees of the members that the order reads, with anything in them. */
const { tree } = fc.letrec((tie) => ({
  tree: fc.record(
    { a: fc.oneof(likely, tie('value')), b: fc.oneof(likely, tie('value')), c: tie('value'), list: tie('list') },
    { requiredKeys: ['a'] },
  ),
  list: fc.oneof({ maxDepth: 3 }, tie('value'), fc.array(tie('tree'), { maxLength: 4 }), tie('tree')),
  value: fc.oneof(
    likely,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(likely, { maxLength: 3 }),
    fc.constant({}),
  ),
}));

function expectSound({ requests, errors, skipped }: MappedRecord): number {
  if (requests.some(({ kind }) => isOrderKind(kind))) expect(errors).toEqual([]);
  expect(requests.length + errors.length > 0).toBe(!skipped);
  for (const { kind, body, subject } of requests) {
    expect(BODY_CONTRACTS[kind].safeParse(body).error).toBeUndefined();
    expect(subject).toMatch(kind.startsWith('order.') ? /^order:./ : /^load:./);
    expect(JSON.parse(JSON.stringify(body))).toEqual(body);
    if (kind.startsWith('order.')) expectNothingEmpty(body);
  }
  for (const { code, path, message, fix } of errors) {
    expect([code, path, message, fix].every((text) => text.length > 0)).toBe(true);
    expect(`${path}${message}${fix}`).not.toMatch(/undefined|\[object|NaN/);
  }
  return requests.length;
}

function expectNothingEmpty(value: unknown): void {
  expect(value === '' || value === null || value === undefined).toBe(false);
  if (typeof value !== 'object' || value === null) return;
  expect(Object.keys(value).length).toBeGreaterThan(0);
  for (const inner of Object.values(value)) expectNothingEmpty(inner);
}

const frozen = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(Object.freeze(value))) frozen(inner);
  return value;
};

/** A mapping of trees, compiled once: the cells of a record, and what they become. */
function treeMapping(changes: Loose): { cellsOf(record: unknown): Cells; map(cells: Cells): MappedRecord } {
  const mapping = mappingOf(changes);
  const bound = mapping.bind(mapping.shape.paths);
  if (!bound.ok) throw new Error(JSON.stringify(bound.error));
  return {
    cellsOf(record) {
      const slice = mapping.reader.read(mapping.reader.start, new TextEncoder().encode(JSON.stringify(record)), true);
      const [read] = slice.outcome === 'records' ? slice.records : [];
      if (read === undefined) throw new Error(JSON.stringify(slice)); // half a character costs the record, and leaves no cells
      return { fields: read.fields, lists: read.lists };
    },
    map: ({ fields, lists }) => bound.value.map(fields, lists),
  };
}

describe('a mapping of positions', () => {
  const map = mapperOf(TRACE, TRACE_COLUMNS);
  it('is total over any cells, and writes only what the contract accepts', () => {
    let sent = 0;
    const good = fc.tuple(
      fc.constantFrom('P', 'E'),
      fc.constantFrom('LD1', 'é'),
      fc.constantFrom('41.5', '12N'),
      fc.constantFrom('-88.1', '18.4E'),
      fc.constantFrom('1772465400', '2026-07-04T12:00:00Z', '2026-03-08 02:30'),
      fc.constantFrom('', 'CT', 'Asia/Kolkata'),
      fc.constantFrom('', '120', '7'),
      fc.constantFrom('km', 'mi', 'yard'),
    );
    fc.assert(
      fc.property(fc.oneof(traceCells, good), (cells) => {
        sent += expectSound(map(cells));
      }),
      { numRuns: draws(2_000) },
    );
    expect(sent).toBeGreaterThan(draws(2_000) / 20);
  });
  it('is pure: equal cells give equal requests, and the cells are not touched', () => {
    fc.assert(
      fc.property(traceCells, traceCells, (cells, others) => {
        const first = map(frozen([...cells]), frozen([]));
        map(others);
        expect(map([...cells])).toEqual(first);
      }),
    );
  });
});

describe.each([
  ['orders', ORDER],
  ['orders within a record', ORDER_EACH],
])('a mapping of %s', (_, changes) => {
  const { cellsOf, map } = treeMapping(changes);
  it('is total over any tree, leaves nothing empty in an order, and writes only what the contract accepts', () => {
    let sent = 0;
    fc.assert(
      fc.property(tree, (record) => {
        sent += expectSound(map(cellsOf(record)));
      }),
      { numRuns: draws(1_000) },
    );
    expect(sent).toBeGreaterThan(draws(1_000) / 50);
  });
  it('is pure: equal records give equal requests, and the record is not touched', () => {
    fc.assert(
      fc.property(tree, tree, (record, other) => {
        const cells = cellsOf(record);
        const first = map(frozen(cells));
        map(cellsOf(other));
        expect(map(cells)).toEqual(first);
      }),
      { numRuns: draws(200) },
    );
  });
});
