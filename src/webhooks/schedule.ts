/** What happens to a delivery after an attempt, and to its target. Pure. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { NOTIFICATION_PAUSE_MS } from '../kernel/limits.ts';
import {
  WEBHOOK_FAILING_MS_MAX,
  WEBHOOK_JITTER_SHARE,
  WEBHOOK_ROTATION_MS,
  WEBHOOK_SIGNING_KEYS_MAX,
  WEBHOOK_TIMEOUT_MS,
  WEBHOOK_TIMEOUT_MS_MIN,
  WEBHOOK_WAITS_MS,
} from './limits.ts';

/** How an attempt ended. */
export type Attempted =
  | { outcome: 'answered'; status: number; detail: string }
  /** `url_refused`: today's configuration does not allow the address; `key_missing`: nothing to sign with. */
  | { outcome: 'no_answer'; code: 'timeout' | 'network' | 'url_refused' | 'key_missing'; detail: string };

/** `gone`: it answered 410. `failing`: no success in a long time. */
export type DisabledReason = 'gone' | 'failing';

type AfterAttempt =
  | { state: 'delivered' }
  | { state: 'waiting'; dueMs: number }
  | { state: 'given_up'; disables: DisabledReason | null };

/**
 * @param attempts in this schedule, including this one. @param failingSinceMs when the target began to fail; null: not
 * before.
 * @param random from 0 to 1.
 */
export function afterAttempt(
  attempted: Attempted,
  { attempts, failingSinceMs, random }: { attempts: number; failingSinceMs: number | null; random: number },
  clock: Clock,
): AfterAttempt {
  const status = attempted.outcome === 'answered' ? attempted.status : null;
  if (status !== null && status >= 200 && status <= 299) return { state: 'delivered' };
  if (status === 410) return { state: 'given_up', disables: 'gone' };
  const nowMs = clock.nowMs();
  const waitMs = WEBHOOK_WAITS_MS[attempts - 1];
  if (waitMs === undefined) {
    // Checked only here: between two distant failures nothing may have been sent, or the alarm may have been lost, and
    // every delivery gets all its tries. The start of the failure is stored even if nothing waits any more: operators
    // see it, and a target that gets one event a week and never accepts one is disabled, too.
    const hasFailedLong = failingSinceMs !== null && nowMs - failingSinceMs >= scaledMs(WEBHOOK_FAILING_MS_MAX, clock);
    return { state: 'given_up', disables: hasFailedLong ? 'failing' : null };
  }
  const jitter = 1 + WEBHOOK_JITTER_SHARE * (2 * random - 1);
  return { state: 'waiting', dueMs: nowMs + scaledMs(waitMs * jitter, clock) };
}

/** Scaled like every wait, down to a minimum. */
export const attemptTimeoutMs = (clock: Clock): number =>
  Math.min(WEBHOOK_TIMEOUT_MS, Math.max(WEBHOOK_TIMEOUT_MS_MIN, scaledMs(WEBHOOK_TIMEOUT_MS, clock)));

/** When to repeat an attempt without a known result: the process that made it is gone by then. */
export const afterSilenceMs = (clock: Clock): number =>
  clock.nowMs() + attemptTimeoutMs(clock) + scaledMs(NOTIFICATION_PAUSE_MS, clock);

/** Generations whose keys sign now, newest first. @param rotatedAtMs null: never. */
export function signingGenerations(
  { generation, rotatedAtMs }: { generation: number; rotatedAtMs: number | null },
  clock: Clock,
): number[] {
  const isFresh = rotatedAtMs !== null && clock.nowMs() - rotatedAtMs < scaledMs(WEBHOOK_ROTATION_MS, clock);
  const keys = isFresh ? Math.min(generation, WEBHOOK_SIGNING_KEYS_MAX) : 1;
  return Array.from({ length: keys }, (_, older) => generation - older);
}
