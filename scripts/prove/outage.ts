/** An upstream that is down, or that fails often, through sandbox and bridge as processes: nothing is lost, little is tried. */
import { dice } from '../frame/dice.ts';
import { eventViolations } from '../invariants/events.ts';
import { breaks, seenAt } from '../invariants/evidence.ts';
import { mostPerSecond, rateViolations } from '../invariants/permits.ts';
import { carrierFile } from '../kill/generate.ts';
import { isSettledOrHeld, pause } from '../local/client.ts';
import { withStack } from '../local/stack.ts';
import { milestonesOf, PROVE, type Proof } from './proof.ts';

/** @property ratePerSecond and burst of the channel, on the scaled clock. */
interface OutagePlan {
  what: 'outage' | 'brownout';
  rows: number;
  rowsPerLoad: number;
  hours: number;
  timeScale: number;
  ratePerSecond: number;
  burst: number;
  seed: number;
}

const HOUR_MS = 3_600_000;
const HANDED_MS_MAX = 120_000;
const SETTLE_MS_MAX = 400_000;
/** More attempts than this share of the rows, and the breaker has not done its work. */
const OUTAGE_ATTEMPTS_SHARE = 0.5;

/** Down: nothing applied. Failing: two of five, half of them after they were applied. */
const FAULTS = {
  outage: [{ fault: { type: 'status', status: 503 } }],
  brownout: [
    { probability: 0.2, seed: 7, fault: { type: 'status', status: 502, apply: 'before' } },
    { probability: 0.25, seed: 8, fault: { type: 'status', status: 500 } },
  ],
} as const;

const OUTAGE = breaks('outage');

export const proveOutage = (plan: OutagePlan): Promise<Proof> => {
  const { what, rows, rowsPerLoad, hours, timeScale, ratePerSecond, burst, seed } = plan;
  return withStack({ ...PROVE, timeScale, permits: { ratePerSecond, burst } }, async (stack, client) => {
    const loads = Math.ceil(rows / rowsPerLoad);
    const rowsUploaded = loads * rowsPerLoad;
    await stack.putFaults([...FAULTS[what]]);
    const batchId = await client.put(carrierFile('OUT', loads, rowsPerLoad, dice(seed)), 'carrier-status-csv');
    // The hours count from when every row waits.
    await client.drain([batchId], (now) => now.state === 'delivering' && now.rows === rowsUploaded, HANDED_MS_MAX);
    const startedMs = Date.now();
    await pause((hours * HOUR_MS) / timeScale);
    await stack.putFaults([]);
    const overMs = Date.now();
    const during = seenAt(await stack.journal(), 'milestone').length;
    const sent = { batchId, rowsUploaded };
    const found = await milestonesOf(stack, client, sent, { isDone: isSettledOrHeld, msMax: SETTLE_MS_MAX });
    const { requestStates, rowStates } = found.batch.summary;
    const { begunMs, arrivedMs } = found;
    const rate = { perSecond: ratePerSecond * timeScale, burst };
    const held = requestStates.held ?? 0;
    const figure =
      `${what}: ${rows} rows of ${loads} loads, ${hours} h in ${((overMs - startedMs) / 1_000).toFixed(0)} s: ` +
      `${during} attempts; then ${found.seen.length - during} more, drained in ${((found.endedMs - overMs) / 1_000).toFixed(1)} s; ` +
      `delivered ${rowStates.delivered ?? 0}, held ${held}; at most ${mostPerSecond(begunMs)} sent and ${mostPerSecond(arrivedMs)} received in a second ` +
      `(channel: ${rate.perSecond}/s, burst ${burst}); timeScale ${timeScale}, seed ${seed}`;
    const isTriedOften = what === 'outage' && during >= rows * OUTAGE_ATTEMPTS_SHARE;
    return {
      figures: [figure],
      violations: [
        ...eventViolations(found),
        ...rateViolations(begunMs, rate), // each request of the journal has its intent: eventViolations
        ...(held === 0 ? [] : [OUTAGE(`${held} requests are held`)]),
        ...(during > 0 ? [] : [OUTAGE('nothing was tried while the faults were on: they were not met')]),
        ...(isTriedOften ? [OUTAGE(`${during} attempts for ${rows} rows while nothing could arrive`)] : []),
      ],
    };
  });
};
