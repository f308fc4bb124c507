/** What becomes of an order and a change: a table that reads like the documentation, and what holds for all of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CountedDelta, type Merged, mergeChange, newOrder } from '../../../src/delivery/orders/merge.ts';
import {
  deltaConflict,
  differenceMessage,
  entryAmbiguous,
  entryUnknown,
  isMergeRefusal,
  notUpdatable,
  quantityBelowZero,
  shownDifferences,
  tooLarge,
  unitDiffers,
  valueMessage,
} from '../../../src/delivery/orders/merge-messages.ts';
import { ORDER_CHARACTERS_MAX } from '../../../src/mapping/limits.ts';
import type { OrderChange } from '../../../src/mapping/request.ts';
import { type OrderDocument, orderDifferences, pathText } from '../../../src/upstream/contracts/order-difference.ts';

const BASE: OrderDocument = {
  orderRef: 'SO-1',
  shipperCode: 'ACME',
  deliveryType: 'THRESHOLD',
  requestedDate: '2026-03-09',
  consignee: { name: 'Consignee 1', address: { street: '12 Elm St', city: 'Joliet' }, phone: '555-0100', notes: ['A'] },
  comments: ['Ring twice'],
  notes: [{ by: { at: 1, name: 'A' }, text: 'Ring' }],
  references: [
    { name: 'PO', value: 'PO77' },
    { name: 'BOL', value: 'B-1' },
  ],
  skus: [
    { sku: 'SOFA-3', description: 'Sofa', quantity: 2, weightKg: 49.9 },
    { sku: 'LAMP-2', quantity: 4 },
  ],
};
const LISTS: OrderChange['lists'] = {
  comments: 'add',
  notes: 'add',
  'consignee.notes': 'add',
  references: { key: 'name' },
  skus: { key: 'sku', quantity: 'quantity', by: 'more' },
};
const CODED: OrderChange['lists'] = { skus: { key: 'sku', quantity: 'quantity', action: 'what' } };

const change = (order: OrderChange['order'], more: Partial<OrderChange> = {}): OrderChange => ({
  orderRef: 'SO-1',
  complete: false,
  changeRef: 'C-1',
  order,
  lists: LISTS,
  ...more,
});
const NOTHING_COUNTED = (): undefined => undefined;
const merged = (asked: OrderChange, base = BASE, counted = new Map<string, CountedDelta>()): Merged =>
  mergeChange(base, asked, (line) => counted.get(line));

/** In short: the differences, `same`, or the code and path of the refusal. */
function inShort(result: Merged): unknown {
  switch (result.outcome) {
    case 'document':
      return Object.fromEntries(
        result.differences.map(({ path, before, after }) => [pathText(path), [before ?? null, after ?? null]]),
      );
    case 'same':
      return 'same';
    case 'refused':
      return `${result.refusal.code} ${result.refusal.path}`;
  }
}

describe('the unit of a quantity', () => {
  const inUnits: OrderChange['lists'] = { skus: { key: 'sku', quantity: 'quantity', unit: 'uom' } };
  const base = {
    ...BASE,
    skus: [
      { sku: 'SOFA-3', quantity: 2, uom: 'EA' },
      { sku: 'LAMP-2', quantity: 4 },
    ],
  };
  const of = (entry: object) => inShort(merged(change({ skus: [entry] }, { lists: inUnits }), base));

  it('stays where a change names none, and where it names the same', () => {
    expect(of({ sku: 'SOFA-3', quantity: 3 })).toEqual({ 'skus[SOFA-3].quantity': [2, 3] });
    expect(of({ sku: 'SOFA-3', quantity: 3, uom: 'EA' })).toEqual({ 'skus[SOFA-3].quantity': [2, 3] });
  });

  it('is none of another entry, and never another one', () => {
    expect(of({ sku: 'LAMP-2', quantity: 5, uom: 'EA' })).toEqual({ 'skus[LAMP-2].quantity': [4, 5] });
    expect(of({ sku: 'SOFA-3', quantity: 3, uom: 'KG' })).toMatch(/^\w+ skus\[SOFA-3\]\.uom$/);
  });
});

describe('a change of some members', () => {
  it.each<[string, OrderChange['order'], unknown]>([
    ['replaces a text', { deliveryType: 'WHITE_GLOVE' }, { deliveryType: ['THRESHOLD', 'WHITE_GLOVE'] }],
    [
      'replaces one member of an object',
      { consignee: { phone: '555-0199' } },
      { 'consignee.phone': ['555-0100', '555-0199'] },
    ],
    ['adds a member', { consignee: { email: 'a@b.c' } }, { 'consignee.email': [null, 'a@b.c'] }],
    ['empties a member', { consignee: { phone: null } }, { 'consignee.phone': ['555-0100', null] }],
    ['empties an object', { consignee: null }, { consignee: [BASE.consignee, null] }],
    ['empties a member that is not there: nothing changes', { consignee: { email: null } }, 'same'],
    ['says again what is so: nothing changes', { shipperCode: 'ACME', consignee: { phone: '555-0100' } }, 'same'],
    [
      'adds to a list inside an object, as its own path says',
      { consignee: { notes: ['B'] } },
      { 'consignee.notes': [['A'], ['A', 'B']] },
    ],
    [
      'leaves out an entry that has no key: there is nothing to hold it against',
      { references: [{ value: 'PO88' }, { name: 'PO', value: 'PO88' }] },
      {
        references: [
          BASE.references,
          [
            { name: 'PO', value: 'PO88' },
            { name: 'BOL', value: 'B-1' },
          ],
        ],
      },
    ],
    ['adds a comment', { comments: ['Third floor'] }, { comments: [['Ring twice'], ['Ring twice', 'Third floor']] }],
    ['adds a comment that is there: nothing changes', { comments: ['Ring twice'] }, 'same'],
    [
      'adds a reference that is there, its members in another order: nothing changes',
      { notes: [{ text: 'Ring', by: { name: 'A', at: 1 } }] },
      'same',
    ],
    ['empties the comments', { comments: [null] }, { comments: [['Ring twice'], null] }],
    ['empties the comments and writes one', { comments: [null, 'New'] }, { comments: [['Ring twice'], ['New']] }],
    [
      'changes a reference by its name',
      { references: [{ name: 'PO', value: 'PO88' }] },
      {
        references: [
          BASE.references,
          [
            { name: 'PO', value: 'PO88' },
            { name: 'BOL', value: 'B-1' },
          ],
        ],
      },
    ],
    [
      'adds a reference',
      { references: [{ name: 'PRO', value: '7' }] },
      { references: [BASE.references, [...(BASE.references as []), { name: 'PRO', value: '7' }]] },
    ],
    [
      'takes out a reference of which nothing but its name is left',
      { references: [{ name: 'PO', value: null }] },
      { references: [BASE.references, [{ name: 'BOL', value: 'B-1' }]] },
    ],
    ['takes out a reference that is not there: nothing changes', { references: [{ name: 'X', value: null }] }, 'same'],
    ['sets a quantity', { skus: [{ sku: 'SOFA-3', quantity: 5 }] }, { 'skus[SOFA-3].quantity': [2, 5] }],
    ['sets a quantity to nothing', { skus: [{ sku: 'SOFA-3', quantity: 0 }] }, { 'skus[SOFA-3].quantity': [2, 0] }],
    ['adds to a quantity', { skus: [{ sku: 'SOFA-3', more: 3 }] }, { 'skus[SOFA-3].quantity': [2, 5] }],
    ['takes from a quantity', { skus: [{ sku: 'LAMP-2', more: -4 }] }, { 'skus[LAMP-2].quantity': [4, 0] }],
    [
      'adds twice to one item: two lines, both count',
      {
        skus: [
          { sku: 'SOFA-3', more: 3 },
          { sku: 'SOFA-3', more: 1 },
        ],
      },
      { 'skus[SOFA-3].quantity': [2, 6] },
    ],
    ['changes no date', { requestedDate: '2026-03-10' }, 'not_updatable requestedDate'],
    ['says no date that is so', { requestedDate: '2026-03-09' }, 'same'],
    ['adds no item', { skus: [{ sku: 'RUG-4', quantity: 1 }] }, 'not_updatable skus[RUG-4]'],
    [
      'describes no item anew',
      { skus: [{ sku: 'SOFA-3', description: 'Couch' }] },
      'not_updatable skus[SOFA-3].description',
    ],
    ['empties no quantity', { skus: [{ sku: 'SOFA-3', quantity: null }] }, 'not_updatable skus[SOFA-3].quantity'],
    ['adds no member of its own', { gift: true }, 'not_updatable gift'],
    [
      'leaves no quantity below nothing',
      { skus: [{ sku: 'SOFA-3', more: -3 }] },
      'quantity_below_zero skus[SOFA-3].quantity',
    ],
    [
      'sets no quantity below nothing',
      { skus: [{ sku: 'SOFA-3', quantity: -1 }] },
      'quantity_below_zero skus[SOFA-3].quantity',
    ],
    ['adds nothing to an item that is not there', { skus: [{ sku: 'RUG-4', more: 1 }] }, 'entry_unknown skus[RUG-4]'],
  ])('%s', (_what, order, wanted) => expect(inShort(merged(change(order)))).toEqual(wanted));

  it('names every member it may not change, with what stood there and what was asked', () => {
    const result = merged(change({ requestedDate: '2026-03-10', gift: 1 }));
    expect(result).toMatchObject({
      outcome: 'refused',
      refusal: {
        path: 'requestedDate, gift',
        message:
          'The documentation of the receiving system does not list this among what an update changes: requestedDate "2026-03-09" → "2026-03-10"; gift nothing → 1.',
        fix: expect.stringContaining('create it anew'),
      },
    });
  });

  it('names five of them, and says how many more there are', () => {
    const messageOf = (members: readonly string[]): string => {
      const result = merged(change(Object.fromEntries(members.map((name) => [name, 1]))));
      return result.outcome === 'refused' ? result.refusal.message : '';
    };
    expect(messageOf(['a', 'b', 'c', 'd', 'e'])).toMatch(/e nothing → 1\.$/);
    expect(messageOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toMatch(/e nothing → 1, and 2 more\.$/);
  });

  it('sends what the documentation does not list, where that is set: the receiving system says itself', () => {
    const asked = change({ requestedDate: '2026-03-10', gift: 1 });
    expect(mergeChange(BASE, asked, NOTHING_COUNTED, 'send')).toMatchObject({
      outcome: 'document',
      document: { requestedDate: '2026-03-10', gift: 1 },
    });
  });

  it('cannot tell which of two entries is meant, unless it does not speak of them', () => {
    const twice = {
      ...BASE,
      skus: [
        { sku: 'A', quantity: 1 },
        { sku: 'A', quantity: 2 },
      ],
    };
    expect(inShort(merged(change({ skus: [{ sku: 'A', more: 1 }] }), twice))).toBe('entry_ambiguous skus[A]');
    expect(inShort(merged(change({ shipperCode: 'B' }), twice))).toEqual({ shipperCode: ['ACME', 'B'] });
  });

  it('counts decimals as they were written', () => {
    const base = { ...BASE, skus: [{ sku: 'A', quantity: 0.1 }] };
    expect(inShort(merged(change({ skus: [{ sku: 'A', more: 0.2 }] }), base))).toEqual({
      'skus[A].quantity': [0.1, 0.3],
    });
  });

  it('that would make the order too large is refused', () => {
    const comments = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(1_900)}`);
    expect(inShort(merged(change({ comments })))).toBe('order_too_large ');
    expect(JSON.stringify(comments).length).toBeGreaterThan(ORDER_CHARACTERS_MAX);
  });

  it('may make the order as large as one can be sent, to the last character', () => {
    const room = ORDER_CHARACTERS_MAX - JSON.stringify({ orderRef: 'SO-1', comments: [''] }).length;
    const outcomeOf = (characters: number): string => newOrder(change({ comments: ['x'.repeat(characters)] })).outcome;
    expect([outcomeOf(room), outcomeOf(room + 1)]).toEqual(['document', 'refused']);
  });
});

describe('an action', () => {
  it.each<[string, Record<string, unknown>[], unknown]>([
    ['MORE', [{ sku: 'SOFA-3', what: 'MORE', quantity: 1 }], { 'skus[SOFA-3].quantity': [2, 3] }],
    ['LESS', [{ sku: 'SOFA-3', what: 'LESS', quantity: 1 }], { 'skus[SOFA-3].quantity': [2, 1] }],
    ['CHANGE', [{ sku: 'SOFA-3', what: 'CHANGE', quantity: 9 }], { 'skus[SOFA-3].quantity': [2, 9] }],
    ['CHANGE without a quantity', [{ sku: 'SOFA-3', what: 'CHANGE' }], 'same'],
    ['DELETE', [{ sku: 'SOFA-3', what: 'DELETE' }], { 'skus[SOFA-3].quantity': [2, 0] }],
    [
      'DELETE, whatever quantity stands beside it',
      [{ sku: 'SOFA-3', what: 'DELETE', quantity: 2 }],
      { 'skus[SOFA-3].quantity': [2, 0] },
    ],
    ['DELETE of what is not there', [{ sku: 'RUG-4', what: 'DELETE' }], 'entry_unknown skus[RUG-4]'],
    [
      'DELETE of what is not there, beside another',
      [
        { sku: 'LAMP-2', what: 'DELETE' },
        { sku: 'RUG-4', what: 'DELETE' },
      ],
      'entry_unknown skus[RUG-4]',
    ],
    ['ADD of what is there', [{ sku: 'LAMP-2', what: 'ADD', quantity: 4 }], 'same'],
    ['ADD of what is not there', [{ sku: 'RUG-4', what: 'ADD', quantity: 1 }], 'not_updatable skus[RUG-4]'],
    [
      'several in one change',
      [
        { sku: 'SOFA-3', what: 'LESS', quantity: 1 },
        { sku: 'LAMP-2', what: 'DELETE' },
      ],
      { 'skus[SOFA-3].quantity': [2, 1], 'skus[LAMP-2].quantity': [4, 0] },
    ],
  ])('%s', (_what, skus, wanted) => expect(inShort(merged(change({ skus }, { lists: CODED })))).toEqual(wanted));

  it('DELETE of an item that stands at 0 already is nothing to do', () => {
    const base = { ...BASE, skus: [{ sku: 'SOFA-3', quantity: 0 }] };
    expect(inShort(merged(change({ skus: [{ sku: 'SOFA-3', what: 'DELETE' }] }, { lists: CODED }), base))).toBe('same');
  });
  it('DELETE of an item that a whole order does not hold is nothing to do: what it does not name is not wanted', () => {
    const asked = change({ skus: [{ sku: 'RUG-4', what: 'DELETE' }] }, { complete: true, lists: CODED });
    const shorter = { orderRef: 'SO-1', skus: BASE.skus };
    expect(inShort(merged(asked, shorter))).toEqual({
      'skus[SOFA-3].quantity': [2, 0],
      'skus[LAMP-2].quantity': [4, 0],
    });
  });
  it('DELETE of an entry without a quantity that is not there is nothing to do: it may have been taken out before', () => {
    const lists = { references: { key: 'name', action: 'what' } };
    expect(inShort(merged(change({ references: [{ name: 'PRO', what: 'DELETE' }] }, { lists })))).toBe('same');
  });

  it('takes an entry out of a list without quantities', () => {
    const lists = { references: { key: 'name', action: 'what' } };
    const asked = change({ references: [{ name: 'PO', what: 'DELETE' }] }, { lists });
    expect(inShort(merged(asked))).toEqual({ references: [BASE.references, [{ name: 'BOL', value: 'B-1' }]] });
  });
});

describe('a change that holds the whole order', () => {
  const whole = (order: Record<string, unknown>, lists: OrderChange['lists'] = {}) =>
    inShort(merged(change(order, { complete: true, lists })));
  const { orderRef: _, ...members } = BASE;

  it('changes nothing where it says the same', () => expect(whole(members)).toBe('same'));
  it('takes out what may change and is missing', () =>
    expect(whole({ ...members, comments: undefined, consignee: { name: 'Consignee 1' } })).toEqual({
      comments: [['Ring twice'], null],
      'consignee.address': [{ street: '12 Elm St', city: 'Joliet' }, null],
      'consignee.phone': ['555-0100', null],
      'consignee.notes': [['A'], null],
    }));
  it('leaves what may not change, whether it is missing or said again', () => {
    const { requestedDate: __, ...others } = members;
    expect(whole(others)).toBe('same');
    expect(whole({ ...members, requestedDate: '2026-03-10' })).toBe('not_updatable requestedDate');
  });
  it('leaves the item that is missing with nothing wanted of it', () =>
    expect(whole({ ...members, skus: [{ sku: 'SOFA-3', quantity: 1 }] })).toEqual({
      'skus[SOFA-3].quantity': [2, 1],
      'skus[LAMP-2].quantity': [4, 0],
    }));
  it('leaves all items where it says nothing of any', () => {
    const { skus: __, ...others } = members;
    expect(whole(others)).toBe('same');
  });
  it('is refused where an item is missing and the mapping does not say which member is its quantity', () =>
    expect(whole({ ...members, skus: [{ sku: 'SOFA-3', quantity: 2 }] }, { skus: { key: 'sku' } })).toBe(
      'not_updatable skus[LAMP-2]',
    ));
  it('may follow instructions, which are no part of the order', () =>
    expect(
      whole(
        {
          ...members,
          skus: [
            { sku: 'SOFA-3', quantity: 1, what: 'CHANGE' },
            { sku: 'LAMP-2', what: 'DELETE' },
          ],
        },
        CODED,
      ),
    ).toEqual({
      'skus[SOFA-3].quantity': [2, 1],
      'skus[LAMP-2].quantity': [4, 0],
    }));
  it('replaces items that have no keys of their own only by the same ones', () => {
    const lines = [{ line: '1', quantity: 2 }];
    expect(
      inShort(merged(change({ skus: lines }, { complete: true, lists: {} }), { orderRef: 'SO-1', skus: lines })),
    ).toBe('same');
    expect(whole({ ...members, skus: lines })).toBe('not_updatable skus');
  });
});

describe('a list that takes the place of the one of the order', () => {
  it('leaves the items that it does not name with nothing wanted of them: the receiving system keeps those lines', () =>
    expect(inShort(merged(change({ skus: [{ sku: 'SOFA-3', quantity: 1 }] }, { lists: { skus: 'replace' } })))).toEqual(
      { 'skus[SOFA-3].quantity': [2, 1], 'skus[LAMP-2].quantity': [4, 0] },
    ));

  it('is what is written, where its entries are no items', () =>
    expect(
      inShort(merged(change({ references: [{ name: 'PRO', value: '7' }] }, { lists: { references: 'replace' } }))),
    ).toEqual({ references: [BASE.references, [{ name: 'PRO', value: '7' }]] }));
});

describe('why a change is refused', () => {
  const refusals = [
    notUpdatable([]),
    quantityBelowZero('a', 1, -1),
    unitDiffers('a', 'KG', 'LB'),
    entryUnknown('a'),
    entryAmbiguous('a'),
    deltaConflict('a', 'C-1', 1, -1),
    tooLarge(2, 1),
  ];

  it.each(refusals)('is told in the words of the change, not of the reason alone: $code', ({ code }) => {
    expect(isMergeRefusal(code)).toBe(true);
    expect(isMergeRefusal(`${code}s`)).toBe(false);
  });

  it('bears the sign of each amount', () => {
    const words = (counted: number, asked: number) => deltaConflict('a', 'C', counted, asked).message;
    expect(words(1, -1)).toContain('counted with +1 at a, and now says -1');
    expect(words(0, 2)).toContain('counted with 0 at a, and now says +2');
  });

  it('shows a text as it is written, and the beginning of a long one', () => {
    expect([valueMessage('6" of C:\\x'), valueMessage(7), valueMessage(null)]).toEqual([
      '"6" of C:\\x"',
      '7',
      'nothing',
    ]);
    expect(valueMessage('x'.repeat(78))).toBe(`"${'x'.repeat(78)}"`);
    expect(valueMessage('x'.repeat(79))).toBe(`"${'x'.repeat(78)}…`);
  });
});

describe('a difference', () => {
  const three = change({ skus: [{ sku: 'SOFA-3', more: 3 }] });
  const counting = (result: Merged, seq: number): Map<string, CountedDelta> =>
    new Map(result.outcome === 'document' ? result.lines.map(({ line, amount }) => [line, { amount, seq }]) : []);

  it('counts once, and says who counted it', () => {
    const counted = counting(merged(three), 7);
    expect(counted.size).toBe(1);
    expect(merged(three, BASE, counted)).toEqual({ outcome: 'same', repeats: 7 });
  });
  it('counts beside one that was counted: the corrected file brings what was missing', () => {
    const counted = counting(merged(three), 7);
    const both = change({
      skus: [
        { sku: 'SOFA-3', more: 3 },
        { sku: 'LAMP-2', more: 1 },
      ],
    });
    expect(inShort(merged(both, BASE, counted))).toEqual({ 'skus[LAMP-2].quantity': [4, 5] });
  });
  it('counts under another reference, and of another item', () => {
    const counted = counting(merged(three), 7);
    expect(inShort(merged({ ...three, changeRef: 'C-2' }, BASE, counted))).toEqual({ 'skus[SOFA-3].quantity': [2, 5] });
    expect(inShort(merged(change({ skus: [{ sku: 'LAMP-2', more: 3 }] }), BASE, counted))).toEqual({
      'skus[LAMP-2].quantity': [4, 7],
    });
  });
  it('of another amount under the same reference is refused, and says both', () => {
    const result = merged(change({ skus: [{ sku: 'SOFA-3', more: 5 }] }), BASE, counting(merged(three), 7));
    expect(inShort(result)).toBe('delta_conflict skus[SOFA-3].quantity');
    expect(result).toMatchObject({ refusal: { message: expect.stringContaining('counted with +3') } });
  });
  it('that was counted changes nothing else either, while members beside it do', () => {
    const counted = counting(merged(three), 7);
    const beside = change({ deliveryType: 'WHITE_GLOVE', skus: [{ sku: 'SOFA-3', more: 3 }] });
    expect(inShort(merged(beside, BASE, counted))).toEqual({ deliveryType: ['THRESHOLD', 'WHITE_GLOVE'] });
  });
});

describe('a change where there is no order', () => {
  it('becomes the order, without instructions and without what it empties', () =>
    expect(
      newOrder(
        change({
          shipperCode: 'ACME',
          consignee: { phone: null },
          comments: [null],
          skus: [{ sku: 'A', quantity: 1 }],
        }),
      ),
    ).toMatchObject({
      outcome: 'document',
      document: { orderRef: 'SO-1', shipperCode: 'ACME', skus: [{ sku: 'A', quantity: 1 }] },
      lines: [],
    }));
  it('cannot add to what is not there', () =>
    expect(newOrder(change({ skus: [{ sku: 'A', more: 1 }] }))).toMatchObject({ refusal: { code: 'entry_unknown' } }));
});

describe('whatever order and change', () => {
  const text = fc.constantFrom('A', 'B', '', 'é', '__proto__', 'x'.repeat(40));
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const items = fc.uniqueArray(fc.record({ sku: fc.constantFrom('S1', 'S2', 'S3'), quantity: fc.nat(9) }), {
    selector: ({ sku }) => sku,
    maxLength: 3,
  });
  const order = fc
    .record({
      shipperCode: optional(text),
      deliveryType: optional(text),
      consignee: optional(fc.dictionary(fc.constantFrom('name', 'phone', 'email'), text, { minKeys: 1 })),
      comments: optional(fc.array(text, { minLength: 1, maxLength: 3 })),
      references: optional(
        fc.uniqueArray(fc.record({ name: text, value: text }), {
          selector: ({ name }) => name,
          minLength: 1,
          maxLength: 3,
        }),
      ),
    })
    .map((members) => JSON.parse(JSON.stringify(members)) as OrderDocument);
  const base = fc
    .tuple(order, items, fc.dictionary(fc.constantFrom('orderedOn', 'transport', 'odd'), fc.jsonValue()))
    .map(
      ([members, skus, unknown]): OrderDocument => ({
        orderRef: 'SO-1',
        ...members,
        ...unknown,
        ...(skus.length > 0 ? { skus } : {}),
      }),
    );
  const patch = fc
    .tuple(order, items, fc.constantFrom('quantity', 'more'))
    .map(([members, skus, as]) =>
      change({ ...members, skus: skus.map(({ sku, quantity }) => ({ sku, [as]: quantity - 3 })) }),
    );

  it('the whole order as it shall be makes that order, but for what may not change', () =>
    fc.assert(
      fc.property(base, order, (document, wanted) => {
        const result = merged(change(wanted, { complete: true, lists: {} }), document);
        const fixed = Object.fromEntries(
          Object.entries(document).filter(
            ([name]) => !['shipperCode', 'deliveryType', 'consignee', 'comments', 'references'].includes(name),
          ),
        );
        if (result.outcome === 'refused') throw new Error(result.refusal.message);
        const received = result.outcome === 'same' ? document : result.document;
        expect(orderDifferences(received, { ...fixed, ...wanted })).toEqual([]);
      }),
    ));
  it('members the change does not speak of are untouched, and its reference is', () =>
    fc.assert(
      fc.property(base, patch, (document, asked) => {
        const result = merged(asked, document);
        if (result.outcome !== 'document') return;
        for (const name of Object.keys(document)) {
          if (!Object.hasOwn(asked.order, name)) expect(result.document[name]).toEqual(document[name]);
        }
        expect(result.document.orderRef).toBe('SO-1');
      }),
    ));
  it('merged again, nothing changes', () =>
    fc.assert(
      fc.property(base, patch, (document, asked) => {
        const result = merged(asked, document);
        if (result.outcome !== 'document') return;
        const counted = new Map(result.lines.map(({ line, amount }) => [line, { amount, seq: 1 }]));
        expect(merged(asked, result.document, counted).outcome).toBe('same');
      }),
    ));
  it('what is cleared is gone', () =>
    fc.assert(
      fc.property(base, fc.constantFrom('shipperCode', 'deliveryType', 'consignee'), (document, name) => {
        const result = merged(change({ [name]: null }), document);
        expect(result.outcome).toBe(Object.hasOwn(document, name) ? 'document' : 'same');
        if (result.outcome === 'document') expect(Object.hasOwn(result.document, name)).toBe(false);
      }),
    ));
  it('it says the same twice, and changes nothing of what it was given', () =>
    fc.assert(
      fc.property(base, patch, (document, asked) => {
        const before = JSON.stringify([document, asked]);
        expect(mergeChange(document, asked, NOTHING_COUNTED)).toEqual(mergeChange(document, asked, NOTHING_COUNTED));
        expect(JSON.stringify([document, asked])).toBe(before);
      }),
    ));
});

describe('what an update changed, for a report', () => {
  const shownOf = (before: OrderDocument, after: OrderDocument) => shownDifferences(orderDifferences(before, after));

  it('names each path with what was there and what is there now', () => {
    const shown = shownOf({ a: 1, b: true, c: 'x', gone: [1] }, { a: 2, b: false, c: 'y', come: { at: 1 } });
    expect(differenceMessage(shown).split('; ').sort()).toEqual([
      'a: 1 → 2',
      'b: true → false',
      'c: "x" → "y"',
      'come: nothing → {"at":1}',
      'gone: [1] → nothing',
    ]);
    expect(shown.find(({ path }) => path === 'b')).toEqual({ path: 'b', before: true, after: false });
  });
  it('cuts a long value', () => {
    const [shown] = shownOf({ a: 'short' }, { a: 'x'.repeat(400) });
    expect(shown?.after).toBe(`"${'x'.repeat(298)}…`);
  });
  it('names thirty, and counts the others', () => {
    const many = (of: number) => Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`n${at}`, of]));
    const shown = shownOf(many(1), many(2));
    expect(shown).toHaveLength(31);
    expect(differenceMessage(shown)).toMatch(/^n0: 1 → 2; .*; and 3 more$/);
  });
});
