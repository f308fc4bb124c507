/**
 * Kills the bridge again and again (kill -9 of its whole process group: workerd and its parent) while it works, starts it
 * again each time, lets it finish, and checks from outside that nothing was lost, invented or reordered.
 *
 *   npm run kill -- --kills 20 [--seed 1] [--fresh]
 *   npm run kill -- --kills 20 --messages    events come as messages that share a batch
 *   npm run kill -- --orders    instead, behind every commit of order files whose groups cross all slice borders
 *
 * Runs in rounds of at most KILLS_PER_ROUND, on a busy machine of fewer, and keeps its count, so an interrupted run goes on where it
 * stopped; with other code it begins anew. A round that broke something leaves its state beside the count.
 * kill -9 does not test power loss.
 */
import { parseArgs } from 'node:util';
import { FAILPOINTS } from '../src/kernel/failpoint.ts';
import { runCommand, say, whole } from './frame/command.ts';
import { PROJECT_ROOT } from './frame/kept-file.ts';
import { sentenceOf } from './invariants/evidence.ts';
import { countFor, sourceKilled } from './kill/count.ts';
import { killAtBorders, type OrderKillPlan } from './kill/orders.ts';
import { killAtRandom, TIME_SCALE } from './kill/random.ts';
import { NOTHING_COUNTED } from './kill/round-ends.ts';
import { FAULT_SHARE } from './kill/upstream-faults.ts';

const options = {
  kills: { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
  fresh: { type: 'boolean', default: false },
  orders: { type: 'boolean', default: false },
  messages: { type: 'boolean', default: false },
} as const;
const KILLS_PER_ROUND = 100;

const COUNTED = Object.keys(NOTHING_COUNTED) as (keyof typeof NOTHING_COUNTED)[];

/** Few orders of fat rows, so that slices pass quickly; and so many lines that staged groups take several commits. */
const ORDER_PLANS: OrderKillPlan[] = [
  { order: 'adjacent', slices: 8, linesPerOrder: 7, rowBytes: 18_000 },
  { order: 'anywhere', slices: 7, linesPerOrder: 40, rowBytes: 2_600 },
];

interface Wanted {
  kills: number;
  seed: number;
  fresh: boolean;
  messages: boolean;
}

async function atRandom({ kills, seed, fresh, messages }: Wanted): Promise<string[]> {
  const path = `.transload/kill/seed-${seed}${messages ? '-messages' : ''}.json`;
  const { count, keep, note } = countFor({ path, kills, source: sourceKilled(), fresh });
  if (note !== null) say(note);
  while (count.kills < kills) {
    const number = count.rounds + 1;
    const left = Math.min(KILLS_PER_ROUND, kills - count.kills);
    const evidenceFolder = `${PROJECT_ROOT}/${path}.round-${number}`;
    const done = await killAtRandom({ number, seed, kills: left, messages, evidenceFolder });
    count.rounds += 1;
    count.kills += done.kills;
    for (const point of FAILPOINTS) {
      const hits = (count.points[point] ?? 0) + (done.points[point] ?? 0);
      if (hits > 0) count.points[point] = hits;
    }
    for (const name of COUNTED) count[name] += done[name];
    count.violations.push(...done.violations.map((each) => `seed ${seed} round ${number}: ${sentenceOf(each)}`));
    keep();
  }
  const atPoints = Object.entries(count.points).map(([point, hits]) => `${point} ${hits}`);
  say(`kills at named points: ${atPoints.join(', ') || 'none'}`);
  say(
    `kill -9: ${count.kills} kills, ${count.batches} batches, ${FAULT_SHARE * 100} % of requests failed; seen upstream: ${count.requestsSeen} milestones and sets of ` +
      `positions, ${count.repeats} flagged repeats, ${count.creates} creates of orders, ${count.changes} changes, ${count.cancels} cancels; ` +
      `${count.held} orders held as not found; ${count.polls} polls, ${count.gaps} gaps, ${count.statuses} statuses (seed ${seed}, timeScale ${TIME_SCALE})`,
  );
  return count.violations;
}

async function atBorders(): Promise<string[]> {
  const { figures, violations } = await killAtBorders(ORDER_PLANS);
  for (const text of figures) say(text);
  return violations.map(sentenceOf);
}

await runCommand(async () => {
  const { values } = parseArgs({ options });
  const { orders, fresh, messages } = values;
  const found = await (orders
    ? atBorders()
    : atRandom({ kills: whole(values.kills), seed: whole(values.seed), fresh, messages }));
  for (const text of found) say(`VIOLATION ${text}`);
  say(`${found.length} violations`);
  return found.length === 0;
});
