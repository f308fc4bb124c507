/**
 * What the property tests draw is the same in every run, so that a change is blamed for its own faults alone, and an eighth
 * of what they can draw, so that they are run often. `npm run test:properties` draws anew, and all of it; a failure prints
 * the seed that `TRANSLOAD_SEED` takes.
 */
import { env } from 'node:process';
import fc from 'fast-check';

/** Any number would do. Ours. */
const SEED = 214_860;
const { TRANSLOAD_SEED: wanted } = env;
/** Of how many draws one is made where nobody asked for all. */
const ONE_OF = wanted === undefined ? 8 : 1;
/** So few find something wrong at once, if it is wrong often. */
const DRAWS_MIN = 50;

if (wanted !== 'random') fc.configureGlobal({ seed: wanted === undefined ? SEED : Number(wanted) });

/** @returns how often a property is tried in this run, of `all` that are worth their time. */
export function draws(all: number): number {
  return Math.min(all, Math.max(DRAWS_MIN, Math.ceil(all / ONE_OF)));
}
