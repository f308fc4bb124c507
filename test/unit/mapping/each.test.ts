import { describe, expect, it } from 'vitest';
import { checkMappingValue } from '../../../src/mapping/check/check.ts';
import { ELEMENTS_MAX, RECORD_PROBLEMS_MAX } from '../../../src/mapping/limits.ts';
import { LISTS, type Loose, mappingOf, namesOf, problemsOf, RIGHT } from './documents.ts';
import { bodiesOf, briefly, lines, mapInput, orderDocument } from './files.ts';

const NDJSON = { source: { format: 'ndjson' } };
const STOPS: Loose = {
  ...NDJSON,
  zone: 'tz',
  fields: { loadNumber: 'load' },
  requests: [
    {
      each: 'stops',
      fields: { eventCode: 'code', time: { from: 'at', parse: 'yyyy-MM-dd HH:mm' }, eventCity: 'code' },
    },
  ],
};
const stop = (code: unknown, at: unknown = '2026-03-02 08:00') => ({ code, at });
const mapStops = (record: Loose, changes: Loose = {}) =>
  mapInput({ ...STOPS, ...changes }, lines({ load: 'L1', tz: 'America/Chicago', ...record }));

describe('a request per element of an array', () => {
  it('reads its own fields in the element, shared ones and the zone in the record', async () => {
    const [record] = await mapStops({ stops: [stop('X3'), stop('X1', '2026-07-02 09:00')], code: 'of the record' });
    expect(record?.requests.map(({ body }) => body)).toMatchObject([
      { loadNumber: 'L1', eventCode: 'X3', eventCity: 'X3', time: { dateTime: '2026-03-02T08:00:00.0000000-06:00' } },
      { loadNumber: 'L1', eventCode: 'X1', eventCity: 'X1', time: { dateTime: '2026-07-02T09:00:00.0000000-05:00' } },
    ]);
  });
  it('takes one that stands alone for an array of one', async () =>
    expect(briefly(await mapStops({ stops: stop('X3') }))).toEqual(['milestone load:L1']));
  it.each([{ stops: [] }, { stops: null }, {}])('leaves the record out where there is none: %j', async (record) =>
    expect(briefly(await mapStops(record))).toEqual(['skipped']),
  );
  it('one bad event costs itself, and withholds none of its document', async () => {
    const [record] = await mapStops({ stops: [stop('X3'), stop(null, 'noon'), stop('X1')] });
    expect(record?.errors).toEqual(['value_missing stops[1].code', 'bad_date stops[1].at']);
    expect(record?.requests.map(({ body }) => (body as { eventCode?: string }).eventCode)).toEqual(['X3', 'X1']);
  });
  it('withholds them all where the mapping asks for whole records', async () =>
    expect(briefly(await mapStops({ stops: [stop('X3'), stop(null, 'noon')] }, { isolate: 'record' }))).toEqual([
      'value_missing stops[1].code, bad_date stops[1].at',
    ]));
  it('may require at least one element: a failure answer is an error, not silence', async () => {
    const requests = (STOPS.requests as Loose[]).map((each) => ({ ...each, required: true }));
    for (const record of [{ stops: [] }, { stops: null }, { status: 'FAILURE' }]) {
      expect(briefly(await mapStops(record, { requests }))).toEqual(['elements_missing stops']);
    }
    expect(briefly(await mapStops({ stops: [stop('X3')] }, { requests }))).toEqual(['milestone load:L1']);
  });
  it('asks for elements only where its condition holds', async () => {
    const when = { field: 'status', equals: 'ok' };
    const requests = (STOPS.requests as Loose[]).map((each) => ({ ...each, required: true, when }));
    expect(briefly(await mapStops({ status: 'no' }, { requests }))).toEqual(['skipped']);
    expect(briefly(await mapStops({ status: 'ok' }, { requests }))).toEqual(['elements_missing stops']);
  });
  it('names the element in words, too', () => {
    const bound = mappingOf(STOPS).bind(['load', 'tz']);
    if (!bound.ok) throw new Error();
    const element = { fields: ['', '2026-03-02 08:00'], lists: [] };
    const { errors } = bound.value.map(['L1', 'UTC'], [[element, element]]);
    expect(errors[1]).toMatchObject({
      path: 'stops[1].code',
      message: '"stops[1].code" is empty, but the status code is needed.',
      fix: 'Fill in "stops[1].code" in this row, and send the row again.',
    });
  });
  it('blames what is read in the record once, under its own path', async () => {
    const fields = { loadNumber: 'refs[0].load', eventCity: { from: 'code', substring: { from: 1, length: 300 } } };
    const requests = [{ each: 'stops', fields: { eventCode: 'code', time: { from: 'at', parse: 'iso' } } }];
    const record = { stops: [stop('X3'), stop('X1')], refs: [{}], code: 'x'.repeat(256), tz: 'Mars/Base' };
    expect(briefly(await mapStops(record, { fields, requests }))).toEqual([
      'value_missing refs[0].load, value_too_long code, time_zone_unknown tz',
    ]);
  });
  it('tells a zone of the element from that of the record', async () => {
    const time = { from: 'at', parse: 'yyyy-MM-dd HH:mm', zone: 'tz' };
    const requests = [{ each: 'stops', fields: { eventCode: 'code', time } }];
    const [record] = await mapStops({ stops: [{ ...stop('X3'), tz: 'Mars/Base' }] }, { requests });
    expect(record?.errors).toEqual(['time_zone_unknown stops[0].tz']);
  });
  it.each([
    ['[0]', 'stops[0][0]'],
    ['["odd-name"]', 'stops[0]["odd-name"]'],
    ['.', 'stops[0]'],
  ])('writes the path %s of an element as a path of the record', async (path, wanted) => {
    const requests = [
      { each: 'stops', fields: { eventCode: path, time: { const: '2026-03-02T08:00:00Z', parse: 'iso' } } },
    ];
    expect(briefly(await mapStops({ stops: [{}] }, { requests }))).toEqual([`value_missing ${wanted}`]);
  });
  it('reads an element that is a plain value', async () => {
    const requests = [
      { each: 'codes', fields: { eventCode: '.', time: { const: '2026-03-02T08:00:00Z', parse: 'iso' } } },
    ];
    const [record] = await mapStops({ codes: ['X3', 7, true] }, { requests });
    expect(record?.requests.map(({ body }) => (body as { eventCode?: string }).eventCode)).toEqual(['X3', '7', 'true']);
  });
  it('goes by several arrays, each with what is its own', async () => {
    const requests = [...(STOPS.requests as Loose[]), { ...(STOPS.requests as Loose[])[0], each: 'later.stops' }];
    const record = { stops: [stop('X3')], later: { stops: [stop('X1'), stop('D1')] } };
    const [mapped] = await mapStops(record, { requests });
    expect(mapped?.requests.map(({ body }) => (body as { eventCode?: string }).eventCode)).toEqual(['X3', 'X1', 'D1']);
  });
  it('asks its condition of the record', async () => {
    const requests = (STOPS.requests as Loose[]).map((each) => ({
      ...each,
      when: { field: '["code"]', equals: 'go' },
    }));
    expect(briefly(await mapStops({ stops: [stop('X3')], code: 'go' }, { requests }))).toEqual(['milestone load:L1']);
    expect(briefly(await mapStops({ stops: [stop('X3')] }, { requests }))).toEqual(['skipped']);
  });
  it('can be an order', async () => {
    const requests = [
      { each: 'orders', target: 'order.create', order: { orderRef: 'no', lines: { each: 'lines', item: '.' } } },
    ];
    const changes = { target: 'order.create', fields: undefined, requests };
    const orders = [{ no: 'A', lines: ['x', 'y'] }, { no: 'B' }];
    expect(await bodiesOf(changes, { no: 'of the record', orders })).toEqual([
      { orderRef: 'A', lines: ['x', 'y'] },
      { orderRef: 'B' },
    ]);
    expect(await bodiesOf(changes, { orders: [{ no: 'A' }, { no: '' }] })).toEqual([['value_missing orders[1].no']]);
  });
  it('stops at as many elements as a record may become requests', async () => {
    const stops = Array.from({ length: ELEMENTS_MAX }, () => stop('X3'));
    expect((await mapStops({ stops }))[0]?.requests).toHaveLength(ELEMENTS_MAX);
    expect(briefly(await mapStops({ stops: [...stops, stop('X3')] }))).toEqual(['array_too_long stops']);
  });
  it('tells no more problems of a record than anybody reads, and that there are more', async () => {
    const stops = Array.from({ length: ELEMENTS_MAX }, () => stop('', 'noon'));
    const [record] = await mapStops({ stops });
    expect(record?.errors).toHaveLength(RECORD_PROBLEMS_MAX);
    expect(record?.errors.at(-1)).toBe('more_problems ');
  });
});

describe('arrays in arrays', () => {
  const activity = (code: string, at = '2026-03-02 08:00') => ({ code, at });
  const requests = [
    {
      each: 'shipment[].package[].activity[]',
      fields: {
        loadNumber: '../../number',
        eventCode: 'code',
        time: { from: 'at', parse: 'yyyy-MM-dd HH:mm' },
        references: [
          { name: 'PACKAGE', value: '../id', omitWhenEmpty: true },
          { name: 'SENDER', value: '../../../sender' },
        ],
      },
    },
  ];
  const changes: Loose = { ...NDJSON, zone: 'tz', fields: undefined, requests };
  const mapped = (record: Loose) => mapInput(changes, lines({ tz: 'America/Chicago', sender: 'S1', ...record }));

  it('are gone through in each other, and the fields of those around an element are read from inside', async () => {
    const shipment = [
      {
        number: 'L1',
        package: [{ id: 'P1', activity: [activity('X3'), activity('X1')] }, { activity: activity('D1') }],
      },
      { number: 'L2', package: { id: 'P3', activity: [activity('AF')] } },
      { number: 'L3', package: [] },
    ];
    const [record] = await mapped({ shipment });
    expect(record?.errors).toEqual([]);
    const sender = { name: 'SENDER', value: 'S1' };
    const p1 = { name: 'PACKAGE', value: 'P1' };
    expect(record?.requests.map(({ body }) => body)).toMatchObject([
      { loadNumber: 'L1', eventCode: 'X3', references: [p1, sender] },
      { loadNumber: 'L1', eventCode: 'X1', references: [p1, sender] },
      { loadNumber: 'L1', eventCode: 'D1', references: [sender] },
      { loadNumber: 'L2', eventCode: 'AF', references: [{ name: 'PACKAGE', value: 'P3' }, sender] },
    ]);
  });
  it('say which element of which is at fault, those around it among them', async () => {
    const bad = { activity: [activity('X3'), activity('', 'noon')] };
    const shipment = [{ number: 'L1', package: [{}, bad] }, { package: { activity: activity('X1') } }];
    const [record] = await mapped({ shipment });
    expect(record?.errors).toEqual([
      'value_missing shipment[0].package[1].activity[1].code',
      'bad_date shipment[0].package[1].activity[1].at',
      'value_missing shipment[1].number',
    ]);
    expect(record?.requests).toHaveLength(1);
  });
  it('an array in the way of another one is an error of its record, and nothing is passed over', async () => {
    const fields = { ...requests[0]?.fields, loadNumber: '../number', references: undefined };
    const through = { ...changes, requests: [{ each: 'shipment[].package.activity', fields }] };
    const packages = (...all: unknown[]) => ({
      tz: 'UTC',
      shipment: [{ number: 'L0' }, { number: 'L1', package: all }],
    });
    const one = { tz: 'UTC', shipment: [{ number: 'L1', package: { activity: [activity('X3')] } }] };
    expect(briefly(await mapInput(through, lines(packages({ activity: [activity('X3')] }), one, packages())))).toEqual([
      'array_unexpected shipment[1].package',
      'milestone load:L1',
      'skipped',
    ]);
  });
  it('stand in an order as one list, whatever array an entry comes from', async () => {
    const items = {
      each: 'boxes[].lines[]',
      object: { sku: { from: 'sku', required: true }, box: '../no', to: '../../to' },
    };
    const boxes = [
      { no: 'B1', lines: [{ sku: 'A' }, { sku: 'B' }] },
      { no: 'B2', lines: { sku: 'C' } },
    ];
    expect(await bodiesOf(orderDocument({ items }), { no: '1', to: 'T', boxes })).toEqual([
      {
        orderRef: '1',
        items: [
          { box: 'B1', sku: 'A', to: 'T' },
          { box: 'B1', sku: 'B', to: 'T' },
          { box: 'B2', sku: 'C', to: 'T' },
        ],
      },
    ]);
    expect(await bodiesOf(orderDocument({ items }), { no: '1', boxes: [{}, { lines: [{ sku: 'A' }, {}] }] })).toEqual([
      ['value_missing boxes[1].lines[1].sku'],
    ]);
  });
  it('one list in the other leads out to the element around it', async () => {
    const parts = { each: 'parts', item: { from: ['../sku', 'id', '../../no'], join: '/', required: true } };
    const document = orderDocument({ lines: { each: 'lines', object: { parts } } });
    expect(await bodiesOf(document, { no: '1', lines: [{ sku: 'A', parts: [{ id: 'p' }] }] })).toEqual([
      { orderRef: '1', lines: [{ parts: ['A/p/1'] }] },
    ]);
  });
  it('cannot be left further out than the record', () => {
    const fields = { ...requests[0]?.fields, loadNumber: '../../../../number' };
    expect(namesOf(problemsOf({ ...changes, requests: [{ ...requests[0], fields }] }))).toEqual([
      'path_invalid requests[0].fields.loadNumber',
    ]);
  });
});

describe('arrays in an order', () => {
  const order = {
    lines: {
      each: 'lines',
      object: {
        sku: { from: 'sku', required: true },
        parts: {
          each: 'parts',
          object: { id: { from: 'id', required: true }, at: { from: 'at', as: 'dateTime', parse: 'yyyy-MM-dd' } },
        },
        tags: { each: 'tags', item: { from: '.', upper: true } },
      },
    },
  };
  const changes = { ...orderDocument(order), zone: 'tz' };

  it('stand in one another, each read in its own element, the zone in the record', async () => {
    const lines = [
      { sku: 'A', parts: [{ id: 'p1', at: '2026-03-02' }, { id: 'p2' }], tags: ['x', null, 'y'] },
      { sku: 'B', parts: { id: 'p3' }, tags: 'z' },
      { sku: 'C', parts: null },
    ];
    expect(await bodiesOf(changes, { no: '1', tz: 'America/Chicago', lines, sku: 'no', id: 'no' })).toEqual([
      {
        orderRef: '1',
        lines: [
          { sku: 'A', parts: [{ id: 'p1', at: '2026-03-02T00:00:00.0000000-06:00' }, { id: 'p2' }], tags: ['X', 'Y'] },
          { sku: 'B', parts: [{ id: 'p3' }], tags: ['Z'] },
          { sku: 'C' },
        ],
      },
    ]);
  });
  it('are left out when they are empty, missing, or hold nothing', async () =>
    expect(await bodiesOf(changes, { no: '1' }, { no: '2', lines: [] }, { no: '3', lines: null })).toEqual([
      { orderRef: '1' },
      { orderRef: '2' },
      { orderRef: '3' },
    ]));
  it('say which element of which element is at fault', async () => {
    const lines = [{ sku: 'A' }, { sku: '', parts: [{ id: 'p' }, {}] }];
    expect(await bodiesOf(changes, { no: '1', lines })).toEqual([
      ['value_missing lines[1].parts[1].id', 'value_missing lines[1].sku'],
    ]);
  });
  it('say in which element a list is missing that is required', async () => {
    const required = {
      lines: { each: 'lines', object: { sku: 'sku', parts: { each: 'parts', item: '.', required: true } } },
    };
    const lines = [{ sku: 'A', parts: ['p'] }, { sku: 'B' }];
    expect(await bodiesOf(orderDocument(required), { no: '1', lines })).toEqual([['list_empty lines[1].parts']]);
  });
  it('become one list where they are flattened, and each of them is asked for what it must hold', async () => {
    const lines = { each: 'lines', required: true, object: { sku: { from: 'sku', required: true } } };
    const flat = orderDocument({ lines: { each: 'boxes', flatten: true, item: lines } });
    const boxes = [{ lines: [{ sku: 'A' }, { sku: 'B' }] }, { lines: { sku: 'C' } }];
    expect(await bodiesOf(flat, { no: '1', boxes })).toEqual([
      { orderRef: '1', lines: [{ sku: 'A' }, { sku: 'B' }, { sku: 'C' }] },
    ]);
    const lost = [{ lines: [{ sku: 'A' }] }, {}, { lines: [{ sku: '' }] }];
    expect(await bodiesOf(flat, { no: '1', boxes: lost })).toEqual([
      ['list_empty boxes[1].lines', 'value_missing boxes[2].lines[0].sku'],
    ]);
    expect(await bodiesOf(flat, { no: '1' })).toEqual([{ orderRef: '1' }]);
  });
  it('name the array of which there is none', () => {
    const bits = { each: 'parts', item: '.', required: true };
    const document = orderDocument({ lines: { each: 'lines', object: { bits } } });
    const bound = mappingOf({ ...NDJSON, ...document }).bind(['no']);
    if (!bound.ok) throw new Error();
    const { errors } = bound.value.map(['1'], [[{ fields: [], lists: [[]] }]]);
    expect(errors).toMatchObject([
      {
        path: 'lines[0].bits',
        message: 'There must be at least one entry in the bits of lines; there is no lines[0].parts.',
      },
    ]);
  });
});

describe('a condition beside each', () => {
  const asking = (field: string, changes: Loose = {}): Loose => ({
    ...STOPS,
    ...changes,
    requests: [{ ...(STOPS.requests as Loose[])[0], when: { not: { field, empty: true } } }],
  });
  it('is refused where it names what is read in the elements alone, with the way to name that of the record', () =>
    expect(problemsOf(asking('code'))).toEqual([
      expect.objectContaining({
        path: 'requests[0].when.not',
        code: 'path_invalid',
        message: '"code" is read in each element of "stops"; a "when" beside "each" is asked once, of the record.',
        wanted: '["code"] if that of the record is meant; elements of requests cannot be left out one by one',
      }),
    ]));
  it.each([['load'], ['tz'], ['carrier'], ['["code"]'], ['stops[0].code']])(
    'is asked of the record where it names %s',
    (field) => expect(problemsOf(asking(field))).toEqual([]),
  );
  it('is asked of the record where its field is read there, too', () =>
    expect(problemsOf(asking('code', { fields: { loadNumber: 'load', reasonCode: 'code' } }))).toEqual([]));
  it('is refused in orders, too, of the element around as of the record; a condition of an item is not', () => {
    const lines = (node: Loose): Loose => orderDocument({ orderRef: 'no', lines: node }, NDJSON);
    const when = { field: 'sku', empty: false };
    const object = { sku: 'sku' };
    const wanted = expect.stringMatching(/^\["sku"\] if .*; else item: /);
    expect(problemsOf(lines({ each: 'lines', object, when }))).toEqual([
      expect.objectContaining({ path: 'order.lines.when', wanted }),
    ]);
    expect(problemsOf(lines({ each: 'boxes', item: { each: 'lines', object, when } }))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('of the element around it.') }),
    ]);
    expect(problemsOf(lines({ each: 'lines', item: { object, when } }))).toEqual([]);
  });
  it('is refused in XML, where the record is named from the root', () => {
    const source = { format: 'xml', records: 'feed/load' };
    expect(problemsOf({ ...asking('@code'), source })).toEqual([]);
    expect(problemsOf({ ...asking('code'), source })).toEqual([
      expect.objectContaining({ wanted: expect.stringMatching(/^\/feed\/load\/code if /) }),
    ]);
    expect(problemsOf({ ...asking('/feed/load/code'), source })).toEqual([]);
  });
  it('does what it did in a version that is stored', () => {
    const document = { ...RIGHT, ...asking('code') };
    expect(checkMappingValue(document, LISTS)).toMatchObject({ ok: true });
  });
});
