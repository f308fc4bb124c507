/** Documents put together by chance: whatever their fields do, a sample is made, and all of it maps. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Loose } from './documents.ts';
import { sampled } from './samples.ts';

/** Stands for a column of its own, so that fields do not get in each other's way. */
const COLUMN = '@';
const column = fc.constant(COLUMN);

function named(document: Loose): Loose {
  let columns = 0;
  const name = (): string => {
    columns += 1;
    return `C${columns}`;
  };
  return JSON.parse(JSON.stringify(document).replaceAll(COLUMN, name)) as Loose;
}

const part = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const origin: fc.Arbitrary<Loose> = fc.oneof(
  fc.record({ from: column }),
  fc.record({ from: fc.tuple(column, column), join: fc.constantFrom(' ', '-', '', '/') }),
  fc.record({ from: fc.tuple(fc.constant({ const: 'P' }), column) }),
  fc.record({ firstOf: fc.tuple(column, column) }),
  fc.record({ template: fc.constant(`x{${COLUMN}}-{${COLUMN}}`) }),
);
const functions: fc.Arbitrary<Loose> = fc.record(
  {
    substring: fc.constantFrom({ from: 1, length: 20 }, { from: 2 }, { from: -6 }, { from: -8, length: 4 }),
    replace: fc.constantFrom([{ find: ' ', with: '_' }], [{ find: '#', with: '' }]),
    upper: fc.constant(true),
    pad: fc.record({ to: fc.constant(6), with: fc.constant('0'), side: fc.constantFrom('left', 'right') }),
  },
  { requiredKeys: [] },
);
/** What stands around a column can be all that a capture finds, so captures have a column to themselves. */
const captured: fc.Arbitrary<Loose> = fc.record({
  from: column,
  capture: fc.constantFrom({ pattern: '([A-Za-z0-9]+)' }, { pattern: 'NO[: ]*(\\w+)' }, { pattern: '.+', group: 0 }),
});
const text: fc.Arbitrary<Loose> = fc
  .tuple(fc.oneof(origin, captured), functions)
  .map(([one, other]) => ({ ...one, ...other }));
const code: fc.Arbitrary<Loose> = fc
  .record({
    from: fc.oneof(column, fc.tuple(column, column)),
    replace: part(fc.constant([{ find: '_', with: ' ' }])),
    upper: part(fc.constant(true)),
    lookup: fc.constantFrom('words', ['words', 'exact']),
    onMiss: part(fc.constantFrom('keep', 'empty')),
  })
  .map((field): Loose => field);
const number: fc.Arbitrary<Loose> = fc.oneof(
  fc.record({ from: column, as: fc.constant('integer'), thousands: fc.constantFrom(',', ' ', "'") }),
  fc.record({ from: column, as: fc.constant('integer'), decimal: fc.constant(','), round: fc.constant(0) }),
  fc.record({
    from: column,
    as: fc.constant('integer'),
    unit: fc.record({ from: fc.record({ column }), to: fc.constant('km') }),
    round: fc.constant(0),
  }),
);
const time: fc.Arbitrary<Loose> = fc.oneof(
  fc.record({
    from: column,
    parse: fc.constantFrom('iso', 'epochSeconds', ['iso', 'dd.MM.yyyy H:mm[:ss]'], 'yyyy-MM-dd'),
  }),
  fc.record({ from: fc.tuple(column, column), parse: fc.constantFrom('yyyyMMdd HHmm', 'd MMM yyyy h:mm a') }),
  fc.record({ firstOf: fc.tuple(column, column), parse: fc.constant('yyyy-MM-dd HHH:mm:ss') }),
);
const zone: fc.Arbitrary<Loose> = fc.oneof(
  fc.record({ const: fc.constant('America/Chicago') }),
  fc.record({ from: column, lookup: fc.constant('zones'), onMiss: fc.constantFrom('keep', 'reject') }),
);

const SOURCES: Loose[] = [
  { format: 'csv' },
  { format: 'csv', delimiter: ';', encoding: 'windows-1252' },
  { format: 'csv', delimiter: '|', quote: '' },
  { format: 'csv', encoding: 'utf-16be', delimiter: '\t' },
  { format: 'json', records: 'a.b' },
  { format: 'ndjson' },
];
const base = fc.record({ source: fc.constantFrom(...SOURCES), zone });
const unaided = (source: Loose) => ({ examples: [{ input: source.format === 'csv' ? 'x' : '[]', records: [] }] });

const milestone = fc.record({
  loadNumber: text,
  eventCode: fc.oneof(code, text),
  time,
  reasonCode: code,
  eventCity: text,
  stopsequenceNumber: number,
  references: fc.tuple(text).map(([value]) => [{ name: 'A', value }]),
});
const order = fc.record({
  orderRef: fc.oneof(fc.record({ from: column }), fc.record({ template: fc.constant(`x{${COLUMN}}`) })),
  a: fc.oneof(text, code, number, fc.record({ from: column, as: fc.constant('boolean') })),
  b: fc.record({ object: fc.record({ c: time.map((field) => ({ ...field, as: 'date' })), d: text }) }),
});

const documents: [string, fc.Arbitrary<Loose>][] = [
  ['milestone', fc.tuple(base, milestone).map(([more, fields]) => ({ ...more, fields }))],
  ['order.create', fc.tuple(base, order).map(([more, members]) => ({ ...more, order: members }))],
];

it.each(documents)(
  'makes ten records of a %s out of nothing but the document',
  async (target, document) => {
    await fc.assert(
      fc.asyncProperty(document, async (changes) => {
        const sample = await sampled({
          target,
          fields: undefined,
          ...named(changes),
          ...unaided(changes.source as Loose),
        });
        expect(sample.uncovered).toEqual([]);
        expect(sample.records).toHaveLength(10);
        expect(new Set(sample.requests.map(({ kind }) => kind))).toEqual(new Set([target]));
      }),
      { numRuns: 40 },
    );
  },
  60_000,
);
