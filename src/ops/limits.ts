/** Limits of what operators keep and erase: unit in the name, reason next to it. */

/** Pages of 1,000 stored files of a partner, looked through for archives of a load or order. Ours: below half a minute, and a fiftieth of the calls that a request may make. */
export const ARCHIVE_PAGES_MAX = 200;
