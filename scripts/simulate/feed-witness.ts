/**
 * Watches a feed as it happens: never two polls at once, none without its intent or before its time, nothing read that is
 * not stored, and single orders asked for only where something may be missing.
 */
import { createHash } from 'node:crypto';
import { FEED_CLOCKS_APART_MS, FEED_QUIET_MS, POLL_MINUTES_DEFAULT } from '../../src/feed/limits.ts';
import type { Violation } from '../invariants/evidence.ts';
import { hasItsOwnTime } from '../invariants/polls.ts';
import type { Home, Instance } from './world.ts';

interface FeedWitnessPort {
  found(violations: readonly Violation[]): void;
  breach(invariant: string, what: string): void;
  nowMs(): number;
  storedAt(key: string): Uint8Array | undefined;
}

type NewestPoll = { poll_no: number; state: string; status: number | null; key: string | null; sha256: string | null };

/** Each half hour since the feed began has one poll at most: seed 8 counts 48 calls a day. */
const POLL_MS = POLL_MINUTES_DEFAULT * 60_000;
/** An answer of a poll that has no body to be stored. */
const NO_CONTENT = 204;

const HANDLED_SINCE = `SELECT max(started_at_ms) AS ms, max(poll_no) AS last FROM poll WHERE state NOT IN ('asking', 'refused')`;
const ASKED_SINCE = `SELECT 1 FROM audit WHERE what = 'poll_now' AND at_ms >= ? LIMIT 1`;
const ASKED = `SELECT count(*) AS times FROM audit WHERE what = 'poll_now'`;
const NEWEST = `SELECT poll_no, state, status, key, sha256 FROM poll WHERE state IN ('stored', 'read') ORDER BY poll_no DESC LIMIT 1`;

export class FeedWitness {
  readonly #port: FeedWitnessPort;
  #polling: Instance | undefined;
  /** By number of the poll: how often a person had wanted one when it left. */
  readonly #wanted = new Map<number, number>();
  /** The last poll whose stored answer was looked at. */
  #seen = 0;
  /** When the order under this reference was first called; null: never. */
  calledAtMs: (orderRef: string) => number | null = () => null;

  constructor(port: FeedWitnessPort) {
    this.#port = port;
  }

  /** @returns to be told when it is answered or given up. */
  asks(home: Home, url: URL): () => void {
    const orderRef = url.searchParams.get('orderRef');
    if (orderRef !== null) {
      this.#looks(home, orderRef);
      return () => undefined;
    }
    const { breach } = this.#port;
    if (this.#polling?.isAlive) breach('I29', `${home.name} polls while a poll of it is on its way`);
    const asking = home.database.read<{ poll_no: number }>(`SELECT poll_no FROM poll WHERE state = 'asking'`);
    if (asking.length !== 1) breach('I5', `${home.name} polls with ${asking.length} intents`);
    this.#inTime(home, asking[0]?.poll_no ?? 0);
    const instance = home.instance;
    this.#polling = instance;
    return () => {
      if (this.#polling === instance) this.#polling = undefined;
    };
  }

  /** Nothing is read before it is stored, as it came; and it wakes again. */
  turnEnded(home: Home): void {
    const { database } = home;
    const { breach, storedAt } = this.#port;
    const [poll] = database.read<NewestPoll>(NEWEST);
    if (poll !== undefined && poll.status !== NO_CONTENT && poll.poll_no !== this.#seen) {
      this.#seen = poll.poll_no;
      const bytes = storedAt(poll.key ?? '');
      const sha256 = bytes && createHash('sha256').update(bytes).digest('hex');
      if (sha256 !== poll.sha256) breach('I29', `poll ${poll.poll_no} is ${poll.state}, and its answer is not stored`);
    }
    const isAwake = home.ringing !== undefined || (home.instance?.invocations.size ?? 0) > 0;
    if (isAwake || home.alarmMs !== null || home.isLost) return;
    if (database.read('SELECT 1 FROM feed').length > 0) breach('I12', `${home.name} has no alarm`);
  }

  /** But for what was refused unhandled, and for who asks for it: a clock that was set back says that one asked before. */
  #inTime({ name, database, aheadMs }: Home, pollNo: number): void {
    const wanted = database.read<{ times: number }>(ASKED)[0]?.times ?? 0;
    this.#wanted.set(pollNo, wanted);
    const [handled] = database.read<{ ms: number | null; last: number | null }>(HANDLED_SINCE);
    const sinceMs = handled?.ms ?? null;
    if (wanted > (this.#wanted.get(handled?.last ?? 0) ?? wanted)) return;
    if (sinceMs !== null && database.read(ASKED_SINCE, sinceMs).length > 0) return;
    const [began] = database.read<{ ms: number }>('SELECT began_at_ms AS ms FROM feed');
    const times = { beganAtMs: began?.ms ?? 0, intervalMs: POLL_MS };
    this.#port.found(hasItsOwnTime(`a poll of ${name}`, this.#port.nowMs() + aheadMs, sinceMs, times));
  }

  /** A gap is open, or a person asked, or the order was not known yet when a poll was lost. */
  #looks({ name, database }: Home, orderRef: string): void {
    const { breach } = this.#port;
    if (database.read('SELECT 1 FROM gap WHERE closed_at_ms IS NULL LIMIT 1').length > 0) return;
    if (database.read(`SELECT 1 FROM audit WHERE what = 'repair_now' LIMIT 1`).length > 0) return;
    const [lost] = database.read<{ ms: number | null }>('SELECT max(lost_at_ms) AS ms FROM gap');
    const calledAtMs = this.calledAtMs(orderRef);
    const wasLate =
      calledAtMs !== null && lost?.ms != null && calledAtMs <= lost.ms + FEED_QUIET_MS + FEED_CLOCKS_APART_MS;
    if (!wasLate) breach('I30', `${name} asks for ${orderRef} without a gap`);
  }
}
