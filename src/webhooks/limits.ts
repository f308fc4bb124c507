/** Numbers that bound webhooks. "Ours" marks a choice. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/clock.ts';

/**
 * Webhook targets of a partner in one environment. Ours: each is a lane of its own, and an invocation has only 6 slots
 * for calls awaiting an answer (Workers limits).
 */
export const WEBHOOK_TARGETS_MAX = 5;
/** Longest URL of a target, in characters. Ours. */
export const WEBHOOK_URL_CHARACTERS_MAX = 2_000;
/** Shortest WEBHOOK_KEY, in characters. Ours: 32 random bytes have more in any encoding. */
export const WEBHOOK_KEY_CHARACTERS_MIN = 32;
/** Longest time to the end of a target's answer, in ms (Standard Webhooks: 15 to 30 s). */
export const WEBHOOK_TIMEOUT_MS = 15 * SECOND_MS;
/** Minimum under a `timeScale`, in ms. Ours. */
export const WEBHOOK_TIMEOUT_MS_MIN = 2 * SECOND_MS;
/**
 * Waits before a delivery is tried again, in ms; after the last one it is given up. Standard Webhooks' schedule, with
 * 24 h added.
 */
export const WEBHOOK_WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
] as const;
/** A wait is longer or shorter by up to this share. Ours: deliveries that failed together are not retried together. */
export const WEBHOOK_JITTER_SHARE = 0.1;
/**
 * How long a target may fail without one success before an event that is given up disables it, in ms. Ours: longer than
 * one delivery is tried.
 */
export const WEBHOOK_FAILING_MS_MAX = 5 * DAY_MS;
/** How long the keys before still sign next to the new one after a rotation, in ms. */
export const WEBHOOK_ROTATION_MS = DAY_MS;
/** Keys that sign at most. Ours: who renews a secret twice, by loading a page again, keeps the one that the receiver has. */
export const WEBHOOK_SIGNING_KEYS_MAX = 4;
/** Retention of a delivery after its event was published, in ms: repeats are recognised that long. Ours. */
export const WEBHOOK_RETENTION_MS = 30 * DAY_MS;
/** Deliveries deleted in one step. Ours. */
export const WEBHOOKS_FORGOTTEN_AT_ONCE = 1_000;
/** Beginning of a target's answer that is stored, in characters. Ours. */
export const WEBHOOK_ANSWER_CHARACTERS_MAX = 300;
/** Most bytes read of a target's answer. Ours: its content does not matter. */
export const WEBHOOK_ANSWER_BYTES_MAX = 4 * 1024;
/** Deliveries per page of a target's list. Ours. */
export const WEBHOOK_DELIVERIES_PAGE_MAX = 100;
