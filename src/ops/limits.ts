/** Limits of what operators keep and erase: unit in the name, reason next to it. */

/** Pages of 1,000 stored files of a partner, looked through for archives of a load or order. Ours: below half a minute, and a fiftieth of the calls that a request may make. */
export const ARCHIVE_PAGES_MAX = 200;

/** Order feeds begun between two looks at what is agreed. Ours: the looks at all feeds of a run are a few, and each is a moment old. */
export const FEEDS_BEGUN_AT_ONCE = 25;

/** Tries to end a feed that should not have begun, a pause apart. Ours: a poll of it, which is waited for, ends within that mostly. */
export const FEED_END_TRIES = 3;
export const FEED_END_PAUSE_MS = 5_000;
