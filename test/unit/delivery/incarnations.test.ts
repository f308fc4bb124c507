import { expect, it } from 'vitest';
import { incarnationOfCreate } from '../../../src/delivery/orders/step.ts';

it('an order that never came into being begins its first incarnation', () => {
  expect(incarnationOfCreate(null)).toBe(1);
});

it('an order that lives stays the same', () => {
  expect(incarnationOfCreate({ number: 3, hasEnded: false })).toBe(3);
});

it('an order that was cancelled begins its next incarnation', () => {
  expect(incarnationOfCreate({ number: 1, hasEnded: true })).toBe(2);
  expect(incarnationOfCreate({ number: 7, hasEnded: true })).toBe(8);
});
