/** Many loads of many milestones, with nothing at fault anywhere: each is sent once, and nothing is taken for trouble of the upstream. */
import { readFileSync } from 'node:fs';
import { progressTeller } from '../demo/progress.ts';
import { dice } from '../frame/dice.ts';
import { eventViolations } from '../invariants/events.ts';
import { mostPerSecond, quietViolations } from '../invariants/permits.ts';
import { carrierFile } from '../kill/generate.ts';
import { type ChannelPermits, NO_RATE } from '../local/bridge.ts';
import { isSettledOrHeld } from '../local/client.ts';
import { withStack } from '../local/stack.ts';
import { milestonesOf, PROVE, type Proof } from './proof.ts';

/** @property permits of the channel; absent: held to no rate, as in the demo. */
interface QuietPlan {
  loads: number;
  rowsPerLoad: number;
  permits?: ChannelPermits;
  seed: number;
}

/** A machine that is busy with other work takes longer; it sends nothing twice for that. */
const SETTLE_MS_MAX = 1_800_000;

export const proveQuiet = ({ loads, rowsPerLoad, permits = NO_RATE, seed }: QuietPlan): Promise<Proof> =>
  withStack({ ...PROVE, permits }, async (stack, client) => {
    const { logPath } = stack.bridge;
    const startedMs = Date.now();
    const tellProgress = progressTeller();
    const rowsUploaded = loads * rowsPerLoad;
    const batchId = await client.put(carrierFile('QUIET', loads, rowsPerLoad, dice(seed)), 'carrier-status-csv');
    await client.drain([batchId], isSettledOrHeld, SETTLE_MS_MAX, ([now]) => now && tellProgress(now));
    const log = readFileSync(logPath, 'utf8'); // it goes with the bridge
    const sent = { batchId, rowsUploaded };
    const found = await milestonesOf(stack, client, sent, { isDone: isSettledOrHeld, msMax: SETTLE_MS_MAX });
    const attempts = found.sendings.flatMap((sending) => sending.attempts);
    const latencies = attempts.map(({ latencyMs }) => latencyMs ?? 0).sort((one, other) => one - other);
    const tookSeconds = ((found.endedMs - startedMs) / 1_000).toFixed(1);
    const figure =
      `quiet: ${rowsUploaded} rows of ${loads} loads in ${tookSeconds} s: ${found.seen.length} requests upstream, ` +
      `at most ${mostPerSecond(found.arrivedMs)} received in a second; answered within ${latencies[Math.floor(latencies.length / 2)]} ms (half of them), ` +
      `${latencies.at(-1)} ms (all); seed ${seed}`;
    return {
      figures: [figure],
      violations: [...quietViolations({ seen: found.seen, attempts, rowsUploaded, log }), ...eventViolations(found)],
    };
  });
