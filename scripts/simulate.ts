/**
 * `npm run simulate`: the bridge's own objects in virtual time, with seeded faults, against the invariants.
 *
 *   --seeds N [--from S] [--jobs J]   N seeds, shared among J processes; goes on where it was stopped, --fresh starts over,
 *                                     --quiet keeps no progress
 *   --seed X [--trace] [--after Y]    one seed, and all that happened in it; in a process that has run the seeds from Y
 *   --bug NAME|all [--seeds N]        planted bugs: each runs until it is caught, at most N seeds; --kept begins with its kept seed
 *   --large                           a large file under the bridge's own limits: what its wake-ups use of the platform's
 */
import { parseArgs } from 'node:util';
import { NotRun, runCommand, say, whole } from './frame/command.ts';
import { mostUsed } from './simulate/budget.ts';
import { BUGS } from './simulate/bugs.ts';
import { catchAll } from './simulate/catch-bugs.ts';
import { runMany } from './simulate/many.ts';
import { describeSeed } from './simulate/messages.ts';
import { openSimulator } from './simulate/open.ts';

const options = {
  seeds: { type: 'string' },
  from: { type: 'string', default: '1' },
  jobs: { type: 'string', default: '2' },
  seed: { type: 'string' },
  trace: { type: 'boolean', default: false },
  bug: { type: 'string' },
  kept: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  after: { type: 'string' },
  large: { type: 'boolean', default: false },
} as const;

/** More loads than one hand-over step takes, and more rows of one load than one wake-up sends. */
const LARGE_FILE = { loads: 1_100, rowsOfOne: 1_100 };

async function run(): Promise<boolean> {
  const { values } = parseArgs({ options });
  const { bug, seed } = values;
  if (bug !== undefined && bug !== 'all' && BUGS[bug] === undefined) {
    throw new NotRun(`there is no planted bug ${bug}; there are ${Object.keys(BUGS).join(', ')}`);
  }
  if (values.large) {
    const simulator = await openSimulator(null, []);
    const result = await simulator.runLarge(LARGE_FILE);
    say(describeSeed(result, null, false));
    say(JSON.stringify(mostUsed));
    return result.breaches.length === 0;
  }
  if (seed !== undefined) {
    const simulator = await openSimulator(bug ?? null);
    for (let before = whole(values.after ?? seed); before < whole(seed); before += 1) await simulator.runSeed(before);
    const result = await simulator.runSeed(whole(seed));
    say(describeSeed(result, bug ?? null, values.trace));
    return result.breaches.length === 0;
  }
  if (bug !== undefined) {
    const names = bug === 'all' ? Object.keys(BUGS) : [bug];
    return catchAll(names, { seeds: whole(values.seeds ?? '10000'), from: whole(values.from), kept: values.kept });
  }
  return runMany({
    seeds: whole(values.seeds ?? '2000'),
    from: whole(values.from),
    jobs: whole(values.jobs, 1),
    fresh: values.fresh,
    quiet: values.quiet,
  });
}

await runCommand(run);
