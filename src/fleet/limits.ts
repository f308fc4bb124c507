/** Numbers of reading vehicles and locations. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** For which an answer counts as of now. Ours: vehicles move between accounts within days, services are logged within hours. */
export const VEHICLES_FRESH_MS = 15 * MINUTE_MS;
/** Ours: addresses hardly change. */
export const LOCATIONS_FRESH_MS = HOUR_MS;
/** For which "there is none" counts. Ours: short, because somebody may be entering it right now. */
export const NONE_FRESH_MS = MINUTE_MS;
/** For which an answer that is no longer fresh is still shown at once, while it is asked for anew behind it. Ours: behind that, who reads waits. */
export const STALE_SHOWN_MS = HOUR_MS;
/** For which nobody asks again on behalf of those who are shown a stale answer, once that has failed. Ours: an upstream that hangs would cost each of them 20 s. */
export const FAILED_PAUSE_MS = 30_000;
/** For which an answer is kept: shown with its age while it is asked for anew, and where the upstream does not answer. Ours. */
export const CACHED_MS = 24 * HOUR_MS;

/** Longest answer that is read, in bytes: tens of thousands of vehicles. Ours: a cached value may have 25 MiB. */
export const FLEET_ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** How deep an answer may be nested. Ours: five levels are known. */
export const FLEET_DEPTH_MAX = 64;

/** Columns of a CSV at most; further members are left out, and counted in a header. Ours: the widest vehicle has some thirty. */
export const FLEET_COLUMNS_MAX = 200;
/** And fewer where there are many things, so that a table has at most so many cells: 20,000 things of 200 columns. Ours. */
export const FLEET_CELLS_MAX = 4_000_000;
/** How deep objects in objects become columns of their own; deeper ones stand as JSON in their cell. Ours. */
export const FLEET_COLUMN_DEPTH_MAX = 8;

/** After how long an isolate tells a gate once more that an API works: another may have told meanwhile that it fails. Ours. */
export const READ_NOTED_AGAIN_MS = MINUTE_MS;
/** How long somebody who waits for an answer waits for a permit. Ours. */
export const PERMIT_WAIT_MS = 5_000;
/** Look-ups of one batch on their way at once. Ours: a slice with 50 vehicles is asked for in a second or two. */
export const LOOKUPS_AT_ONCE = 4;
/** Longest key that is looked up, in characters: longer ones are no number or plate. Ours. */
export const LOOKUP_KEY_CHARACTERS_MAX = 100;
/** Longest description of a failure that is kept. Ours. */
export const DETAIL_CHARACTERS_MAX = 200;

/** Look-ups of one step of a batch: each takes a few calls, and a wake-up may make 10,000. Ours. */
export const LOOKUPS_PER_STEP = 200;
/** How long a batch waits before it asks again what nobody answered, twice as long each time, and at most. Ours. */
export const LOOKUP_PAUSE_MS = 30_000;
export const LOOKUP_PAUSE_MAX_MS = 15 * MINUTE_MS;
/** How long a batch waits for answers before it goes on without them: as long as an event may wait for its load. Ours. */
export const LOOKUP_PATIENCE_MS = 72 * HOUR_MS;
/** Look-ups of one preview: somebody waits for it. Ours. */
export const PREVIEW_LOOKUPS_MAX = 100;
