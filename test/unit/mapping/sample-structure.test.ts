/** Samples of documents in which records differ, come together, or hold arrays; and documents of which there can be none. */
import { describe, expect, it } from 'vitest';
import type { MilestoneFields, OrderFields } from '../../../src/mapping/request.ts';
import { type Loose, withFields } from './documents.ts';
import { faultOf, type Sampled, sampled } from './samples.ts';

const UNAIDED: Loose = { examples: [{ input: 'x', records: [] }] };
const NDJSON: Loose = { source: { format: 'ndjson' }, examples: [{ input: '{}', records: [] }] };
const ofFields = (fields: Loose): Loose => ({ ...withFields(fields), ...UNAIDED });
const ofOrder = (order: Loose): Loose => ({
  target: 'order.create',
  fields: undefined,
  order: { orderRef: 'No', ...order },
  ...UNAIDED,
});
const kinds = ({ requests }: Sampled) => requests.map(({ kind }) => kind);
const codes = ({ requests }: Sampled) => requests.map(({ body }) => (body as MilestoneFields).eventCode);
const orders = ({ requests }: Sampled) => requests.map(({ body }) => body as OrderFields & Record<string, unknown>);

describe('kinds of record', () => {
  it('of a switch all occur, an empty cell among them', async () => {
    const order = { orderRef: 'No' };
    const sample = await sampled({
      target: {
        switch: 'Op',
        cases: {
          C: { target: 'order.create', order: { ...order, name: { from: 'Name', required: true } } },
          X: { target: 'order.cancel', order },
          '': { target: 'order.update', order: { ...order, note: 'Note' } },
        },
        otherwise: 'skip',
      },
      fields: undefined,
      ...UNAIDED,
    });
    expect(new Set(kinds(sample))).toEqual(new Set(['order.create', 'order.cancel', 'order.update']));
    expect(new Set(sample.column('Op'))).toEqual(new Set(['C', 'X', '']));
    expect(new Set(sample.requests.map(({ subject }) => subject)).size).toBe(sample.requests.length);
  });

  it('of a long switch make a long file', async () => {
    const cases = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`K${index}`, 'milestone']));
    const sample = await sampled({ ...UNAIDED, target: { switch: 'Kind', cases } });
    expect(new Set(sample.column('Kind')).size).toBe(30);
  });

  it('of several requests apply together where they can, and in turn where they exclude each other', async () => {
    const when = (value: string) => ({ when: { field: 'Kind', equals: value } });
    const sample = await sampled({
      ...ofFields({ eventCode: undefined }),
      requests: [
        { ...when('a'), fields: { eventCode: { const: 'X1' } } },
        { ...when('b'), fields: { eventCode: { const: 'X2' } } },
        { when: { field: 'Both', empty: false }, fields: { eventCode: { const: 'X3' } } },
      ],
    });
    expect(new Set(codes(sample))).toEqual(new Set(['X1', 'X2', 'X3']));
    expect(sample.records.every(({ mapped }) => mapped.requests.length === 2)).toBe(true);
  });

  it('of several requests are all filled, not only the one that is wanted', async () => {
    const request = (column: string) => ({
      when: { field: column, empty: false },
      fields: { time: { from: column, parse: 'dd.MM.yyyy HH:mm' } },
    });
    const changes = { ...ofFields({ time: undefined }), requests: [request('Arrival'), request('Departure')] };
    const sample = await sampled(changes);
    expect(sample.records.every(({ mapped }) => mapped.requests.length === 2)).toBe(true);
  });

  it('keep to what a condition leaves of a column that others want otherwise', async () => {
    const sample = await sampled({
      ...ofFields({ time: { from: ['Day', 'Hour'], parse: 'yyyy-MM-dd HH:mm' } }),
      requests: [{ when: { field: 'Day', in: ['2026-03-17', 'x'] }, fields: {} }],
    });
    expect(new Set(sample.column('Day'))).toEqual(new Set(['2026-03-17']));
    expect(sample.records).toHaveLength(10);
  });

  it('keep clear of what is skipped, however it is said', async () => {
    const sample = await sampled({
      ...ofFields({}),
      skip: {
        when: {
          any: [
            { field: 'Void', equals: 'Y' },
            { not: { field: 'Kind', in: ['event', 'scan'] } },
            {
              all: [
                { field: 'Kind', equals: 'scan' },
                { field: 'Device', empty: true },
              ],
            },
          ],
        },
      },
    });
    expect(sample.records).toHaveLength(10);
    expect(sample.column('Kind').every((kind) => kind === 'event' || kind === 'scan')).toBe(true);
  });

  it('that cannot occur are named, and the others shown', async () => {
    const never = {
      all: [
        { field: 'Code', equals: 'a' },
        { field: 'Code', equals: 'b' },
      ],
    };
    const sample = await sampled({ ...ofFields({}), requests: [{ when: never, fields: {} }, { fields: {} }] });
    expect(sample.uncovered).toEqual(['requests[0]']);
    expect(sample.records).toHaveLength(10);
  });
});

it('shows each of two fields whose conditions exclude each other', async () => {
  const reference = (name: string) => ({ name, value: { from: 'Ref', when: { field: 'Type', equals: name } } });
  const sample = await sampled(ofFields({ references: [reference('PRO'), reference('BOL')] }));
  const names = sample.requests
    .flatMap(({ body }) => (body as MilestoneFields).references ?? [])
    .map(({ name }) => name);
  expect(new Set(names)).toEqual(new Set(['PRO', 'BOL']));
});

describe('arrays', () => {
  it('become a request per element, one element and two', async () => {
    const sample = await sampled({
      ...NDJSON,
      fields: { loadNumber: 'load.no' },
      requests: [{ each: 'events', fields: { eventCode: 'code', time: { from: 'at', parse: 'epochSeconds' } } }],
    });
    expect(new Set(sample.records.map(({ mapped }) => mapped.requests.length))).toEqual(new Set([1, 2]));
    const [first] = sample.text.split('\n').map((line) => line && JSON.parse(line));
    expect(first).toEqual({ load: { no: expect.any(String) }, events: [{ code: 'X3', at: expect.any(Number) }] });
  });

  it('in arrays, by odd names, and of bare values are filled', async () => {
    const sample = await sampled({
      ...NDJSON,
      source: { format: 'json', records: 'data.orders' },
      target: 'order.upsert',
      fields: undefined,
      order: {
        orderRef: 'id',
        firstStop: { from: 'stops[0].name', required: true },
        stops: {
          each: 'stops',
          required: true,
          object: {
            name: { from: 'name', required: true },
            at: { from: 'at', as: 'dateTime', parse: 'yyyy-MM-dd HH:mm', required: true },
            labels: { each: '["odd.labels"]', required: true, item: { from: '.', required: true } },
            boxes: { each: 'boxes', required: true, object: { kg: { from: 'weight.kg', as: 'number' } } },
          },
        },
        flags: { list: [{ from: 'isFragile', as: 'boolean' }] },
      },
      change: { lists: { stops: { key: 'name' }, flags: 'replace' } },
    });
    const { data } = JSON.parse(sample.text) as { data: { orders: Record<string, unknown>[] } };
    expect(data.orders).toHaveLength(10);
    expect(data.orders[0]).toMatchObject({
      id: 'SO-1001',
      isFragile: true,
      stops: [
        {
          name: expect.any(String),
          'odd.labels': [expect.any(String)],
          boxes: [{ weight: { kg: expect.any(Number) } }],
        },
      ],
    });
    expect(orders(sample)[1]).toMatchObject({ order: { stops: [{ boxes: [{}, {}] }, {}] } });
  });

  it('have as many elements as a path names', async () => {
    const sample = await sampled({
      ...NDJSON,
      fields: { loadNumber: 'load', eventCity: 'events[2].city' },
      requests: [{ each: 'events', fields: { eventCode: 'code', time: { from: 'at', parse: 'iso' } } }],
    });
    expect(new Set(sample.records.map(({ mapped }) => mapped.requests.length))).toEqual(new Set([3]));
  });

  it('are filled by the time, with the zone of the record around them', async () => {
    const sample = await sampled({
      ...NDJSON,
      zone: 'site.zone',
      fields: { loadNumber: 'load' },
      requests: [{ each: 'events', fields: { eventCode: 'code', time: { from: 'at', parse: 'yyyy-MM-dd HH:mm' } } }],
    });
    const offsets = sample.requests.map(({ body }) => (body as MilestoneFields).time.timeZoneOffset);
    expect(new Set(offsets).size).toBeGreaterThan(2);
  });
});

describe('groups', () => {
  const lines = { each: 'rows', required: true, object: { sku: { from: 'Sku', required: true }, of: 'Shipper' } };
  const rowsOf = (sample: Sampled) => sample.records.map(({ mapped }) => mapped.group ?? 0);

  it('of adjacent rows have two or three, equal in what they share', async () => {
    const sample = await sampled({ ...ofOrder({ shipper: 'Shipper', lines }), group: { by: ['No'] } });
    expect(rowsOf(sample)).toEqual([1, 1, 1, 4, 4, 6, 6, 6, 9, 9]);
    expect(new Set(sample.column('Sku').slice(0, 3)).size).toBe(3);
    expect(new Set(sample.column('Shipper').slice(0, 3)).size).toBe(1);
    expect(orders(sample)[0]?.lines).toHaveLength(3);
  });

  it('that may stand anywhere are mixed', async () => {
    const sample = await sampled({ ...ofOrder({ lines }), group: { by: ['No', 'Depot'], order: 'anywhere' } });
    expect(rowsOf(sample)).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 3]);
    expect(new Set(sample.column('Depot')).size).toBe(4);
  });

  it('by a word of a list are as many as there are words', async () => {
    const sample = await sampled({
      ...ofOrder({ type: { from: 'Type', lookup: 'words' }, lines }),
      group: { by: ['Type'] },
    });
    expect(new Set(sample.column('Type'))).toEqual(new Set(['Arrived pickup', 'Departed', '01']));
    expect(sample.requests).toHaveLength(3);
  });

  it('of JSON records hold the arrays of their rows', async () => {
    const sample = await sampled({
      ...NDJSON,
      target: 'order.create',
      fields: undefined,
      group: { by: ['no'], whenDifferent: 'first' },
      order: {
        orderRef: 'no',
        lines: { each: 'rows', object: { sku: 'sku', parts: { each: 'parts', required: true, item: 'id' } } },
      },
    });
    expect(sample.requests.length).toBe(4);
    for (const { lines: all } of orders(sample))
      for (const line of all as object[]) expect(line).toHaveProperty('parts');
  });
});

describe('order references', () => {
  it('stay apart though functions cut them short', async () => {
    const sample = await sampled(ofOrder({ orderRef: { from: 'No', substring: { from: -8, length: 4 } } }));
    expect(new Set(sample.requests.map(({ subject }) => subject)).size).toBe(10);
  });
  it('count on in the form of the examples', async () => {
    const input = 'No,Name\nab-0098/x,A\n';
    const sample = await sampled({ ...ofOrder({ name: 'Name' }), examples: [{ input, records: [] }] });
    expect(sample.column('No').slice(0, 3)).toEqual(['ab-0099/x', 'ab-0100/x', 'ab-0101/x']);
  });
});

describe('there is no sample', () => {
  const two = (one: Loose, other: Loose) => ({ all: [one, other] });
  it.each<[string, Loose]>([
    [
      'conditions contradict each other',
      { requests: [{ when: two({ field: 'K', equals: 'a' }, { field: 'K', in: ['b'] }), fields: {} }] },
    ],
    ['what is required is skipped', { skip: { when: { field: 'Load', empty: false } } }],
    [
      'a value of the list is not what the column may hold',
      {
        ...withFields({ eventCode: { from: 'Code', lookup: 'words' } }),
        skip: { when: { field: 'Code', notIn: ['x', 'y'] } },
      },
    ],
    [
      'a path reads a record as an array',
      { ...NDJSON, fields: { loadNumber: '[0]', eventCode: 'b', time: { from: 'c', parse: 'iso' } } },
    ],
  ])('where %s', async (_, changes) => {
    const fault = await faultOf({ ...UNAIDED, ...changes });
    expect(fault.code).toBe('sample_impossible');
    expect(fault.uncovered.length).toBe(1);
  });
});

it('is the examples themselves where nothing else can be made', async () => {
  const input = 'L7;X1;2026-03-02T08:00:00Z\nL8;X3;2026-03-02T09:00:00Z\nL9;broken\n';
  const capture = (pattern: string) => ({ from: 'Line', capture: { pattern } });
  const sample = await sampled({
    source: { format: 'csv', header: false, columns: ['Line'] },
    fields: {
      loadNumber: capture('^(\\w+);'),
      eventCode: capture(';(\\w+);'),
      time: { ...capture(';([^;]+)$'), parse: 'iso' },
    },
    examples: [{ input, records: [] }],
  });
  expect(sample.column('Line')).toEqual(['L7;X1;2026-03-02T08:00:00Z', 'L8;X3;2026-03-02T09:00:00Z']);
});
