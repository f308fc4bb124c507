import { expect, it } from 'vitest';
import { isWithdrawable } from '../../../src/delivery/retry.ts';
import { REQUEST_STATES } from '../../../src/delivery/states.ts';

it.each(REQUEST_STATES)('takes back what has not left or was not applied, and nothing else: %s', (state) => {
  expect(isWithdrawable(state)).toBe(state === 'queued' || state === 'waiting');
});
