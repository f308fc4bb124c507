/**
 * Kills the bridge again and again (kill -9 of its whole process group: workerd and its parent) while it works, starts it
 * again each time, lets it finish, and checks from outside that nothing was lost, invented or reordered.
 *
 *   npm run kill -- --kills 20 [--seed 1] [--fresh]
 *   npm run kill -- --orders    instead, behind every commit of order files whose groups cross all slice borders
 *
 * Runs in rounds of at most KILLS_PER_ROUND and keeps its count, so an interrupted run goes on where it stopped.
 * kill -9 does not test power loss.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type UploadedBatch, violations } from './kill/check.ts';
import { harnessClient, isSettled, pause } from './kill/client.ts';
import { dice } from './kill/dice.ts';
import { carrierFile } from './kill/generate.ts';
import { killAtBorders, type OrderKillPlan } from './kill/orders.ts';
import { storedSubjects } from './kill/stored.ts';
import { channelName } from './local/bridge.ts';
import { startStack } from './local/stack.ts';

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    fresh: { type: 'boolean', default: false },
    orders: { type: 'boolean', default: false },
  },
});
const KILLS = Number(options.kills);
const SEED = Number(options.seed);
const KILLS_PER_ROUND = 25;
/** Waits pass this much faster, so that the pause of a minute before a repeat takes a second. */
const TIME_SCALE = 60;
const LOADS = 30;
const ROWS_PER_LOAD = 20;
/** The receiving system answers this late, so that a kill meets requests on their way. */
const ANSWER_DELAY_MS = 15;
const DRAIN_MS_MAX = 180_000;
const COUNT_FILE = resolve(import.meta.dirname, `../.transload/kill/seed-${SEED}.json`);

interface Count {
  rounds: number;
  kills: number;
  batches: number;
  requestsSeen: number;
  repeats: number;
  violations: string[];
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

function readCount(): Count {
  if (!options.fresh && existsSync(COUNT_FILE)) return JSON.parse(readFileSync(COUNT_FILE, 'utf8')) as Count;
  return { rounds: 0, kills: 0, batches: 0, requestsSeen: 0, repeats: 0, violations: [] };
}

function keepCount(count: Count): void {
  mkdirSync(dirname(COUNT_FILE), { recursive: true });
  writeFileSync(COUNT_FILE, JSON.stringify(count, null, 2));
}

/** One sandbox, one bridge, one partner; batches are uploaded one after the other until the kills are done. */
async function round(number: number, kills: number): Promise<Omit<Count, 'rounds'>> {
  const random = dice(SEED * 1_000 + number);
  const partner = { partner: 'kill', displayName: 'Kill', environment: 'test' as const, mappings: null };
  const stack = await startStack({
    partners: [{ ...partner, channel: channelName('test', 'key+bearer'), scacs: ['DEMO'] }],
    timeScale: TIME_SCALE,
  });
  try {
    await stack.putFaults([{ match: {}, fault: { type: 'delay', ms: ANSWER_DELAY_MS, apply: 'before' } }]);
    const client = harnessClient(() => stack.bridge.baseUrl, stack.keys[0] ?? '');
    const ids: string[] = [];
    let done = 0;
    while (done < kills) {
      const last = ids.at(-1);
      if (last === undefined || isSettled(await client.summary(last))) {
        const file = carrierFile(`K${number}B${ids.length}`, LOADS, ROWS_PER_LOAD, random);
        ids.push(await client.put(file, 'carrier-status-csv'));
      }
      await pause(Math.floor(random() * 1_500));
      await stack.bridge.kill();
      done += 1;
      say(`  kill ${done} of ${kills} in round ${number}`);
      await stack.startBridge();
    }
    const summaries = await client.drain(ids, isSettled, DRAIN_MS_MAX);
    const rows = await Promise.all(summaries.map(({ batchId }) => client.rows(batchId)));
    await stack.bridge.stop(); // its files are read next
    const journal = (await stack.journal()).filter(({ path }) => path.endsWith('/milestone-requests'));
    const batches: UploadedBatch[] = summaries.map((summary, at) => ({
      summary,
      rows: rows[at] ?? [],
      rowsUploaded: LOADS * ROWS_PER_LOAD,
    }));
    const loads = storedSubjects(stack.persistTo, 'Load').map(({ requests }) => requests);
    return {
      kills: done,
      batches: ids.length,
      requestsSeen: journal.length,
      repeats: journal.length - new Set(journal.map(({ body }) => body)).size,
      violations: violations(journal, loads, batches).map((text) => `seed ${SEED} round ${number}: ${text}`),
    };
  } finally {
    await stack.stop();
  }
}

/** Few orders of fat rows, so that slices pass quickly; and so many lines that staged groups take several commits. */
const ORDER_PLANS: OrderKillPlan[] = [
  { order: 'adjacent', slices: 8, linesPerOrder: 7, rowBytes: 18_000 },
  { order: 'anywhere', slices: 7, linesPerOrder: 40, rowBytes: 2_600 },
];

async function atRandom(): Promise<string[]> {
  const count = readCount();
  while (count.kills < KILLS) {
    const done = await round(count.rounds + 1, Math.min(KILLS_PER_ROUND, KILLS - count.kills));
    count.rounds += 1;
    count.kills += done.kills;
    count.batches += done.batches;
    count.requestsSeen += done.requestsSeen;
    count.repeats += done.repeats;
    count.violations.push(...done.violations);
    keepCount(count);
  }
  say(
    `kill -9: ${count.kills} kills, ${count.batches} batches, ${count.requestsSeen} requests seen upstream, ` +
      `${count.repeats} flagged repeats (seed ${SEED}, timeScale ${TIME_SCALE})`,
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
