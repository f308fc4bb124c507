import * as z from 'zod';
import { err, ok, type Result } from './result.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

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

/** An instant as the API shows it. */
export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

/** Lets other work run meanwhile; in real ms. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/*
 * The environment's own settings, parsed once; one bad setting refuses all: such a worker answers nothing but the
 * reason.
 */

const timeScale = z.coerce.number().min(1).max(100_000);

/** The clock of an object that needs no channels. An invalid scale stops the sending elsewhere; here it means 1. */
export function clockOf(variables: { TIME_SCALE?: string }): Clock {
  const scale = readTimeScale(variables.TIME_SCALE);
  return systemClock(scale.ok ? scale.value : 1);
}

/** @param text the variable TIME_SCALE. @returns the expected form, when it is not a number from 1 to 100,000. */
export function readTimeScale(text: string | undefined): Result<number, { path: string; message: string }[]> {
  const parsed = timeScale.safeParse(text ?? '1');
  return parsed.success ? ok(parsed.data) : err([{ path: 'TIME_SCALE', message: 'must be a number from 1 to 100000' }]);
}
