/** X12 orders through the Batch object: a set is an order, and one that is wrong costs itself alone. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { aBatch } from '../batches.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(() => Response.json({ id: '0b6f2a53-6c1e-4b0e-9f4e-000000000940' }, { status: 201 }));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** @param sets the segments of each, between its ST and its SE. */
function shippingOrders(...sets: (readonly string[])[]): string {
  const isa = `ISA*00*${' '.repeat(10)}*00*${' '.repeat(10)}*02*${'DEMO'.padEnd(15)}*ZZ*${'TRANSLOAD'.padEnd(15)}`;
  return [
    `${isa}*260302*1500*U*00401*000000940*0*T*>`,
    'GS*OW*DEMO*TRANSLOAD*20260302*1500*940*X*004010',
    ...sets.flatMap((segments, index) => [
      `ST*940*${index + 1}`,
      ...segments,
      `SE*${segments.some((segment) => segment.startsWith('NTE*BAD')) ? 99 : segments.length + 2}*${index + 1}`,
    ]),
    `GE*${sets.length}*940`,
    'IEA*1*000000940',
    '',
  ].join('~\n');
}

const lines = [
  'N1*ST*Consignee 1',
  'N4*Joliet*IL*60431',
  'LX*1',
  'W01*2*EA**VN*SOFA-3',
  'LX*2',
  'W01*4*EA**VN*CHAIR-1',
];

it('creates each order of the sets that are right, once, and says of the others what is wrong and where', async () => {
  const file = shippingOrders(
    ['W05*N*X940-1', ...lines],
    ['W05*N*X940-2', 'NTE*BAD*Its count is wrong', ...lines],
    ['W05*X*X940-3', ...lines],
    ['W05*N*X940-4', ...lines.slice(0, 4), 'LX*2', 'W01*four*EA**VN*CHAIR-1'],
    ['W05*N*X940-5', ...lines],
  );
  const batch = await aBatch(file, { mapping: 'x12-940' });
  await batch.stub().create(batch.ticket);
  await batch.reaches('settled');
  const sent = upstream.left.map(({ body }) => JSON.parse(body)).map(({ orderRef, skus }) => [orderRef, skus]);
  expect(sent.sort()).toEqual(
    ['X940-1', 'X940-5'].map((orderRef) => [
      orderRef,
      [
        { sku: 'SOFA-3', quantity: 2, unitOfMeasure: 'EA' },
        { sku: 'CHAIR-1', quantity: 4, unitOfMeasure: 'EA' },
      ],
    ]),
  );
  const rows = await batch.rows();
  expect(rows.map(({ state, errors }) => [state, ...errors.map(({ code, path }) => `${code} ${path}`)])).toEqual([
    ['delivered'],
    ['invalid', 'count_differs SE01'],
    ['invalid', 'record_kind_unknown W05-01'],
    ['invalid', 'not_a_number LX[1].LX/W01[0].W01-01'],
    ['delivered'],
  ]);
});
