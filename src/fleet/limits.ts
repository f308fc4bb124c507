/** Limits of reading vehicles and locations. */
import { HOUR_MS, MINUTE_MS } from '../kernel/clock.ts';

/**
 * How long an answer counts as current. Ours: vehicles move between accounts within days, services are logged within
 * hours.
 */
export const VEHICLES_FRESH_MS = 15 * MINUTE_MS;
/** Ours: addresses hardly change. */
export const LOCATIONS_FRESH_MS = HOUR_MS;
/** How long "there is none" counts. Ours: short, because somebody may be entering it right now. */
export const NONE_FRESH_MS = MINUTE_MS;
/**
 * How long a stale answer is still shown at once while it is renewed in the background. Ours: after that, readers wait.
 */
export const STALE_SHOWN_MS = HOUR_MS;
/**
 * How long no reader of a stale answer triggers another call after one has failed. Ours: a hanging upstream would cost
 * each 20 s.
 */
export const FAILED_PAUSE_MS = 30_000;
/**
 * How long an answer is stored: shown with its age while it is renewed, and while the upstream does not answer. Ours.
 */
export const CACHED_MS = 24 * HOUR_MS;

/** Longest answer that is read, in bytes: tens of thousands of vehicles. Ours: a cached value may have 25 MiB. */
export const FLEET_ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** How deep an answer may be nested. Ours: five levels are known. */
export const FLEET_DEPTH_MAX = 64;

/**
 * Columns of a CSV at most; further members are left out and counted in a header. Ours: the widest vehicle has about
 * thirty.
 */
export const FLEET_COLUMNS_MAX = 200;
/** Cells of a table at most, so large tables have fewer columns: 20,000 items of 200 columns. Ours. */
export const FLEET_CELLS_MAX = 4_000_000;
/** How deep nested objects become columns of their own; deeper ones are JSON in their cell. Ours. */
export const FLEET_COLUMN_DEPTH_MAX = 8;

/**
 * How often an isolate reports to a gate again that an API works: another may have reported a failure meanwhile. Ours.
 */
export const READ_NOTED_AGAIN_MS = MINUTE_MS;
/** How long a reader waits for a permit. Ours. */
export const PERMIT_WAIT_MS = 5_000;
/** Lookups of one batch under way at once. Ours: a slice with 50 vehicles takes a second or two. */
export const LOOKUPS_AT_ONCE = 4;
/** Longest lookup key, in characters: a longer one is no number or plate. Ours. */
export const LOOKUP_KEY_CHARACTERS_MAX = 100;
/** Longest stored description of a failure. Ours. */
export const DETAIL_CHARACTERS_MAX = 200;

/** Lookups in one step of a batch: each takes a few calls, and a wake-up may make 10,000. Ours. */
export const LOOKUPS_PER_STEP = 200;
/** How long a batch waits before it repeats unanswered lookups; doubles each time, up to a maximum. Ours. */
export const LOOKUP_PAUSE_MS = 30_000;
export const LOOKUP_PAUSE_MAX_MS = 15 * MINUTE_MS;
/**
 * How long a batch waits for answers before it goes on without them: as long as an event may wait for its load. Ours.
 */
export const LOOKUP_PATIENCE_MS = 72 * HOUR_MS;
/** Lookups of one preview: a person waits for it. Ours. */
export const PREVIEW_LOOKUPS_MAX = 100;
