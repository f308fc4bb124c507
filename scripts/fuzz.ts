/**
 * `npm run fuzz`: broken files through every reader. Whatever a file holds, a reader gives records or problems in words:
 * it never throws, comes to an end in bounded steps, time and memory, and tells the same in any slices.
 *
 *   --inputs N [--reader x12|edifact|xml|fixed|csv|json|ndjson|xlsx|all] [--each] [--from S] [--jobs J]
 *       N inputs of the reader that is named; of all of them, N in all, shared among them, or with --each N of every one.
 *       Goes on where it was stopped, --fresh starts over
 *   --reader NAME --seed X
 *       one input once more
 */
import { parseArgs } from 'node:util';
import { NotRun, runCommand, say, whole } from './frame/command.ts';
import { attempt } from './fuzz/attempt.ts';
import { runMany } from './fuzz/many.ts';
import { READERS, type ReaderName } from './fuzz/targets.ts';

const options = {
  inputs: { type: 'string', default: '100000' },
  reader: { type: 'string', default: 'all' },
  from: { type: 'string', default: '1' },
  jobs: { type: 'string', default: '2' },
  seed: { type: 'string' },
  each: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
} as const;

function readerNamed(name: string): ReaderName {
  const found = READERS.find((reader) => reader === name);
  if (found === undefined) throw new NotRun(`there is no reader ${name}; there are ${READERS.join(', ')}`);
  return found;
}

async function run(): Promise<boolean> {
  const { values } = parseArgs({ options });
  const { reader, seed } = values;
  if (seed !== undefined) {
    const broken = await attempt(readerNamed(reader), whole(seed, 1));
    say(broken?.text ?? 'every promise was kept');
    return broken === null;
  }
  return runMany({
    reader: reader === 'all' ? 'all' : readerNamed(reader),
    inputs: whole(values.inputs, 1),
    each: values.each,
    from: whole(values.from, 1),
    jobs: whole(values.jobs, 1),
    fresh: values.fresh,
  });
}

await runCommand(run);
