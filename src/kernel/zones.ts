/**
 * Time zones: from a zone's text to its offsets, and from a wall-clock reading to the instants it can mean.
 *
 * Every zone and year is looked up with Intl once and cached as a plain table, so a row costs two map lookups. If a
 * reading exists twice or not at all, the caller chooses the instant; nothing here guesses.
 */

import { DAY_MS, MINUTE_MS, SECOND_MS } from './clock.ts';
import { OFFSET_MINUTES_MAX, YEAR_MAX, YEAR_MIN, yearOf } from './date-time.ts';
import { ABBREVIATION_FORM, customaryAbbreviation } from './zone-abbreviations.ts';

/*
 * Finds, for one zone and year, the spans of time during which the zone's offset and abbreviation stay the same.
 *
 * Queries Intl (the engine's own IANA database) at sample points and bisects where two neighbours differ. It takes
 * about a millisecond, so zones.ts caches the result; nothing here is cached.
 */

/**
 * @property fromMs first instant, `untilMs` the first one after; infinite at the ends of the window that was searched.
 * @property abbreviation null if nobody writes one: a bare offset, and zones such as America/Sao_Paulo.
 */
export interface ZoneSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMinutes: number;
  readonly abbreviation: string | null;
}

/**
 * A day around the UTC year, in ms: contains every instant whose local reading is in the year, as no offset reaches 24
 * hours.
 */
const MARGIN_MS = DAY_MS;
/** Distance of the samples, in ms: the closest two changes in the database from 1988 to 2100 are 6 days and 22 hours apart. */
const SAMPLE_MS = 4 * DAY_MS;

interface Reading {
  offsetMinutes: number;
  abbreviation: string;
}

/** @returns undefined if the engine knows no such zone. */
function zoneFormatter(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    });
  } catch {
    return undefined; // Intl throws a RangeError for an unknown zone
  }
}

function read(formatter: Intl.DateTimeFormat, instantMs: number): Reading {
  const found: Record<string, string> = {};
  for (const { type, value } of formatter.formatToParts(instantMs)) found[type] = value;
  const part = (name: string): number => Number(found[name]);
  const localMs = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return { offsetMinutes: (localMs - instantMs) / MINUTE_MS, abbreviation: found.timeZoneName ?? '' };
}

const same = (one: Reading, other: Reading): boolean =>
  one.offsetMinutes === other.offsetMinutes && one.abbreviation === other.abbreviation;

/**
 * @returns the first whole second at which the reading is no longer `before`; it is so at `fromMs` and not at
 * `untilMs`.
 */
function changeBetween(formatter: Intl.DateTimeFormat, before: Reading, fromMs: number, untilMs: number): number {
  let [low, high] = [fromMs, untilMs];
  while (high - low > SECOND_MS) {
    const middle = low + Math.trunc((high - low) / 2 / SECOND_MS) * SECOND_MS;
    if (same(read(formatter, middle), before)) low = middle;
    else high = middle;
  }
  return high;
}

/** @returns the spans in order of time, without holes; a change of the abbreviation alone also begins a span. */
function findSpans(formatter: Intl.DateTimeFormat, zone: string, year: number): readonly ZoneSpan[] {
  const canonical = formatter.resolvedOptions().timeZone;
  const endMs = Date.UTC(year + 1, 0, 1) + MARGIN_MS;
  const spans: ZoneSpan[] = [];
  let fromMs = Number.NEGATIVE_INFINITY;
  let sampleMs = Date.UTC(year, 0, 1) - MARGIN_MS;
  let reading = read(formatter, sampleMs);

  const close = (untilMs: number) => {
    const { offsetMinutes } = reading;
    const customary = customaryAbbreviation(canonical, offsetMinutes) ?? customaryAbbreviation(zone, offsetMinutes);
    const ofIntl = ABBREVIATION_FORM.test(reading.abbreviation) ? reading.abbreviation : null;
    spans.push({ fromMs, untilMs, offsetMinutes, abbreviation: customary ?? ofIntl });
    fromMs = untilMs;
  };

  while (sampleMs < endMs) {
    const nextMs = Math.min(sampleMs + SAMPLE_MS, endMs);
    const next = read(formatter, nextMs);
    if (!same(reading, next)) {
      close(changeBetween(formatter, reading, sampleMs, nextMs));
      reading = next;
    }
    sampleMs = nextMs;
  }
  close(Number.POSITIVE_INFINITY);
  return spans;
}

/** A zone of the IANA database, or a fixed distance from UTC (one span for ever). Made by `findZone` alone. */
export interface Zone {
  /** As it was written. */
  readonly name: string;
  /** Cached spans, by UTC year; only this file writes them. */
  readonly spansByYear: Map<number, readonly ZoneSpan[]>;
  readonly fixed: readonly ZoneSpan[] | undefined;
}

/** What a wall-clock reading can mean. `gap`: clocks jumped over it; `overlap`: clocks went back and showed it twice. */
type LocalResolution =
  | { kind: 'exact'; span: ZoneSpan }
  | { kind: 'gap'; before: ZoneSpan; after: ZoneSpan }
  | { kind: 'overlap'; earlier: ZoneSpan; later: ZoneSpan };

/** Longest zone text that is looked up, in characters: the database's longest name has 32. */
const ZONE_CHARACTERS_MAX = 64;
/**
 * Zone texts cached, unknown ones too. Ours: most of the database's 600 names; a file uses a handful, each costs some
 * 100 bytes a year.
 */
const ZONES_CACHED_MAX = 512;

/** `Area/Place`, or a POSIX name that states both its clocks (`CST6CDT`). */
const ZONE_NAME = /^(?:[\w+-]+(?:\/[\w+-]+){1,2}|[A-Z]{3}\d[A-Z]{3})$/i;
const UTC_NAME = /^(?:Z|UTC?|GMT)$/i;
/** `-06:00`, `-0600`, `-6`, `UTC-6`, `GMT+5:30`: east of UTC is plus (in the database's `Etc/GMT+6` it is minus). */
const OFFSET = /^(?:UTC?|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
/** `CST-06:00`: an abbreviation with its offset, as code lists write it. */
const ABBREVIATED = /^([A-Z][A-Za-z][A-Z]{1,3})([+-]\d{2}:\d{2})$/;

const zones = new Map<string, Zone | 'unknown'>();

type FixedClock = Pick<ZoneSpan, 'offsetMinutes' | 'abbreviation'>;

/** @returns undefined when the text is not an offset, or one beyond ±14:00. */
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
 * Reads a zone's text: an IANA name (`America/Chicago`), `UTC`, `GMT`, `Z`, an offset (`-06:00`, `UTC-6`) within
 * ±14:00, or an abbreviation with its offset (`CST-06:00`).
 *
 * An abbreviation alone, such as `CST` or `IST`, is not a zone: each is used for several, and Intl would choose one
 * silently (`BST` for Dhaka). A mapping translates them with a code list.
 */
export function findZone(text: string): Zone | undefined {
  const known = zones.get(text);
  if (known !== undefined) return known === 'unknown' ? undefined : known;
  if (text.length > ZONE_CHARACTERS_MAX) return undefined;
  // A copy: a cell is a slice of its file's text, and a slice used as a key would keep the whole text in memory.
  const name = Array.from(text).join('');
  const zone = makeZone(name);
  const oldest = zones.size < ZONES_CACHED_MAX ? undefined : zones.keys().next().value;
  if (oldest !== undefined) zones.delete(oldest);
  zones.set(name, zone);
  return zone === 'unknown' ? undefined : zone;
}

export const isZone = (text: string): boolean => findZone(text) !== undefined;

/** @throws RangeError beyond the years an event may be in (and one more on each side, which their readings touch). */
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

/** @returns the span that contains an instant: its offset and abbreviation. @throws RangeError as above. */
export function spanAt(zone: Zone, instantMs: number): ZoneSpan {
  for (const span of spansOf(zone, yearOf(instantMs))) if (instantMs < span.untilMs) return span;
  throw new RangeError(`not an instant: ${instantMs}`);
}

/** @returns minutes east of UTC, always whole. */
export const offsetAt = (zone: Zone, instantMs: number): number => spanAt(zone, instantMs).offsetMinutes;

/** @returns `CST`, `CEST`; null if nobody writes one. */
export const zoneAbbreviation = (zone: Zone, instantMs: number): string | null => spanAt(zone, instantMs).abbreviation;

/**
 * @param localMs the wall-clock reading counted as though it were UTC (see date-time.ts).
 * @returns the spans that contain the reading, or for a gap the ones around it; the change is at `after.fromMs` or
 * `later.fromMs`.
 * @throws RangeError as above.
 */
export function resolveLocal(zone: Zone, localMs: number): LocalResolution {
  let found: ZoneSpan | undefined;
  let before: ZoneSpan | undefined;
  for (const span of spansOf(zone, yearOf(localMs))) {
    const instantMs = localMs - span.offsetMinutes * MINUTE_MS;
    if (!(instantMs >= span.fromMs)) {
      // Spans last days and clocks move by a day at most, so no later span can contain the reading either.
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
