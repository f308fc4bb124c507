/**
 * The sandbox against the upstream's documentation, clause by clause over real HTTP; section numbers stand in the names.
 *
 * One sandbox under `wrangler dev` for everything, a second one on bare workerd for what the first one's proxy hides.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import type { RunningWorker } from '../../scripts/local/running.ts';
import { startBareSandbox } from '../../scripts/local/start-bare-sandbox.ts';
import { startWorker } from '../../scripts/local/start-worker.ts';
import { Client } from './conformance/client.ts';
import { eventClauses } from './conformance/events.ts';
import { faultClauses } from './conformance/faults.ts';
import { fleetClauses } from './conformance/fleet.ts';
import { journalClauses } from './conformance/journal.ts';
import { orderClauses, TIME_SCALE } from './conformance/orders.ts';
import { surfaceClauses } from './conformance/surface.ts';
import { tokenClauses } from './conformance/tokens.ts';

describe('under wrangler dev', () => {
  const client = served(() =>
    startWorker({
      config: 'wrangler.sandbox.toml',
      vars: { TIME_SCALE: String(TIME_SCALE) },
      readyPath: '/_sandbox/healthz',
    }),
  );
  surfaceClauses(client);
  tokenClauses(client);
  fleetClauses(client);
  eventClauses(client);
  orderClauses(client);
  journalClauses(client);
  faultClauses(client, 'wrangler dev');
});

describe('on bare workerd', () => {
  faultClauses(
    served(() => startBareSandbox({ timeScale: TIME_SCALE })),
    'bare workerd',
  );
});

/** Starts a sandbox before the tests of this block and ends it after them. */
function served(start: () => Promise<RunningWorker>): () => Client {
  let running: RunningWorker | undefined;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running?.stop());
  return () => {
    if (running === undefined) throw new Error('the sandbox is not running');
    return new Client(running.baseUrl);
  };
}
