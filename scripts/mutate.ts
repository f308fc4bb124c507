/**
 * `npm run mutate`: small changes of the source, each of which a test must notice. Of those that the folders allow, it draws
 * some by a seed, runs for each the unit tests that reach it and then the worker tests, and names those that survive.
 *
 *   --mutants N --seed S [--only PART] [--tests PATTERN] [--project unit|worker] [--jobs J] [--floor PERCENT]
 *       of source files and test files whose path holds that; goes on where it was stopped, --fresh starts over
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand, say, whole } from './frame/command.ts';
import { type Outcome, run } from './mutate/run.ts';
import { reasonOf } from './mutate/survivors.ts';

const options = {
  mutants: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string' },
  tests: { type: 'string' },
  project: { type: 'string' },
  jobs: { type: 'string', default: '2' },
  floor: { type: 'string', default: '95' },
  list: { type: 'string' },
  fresh: { type: 'boolean', default: false },
} as const;

const short = (text: string): string => (text.length > 100 ? `${text.slice(0, 97)}...` : text).replaceAll(/\s+/g, ' ');

function lineOf({ mutant, outcome, line }: Outcome): string {
  const { file, inside, kind, before, after } = mutant;
  const change = after === '' ? `left out: ${short(before)}` : `${short(before)} -> ${short(after)}`;
  return `${file}:${line} ${inside} [${kind}${outcome === 'unreached' ? ', unreached' : ''}] ${change}`;
}

const folderOf = ({ mutant }: Outcome): string => mutant.file.split('/').slice(0, 2).join('/');

async function mutate(): Promise<boolean> {
  const { values } = parseArgs({ options });
  const startedMs = performance.now();
  const projects = (['unit', 'worker'] as const).filter(
    (name) => values.project === undefined || values.project === name,
  );
  const outcomes = await run({
    mutants: whole(values.mutants),
    seed: whole(values.seed),
    only: values.only ?? null,
    tests: values.tests ?? null,
    projects,
    jobs: whole(values.jobs),
    fresh: values.fresh,
  });
  const left = outcomes.filter(({ outcome }) => outcome !== 'killed');
  const killed = outcomes.length - left.length;
  const share = (100 * killed) / outcomes.length;
  const lines = left
    .map((one) => ({ text: lineOf(one), reason: reasonOf(one.mutant) }))
    .sort((one, two) => (one.text < two.text ? -1 : 1));
  for (const { text, reason } of lines) say(`survived: ${text}${reason === null ? '' : `\n  ${reason}`}`);
  if (values.list !== undefined) {
    const listed = lines.map(({ text, reason }) => `${text}${reason === null ? '' : ` (${reason})`}\n`);
    mkdirSync(dirname(values.list), { recursive: true });
    writeFileSync(values.list, listed.join(''));
  }
  const named = lines.filter(({ reason }) => reason !== null).length;
  for (const [folder, own] of [...Map.groupBy(outcomes, folderOf)].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const count = (is: (one: Outcome) => boolean): number => own.filter(is).length;
    say(
      `${folder}: ${own.length} drawn, ${count(({ outcome }) => outcome === 'killed')} killed (${count(({ isLate }) => isLate)} out of time), ` +
        `${count(({ outcome }) => outcome === 'survived')} survived, ${count(({ outcome }) => outcome === 'unreached')} unreached`,
    );
  }
  say(
    `${killed} of ${outcomes.length} mutants killed, ${share.toFixed(1)} %, in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s; ` +
      `${left.length} survived, ${named} of them for a reason that is listed`,
  );
  return share >= whole(values.floor);
}

await runCommand(mutate);
