/** What the simulator says of a seed. */
import { sentenceOf } from '../invariants/evidence.ts';
import type { SeedResult } from './seed.ts';

/** Events shown of a seed that broke something. */
const LAST_EVENTS = 12;
const BREACHES_SHOWN = 5;

export function describeSeed(result: SeedResult, bug: string | null, whole: boolean): string {
  const { seed, breaches, notes } = result;
  const shown = whole ? notes : notes.slice(-LAST_EVENTS);
  const first = notes[0]?.[0];
  const events = breaches.length > 0 || whole ? shown.map((note) => `    ${describeNote(note, Number(first))}`) : [];
  return [
    `seed ${seed}: ${breaches.length === 0 ? 'all invariants held' : `${breaches.length} broken`}; ${result.print}, ${result.deaths} deaths`,
    ...breaches.slice(0, BREACHES_SHOWN).map((breach) => `  ${sentenceOf(breach)}`),
    ...(events.length === 0 ? [] : ['  the last events, in ms since the first one kept:', ...events]),
    ...(breaches.length === 0 ? [] : [`  again: ${commandOf(seed, bug)}`]),
  ].join('\n');
}

export const commandOf = (seed: number, bug: string | null): string =>
  `npm run simulate -- --seed ${seed}${bug === null ? '' : ` --bug ${bug}`} --trace`;

const describeNote = ([atMs, ...what]: readonly unknown[], first: number): string =>
  `${(Number(atMs) - first).toFixed(0).padStart(10)}  ${what.join(' ')}`;
