/** What an operator may state of an order, and when it is taken. */
import { describe, expect, it } from 'vitest';
import { orderBase, planBase } from '../../../src/delivery/orders/base.ts';

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const OTHER = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f11';
const whole = { orderRef: 'SO-1', shipperCode: 'S1' };
const baseOf = (document: unknown, orderId: string | null = null, orderRef = 'SO-1') =>
  orderBase({ orderRef, document, orderId }, null);

function nested(levels: number): object {
  let inner: object = {};
  for (let level = 1; level < levels; level += 1) inner = { inner };
  return { orderRef: 'SO-1', inner };
}

describe('a whole order that is stated', () => {
  it('is taken as it is, with the id beside it', () => {
    expect(baseOf(whole, ID)).toEqual({ ok: true, value: { document: whole, orderId: ID } });
    expect(baseOf(whole)).toEqual({ ok: true, value: { document: whole, orderId: null } });
  });

  it('may hold its id as the receiving system shows it: that is no part of what is merged', () => {
    expect(baseOf({ id: ID, ...whole })).toEqual({ ok: true, value: { document: whole, orderId: ID } });
    expect(baseOf({ id: ID, ...whole }, ID)).toEqual({ ok: true, value: { document: whole, orderId: ID } });
  });

  it('bears whose it is where it names neither, as every order of the partner does', () => {
    const pair = { partnerId: 'P', clientId: 'C' };
    const stated = { orderRef: 'SO-1', document: whole, orderId: null };
    expect(orderBase(stated, pair)).toMatchObject({ ok: true, value: { document: { ...whole, ...pair } } });
    const own = { ...whole, partnerId: 'own', clientId: 'own' };
    expect(orderBase({ ...stated, document: own }, pair)).toMatchObject({ ok: true, value: { document: own } });
  });

  it.each<[string, unknown, string | null, string]>([
    ['that is no object', [whole], null, 'must be an object'],
    ['of another reference', { ...whole, orderRef: 'SO-2' }, null, 'must have the reference of the address'],
    ['without a reference', { shipperCode: 'S1' }, null, 'must have the reference of the address'],
    ['with an id of another form', whole, '42', 'must have the form of a UUID'],
    ['with an id of another form in it', { ...whole, id: 42 }, null, 'must have the form of a UUID'],
    ['with two ids', { ...whole, id: OTHER }, ID, 'is not the id that stands in the document'],
    ['that is too large', { ...whole, comments: 'x'.repeat(500_000) }, null, '500000 are the most'],
    ['that is nested too deep', nested(40), null, 'nested deeper than 32 levels'],
  ])('%s is refused', (_, document, orderId, words) => {
    const refused = baseOf(document, orderId);
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining(words) });
  });

  it('nested as deep as JSON can be is refused, and nothing overflows', () => {
    expect(baseOf(nested(100_000))).toMatchObject({ ok: false });
    expect(baseOf(nested(32))).toMatchObject({ ok: true });
    expect(baseOf(nested(33))).toMatchObject({ ok: false });
  });

  it('under a reference that no mapping can write is refused', () => {
    const orderRef = 'R'.repeat(81);
    expect(baseOf({ ...whole, orderRef }, null, orderRef)).toMatchObject({ ok: false });
  });
});

describe('a base', () => {
  const base = { document: whole, orderId: ID };
  const known = { document: { ...whole, shipperCode: 'S2' }, orderId: OTHER };

  it('is loaded where nothing is known and nothing is under way', () => {
    expect(planBase({ open: 0, known: null }, base, false)).toEqual({ verdict: 'load', orderId: ID });
    expect(planBase({ open: 1, known: null }, base, false)).toEqual({ verdict: 'order_busy' });
    expect(planBase({ open: 0, known: null }, { ...base, orderId: null }, false)).toEqual({
      verdict: 'load',
      orderId: '',
    });
  });

  it('replaces what is known only on request, and never what is under way', () => {
    expect(planBase({ open: 0, known }, base, false)).toEqual({ verdict: 'base_known' });
    expect(planBase({ open: 0, known }, base, true)).toEqual({ verdict: 'load', orderId: ID });
    expect(planBase({ open: 1, known }, base, true)).toEqual({ verdict: 'order_busy' });
  });

  it('keeps the id that is known where it names none', () => {
    expect(planBase({ open: 0, known }, { ...base, orderId: null }, true)).toEqual({
      verdict: 'load',
      orderId: OTHER,
    });
  });

  it('that is known already changes nothing, in whatever order its members stand', () => {
    const again = { document: { shipperCode: 'S1', orderRef: 'SO-1' }, orderId: ID };
    for (const replace of [true, false]) {
      expect(planBase({ open: 3, known: base }, again, replace)).toEqual({ verdict: 'same' });
      expect(planBase({ open: 3, known: base }, { ...again, orderId: null }, replace)).toEqual({ verdict: 'same' });
    }
  });
});
