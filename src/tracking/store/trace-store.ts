/**
 * The Load's trace points and the sets they travel in. A set is identified by its lead, the request of its oldest
 * point; the others point to it.
 */
import type { LaneRequest } from '../../delivery/drain.ts';
import type { LoosePoints, PackedSet, WaitingPoint } from '../../delivery/events/traces.ts';
import { TRACE_BODY_BYTES_MAX, TRACE_POINTS_MAX } from '../../kernel/limits.ts';
import { isOpen, type StoredRequest } from '../request.ts';
import type { SubjectStore } from './subject-store.ts';
import type { LoadTables, TraceSet } from './subject-tables.ts';

export class TraceStore {
  readonly #tables: LoadTables;
  readonly #store: SubjectStore;
  /** Points in no set that wait. */
  readonly #loose = new Set<number>();

  constructor(tables: LoadTables, store: SubjectStore) {
    this.#tables = tables;
    this.#store = store;
    tables.request.watch((after, before) => {
      if (after !== null && isLoose(after)) this.#loose.add(after.seq);
      else if (before !== null) this.#loose.delete(before.seq);
    });
  }

  /** The batch has dispatched its last record. */
  release(batchId: string): void {
    const { released } = this.#tables;
    if (!released.has(batchId)) released.put({ batch_id: batchId });
  }

  /** The leads of the first `limit` open sets, in sending order. */
  openSets(limit: number): LaneRequest[] {
    const open = [...this.#tables.trace_set.values()].filter(({ seq }) => isOpen(this.#store.bySeq(seq).state));
    return open
      .sort(inSendingOrder)
      .slice(0, limit)
      .map(({ seq }) => ({ ...this.#store.laneRequest(this.#store.bySeq(seq)), awaitsEqual: false }));
  }

  loose(holdMs: number): LoosePoints | null {
    let [deadlineMs, readyAtMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const seq of this.#loose) {
      const row = this.#store.bySeq(seq);
      deadlineMs = Math.min(deadlineMs, row.deadline_ms);
      const ownMs = this.#store.awaitsEqual(row) ? row.deadline_ms + 1 : this.#readyAtMs(row, holdMs);
      readyAtMs = Math.min(readyAtMs, ownMs);
    }
    return this.#loose.size === 0 ? null : { deadlineMs, readyAtMs };
  }

  /** A live point may be sent at once; a file's at the end of its batch or when it has waited long enough. */
  #readyAtMs = ({ live, batch_id, taken_at_ms }: StoredRequest, holdMs: number): number =>
    live === 1 || this.#tables.released.has(batch_id) ? taken_at_ms : taken_at_ms + holdMs;

  /** Points past their deadline that are in no set; at most `limit`. */
  expiredLoose(nowMs: number, limit: number): number[] {
    const expired = this.#looseRows().filter(({ deadline_ms }) => deadline_ms < nowMs);
    return expired
      .sort(byEvent)
      .slice(0, limit)
      .map(({ seq }) => seq);
  }

  #looseRows = (): StoredRequest[] => [...this.#loose].map((seq) => this.#store.bySeq(seq));

  /** Points that may be sent now, oldest event first: at most as many as one set can hold. */
  ready(holdMs: number, nowMs: number): WaitingPoint[] {
    const waiting = this.#looseRows().filter((row) => this.#isReady(row, holdMs, nowMs));
    const found: WaitingPoint[] = [];
    let characters = 0;
    for (const row of waiting.sort(byEvent)) {
      if (characters > TRACE_BODY_BYTES_MAX || found.length >= TRACE_POINTS_MAX) break;
      characters += row.body.length;
      const { seq, channel, body } = row;
      found.push({ seq, channel, body, hadUnknown: row.had_unknown, rules: rulesOf(row) });
    }
    return found;
  }

  #isReady = (row: StoredRequest, holdMs: number, nowMs: number): boolean =>
    this.#readyAtMs(row, holdMs) <= nowMs && !this.#store.awaitsEqual(row);

  anyReady = (holdMs: number, nowMs: number): boolean =>
    this.#looseRows().some((row) => this.#isReady(row, holdMs, nowMs));

  /** Start of the last new set's first attempt, and whether ready points did not fit into it. Halves open no window. */
  lastSet(): { startedMs: number | null; overflowed: boolean } {
    const whole = [...this.#tables.trace_set.values()].filter(({ part }) => part === 0);
    const starts = whole.flatMap(({ seq }) => this.#store.bySeq(seq).first_tried_at_ms ?? []);
    const last = whole.sort(inSendingOrder).at(-1);
    return {
      startedMs: starts.length === 0 ? null : Math.max(...starts),
      overflowed: last?.overflowed === 1,
    };
  }

  /** Freezes a set: its points and its bytes never change again. @returns the seq of its lead. */
  freeze(set: PackedSet): number {
    const lead = leadOf(set);
    const numbers = [...this.#tables.trace_set.values()].map(({ set_no }) => set_no);
    const set_no = Math.max(0, ...numbers) + 1;
    this.#tables.trace_set.put({ seq: lead, set_no, part: 0, points: set.seqs.length, overflowed: 0, body: set.body });
    this.#join(set);
    return lead;
  }

  markOverflowed = (lead: number, overflowed: boolean): void =>
    void this.#tables.trace_set.patch(lead, { overflowed: Number(overflowed) });

  setOf(lead: number): TraceSet {
    const set = this.#tables.trace_set.get(lead);
    if (set === undefined) throw new Error(`no set is led by request ${lead}`);
    return set;
  }

  /**
   * The points of a set, oldest event first. A doubt about one is a doubt about all: it is stored with their lead, as
   * their rules are.
   */
  pointsOf = (lead: number): WaitingPoint[] =>
    this.#store
      .pointing(lead)
      .sort(byEvent)
      .map(({ seq, channel, body }) => ({ seq, channel, body, hadUnknown: 0, rules: 0 }));

  /**
   * Replaces a set by two halves, both tried as long as the set: a person may have given it new time. @returns the lead of
   * the younger one, which has no attempt yet.
   */
  split(set: TraceSet, [older, younger]: readonly [PackedSet, PackedSet]): number {
    const lead = leadOf(younger);
    const { trace_set: sets } = this.#tables;
    sets.patch(set.seq, { points: older.seqs.length, body: older.body });
    const part = set.part + older.seqs.length;
    sets.put({ seq: lead, set_no: set.set_no, part, points: younger.seqs.length, overflowed: 0, body: younger.body });
    this.#join(younger);
    const [deadline_ms, wholeMs] = [this.#store.bySeq(lead).deadline_ms, this.#store.bySeq(set.seq).deadline_ms];
    if (wholeMs > deadline_ms) this.#tables.request.patch(lead, { deadline_ms: wholeMs });
    return lead;
  }

  /** Points follow their lead, which is tried until the last of their deadlines. */
  #join(set: PackedSet): void {
    const { request } = this.#tables;
    const lead = leadOf(set);
    const rows = set.seqs.map((seq) =>
      request.patch(seq, { into_seq: lead, state: seq === lead ? 'queued' : 'coalesced' }),
    );
    const waits = rows.flatMap(({ load_wait_until_ms }) => load_wait_until_ms ?? []);
    request.patch(lead, {
      deadline_ms: Math.max(...rows.map(({ deadline_ms }) => deadline_ms)),
      load_wait_until_ms: waits.length === 0 ? null : Math.max(...waits),
    });
  }

  /** The lead's state changed: every point that travels with it is reported to its batch. */
  notifyPoints(lead: number, nowMs: number): void {
    for (const { seq } of this.#store.pointing(lead)) if (seq !== lead) this.#store.renew(seq, nowMs);
  }

  /** Whether a set after this one was tried. */
  laterWasTried(lead: number): boolean {
    const own = this.setOf(lead);
    return [...this.#tables.trace_set.values()].some(
      (later) => inSendingOrder(later, own) > 0 && this.#store.bySeq(later.seq).first_tried_at_ms !== null,
    );
  }
}

const isLoose = ({ event_at_ms, into_seq, state }: StoredRequest): boolean =>
  event_at_ms !== null && into_seq === null && state === 'queued';

const byEvent = (one: StoredRequest, other: StoredRequest): number =>
  (one.event_at_ms ?? 0) - (other.event_at_ms ?? 0) || one.seq - other.seq;

const inSendingOrder = (one: TraceSet, other: TraceSet): number => one.set_no - other.set_no || one.part - other.part;

/**
 * The delivery rules of a point's mapping, as a number: all points of a set must have the same, since they share one
 * answer.
 */
const rulesOf = ({ hold_unclear, strict, load_wait_until_ms }: StoredRequest): number =>
  hold_unclear + 2 * strict + 4 * Number(load_wait_until_ms !== null);

function leadOf({ seqs }: PackedSet): number {
  const [lead] = seqs;
  if (lead === undefined) throw new Error('a set without points');
  return lead;
}
