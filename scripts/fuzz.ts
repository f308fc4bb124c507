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
import { attempt } from './fuzz/attempt.ts';
import { runMany } from './fuzz/many.ts';
import { READERS, type ReaderName } from './fuzz/targets.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    reader: { type: 'string', default: 'all' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    seed: { type: 'string' },
    each: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
  },
});

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`a whole number of 1 or more is wanted, not "${text}"`);
  return Number(text);
};

function readerNamed(name: string): ReaderName {
  const found = READERS.find((reader) => reader === name);
  if (found === undefined) throw new Error(`there is no reader ${name}; there are ${READERS.join(', ')}`);
  return found;
}

async function run(): Promise<boolean> {
  const { reader, seed } = values;
  if (seed !== undefined) {
    const broken = await attempt(readerNamed(reader), whole(seed));
    process.stdout.write(`${broken?.text ?? 'every promise was kept'}\n`);
    return broken === null;
  }
  return runMany({
    reader: reader === 'all' ? 'all' : readerNamed(reader),
    inputs: whole(values.inputs),
    each: values.each,
    from: whole(values.from),
    jobs: whole(values.jobs),
    fresh: values.fresh,
  });
}

if (!(await run())) process.exitCode = 1;
