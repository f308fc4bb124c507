/**
 * A round of kills, at random moments and at named points: milestones and positions in one file, orders in others, uploaded
 * while the bridge dies and the receiving system fails five times in a hundred.
 */
import { FAILPOINTS, type Failpoint } from '../../src/kernel/failpoint.ts';
import { channelName } from '../local/bridge.ts';
import { type Stack, startStack } from '../local/stack.ts';
import { batchFiles } from './batch-on-disk.ts';
import { eventViolations } from './check.ts';
import { orderViolations } from './check-orders.ts';
import { type HarnessClient, harnessClient, isSettledOrHeld, pause } from './client.ts';
import { startCron } from './cron.ts';
import { dice } from './dice.ts';
import { failPointServer } from './fail-points.ts';
import { mixedFile } from './generate.ts';
import { type OrderRow, smallOrderFile } from './order-file.ts';
import { seenAt, sendingsOf } from './sendings.ts';
import { storedSubjects } from './stored.ts';
import { faultRules } from './upstream-faults.ts';

export interface RoundPlan {
  /** Counted from 1. */
  number: number;
  seed: number;
  kills: number;
  /** Events come as messages that share a batch, instead of files. */
  messages: boolean;
}

export interface RoundCount {
  kills: number;
  /** Kills at each named point. */
  points: Partial<Record<Failpoint, number>>;
  batches: number;
  /** Milestones and sets of positions. */
  requestsSeen: number;
  repeats: number;
  creates: number;
  held: number;
  violations: string[];
}

/**
 * Waits pass this much faster: what was on its way at seven kills waits five hours, which are 50 s. Three days, after which an
 * event is given up, are 12 minutes: a round takes a third of them on a busy machine.
 */
export const TIME_SCALE = 360;
const LOADS = 30;
const ROWS_PER_LOAD = 15;
/** Messages in each life of the bridge, smaller than files. */
const MESSAGES = 4;
const MESSAGE_LOADS = 6;
const MESSAGE_ROWS_PER_LOAD = 6;
const ORDERS = 10;
const LINES_PER_ORDER = 3;
/** A kill comes at most this long behind a start. */
const LIFE_MS_MAX = 1_500;
/** So many kills are at a named point, or this long behind the start when it was not reached by then. */
const NAMED_SHARE = 0.5;
const NAMED_LIFE_MS_MAX = 4_000;
/** At which visit of a point at most: an upload passes some once, a drain others many times. */
const NAMED_VISITS_MAX: Record<Failpoint, number> = {
  bytes_stored: 1,
  claimed: 1,
  slice_committed: 2,
  handed_over: 2,
  intent_stored: 60,
  answered: 60,
  outcomes_told: 8,
};
/** Ended early when nothing is open. A busy machine needs several times what a quiet one does. */
const DRAIN_MS_MAX = 900_000;

interface Upload {
  /** Of a message; null: a file, which is known by its bytes. */
  idempotencyKey: string | null;
  records: number;
  mapping: string;
  text: string;
  /** Of an order file; null: events. */
  orders: OrderRow[] | null;
  /** The batch's id; null: the upload was cut and must be repeated. */
  answered: Promise<string | null>;
}

export async function killAtRandom(plan: RoundPlan, say: (text: string) => void): Promise<RoundCount> {
  const partner = { partner: 'kill', displayName: 'Kill', environment: 'test' as const, mappings: null };
  const failPoints = await failPointServer();
  const stack = await startStack({
    partners: [{ ...partner, channel: channelName('test', 'key+bearer'), scacs: ['DEMO'] }],
    timeScale: TIME_SCALE,
    failpointUrl: failPoints.url,
  });
  const points: RoundCount['points'] = {};
  const cron = startCron(() => stack.bridge.baseUrl, TIME_SCALE);
  try {
    await stack.putFaults(faultRules(plan.seed * 1_000 + plan.number, TIME_SCALE));
    const client = harnessClient(() => stack.bridge.baseUrl, stack.keys[0] ?? '');
    const random = dice(plan.seed * 1_000 + plan.number);
    const uploads: Upload[] = [];
    for (let done = 0; done < plan.kills; done += 1) {
      const name = `K${plan.number}B${done}`;
      const events = uploads.filter(({ orders }) => orders === null);
      if (plan.messages) uploads.push(...messagesOf(name, random));
      else if (await allDone(events, client)) uploads.push(eventFile(name, random));
      uploads.push(ordersFile(`${name}O`)); // few, and new ones in every life: creates are soon over
      const aim = random() < NAMED_SHARE ? FAILPOINTS[Math.floor(random() * FAILPOINTS.length)] : undefined;
      const reached = aim === undefined ? NEVER : failPoints.arm(aim, visitOf(aim, random)).then(() => aim);
      for (const upload of uploads) await sendIfCut(upload, client);
      const life = aim === undefined ? Math.floor(random() * LIFE_MS_MAX) : NAMED_LIFE_MS_MAX;
      const at = await Promise.race([reached, pause(life)]);
      await stack.bridge.kill();
      failPoints.disarm();
      if (at !== undefined) points[at] = (points[at] ?? 0) + 1;
      say(`  kill ${done + 1} of ${plan.kills} in round ${plan.number}${at === undefined ? '' : `, at ${at}`}`);
      await stack.startBridge();
    }
    return { kills: plan.kills, points, ...(await count(stack, client, uploads)) };
  } finally {
    cron.stop();
    await stack.stop();
    await failPoints.close();
  }
}

const visitOf = (point: Failpoint, random: () => number): number => 1 + Math.floor(random() * NAMED_VISITS_MAX[point]);

const NEVER = new Promise<undefined>(() => undefined);
const CUT = Promise.resolve(null);

/** @param name no two files of a run share a load or an order. */
const eventFile = (name: string, random: () => number): Upload => ({
  idempotencyKey: null,
  records: LOADS * ROWS_PER_LOAD,
  mapping: 'carrier-mixed-csv',
  text: mixedFile(name, LOADS, ROWS_PER_LOAD, random),
  orders: null,
  answered: CUT,
});

const messagesOf = (name: string, random: () => number): Upload[] =>
  Array.from({ length: MESSAGES }, (_, index) => ({
    idempotencyKey: `${name}M${index}`,
    records: MESSAGE_LOADS * MESSAGE_ROWS_PER_LOAD,
    mapping: 'carrier-mixed-csv',
    text: mixedFile(`${name}M${index}`, MESSAGE_LOADS, MESSAGE_ROWS_PER_LOAD, random),
    orders: null,
    answered: CUT,
  }));

function ordersFile(name: string): Upload {
  const { text, rows } = smallOrderFile(name, ORDERS, LINES_PER_ORDER);
  return { idempotencyKey: null, records: rows.length, mapping: 'orders-csv', text, orders: rows, answered: CUT };
}

/** A partner without an answer sends the same again. Not waited for: a kill may meet the upload itself. */
async function sendIfCut(upload: Upload, client: HarnessClient): Promise<void> {
  if ((await settledNow(upload.answered)) !== null) return;
  upload.answered = sent(upload, client).catch(() => null);
}

const sent = ({ text, mapping, idempotencyKey }: Upload, client: HarnessClient): Promise<string> =>
  idempotencyKey === null ? client.put(text, mapping) : client.post(text, mapping, idempotencyKey);

const UNDER_WAY = Symbol();
const settledNow = <T>(promise: Promise<T>): Promise<T | typeof UNDER_WAY> =>
  Promise.race([promise, Promise.resolve<typeof UNDER_WAY>(UNDER_WAY)]);

async function allDone(uploads: readonly Upload[], client: HarnessClient): Promise<boolean> {
  for (const { answered } of uploads) {
    const batchId = await answered;
    if (batchId === null || !isSettledOrHeld(await client.summary(batchId))) return false;
  }
  return true;
}

async function count(
  stack: Stack,
  client: HarnessClient,
  uploads: readonly Upload[],
): Promise<Omit<RoundCount, 'kills' | 'points'>> {
  const byBatch = new Map<string, Upload[]>();
  for (const upload of uploads) {
    const batchId = (await upload.answered) ?? (await sent(upload, client));
    byBatch.set(batchId, [...(byBatch.get(batchId) ?? []), upload]);
  }
  const summaries = await client.drain([...byBatch.keys()], isSettledOrHeld, DRAIN_MS_MAX);
  const batches = [];
  for (const summary of summaries) {
    const own = byBatch.get(summary.batchId) ?? [];
    const rows = await client.rows(summary.batchId);
    const rowsUploaded = own.reduce((sum, { records }) => sum + records, 0);
    const isWhole = summary.messages === null || summary.messages === own.length;
    batches.push({ summary, rows, rowsUploaded, orders: own[0]?.orders ?? null, isWhole, sent: own.length });
  }
  await stack.bridge.stop(); // its files are read next
  const journal = await stack.journal();
  const seen = [...seenAt(journal, 'milestone'), ...seenAt(journal, 'trace')];
  const creates = seenAt(journal, 'orderCreate');
  const files = batchFiles(stack.persistTo).length;
  const loads = storedSubjects(stack.persistTo, 'Load').map(sendingsOf);
  const orders = storedSubjects(stack.persistTo, 'Order').flatMap(sendingsOf);
  const orderBatches = batches.flatMap((batch) => (batch.orders ? { ...batch, uploaded: batch.orders } : []));
  return {
    batches: files,
    requestsSeen: seen.length,
    repeats: seen.length - new Set(seen.map(({ body }) => body)).size,
    creates: creates.length,
    held: orderBatches.flatMap(({ rows }) => rows.filter(({ state, group }) => state === 'held' && group === null))
      .length,
    violations: [
      ...(files === byBatch.size ? [] : [`${byBatch.size} batches were told, ${files} are there`]),
      ...batches
        .filter(({ summary, sent: one }) => summary.messages === null && one > 1)
        .map(({ summary }) => `several files became batch ${summary.batchId}`),
      ...batches
        .filter(({ isWhole }) => !isWhole)
        .map(({ summary, sent: all }) => `${all} messages became ${summary.messages} of batch ${summary.batchId}`),
      ...eventViolations({ seen, loads, batches: batches.filter((batch) => batch.orders === null) }),
      ...orderViolations({ seen: creates, sendings: orders, batches: orderBatches }),
    ],
  };
}
