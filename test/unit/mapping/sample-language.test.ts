/** Samples of hand-made documents, a row for every function a field can have; the examples of most of them are of no help. */
import { describe, expect, it } from 'vitest';
import type { MilestoneFields, OrderFields, TraceFields } from '../../../src/mapping/request.ts';
import { type Loose, withFields } from './documents.ts';
import { type Sampled, sampled } from './samples.ts';

/** An example that cannot be read as a record, so that everything has to be made. */
const UNAIDED: Loose = { examples: [{ input: 'x', records: [] }] };
const ofFields = (fields: Loose): Loose => ({ ...withFields(fields), ...UNAIDED });
const milestones = ({ requests }: Sampled): MilestoneFields[] => requests.map(({ body }) => body as MilestoneFields);
const points = ({ requests }: Sampled) => requests.flatMap(({ body }) => (body as TraceFields).traces);
const orders = ({ requests }: Sampled) => requests.map(({ body }) => body as OrderFields & Record<string, unknown>);
const codes = (sample: Sampled): Set<string> => new Set(milestones(sample).map(({ eventCode }) => eventCode));
const times = (sample: Sampled): string[] => milestones(sample).map(({ time }) => time.dateTime);

/** What must be seen in the sample, besides that all of it maps. */
const TEXTS: [string, Loose, (sample: Sampled) => void][] = [
  [
    'a substring from the front',
    ofFields({ eventCode: { from: 'Code', substring: { from: 3, length: 2 } } }),
    (sample) => {
      expect(sample.column('Code')[0]).toMatch(/^XX\w\w$/);
      expect(codes(sample)).toEqual(new Set(['X3', 'AF', 'X1', 'D1', 'CD']));
    },
  ],
  [
    'a substring from the end, short of it',
    ofFields({ eventCode: { from: 'Code', substring: { from: -5, length: 2 }, lookup: 'words' } }),
    (sample) => expect(codes(sample)).toEqual(new Set(['P1'])), // the one word of two letters
  ],
  [
    'padding',
    ofFields({ loadNumber: { from: 'Load', pad: { to: 12, with: '0', side: 'left' } } }),
    (sample) => expect(milestones(sample)[0]?.loadNumber).toMatch(/^0000LD\d{6}$/),
  ],
  [
    'padded words of a list',
    ofFields({ eventCode: { from: 'Code', pad: { to: 2, with: '0', side: 'left' }, lookup: 'words' } }),
    (sample) => {
      expect(codes(sample)).toEqual(new Set(['X3', 'AF', 'P1']));
      expect(sample.column('Code')).toContain('1');
    },
  ],
  [
    'replacements, undone from the last to the first',
    ofFields({
      eventCode: {
        from: 'Code',
        replace: [
          { find: '_', with: '-' },
          { find: '-', with: ' ' },
        ],
        lookup: 'words',
      },
    }),
    (sample) => {
      expect(codes(sample)).toEqual(new Set(['X3', 'AF', 'P1']));
      expect(sample.column('Code').some((word) => /^Arrived[_-]pickup$/.test(word))).toBe(true);
    },
  ],
  [
    'case, where it counts',
    ofFields({ eventCode: { from: 'Code', upper: true, lookup: 'exact' } }),
    (sample) => expect(codes(sample)).toEqual(new Set(['HIGH'])),
  ],
  [
    'a template of a text',
    ofFields({ loadNumber: { template: 'L-{Load}/{Leg}' } }),
    (sample) => expect(milestones(sample)[0]?.loadNumber).toMatch(/^L-\S+\/\S+$/),
  ],
  [
    'joined columns of a list',
    ofFields({ eventCode: { from: ['Verb', 'Place'], lookup: 'words' } }),
    (sample) => {
      expect(codes(sample)).toEqual(new Set(['X3', 'AF', 'P1']));
      expect(sample.column('Verb')[0]).toBe('Arrived');
      expect(sample.column('Place')[0]).toBe('pickup');
    },
  ],
  [
    'the first of several columns, each of them once',
    ofFields({ eventCode: { firstOf: ['A', 'B', 'C'] } }),
    (sample) => {
      for (const name of ['A', 'B', 'C']) expect(sample.column(name)).toContain('');
      for (const name of ['A', 'B', 'C']) expect(sample.column(name).some((cell) => cell !== '')).toBe(true);
    },
  ],
  [
    'a capture in the middle of a text',
    ofFields({ eventCode: { from: 'Code', capture: { pattern: 'status=([^;]+);' }, lookup: 'words' } }),
    (sample) => {
      expect(codes(sample)).toEqual(new Set(['X3', 'AF', 'P1']));
      expect(sample.column('Code')[0]).toBe('status=Arrived pickup;');
    },
  ],
  [
    'a capture of a joined text',
    ofFields({ loadNumber: { from: [{ const: 'P' }, 'Load'], capture: { pattern: 'NO[: ]+(\\w+)' } } }),
    (sample) => expect(new Set(milestones(sample).map(({ loadNumber }) => loadNumber)).size).toBe(10),
  ],
  [
    'a capture that only the examples can satisfy',
    {
      ...withFields({ eventCode: { from: 'Code', capture: { pattern: '(\\p{Lu}{2}\\d)' } } }),
      examples: [{ input: 'Load,Code,When\nL1,see AB7 here,2026-03-02 08:00\n', records: [] }],
    },
    (sample) => expect(codes(sample)).toEqual(new Set(['AB7'])),
  ],
  [
    'several lists, one after the other',
    ofFields({ eventCode: { from: 'Code', lookup: ['words', 'exact'] } }),
    (sample) => expect(codes(sample)).toEqual(new Set(['X3', 'AF', 'P1', 'LOW', 'HIGH'])),
  ],
  [
    'a list backwards',
    ofFields({ eventCode: { from: 'Code', lookup: 'words', reverse: true } }),
    (sample) => expect(codes(sample)).toEqual(new Set(['Arrived pickup', 'Departed', '01'])),
  ],
  [
    'two lists that must agree on one column',
    ofFields({
      eventCode: { from: 'Code', lookup: 'words' },
      reasonCode: { from: 'Code', pad: { to: 2, with: '0', side: 'left' }, lookup: 'zones', onMiss: 'keep' },
      stopsequenceNumber: { from: 'Code', as: 'integer' },
    }),
    (sample) => expect(new Set(sample.column('Code'))).toEqual(new Set(['01'])),
  ],
  [
    'a zone by list, by name and by default',
    { ...ofFields({}), zone: { from: 'TZ', lookup: 'zones', onMiss: 'keep', default: 'UTC' } },
    (sample) => expect(new Set(sample.column('TZ'))).toEqual(new Set(['CT', 'ET'])),
  ],
  [
    'a zone from a column alone',
    { ...ofFields({}), zone: 'TZ' },
    (sample) => expect(new Set(milestones(sample).map(({ time }) => time.timeZoneOffset)).size).toBeGreaterThan(2),
  ],
];

const MEASURES: [string, Loose, (sample: Sampled) => void][] = [
  [
    'numbers with marks, and units from a column',
    {
      target: 'order.create',
      fields: undefined,
      order: {
        orderRef: 'No',
        price: { from: 'Price', as: 'number', decimal: ',', thousands: '.' },
        weight: { from: 'Weight', as: 'number', unit: { from: { column: 'Unit' }, to: 'kg' }, round: 2 },
        count: { from: 'Count', as: 'integer', thousands: "'" },
        fragile: { from: 'Fragile', as: 'boolean' },
        date: { from: 'Day', as: 'date', parse: ['dd.MM.yy', 'MMMM d, yyyy'] },
      },
      ...UNAIDED,
    },
    (sample) => {
      expect(sample.column('Price')).toEqual(expect.arrayContaining(['12,5', '12.345', '1.234,5']));
      expect(orders(sample).map(({ price }) => price)).toEqual(expect.arrayContaining([12.5, 12345, 1234.5]));
      expect(sample.column('Unit')).toEqual(expect.arrayContaining(['kg', 'g', 't', 'lb', 'oz']));
      expect(orders(sample).map(({ count }) => count)).toContain(12345);
      expect(new Set(orders(sample).map(({ fragile }) => fragile))).toEqual(new Set([true, false]));
      expect(sample.column('Day').slice(0, 2)).toEqual(['16.03.26', 'March 16, 2026']);
      expect(new Set(orders(sample).map(({ date }) => date))).toEqual(new Set(['2026-03-16']));
    },
  ],
  [
    'coordinates in degrees, minutes and seconds, the letter in a column of its own',
    {
      target: 'trace',
      ...ofFields({
        eventCode: undefined,
        coordinate: {
          latitude: { from: ['Lat', 'NS'], join: '', form: 'DDDMMSS' },
          longitude: { from: 'Lon', form: 'DDDMMSS' },
        },
      }),
    },
    (sample) => {
      expect([sample.column('Lat')[0], sample.column('NS')[0], sample.column('Lon')[0]]).toEqual([
        '0413130',
        'N',
        '-0880454',
      ]);
      expect(points(sample)[0]?.coordinate).toEqual({ latitude: 41.525, longitude: -88.0816667 });
    },
  ],
  [
    'coordinates with a comma, an odometer and a temperature with a time of its own',
    {
      target: 'trace',
      ...ofFields({
        eventCode: undefined,
        coordinate: { latitude: { from: 'Lat', decimal: ',' }, longitude: { from: 'Lon', decimal: ',' } },
        odometer: { from: 'Odo', as: 'integer', thousands: ',', unit: { from: 'km', to: 'mi' }, round: 0 },
        temperature: { value: 'Temp', unitOfMeasure: 'Scale', time: { from: 'At', parse: 'epochMillis' } },
      }),
    },
    (sample) => {
      expect(sample.column('Lat')[0]).toBe('41,525');
      expect(points(sample).every(({ odometer, temperature }) => odometer !== undefined && temperature)).toBe(true);
      for (const { coordinate } of points(sample)) expect(coordinate.latitude).toBeGreaterThan(30);
    },
  ],
];

const TIMES: [string, Loose, (sample: Sampled) => void][] = [
  [
    'every pattern in turn, over two columns',
    ofFields({ time: { from: ['D', 'T'], parse: ['d MMM yyyy h:mm a', 'yyyyMMdd HHmm'] } }),
    (sample) => {
      expect(sample.column('D').slice(0, 2)).toEqual(['16 Mar 2026', '20260316']);
      expect(sample.column('T').slice(0, 2)).toEqual(['7:35 AM', '0911']);
    },
  ],
  [
    'columns without anything between them',
    ofFields({ time: { from: ['D', 'T'], join: '', parse: 'yyyyMMddHHmmss' } }),
    (sample) => expect([sample.column('D')[0], sample.column('T')[0]]).toEqual(['20260316', '073530']),
  ],
  [
    'a template of three columns, one of which may be empty',
    ofFields({ time: { template: '{D}T{T}{Z}', parse: 'iso' } }),
    (sample) => {
      expect(sample.column('T').slice(0, 3)).toEqual(['07:35:30', '09:11:00', '15:46:30.000']);
      expect(sample.column('Z').slice(0, 3)).toEqual(['', '-05:00', 'Z']);
    },
  ],
  [
    'sections that may be missing, there and not',
    ofFields({ time: { from: 'When', parse: 'dd.MM.yyyy HH:mm[:ss]' } }),
    (sample) => expect(sample.column('When').slice(0, 2)).toEqual(['16.03.2026 07:35:30', '16.03.2026 09:11']),
  ],
  [
    'the hours of a service day, before and after midnight',
    ofFields({ time: { from: ['D', 'T'], parse: 'yyyy-MM-dd HHH:mm' } }),
    (sample) => {
      const hours = sample.column('T').map((time) => Number(time.split(':')[0]));
      expect(hours.some((hour) => hour > 23) && hours.some((hour) => hour < 24)).toBe(true);
    },
  ],
  [
    'a day that stands in the document',
    {
      ...withFields({ time: { from: [{ const: '2025-12-24' }, 'T'], parse: 'yyyy-MM-dd HH:mm' } }),
      examples: [{ input: 'Load,Code,T\nL1,X1,23:00\n', records: [] }],
    },
    (sample) => {
      expect(new Set(times(sample)).size).toBe(10);
      expect(times(sample).every((time) => time.startsWith('2025-12-24T'))).toBe(true);
    },
  ],
  [
    'a time with its offset where no zone is given',
    {
      ...ofFields({ time: { from: 'When', parse: 'iso' } }),
      zone: {
        from: 'TZ',
        when: {
          all: [
            { field: 'TZ', equals: 'a' },
            { field: 'TZ', equals: 'b' },
          ],
        },
      },
    },
    (sample) => expect(sample.column('When').every((time) => /(?:Z|-05:00)$/.test(time))).toBe(true),
  ],
];

describe.each([
  ['texts', TEXTS],
  ['measures', MEASURES],
  ['times', TIMES],
] as const)('a sample of %s', (_, table) => {
  it.each(table)('shows %s', async (_what, changes, check) => {
    const sample = await sampled(changes);
    expect(sample.records.length).toBeGreaterThanOrEqual(8);
    check(sample);
  });
});

it('goes a day on where the clocks skip the only time there is', async () => {
  const changes = { ...ofFields({ time: { from: 'Day', parse: 'yyyy-MM-dd' } }), zone: { const: 'America/Havana' } };
  const { column } = await sampled(changes, { dayMs: Date.UTC(2026, 2, 8) }); // midnight does not exist there
  expect(new Set(column('Day'))).toEqual(new Set(['2026-03-09']));
});

describe('a sample of a SCAC', () => {
  it('has those that may be used', async () => {
    const { column, requests } = await sampled({ ...ofFields({}), scac: 'S' }, { scacs: ['ABCD', 'EF'] });
    expect(new Set(column('S'))).toEqual(new Set(['ABCD', 'EF']));
    expect(requests[0]?.scac).toBe('ABCD');
  });
  it('has one of the right form where nobody says which', async () => {
    const { column } = await sampled({ ...ofFields({}), scac: 'S' });
    expect(column('S').every((scac) => /^[A-Z]{2,4}$/.test(scac))).toBe(true);
  });
});
