/**
 * Watches one seed as it happens: nothing leaves without its intent, never out of order, never too early, and what came
 * back is kept.
 */
import { createHash } from 'node:crypto';
import type { CachedToken } from '../../src/upstream/gate/token-lifetime.ts';
import type { Violation } from '../invariants/evidence.ts';
import { FeedWitness } from './feed-witness.ts';
import { Probes } from './probes.ts';
import { AWAITS_EQUAL, undecided } from './quiet.ts';
import type { Sending, UpstreamWitness } from './upstream.ts';
import type { Home, Observer } from './world.ts';

/** Setting of the bridge: an undecided request lets others pass this long after its first try. */
const STEP_ASIDE_MS = 3_600_000;
const RETRY_AFTER_MIN_MS = 1_000;
const RETRY_AFTER_MAX_MS = 6 * 3_600_000;
/** A request may wait for its token when its deadline passes. */
const DEADLINE_SLACK_MS = 60_000;

const OPEN = `('queued', 'waiting', 'unknown')`;
const OPEN_OR_HELD = `('queued', 'waiting', 'unknown', 'held')`;
const NOT_ASIDE = '(first_tried_at_ms IS NULL OR first_tried_at_ms + ? > ?)';
/** What stands before a request of its lane and should have gone first. */
const BEFORE: Record<string, string> = {
  milestones: `SELECT key FROM request WHERE lane = 'milestones' AND seq < ? AND state IN ${OPEN}
    AND NOT ${AWAITS_EQUAL} AND ${NOT_ASIDE}`,
  operations: `SELECT key FROM request WHERE lane = 'operations' AND seq < ? AND state IN ${OPEN_OR_HELD} AND (TRUE OR ? = ?)`,
  traces: `SELECT key FROM trace_set JOIN request USING (seq), (SELECT set_no, part FROM trace_set WHERE seq = ?) AS own
           WHERE (trace_set.set_no, trace_set.part) < (own.set_no, own.part) AND state IN ${OPEN} AND ${NOT_ASIDE}`,
};

const NEXT = undecided(`'queued', 'waiting', 'unknown'`);

interface Answered {
  sending: Sending;
  status: number;
  retryAfterMs: number | null;
  body: string;
  instance: unknown;
}

interface SendingRow {
  seq: number;
  key: string;
  attempts: number;
  deadline_ms: number;
}

export class Witness implements UpstreamWitness, Observer {
  readonly breaches: Violation[] = [];
  /** Request key → how often it was truly done. */
  readonly applied = new Map<string, number>();
  /** Whatever the bridge sent. */
  readonly sendings: Sending[] = [];
  readonly #refusedTokens = new Set<string>();
  readonly #notBeforeMs = new Map<string, number>();
  /** Per request the wake-ups in which it was answered 401, since another answer. */
  readonly #refusals = new Map<string, unknown[]>();
  #answered: Answered[] = [];
  readonly #probes = new Probes();
  readonly feeds = new FeedWitness({
    found: (violations) => this.found(violations),
    breach: (invariant, what) => this.breach(invariant, what),
    nowMs: () => this.nowMs(),
    storedAt: (key) => this.storedAt(key),
  });
  /** The gate whose permits are used. */
  gate: () => Home | undefined = () => undefined;
  nowMs: () => number = () => 0;
  isGoodToken: (token: string) => boolean = () => false;
  /** Bytes of a stored file. */
  storedAt: (key: string) => Uint8Array | undefined = () => undefined;

  breach = (invariant: string, what: string): void => {
    this.breaches.push({ invariant, what });
  };

  found(violations: readonly Violation[]): void {
    this.breaches.push(...violations);
  }

  isBroken = (): boolean => this.breaches.length > 0;

  leaves(home: Home | null, call: { method: string; path: string; body: string; wakeUp: unknown }): Sending {
    const { method, path, body, wakeUp } = call;
    const sending: Sending = { method, path, body, keys: [], home, wakeUp, seq: 0, attempt: 0 };
    this.sendings.push(sending);
    if (home === null) {
      this.breach('I5', `${path} was called by nobody`);
      return sending;
    }
    const lane = path.includes('order') ? 'operations' : path.includes('trace') ? 'traces' : 'milestones';
    const { database } = home;
    const rows = database.read<SendingRow>(
      `SELECT seq, key, attempts, deadline_ms FROM request WHERE state = 'sending' AND lane = ?`,
      lane,
    );
    const [row] = rows;
    if (row === undefined || rows.length > 1) {
      this.breach(row === undefined ? 'I5' : 'I6', `${path} left ${home.name} with ${rows.length} requests in sending`);
      return sending;
    }
    const [attempt] = database.read<{ sha256: string; effect: string | null; carries: string | null }>(
      'SELECT request_sha256 AS sha256, effect, carries FROM attempt WHERE seq = ? AND attempt = ?',
      row.seq,
      row.attempts,
    );
    const sha256 = createHash('sha256').update(body).digest('hex');
    if (attempt === undefined || attempt.effect !== null || (attempt.sha256 !== sha256 && method !== 'DELETE')) {
      this.breach('I5', `${row.key} left without an open attempt of its bytes`);
    }
    const carried = attempt?.carries ?? null;
    const keys = carried === null ? [row.key] : keysOf(home, carried);
    const named = { ...sending, keys, seq: row.seq, attempt: row.attempts };
    this.sendings[this.sendings.length - 1] = named;
    if (this.nowMs() > row.deadline_ms + DEADLINE_SLACK_MS) this.breach('I12', `${row.key} left after its deadline`);
    this.#inOrder(home, lane, row);
    this.#inTime(named);
    this.#mayLeave(locationOf(named));
    return named;
  }

  asks(home: Home | null, url: URL): () => void {
    // Where a clock is wrong, so is what a permit of the gate says of its end.
    if (home !== null && home.className !== 'UpstreamGate' && home.aheadMs === 0)
      this.#mayLeave(`${home.name} ${url.pathname}${url.search}`);
    return home?.className === 'OrderFeed' ? this.feeds.asks(home, url) : () => undefined;
  }

  applies(sending: Sending): void {
    for (const key of sending.keys) {
      const times = (this.applied.get(key) ?? 0) + 1;
      this.applied.set(key, times);
      const isCreate = sending.method === 'POST' && sending.path.includes('order');
      if (isCreate && times > 1) this.breach('I7', `${key} was done ${times} times`);
    }
  }

  answered(sending: Sending, status: number, retryAfterMs: number | null, body: string): void {
    this.#answered.push({ sending, status, retryAfterMs, body, instance: sending.home?.instance });
  }

  refusedToken(token: string): void {
    this.#refusedTokens.add(token);
  }

  mints(home: Home | null): void {
    const [row] = home?.database.read<{ held: string }>('SELECT held FROM token') ?? [];
    if (row === undefined) return;
    const held = JSON.parse(row.held) as CachedToken;
    const isFresh = Math.floor(this.nowMs()) < held.refreshAtMs;
    if (isFresh && this.isGoodToken(held.token) && !this.#refusedTokens.has(held.token)) {
      this.breach('I13', `a token was asked for though ${held.token} is good`);
    }
  }

  /** An answer that cannot be stored is as good as none: it is not looked for. */
  statementFailed(home: Home): void {
    this.#answered = this.#answered.filter(({ sending }) => sending.home !== home);
  }

  turnEnded(home: Home, wrote: boolean): void {
    if (this.#answered.length > 0) this.#recorded(home);
    if (wrote && home.className === 'OrderFeed') this.feeds.turnEnded(home);
    if (!wrote || (home.className !== 'Load' && home.className !== 'Order')) return;
    const { database } = home;
    const sending = database.read<{ lane: string; sendings: number }>(
      `SELECT lane, count(*) AS sendings FROM request WHERE state = 'sending' GROUP BY lane HAVING count(*) > 1`,
    );
    for (const { lane, sendings } of sending) this.breach('I6', `${home.name}: ${sendings} in sending in ${lane}`);
    const isAwake = home.ringing !== undefined || (home.instance?.invocations.size ?? 0) > 0;
    if (isAwake || home.alarmMs !== null || home.isLost) return;
    const open = database.read<{ key: string }>(NEXT)[0];
    if (open !== undefined) this.breach('I12', `${home.name}: ${open.key} is open, and no alarm is set`);
    const untold = database.read('SELECT 1 FROM outbox LIMIT 1')[0];
    if (untold !== undefined) this.breach('I12', `${home.name}: outcomes are untold, and no alarm is set`);
  }

  /** I10. */
  #inOrder(home: Home, lane: string, row: SendingRow): void {
    const nowMs = Math.floor(this.nowMs());
    const [passed] = home.database.read<{ key: string }>(BEFORE[lane] ?? '', row.seq, STEP_ASIDE_MS, nowMs);
    if (passed !== undefined) this.breach('I10', `${row.key} left before ${passed.key}`);
  }

  #mayLeave(place: string): void {
    const gate = this.gate();
    const wrong = gate && this.#probes.leaves(gate, place, this.nowMs());
    if (wrong !== undefined) this.breach('I15', `${place} left ${wrong}`);
  }

  /** I15, and the sendings that a 401 may cost (I13). */
  #inTime(sending: Sending): void {
    const place = locationOf(sending);
    const nowMs = this.nowMs();
    const notBeforeMs = this.#notBeforeMs.get(place) ?? 0;
    if (nowMs < notBeforeMs) {
      this.breach('I15', `${sending.keys[0]} was sent ${Math.round(notBeforeMs - nowMs)} ms before its Retry-After`);
    }
    const refusals = this.#refusals.get(place) ?? [];
    const own = refusals.filter((wakeUp) => wakeUp === sending.wakeUp); // a later one has a permit of its own
    if (own.length > 1) this.breach('I13', `${sending.keys[0]} was sent a third time after a 401`);
  }

  /** I11: its process lived on, so the answer stands with the attempt. */
  #recorded(home: Home): void {
    const mine = this.#answered.filter(({ sending }) => sending.home === home);
    if (mine.length === 0) return;
    this.#answered = this.#answered.filter(({ sending }) => sending.home !== home);
    for (const { sending, status, retryAfterMs, body, instance } of mine) {
      if (instance !== home.instance) continue;
      const [row] = home.database.read<{ status: number | null; body: string | null }>(
        'SELECT status, body FROM attempt WHERE seq = ? AND attempt = ?',
        sending.seq,
        sending.attempt,
      );
      if (row?.status !== status || row.body !== body) {
        this.breach('I11', `${sending.keys[0]}: an answer ${status} came in and is not recorded`);
      }
      const place = locationOf(sending);
      if (status === 401) this.#refusals.set(place, [...(this.#refusals.get(place) ?? []), sending.wakeUp]);
      else this.#refusals.delete(place);
      if (retryAfterMs === null || (status !== 429 && status !== 503)) continue;
      const waitMs = Math.min(RETRY_AFTER_MAX_MS, Math.max(RETRY_AFTER_MIN_MS, retryAfterMs));
      this.#notBeforeMs.set(place, Math.floor(this.nowMs()) + waitMs);
    }
  }
}

const locationOf = ({ home, seq }: Sending): string => `${home?.className} ${home?.name} ${seq}`;

const keysOf = (home: Home, seqs: string): string[] =>
  home.database
    .read<{ key: string }>('SELECT key FROM request WHERE seq IN (SELECT value FROM json_each(?))', seqs)
    .map(({ key }) => key);
