/**
 * Runs each planned test as it is, and then once more for each mutant that it reaches and that still lives. Works in Node
 * and in the runtime of Workers: it speaks with `npm run mutate` by HTTP alone.
 */
import { inject, type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest';
import { mutation } from './active.ts';
import type { Answers, Live, Step } from './talk.ts';

type Test = RunnerTestCase;
type Suite = RunnerTestSuite;
type Try = { retry: number; repeats: number };

// Tests put doubles in their places.
const { fetch, setTimeout, clearTimeout } = globalThis;
const nowMs = performance.now.bind(performance);
const { url, size } = inject('mutation');
const state = mutation(size);
state.reached[0] = 1; // what a test names itself, it reaches
Object.assign(globalThis, { __mutation: state });

async function tell<Path extends keyof Answers>(path: Path, body: object): Promise<Answers[Path]> {
  const response = await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as Answers[Path];
}

/** The test's turns: as it is, then for each mutant with it and, where it failed, without it. */
interface Turns {
  live: Live[];
  /** The mutant of this turn; 0: without any; null: nothing is run. */
  step: number | null;
  fails: Step['failed'];
  isBroken: boolean;
  startedMs: number;
}

export default class MutationRunner extends TestRunner {
  #isCoverage = true;
  #turns = new Map<string, Turns>();

  async onBeforeRunFiles(files: Suite[]): Promise<void> {
    for (const file of files) {
      const { tests } = await tell('plan', { file: file.file.filepath });
      this.#isCoverage = tests === null;
      if (tests !== null) keepOnly(file, new Set(tests));
    }
  }

  override async onAfterRunFiles(files: Suite[]): Promise<void> {
    super.onAfterRunFiles(files.map(({ file }) => file));
    for (const { file } of files) await tell('done', { file: file.filepath });
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    if (test.mode !== 'run' && test.mode !== 'queued') return;
    const live = this.#isCoverage ? [] : (await tell('live', { test: test.id })).live;
    if (!this.#isCoverage && live.length === 0) test.mode = 'skip';
    test.repeats = 2 * live.length;
    this.#turns.set(test.id, { live, step: 0, fails: null, isBroken: false, startedMs: 0 });
    state.reached.fill(0, 1);
  }

  override async onBeforeTryTask(test: Test, { retry, repeats }: Try): Promise<void> {
    super.onBeforeTryTask(test, { retry, repeats });
    const turns = this.#turns.get(test.id);
    if (turns === undefined) return;
    turns.step = stepOf(turns, repeats);
    const next = turns.live.find(({ id }) => id === turns.step);
    if (next !== undefined) await tell('begin', { test: test.id, ...next });
    turns.startedMs = nowMs();
    state.activate(turns.step ?? 0);
  }

  async runTask(test: Test): Promise<void> {
    const turns = this.#turns.get(test.id);
    if (turns?.step === null) return;
    const run = TestRunner.getTestFn(test);
    const limitMs = turns?.live.find(({ id }) => id === turns.step)?.limitMs;
    await (limitMs === undefined ? run() : inTime(run(), limitMs));
  }

  override async onAfterRetryTask(test: Test, { retry, repeats }: Try): Promise<void> {
    await super.onAfterRetryTask(test, { retry, repeats });
    state.activate(0);
    const turns = this.#turns.get(test.id);
    if (turns === undefined || turns.step === null) return;
    const ms = nowMs() - turns.startedMs;
    const failed = test.result?.state === 'fail' ? (test.result.errors?.at(-1)?.message ?? 'failed') : null;
    if (this.#isCoverage) {
      const reached = [...state.reached.entries()].flatMap(([id, isReached]) => (isReached === 1 ? [id] : []));
      await tell('coverage', { file: test.file.filepath, test: test.id, name: test.name, ms, reached, failed });
      return;
    }
    if (repeats % 2 === 1) turns.fails = failed;
    else turns.isBroken = failed !== null;
    if (repeats === 0) turns.live = turns.live.filter(({ seenBy }) => seenBy.some((id) => state.reached[id] === 1));
    const id = repeats === 0 ? 0 : (turns.live[Math.ceil(repeats / 2) - 1]?.id ?? 0);
    const step: Step = {
      file: test.file.filepath,
      test: test.id,
      name: test.name,
      id,
      turn: stepFor(repeats),
      ms,
      failed,
      isLate: LATE.test(turns.fails ?? ''),
    };
    await tell('step', step);
  }
}

/** What a test says that did not end: `inTime` below, `active.ts`, and vitest itself. */
const LATE = /^(?:The test takes more than|The mutant never ends|Test timed out in) ?/;

const stepFor = (repeats: number): Step['turn'] => (repeats === 0 ? 'before' : repeats % 2 === 1 ? 'mutant' : 'after');

function stepOf({ live, fails, isBroken }: Turns, repeats: number): number | null {
  if (repeats === 0) return 0;
  if (isBroken) return null;
  if (repeats % 2 === 0) return fails === null ? null : 0;
  return live[(repeats - 1) / 2]?.id ?? null;
}

function keepOnly(suite: Suite, tests: ReadonlySet<string>): void {
  for (const task of suite.tasks) {
    if (task.type === 'suite') keepOnly(task, tests);
    else if (!tests.has(task.id)) task.mode = 'skip';
  }
}

function inTime(running: Promise<unknown> | unknown, limitMs: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The test takes more than ${limitMs} ms.`)), limitMs);
  });
  return Promise.race([running, late]).finally(() => clearTimeout(timer));
}
