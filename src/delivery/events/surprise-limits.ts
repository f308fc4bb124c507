/** Numbers beyond which an event is odd. All ours: the receiving system names none. */
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How far ahead of its receipt an event may lie before that is told, in ms. Ours: clocks differ by minutes, wrong zones by half an hour at least. */
export const EVENT_AHEAD_MAX_MS = 15 * MINUTE_MS;
/** How long before its receipt an event may lie, in ms. Ours: a mistyped year is found, a backlog of months passes. */
export const EVENT_AGE_MAX_MS = 330 * DAY_MS;
/** Fastest way between two positions of one vehicle, in km/h. Ours: no truck is faster; set higher where loads fly. */
export const SPEED_KM_PER_HOUR_MAX = 200;
/** Positions nearer to each other than this are not judged, in km. Ours: receivers stray, and coordinates are rounded. */
export const SPEED_DISTANCE_MIN_KM = 5;
/** Stop numbers that a load remembers. Ours: far more than a load has. */
export const STOPS_KNOWN_MAX = 100;
