/** Planted bugs: each is run until an invariant breaks. */
import { say } from '../frame/command.ts';
import { sentenceOf, type Violation } from '../invariants/evidence.ts';
import { BUGS } from './bugs.ts';
import { FEED_BUGS } from './feed-bugs.ts';
import { isFollowed } from './followed-seeds.ts';
import { commandOf } from './messages.ts';
import { openSimulator } from './open.ts';

interface Hunt {
  seeds: number;
  from: number;
  /** Begins with the seed that is kept with each bug. */
  kept: boolean;
}

/** @returns whether every bug was caught. */
export async function catchAll(names: readonly string[], hunt: Hunt): Promise<boolean> {
  let slowest = { name: '', tries: 0 };
  let missed = 0;
  let stale = 0;
  for (const name of names) {
    const { realNowMs, runSeed } = await openSimulator(name);
    const startedMs = realNowMs();
    const caught = await seedThatCatches(runSeed, seedsOf(name, hunt));
    const seconds = ((realNowMs() - startedMs) / 1_000).toFixed(1);
    if (caught.tries > slowest.tries) slowest = { name, tries: caught.tries };
    if (caught.what === null) missed += 1;
    else if (hunt.kept && caught.tries > 1) stale += 1;
    say(
      caught.what === null
        ? `${name}: NOT CAUGHT by ${caught.tries} seeds (${seconds} s). ${BUGS[name]?.about}`
        : `${name}: caught by seed ${caught.seed} after ${caught.tries} (${seconds} s): ${caught.what}\n  again: ${commandOf(caught.seed, name)}`,
    );
  }
  const staleWords = stale > 0 ? `; ${stale} kept seeds catch nothing any more, see above for others` : '';
  say(
    `${names.length - missed} of ${names.length} planted bugs caught; slowest: ${slowest.name} after ${slowest.tries} seeds${staleWords}`,
  );
  return missed === 0;
}

/** A change of the bridge may change what happens in a seed: then others are tried. What feeds do wrong shows where there is one alone. */
function* seedsOf(name: string, { seeds, from, kept }: Hunt): Iterable<number> {
  if (kept) yield BUGS[name]?.seed ?? from;
  const isOfFeeds = name in FEED_BUGS;
  for (let seed = from, tried = 0; tried < seeds; seed += 1) {
    if (isOfFeeds && !isFollowed(seed)) continue;
    yield seed;
    tried += 1;
  }
}

async function seedThatCatches(
  runSeed: (seed: number) => Promise<{ breaches: Violation[] }>,
  seeds: Iterable<number>,
): Promise<{ seed: number; tries: number; what: string | null }> {
  let tries = 0;
  for (const seed of seeds) {
    tries += 1;
    const [breach] = (await runSeed(seed)).breaches;
    if (breach !== undefined) return { seed, tries, what: sentenceOf(breach) };
  }
  return { seed: 0, tries, what: null };
}
