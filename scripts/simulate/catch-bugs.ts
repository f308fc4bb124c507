/** Planted bugs: each is run until an invariant breaks. */
import { BUGS } from './bugs.ts';
import { openSimulator } from './open.ts';
import { commandOf } from './words.ts';

export interface Hunt {
  seeds: number;
  from: number;
  /** Only the seed that is kept with each bug. */
  kept: boolean;
}

/** @returns whether every bug was caught. */
export async function catchAll(names: readonly string[], { seeds, from, kept }: Hunt): Promise<boolean> {
  let slowest = { name: '', tries: 0 };
  let missed = 0;
  for (const name of names) {
    const { realNowMs, runSeed, say } = await openSimulator(name);
    const startedMs = realNowMs();
    const first = kept ? (BUGS[name]?.seed ?? 1) : from;
    let caught: string | undefined;
    let seed = first;
    for (; caught === undefined && seed < first + (kept ? 1 : seeds); seed += 1) {
      const [breach] = (await runSeed(seed)).breaches;
      if (breach !== undefined) caught = `${breach.invariant}: ${breach.what}`;
    }
    const tries = seed - first;
    const seconds = ((realNowMs() - startedMs) / 1_000).toFixed(1);
    if (tries > slowest.tries) slowest = { name, tries };
    if (caught === undefined) missed += 1;
    say(
      caught === undefined
        ? `${name}: NOT CAUGHT by ${tries} seeds (${seconds} s). ${BUGS[name]?.about}`
        : `${name}: caught by seed ${seed - 1} after ${tries} (${seconds} s): ${caught}\n  again: ${commandOf(seed - 1, name)}`,
    );
  }
  process.stdout.write(
    `${names.length - missed} of ${names.length} planted bugs caught; slowest: ${slowest.name} after ${slowest.tries} seeds\n`,
  );
  return missed === 0;
}
