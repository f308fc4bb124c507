/** Limits of calls under way: unit in the name, reason beside it. */

/**
 * Steps in which a timeout is counted: while a process stalls on a busy machine, it does not wait for the upstream.
 * Ours: then a tenth of the time counts.
 */
export const TIMEOUT_STEPS = 10;
/**
 * Calls of a channel that one process has on the wire at once; the others have not begun. The platform bounds each
 * invocation, and every load or order is one of its own (6 calls that await their headers: Workers limits), but not all
 * of them together in one thread: with thousands at once it reads no answer in time. Ours: with answers within 0.6 s
 * the usual rate is met.
 */
export const CALLS_IN_FLIGHT_MAX = 64;
/** How soon a waiting caller checks for a slot again, in real ms, for each position in line, and at most. Ours. */
export const SLOT_LOOK_MS = 5;
export const SLOT_LOOK_MS_MAX = 250;
