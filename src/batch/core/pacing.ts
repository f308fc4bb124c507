/**
 * Which loads and orders of a batch are awake; requests of others wait in the batch. Pure, in real time; nothing is
 * stored. A subject is awake from dispatch until it reports that nothing is queued there or that it waits for something
 * else, and for a limited time, so that a delayed one does not block the rest. A restarted object wakes another wave.
 */

import type { RequestOutcome } from '../../delivery/outcome.ts';
import { SECOND_MS } from '../../kernel/clock.ts';
import { DISPATCH_SUBJECTS_MAX } from '../../kernel/limits.ts';
import type { DispatchedRequest, LoadIdentity, OrderIdentity } from '../../tracking/request.ts';
import {
  AWAKE_CHARACTERS_MAX,
  AWAKE_MS_MAX,
  NEW_SUBJECTS_PER_SECOND,
  SUBJECTS_AWAKE_MAX,
  SUBJECTS_REMEMBERED_MAX,
} from '../limits.ts';

/** Requests for one subject. The map's key is its name: loads and orders never share one. */
export type SubjectPart = { requests: DispatchedRequest[] } & (
  | { subject: 'load'; identity: LoadIdentity }
  | { subject: 'order'; identity: OrderIdentity }
);

interface Awake {
  sinceMs: number;
  /** Queued requests, by record and request: characters of the body. */
  open: Map<string, number>;
}

export interface Room {
  subjects: number;
  characters: number;
}

/** The next wave starts when this share is free: a step for a few subjects costs as much as one for many. */
const FREE_SHARE = 0.25;

export class Wave {
  /** By name, the oldest first. */
  readonly #awake = new Map<string, Awake>();
  readonly #subjectOf = new Map<string, string>();
  #characters = 0;

  /**
   * Call when they are dispatched. Positions do not count: they wait for the rest of their load and for the end of the
   * file.
   */
  wake(parts: ReadonlyMap<string, SubjectPart>, nowMs: number): void {
    for (const [name, { requests }] of parts) {
      const open = new Map(
        requests.filter(({ kind }) => kind !== 'trace').map((request) => [keyOf(request), request.body.length]),
      );
      if (open.size === 0) continue;
      for (const [key, characters] of this.#awake.get(name)?.open ?? []) if (!open.has(key)) open.set(key, characters);
      this.#sleep(name);
      this.#awake.set(name, { sinceMs: nowMs, open });
      for (const [key, characters] of open) {
        this.#subjectOf.set(key, name);
        this.#characters += characters;
      }
    }
  }

  note(outcomes: readonly RequestOutcome[]): void {
    for (const outcome of outcomes) {
      const { state, reason } = outcome;
      const name = this.#subjectOf.get(keyOf(outcome));
      if (name === undefined) continue;
      if (state === 'sending' || (state === 'queued' && reason !== 'scac_refused')) continue;
      const waitsForMore = state === 'waiting' || state === 'unknown' || state === 'held' || state === 'queued';
      if (waitsForMore) this.#sleep(name);
      else this.#drop(name, keyOf(outcome));
    }
  }

  /** @returns how much more may be woken now; null: nothing. */
  room(nowMs: number): Room | null {
    for (const [name, { sinceMs }] of this.#awake) {
      if (nowMs - sinceMs < AWAKE_MS_MAX && nowMs >= sinceMs) break;
      this.#sleep(name);
    }
    const subjects = SUBJECTS_AWAKE_MAX - this.#awake.size;
    const characters = AWAKE_CHARACTERS_MAX - this.#characters;
    if (subjects < SUBJECTS_AWAKE_MAX * FREE_SHARE || characters < AWAKE_CHARACTERS_MAX * FREE_SHARE) return null;
    return { subjects: Math.min(subjects, DISPATCH_SUBJECTS_MAX), characters };
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

  #sleep(name: string): void {
    for (const key of this.#awake.get(name)?.open.keys() ?? []) this.#drop(name, key);
  }
}

const keyOf = ({ record, request }: { record: number; request: number }): string => `${record}/${request}`;

/*
 * How fast a batch may call loads and orders it has not called before: each may be a new object, and the platform
 * refuses too many new ones of an account at once. The clock is passed in. Real time, whatever `timeScale`.
 */

export class SubjectPace {
  readonly #met = new Set<string>();
  #left = NEW_SUBJECTS_PER_SECOND;
  #atMs = Number.NEGATIVE_INFINITY;

  /** Records a call. A subject called before costs nothing. */
  meet(name: string, nowMs: number): void {
    if (this.#met.has(name)) return;
    if (this.#met.size >= SUBJECTS_REMEMBERED_MAX) this.#met.clear();
    this.#met.add(name);
    this.#refill(nowMs);
    this.#left -= 1;
  }

  /** @returns ms to wait before the next calls; 0: none. */
  restMs(nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(0, Math.ceil((-this.#left / NEW_SUBJECTS_PER_SECOND) * SECOND_MS));
  }

  #refill(nowMs: number): void {
    const sinceMs = Math.max(0, nowMs - this.#atMs);
    this.#left = Math.min(NEW_SUBJECTS_PER_SECOND, this.#left + (sinceMs / SECOND_MS) * NEW_SUBJECTS_PER_SECOND);
    this.#atMs = nowMs;
  }
}
