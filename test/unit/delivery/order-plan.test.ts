/**
 * What becomes of a change, an upsert and a cancel when their turn comes: by what the order is then, what goes out, or why nothing does.
 * A table of examples that reads like the documentation; what holds for all of them stands in order-plan-properties.test.ts.
 */
import { describe, expect, it } from 'vitest';
import type { CountedDelta } from '../../../src/delivery/orders/merge.ts';
import { type OrderPlan, type OrderSituation, planCancel, planChange } from '../../../src/delivery/orders/plan.ts';
import type { ChangeKind, OrderChange } from '../../../src/mapping/request.ts';

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const ORDER = {
  orderRef: 'SO-1',
  shipperCode: 'ACME',
  requestedDate: '2026-03-09',
  comments: ['Ring twice'],
  skus: [
    { sku: 'SOFA-3', quantity: 2 },
    { sku: 'LAMP-2', quantity: 0 },
  ],
};

type Live = Extract<OrderSituation, { order: 'live' }>;
const live = (more: Partial<Live> = {}): Live => ({
  order: 'live',
  incarnation: 1,
  orderId: ID,
  document: ORDER,
  seq: 7,
  isDoubtful: false,
  ...more,
});
const NONE: OrderSituation = { order: 'none', createEnded: false };
const NOT_MADE: OrderSituation = { order: 'none', createEnded: true };
const CANCELLED: OrderSituation = { order: 'cancelled', bySeq: 9, createEnded: false };
const NOT_MADE_ANEW: OrderSituation = { order: 'cancelled', bySeq: 9, createEnded: true };

const LISTS: OrderChange['lists'] = {
  comments: 'add',
  skus: { key: 'sku', quantity: 'quantity', unit: 'unit', action: 'what' },
};
const change = (order: object, more: Partial<OrderChange> = {}): OrderChange => ({
  orderRef: 'SO-1',
  complete: false,
  changeRef: 'C-1',
  order,
  lists: LISTS,
  ...more,
});
const whole = (order: object): OrderChange => change(order, { complete: true });
const of = (what: string, sku: string, quantity?: number, unit?: string) =>
  change({ skus: [{ sku, what, ...(quantity === undefined ? {} : { quantity }), ...(unit && { unit }) }] });

/** What was counted before: three more sofas by C-1, in the first order of this reference, by the operation 5. */
const COUNTED: { incarnation: number; line: string } & CountedDelta = {
  incarnation: 1,
  line: '["C-1","skus","SOFA-3",1]',
  amount: 3,
  seq: 5,
};
const NOTHING_COUNTED = (): undefined => undefined;
const threeCounted = (incarnation: number, line: string): CountedDelta | undefined =>
  incarnation === COUNTED.incarnation && line === COUNTED.line ? COUNTED : undefined;

/** `create …`, `update …` with what differs from ORDER, `cancel`, `nothing of 7`, or the reason. */
function inShort(plan: OrderPlan): string {
  switch (plan.does) {
    case 'create':
      return `create ${plan.body}`;
    case 'update':
      return `update ${plan.shown.map(({ path, before, after }) => `${path} ${said(before)} → ${said(after)}`).join(', ')}`;
    case 'cancel':
      return `cancel ${plan.orderId}`;
    case 'nothing':
      return `nothing of ${plan.of}`;
    case 'end':
      return plan.reason;
  }
}
const said = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

describe('a change', () => {
  it.each<[before: string, came: string, becomes: string, OrderSituation, OrderChange, ChangeKind?]>([
    ['no order', 'an update', 'base_unknown', NONE, change({ shipperCode: 'S2' })],
    ['no order: its create was refused', 'an update', 'dependency', NOT_MADE, change({ shipperCode: 'S2' })],
    ['a cancelled order', 'an update', 'order_cancelled', CANCELLED, change({ shipperCode: 'S2' })],
    ['a cancelled order: its create anew was refused', 'an update', 'dependency', NOT_MADE_ANEW, change({})],
    ['no order', 'an update that is whole', 'base_unknown', NONE, whole({ shipperCode: 'S2' })],
    ['an order', 'another shipper', 'update shipperCode "ACME" → "S2"', live(), change({ shipperCode: 'S2' })],
    ['an order', 'what is so already', 'nothing of 7', live(), change({ shipperCode: 'ACME' })],
    ['an order', 'nothing at all', 'nothing of 7', live(), change({})],
    ['an order that may be another upstream', 'what is so already', 'update ', live({ isDoubtful: true }), change({})],
    [
      'an order without id',
      'another shipper',
      'order_id_unknown',
      live({ orderId: '' }),
      change({ shipperCode: 'S2' }),
    ],
    ['an order without id', 'what is so already', 'nothing of 7', live({ orderId: '' }), change({})],
    ['an order', 'another date', 'not_updatable', live(), change({ requestedDate: '2026-03-10' })],
    ['2 sofas', 'they shall be 5', 'update skus[SOFA-3].quantity 2 → 5', live(), of('CHANGE', 'SOFA-3', 5)],
    ['2 sofas', '3 more', 'update skus[SOFA-3].quantity 2 → 5', live(), of('MORE', 'SOFA-3', 3)],
    ['2 sofas', '3 less', 'quantity_below_zero', live(), of('LESS', 'SOFA-3', 3)],
    ['2 sofas', 'none any more', 'update skus[SOFA-3].quantity 2 → 0', live(), of('DELETE', 'SOFA-3')],
    ['0 lamps', 'none any more', 'nothing of 7', live(), of('DELETE', 'LAMP-2')],
    ['0 lamps', 'one more', 'update skus[LAMP-2].quantity 0 → 1', live(), of('MORE', 'LAMP-2', 1)],
    ['no rug', 'one more', 'entry_unknown', live(), of('MORE', 'RUG-4', 1)],
    ['no rug', 'none any more', 'entry_unknown', live(), of('DELETE', 'RUG-4')],
    ['no rug', 'one is added', 'not_updatable', live(), of('ADD', 'RUG-4', 1)],
    ['2 sofas', '3 more in a unit', 'update skus[SOFA-3].quantity 2 → 5', live(), of('MORE', 'SOFA-3', 3, 'CS')],
    [
      '2 sofas, by the piece',
      '3 more cases',
      'unit_differs',
      live({ document: { ...ORDER, skus: [{ sku: 'SOFA-3', quantity: 2, unit: 'EA' }] } }),
      of('MORE', 'SOFA-3', 3, 'CS'),
    ],
    [
      'an order',
      'the whole order, 1 sofa',
      'update skus[SOFA-3].quantity 2 → 1',
      live(),
      whole({ shipperCode: 'ACME', comments: ['Ring twice'], skus: [{ sku: 'SOFA-3', quantity: 1 }] }),
    ],
    [
      'an order',
      'the whole order without comments',
      'update comments ["Ring twice"] → nothing',
      live(),
      whole({ shipperCode: 'ACME' }),
    ],
    [
      'an order',
      'an upsert',
      'update shipperCode "ACME" → "S2"',
      live(),
      change({ shipperCode: 'S2' }),
      'order.upsert',
    ],
    [
      'no order',
      'an upsert that is whole',
      'create {"orderRef":"SO-1","shipperCode":"S2"}',
      NONE,
      whole({ shipperCode: 'S2' }),
      'order.upsert',
    ],
    [
      'a cancelled order',
      'an upsert that is whole',
      'create {"orderRef":"SO-1","shipperCode":"S2"}',
      CANCELLED,
      whole({ shipperCode: 'S2' }),
      'order.upsert',
    ],
    [
      'no order: its create was refused',
      'an upsert that is whole',
      'create {"orderRef":"SO-1"}',
      NOT_MADE,
      whole({}),
      'order.upsert',
    ],
    ['no order', 'an upsert of a part', 'base_unknown', NONE, change({ shipperCode: 'S2' }), 'order.upsert'],
    ['no order: its create was refused', 'an upsert of a part', 'base_unknown', NOT_MADE, change({}), 'order.upsert'],
    [
      'a cancelled order',
      'an upsert of a part',
      'base_unknown',
      CANCELLED,
      change({ shipperCode: 'S2' }),
      'order.upsert',
    ],
    [
      'no order',
      'a whole upsert that says 1 more',
      'entry_unknown',
      NONE,
      { ...of('MORE', 'SOFA-3', 1), complete: true },
      'order.upsert',
    ],
  ])('before: %s. Came: %s. Becomes: %s', (_before, _came, becomes, standing, asked, kind = 'order.update') =>
    expect(inShort(planChange(kind, asked, standing, NOTHING_COUNTED))).toBe(becomes),
  );

  it.each<[before: string, came: string, becomes: string, OrderSituation, OrderChange]>([
    ['3 more by C-1', '3 more by C-1', 'nothing of 5', live(), of('MORE', 'SOFA-3', 3)],
    ['3 more by C-1', '4 more by C-1', 'delta_conflict', live(), of('MORE', 'SOFA-3', 4)],
    [
      '3 more by C-1',
      '3 more by C-2',
      'update skus[SOFA-3].quantity 2 → 5',
      live(),
      { ...of('MORE', 'SOFA-3', 3), changeRef: 'C-2' },
    ],
    [
      '3 more by C-1, cancelled and begun anew',
      '3 more by C-1',
      'update skus[SOFA-3].quantity 2 → 5',
      live({ incarnation: 2 }),
      of('MORE', 'SOFA-3', 3),
    ],
  ])('counted before: %s. Came: %s. Becomes: %s', (_before, _came, becomes, standing, asked) =>
    expect(inShort(planChange('order.update', asked, standing, threeCounted))).toBe(becomes),
  );

  it('goes out as the whole order with its id, and keeps the order as it then is without one', () => {
    const plan = planChange('order.update', of('MORE', 'SOFA-3', 1), live({ incarnation: 3 }), NOTHING_COUNTED);
    if (plan.does !== 'update') throw new Error(plan.does);
    const document = { ...ORDER, skus: [{ sku: 'SOFA-3', quantity: 3 }, ORDER.skus[1]] };
    expect(JSON.parse(plan.body)).toEqual({ ...document, id: ID });
    expect(JSON.parse(plan.document)).toEqual(document);
    expect(plan).toMatchObject({ incarnation: 3, orderId: ID, lines: [{ line: COUNTED.line, amount: 1 }] });
  });

  it('that makes the order keeps what it counted in it', () => {
    const skus = [
      { sku: 'SOFA-3', quantity: 2, what: 'ADD' },
      { sku: 'SOFA-3', quantity: 1, what: 'MORE' },
    ];
    const plan = planChange('order.upsert', whole({ skus }), NONE, NOTHING_COUNTED);
    expect(plan).toMatchObject({
      body: '{"orderRef":"SO-1","skus":[{"sku":"SOFA-3","quantity":3}]}',
      lines: [{ line: '["C-1","skus","SOFA-3",2]', amount: 1 }],
    });
  });

  it('of a part that meets no order says both ways out', () => {
    for (const standing of [NONE, NOT_MADE, CANCELLED]) {
      const plan = planChange('order.upsert', change({ shipperCode: 'S2' }), standing, NOTHING_COUNTED);
      expect(plan).toMatchObject({ answer: expect.stringMatching(/send the order whole.*state it/) });
    }
  });
});

describe('a cancel', () => {
  it.each<[before: string, becomes: string, OrderSituation]>([
    ['no order', 'base_unknown', NONE],
    ['no order: its create was refused', 'dependency', NOT_MADE],
    ['an order', `cancel ${ID}`, live()],
    ['an order that may be another upstream', `cancel ${ID}`, live({ isDoubtful: true })],
    ['an order without id', 'order_id_unknown', live({ orderId: '' })],
    ['a cancelled order', 'nothing of 9', CANCELLED],
    ['a cancelled order: its create anew was refused', 'dependency', NOT_MADE_ANEW],
  ])('before: %s. Becomes: %s', (_before, becomes, standing) => expect(inShort(planCancel(standing))).toBe(becomes));
});
