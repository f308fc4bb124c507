/**
 * Fifty partners send small files and look what became of them: first by themselves, then beside one that is hostile. What they
 * feel of it is at most twice as slow, nothing of theirs is lost or sent twice, memory does not grow, and whoever is refused is
 * told why and when to come again.
 */
import { rmSync } from 'node:fs';
import { cpuMsOf, residentBytesOf } from '../bench/processes.ts';
import { breaks, type Violation } from '../invariants/evidence.ts';
import { channelName } from '../local/bridge.ts';
import { callsWith } from '../local/client.ts';
import type { NewPartnerKey } from '../local/partner-keys.ts';
import { CALM_LOADS, type Felt, oneFile, workingCalmly } from './calm-partners.ts';
import { type Answers, POISON, REFUSED_SCACS } from './hostile-partner.ts';
import { beHostileInThread } from './hostile-thread.ts';
import { type LimitedBridge, type Limits, prepared, withLimitedBridge } from './limited-bridge.ts';
import type { Proof } from './proof.ts';

/** @property seconds of both parts. isLimited: false shows what the limits are for. unfeltMs: how much slower anything may be, if that is more than twice. */
interface HostileProof {
  partners: number;
  seconds: number;
  newLoads: number;
  poisonRows: number;
  isLimited: boolean;
  unfeltMs: number;
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

/** Of the time, before the hostile one comes. */
const ALONE_SHARE = 0.2;
const SLOWER_MAX = 2;
const SAMPLE_MS = 500;
/** Of four minutes beside the hostile one: the last minute is held against the second. */
const PARTS_OF_MEMORY = 4;
const GROWTH_MAX = 1.3;
/** The first files compile their mapping, and more. */
const WARMING_FILES = 20;

const partnerNamed = (partner: string, scacs: readonly string[] = ['DEMO']): NewPartnerKey => ({
  partner,
  displayName: partner,
  environment: 'test',
  channel: channelName('test', 'key'),
  scacs: [...scacs],
  mappings: null,
});

/** @property memory bytes of the runtime, every half second of the part with the hostile one. told: how often each load was told. */
interface Ran {
  alone: Felt;
  beside: Felt;
  cpuMs: { alone: number; beside: number };
  memory: number[];
  answers: Answers;
  told: ReadonlyMap<string, number>;
}

export async function proveHostile(plan: HostileProof): Promise<Proof> {
  const calm = Array.from({ length: plan.partners }, (_, at) => partnerNamed(`calm-${at}`));
  const hostile = partnerNamed('hostile', ['DEMO', ...REFUSED_SCACS]);
  const from = await prepared([...calm, hostile, hostile]);
  try {
    const limits = plan.isLimited ? LIMITS : NO_LIMITS;
    const ran = await withLimitedBridge(from, limits, (bridge) => run(bridge, plan));
    return {
      figures: [...said(plan, ran), JSON.stringify(measured(plan, ran))],
      violations: [...lost(ran), ...slower(ran, plan.unfeltMs), ...grown(ran), ...unsaid(ran)],
    };
  } finally {
    rmSync(from.folder, { recursive: true, force: true });
  }
}

async function run(bridge: LimitedBridge, plan: HostileProof): Promise<Ran> {
  await putFaults(bridge);
  const { baseUrl, pid } = bridge.running;
  const calls = bridge.keys.slice(0, plan.partners).map((key) => callsWith(() => baseUrl, key));
  const warming = { accepted: [], settled: [], get: [], loads: [], failed: [] };
  for (let at = 0; at < WARMING_FILES; at += 1)
    await oneFile(calls[at % calls.length] as (typeof calls)[number], `WARM${at}`, warming);
  const startedCpuMs = cpuMsOf(pid);
  const aloneSeconds = plan.seconds * ALONE_SHARE;
  const besideSeconds = plan.seconds - aloneSeconds;
  const alone = await workingCalmly(calls, 'ALONE', aloneSeconds);
  const aloneCpuMs = cpuMsOf(pid) - startedCpuMs;
  const memory: number[] = [];
  const watching = setInterval(() => memory.push(residentBytesOf(pid)), SAMPLE_MS);
  const untilMs = Date.now() + besideSeconds * 1_000;
  const [answers, beside] = await Promise.all([
    beHostileInThread({
      ...{ baseUrl, keys: bridge.keys.slice(plan.partners), untilMs },
      ...{ newLoads: plan.newLoads, poisonRows: plan.poisonRows },
    }),
    workingCalmly(calls, 'BESIDE', besideSeconds),
  ]);
  clearInterval(watching);
  const cpuMs = { alone: aloneCpuMs, beside: cpuMsOf(pid) - startedCpuMs - aloneCpuMs };
  return { alone, beside, cpuMs, memory, answers, told: await toldOf(bridge) };
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

/** From what the receiving system got. */
async function toldOf({ sandbox }: LimitedBridge): Promise<Map<string, number>> {
  const told = new Map<string, number>();
  for (let after = 0; ; ) {
    const answer = await fetch(`${sandbox.baseUrl}/_sandbox/journal?after=${after}&limit=1000`);
    const page = (await answer.json()) as { entries: { body: string | null }[]; next: number };
    if (page.entries.length === 0) return told;
    for (const { body } of page.entries)
      for (const [load] of (body ?? '').matchAll(CALM_LOADS)) told.set(load, (told.get(load) ?? 0) + 1);
    after = page.next;
  }
}

const TIMES = ['accepted', 'settled', 'get'] as const;
const SHARES = { median: 0.5, p95: 0.95 } as const;
type Share = keyof typeof SHARES;

const atShare = (values: readonly number[], share: Share): number =>
  Math.round([...values].sort((one, other) => one - other)[Math.floor((values.length - 1) * SHARES[share])] ?? 0);
const megabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** The most that was held in one of equal parts of the time, from 1 on. */
function mostIn({ memory }: Ran, part: number): number {
  const length = memory.length / PARTS_OF_MEMORY;
  return Math.max(0, ...memory.slice(Math.floor((part - 1) * length), Math.ceil(part * length)));
}

const feltIn = (felt: Felt) =>
  Object.fromEntries(
    TIMES.map((what) => [what, { median: atShare(felt[what], 'median'), p95: atShare(felt[what], 'p95') }]),
  );

/** What a program may read of a run; times in ms. */
const measured = ({ unfeltMs: _, ...plan }: HostileProof, ran: Ran) => ({
  hostile: plan,
  files: { alone: ran.alone.accepted.length, beside: ran.beside.accepted.length },
  alone: feltIn(ran.alone),
  beside: feltIn(ran.beside),
  cpuMs: { alone: Math.round(ran.cpuMs.alone), beside: Math.round(ran.cpuMs.beside) },
  memoryMB: Array.from({ length: PARTS_OF_MEMORY }, (_, at) => megabytes(mostIn(ran, at + 1))),
  answers: Object.fromEntries([...ran.answers.counts].map(([what, counts]) => [what, Object.fromEntries(counts)])),
});

function said({ partners, seconds, isLimited }: HostileProof, ran: Ran): string[] {
  const times = (felt: Felt): string =>
    TIMES.map((what) => `${what} ${atShare(felt[what], 'median')} ms, 95 % ${atShare(felt[what], 'p95')} ms`).join(
      '; ',
    );
  return [
    `${partners} partners, ${seconds} s, most of it beside a hostile one, ${isLimited ? 'with' : 'without'} limits; ${ran.alone.accepted.length + ran.beside.accepted.length} files`,
    `alone: ${times(ran.alone)}`,
    `beside: ${times(ran.beside)}; memory ${megabytes(mostIn(ran, 2))} MB in the second quarter, ${megabytes(mostIn(ran, PARTS_OF_MEMORY))} MB in the last`,
  ];
}

function lost({ alone, beside, told }: Ran): Violation[] {
  const wrong = [...alone.loads, ...beside.loads].filter((load) => told.get(load) !== 1);
  return [
    ...[...alone.failed, ...beside.failed].map((each) => breaks('I3')(`a file of a calm partner: ${each}`)),
    ...wrong.map((load) => breaks('I4')(`${load} was told ${told.get(load) ?? 0} times`)),
  ];
}

function slower({ alone, beside }: Ran, unfeltMs: number): Violation[] {
  return TIMES.flatMap((what) =>
    (Object.keys(SHARES) as Share[]).flatMap((share) => {
      const [before, now] = [atShare(alone[what], share), atShare(beside[what], share)];
      if (now <= Math.max(before * SLOWER_MAX, before + unfeltMs)) return [];
      return [breaks('fair')(`${what}, ${share}: ${before} ms alone, ${now} ms beside`)];
    }),
  );
}

function grown(ran: Ran): Violation[] {
  const [before, now] = [mostIn(ran, 2), mostIn(ran, PARTS_OF_MEMORY)];
  return now <= before * GROWTH_MAX
    ? []
    : [breaks('memory')(`grew from ${megabytes(before)} MB in the second quarter to ${megabytes(now)} MB in the last`)];
}

const unsaid = ({ answers }: Ran): Violation[] => [...answers.unsaid].map(breaks('refusal'));
