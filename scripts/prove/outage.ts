/** An upstream that is down, or that fails often, through sandbox and bridge as processes: nothing is lost, little is tried. */

import { dice } from '../frame/dice.ts';
import { eventViolations } from '../kill/check.ts';
import { harnessClient, isSettledOrHeld, pause } from '../kill/client.ts';
import { carrierFile } from '../kill/generate.ts';
import { seenAt, sendingsOf } from '../kill/sendings.ts';
import { storedSubjects } from '../kill/stored.ts';
import { channelName } from '../local/bridge.ts';
import { startStack } from '../local/stack.ts';
import { mostPerSecond, rateViolations } from './check-permits.ts';
import type { Proof } from './proof.ts';

/** @property ratePerSecond and burst of the channel, on the scaled clock. */
export interface OutagePlan {
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

export async function proveOutage(plan: OutagePlan): Promise<Proof> {
  const { what, rows, rowsPerLoad, hours, timeScale, ratePerSecond, burst, seed } = plan;
  const partner = { partner: 'prove', displayName: 'Prove', environment: 'test' as const, mappings: null };
  const stack = await startStack({
    partners: [{ ...partner, channel: channelName('test', 'key'), scacs: ['DEMO'] }],
    timeScale,
    permits: { ratePerSecond, burst },
  });
  try {
    const loads = Math.ceil(rows / rowsPerLoad);
    const client = harnessClient(() => stack.bridge.baseUrl, stack.keys[0] ?? '');
    await stack.putFaults([...FAULTS[what]]);
    const batchId = await client.put(carrierFile('OUT', loads, rowsPerLoad, dice(seed)), 'carrier-status-csv');
    // The hours count from when every row waits.
    await client.drain(
      [batchId],
      (now) => now.state === 'delivering' && now.rows === loads * rowsPerLoad,
      HANDED_MS_MAX,
    );
    const startedMs = Date.now();
    await pause((hours * HOUR_MS) / timeScale);
    await stack.putFaults([]);
    const endedMs = Date.now();
    const during = seenAt(await stack.journal(), 'milestone').length;
    const [summary] = await client.drain([batchId], isSettledOrHeld, SETTLE_MS_MAX);
    if (summary === undefined) throw new Error('no batch to look at');
    const drainedMs = Date.now() - endedMs;
    const rowsRead = await client.rows(batchId);
    await stack.bridge.stop(); // its files are read next
    const seen = seenAt(await stack.journal(), 'milestone');
    const stored = storedSubjects(stack.persistTo, 'Load').map(sendingsOf);
    const begun = stored.flatMap((load) =>
      load.flatMap(({ attempts }) => attempts.map(({ startedAtMs }) => startedAtMs)),
    );
    begun.sort((one, other) => one - other);
    const arrivals = seen.map(({ receivedAtMs }) => receivedAtMs).sort((one, other) => one - other);
    const rate = { perSecond: ratePerSecond * timeScale, burst };
    const held = summary.requestStates.held ?? 0;
    const violations = [
      ...eventViolations({
        seen,
        loads: stored,
        batches: [{ summary, rows: rowsRead, rowsUploaded: loads * rowsPerLoad }],
      }),
      ...rateViolations(begun, rate), // each request of the journal has its intent: eventViolations
      ...(held === 0 ? [] : [`${held} requests are held`]),
      ...(during > 0 ? [] : ['nothing was tried while the faults were on: they were not met']),
      ...(what === 'brownout' || during < rows * OUTAGE_ATTEMPTS_SHARE
        ? []
        : [`${during} attempts for ${rows} rows while nothing could arrive`]),
    ];
    const figure =
      `${what}: ${rows} rows of ${loads} loads, ${hours} h in ${((endedMs - startedMs) / 1_000).toFixed(0)} s: ` +
      `${during} attempts; then ${seen.length - during} more, drained in ${(drainedMs / 1_000).toFixed(1)} s; ` +
      `delivered ${summary.rowStates.delivered ?? 0}, held ${held}; at most ${mostPerSecond(begun)} sent and ${mostPerSecond(arrivals)} received in a second ` +
      `(channel: ${rate.perSecond}/s, burst ${burst}); timeScale ${timeScale}, seed ${seed}`;
    return { figures: [figure], violations };
  } finally {
    await stack.stop();
  }
}
