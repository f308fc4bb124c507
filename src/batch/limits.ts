/** Limits of the dispatch: unit in the name, reason next to it. */
import { MINUTE_MS } from '../kernel/clock.ts';

/**
 * Bodies of the requests of one dispatch step, in characters of at most 3 bytes; a single one may be longer. Ours: they
 * go in calls of at most 32 MiB, and 2,000 orders of the largest kind would be a gigabyte.
 */
export const DISPATCH_CHARACTERS_MAX = 4 * 1024 * 1024;
/**
 * Loads and orders of a batch that are awake at once; requests of others wait in the batch. Ours: with thousands awake
 * on a busy machine, the one thread does their work before it serves the answers on its sockets.
 */
export const SUBJECTS_AWAKE_MAX = 64;
/** Bodies of the requests queued at awake subjects, in characters. Ours: they are in the memory of one process. */
export const AWAKE_CHARACTERS_MAX = 16 * 1024 * 1024;
/** How long a subject counts as awake without reporting, in real ms: its delay must not hold up the others. Ours. */
export const AWAKE_MS_MAX = MINUTE_MS;
/**
 * New loads and orders a batch calls per second on average: above some rate the platform refuses an account new
 * objects. Ours.
 */
export const NEW_SUBJECTS_PER_SECOND = 200;
/** Names a batch remembers having called, so that they do not count as new. Ours: a few MB. */
export const SUBJECTS_REMEMBERED_MAX = 20_000;
