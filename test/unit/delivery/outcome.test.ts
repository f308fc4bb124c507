import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedState, foldRow, followedState } from '../../../src/delivery/outcome.ts';
import { isFinal, REQUEST_STATES, type RequestState } from '../../../src/delivery/states.ts';

/** Most pressing first: open states, then the worst final one. */
const PRESSING: readonly RequestState[] = ['held', 'unknown', 'sending', 'waiting', 'queued'];
const WORST = ['dead', 'rejected', 'cancelled', 'invalid', 'delivered', 'duplicate'] as const;
const some = fc.array(fc.constantFrom(...REQUEST_STATES), { minLength: 1, maxLength: 6 });

describe('foldRow', () => {
  it.each(REQUEST_STATES)('shows %s for a row whose only request is so', (state) => {
    expect(foldRow([state])).toBe(state);
  });

  it.each([...PRESSING, ...WORST].slice(1).map((state, index) => [[...PRESSING, ...WORST][index], state] as const))(
    'shows %s before %s',
    (shown, hidden) => {
      expect(foldRow([hidden ?? 'queued', shown ?? 'queued'])).toBe(shown);
    },
  );

  it('shows a row as open while any of its requests is', () => {
    expect(foldRow(['delivered', 'dead', 'rejected', 'queued'])).toBe('queued');
  });

  it('shows a row as given up when one of its requests was and the others arrived', () => {
    expect(foldRow(['delivered', 'dead', 'delivered'])).toBe('dead');
  });

  it('shows a row of several events as one to correct, once those of its events that were sound have arrived', () => {
    expect(foldRow(['delivered', 'invalid', 'duplicate'])).toBe('invalid');
    expect(foldRow(['queued', 'invalid'])).toBe('queued');
  });

  it('shows one of the states given, whatever their order', () => {
    fc.assert(
      fc.property(some, (states) => {
        const shown = foldRow(states) as RequestState;
        return states.includes(shown) && foldRow([...states].reverse()) === shown;
      }),
    );
  });

  it('is final only when every request is', () => {
    fc.assert(
      fc.property(some, (states) => {
        fc.pre(!states.includes('coalesced')); // follows another request
        return isFinal(foldRow(states) as RequestState) === states.every(isFinal);
      }),
    );
  });
});

describe('a coalesced request', () => {
  it.each(REQUEST_STATES)('is where the one it travels in is: %s', (state) => {
    expect(followedState('coalesced', state)).toBe(state);
  });

  it('is counted by itself only when the other one is delivered', () => {
    for (const state of REQUEST_STATES) {
      expect(countedState('coalesced', state)).toBe(state === 'delivered' ? 'coalesced' : state);
    }
  });

  it.each(REQUEST_STATES.filter((state) => state !== 'coalesced'))('is alone in that: %s stays what it is', (state) => {
    expect(followedState(state, 'delivered')).toBe(state);
    expect(countedState(state, 'delivered')).toBe(state);
  });
});
