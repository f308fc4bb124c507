/** Expected outcomes as values: a function that can be refused returns a Result, only bugs throw. */
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E };

export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const err = <E>(error: E): { ok: false; error: E } => ({ ok: false, error });

/**
 * Whether what was thrown is a passing failure of the platform, not a bug of this program.
 *
 * The runtime marks what it throws itself: `retryable` (the connection to an object broke, or the object moves),
 * `overloaded` (too many calls are queued for it), `durableObjectReset` (it was reset, as a deploy does) (Durable
 * Objects > error handling). The marks stay on errors that pass through other objects. An internal error of the runtime
 * that it does not explain has a fixed text instead.
 */
const MARKS = ['retryable', 'overloaded', 'durableObjectReset'] as const;
const UNEXPLAINED = /^internal error(?:; reference = \w+)?$/;

export function isTransient(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const marked: Error & Partial<Record<(typeof MARKS)[number], unknown>> = thrown;
  return MARKS.some((mark) => marked[mark] === true) || UNEXPLAINED.test(thrown.message);
}

/**
 * Whether the object that was called runs a release which does not know what it was asked: while a deploy goes on, or after one
 * was taken back, parts of the bridge are of another release. The runtime says so in a fixed text (Durable Objects > RPC).
 */
const NOT_KNOWN_THERE = /\bThe RPC receiver does not implement the method "/;

export const isOfOtherRelease = (thrown: unknown): boolean =>
  thrown instanceof Error && NOT_KNOWN_THERE.test(thrown.message);
