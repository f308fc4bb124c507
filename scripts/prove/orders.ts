/** Orders that are made, changed, cancelled and followed for a day, through sandbox and bridge as processes; answers of polls may be lost. */
import { POLL_MINUTES_DEFAULT } from '../../src/feed/limits.ts';
import { stepOffsetsMs } from '../../src/sandbox/orders.ts';
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import { breaks, type StoredFeed, type Violation } from '../invariants/evidence.ts';
import { noOneElsesOrders, orderIsAsWanted } from '../invariants/orders.ts';
import { askedOf, pollsInDay, pollViolations } from '../invariants/polls.ts';
import { gapsClosed } from '../invariants/statuses.ts';
import { withFollowedOrders } from '../lives/followed-orders.ts';
import { eventsOf, type OrderEnds, orderEnds, statusViolations } from '../lives/order-ends.ts';
import { wantedOrder } from '../lives/order-lives.ts';
import type { SandboxOrder } from '../local/stack.ts';
import { type EndedUpload, type OrderDay, type OrdersPlan, runDay } from './order-day.ts';
import { PROVE, type Proof } from './proof.ts';

const DAY_MS = 86_400_000;
/** In real time, whatever the timeScale: more at once, and the objects in the one thread of this machine's runtime would starve. */
const SENT_PER_SECOND = 40;
const BURST = 10;
const PAIR = { partnerId: 'P-PROVE', clientId: 'C-1' };

export const proveOrders = (plan: OrdersPlan): Promise<Proof> => {
  const { timeScale } = plan;
  const dayMs = DAY_MS / timeScale;
  const stepSeconds = (dayMs * plan.stepShare) / 1_000;
  const options = {
    ...PROVE,
    timeScale,
    permits: { ratePerSecond: SENT_PER_SECOND / timeScale, burst: BURST },
    pair: PAIR,
    stepSeconds,
    faults: plan.lostShare > 0 ? [lostPolls(plan)] : [],
  };
  return withFollowedOrders(options, async (stack, client, followed) => {
    const day = await runDay(stack, client, followed, { plan, dayMs });
    const offsetsMs = stepOffsetsMs(stepSeconds, 1);
    const orderRefs = day.lives.map(({ orderRef }) => orderRef);
    const ends = await orderEnds(stack, followed, { orderRefs, log: day.log, offsetsMs, untilMs: null });
    return proofOf({ plan, day, ends, dayMs, offsetsMs });
  });
};

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
  const { orders, book, log, feed, journal, happened } = ends;
  const intervalMs = Math.round((POLL_MINUTES_DEFAULT * 60_000) / plan.timeScale); // as the bridge counts
  const { polls, repairs, questions } = askedOf(journal);
  const receivedAtMs = polls.map((entry) => entry.receivedAtMs);
  const lastMs = happened.reduce((last, { atMs }) => Math.max(last, atMs), 0) - (receivedAtMs[0] ?? 0);
  const wanted = day.lives.map((life) => wantedOrder(life, PAIR));
  return {
    figures: [
      `orders: ${book.length} made; ${day.uploads.map(uploadFigure).join(', ')}; ` +
        `changed when ${stepsAt(book, 'update', offsetsMs)}; cancelled when ${stepsAt(book, 'cancel', offsetsMs)}`,
      `statuses: ${log.length} in the log, ${happened.length} happened, the last one ${seconds(lastMs)} into a day of ${seconds(dayMs)}`,
      `feed: ${pollsInDay({ ...feed, intervalMs })} polls in the day, ${polls.length} in all; ${gapFigure(feed)}; ` +
        `${repairs.length} calls of single orders, ${questions.length} questions about operations`,
      `timeScale ${plan.timeScale} (30 minutes = ${seconds(intervalMs)}), ${plan.lostShare * 100} % of polls lost, seed ${plan.seed}`,
    ],
    violations: [
      ...day.uploads.flatMap(everyRowDelivered),
      ...wanted.flatMap((each) => orderIsAsWanted(each, orders.get(each.orderRef), plan.kills)),
      ...noOneElsesOrders(wanted, book),
      ...statusViolations(ends),
      ...pollViolations({ ...feed, receivedAtMs, intervalMs, wasKilled: plan.kills }),
      ...lossViolations(feed, repairs.length, plan.lostShare > 0 || plan.kills),
    ],
  };
}

const everyRowDelivered = ({ what, rows, delivered }: EndedUpload): Violation[] =>
  rows > 0 && rows === delivered ? [] : [breaks('I12')(`${what}: ${delivered} of ${rows} rows are delivered`)];

/** Where polls may be lost some were, and single orders were asked for until all was known; elsewhere none were. */
function lossViolations({ gaps }: StoredFeed, repairs: number, mayLose: boolean): Violation[] {
  if (mayLose) {
    const isMet = gaps.length > 0 && repairs > 0;
    const missed = breaks('run')(`${gaps.length} gaps, ${repairs} repairs: no poll was lost in the run`);
    return [...(isMet ? [] : [missed]), ...gapsClosed(gaps, 'repair')];
  }
  return [
    ...gaps.map(({ pollNo, why }) => breaks('I21')(`poll ${pollNo} was lost: ${why}`)),
    ...(repairs === 0 ? [] : [breaks('I30')(`${repairs} calls asked for single orders`)]),
  ];
}

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
