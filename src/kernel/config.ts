/** The environment's own settings, parsed once and refused whole: a worker with a wrong setting answers nothing but the reason. */
import { z } from 'zod';
import { type Clock, systemClock } from './clock.ts';
import { err, ok, type Result } from './result.ts';

const timeScale = z.coerce.number().min(1).max(100_000);

/** The clock of an object that needs no channels. A scale that was refused stops the sending elsewhere; here it means 1. */
export function clockOf(variables: { TIME_SCALE?: string }): Clock {
  const scale = readTimeScale(variables.TIME_SCALE);
  return systemClock(scale.ok ? scale.value : 1);
}

/** @param text the variable TIME_SCALE. @returns what was wanted, when it is not a number from 1 to 100,000. */
export function readTimeScale(text: string | undefined): Result<number, { path: string; message: string }[]> {
  const parsed = timeScale.safeParse(text ?? '1');
  return parsed.success ? ok(parsed.data) : err([{ path: 'TIME_SCALE', message: 'must be a number from 1 to 100000' }]);
}
