/** A process that dies with a create or a look-up of an order on the wire. */
import { abortAllDurableObjects, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../loads.ts';
import { anOrder, asked, attemptsOf, creates, lists, ordersAnswer, posts, requestOf } from '../orders.ts';
import { neverAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const LOST = new Error('Network connection lost.');

describe('a process that dies', () => {
  it('with a create on the wire leaves it to be looked up: one create, delivered', async () => {
    const upstream = ordersAnswer([neverAnswers, creates], [lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1), order.create(2));
    await vi.waitFor(() => expect(posts(upstream)).toBe(1), PATIENCE);
    await abortAllDurableObjects();
    await order.reaches('delivered', 'duplicate');
    expect(posts(upstream)).toBe(1);
    expect((await order.timeline())[0]?.attempts[0]).toMatchObject({
      effect: 'unknown',
      detail: expect.stringMatching(/^interrupted/),
    });
  });

  it('with a check on the wire changes nothing but that attempt, and asks again', async () => {
    const upstream = ordersAnswer([LOST], [neverAnswers, lists({})]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await vi.waitFor(() => expect(asked(upstream)).toHaveLength(1), PATIENCE);
    const before = await requestOf(order);
    expect(before).toMatchObject({ state: 'unknown' });
    await abortAllDurableObjects();
    expect(await requestOf(order)).toEqual(before);
    await order.reaches('delivered');
    expect(await attemptsOf(order)).toEqual(['send unknown', 'check unanswered', 'check answered']);
    expect(posts(upstream)).toBe(1);
  });
});
