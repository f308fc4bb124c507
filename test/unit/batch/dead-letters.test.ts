/** What of batches did not arrive: which states those are. */
import { expect, it } from 'vitest';
import { DEAD_LETTER_STATES } from '../../../src/batch/core/dead-letters.ts';
import { CORRECTABLE } from '../../../src/batch/core/tally.ts';
import { isFinal, REQUEST_STATES } from '../../../src/delivery/states.ts';

it('are for a partner to correct where they are no matter of a person who decides', () => {
  expect([...CORRECTABLE].sort()).toEqual(DEAD_LETTER_STATES.filter((state) => state !== 'held').sort());
});

it('are what is held, and what ended without a delivery', () => {
  const isSent = (state: string) => state === 'delivered' || state === 'duplicate';
  const wanted = [...REQUEST_STATES, 'invalid' as const].filter(
    (state) => state === 'invalid' || state === 'held' || (isFinal(state) && !isSent(state)),
  );
  expect([...DEAD_LETTER_STATES].sort()).toEqual([...wanted].sort());
});
