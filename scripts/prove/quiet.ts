/** Many loads of many milestones, with nothing at fault anywhere: each is sent once, and nothing is taken for trouble of the upstream. */
import { readFileSync } from 'node:fs';
import { dice } from '../frame/dice.ts';
import { eventViolations } from '../kill/check.ts';
import { harnessClient, isSettledOrHeld } from '../kill/client.ts';
import { carrierFile } from '../kill/generate.ts';
import { seenAt, sendingsOf } from '../kill/sendings.ts';
import { storedSubjects } from '../kill/stored.ts';
import { type ChannelPermits, channelName } from '../local/bridge.ts';
import { startStack } from '../local/stack.ts';
import { mostPerSecond } from './check-permits.ts';
import { quietViolations } from './check-quiet.ts';
import type { Proof } from './proof.ts';

/** @property permits of the channel; absent: as the demo has them. */
export interface QuietPlan {
  loads: number;
  rowsPerLoad: number;
  permits?: ChannelPermits;
  seed: number;
}

/** A machine that is busy with other work takes longer; it sends nothing twice for that. */
const SETTLE_MS_MAX = 1_800_000;

export async function proveQuiet({ loads, rowsPerLoad, permits, seed }: QuietPlan): Promise<Proof> {
  const partner = { partner: 'prove', displayName: 'Prove', environment: 'test' as const, mappings: null };
  const stack = await startStack({
    partners: [{ ...partner, channel: channelName('test', 'key'), scacs: ['DEMO'] }],
    ...(permits === undefined ? {} : { permits }),
  });
  try {
    const client = harnessClient(() => stack.bridge.baseUrl, stack.keys[0] ?? '');
    const startedMs = Date.now();
    const batchId = await client.put(carrierFile('QUIET', loads, rowsPerLoad, dice(seed)), 'carrier-status-csv');
    const [summary] = await client.drain([batchId], isSettledOrHeld, SETTLE_MS_MAX);
    if (summary === undefined) throw new Error('no batch to look at');
    const tookMs = Date.now() - startedMs;
    const rows = await client.rows(batchId);
    const log = readFileSync(stack.bridge.logPath, 'utf8');
    await stack.bridge.stop(); // its files are read next
    const seen = seenAt(await stack.journal(), 'milestone');
    const stored = storedSubjects(stack.persistTo, 'Load').map(sendingsOf);
    const rowsUploaded = loads * rowsPerLoad;
    const arrivals = seen.map(({ receivedAtMs }) => receivedAtMs).sort((one, other) => one - other);
    const latencies = stored
      .flatMap((load) => load.flatMap(({ attempts }) => attempts.map(({ latencyMs }) => latencyMs ?? 0)))
      .sort((one, other) => one - other);
    const violations = [
      ...quietViolations({ seen, attempts: stored.flat().flatMap(({ attempts }) => attempts), rowsUploaded, log }),
      ...eventViolations({ seen, loads: stored, batches: [{ summary, rows, rowsUploaded }] }),
    ];
    const figure =
      `quiet: ${rowsUploaded} rows of ${loads} loads in ${(tookMs / 1_000).toFixed(1)} s: ${seen.length} requests upstream, ` +
      `at most ${mostPerSecond(arrivals)} received in a second; answered within ${latencies[Math.floor(latencies.length / 2)]} ms (half of them), ` +
      `${latencies.at(-1)} ms (all); seed ${seed}`;
    return { figures: [figure], violations };
  } finally {
    await stack.stop();
  }
}
