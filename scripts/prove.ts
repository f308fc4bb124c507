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
 *   npm run prove -- --restore [--rows 5000]   the directory is lost, and restored from an older export
 *   npm run prove -- --hostile [--seconds 300] [--partners 50]   fifty partners beside one that does all it can to be in their way
 *     [--new-loads 10000] [--poison-rows 500] [--no-limits]
 *   npm run prove -- --upgrade [--seconds 15] [--partners 3]   the release before and this one, mixed under load in every order
 *
 * Says what it ran and saw, the timeScale with it; exits with 1 when something did not hold.
 */
import { parseArgs } from 'node:util';
import { NotRun, runCommand, say, whole } from './frame/command.ts';
import { sentenceOf } from './invariants/evidence.ts';
import { proveCreates } from './prove/creates.ts';
import { proveHostile } from './prove/hostile.ts';
import { proveOrders } from './prove/orders.ts';
import { proveOutage } from './prove/outage.ts';
import type { Proof } from './prove/proof.ts';
import { proveQuiet } from './prove/quiet.ts';
import { proveRestore } from './prove/restore.ts';
import { proveTokens } from './prove/tokens.ts';
import { proveTraces } from './prove/traces.ts';
import { MIXES } from './prove/upgrade/mixes.ts';
import { proveRefused } from './prove/upgrade/refused.ts';
import { proveUpgrade } from './prove/upgrade.ts';

const options = {
  traces: { type: 'boolean', default: false },
  tokens: { type: 'boolean', default: false },
  outage: { type: 'boolean', default: false },
  brownout: { type: 'boolean', default: false },
  rows: { type: 'string', default: '5000' },
  creates: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  loads: { type: 'string', default: '1000' },
  'rows-per-load': { type: 'string', default: '20' },
  rate: { type: 'string' },
  times: { type: 'string', default: '2' },
  hostile: { type: 'boolean', default: false },
  seconds: { type: 'string' },
  partners: { type: 'string' },
  'new-loads': { type: 'string', default: '10000' },
  'poison-rows': { type: 'string', default: '500' },
  'no-limits': { type: 'boolean', default: false },
  orders: { type: 'boolean', default: false },
  restore: { type: 'boolean', default: false },
  upgrade: { type: 'boolean', default: false },
  'orders-count': { type: 'string', default: '1000' },
  changes: { type: 'string', default: '300' },
  cancels: { type: 'string', default: '50' },
  lost: { type: 'string', default: '0.05' },
  'time-scale': { type: 'string', default: '720' },
  seed: { type: 'string', default: '1' },
} as const;
/** One broken promise breaks many times. */
const VIOLATIONS_SHOWN = 20;
/** A poll more, or another process's turn. */
const UNFELT_MS = 30;
const DAY = { name: 'DAY', loads: 20, hours: 24 } as const;

const read = () => parseArgs({ options }).values;

/** By the option that asks for them. */
function proofsOf(values: ReturnType<typeof read>) {
  const seed = whole(values.seed);
  const rows = whole(values.rows, 1);
  const lost = Number(values.lost);
  const rate = values.rate === undefined ? undefined : whole(values.rate, 1);
  /** Few rows: two hours pass in 12 s. Many: in 40 s, so that they can be sent in the time. */
  const areFew = rows <= 1_000;
  const outage = {
    rows,
    rowsPerLoad: 10,
    seed,
    ...(areFew ? { timeScale: 600, ratePerSecond: 0.2, burst: 20 } : { timeScale: 180, ratePerSecond: 0.5, burst: 40 }),
  };
  /** Many rows that are tried again and again: faster, all objects in the one thread of this machine's runtime would starve. */
  const slower = areFew ? {} : { timeScale: 60, ratePerSecond: 1.5 };
  /** A day passes in two minutes. Changes come into the first half of the orders' lives, cancels into the second. */
  const orders = {
    stepShare: 0.11,
    timeScale: Number(values['time-scale']),
    orders: whole(values['orders-count']),
    changed: whole(values.changes),
    cancelled: whole(values.cancels),
    kills: false,
    seed,
  };
  const quiet = {
    loads: whole(values.loads, 1),
    rowsPerLoad: whole(values['rows-per-load'], 1),
    ...(rate === undefined ? {} : { permits: { ratePerSecond: rate, burst: rate * 2 } }),
    seed,
  };
  const hostile = {
    seconds: whole(values.seconds ?? '300', 1),
    partners: whole(values.partners ?? '50', 1),
    newLoads: whole(values['new-loads'], 1),
    poisonRows: whole(values['poison-rows'], 1),
    isLimited: !values['no-limits'],
    unfeltMs: UNFELT_MS,
  };
  return {
    hostile: [() => proveHostile(hostile)],
    traces: [
      // The window is longer than the file takes to be handed over: every point waits for its batch.
      () => proveTraces({ uploads: [{ ...DAY, files: 'one' }], timeScale: 60, seed }),
      // A day passes in a minute.
      () => proveTraces({ uploads: [{ ...DAY, files: 'hourly' }], timeScale: 1_440, seed }),
    ],
    tokens: [() => proveTokens({ lifeSeconds: 60, durationSeconds: 180, loads: 8, answerMs: 3_000, seed })],
    // Two hours of looking up pass in ten seconds.
    creates: [() => proveCreates({ timeScale: 720, ordersPerCase: 10, indexDelaySeconds: 1, failingChecks: 100 })],
    // Once as it should be, once with answers of polls lost.
    orders: [0, lost].map((lostShare) => () => proveOrders({ ...orders, lostShare })),
    outage: [() => proveOutage({ ...outage, what: 'outage', hours: 2 })],
    brownout: [() => proveOutage({ ...outage, ...slower, what: 'brownout', hours: 1 })],
    restore: [() => proveRestore({ rows })],
    upgrade: [
      () =>
        proveUpgrade({
          release: '0.2',
          mixes: MIXES,
          partners: whole(values.partners ?? '3'),
          seconds: whole(values.seconds ?? '15', 1),
          seed,
        }),
      () => proveRefused({ seed }),
    ],
    quiet: Array.from({ length: whole(values.times) }, () => () => proveQuiet(quiet)),
  } satisfies Record<string, (() => Promise<Proof>)[]>;
}

await runCommand(async () => {
  const values = read();
  const proofs = proofsOf(values);
  const names = Object.keys(proofs) as (keyof typeof proofs)[];
  const asked = names.filter((name) => values[name]);
  if (asked.length === 0) throw new NotRun(`Say what to prove: ${names.map((name) => `--${name}`).join(', ')}.`);
  let isHeld = true;
  for (const prove of asked.flatMap((name) => proofs[name])) {
    const { figures, violations } = await prove();
    for (const each of violations.slice(0, VIOLATIONS_SHOWN)) say(`VIOLATION ${sentenceOf(each)}`);
    for (const text of figures) say(text);
    say(`${violations.length} violations`);
    isHeld &&= violations.length === 0;
  }
  return isHeld;
});
