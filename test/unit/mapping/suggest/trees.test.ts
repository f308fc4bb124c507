/** Mappings suggested for JSON and XML: where the records are, and the events inside of them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { factOf, fieldLines, openIds, questionOf, suggestFor } from './samples.ts';

const activity = (date: string, time: string, description: string) => ({
  location: { address: { city: 'Anytown', stateProvince: 'GA' } },
  status: { type: 'I', description, code: 'XX' },
  date,
  time,
  gmtOffset: '-05:00',
});
const TRACKED = {
  trackResponse: {
    shipment: [
      {
        inquiryNumber: '1Z1',
        package: [
          {
            trackingNumber: '1Z1',
            activity: [activity('20260225', '114500', 'DELIVERED'), activity('20260224', '021100', 'Departure Scan')],
          },
        ],
      },
    ],
  },
};

describe('events in arrays inside of shipments', () => {
  it('are found with their date, time and offset, and the numbers around them', async () => {
    const found = await suggestFor(JSON.stringify(TRACKED), { fileName: 'track.json' });
    expect([factOf(found, 'records'), factOf(found, 'events')]).toEqual([
      'trackResponse.shipment [likely]',
      'package[].activity[] [likely]',
    ]);
    expect(fieldLines(found)).toEqual([
      'fields.time = {"from":["date","time"],"parse":"yyyyMMdd HHmmss"} [sure]',
      'zone = "gmtOffset" [sure]',
      'fields.loadNumber = "../../inquiryNumber" [unsure]',
      'fields.eventCode = {"from":"status.description","lookup":"track-status"} [likely]',
      'fields.eventCity = "location.address.city" [sure]',
      'fields.eventState = "location.address.stateProvince" [sure]',
      'fields.references.WAYBILL = {"name":"WAYBILL","value":"../trackingNumber","omitWhenEmpty":true} [sure]',
    ]);
    expect([openIds(found), found.problems, found.isValid]).toEqual([[], [], true]);
  });
});

describe('lines of JSON', () => {
  const line = (load: string, at: number) => `${JSON.stringify({ load, event: 'X3', at })}\n`;
  it('have times counted in seconds, also when the last line is cut off', async () => {
    const found = await suggestFor(`${line('L1', 1772460900)}${line('L2', 1772461000)}{"load":"L3","ev`, {
      isPart: true,
    });
    expect(fieldLines(found)).toContain('fields.time = {"from":"at","parse":"epochSeconds"} [likely]');
    expect([factOf(found, 'format'), found.isValid, openIds(found)]).toEqual(['ndjson [sure]', true, []]);
  });
});

const unseen = (name: string): Uint8Array => readFileSync(`fixtures/unseen/${name}`);

describe('codes beside their descriptions', () => {
  it('are passed over where the words are known; chosen, each has the code of what stands beside it, not one it is by chance', async () => {
    const found = await suggestFor(unseen('parcel-tracking.json'), { fileName: 'parcel-tracking.json' });
    expect(fieldLines(found)).toContain(
      'fields.eventCode = {"from":"status.description","lookup":"parcel-tracking-status"} [likely]',
    );
    const coded = await suggestFor(unseen('parcel-tracking.json'), { answers: { status: 'status.code' } });
    expect(coded.codeLists[0]?.words.map(({ word, code }) => [word, code])).toEqual([
      ...[
        ['KB', 'D1'],
        ['OT', 'X6'],
        ['DP', 'P1'],
        ['AR', 'X4'],
        ['PU', 'AF'],
      ],
    ]);
  });
});

describe('XML', () => {
  it('has its records, its events, what stands around them, and references by their own type', async () => {
    const found = await suggestFor(unseen('status-report.xml'), { fileName: 'status-report.xml' });
    expect(['records', 'events', 'encoding'].map((what) => factOf(found, what))).toEqual([
      'shipmentStatusReport/shipments/shipment [sure]',
      'events/event [likely]',
      'windows-1252 [sure]',
    ]);
    expect(fieldLines(found)).toEqual([
      'fields.time = {"from":"occurred","parse":"dd/MM/yyyy HH:mm"} [sure]',
      'zone = "/shipmentStatusReport/header/timeZone" [sure]',
      'fields.loadNumber = "../../@shipmentId" [likely]',
      'fields.eventCode = {"from":"@code","lookup":"status-report-status"} [likely]',
      'fields.eventCity = "location/city" [sure]',
      'fields.eventState = "location/province" [unsure]',
      `fields.references.PRO = {"name":"PRO","value":"../../reference[@type='PRO']","omitWhenEmpty":true} [sure]`,
      `fields.references.BOL = {"name":"BOL","value":"../../reference[@type='BOL']","omitWhenEmpty":true} [sure]`,
      'scac = {"from":"../../carrier/@scac","upper":true} [sure]',
    ]);
    expect([openIds(found), found.problems, found.isValid]).toEqual([[], [], true]);
  });
  it('is read as the shipped mapping reads it, but for what nobody can know', async () => {
    const found = await suggestFor(readFileSync('fixtures/xml-status/clean/input.xml'), { fileName: 'status.xml' });
    expect(found.source).toMatchObject({ records: 'statusMessage/shipments/shipment', encoding: 'utf-16le' });
    expect(fieldLines(found).map((line) => line.split(' = ')[0])).toEqual(
      expect.arrayContaining(['zone', 'fields.loadNumber', 'fields.eventCode', 'fields.time', 'fields.references.PRO']),
    );
  });
  const events = (count: number): string =>
    Array.from(
      { length: count },
      (_, at) => `<event><code>X${at + 1}</code><at>2026-03-0${at + 2}T08:00:00Z</at></event>`,
    ).join('');
  it('with one shipment is one record, of which nobody can tell whether it would repeat', async () => {
    const found = await suggestFor(`<shipment number="L1"><events>${events(3)}</events></shipment>`);
    expect([factOf(found, 'records'), factOf(found, 'events'), found.isValid]).toEqual([
      'shipment [unsure]',
      'events/event [likely]',
      true,
    ]);
  });
  it('with one event each is found by the plural around it, and cut off at any place it is read so far', async () => {
    const one = (load: string) => `<shipment><load>${load}</load><events>${events(1)}</events></shipment>`;
    const text = `<shipments>${one('L1')}${one('L2')}${one('L3')}</shipments>`;
    const whole = await suggestFor(text);
    expect([whole.records, factOf(whole, 'events')]).toEqual([3, 'events/event [likely]']);
    for (const at of [60, 100, text.length - 30]) {
      const part = await suggestFor(text.slice(0, at), { isPart: true });
      expect(part.format[0]?.what).toBe('format');
    }
    expect((await suggestFor(text.slice(0, -30), { isPart: true })).records).toBe(3);
  });
  it('that is refused, or is none, says so', async () => {
    const refused = await suggestFor('<!DOCTYPE a><a><b x="1"/><b x="2"/></a>');
    expect([refused.yaml, refused.format[0]?.reason]).toEqual([null, expect.stringContaining('DOCTYPE')]);
    const broken = await suggestFor('<a><b></a>');
    expect([broken.yaml, broken.format[0]?.reason]).toEqual([null, expect.stringContaining('no XML')]);
  });
});

describe('lines of orders in an array', () => {
  const ship = (name: string) => ({ name, street: '12 Elm St', zip: '60431' });
  const first = [
    { sku: 'SOFA-3', qty: 1 },
    { sku: 'LAMP-2', qty: 2 },
    { sku: 'RUG-4', qty: 4, weightKg: 3.5 },
  ];
  const orders = [
    { orderNumber: 'SO-1', shipTo: ship('Consignee 1'), items: first },
    { orderNumber: 'SO-2', shipTo: ship('Consignee 2'), items: [{ sku: 'BED-7', qty: 1, description: 'Bed' }] },
  ];
  const lines = [
    'order.skus.sku = "sku" [sure]',
    'order.skus.description = "description" [sure]',
    'order.skus.quantity = {"from":"qty","as":"integer"} [sure]',
    'order.skus.weightKg = {"from":"weightKg","as":"number"} [sure]',
  ];
  it('are all read, with what only a later one has', async () => {
    const found = await suggestFor(JSON.stringify({ orders }));
    expect(fieldLines(found).slice(0, 4)).toEqual(lines);
    expect(found.yaml).toContain('  skus:\n    each: items\n    required: true\n    object:\n      sku: sku\n');
    expect(found.yaml).toContain('{ quantity: 4, sku: RUG-4, weightKg: 3.5 }]');
    expect(found.columns.filter(({ usedFor }) => usedFor.length === 0)).toEqual([]);
    expect([openIds(found), found.problems, found.isValid]).toEqual([[], [], true]);
  });
  it('are read in lines of JSON, and in XML, alike', async () => {
    const ndjson = orders.map((order) => JSON.stringify(order)).join('\n');
    expect(fieldLines(await suggestFor(ndjson)).slice(0, 4)).toEqual(lines);
    const item = ({ sku, qty }: { sku: string; qty: number }) => `<item><sku>${sku}</sku><qty>${qty}</qty></item>`;
    const order = (number: string, items: typeof first) =>
      `<order><orderNumber>${number}</orderNumber><to><name>C 1</name><street>12 Elm St</street><zip>60431</zip></to><items>${items.map(item).join('')}</items></order>`;
    const found = await suggestFor(`<feed>${order('SO-1', first)}${order('SO-2', first.slice(0, 1))}</feed>`);
    expect(found.yaml).toContain('    each: items/item\n');
    expect(found.yaml).toContain('{ quantity: 2, sku: LAMP-2 }');
    expect([fieldLines(found).slice(0, 2), found.isValid]).toEqual([[lines[0], lines[2]], true]);
  });
  it('need not be there where an order of the sample has none', async () => {
    const found = await suggestFor(JSON.stringify([...orders, { ...orders[0], orderNumber: 'SO-3', items: [] }]));
    expect([found.yaml?.includes('required: true'), found.isValid]).toEqual([false, true]);
  });
  it('are asked of by the record that holds them', async () => {
    const items = [
      { sku: 'A-1', qty: '1' },
      { sku: 'A-2', qty: '1,234' },
    ];
    const found = await suggestFor(JSON.stringify([orders[0], { ...orders[1], items }]));
    expect(questionOf(found, 'quantity.decimal').evidence).toEqual([{ row: 2, column: 'items[].qty', value: '1,234' }]);
  });
  it('are no events, though they have a status and a date', async () => {
    const dated = orders.map((order) => ({
      ...order,
      items: order.items.map((each) => ({ ...each, status: 'OPEN', date: '2026-03-02' })),
    }));
    const found = await suggestFor(JSON.stringify(dated));
    expect([found.target.kind, fieldLines(found).slice(0, 1), found.isValid]).toEqual([
      'order.create',
      lines.slice(0, 1),
      true,
    ]);
  });
});
