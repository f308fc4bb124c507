/**
 * A round of kills, at random moments and at named points: milestones and positions in one file, orders in others that are then
 * changed, cancelled and followed, uploaded while the bridge dies and the receiving system fails five times in a hundred.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLL_MINUTES_MIN } from '../../src/feed/limits.ts';
import { FAILPOINTS, type Failpoint } from '../../src/kernel/failpoint.ts';
import { stepOffsetsMs } from '../../src/sandbox/orders.ts';
import { say } from '../frame/command.ts';
import { dice } from '../frame/dice.ts';
import { withFollowedOrders } from '../lives/followed-orders.ts';
import { pause } from '../local/client.ts';
import type { Stack } from '../local/stack.ts';
import { type FailPointServer, failPointServer } from './fail-points.ts';
import { nextStep, type OrderChain, orderChain } from './order-chains.ts';
import { type Round, type RoundEnd, roundEnd } from './round-ends.ts';
import { allDone, eventFile, messagesOf, ordersUpload, sendIfCut, type Upload } from './uploads.ts';
import { faultRules } from './upstream-faults.ts';

interface RoundPlan {
  /** Counted from 1. */
  number: number;
  seed: number;
  kills: number;
  /** Events come as messages that share a batch, instead of files. */
  messages: boolean;
  /** Takes what a round leaves that breaks something: the state of both, and what the sandbox received. */
  evidenceFolder: string;
}

export interface RoundCount extends RoundEnd {
  kills: number;
  /** Kills at each named point. */
  points: Partial<Record<Failpoint, number>>;
}

/**
 * Waits pass this much faster: what was on its way at seven kills waits five hours, which are 50 s. Three days, after which an
 * event is given up, are 12 minutes: kills go on for less.
 */
export const TIME_SCALE = 360;
/** Steps of an order's life, in real seconds. */
const STEP_SECONDS = 240;
const ORDER_STEPS_MS = stepOffsetsMs(STEP_SECONDS, 1);
/**
 * Then a round ends, with fewer kills: on a busy machine, too, the changes of its orders come before the upstream has delivered
 * them.
 */
const ROUND_MS_MAX = Math.max(...ORDER_STEPS_MS) / 2;
const MINUTE_MS = 60_000;
const PAIR = { partnerId: 'P-KILL', clientId: 'C-1' };
/** The most often that may be set: kills are to meet polls. */
const POLL_MINUTES = POLL_MINUTES_MIN;
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
  turn_decided: 8,
  feed_registered: 8,
  poll_begun: 1,
  poll_answered: 1,
  poll_put: 1,
  poll_stored: 1,
  poll_read: 1,
  order_told: 20,
  repair_answered: 20,
};

export async function killAtRandom(plan: RoundPlan): Promise<RoundCount> {
  const failPoints = await failPointServer();
  try {
    return await withFollowedOrders(
      {
        partner: 'kill',
        auth: 'key+bearer',
        timeScale: TIME_SCALE,
        failpointUrl: failPoints.url,
        pair: PAIR,
        stepSeconds: STEP_SECONDS,
        pollMinutes: POLL_MINUTES,
      },
      async (stack, client, followed) => {
        const cron = setInterval(() => callCron(stack), MINUTE_MS / TIME_SCALE);
        try {
          await stack.putFaults(faultRules(plan.seed * 1_000 + plan.number, TIME_SCALE));
          return await killed(plan, { stack, client, followed, failPoints });
        } finally {
          clearInterval(cron);
        }
      },
    );
  } finally {
    await failPoints.close();
  }
}

/** Once a minute of the bridge's clock, as the platform would: nothing does on this machine. While no bridge answers, the minute passes. */
const callCron = ({ bridge }: Stack): unknown =>
  fetch(`${bridge.baseUrl}/cdn-cgi/handler/scheduled`).catch(() => undefined);

interface Around extends Pick<Round, 'stack' | 'client' | 'followed'> {
  failPoints: FailPointServer;
}

async function killed(plan: RoundPlan, { stack, client, followed, failPoints }: Around): Promise<RoundCount> {
  const random = dice(plan.seed * 1_000 + plan.number);
  const points: RoundCount['points'] = {};
  const uploads: Upload[] = [];
  const chains: OrderChain[] = [];
  const untilMs = Date.now() + ROUND_MS_MAX;
  let done = 0;
  for (let { aim, reached } = aimed(failPoints, random), isLast = false; !isLast; ) {
    const name = `K${plan.number}B${done}`;
    const events = uploads.filter(({ orders }) => orders === null);
    if (plan.messages) uploads.push(...messagesOf(name, random));
    else if (await allDone(events, client)) uploads.push(eventFile(name, random));
    chains.push(orderChain(`${name}O`, done)); // few, and new ones in every life: creates are soon over
    for (const chain of chains) uploads.push(...(await nextStep(chain, followed)).map(ordersUpload));
    for (const upload of uploads) await sendIfCut(upload, client);
    const life = aim === undefined ? Math.floor(random() * LIFE_MS_MAX) : NAMED_LIFE_MS_MAX;
    const at = await Promise.race([reached, pause(life)]);
    await stack.bridge.kill();
    failPoints.disarm();
    if (at !== undefined) points[at] = (points[at] ?? 0) + 1;
    done += 1;
    say(`  kill ${done} of ${plan.kills} in round ${plan.number}${at === undefined ? '' : `, at ${at}`}`);
    isLast = done >= plan.kills || Date.now() > untilMs;
    ({ aim, reached } = isLast ? NOWHERE : aimed(failPoints, random)); // a feed polls as soon as it can
    await stack.startBridge();
  }
  const end = await roundEnd({ stack, client, followed, uploads, chains, offsetsMs: ORDER_STEPS_MS, pair: PAIR });
  if (end.violations.length > 0) await keepEvidence(stack, plan.evidenceFolder);
  return { kills: done, points, ...end };
}

async function keepEvidence(stack: Stack, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  cpSync(stack.persistTo, join(folder, 'bridge'), { recursive: true });
  cpSync(stack.sandbox.persistTo, join(folder, 'sandbox'), { recursive: true });
  writeFileSync(join(folder, 'journal.json'), JSON.stringify(await stack.journal()));
}

/** @property reached resolves when the bridge stands there. */
interface Aimed {
  aim: Failpoint | undefined;
  reached: Promise<Failpoint | undefined>;
}

function aimed(failPoints: FailPointServer, random: () => number): Aimed {
  const aim = random() < NAMED_SHARE ? FAILPOINTS[Math.floor(random() * FAILPOINTS.length)] : undefined;
  return aim === undefined ? NOWHERE : { aim, reached: failPoints.arm(aim, visitOf(aim, random)).then(() => aim) };
}

const visitOf = (point: Failpoint, random: () => number): number => 1 + Math.floor(random() * NAMED_VISITS_MAX[point]);

const NOWHERE: Aimed = { aim: undefined, reached: new Promise(() => undefined) };
