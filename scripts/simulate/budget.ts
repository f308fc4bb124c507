/** What one invocation has used, against what the platform allows; at a limit it throws, as the platform would. */

/** Subrequests of one invocation: fetches, stores and calls of other objects (Workers > Platform > Limits). */
export const SUBREQUESTS_MAX = 10_000;
/** Wall time of an alarm, in ms (Durable Objects > Platform > Limits). */
const ALARM_WALL_MS_MAX = 15 * 60_000;

/** The most that any invocation has used. */
export const mostUsed = { subrequests: 0, open: 0, calls: 0, alarmWallMs: 0 };

/** What leaves an object: to the network or a store, whose headers it awaits, or to another object. */
export type Subrequest = 'open' | 'calls';

export class Budget {
  subrequests = 0;
  /** Under way. Beyond six open ones the platform lets the next one wait; calls of objects are not among them. */
  readonly #underWay: Record<Subrequest, number> = { open: 0, calls: 0 };

  spend(kind: Subrequest = 'open'): void {
    this.subrequests += 1;
    this.#underWay[kind] += 1;
    if (this.subrequests > SUBREQUESTS_MAX) throw new Error('Too many subrequests by single Worker invocation.');
    if (this.subrequests > mostUsed.subrequests) mostUsed.subrequests = this.subrequests;
    mostUsed[kind] = Math.max(mostUsed[kind], this.#underWay[kind]);
  }

  free(kind: Subrequest): void {
    this.#underWay[kind] -= 1;
  }

  checkWall(wallMs: number): void {
    if (wallMs > mostUsed.alarmWallMs) mostUsed.alarmWallMs = wallMs;
    if (wallMs > ALARM_WALL_MS_MAX) throw new Error('the alarm ran longer than it may');
  }
}
