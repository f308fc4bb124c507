/** Orders and changes made by chance: what holds of every change, upsert and cancel, whatever the order is then. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CountedDelta } from '../../../src/delivery/orders/merge.ts';
import { type OrderPlan, type OrderSituation, planCancel, planChange } from '../../../src/delivery/orders/plan.ts';
import { beforeCreate, type Incarnation, incarnationOfCreate } from '../../../src/delivery/orders/step.ts';
import type { ChangeKind, OrderChange } from '../../../src/mapping/request.ts';
import {
  isDocument,
  isEqual,
  type OrderDocument,
  orderDifferences,
} from '../../../src/upstream/contracts/order-difference.ts';
import { mapperOf } from '../mapping/documents.ts';

const ORDER_REF = 'SO-1';
const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const NOTHING_COUNTED = (): undefined => undefined;

const live = (document: OrderDocument): Extract<OrderSituation, { order: 'live' }> => ({
  order: 'live',
  incarnation: 1,
  orderId: ID,
  document,
  seq: 1,
  isDoubtful: false,
});
const updated = (before: OrderDocument, change: OrderChange): OrderPlan =>
  planChange('order.update', change, live(before), NOTHING_COUNTED);
/** What the order is behind the plan. */
function orderAfter(before: OrderDocument, plan: OrderPlan): OrderDocument {
  if (plan.does === 'nothing') return before;
  if (plan.does !== 'update') throw new Error(JSON.stringify(plan));
  return JSON.parse(plan.document) as OrderDocument;
}

const text = fc.constantFrom('A', 'B', '', 'é', '<CLEAR>', 'null', '1.10', '__proto__', 'x'.repeat(40));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const consignee = fc
  .record({
    name: optional(text),
    phone: optional(text),
    address: optional(fc.dictionary(fc.constantFrom('street', 'city', 'state'), text, { minKeys: 1 })),
  })
  .filter((members) => Object.values(members).some((member) => member !== undefined));
/** Members that may change (seed 2.8), but for the items. */
const changeable = fc
  .record({
    shipperCode: optional(text),
    deliveryType: optional(text),
    consignee: optional(consignee),
    comments: optional(fc.array(text, { minLength: 1, maxLength: 3 })),
    references: optional(
      fc.uniqueArray(fc.record({ name: fc.constantFrom('PO', 'BOL', 'PRO'), value: text }), {
        selector: ({ name }) => name,
        minLength: 1,
      }),
    ),
  })
  .map((members) => JSON.parse(JSON.stringify(members)) as OrderDocument);
/** Members that may not, and that nobody knows. As JSON has them: -0 is none of its numbers. */
const fixed = fc
  .dictionary(
    fc.constantFrom('requestedDate', 'transport', 'odd', 'zz', '17'),
    fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  )
  .map((members) => JSON.parse(JSON.stringify(members)) as OrderDocument);
const WAYS = ['shall be', 'by how much', 'not named'] as const;
const items = fc.uniqueArray(
  fc.record({
    item: fc.record({ sku: fc.constantFrom('S1', 'S2', 'S3'), weightKg: fc.nat(9), quantity: fc.nat(9) }),
    after: fc.nat(9),
    way: fc.constantFrom(...WAYS),
  }),
  { selector: ({ item }) => item.sku },
);

/** Two documents of one order that differ in nothing but what may change, and the partial change from one to the other. */
const difference = fc.tuple(fixed, changeable, changeable, items).map(([others, first, second, drawn]) => {
  const skusOf = (after: boolean) =>
    drawn.map(({ item, after: wanted, way }) => (after && way !== 'not named' ? { ...item, quantity: wanted } : item));
  const documentOf = (members: OrderDocument, after: boolean): OrderDocument => ({
    orderRef: ORDER_REF,
    ...others,
    ...members,
    ...(drawn.length === 0 ? {} : { skus: skusOf(after) }),
  });
  const skus = drawn.flatMap(({ item: { sku, quantity }, after, way }) => {
    if (way === 'not named') return [];
    return [way === 'shall be' ? { sku, quantity: after } : { sku, more: after - quantity }];
  });
  const order = { ...patchOf(first, second), ...(skus.length === 0 ? {} : { skus }) };
  return { before: documentOf(first, false), after: documentOf(second, true), change: changeOf(order) };
});

const LISTS: OrderChange['lists'] = {
  comments: 'replace',
  references: { key: 'name' },
  skus: { key: 'sku', quantity: 'quantity', by: 'more' },
};
const changeOf = (order: object, more: Partial<OrderChange> = {}): OrderChange => ({
  orderRef: ORDER_REF,
  complete: false,
  changeRef: 'C-1',
  order,
  lists: LISTS,
  ...more,
});

/** As RFC 7396 writes it; lists as a mapping does, `null` for what empties them. */
function patchOf(before: OrderDocument, after: OrderDocument): Record<string, unknown> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(names.flatMap((name) => patchOfMember(name, before[name], after[name])));
}

function patchOfMember(name: string, before: unknown, after: unknown): [string, unknown][] {
  if (isEqual(before, after)) return [];
  if (name === 'references') return [[name, referencesPatch(namedIn(before), namedIn(after))]];
  if (name === 'comments') return [[name, after ?? [null]]];
  if (isDocument(before) && isDocument(after)) return [[name, patchOf(before, after)]];
  return [[name, after ?? null]];
}

const namedIn = (list: unknown): Map<string, string> =>
  new Map(((list ?? []) as { name: string; value: string }[]).map(({ name, value }) => [name, value]));

const referencesPatch = (before: Map<string, string>, after: Map<string, string>): unknown[] => [
  ...[...before.keys()].filter((name) => !after.has(name)).map((name) => ({ name, value: null })),
  ...[...after].filter(([name, value]) => before.get(name) !== value).map(([name, value]) => ({ name, value })),
];

/** References are told apart by their names: their places say nothing. */
const sorted = (document: OrderDocument): OrderDocument => {
  const { references, ...others } = document;
  if (references === undefined) return document;
  return { ...others, references: [...namedIn(references)].sort(([one], [other]) => (one < other ? -1 : 1)) };
};

describe('the partial difference of two documents, merged into the first', () => {
  it('makes the second', () =>
    fc.assert(
      fc.property(difference, ({ before, after, change }) => {
        const made = orderAfter(before, updated(before, change));
        expect(orderDifferences(sorted(made), sorted(after))).toEqual([]);
      }),
    ));

  it('of two that are the same sends nothing', () =>
    fc.assert(
      fc.property(difference, ({ before }) => {
        expect(updated(before, changeOf(patchOf(before, before)))).toEqual({ does: 'nothing', of: 1 });
      }),
    ));

  it('is refused as a whole where it changes one member that may not change', () =>
    fc.assert(
      fc.property(difference, fc.constantFrom('requestedDate', 'odd', 'skus'), ({ before, change }, name) => {
        const asked = name === 'skus' ? [{ sku: 'NEW', quantity: 1 }] : 'another';
        const plan = updated(before, { ...change, order: { ...change.order, [name]: asked } });
        expect(plan).toMatchObject({ does: 'end', reason: 'not_updatable', answer: expect.stringContaining(name) });
      }),
    ));
});

describe('what nobody named', () => {
  it('is untouched, byte for byte and in its place', () =>
    fc.assert(
      fc.property(difference, ({ before, change }) => {
        const made = orderAfter(before, updated(before, change));
        const named = new Set(Object.keys(change.order));
        const untouched = (document: OrderDocument) =>
          JSON.stringify(Object.entries(document).filter(([name]) => !named.has(name)));
        const kept = Object.keys(before).filter((name) => !named.has(name));
        expect(untouched(made)).toBe(untouched(before));
        expect(Object.keys(made).filter((name) => kept.includes(name))).toEqual(kept);
      }),
    ));

  it('inside of what was named is untouched, too: other members of the consignee, other items', () =>
    fc.assert(
      fc.property(difference, ({ before, change }) => {
        const made = orderAfter(before, updated(before, change));
        const asked = change.order as { consignee?: object | null; skus?: { sku: string }[] };
        const membersBut = (consignee: unknown, named: readonly string[]): string =>
          JSON.stringify(
            Object.entries(isDocument(consignee) ? consignee : {}).filter(([name]) => !named.includes(name)),
          );
        if (isDocument(asked.consignee) && isDocument(before.consignee)) {
          const named = Object.keys(asked.consignee);
          expect(membersBut(made.consignee, named)).toBe(membersBut(before.consignee, named));
        }
        const skus = new Set(asked.skus?.map(({ sku }) => sku));
        const itemsBut = (document: OrderDocument): string =>
          JSON.stringify(((document.skus ?? []) as { sku: string }[]).map((item) => (skus.has(item.sku) ? 0 : item)));
        expect(itemsBut(made)).toBe(itemsBut(before));
      }),
    ));

  it('stands in the body that is sent just as it stands in the order', () =>
    fc.assert(
      fc.property(difference, ({ before, change }) => {
        const plan = updated(before, change);
        if (plan.does !== 'update') return;
        const { id, ...body } = JSON.parse(plan.body);
        expect(id).toBe(ID);
        expect(JSON.stringify(body)).toBe(plan.document);
      }),
    ));
});

describe('the text that clears', () => {
  const COLUMNS = ['No', 'Service', 'Phone', 'City'];
  const map = mapperOf(
    {
      target: 'order.update',
      fields: undefined,
      zone: undefined,
      change: { clear: '<CLEAR>' },
      order: {
        orderRef: 'No',
        deliveryType: 'Service',
        consignee: { object: { phone: 'Phone', address: { object: { city: 'City' } } } },
      },
    },
    COLUMNS,
  );
  const BEFORE: OrderDocument = {
    orderRef: ORDER_REF,
    deliveryType: 'THRESHOLD',
    consignee: { name: 'N', phone: '555-0100', address: { city: 'Joliet', state: 'IL' } },
  };
  const readIn = (document: OrderDocument): unknown[] => {
    const at = (value: unknown, name: string): unknown => (isDocument(value) ? value[name] : undefined);
    const { deliveryType, consignee: to } = document;
    return [deliveryType, at(to, 'phone'), at(at(to, 'address'), 'city')];
  };
  const cell = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('', ' ', '<CLEAR>', ' <CLEAR> ') },
    fc.constantFrom('<clear>', '<CLEAR', '<CLEAR>x', 'null', 'NULL', 'undefined', '-', '0', 'false', '""', '[]', '{}'),
    fc.stringMatching(/^[A-Za-z0-9<>]{1,8}$/),
  );

  it('clears, an empty cell changes nothing, and every other text is written as it is', () =>
    fc.assert(
      fc.property(fc.tuple(cell, cell, cell), (cells) => {
        const { requests, errors } = map([ORDER_REF, ...cells]);
        if (cells.every((written) => written.trim() === '')) {
          expect(errors.map(({ code }) => code)).toEqual(['change_empty']);
          return;
        }
        expect(errors).toEqual([]);
        const [request] = requests;
        if (request?.kind !== 'order.update') throw new Error('no update');
        const made = orderAfter(BEFORE, updated(BEFORE, request.body));
        const told = cells.map((written) => written.trim());
        const were = readIn(BEFORE);
        const wanted = told.map((written, index) =>
          written === '' ? were[index] : written === '<CLEAR>' ? undefined : written,
        );
        expect(readIn(made)).toEqual(wanted);
      }),
    ));
});

/** One reference, order after order, as the lane has it: what is planned is done, and remembered. */
class Reference {
  readonly orders: { document: string; ended: boolean }[] = [];
  readonly sent: string[] = [];
  #counted = new Map<string, CountedDelta>();
  #seq = 0;
  #endedBy = 0;

  current(): OrderSituation {
    const last = this.orders.at(-1);
    if (last === undefined) return { order: 'none', createEnded: false };
    if (last.ended) return { order: 'cancelled', bySeq: this.#endedBy, createEnded: false };
    const document = JSON.parse(last.document) as OrderDocument;
    return { order: 'live', incarnation: this.orders.length, orderId: ID, document, seq: this.#seq, isDoubtful: false };
  }

  take(operation: Operation): OrderPlan | null {
    this.#seq += 1;
    const standing = this.current();
    if (operation.kind === 'order.create') {
      const existing = standing.order === 'live' ? { scac: 'DEMO', body: JSON.stringify(standing.document) } : null;
      const body = JSON.stringify(operation.document);
      if (beforeCreate({ scac: 'DEMO', body }, existing) === 'send') this.#begin(body, []);
      return null;
    }
    const plan =
      operation.kind === 'order.cancel'
        ? planCancel(standing)
        : planChange(operation.kind, operation.change, standing, (incarnation, line) =>
            this.#counted.get(`${incarnation} ${line}`),
          );
    this.#do(plan);
    return plan;
  }

  #do(plan: OrderPlan): void {
    if (plan.does === 'create') this.#begin(plan.document, plan.lines);
    const order = this.orders.at(-1);
    if (order === undefined || (plan.does !== 'update' && plan.does !== 'cancel')) return;
    expect(plan.incarnation).toBe(this.orders.length);
    this.sent.push(plan.does);
    if (plan.does === 'cancel') {
      order.ended = true;
      this.#endedBy = this.#seq;
      return;
    }
    order.document = plan.document;
    this.#count(plan.lines);
  }

  #begin(document: string, lines: readonly { line: string; amount: number }[]): void {
    const latest: Incarnation | null =
      this.orders.length === 0 ? null : { number: this.orders.length, hasEnded: this.orders.at(-1)?.ended ?? false };
    expect(incarnationOfCreate(latest)).toBe(this.orders.length + 1);
    this.orders.push({ document, ended: false });
    this.sent.push('create');
    this.#count(lines);
  }

  #count(lines: readonly { line: string; amount: number }[]): void {
    for (const { line, amount } of lines)
      this.#counted.set(`${this.orders.length} ${line}`, { amount, seq: this.#seq });
  }
}

type Operation =
  | { kind: 'order.create'; document: OrderDocument }
  | { kind: 'order.cancel' }
  | { kind: ChangeKind; change: OrderChange };

/** A difference has the name of its amount, so that equal names say equal amounts. */
const aChange = fc
  .tuple(changeable, fc.boolean(), optional(fc.integer({ min: 0, max: 4 })))
  .map(([members, complete, more]) => {
    const skus = more === undefined || complete ? {} : { skus: [{ sku: 'S1', more }] };
    return changeOf({ ...members, ...skus }, { complete, changeRef: `C-${more}` });
  });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('order.create' as const),
    document: changeable.map((members) => ({ orderRef: ORDER_REF, ...members, skus: [{ sku: 'S1', quantity: 2 }] })),
  }),
  fc.constant({ kind: 'order.cancel' as const }),
  fc.record({ kind: fc.constantFrom('order.update' as const, 'order.upsert' as const), change: aChange }),
);

describe('a cancelled order', () => {
  const cancelled = fc.record({ order: fc.constant('cancelled' as const), bySeq: fc.nat(), createEnded: fc.boolean() });

  it('is never changed or cancelled again: at most a whole upsert begins another one, of what it says alone', () =>
    fc.assert(
      fc.property(cancelled, aChange, (standing, change) => {
        const isBegun = { does: 'create', body: expect.stringContaining(`"orderRef":"${ORDER_REF}"`) };
        expect(planChange('order.update', change, standing, NOTHING_COUNTED).does).toBe('end');
        const upsert = planChange('order.upsert', change, standing, NOTHING_COUNTED);
        expect(upsert).toMatchObject(change.complete ? isBegun : { does: 'end', reason: 'base_unknown' });
        expect(upsert).toEqual(
          planChange('order.upsert', change, { order: 'none', createEnded: false }, NOTHING_COUNTED),
        );
        expect(planCancel(standing)).toMatchObject(
          standing.createEnded ? { does: 'end' } : { does: 'nothing', of: standing.bySeq },
        );
      }),
    ));

  it('stays as it was whatever comes, also behind the order that was begun anew', () =>
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 25 }), (operations) => {
        const reference = new Reference();
        for (const each of operations) {
          const ended = JSON.stringify(reference.orders.filter((order) => order.ended));
          const wasLive = reference.current().order === 'live';
          const before = reference.sent.length;
          reference.take(each);
          const all = reference.orders.filter((order) => order.ended);
          expect(JSON.stringify(all).startsWith(ended.slice(0, -1))).toBe(true);
          if (!wasLive) expect(reference.sent.slice(before).every((does) => does === 'create')).toBe(true);
        }
        expect(reference.orders.slice(0, -1).every((order) => order.ended)).toBe(true);
      }),
    ));
});

it('each named difference stands once in every order that was begun', () =>
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 25 }), (operations) => {
      const reference = new Reference();
      let named = new Map<string, number>();
      let begun = 0;
      for (const each of operations) {
        const plan = reference.take(each);
        if (reference.orders.length > begun) named = new Map();
        begun = reference.orders.length;
        if (!('change' in each) || reference.current().order !== 'live') continue;
        const [entry] = (each.change.order as { skus?: { more: number }[] }).skus ?? [];
        if (entry !== undefined && plan?.does !== 'end') named.set(each.change.changeRef ?? '', entry.more);
        const document = JSON.parse(reference.orders.at(-1)?.document ?? '{}') as { skus?: { quantity: number }[] };
        const wanted = [...named.values()].reduce((total, more) => total + more, 2);
        if (document.skus !== undefined) expect(document.skus[0]?.quantity).toBe(wanted);
      }
    }),
  ));
