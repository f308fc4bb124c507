/**
 * Kills the bridge again and again (kill -9 of its whole process group: workerd and its parent) while it works, starts it
 * again each time, lets it finish, and checks from outside that nothing was lost, invented or reordered.
 *
 *   npm run kill -- --kills 20 [--seed 1] [--fresh]
 *   npm run kill -- --kills 20 --messages    events come as messages that share a batch
 *   npm run kill -- --orders    instead, behind every commit of order files whose groups cross all slice borders
 *
 * Runs in rounds of at most KILLS_PER_ROUND and keeps its count, so an interrupted run goes on where it stopped. A round that broke
 * something leaves its state beside the count.
 * kill -9 does not test power loss.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FAILPOINTS } from '../src/kernel/failpoint.ts';
import { killAtBorders, type OrderKillPlan } from './kill/orders.ts';
import { killAtRandom, type RoundCount, TIME_SCALE } from './kill/random.ts';
import { FAULT_SHARE } from './kill/upstream-faults.ts';

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    fresh: { type: 'boolean', default: false },
    orders: { type: 'boolean', default: false },
    messages: { type: 'boolean', default: false },
  },
});
const KILLS = Number(options.kills);
const SEED = Number(options.seed);
const KILLS_PER_ROUND = 25;
const COUNT_FILE = resolve(
  import.meta.dirname,
  `../.transload/kill/seed-${SEED}${options.messages ? '-messages' : ''}.json`,
);

interface Count extends RoundCount {
  rounds: number;
}

const COUNTED = [
  'batches',
  'requestsSeen',
  'repeats',
  'creates',
  'held',
  'changes',
  'cancels',
  'polls',
  'gaps',
  'statuses',
] as const;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

function readCount(): Count {
  const none = {
    rounds: 0,
    kills: 0,
    points: {},
    batches: 0,
    requestsSeen: 0,
    repeats: 0,
    creates: 0,
    held: 0,
    changes: 0,
    cancels: 0,
    polls: 0,
    gaps: 0,
    statuses: 0,
    violations: [],
  };
  if (options.fresh || !existsSync(COUNT_FILE)) return none;
  return { ...none, ...(JSON.parse(readFileSync(COUNT_FILE, 'utf8')) as Partial<Count>) };
}

function keepCount(count: Count): void {
  mkdirSync(dirname(COUNT_FILE), { recursive: true });
  writeFileSync(COUNT_FILE, JSON.stringify(count, null, 2));
}

/** Few orders of fat rows, so that slices pass quickly; and so many lines that staged groups take several commits. */
const ORDER_PLANS: OrderKillPlan[] = [
  { order: 'adjacent', slices: 8, linesPerOrder: 7, rowBytes: 18_000 },
  { order: 'anywhere', slices: 7, linesPerOrder: 40, rowBytes: 2_600 },
];

async function atRandom(): Promise<string[]> {
  const count = readCount();
  while (count.kills < KILLS) {
    const number = count.rounds + 1;
    const kills = Math.min(KILLS_PER_ROUND, KILLS - count.kills);
    const done = await killAtRandom(
      { number, seed: SEED, kills, messages: options.messages, evidenceFolder: `${COUNT_FILE}.round-${number}` },
      say,
    );
    count.rounds += 1;
    count.kills += done.kills;
    for (const point of FAILPOINTS) {
      const hits = (count.points[point] ?? 0) + (done.points[point] ?? 0);
      if (hits > 0) count.points[point] = hits;
    }
    for (const name of COUNTED) count[name] += done[name];
    count.violations.push(...done.violations.map((text) => `seed ${SEED} round ${number}: ${text}`));
    keepCount(count);
  }
  const atPoints = Object.entries(count.points).map(([point, hits]) => `${point} ${hits}`);
  say(`kills at named points: ${atPoints.join(', ') || 'none'}`);
  say(
    `kill -9: ${count.kills} kills, ${count.batches} batches, ${FAULT_SHARE * 100} % of requests failed; seen upstream: ${count.requestsSeen} milestones and sets of ` +
      `positions, ${count.repeats} flagged repeats, ${count.creates} creates of orders, ${count.changes} changes, ${count.cancels} cancels; ` +
      `${count.held} orders held as not found; ${count.polls} polls, ${count.gaps} gaps, ${count.statuses} statuses (seed ${SEED}, timeScale ${TIME_SCALE})`,
  );
  return count.violations;
}

async function atBorders(): Promise<string[]> {
  const { figures, violations: found } = await killAtBorders(ORDER_PLANS, say);
  for (const text of figures) say(text);
  return found;
}

const found = options.orders ? await atBorders() : await atRandom();
for (const text of found) say(`VIOLATION ${text}`);
say(`${found.length} violations`);
process.exitCode = found.length === 0 ? 0 : 1;
