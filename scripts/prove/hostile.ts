/**
 * Fifty partners send small files and look what became of them: once by themselves, once beside one that is hostile. What the
 * others feel of it is at most twice as slow, nothing of theirs is lost or sent twice, and memory does not grow.
 */
import { rmSync } from 'node:fs';
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { residentBytesOf } from '../bench/processes.ts';
import { breaks, type Violation } from '../invariants/evidence.ts';
import { channelName } from '../local/bridge.ts';
import { callsWith, isSettled, type KeyCalls, pause } from '../local/client.ts';
import type { NewPartnerKey } from '../local/partner-keys.ts';
import { type Answers, beHostile, POISON, REFUSED_SCACS, rowsFile } from './hostile-partner.ts';
import { type LimitedBridge, type Limits, type Prepared, prepared, withLimitedBridge } from './limited-bridge.ts';
import type { Proof } from './proof.ts';

/** @property isLimited false: shows what the limits are for. */
export interface HostileProof {
  partners: number;
  seconds: number;
  newLoads: number;
  poisonRows: number;
  isLimited: boolean;
}

/**
 * Far below those of `wrangler.toml`: here one thread does all that the platform does in many, so that as many requests and
 * new loads as a partner may have there are all that it can do.
 */
const LIMITS: Limits = {
  requestsOfKey: 60,
  trialsOfKey: 6,
  wrongKeysOfAddress: 6,
  newSubjects: 60,
  filesUnderWay: 5,
};
const NONE = 1_000_000_000;
const NO_LIMITS: Limits = {
  requestsOfKey: NONE,
  trialsOfKey: NONE,
  wrongKeysOfAddress: NONE,
  newSubjects: NONE,
  filesUnderWay: NONE,
};

const ROWS = 3;
/** Of all calm partners together: about a third of what the machine can do. */
const FILES_PER_SECOND = 2;
const POLL_MS = 200;
const SETTLE_MS_MAX = 90_000;
/** The others' times may grow so much, or to this: below it nobody feels anything, and this machine's noise is as large. */
const SLOWER_MAX = 2;
const UNFELT_MS = { settled: 600, get: 150 };
/** Of the runtime, from the middle of the run to its end. */
const GROWTH_MAX = 1.3;

const partnerNamed = (partner: string, scacs: readonly string[] = ['DEMO']): NewPartnerKey => ({
  partner,
  displayName: partner,
  environment: 'test',
  channel: channelName('test', 'key'),
  scacs: [...scacs],
  mappings: null,
});

interface Sent {
  batchId: string;
  calls: KeyCalls;
  loads: string[];
}
interface Felt {
  settledMs: number[];
  getMs: number[];
  sent: Sent[];
  failed: string[];
}
interface Ran extends Felt {
  memory: number[];
  answers: Answers | null;
  /** Times that each load of theirs was told of. */
  told: Map<string, number>;
}

export async function proveHostile(plan: HostileProof): Promise<Proof> {
  const calm = Array.from({ length: plan.partners }, (_, at) => partnerNamed(`calm-${at}`));
  const from = await prepared([...calm, partnerNamed('hostile', ['DEMO', ...REFUSED_SCACS])]);
  try {
    const alone = await ran(from, plan, false);
    const beside = await ran(from, plan, true);
    return {
      figures: [said('alone', alone), said('beside a hostile one', beside), answersSaid(beside.answers)],
      violations: [...lost(alone), ...lost(beside), ...slower(alone, beside), ...grown(beside)],
    };
  } finally {
    rmSync(from.folder, { recursive: true, force: true });
  }
}

function ran(from: Prepared, plan: HostileProof, isBeside: boolean): Promise<Ran> {
  const limits = plan.isLimited ? LIMITS : NO_LIMITS;
  return withLimitedBridge(from, limits, async (bridge) => {
    await putFaults(bridge);
    const { baseUrl, pid } = bridge.running;
    await warmedUp(bridge);
    const untilMs = Date.now() + plan.seconds * 1_000;
    const isOver = (): boolean => Date.now() >= untilMs;
    const felt: Felt = { settledMs: [], getMs: [], sent: [], failed: [] };
    const memory: number[] = [];
    const watching = setInterval(() => memory.push(residentBytesOf(pid)), 500);
    const hostile = isBeside ? beHostile({ baseUrl, key: bridge.keys.at(-1) ?? '', ...plan, isOver }) : null;
    const calls = bridge.keys.slice(0, -1).map((key) => callsWith(() => baseUrl, key));
    const everyMs = (calls.length / FILES_PER_SECOND) * 1_000;
    await Promise.all(calls.map((each, at) => working(each, { name: `CALM${at}`, everyMs, untilMs }, felt)));
    const answers = await hostile;
    clearInterval(watching);
    return { ...felt, memory, answers, told: await toldOf(bridge) };
  });
}

/** Rows of the hostile partner alone meet them. */
async function putFaults({ sandbox }: LimitedBridge): Promise<void> {
  const rules = [
    { match: { bodyIncludes: POISON }, fault: { type: 'status', status: 500 } },
    ...REFUSED_SCACS.map((scac) => ({ match: { scac }, fault: { type: 'status', status: 403 } })),
  ];
  const answer = await fetch(`${sandbox.baseUrl}/_sandbox/faults`, { method: 'PUT', body: JSON.stringify(rules) });
  if (!answer.ok) throw new Error(await answer.text());
}

const upload = async (calls: KeyCalls, file: string): Promise<string> =>
  (
    await calls.json<{ batchId: string }>('/v1/batches?mapping=carrier-status-csv&scac=DEMO', {
      method: 'PUT',
      body: file,
    })
  ).batchId;

/** The first file compiles its mapping, and more. */
async function warmedUp({ running, keys }: LimitedBridge): Promise<void> {
  const calls = callsWith(() => running.baseUrl, keys[0] ?? '');
  const batchId = await upload(calls, rowsFile('WARM', 20));
  while (!isSettled(await calls.json<BatchSummary>(`/v1/batches/${batchId}`))) await pause(POLL_MS);
}

/** A partner that sends a file now and then, and looks what became of it. */
async function working(
  calls: KeyCalls,
  { name, everyMs, untilMs }: { name: string; everyMs: number; untilMs: number },
  felt: Felt,
): Promise<void> {
  await pause(Math.random() * everyMs);
  for (let file = 0; Date.now() < untilMs; file += 1) {
    const startedMs = performance.now();
    const prefix = `${name}F${file}`;
    try {
      const batchId = await upload(calls, rowsFile(prefix, ROWS));
      const loads = Array.from({ length: ROWS }, (_, row) => `${prefix}-${row}`);
      felt.sent.push({ batchId, calls, loads });
      const giveUpMs = Date.now() + SETTLE_MS_MAX;
      for (let isDone = false; !isDone && Date.now() < giveUpMs; ) {
        await pause(POLL_MS);
        const fromMs = performance.now();
        const summary = await calls.json<BatchSummary>(`/v1/batches/${batchId}`);
        felt.getMs.push(performance.now() - fromMs);
        isDone = isSettled(summary);
        if (isDone && summary.rowStates.delivered !== ROWS)
          felt.failed.push(`${batchId}: ${JSON.stringify(summary.rowStates)}`);
      }
      felt.settledMs.push(performance.now() - startedMs);
    } catch (thrown) {
      felt.failed.push(String(thrown).slice(0, 200));
    }
    await pause(everyMs - (performance.now() - startedMs));
  }
}

/** Of the partners that are not hostile, from what the receiving system got. */
async function toldOf({ sandbox }: LimitedBridge): Promise<Map<string, number>> {
  const told = new Map<string, number>();
  for (let after = 0; ; ) {
    const answer = await fetch(`${sandbox.baseUrl}/_sandbox/journal?after=${after}&limit=1000`);
    const page = (await answer.json()) as { entries: { body: string | null }[]; next: number };
    if (page.entries.length === 0) return told;
    for (const { body } of page.entries)
      for (const [load] of (body ?? '').matchAll(/CALM\d+F\d+-\d+/g)) told.set(load, (told.get(load) ?? 0) + 1);
    after = page.next;
  }
}

const at = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0;
const ms = (value: number): string => `${Math.round(value)} ms`;
const mega = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

const said = (how: string, { settledMs, getMs, memory, sent }: Ran): string =>
  `hostile: ${sent.length} files ${how}: settled after ${ms(at(settledMs, 0.5))} (half), ${ms(at(settledMs, 0.95))} (95 %); ` +
  `GET ${ms(at(getMs, 0.5))}, ${ms(at(getMs, 0.95))}; memory ${mega(Math.max(...memory))} at most`;

const answersSaid = (answers: Answers | null): string =>
  `the hostile one was answered ${[...(answers ?? [])]
    .sort()
    .map(([status, count]) => `${status || 'not'}: ${count}`)
    .join(', ')}`;

function lost({ failed, sent, told }: Ran): Violation[] {
  const wrong = sent.flatMap(({ loads }) => loads).filter((load) => told.get(load) !== 1);
  return [
    ...failed.map((each) => breaks('I3')(`a file of a calm partner: ${each}`)),
    ...wrong.map((load) => breaks('I4')(`${load} was told ${told.get(load) ?? 0} times`)),
  ];
}

function slower(alone: Ran, beside: Ran): Violation[] {
  return (['settledMs', 'getMs'] as const).flatMap((what) =>
    [0.5, 0.95].flatMap((share) => {
      const [before, now] = [at(alone[what], share), at(beside[what], share)];
      const most = Math.max(before * SLOWER_MAX, what === 'getMs' ? UNFELT_MS.get : UNFELT_MS.settled);
      return now <= most ? [] : [breaks('fair')(`${what} of ${share * 100} %: ${ms(before)} alone, ${ms(now)} beside`)];
    }),
  );
}

function grown({ memory }: Ran): Violation[] {
  const half = memory.slice(0, Math.ceil(memory.length / 2));
  const [before, now] = [Math.max(...half), Math.max(...memory)];
  return now <= before * GROWTH_MAX ? [] : [breaks('memory')(`grew from ${mega(before)} to ${mega(now)}`)];
}
