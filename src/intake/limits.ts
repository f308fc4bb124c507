/** Limits of what one partner has under way: unit in the name, reason next to it. */
/**
 * Files of one partner that are under way at once, and their bytes. Ours: days of work of a large carrier, and what one
 * partner's backlog may cost everybody; the variables FILES_UNDER_WAY and BYTES_UNDER_WAY set others.
 */
export const FILES_UNDER_WAY_MAX = 1_000;
export const BYTES_UNDER_WAY_MAX = 4 * 1024 ** 3;
/**
 * Rows of one partner's large files that are under way at once: short rows are more work than their bytes say. Ours: two
 * days at ten a second; the variable ROWS_UNDER_WAY sets another.
 */
export const ROWS_UNDER_WAY_MAX = 2_000_000;
/** A partner that has no room for a file has none for what comes so soon behind it. Ours: short, because any moment one of its files may end. */
export const NO_ROOM_REMEMBERED_MS = 1_000;
/**
 * New loads and orders that the files of one partner call in a minute: each is an object of its own, of which the platform
 * makes an account only so many. Ours: what one batch makes at its best; more wait, and go on evenly. The variable
 * NEW_SUBJECTS_PER_MINUTE sets another.
 */
export const NEW_SUBJECTS_PER_MINUTE_MAX = 12_000;
/** Of what a minute allows, the part that is saved while nothing is called. Ours: a small file never waits, and a wave of them is short. */
export const NEW_SUBJECTS_SAVED_MS_MAX = 10_000;

/** How long the erasure of a partner waits for a batch that cannot be created, in ms. Ours: hundreds of tries, and longer than a deploy takes. */
export const CREATION_PATIENCE_MS = 3_600_000;
/** Batches of a partner that are erased at the same time. Ours: each calls its loads and orders, many at once. */
export const BATCHES_ERASED_AT_ONCE = 20;
/** Pages of files that one step deletes. Ours: well below the calls that one wake-up may make. */
export const FILE_PAGES_ERASED_AT_ONCE = 20;
