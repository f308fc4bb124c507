/** Orders that are made, changed, cancelled and followed for a day, through sandbox and bridge as processes; answers of polls may be lost. */
import { POLL_MINUTES_DEFAULT } from '../../src/feed/limits.ts';
import { stepOffsetsMs } from '../../src/sandbox/orders.ts';
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import {
  eventsOf,
  lifeViolations,
  noOneElsesOrders,
  numbersWhole,
  statusesOnce,
  statusesShown,
} from '../lives/check-lives.ts';
import { askedOf, pollsInDay, pollViolations } from '../lives/check-polls.ts';
import { followOrders } from '../lives/followed-orders.ts';
import { type OrderEnds, orderEnds } from '../lives/order-ends.ts';
import { putSandboxSettings, type SandboxOrder } from '../lives/sandbox-orders.ts';
import type { StoredFeed } from '../lives/stored-orders.ts';
import { channelName } from '../local/bridge.ts';
import { makeOpsKey } from '../local/ops-keys.ts';
import { startStack } from '../local/stack.ts';
import { type EndedUpload, type OrderDay, type OrdersPlan, runDay } from './order-day.ts';
import type { Proof } from './proof.ts';

const DAY_MS = 86_400_000;
/** How long a new order cannot be found by its reference, in real seconds. */
const INDEX_DELAY_SECONDS = 1;
const REPAIRS_PER_MINUTE = 600;
/** In real time, whatever the timeScale: more at once, and the objects in the one thread of this machine's runtime would starve. */
const SENT_PER_SECOND = 40;
const BURST = 10;
const PAIR = { partnerId: 'P-PROVE', clientId: 'C-1' };

export async function proveOrders(plan: OrdersPlan): Promise<Proof> {
  const { timeScale } = plan;
  const partner = { partner: 'prove', displayName: 'Prove', environment: 'test' as const, mappings: null };
  const channel = channelName('test', 'key');
  const ops = makeOpsKey({ name: 'Harness', role: 'operator', environments: ['test'] });
  const stack = await startStack({
    partners: [{ ...partner, channel, scacs: ['DEMO'] }],
    directorySql: ops.sql,
    timeScale,
    permits: { ratePerSecond: SENT_PER_SECOND / timeScale, burst: BURST },
  });
  try {
    const dayMs = DAY_MS / timeScale;
    const stepSeconds = (dayMs * plan.stepShare) / 1_000;
    await putSandboxSettings(stack.sandbox.baseUrl, {
      statusStepSeconds: stepSeconds,
      orderIndexDelaySeconds: INDEX_DELAY_SECONDS,
    });
    if (plan.lostShare > 0) await stack.putFaults([lostPolls(plan)]);
    const [partnerKey = ''] = stack.keys;
    const asked = {
      partner: partner.partner,
      partnerKey,
      opsKey: ops.key,
      channel,
      ...PAIR,
      repairsPerMinute: REPAIRS_PER_MINUTE,
    };
    const followed = await followOrders(stack, asked);
    const day = await runDay(stack, followed, { plan, dayMs, partnerKey });
    const offsetsMs = stepOffsetsMs(stepSeconds, 1);
    const orderRefs = day.lives.map(({ orderRef }) => orderRef);
    const ends = await orderEnds(stack, followed, { orderRefs, log: day.log, offsetsMs, untilMs: null });
    return proofOf({ plan, day, ends, dayMs, offsetsMs });
  } finally {
    await stack.stop();
  }
}

/** Polls alone: the parameter is theirs. */
const lostPolls = ({ lostShare, seed }: OrdersPlan) => ({
  match: { path: ENDPOINTS.orderHistory.path, parameter: 'partnerId' },
  probability: lostShare,
  seed,
  fault: { type: 'lost_poll' },
});

interface Found {
  plan: OrdersPlan;
  day: OrderDay;
  ends: OrderEnds;
  dayMs: number;
  offsetsMs: readonly number[];
}

function proofOf({ plan, day, ends, dayMs, offsetsMs }: Found): Proof {
  const { orders, book, log, feed, journal } = ends;
  const intervalMs = Math.round((POLL_MINUTES_DEFAULT * 60_000) / plan.timeScale); // as the bridge counts
  const events = eventsOf(book, offsetsMs, ends.untilMs);
  const { polls, repairs, questions } = askedOf(journal);
  const receivedAtMs = polls.map((entry) => entry.receivedAtMs);
  const mayLose = plan.lostShare > 0 || plan.kills;
  const lastMs = events.reduce((last, { atMs }) => Math.max(last, atMs), 0) - (receivedAtMs[0] ?? 0);
  return {
    figures: [
      `orders: ${book.length} made; ${day.uploads.map(uploadFigure).join(', ')}; ` +
        `changed when ${stepsAt(book, 'update', offsetsMs)}; cancelled when ${stepsAt(book, 'cancel', offsetsMs)}`,
      `statuses: ${log.length} in the log, ${events.length} happened, the last one ${seconds(lastMs)} into a day of ${seconds(dayMs)}`,
      `feed: ${pollsInDay(feed, intervalMs)} polls in the day, ${polls.length} in all; ${gapFigure(feed)}; ` +
        `${repairs.length} calls of single orders, ${questions.length} questions about operations`,
      `timeScale ${plan.timeScale} (30 minutes = ${seconds(intervalMs)}), ${plan.lostShare * 100} % of polls lost, seed ${plan.seed}`,
    ],
    violations: [
      ...day.uploads.flatMap(everyRowDelivered),
      ...day.lives.flatMap((life) =>
        lifeViolations(life, orders.get(life.orderRef), { pair: PAIR, mayRepeat: plan.kills }),
      ),
      ...noOneElsesOrders(day.lives, book),
      ...statusesOnce(log, events),
      ...numbersWhole(log),
      ...statusesShown(
        [...orders.values()].map(({ shown }) => shown),
        log,
      ),
      ...pollViolations({
        ...feed,
        receivedAtMs,
        intervalMs,
        wasKilled: plan.kills,
      }),
      ...(mayLose ? lossViolations(feed, repairs.length) : wholeViolations(feed, repairs.length)),
    ],
  };
}

const everyRowDelivered = ({ what, rows, delivered }: EndedUpload): string[] =>
  rows > 0 && rows === delivered ? [] : [`${what}: ${delivered} of ${rows} rows are delivered`];

const lossViolations = ({ gaps }: StoredFeed, repairs: number): string[] => [
  ...(gaps.length === 0 || repairs === 0
    ? [`${gaps.length} gaps, ${repairs} repairs: no poll was lost in the run`]
    : []),
  ...gaps.filter(({ closedBy }) => closedBy !== 'repair').map(({ pollNo }) => `the gap of poll ${pollNo} is open`),
];

const wholeViolations = ({ gaps }: StoredFeed, repairs: number): string[] => [
  ...gaps.map(({ pollNo, why }) => `poll ${pollNo} was lost: ${why}`),
  ...(repairs === 0 ? [] : [`${repairs} calls asked for single orders`]),
];

const uploadFigure = ({ what, files, rows, delivered }: EndedUpload): string =>
  `${what} ${delivered} of ${rows} rows in ${files} files`;

const gapFigure = ({ gaps }: StoredFeed): string =>
  `${gaps.length} gaps${gaps.map(({ why, closedBy }) => ` (${why}, closed by ${closedBy ?? 'nothing'})`).join('')}`;

/** Where the orders stood in their lives when that was done to them: the code of their last step. */
function stepsAt(book: readonly SandboxOrder[], done: 'update' | 'cancel', offsetsMs: readonly number[]): string {
  const codes = book.flatMap((order) =>
    order.actions
      .filter(({ action }) => action === done)
      .map(({ atMs }) => eventsOf([{ ...order, cancelledAtMs: null, actions: [] }], offsetsMs, atMs).at(-1)?.code),
  );
  return [...Map.groupBy(codes, (code) => code)].map(([code, all]) => `${code} (${all.length})`).join(', ') || 'never';
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
