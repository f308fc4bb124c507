/** How a document says that it changes orders: what a row becomes, and what is wrong with a document before any row. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderChange } from '../../../src/mapping/request.ts';
import { BODY_CONTRACTS } from '../../body-contracts.ts';
import { type Loose, mapCells, mapperOf, namesOf, problemsOf } from './documents.ts';

const SKUS = {
  list: [
    {
      object: {
        sku: { from: 'SKU', required: true },
        quantity: { from: 'Qty', as: 'integer' },
        more: { from: 'More', as: 'integer' },
        what: 'What',
      },
      when: { field: 'SKU', empty: false },
    },
  ],
};
const ORDER = {
  orderRef: 'No',
  phone: 'Phone',
  name: { from: 'Name', required: true },
  deliverOn: { from: 'Day', as: 'date', parse: 'MM/dd/yyyy' },
  weight: { from: 'Weight', as: 'number', decimal: ',' },
  consignee: { object: { email: { from: 'Mail', lower: true, when: { field: 'Kind', equals: 'B' } } } },
  comments: { list: ['Note', 'Remark'] },
  skus: SKUS,
};
const COLUMNS = ['Phone', 'Day', 'Weight', 'Mail', 'Kind', 'Note', 'Remark', 'SKU', 'Qty', 'More', 'What', 'Change'];
const EMPTY = { No: 'SO-1', Name: 'N', ...Object.fromEntries(COLUMNS.map((column) => [column, ''])) };
const LISTS = { comments: 'add', skus: { key: 'sku', quantity: 'quantity', by: 'more' } };
const changing = (change: Loose, more: Loose = {}): Loose => ({
  target: 'order.update',
  fields: undefined,
  order: ORDER,
  change: { changeRef: 'Change', lists: LISTS, ...change },
  ...more,
});

const bodyOf = (cells: Record<string, string>, change: Loose = {}): OrderChange | string[] => {
  const { requests, errors } = mapCells(changing(change), { ...EMPTY, ...cells });
  return errors.length > 0 ? namesOf(errors) : (requests[0]?.body as OrderChange);
};
const membersOf = (cells: Record<string, string>, change: Loose = {}): unknown => {
  const body = bodyOf(cells, change);
  return Array.isArray(body) ? body : body.order;
};
const wrongIn = (change: Loose, more: Loose = {}) => namesOf(problemsOf(changing(change, more)));

describe('a change', () => {
  it('holds what a merge needs: the reference, whether it is the whole order, its name, members, lists', () =>
    expect(bodyOf({ Phone: '555-0199', Change: ' C-1 ' })).toEqual({
      orderRef: 'SO-1',
      complete: false,
      changeRef: 'C-1',
      order: { name: 'N', phone: '555-0199' },
      lists: LISTS,
    }));
  it('of a whole order says so', () =>
    expect(bodyOf({ Phone: '555-0199' }, { complete: true, lists: { skus: LISTS.skus } })).toEqual({
      orderRef: 'SO-1',
      complete: true,
      order: { name: 'N', phone: '555-0199' },
      lists: { skus: LISTS.skus },
    }));
  it('leaves alone what is empty', () => expect(membersOf({})).toEqual({ name: 'N' }));
  it('goes to the order it names', () =>
    expect(mapCells(changing({}), { ...EMPTY, No: 'SO-9' }).requests[0]?.subject).toBe('order:SO-9'));
  it('has lists in the order of their paths, however a document writes them', () =>
    expect(Object.keys((bodyOf({}, { lists: { skus: LISTS.skus, comments: 'add' } }) as OrderChange).lists)).toEqual([
      'comments',
      'skus',
    ]));
});

describe('the text that empties', () => {
  const clear = { clear: '<CLEAR>' };
  it('makes null of a member, whatever it would become', () =>
    expect(membersOf({ Phone: ' <CLEAR> ', Day: '<CLEAR>', Weight: '<CLEAR>' }, clear)).toEqual({
      name: 'N',
      phone: null,
      deliverOn: null,
      weight: null,
    }));
  it('is a text like any other where the document has none', () =>
    expect(membersOf({ Phone: '<CLEAR>' })).toEqual({ name: 'N', phone: '<CLEAR>' }));
  it('must stand alone, and as it is written', () =>
    expect(membersOf({ Phone: '<CLEAR> it', Note: '<clear>' }, clear)).toEqual({
      name: 'N',
      phone: '<CLEAR> it',
      comments: ['<clear>'],
    }));
  it('empties a list as one of its entries', () =>
    expect(membersOf({ Note: '<CLEAR>', Remark: 'Ring' }, clear)).toEqual({ name: 'N', comments: [null, 'Ring'] }));
  it('empties nothing that is left out', () => {
    expect(membersOf({ Mail: '<CLEAR>', Kind: 'A' }, clear)).toEqual({ name: 'N' });
    expect(membersOf({ Mail: '<CLEAR>', Kind: 'B' }, clear)).toEqual({ name: 'N', consignee: { email: null } });
  });
  it.each([
    [{ Name: '<CLEAR>' }, 'cannot_be_cleared Name'],
    [{ No: '<CLEAR>' }, 'cannot_be_cleared No'],
    [{ SKU: '<CLEAR>' }, 'cannot_be_cleared SKU'],
  ])('cannot empty what is required: %j', (cells, wanted) => expect(bodyOf(cells, clear)).toEqual([wanted]));
});

describe('a difference', () => {
  it('stands beside its key, and needs the name of the change', () => {
    expect(membersOf({ SKU: 'S', More: '+3', Change: 'C-1' })).toEqual({ name: 'N', skus: [{ sku: 'S', more: 3 }] });
    expect(bodyOf({ SKU: 'S', More: '-3' })).toEqual(['delta_without_reference Change']);
    expect(bodyOf({ SKU: 'S', More: '0' })).toEqual(['delta_without_reference Change']);
  });
  it('and a quantity exclude each other', () =>
    expect(bodyOf({ SKU: 'S', Qty: '1', More: '1', Change: 'C' })).toEqual(['quantity_twice skus']));
  it('needs no name where the quantity is told', () =>
    expect(membersOf({ SKU: 'S', Qty: '1' })).toEqual({ name: 'N', skus: [{ sku: 'S', quantity: 1 }] }));

  const coded = { lists: { ...LISTS, skus: { key: 'sku', quantity: 'quantity', action: 'what' } } };
  it.each([
    [{ What: 'MORE', Qty: '1' }, ['delta_without_reference Change']],
    [{ What: 'LESS', Qty: '1', Change: 'C' }, [{ sku: 'S', quantity: 1, what: 'LESS' }]],
    [{ What: 'CHANGE', Qty: '1' }, [{ sku: 'S', quantity: 1, what: 'CHANGE' }]],
    [{ What: 'DELETE' }, [{ sku: 'S', what: 'DELETE' }]],
    [{ What: 'LESS', Change: 'C' }, ['quantity_missing skus']],
    [{ What: 'more', Qty: '1', Change: 'C' }, ['action_unknown skus']],
    [{ Qty: '1' }, [{ sku: 'S', quantity: 1 }]],
  ])('may be told by an action: %j', (cells, wanted) => {
    const body = bodyOf({ SKU: 'S', ...cells }, coded);
    expect(Array.isArray(body) ? body : (body.order as { skus?: unknown }).skus).toEqual(wanted);
  });
});

describe('a document about changes', () => {
  it('names every list, unless files hold whole orders', () => {
    expect(wrongIn({ lists: { comments: 'add' } })).toEqual(['key_missing order.skus']);
    expect(wrongIn({ lists: undefined })).toEqual(['key_missing order.comments', 'key_missing order.skus']);
    expect(wrongIn({ complete: true, lists: undefined })).toEqual([]);
    const [problem] = problemsOf(changing({ lists: { skus: LISTS.skus } }));
    expect(problem?.wanted).toBe('change.lists: { comments: add, or replace }');
  });
  it.each<[string, Loose, string[]]>([
    ['a list that is none', { lists: { ...LISTS, sku: 'add' } }, ['path_invalid change.lists.sku']],
    ['a member as a list', { lists: { ...LISTS, phone: 'add' } }, ['path_invalid change.lists.phone']],
    ['a key of texts', { lists: { ...LISTS, comments: { key: 'text' } } }, ['wrong_form change.lists.comments.key']],
    [
      'a key that is no member',
      { lists: { ...LISTS, skus: { key: 'skew' } } },
      ['unknown_field change.lists.skus.key'],
    ],
    [
      'a key that may be empty',
      { lists: { ...LISTS, skus: { key: 'what' } } },
      ['field_missing change.lists.skus.key'],
    ],
    [
      'a quantity that is a text',
      { lists: { ...LISTS, skus: { key: 'sku', quantity: 'what' } } },
      ['wrong_form change.lists.skus.quantity'],
    ],
    [
      'a difference that is a text',
      { lists: { ...LISTS, skus: { key: 'sku', quantity: 'quantity', by: 'what' } } },
      ['wrong_form change.lists.skus.by'],
    ],
    [
      'a difference of nothing',
      { lists: { ...LISTS, skus: { key: 'sku', by: 'more' } } },
      ['key_missing change.lists.skus.quantity'],
    ],
    [
      'a unit of nothing',
      { lists: { ...LISTS, skus: { key: 'sku', unit: 'what' } } },
      ['key_missing change.lists.skus.quantity'],
    ],
    [
      'a unit that is no member',
      { lists: { ...LISTS, skus: { key: 'sku', quantity: 'quantity', unit: 'units' } } },
      ['unknown_field change.lists.skus.unit'],
    ],
    [
      'two ways to tell differences',
      { lists: { ...LISTS, skus: { key: 'sku', quantity: 'quantity', by: 'more', action: 'what' } } },
      ['keys_exclude change.lists.skus.action'],
    ],
    ['differences without a name', { changeRef: undefined }, ['key_missing change.changeRef']],
    ['a text that empties, in whole orders', { complete: true, clear: '-', lists: {} }, ['no_effect change.clear']],
    [
      'an added list, in whole orders',
      { complete: true, lists: { comments: 'add' } },
      ['no_effect change.lists.comments'],
    ],
    ['a form that is none', { lists: { comments: 'merge', skus: 'add' } }, ['wrong_form change.lists.comments']],
    ['a misspelt key', { clears: '-' }, ['unknown_key change.clears']],
  ])('is refused for %s', (_what, change, wanted) => expect(wrongIn(change)).toEqual(wanted));

  it('is refused where nothing changes an order', () => {
    expect(wrongIn({}, { target: 'order.create' })).toEqual(['no_effect change']);
    const own = { target: { switch: 'Kind', cases: { A: { target: 'order.cancel', change: {} }, B: 'order.update' } } };
    expect(wrongIn({}, own)).toEqual(['no_effect target.cases.A.change']);
  });
  it('may change the orders of one case its own way, and then the shared way must serve another', () => {
    const own = { target: 'order.update', change: { complete: true } };
    const both = { target: { switch: 'Kind', cases: { A: own, B: 'order.update' } } };
    expect(wrongIn({}, both)).toEqual([]);
    expect(wrongIn({}, { target: { switch: 'Kind', cases: { A: own } } })).toEqual(['no_effect change']);
  });
  it('knows the entries of a list that was made of several', () => {
    const lines = { each: 'lines', object: { sku: { from: 'sku', required: true }, note: 'note' } };
    const nested = {
      source: { format: 'ndjson' },
      order: { orderRef: 'no', skus: { each: 'boxes', flatten: true, item: lines } },
      zone: undefined,
    };
    expect(wrongIn({ changeRef: undefined, lists: { skus: { key: 'sku' } } }, nested)).toEqual([]);
    expect(wrongIn({ changeRef: undefined, lists: { skus: { key: 'note' } } }, nested)).toEqual([
      'field_missing change.lists.skus.key',
    ]);
  });
  it('needs no name of a change where control numbers are one', () => {
    const x12 = {
      source: { format: 'x12', sets: ['860'] },
      order: {
        orderRef: 'BCH-03',
        skus: {
          each: 'POC',
          object: {
            sku: { from: 'POC-09', required: true },
            quantity: { from: 'POC-03', as: 'number' },
            more: { from: 'POC-04', as: 'number' },
          },
        },
      },
      zone: undefined,
    };
    expect(wrongIn({ changeRef: undefined, lists: { skus: LISTS.skus } }, x12)).toEqual([]);
  });
});

describe('whatever the cells hold', () => {
  const columns = Object.keys(EMPTY);
  const likely = fc.constantFrom(
    '',
    '<CLEAR>',
    '1',
    '+3',
    '-2',
    '1,5',
    'MORE',
    'DELETE',
    '03/02/2026',
    'B',
    'x',
    '__proto__',
  );
  const cells = fc.tuple(
    ...columns.map(() => fc.oneof({ weight: 5, arbitrary: likely }, fc.string({ unit: 'binary', maxLength: 90 }))),
  );
  const coded = { lists: { ...LISTS, skus: { key: 'sku', quantity: 'quantity', action: 'what' } } };
  it.each([{}, { clear: '<CLEAR>' }, coded, { complete: true, lists: {} }])(
    'a row becomes a change or problems: %j',
    (change) => {
      const map = mapperOf(changing(change), columns);
      fc.assert(
        fc.property(cells, (row) => {
          const { requests, errors } = map(row);
          expect(requests.length > 0).toBe(errors.length === 0);
          for (const { kind, body } of requests) {
            expect(BODY_CONTRACTS[kind].safeParse(body).error).toBeUndefined();
            expect(JSON.parse(JSON.stringify(body))).toEqual(body);
          }
        }),
      );
    },
  );
});
