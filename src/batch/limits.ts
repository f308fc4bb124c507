/** Limits of the hand-over: unit in the name, reason beside it. */
const MINUTE_MS = 60_000;

/**
 * Bodies of the requests of one hand-over step, in characters of at most 3 bytes; one alone may be longer. Ours: they go in
 * calls of at most 32 MiB, and 2,000 orders of the largest kind would be a gigabyte.
 */
export const DISPATCH_CHARACTERS_MAX = 4 * 1024 * 1024;
/**
 * Loads and orders of a batch that are awake at once; what goes to others waits in the batch. Ours: with thousands awake one
 * thread, on a busy machine, is at their work before it sees to the answers on its sockets.
 */
export const SUBJECTS_AWAKE_MAX = 64;
/** And the bodies of what waits there for its turn, in characters. Ours: they lie in the memory of one process. */
export const AWAKE_CHARACTERS_MAX = 16 * 1024 * 1024;
/** For how long one counts as awake that tells nothing, in real ms: what keeps it waiting is no matter of the others. Ours. */
export const AWAKE_MS_MAX = MINUTE_MS;
/** New loads and orders a batch calls per second on average: above some rate the platform refuses an account new objects. Ours. */
export const NEW_SUBJECTS_PER_SECOND = 200;
/** Names a batch remembers having called, so that they do not count as new. Ours: a few MB. */
export const SUBJECTS_REMEMBERED_MAX = 20_000;
