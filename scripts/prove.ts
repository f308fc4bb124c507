/**
 * Proves promises that take their time, on this machine, with sandbox and bridge as processes of their own.
 *
 *   npm run prove -- --traces [--seed 1]   a day of positions, as one file and as a file an hour
 *   npm run prove -- --tokens [--seed 1]   a batch of three minutes on tokens that live for one
 *   npm run prove -- --outage [--rows 5000]   two hours in which nothing can arrive
 *   npm run prove -- --brownout [--rows 5000]   an hour in which two requests of five fail
 *   npm run prove -- --creates             orders whose creates are answered wrongly, late or not at all
 *   npm run prove -- --orders              a day of orders that are changed, cancelled and followed; then with polls lost
 *     [--orders-count 1000] [--changes 300] [--cancels 50] [--lost 0.05] [--time-scale 720]
 *   npm run prove -- --quiet [--loads 1000] [--rows-per-load 20] [--rate 100] [--times 2]   nothing at fault: nothing is sent twice
 *
 * Says what it ran and saw, the timeScale with it; exits with 1 when something did not hold.
 */
import { parseArgs } from 'node:util';
import { CHANNEL_RATE_DEFAULT } from '../src/kernel/limits.ts';
import { proveCreates } from './prove/creates.ts';
import { proveOrders } from './prove/orders.ts';
import { proveOutage } from './prove/outage.ts';
import type { Proof } from './prove/proof.ts';
import { proveQuiet } from './prove/quiet.ts';
import { proveTokens } from './prove/tokens.ts';
import { proveTraces } from './prove/traces.ts';

const { values: options } = parseArgs({
  options: {
    traces: { type: 'boolean', default: false },
    tokens: { type: 'boolean', default: false },
    outage: { type: 'boolean', default: false },
    brownout: { type: 'boolean', default: false },
    rows: { type: 'string', default: '5000' },
    creates: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    loads: { type: 'string', default: '1000' },
    'rows-per-load': { type: 'string', default: '20' },
    rate: { type: 'string', default: String(CHANNEL_RATE_DEFAULT) },
    times: { type: 'string', default: '2' },
    orders: { type: 'boolean', default: false },
    'orders-count': { type: 'string', default: '1000' },
    changes: { type: 'string', default: '300' },
    cancels: { type: 'string', default: '50' },
    lost: { type: 'string', default: '0.05' },
    'time-scale': { type: 'string', default: '720' },
    seed: { type: 'string', default: '1' },
  },
});
const SEED = Number(options.seed);
/** One broken promise breaks many times. */
const VIOLATIONS_SHOWN = 20;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const DAY = { name: 'DAY', loads: 20, hours: 24 } as const;

/** Few rows: two hours pass in 12 s. Many: in 40 s, so that they can be sent in the time. */
const ROWS = Number(options.rows);
const OUTAGE = {
  rows: ROWS,
  rowsPerLoad: 10,
  seed: SEED,
  ...(ROWS <= 1_000
    ? { timeScale: 600, ratePerSecond: 0.2, burst: 20 }
    : { timeScale: 180, ratePerSecond: 0.5, burst: 40 }),
} as const;

/** Many rows that are tried again and again: faster, all objects in the one thread of this machine's runtime would starve. */
const SLOWER = ROWS <= 1_000 ? {} : { timeScale: 60, ratePerSecond: 1.5 };

/** A day passes in two minutes. Changes come into the first half of the orders' lives, cancels into the second. */
const ORDERS = {
  stepShare: 0.11,
  timeScale: Number(options['time-scale']),
  orders: Number(options['orders-count']),
  changed: Number(options.changes),
  cancelled: Number(options.cancels),
  kills: false,
  seed: SEED,
} as const;

const QUIET = {
  loads: Number(options.loads),
  rowsPerLoad: Number(options['rows-per-load']),
  permits: { ratePerSecond: Number(options.rate), burst: Number(options.rate) * 2 },
  seed: SEED,
} as const;

const PROOFS: Record<
  'traces' | 'tokens' | 'creates' | 'orders' | 'outage' | 'brownout' | 'quiet',
  (() => Promise<Proof>)[]
> = {
  traces: [
    // The window is longer than the file takes to be handed over: every point waits for its batch.
    () => proveTraces({ uploads: [{ ...DAY, files: 'one' }], timeScale: 60, seed: SEED }),
    // A day passes in a minute.
    () => proveTraces({ uploads: [{ ...DAY, files: 'hourly' }], timeScale: 1_440, seed: SEED }),
  ],
  // Two hours of looking up pass in ten seconds.
  creates: [() => proveCreates({ timeScale: 720, ordersPerCase: 10, indexDelaySeconds: 1, failingChecks: 100 })],
  // Once as it should be, once with answers of polls lost.
  orders: [0, Number(options.lost)].map((lostShare) => () => proveOrders({ ...ORDERS, lostShare })),
  quiet: Array.from({ length: Number(options.times) }, () => () => proveQuiet(QUIET)),
  tokens: [() => proveTokens({ lifeSeconds: 60, durationSeconds: 180, loads: 8, answerMs: 3_000, seed: SEED })],
  outage: [() => proveOutage({ ...OUTAGE, what: 'outage', hours: 2 })],
  brownout: [() => proveOutage({ ...OUTAGE, ...SLOWER, what: 'brownout', hours: 1 })],
};

const asked = (Object.keys(PROOFS) as (keyof typeof PROOFS)[]).filter((name) => options[name]);
if (asked.length === 0) {
  say(
    `Say what to prove: ${Object.keys(PROOFS)
      .map((name) => `--${name}`)
      .join(', ')}.`,
  );
  process.exitCode = 2;
}
for (const prove of asked.flatMap((name) => PROOFS[name])) {
  const { figures, violations } = await prove();
  for (const text of violations.slice(0, VIOLATIONS_SHOWN)) say(`VIOLATION ${text}`);
  for (const text of figures) say(text);
  say(`${violations.length} violations`);
  if (violations.length > 0) process.exitCode = 1;
}
