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
 * Visits under way in one process, of all batches. Ours: more make the longest answer slower and nothing faster; on disk
 * 64 new loads at once are what a wave of 1,000 is in memory.
 */
export const VISITS_AT_ONCE_MAX = 64;
/** Visits begun before the next waits for a timer: calls between objects alone would starve the network. Ours. */
export const VISITS_PER_BURST = 8;
/** How soon a batch without a slot for a visit checks again, in real ms. Ours. */
export const VISIT_LOOK_MS = 5;
/** A visit lasts at most about this long, in real ms: its object may be gone without returning the slot. Ours. */
export const VISIT_SLOT_MS = 2 * MINUTE_MS;
/** Visits that one wake-up of a batch begins. Ours: with the calls after them far below 10,000 subrequests. */
export const VISITS_PER_WAKE_UP = 2_000;
/** How long reports of visits wait for more, in real ms, so that they are one commit. Ours. */
export const REPORTS_PAUSE_MS = 20;
/** How often a batch looks after what else there is while visits are under way, in real ms. Ours. */
export const VISITING_LOOK_MS = 500;
/**
 * Requests read and not dispatched: as many as fit, so that a load is visited once with all its rows. Ours: they are in
 * memory with their bodies.
 */
export const LOOK_AHEAD_REQUESTS = 20_000;
export const LOOK_AHEAD_CHARACTERS = 8 * 1024 * 1024;
/** What one visit brings, in requests and characters of their bodies; a single request may be longer. Ours: a call has at most 32 MiB. */
export const PARCEL_REQUESTS_MAX = 2_000;
export const PARCEL_CHARACTERS_MAX = 4 * 1024 * 1024;
/**
 * New loads and orders a batch calls per second on average: above some rate the platform refuses an account new
 * objects. Ours.
 */
export const NEW_SUBJECTS_PER_SECOND = 200;
/** The same where every channel is on loopback. Ours: more than one machine makes. */
export const NEW_SUBJECTS_PER_SECOND_LOCAL = 2_000;
/** How many rows a batch reads before it says again how many it has. Ours: a file with fewer counts as a file. */
export const ROWS_REPORTED_EVERY = 10_000;
/** New ones that a batch calls before it asks its partner's register for more. Ours: most files have fewer, and ask nobody. */
export const NEW_SUBJECTS_FREE = 10;
/** How many it then asks for at once. Ours: one call among two hundred. */
export const NEW_SUBJECTS_REQUESTED = 200;
/** Names a batch remembers having called, so that they do not count as new. Ours: a few MB. */
export const SUBJECTS_REMEMBERED_MAX = 20_000;
/** Rows that one search for rows looks at. Ours: a tenth of a second of an object that has other work. */
export const ROWS_LOOKED_AT_MAX = 50_000;
/** Bytes of a record that are shown beside what became of it. Ours: nobody reads more on a page. */
export const ORIGINAL_BYTES_MAX = 32 * 1024;
/** Longest stored description of a failed wake-up, in characters. Ours. */
export const TROUBLE_CHARACTERS_MAX = 300;
