/**
 * Time zones: from a zone's text to its offsets, and from a wall-clock reading to the instants it can mean.
 *
 * Every zone and year is looked up with Intl once and kept as a plain table, so a row costs two map look-ups. Which
 * instant to take when a reading exists twice or not at all is for the caller to say; nothing here guesses.
 */
import { OFFSET_MINUTES_MAX, YEAR_MAX, YEAR_MIN } from './date-time.ts';
import { findSpans, type ZoneSpan, zoneFormatter } from './zone-spans.ts';

/** A zone of the IANA database, or a fixed distance from UTC (one span for ever). Made by `findZone` alone. */
export interface Zone {
  /** As it was written. */
  readonly name: string;
  /** What is known so far, by UTC year; only this file writes it. */
  readonly spansByYear: Map<number, readonly ZoneSpan[]>;
  readonly fixed: readonly ZoneSpan[] | undefined;
}

/** What a wall-clock reading can mean. `gap`: clocks jumped over it; `overlap`: clocks went back and showed it twice. */
export type LocalResolution =
  | { kind: 'exact'; span: ZoneSpan }
  | { kind: 'gap'; before: ZoneSpan; after: ZoneSpan }
  | { kind: 'overlap'; earlier: ZoneSpan; later: ZoneSpan };

const MINUTE_MS = 60_000;
/** Longest zone text looked at, in characters: the database's longest name has 32. */
const ZONE_CHARACTERS_MAX = 64;
/** Zone texts kept, unknown ones too. Ours: most of the database's 600 names; a file uses a handful, each costs some 100 bytes a year. */
const ZONES_CACHED_MAX = 512;

/** `Area/Place`, or a POSIX name that states both its clocks (`CST6CDT`). */
const ZONE_NAME = /^(?:[\w+-]+(?:\/[\w+-]+){1,2}|[A-Z]{3}\d[A-Z]{3})$/i;
const UTC_NAME = /^(?:Z|UTC?|GMT)$/i;
/** `-06:00`, `-0600`, `-6`, `UTC-6`, `GMT+5:30`: east of UTC is plus (in the database's `Etc/GMT+6` it is minus). */
const OFFSET = /^(?:UTC?|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
/** `CST-06:00`: an abbreviation with the offset that is meant by it, as code lists write it. */
const ABBREVIATED = /^([A-Z][A-Za-z][A-Z]{1,3})([+-]\d{2}:\d{2})$/;

const zones = new Map<string, Zone | 'unknown'>();

type FixedClock = Pick<ZoneSpan, 'offsetMinutes' | 'abbreviation'>;

/** @returns undefined when the text is no offset, or one beyond ±14:00. */
function fixedClock(text: string): FixedClock | undefined {
  if (UTC_NAME.test(text)) return { offsetMinutes: 0, abbreviation: text.toUpperCase() === 'GMT' ? 'GMT' : 'UTC' };
  const bare = fixedOffset(text);
  if (bare !== undefined) return { offsetMinutes: bare, abbreviation: bare === 0 ? 'UTC' : null };
  const [, abbreviation = '', offset = ''] = ABBREVIATED.exec(text) ?? [];
  const offsetMinutes = fixedOffset(offset);
  return offsetMinutes === undefined ? undefined : { offsetMinutes, abbreviation };
}

/** @returns minutes east of UTC. */
function fixedOffset(text: string): number | undefined {
  const [, sign, hours, minutes = '0'] = OFFSET.exec(text) ?? [];
  if (hours === undefined || Number(minutes) > 59) return undefined;
  const size = Number(hours) * 60 + Number(minutes);
  if (size > OFFSET_MINUTES_MAX) return undefined;
  return sign === '-' && size > 0 ? -size : size;
}

function makeZone(name: string): Zone | 'unknown' {
  const clock = fixedClock(name);
  if (clock !== undefined) {
    const always = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
    return { name, spansByYear: new Map(), fixed: [{ ...always, ...clock }] };
  }
  if (!ZONE_NAME.test(name) || zoneFormatter(name) === undefined) return 'unknown';
  return { name, spansByYear: new Map(), fixed: undefined };
}

/**
 * Reads a zone's text: an IANA name (`America/Chicago`), `UTC`, `GMT`, `Z`, an offset (`-06:00`, `UTC-6`) within ±14:00, or
 * an abbreviation with the offset meant by it (`CST-06:00`).
 *
 * An abbreviation alone, such as `CST` or `IST`, is no zone: each is in use for several, and Intl would take one without
 * asking (`BST` for Dhaka). A mapping translates them by a code list.
 */
export function findZone(text: string): Zone | undefined {
  const known = zones.get(text);
  if (known !== undefined) return known === 'unknown' ? undefined : known;
  if (text.length > ZONE_CHARACTERS_MAX) return undefined;
  // A copy: a cell is a slice of its file's text, and a slice kept as a key would keep the whole text alive.
  const name = Array.from(text).join('');
  const zone = makeZone(name);
  const oldest = zones.size < ZONES_CACHED_MAX ? undefined : zones.keys().next().value;
  if (oldest !== undefined) zones.delete(oldest);
  zones.set(name, zone);
  return zone === 'unknown' ? undefined : zone;
}

export const isZone = (text: string): boolean => findZone(text) !== undefined;

/** @throws RangeError beyond the years an event may lie in (and one more on each side, which their readings touch). */
function spansOf(zone: Zone, year: number): readonly ZoneSpan[] {
  const known = zone.fixed ?? zone.spansByYear.get(year);
  if (known !== undefined) return known;
  const formatter = zoneFormatter(zone.name);
  if (formatter === undefined || !(year >= YEAR_MIN - 1 && year <= YEAR_MAX + 1)) {
    throw new RangeError(`no table for ${zone.name} in ${year}`);
  }
  const spans = findSpans(formatter, zone.name, year);
  zone.spansByYear.set(year, spans);
  return spans;
}

/** @returns the span an instant lies in: its offset and abbreviation. @throws RangeError as above. */
export function spanAt(zone: Zone, instantMs: number): ZoneSpan {
  for (const span of spansOf(zone, new Date(instantMs).getUTCFullYear())) if (instantMs < span.untilMs) return span;
  throw new RangeError(`not an instant: ${instantMs}`);
}

/** @returns minutes east of UTC, always whole. */
export const offsetAt = (zone: Zone, instantMs: number): number => spanAt(zone, instantMs).offsetMinutes;

/** @returns `CST`, `CEST`; null where nobody writes one. */
export const zoneAbbreviation = (zone: Zone, instantMs: number): string | null => spanAt(zone, instantMs).abbreviation;

/**
 * @param localMs the wall-clock reading counted as though it were UTC (see date-time.ts).
 * @returns the spans the reading lies in, or for a gap the ones around it; the change is at `after.fromMs` or `later.fromMs`.
 * @throws RangeError as above.
 */
export function resolveLocal(zone: Zone, localMs: number): LocalResolution {
  let found: ZoneSpan | undefined;
  let before: ZoneSpan | undefined;
  for (const span of spansOf(zone, new Date(localMs).getUTCFullYear())) {
    const instantMs = localMs - span.offsetMinutes * MINUTE_MS;
    if (!(instantMs >= span.fromMs)) {
      // Spans last days and clocks move by a day at most, so no later span can hold the reading either.
      if (found === undefined && before !== undefined) return { kind: 'gap', before, after: span };
      break;
    }
    if (instantMs >= span.untilMs) before = span;
    else if (found === undefined) found = span;
    else return { kind: 'overlap', earlier: found, later: span };
  }
  if (found === undefined) throw new RangeError(`not a reading: ${localMs}`);
  return { kind: 'exact', span: found };
}
