/**
 * Finds, for one zone and year, the spans of time during which the zone's offset and abbreviation stay the same.
 *
 * Asks Intl (the engine's own IANA database) at sample points and halves the distance where two neighbours differ. About
 * a millisecond's work, so zones.ts keeps the answer; nothing here is kept.
 */
import { ABBREVIATION_FORM, customaryAbbreviation } from './zone-abbreviations.ts';

/**
 * @property fromMs first instant, `untilMs` the first one after; infinite at the ends of the window that was searched.
 * @property abbreviation null where nobody writes one: a bare offset, and zones such as America/Sao_Paulo.
 */
export interface ZoneSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMinutes: number;
  readonly abbreviation: string | null;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A day around the UTC year, in ms: every instant whose local reading lies in the year, as no offset reaches 24 hours. */
const MARGIN_MS = DAY_MS;
/** Distance of the samples, in ms: the closest two changes in the database from 1988 to 2100 are 6 days and 22 hours apart. */
const SAMPLE_MS = 4 * DAY_MS;

interface Reading {
  offsetMinutes: number;
  abbreviation: string;
}

/** @returns undefined where the engine knows no such zone. */
export function zoneFormatter(zone: string): Intl.DateTimeFormat | undefined {
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
    return undefined; // a RangeError is how Intl says no
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

/** @returns the first whole second at which the reading is no longer `before`; it is so at `fromMs` and not at `untilMs`. */
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
export function findSpans(formatter: Intl.DateTimeFormat, zone: string, year: number): readonly ZoneSpan[] {
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
