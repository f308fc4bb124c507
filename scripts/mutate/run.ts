/** Draws mutants, sees which tests reach which, and runs these until one fails: unit tests first, then worker tests. */

import { say } from '../frame/command.ts';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { type ConstantKey, constantKey } from './derived.ts';
import { importsOf, type TestFile, testFiles } from './imports.ts';
import { type Cached, type Ended, hashOf, KEPT } from './kept.ts';
import type { Mutant } from './mutants.ts';
import { ids, type Numbers } from './numbers.ts';
import { drawn, type KnownTest, ROUNDS, testsFor } from './plan.ts';
import { runTests } from './run-tests.ts';
import type { Live, Step } from './talk.ts';

interface Wanted {
  mutants: number;
  seed: number;
  /** Parts of paths: of the source files that are changed, and of the test files that are run. */
  only: string | null;
  tests: string | null;
  projects: readonly ('unit' | 'worker')[];
  jobs: number;
  fresh: boolean;
}

export interface Outcome {
  mutant: Mutant;
  outcome: Ended['outcome'];
  isLate: boolean;
  line: number;
}

const WRITE_MS = 5_000;
const COVERAGE_WRITE_MS = 30_000;
/** Beyond what the test takes without a mutant, so that a busy machine alone kills none. Ours. */
const limitOf = (ms: number): number => Math.round(2_000 + 4 * ms);
/** How often what was left over, as a process was spoilt, is looked at in a new one. Ours. */
const PROCESSES_MAX = 40;
/** A test that fails so often without any mutant, at the beginning of a process too, is left out. */
const FAILURES_MAX = 2;

interface Work {
  wanted: Wanted;
  numbers: Numbers;
  files: ReadonlyMap<string, TestFile>;
  kept: Cached;
  /** Hash of all tests: a mutant that survived others may be killed by these. */
  allTests: string;
  pending: Map<string, Mutant>;
  /** By test: how often it failed without a mutant, though it passes alone. */
  failures: Map<string, number>;
  tried: Set<string>;
  seenByConstant: Map<ConstantKey, string[]>;
}

export async function run(wanted: Wanted): Promise<Outcome[]> {
  const numbers = ids();
  const all = numbers.all.filter(({ file }) => wanted.only === null || file.includes(wanted.only));
  const mutants = drawn(all, wanted.seed, wanted.mutants);
  const changed = new Set(mutants.map(({ file }) => file));
  const files = testFiles().filter(
    ({ path, project, imports }) =>
      wanted.projects.includes(project) &&
      (wanted.tests === null || new RegExp(wanted.tests).test(path)) &&
      [...imports].some((path) => changed.has(path)),
  );
  const kept = (wanted.fresh ? undefined : KEPT.read()) ?? { keys: [], coverage: {}, ended: {} };
  const allTests = hashOf(files.map(({ path, text }) => `${path} ${hashOf(text)}`).join('\n'));
  const known = mutants.filter((mutant) => !isKnown(mutant, kept, numbers, allTests));
  const work: Work = {
    wanted,
    numbers,
    files: new Map(files.map((file) => [file.path, file])),
    kept,
    allTests,
    pending: new Map(known.map((mutant) => [mutant.key, mutant])),
    failures: new Map(),
    tried: new Set(),
    seenByConstant: new Map(),
  };
  if (known.length < mutants.length)
    say(`${mutants.length - known.length} of ${mutants.length} are known; --fresh starts over`);
  if (work.pending.size > 0) {
    for (const project of wanted.projects) await cover(work, project);
    for (const project of wanted.projects) await hunt(work, project);
    leave(work);
  }
  KEPT.write(kept);
  return mutants.map((mutant) => ({
    mutant,
    outcome: kept.ended[mutant.key]?.outcome ?? 'unreached',
    isLate: kept.ended[mutant.key]?.isLate === true,
    line: (numbers.texts.get(mutant.file) ?? '').slice(0, mutant.start).split('\n').length,
  }));
}

const sourceOf = ({ file }: Mutant, { texts }: Numbers): string => hashOf(texts.get(file) ?? '');

function isKnown(mutant: Mutant, { ended, coverage }: Cached, numbers: Numbers, allTests: string): boolean {
  const end = ended[mutant.key];
  if (end === undefined || end.source !== sourceOf(mutant, numbers)) return false;
  if (end.outcome !== 'killed') return end.tests === allTests;
  return (coverage[end.by]?.hash ?? '') === end.tests; // '': by hanging, whatever test it was
}

/**
 * Sees what each test reaches, of test files that are not known as they are. A process that ends before its time leaves
 * files over, and a new one goes on with these.
 *
 * @throws where two in a row see none of their files: mutants would be said to survive that their tests kill.
 */
async function cover(work: Work, project: 'unit' | 'worker'): Promise<void> {
  const left = (): TestFile[] =>
    [...work.files.values()].filter(
      (file) => file.project === project && work.kept.coverage[file.path]?.hash !== hashOf(file.text),
    );
  let files = left();
  if (files.length === 0) return;
  const startedMs = performance.now();
  let [tests, failed, idle] = [0, 0, 0];
  while (files.length > 0) {
    const seen = await look(work, project, files);
    tests += seen.tests;
    failed += seen.failed;
    const after = left();
    idle = after.length === files.length ? idle + 1 : 0;
    if (idle === 2) throw new Error(`No process runs these to their end: ${after.map(({ path }) => path).join(', ')}`);
    files = after;
  }
  say(`${project}: what ${tests} tests reach, in ${secondsSince(startedMs)} s (${failed} left out)`);
}

/** One process of tests. @returns of files that it ran to their end: how many tests it saw; of all: how many failed. */
async function look(
  { wanted, numbers, files, kept }: Work,
  project: 'unit' | 'worker',
  left: readonly TestFile[],
): Promise<{ tests: number; failed: number }> {
  const places = new Map(kept.keys.map((key, at) => [key, at]));
  const keys = [...numbers.files, ...numbers.mutants].map(
    ([key, id]) => [id, key.startsWith('src/') ? `file:${key}` : key] as const,
  );
  const keyOf = new Map(keys);
  const locationOf = (id: number): number[] => {
    const key = keyOf.get(id);
    if (key === undefined) return [];
    const place = places.get(key) ?? kept.keys.push(key) - 1;
    places.set(key, place);
    return [place];
  };
  for (const key of keyOf.values()) if (!places.has(key)) places.set(key, kept.keys.push(key) - 1);
  for (const { path } of left) kept.coverage[path] = { hash: '', tests: [] };
  let writtenMs = performance.now();
  let failed = 0;
  await runTests(
    { project, tests: left.map(({ path }) => path), jobs: wanted.jobs },
    {
      plan: () => null,
      live: () => [],
      step: () => false,
      done(file) {
        const covered = kept.coverage[shortOf(file)];
        if (covered !== undefined) covered.hash = hashOf(files.get(shortOf(file))?.text ?? '');
        if (performance.now() - writtenMs < COVERAGE_WRITE_MS) return;
        writtenMs = performance.now();
        KEPT.write(kept);
      },
      covered({ file, test, name, ms, reached, failed: message }) {
        if (message !== null) {
          failed += 1;
          say(`  left out, as it fails by itself: ${shortOf(file)} > ${name}: ${message.split('\n')[0]}`);
          return;
        }
        kept.coverage[shortOf(file)]?.tests.push({ test, name, ms, reached: reached.flatMap(locationOf) });
      },
    },
  );
  KEPT.write(kept);
  const ended = left.map(({ path }) => kept.coverage[path]).filter((covered) => (covered?.hash ?? '') !== '');
  return { tests: ended.reduce((sum, covered) => sum + (covered?.tests.length ?? 0), 0), failed };
}

async function hunt(work: Work, project: 'unit' | 'worker'): Promise<void> {
  const { pending, tried } = work;
  const tests = knownTests(work, project);
  const covering = new Map(
    [...pending.values()].map((mutant) => [
      mutant.key,
      testsFor({ file: mutant.file, seenBy: seenBy(mutant, work) }, tests, project),
    ]),
  );
  for (const size of ROUNDS[project]) {
    for (let processes = 0; processes < PROCESSES_MAX; processes += 1) {
      const startedMs = performance.now();
      const before = pending.size;
      const plan = new Map<string, { test: KnownTest; mutants: Mutant[] }>();
      for (const mutant of pending.values()) {
        for (const test of (covering.get(mutant.key) ?? []).slice(0, size)) {
          if (tried.has(`${mutant.key} ${test.test}`)) continue;
          const planned = plan.get(test.test) ?? { test, mutants: [] };
          planned.mutants.push(mutant);
          plan.set(test.test, planned);
        }
      }
      if (plan.size === 0) break;
      const hung = await huntRound(work, project, plan);
      for (const id of hung) killedBySpoiling(work, id, 'the process of the tests');
      say(
        `${project}: ${before - pending.size} of ${before} killed by ${plan.size} tests in ${secondsSince(startedMs)} s, ${pending.size} left`,
      );
      KEPT.write(work.kept);
    }
  }
}

async function huntRound(
  work: Work,
  project: 'unit' | 'worker',
  plan: ReadonlyMap<string, { test: KnownTest; mutants: Mutant[] }>,
): Promise<number[]> {
  const { wanted, numbers, kept, pending, tried } = work;
  const byFile = Map.groupBy(plan.values(), ({ test }) => test.file);
  let writtenMs = performance.now();
  const idOf = ({ key }: Mutant): number => numbers.mutants.get(key) ?? 0;
  const mutantOf = new Map([...pending.values()].map((mutant) => [idOf(mutant), mutant]));
  const given = new Map<string, { test: string; mutants: Mutant[] }>();
  const isTried = (test: string, mutants: readonly Mutant[]): void => {
    for (const { key } of mutants) tried.add(`${key} ${test}`);
  };
  let isSpoilt = false;
  const hung = await runTests(
    { project, tests: [...byFile.keys()], jobs: wanted.jobs },
    {
      plan: (file) => byFile.get(shortOf(file))?.map(({ test }) => test.test) ?? [],
      live: (test) => {
        const planned = plan.get(test);
        if (planned === undefined) return [];
        // All that was given to the test before this one of its file was looked at, or the process would have ended.
        const before = given.get(planned.test.file);
        if (before !== undefined) isTried(before.test, before.mutants);
        const live = planned.mutants.filter(({ key }) => pending.has(key));
        given.set(planned.test.file, { test, mutants: live });
        return live.map(
          (mutant): Live => ({
            id: idOf(mutant),
            limitMs: limitOf(planned.test.ms),
            seenBy: seenBy(mutant, work).map((key) => numberOf(key, numbers)),
          }),
        );
      },
      covered: () => undefined,
      done: () => undefined,
      step(step: Step): boolean {
        const mutant = mutantOf.get(step.id);
        if (step.turn === 'before' && step.failed !== null) {
          const failures = (work.failures.get(step.test) ?? 0) + 1;
          work.failures.set(step.test, failures);
          if (failures >= FAILURES_MAX) isTried(step.test, plan.get(step.test)?.mutants ?? []);
          isSpoilt = true;
          return true;
        }
        if (step.turn === 'mutant' && mutant !== undefined) isTried(step.test, [mutant]);
        if (step.turn !== 'after' || mutant === undefined || !pending.has(mutant.key)) return false;
        if (step.failed !== null) {
          // It passed right before this mutant and never again with or behind it.
          killedBySpoiling(work, step.id, shortOf(step.file));
          isSpoilt = true;
          return true;
        }
        const by = shortOf(step.file);
        const isLate = step.isLate ? { isLate: true as const } : {};
        end(work, mutant, { outcome: 'killed', by, tests: kept.coverage[by]?.hash ?? '', ...isLate });
        if (performance.now() - writtenMs < WRITE_MS) return false;
        writtenMs = performance.now();
        KEPT.write(kept);
        return false;
      },
    },
  );
  if (!isSpoilt && hung.length === 0) for (const { test, mutants } of given.values()) isTried(test, mutants);
  return hung;
}

function end({ kept, numbers, pending }: Work, mutant: Mutant, ended: Omit<Ended, 'source'>): void {
  pending.delete(mutant.key);
  kept.ended[mutant.key] = { source: sourceOf(mutant, numbers), ...ended };
}

/** Nothing runs after it as it did before: the test notices it, and more. */
function killedBySpoiling(work: Work, id: number, by: string): void {
  const mutant = [...work.pending.values()].find(({ key }) => work.numbers.mutants.get(key) === id);
  if (mutant !== undefined)
    end(work, mutant, { outcome: 'killed', by, tests: work.kept.coverage[by]?.hash ?? '', isLate: true });
}

function leave(work: Work): void {
  const reached = new Set(
    work.wanted.projects.flatMap((project) => knownTests(work, project)).flatMap(({ reached }) => [...reached]),
  );
  for (const mutant of [...work.pending.values()]) {
    const isReached = seenBy(mutant, work).some((key) => reached.has(key));
    end(work, mutant, { outcome: isReached ? 'survived' : 'unreached', by: '', tests: work.allTests });
  }
}

const cachedTests = new WeakMap<Work, Map<string, KnownTest[]>>();

function knownTests(work: Work, project: 'unit' | 'worker'): KnownTest[] {
  const cached = cachedTests.get(work) ?? new Map<string, KnownTest[]>();
  cachedTests.set(work, cached);
  const found =
    cached.get(project) ??
    [...work.files.values()]
      .filter((file) => file.project === project)
      .flatMap(({ path }) =>
        (work.kept.coverage[path]?.tests ?? []).map(({ test, name, ms, reached }) => ({
          test,
          name,
          file: path,
          project,
          ms,
          ...reachOf(
            reached.map((at) => work.kept.keys[at] ?? ''),
            path,
            work.numbers,
          ),
        })),
      );
  cached.set(project, found);
  return found;
}

function reachOf(keys: readonly string[], path: string, { fileOf }: Numbers): Pick<KnownTest, 'reached' | 'near'> {
  const near = new Map<string, number>();
  for (const key of keys) {
    const file = fileOf.get(key);
    if (file !== undefined) near.set(file, (near.get(file) ?? 0) + 1);
  }
  return { reached: new Set([`test:${path}`, ...keys]), near };
}

/** What a test must reach to notice the mutant: itself; of a module's constant, or of what is new, functions around it. */
function seenBy(mutant: Mutant, { kept, seenByConstant, ...work }: Work): readonly string[] {
  const of = mutant.constant ?? (reachedKeys(kept).has(mutant.key) ? null : mutant.madeWith);
  if (of === null) return knownKeys(kept).has(mutant.key) ? [mutant.key] : [`file:${mutant.file}`];
  const key = constantKey(mutant.file, of);
  const seen = seenByConstant.get(key) ?? seeingConstant(key, work.numbers, work.files);
  seenByConstant.set(key, seen);
  return seen;
}

/** Functions of the files, and test files themselves, that see the constant, or one that is made of it. */
function seeingConstant(
  constant: ConstantKey,
  { derived, texts }: Numbers,
  files: ReadonlyMap<string, TestFile>,
): string[] {
  const found = [constant, ...(derived.get(constant) ?? [])].flatMap((each) => {
    const [from = '', name = ''] = each.split('\n');
    const named = new RegExp(`\\b${name}\\b`);
    const others = [...texts].filter(([path, text]) => named.test(text) && importsOf(path, text).includes(from));
    const direct = [...files.values()].filter(({ text, imports }) => imports.has(from) && named.test(text));
    return [
      ...[from, ...others.map(([path]) => path)].map((path) => `file:${path}`),
      ...direct.map(({ path }) => `test:${path}`),
    ];
  });
  return [...new Set(found)];
}

/** What any test reaches, by keys. Seen once, when all is covered. */
const reachedOf = new WeakMap<Cached, Set<string>>();
function reachedKeys(kept: Cached): Set<string> {
  const known = reachedOf.get(kept);
  if (known !== undefined) return known;
  const reached = new Set(Object.values(kept.coverage).flatMap(({ tests }) => tests.flatMap((test) => test.reached)));
  const keys = new Set([...reached].map((at) => kept.keys[at] ?? ''));
  reachedOf.set(kept, keys);
  return keys;
}

let keySet: { size: number; keys: Set<string> } = { size: -1, keys: new Set() };
function knownKeys({ keys }: Cached): Set<string> {
  if (keySet.size !== keys.length) keySet = { size: keys.length, keys: new Set(keys) };
  return keySet.keys;
}

/** 0 is always reached: the test names the constant itself. */
function numberOf(key: string, { files, mutants }: Numbers): number {
  if (key.startsWith('test:')) return 0;
  return (key.startsWith('file:') ? files.get(key.slice('file:'.length)) : mutants.get(key)) ?? 0;
}

const shortOf = (file: string): string => (file.startsWith(PROJECT_ROOT) ? file.slice(PROJECT_ROOT.length + 1) : file);
const secondsSince = (startedMs: number): string => ((performance.now() - startedMs) / 1_000).toFixed(0);
