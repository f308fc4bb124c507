/** Texts from the address → numbers and states, within limits. Pure. */
import { REQUEST_STATES } from '../../delivery/states.ts';
import { err, ok, type Result } from '../../kernel/result.ts';

export const ROW_STATES: readonly string[] = [...REQUEST_STATES, 'invalid', 'skipped', 'valid'];

/** Anything but a whole number from 1 to `max` means the default, cut at `max`. */
export function pageSize(text: string | undefined, normal: number, max: number): number {
  const asked = Number(text ?? normal);
  return Number.isSafeInteger(asked) && asked >= 1 ? Math.min(asked, max) : normal;
}

/** @returns null for "all"; the unknown name when one is not a row state. */
export function readStates(
  text: string | undefined,
): Result<string[] | null, { value: string; known: readonly string[] }> {
  if (text === undefined || text === '') return ok(null);
  const asked = text.split(',').map((state) => state.trim());
  const unknown = asked.find((state) => !ROW_STATES.includes(state));
  return unknown === undefined ? ok(asked) : err({ value: unknown.slice(0, 40), known: ROW_STATES });
}
