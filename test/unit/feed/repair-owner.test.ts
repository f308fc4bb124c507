/** Whose a status is that an answer about one reference holds. */
import { describe, expect, it } from 'vitest';
import { isWhole, ownerOf, type TargetQuery } from '../../../src/feed/repair.ts';

const asked = (more: Partial<TargetQuery> = {}): TargetQuery => ({
  orderRef: 'R1',
  polled: [],
  creates: 1,
  ours: [],
  before: [],
  isBeingMade: false,
  hasUnnamed: false,
  ...more,
});
const owner = (orderId: string | null, more: Partial<TargetQuery> = {}, orderRef = 'R1') =>
  ownerOf(asked(more))({ orderRef, orderId });

describe('a status in an answer about one order', () => {
  it('of another reference is never its own, whatever id it bears', () => {
    expect(owner('a', { ours: ['a'] }, 'R2')).toBe('order_ref_foreign');
    expect(owner(null, {}, 'r1')).toBe('order_ref_foreign');
  });

  it('is its own by any id under which it was made or polled, in large letters or small', () => {
    expect(owner('A-1', { ours: ['a-1', 'a-2'] })).toBe('ours');
    expect(owner('a-2', { ours: ['a-1', 'a-2'] })).toBe('ours');
    expect(owner('p-1', { polled: ['P-1'], ours: ['a-1'] })).toBe('ours');
  });

  it('under another id is another’s where ids of it are known', () => {
    expect(owner('x', { ours: ['a'] })).toBe('order_id_foreign');
    expect(owner('x', { polled: ['a'] })).toBe('order_id_foreign');
  });

  it('under an id that stood there before it was made is another’s, even where none of its own is known', () => {
    expect(owner('X', { before: ['x'] })).toBe('order_id_foreign');
    expect(owner('x', { before: ['x'], isBeingMade: true })).toBe('order_id_foreign');
    expect(owner('x', { before: ['x'], hasUnnamed: true })).toBe('order_id_foreign');
  });

  it('under an id nobody knows is unclear while it is being made', () => {
    expect(owner('x', { isBeingMade: true })).toBe('unclear');
    expect(owner('x', { ours: ['a'], isBeingMade: true })).toBe('unclear');
    expect(owner('a', { ours: ['a'], isBeingMade: true })).toBe('ours');
  });

  it('is its own by its reference where it has no id, or nobody knows one of the order', () => {
    expect(owner(null, { ours: ['a'] })).toBe('ours');
    expect(owner('x')).toBe('ours');
    expect(owner('x', { ours: ['a'], hasUnnamed: true })).toBe('ours');
    expect(owner('x', { polled: ['a'], creates: 2 })).toBe('ours');
    expect(owner('x', { ours: ['a'], creates: 2 })).toBe('order_id_foreign');
    expect(ownerOf(asked({ orderRef: ' R1 ' }))({ orderRef: 'R1', orderId: null })).toBe('ours');
  });
});

describe('what is listed is all that was made under the reference', () => {
  const listed = (...ids: string[]) => new Set(ids);

  it('where each of several known ids is, in large letters or small', () => {
    expect(isWhole(asked({ ours: ['A', 'b'] }), listed('a', 'b'))).toBe(true);
    expect(isWhole(asked({ ours: ['A', 'b'] }), listed('b', 'polled'))).toBe(false);
  });

  it('whatever it is, where one id alone is known: it may be listed without one', () => {
    expect(isWhole(asked({ ours: ['a'] }), listed(''))).toBe(true);
    expect(isWhole(asked(), listed('a'))).toBe(true);
  });

  it('where, beside those with known ids, there is one more if one was made without a name', () => {
    expect(isWhole(asked({ ours: ['a'], hasUnnamed: true }), listed('a'))).toBe(false);
    expect(isWhole(asked({ ours: ['a'], hasUnnamed: true }), listed('b', 'c'))).toBe(false);
    expect(isWhole(asked({ ours: ['a'], hasUnnamed: true }), listed('a', 'b'))).toBe(true);
    expect(isWhole(asked({ hasUnnamed: true }), listed('b'))).toBe(true);
  });

  it('where there are as many more as were made without a name', () => {
    expect(isWhole(asked({ hasUnnamed: true, unnamed: 2 }), listed('b'))).toBe(false);
    expect(isWhole(asked({ hasUnnamed: true, unnamed: 2 }), listed('b', 'c'))).toBe(true);
    expect(isWhole(asked({ ours: ['a'], hasUnnamed: true, unnamed: 2 }), listed('a', 'c'))).toBe(false);
    expect(isWhole(asked({ ours: ['a'], hasUnnamed: true, unnamed: 2 }), listed('a', 'b', 'c'))).toBe(true);
  });

  it('never while one is being made: an earlier one that only polls named may be listed alone', () => {
    expect(isWhole(asked({ isBeingMade: true, polled: ['a'] }), listed('a'))).toBe(false);
  });
});
