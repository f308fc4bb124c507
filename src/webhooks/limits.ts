/** Numbers that bound webhooks. "Ours" marks a choice. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Webhook targets of a partner in one environment. Ours: each is a lane of its own, and an invocation has 6 slots for calls awaiting an answer (Workers limits). */
export const WEBHOOK_TARGETS_MAX = 5;
/** Longest address of a target, in characters. Ours. */
export const WEBHOOK_URL_CHARACTERS_MAX = 2_000;
/** Shortest WEBHOOK_KEY, in characters. Ours: 32 random bytes, however they are written, have more. */
export const WEBHOOK_KEY_CHARACTERS_MIN = 32;
/** Longest time to the end of a target's answer, in ms (Standard Webhooks: 15 to 30 s). */
export const WEBHOOK_TIMEOUT_MS = 15 * SECOND_MS;
/** No shorter than this under a `timeScale`, in ms. Ours. */
export const WEBHOOK_TIMEOUT_MS_MIN = 2 * SECOND_MS;
/** Waits before a delivery is tried again, in ms; behind the last one it is given up. Standard Webhooks' schedule, with 24 h added. */
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
/** A wait is longer or shorter by up to this share. Ours: what failed together does not come again together. */
export const WEBHOOK_JITTER_SHARE = 0.1;
/** How long a target may fail without one success before an event that is given up switches it off, in ms. Ours: longer than one delivery is tried. */
export const WEBHOOK_FAILING_MS_MAX = 5 * DAY_MS;
/** How long the key before a rotation signs beside the new one, in ms. */
export const WEBHOOK_ROTATION_MS = DAY_MS;
/** How long a delivery is kept after its event was told, in ms: as long is a repeat recognised. Ours. */
export const WEBHOOK_RETENTION_MS = 30 * DAY_MS;
/** Deliveries forgotten in one step. Ours. */
export const WEBHOOKS_FORGOTTEN_AT_ONCE = 1_000;
/** Head of a target's answer that is kept, in characters. Ours. */
export const WEBHOOK_ANSWER_CHARACTERS_MAX = 300;
/** Most bytes read of a target's answer. Ours: nothing in it matters. */
export const WEBHOOK_ANSWER_BYTES_MAX = 4 * 1024;
/** Deliveries per page of a target's list. Ours. */
export const WEBHOOK_DELIVERIES_PAGE_MAX = 100;
