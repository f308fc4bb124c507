/**
 * The one way to wait. A clock is passed in wherever something decides; `timeScale` shortens waits, never timestamps.
 *
 * At scale 720 two hours of retries take ten seconds, run by the objects' own alarms.
 */
export interface Clock {
  nowMs(): number;
  /** How many times faster than real time waits pass; 1 in production. */
  timeScale: number;
}

export const systemClock = (timeScale: number): Clock => ({ nowMs: () => Date.now(), timeScale });

/** @returns the length of a wait of `durationMs` on this clock, in real milliseconds, at least 1. */
export const scaledMs = (durationMs: number, clock: Clock): number =>
  Math.max(1, Math.round(durationMs / clock.timeScale));

/** Lets everything else have its turn meanwhile; in real ms. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
