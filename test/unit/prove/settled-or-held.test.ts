import { describe, expect, it } from 'vitest';
import { isSettledOrHeld } from '../../../scripts/local/client.ts';

describe('a harness that drains a batch', () => {
  it.each([
    ['has settled', { state: 'settled', requestStates: { delivered: 2 } }],
    ['waits for a person alone', { state: 'delivering', requestStates: { delivered: 1, held: 1 } }],
  ] as const)('is done when it %s', (_, batch) => {
    expect(isSettledOrHeld(batch)).toBe(true);
  });

  it.each([
    ['waits for an answer, too', { state: 'delivering', requestStates: { unknown: 1, held: 1 } }],
    ['has ended and is about to settle', { state: 'delivering', requestStates: { delivered: 2 } }],
  ] as const)('goes on while it %s', (_, batch) => {
    expect(isSettledOrHeld(batch)).toBe(false);
  });
});
