import { describe, expect, it } from 'vitest';
import { mappingOf, namesOf, problemsOf } from './documents.ts';
import { bodiesOf, briefly, mapInput } from './files.ts';

const MIXED = {
  target: {
    switch: 'Type',
    cases: {
      S: { target: 'milestone', fields: { eventCode: 'Code' } },
      L: { target: 'trace', fields: { coordinate: { latitude: 'Lat', longitude: 'Lon' } } },
      '7': { target: 'order.cancel', order: { orderRef: 'Order' } },
      '': 'loadMilestoneEvent',
    },
  },
  fields: {
    loadNumber: 'Load',
    load_id: 'Load',
    time: { from: 'When', parse: 'iso' },
    event_time: { from: 'When', parse: 'iso' },
    milestone_type: { const: 'SEEN' },
  },
};
const HEADER = 'Type,Load,Code,When,Lat,Lon,Order\n';
const WHEN = '2026-03-02T08:00:00Z';

describe('a switch', () => {
  it('makes of each record what the value of its column says, a number in quotes and an empty cell included', async () => {
    const rows = `S,L1,X3,${WHEN},,,\n L ,L1,,${WHEN},41.5,-88.1,\n7,,,,,,SO-1\n,L1,,${WHEN},,,\n`;
    expect(briefly(await mapInput(MIXED, HEADER + rows))).toEqual([
      'milestone load:L1',
      'trace load:L1',
      'order.cancel order:SO-1',
      'loadMilestoneEvent load:L1',
    ]);
  });
  it('reads nothing of what other kinds need', async () =>
    expect(briefly(await mapInput(MIXED, `${HEADER}S,L1,X3,${WHEN},no,position,\n7,,,never,,,SO-1\n`))).toEqual([
      'milestone load:L1',
      'order.cancel order:SO-1',
    ]));
  it('refuses other values, upper and lower case being different, and names those there are', async () => {
    const [record] = await mapInput(MIXED, `${HEADER}s,L1,X3,${WHEN},,,\n`);
    expect(record?.errors).toEqual(['record_kind_unknown Type']);
  });
  it.each(['constructor', '__proto__', 'toString'])('knows no case %s that the document does not name', async (value) =>
    expect(briefly(await mapInput(MIXED, `${HEADER}${value},L1,X3,${WHEN},,,\n`))).toEqual([
      'record_kind_unknown Type',
    ]),
  );
  it('leaves records of other values out where it says so', async () => {
    const target = { ...MIXED.target, otherwise: 'skip' };
    expect(briefly(await mapInput({ ...MIXED, target }, `${HEADER}X,,,,,,\n`))).toEqual(['skipped']);
  });
  it('demands its column and those of every case of the file', () => {
    const bound = mappingOf(MIXED).bind(['Load', 'When']);
    const missing = bound.ok ? [] : bound.error.map(({ path }) => path);
    expect(missing.sort()).toEqual(['Code', 'Lat', 'Lon', 'Order', 'Type']);
  });
  it('lets a case be written by its kind alone, with the shared fields', async () => {
    const target = { switch: 'Type', cases: { A: 'milestone', B: 'loadMilestoneEvent' } };
    const fields = { ...MIXED.fields, eventCode: 'Code' };
    const rows = `A,L1,X3,${WHEN},,,\nB,L1,X3,${WHEN},,,\n`;
    expect(briefly(await mapInput({ target, fields }, HEADER + rows))).toEqual([
      'milestone load:L1',
      'loadMilestoneEvent load:L1',
    ]);
  });
  it('tells kinds apart by a member of a tree, numbers included', async () => {
    const target = { switch: 'meta.kind', cases: { '1': 'order.create', '2': 'order.cancel' } };
    const changes = { target, fields: undefined, order: { orderRef: 'no', to: { from: 'to', required: true } } };
    expect(await bodiesOf(changes, { meta: { kind: 1 }, no: 'A', to: 'x' }, { meta: { kind: 2 }, no: 'A' })).toEqual([
      { orderRef: 'A', to: 'x' },
      { orderRef: 'A' },
    ]);
  });
  it('takes a case written as a bare number for its digits', () => {
    const text = `mapping: trial-csv
description: A trial.
source: { format: csv }
target: { switch: Type, cases: { 7: order.cancel } }
order: { orderRef: Order }
examples: [{ input: x, records: [] }]
`;
    expect(namesOf(problemsOf(text))).toEqual([]);
  });
});

describe('a request with a target of its own', () => {
  const requests = [
    { fields: { eventCode: { const: 'X3' } } },
    {
      target: 'trace',
      when: { field: 'Lat', empty: false },
      fields: { coordinate: { latitude: 'Lat', longitude: 'Lon' } },
    },
    { target: 'order.cancel', when: { field: 'Order', empty: false }, order: { orderRef: 'Order' } },
  ];
  const changes = { fields: { loadNumber: 'Load', time: MIXED.fields.time }, requests };

  it('stands beside those of the document’s target, in the order of the document', async () =>
    expect(briefly(await mapInput(changes, `${HEADER},L1,,${WHEN},41.5,-88.1,SO-1\n,L1,,${WHEN},,,\n`))).toEqual([
      'milestone load:L1, trace load:L1, order.cancel order:SO-1',
      'milestone load:L1',
    ]));
  it('costs itself when it is an event in error', async () => {
    const [record] = await mapInput(changes, `${HEADER},L1,,${WHEN},95,-98,SO-1\n`);
    expect(record?.errors).toEqual(['coordinate_out_of_range Lat']);
    expect(record?.requests.map(({ kind }) => kind)).toEqual(['milestone', 'order.cancel']);
  });
  it('withholds the others when it is an order in error', async () => {
    const [record] = await mapInput(changes, `${HEADER},L1,,${WHEN},41.5,-88.1,${'x'.repeat(81)}\n`);
    expect(record).toMatchObject({ requests: [], errors: ['value_too_long Order'] });
  });
  it('takes the shared fields that its kind has', async () => {
    const [record] = await mapInput(changes, `${HEADER},L1,,${WHEN},41.5,-88.1,\n`);
    expect(record?.requests[1]?.body).toMatchObject({ loadNumber: 'L1', traces: [{ time: { timeZoneCode: 'UTC' } }] });
  });
  it('carries the SCAC of the record like the others', async () => {
    const header = HEADER.replace('Type', 'Scac');
    const [record] = await mapInput({ ...changes, scac: 'Scac' }, `${header}ABCD,L1,,${WHEN},41.5,-88.1,SO-1\n`);
    expect(record?.requests.map(({ scac }) => scac)).toEqual(['ABCD', 'ABCD', 'ABCD']);
  });
});
