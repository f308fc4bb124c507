/** What is stored of a request is a fold over its attempts: counted from scratch, it says the same. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AttemptClass } from '../../../src/delivery/classify.ts';
import { afterAttempt, type StepDone } from '../../../src/delivery/next-step.ts';
import { isFinal } from '../../../src/delivery/states.ts';
import { clockAt, HOUR_MS, NOW_MS } from './samples.ts';

type Effect = AttemptClass['effect'];

const CLASSES: AttemptClass[] = [
  { effect: 'applied' },
  { effect: 'refused' },
  { effect: 'refused', loadUnknown: true },
  { effect: 'redirected' },
  { effect: 'not_applied' },
  { effect: 'not_applied', retryAfterMs: HOUR_MS },
  { effect: 'unknown' },
  { effect: 'channel', reason: 'credentials_refused' },
  { effect: 'channel', reason: 'scac_refused' },
];

/** From the effects alone, in the words of the promise. */
function folded(effects: readonly Effect[]): { state: string; tries: number; mayHaveArrived: boolean } {
  const mayHaveArrived = effects.includes('unknown');
  const tries = effects.filter((effect) => effect !== 'channel').length;
  const last = effects.at(-1);
  const state = (): string => {
    if (last === 'applied') return 'delivered';
    if (last === 'refused' || last === 'redirected') {
      if (mayHaveArrived) return 'held';
      return last === 'refused' ? 'rejected' : 'dead';
    }
    return mayHaveArrived ? 'unknown' : 'waiting';
  };
  return { state: state(), tries, mayHaveArrived };
}

it('any attempts leave the state, the tries and the doubt that a count from scratch finds', () => {
  const drawn = fc.array(fc.constantFrom(...CLASSES), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(drawn, fc.double({ min: 0, max: 0.999, noNaN: true }), (classes, random) => {
      const effects: Effect[] = [];
      let taken: StepDone = { tries: 0, hadUnknown: false, step: { state: 'queued', atMs: NOW_MS } };
      for (const seen of classes) {
        if (isFinal(taken.step.state) || taken.step.state === 'held') break;
        const past = { tries: taken.tries, hadUnknown: taken.hadUnknown, attempted: effects.length > 0 };
        taken = afterAttempt({ ...past, deadlineMs: Number.MAX_SAFE_INTEGER }, seen, clockAt(NOW_MS), () => random);
        effects.push(seen.effect);
        expect({ state: taken.step.state, tries: taken.tries, mayHaveArrived: taken.hadUnknown }).toEqual(
          folded(effects),
        );
      }
    }),
  );
});
