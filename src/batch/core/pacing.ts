/**
 * Which loads and orders of a batch are awake; requests of others wait in the batch. Pure, in real time; nothing is
 * stored. A subject is awake from dispatch until it reports that nothing is queued there or that it waits for something
 * else, and for a limited time, so that a delayed one does not block the rest. A restarted object wakes another wave.
 */

import type { RequestOutcome } from '../../delivery/outcome.ts';
import { SECOND_MS } from '../../kernel/clock.ts';
import type { DispatchedRequest } from '../../tracking/request.ts';
import {
  AWAKE_CHARACTERS_MAX,
  AWAKE_MS_MAX,
  NEW_SUBJECTS_FREE,
  SUBJECTS_AWAKE_MAX,
  SUBJECTS_REMEMBERED_MAX,
  VISIT_LOOK_MS,
  VISIT_SLOT_MS,
  VISITS_AT_ONCE_MAX,
} from '../limits.ts';

interface Awake {
  sinceMs: number;
  /** Queued requests, by record and request: characters of the body. */
  open: Map<string, number>;
}

export class Wave {
  /** By name, the oldest first. */
  readonly #awake = new Map<string, Awake>();
  readonly #subjectOf = new Map<string, string>();
  #characters = 0;

  /**
   * Call when its visit begins. Positions do not count: they wait for the rest of their load and for the end of the
   * file.
   */
  wake(name: string, requests: readonly DispatchedRequest[], nowMs: number): void {
    const open = new Map(
      requests.filter(({ kind }) => kind !== 'trace').map((request) => [keyOf(request), request.body.length]),
    );
    if (open.size === 0) return;
    for (const [key, characters] of this.#awake.get(name)?.open ?? []) if (!open.has(key)) open.set(key, characters);
    this.sleep(name);
    this.#awake.set(name, { sinceMs: nowMs, open });
    for (const [key, characters] of open) {
      this.#subjectOf.set(key, name);
      this.#characters += characters;
    }
  }

  note(outcomes: readonly RequestOutcome[]): void {
    for (const outcome of outcomes) {
      const { state, reason } = outcome;
      const name = this.#subjectOf.get(keyOf(outcome));
      if (name === undefined) continue;
      if (state === 'sending' || (state === 'queued' && reason !== 'scac_refused')) continue;
      const waitsForMore = state === 'waiting' || state === 'unknown' || state === 'held' || state === 'queued';
      if (waitsForMore) this.sleep(name);
      else this.#drop(name, keyOf(outcome));
    }
  }

  /** Whether one more may be woken now. */
  hasRoom(nowMs: number): boolean {
    for (const [name, { sinceMs }] of this.#awake) {
      if (nowMs - sinceMs < AWAKE_MS_MAX && nowMs >= sinceMs) break;
      this.sleep(name);
    }
    return this.#awake.size < SUBJECTS_AWAKE_MAX && this.#characters < AWAKE_CHARACTERS_MAX;
  }

  /** @returns ms until the subject awake longest no longer counts. */
  restMs(nowMs: number): number {
    const [oldest] = this.#awake.values();
    return oldest === undefined ? 0 : Math.max(0, oldest.sinceMs + AWAKE_MS_MAX - nowMs);
  }

  #drop(name: string, key: string): void {
    const awake = this.#awake.get(name);
    this.#characters -= awake?.open.get(key) ?? 0;
    awake?.open.delete(key);
    this.#subjectOf.delete(key);
    if (awake?.open.size === 0) this.#awake.delete(name);
  }

  /** It no longer counts. */
  sleep(name: string): void {
    for (const key of this.#awake.get(name)?.open.keys() ?? []) this.#drop(name, key);
  }
}

const keyOf = ({ record, request }: { record: number; request: number }): string => `${record}/${request}`;

/*
 * Visits under way in this process, whichever batch makes them: their loads share one thread and its memory. Partners
 * share them evenly, and so do the batches of a partner, so that a small file does not wait until a large one is done.
 *
 * Plain values only, because objects share no promises: a batch without a slot checks again by its own timer. If its
 * object dies, it returns nothing and never checks: both are forgotten after a time.
 */

/** Who makes a visit. */
export interface Visitor {
  partner: string;
  batch: string;
}

/** A batch that has not checked for this long, in real ms, waits no more. */
const GONE_AFTER_MS = 20 * VISIT_LOOK_MS;

export class VisitSlots {
  readonly #max: number;
  /** By ticket, oldest first. */
  readonly #inUse = new Map<number, Visitor & { untilMs: number }>();
  /** By batch. */
  readonly #waiting = new Map<string, Visitor & { checkedAtMs: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns whether it has a slot now. */
  take(ticket: number, visitor: Visitor, nowMs: number): boolean {
    for (const [each, { untilMs }] of this.#inUse) if (nowMs >= untilMs) this.#inUse.delete(each);
    for (const [each, { checkedAtMs }] of this.#waiting)
      if (Math.abs(nowMs - checkedAtMs) > GONE_AFTER_MS) this.#waiting.delete(each);
    const { partner, batch } = visitor;
    const isFree = this.#inUse.size < this.#max && this.#isWithinShare(visitor);
    if (isFree) this.#waiting.delete(batch);
    else this.#waiting.set(batch, { partner, batch, checkedAtMs: nowMs });
    if (isFree) this.#inUse.set(ticket, { partner, batch, untilMs: nowMs + VISIT_SLOT_MS });
    return isFree;
  }

  /** Idempotent. */
  giveBack(ticket: number): void {
    this.#inUse.delete(ticket);
  }

  /** While nobody else waits, one may have all. */
  #isWithinShare({ partner, batch }: Visitor): boolean {
    const all = [...this.#inUse.values(), ...this.#waiting.values()];
    const inUse = [...this.#inUse.values()];
    const waiting = [...this.#waiting.values()];
    const ofPartner = share(this.#max, [partner, ...all.map((each) => each.partner)]);
    const isShared = waiting.some((each) => each.partner !== partner);
    if (isShared && inUse.filter((each) => each.partner === partner).length >= ofPartner) return false;
    const own = all.filter((each) => each.partner === partner).map((each) => each.batch);
    const ofBatch = share(isShared ? ofPartner : this.#max, [batch, ...own]);
    const isSharedWithin = waiting.some((each) => each.partner === partner && each.batch !== batch);
    return !isSharedWithin || inUse.filter((each) => each.batch === batch).length < ofBatch;
  }
}

const share = (slots: number, among: readonly string[]): number => Math.max(1, Math.floor(slots / new Set(among).size));

let visitSlots = new VisitSlots(VISITS_AT_ONCE_MAX);
let tickets = 0;

/** @returns a function that returns the slot; null: there is none now. */
export function takeVisitSlot(visitor: Visitor, nowMs: number): (() => void) | null {
  tickets += 1;
  const [slots, ticket] = [visitSlots, tickets];
  return slots.take(ticket, visitor, nowMs) ? () => slots.giveBack(ticket) : null;
}

/** For tests: as in a fresh process. */
export function forgetVisits(): void {
  visitSlots = new VisitSlots(VISITS_AT_ONCE_MAX);
}

/*
 * How fast a batch may call loads and orders it has not called before: each may be a new object, and the platform
 * refuses too many new ones of an account at once. The clock is passed in. Real time, whatever `timeScale`.
 */

/** What a batch tells its partner's register. @property rows of its file that are not final; null: they do not count. subjects: it wants to call as many new ones. */
export interface UnderWayReport {
  rows: number | null;
  subjects: number;
}

/** What that answers. @property subjects new loads and orders that may be called. waitMs: if there are none, until it is asked again, in real ms. */
export interface Granted {
  subjects: number;
  waitMs: number;
}

export class SubjectPace {
  readonly #met = new Set<string>();
  readonly #perSecond: number;
  #left: number;
  #atMs = Number.NEGATIVE_INFINITY;
  /** Of new ones that the partner's register has granted. */
  #granted = NEW_SUBJECTS_FREE;
  #heldUntilMs = 0;

  /** @param perSecond new ones, on average, and at once. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Records a call. A subject called before costs nothing. */
  meet(name: string, nowMs: number): void {
    if (this.#met.has(name)) return;
    if (this.#met.size >= SUBJECTS_REMEMBERED_MAX) this.#met.clear();
    this.#met.add(name);
    this.#refill(nowMs);
    this.#left -= 1;
    this.#granted -= 1;
  }

  /** Whether the register is to be asked for more. */
  get isSpent(): boolean {
    return this.#granted <= 0;
  }

  /** What the register said. */
  grant({ subjects, waitMs }: Granted, nowMs: number): void {
    this.#granted = Math.max(0, this.#granted) + subjects;
    this.#heldUntilMs = nowMs + waitMs;
  }

  /** @returns ms until the register is asked again; 0: now. */
  heldMs(nowMs: number): number {
    return this.isSpent ? Math.max(0, this.#heldUntilMs - nowMs) : 0;
  }

  /** @returns ms to wait before the next calls; 0: none. */
  restMs(nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(0, Math.ceil((-this.#left / this.#perSecond) * SECOND_MS));
  }

  #refill(nowMs: number): void {
    const sinceMs = Math.max(0, nowMs - this.#atMs);
    this.#left = Math.min(this.#perSecond, this.#left + (sinceMs / SECOND_MS) * this.#perSecond);
    this.#atMs = nowMs;
  }
}
