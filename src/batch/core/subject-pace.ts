/**
 * How fast a batch may call loads and orders that it has not called before: each may be a new object, and the platform
 * refuses an account too many new ones at once. Pure: the clock is passed in. Real time, whatever `timeScale`.
 */
import { NEW_SUBJECTS_PER_SECOND, SUBJECTS_REMEMBERED_MAX } from '../limits.ts';

const SECOND_MS = 1_000;

export class SubjectPace {
  readonly #met = new Set<string>();
  #left = NEW_SUBJECTS_PER_SECOND;
  #atMs = Number.NEGATIVE_INFINITY;

  /** One is called. One that was called before costs nothing. */
  meet(name: string, nowMs: number): void {
    if (this.#met.has(name)) return;
    if (this.#met.size >= SUBJECTS_REMEMBERED_MAX) this.#met.clear();
    this.#met.add(name);
    this.#refill(nowMs);
    this.#left -= 1;
  }

  /** @returns ms to wait before the next step of calls; 0: none. */
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
