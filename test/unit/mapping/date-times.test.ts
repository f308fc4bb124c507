import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it, vi } from 'vitest';
import { isOffsetSent } from '../../../src/kernel/date-time.ts';
import {
  compileDateTimePattern,
  type DateTimePattern,
  spokenPattern,
} from '../../../src/mapping/values/date-time-pattern.ts';
import {
  describeTimeProblem,
  readTime,
  type TimeProblem,
  type TimeSpec,
  type TimeValue,
  timeObjectOf,
} from '../../../src/mapping/values/date-times.ts';
import { timeObject } from '../../../src/upstream/contracts/bodies.ts';
import { draws } from '../../draws.ts';

function patternOf(source: string): DateTimePattern {
  const compiled = compileDateTimePattern(source);
  if (!compiled.ok) throw new Error(source);
  return compiled.value;
}

const LOCAL = patternOf('yyyy-MM-dd HH:mm[:ss]');
const ISO = patternOf('iso');
const SERVICE = patternOf('yyyy-MM-dd HHH:mm:ss');

interface Case extends Partial<Omit<TimeSpec, 'patterns'>> {
  pattern?: DateTimePattern;
  zone?: string;
}

function read(text: string, { pattern = LOCAL, zone, ...rest }: Case = {}) {
  return readTime(zone === undefined ? { text } : { text, zoneText: zone }, { patterns: [pattern], ...rest });
}

/** What is sent, and the instant. */
function timeOf(text: string, options?: Case) {
  const value = readingOf(text, options);
  return { ...timeObjectOf(value), instantMs: value.instantMs };
}

/** On the clock it was written by. */
function readingOf(text: string, options?: Case): TimeValue {
  const time = read(text, options);
  if (!time.ok) throw new Error(JSON.stringify(time.error));
  return time.value;
}

function problemOf(text: string, options?: Case): TimeProblem {
  const time = read(text, options);
  if (time.ok) throw new Error(`${text} was read as ${time.value.dateTime}`);
  return time.error;
}

const messagesOf = (text: string, options?: Case) => describeTimeProblem(problemOf(text, options), 'Event Time');
const CHICAGO = { zone: 'America/Chicago' };

describe('readTime', () => {
  it('yields the upstream time object and the instant', () => {
    expect(timeOf('2026-03-01 06:15', CHICAGO)).toEqual({
      dateTime: '2026-03-01T06:15:00.0000000-06:00',
      timeZoneCode: 'CST',
      timeZoneOffset: 'UTC-6',
      instantMs: Date.UTC(2026, 2, 1, 12, 15),
    });
  });

  it('follows the season', () => {
    expect(timeOf('2026-07-01 06:15', CHICAGO)).toMatchObject({ timeZoneCode: 'CDT', timeZoneOffset: 'UTC-5' });
    expect(timeOf('2026-07-01 06:15', { zone: 'America/Phoenix' })).toMatchObject({
      timeZoneCode: 'MST',
      timeZoneOffset: 'UTC-7',
    });
  });

  it('writes a half-hour zone with its minutes', () => {
    expect(timeOf('2026-07-01 06:15', { zone: 'Asia/Kolkata' })).toMatchObject({
      dateTime: '2026-07-01T06:15:00.0000000+05:30',
      timeZoneCode: 'IST',
      timeZoneOffset: 'UTC+5:30',
    });
  });

  it('prefers the zone of the record to the default, and takes a blank one for none', () => {
    const defaultZone = 'America/Denver';
    expect(timeOf('2026-03-01 06:15', { zone: ' America/Chicago ', defaultZone }).timeZoneCode).toBe('CST');
    expect(timeOf('2026-03-01 06:15', { zone: '  ', defaultZone }).timeZoneCode).toBe('MST');
    expect(timeOf('2026-03-01 06:15', { defaultZone }).timeZoneCode).toBe('MST');
  });

  it('never falls back from an unknown zone to the default', () => {
    expect(problemOf('2026-03-01 06:15', { zone: 'CST', defaultZone: 'America/Denver' })).toEqual({
      code: 'time_zone_unknown',
      text: '2026-03-01 06:15',
      zone: 'CST',
    });
  });

  it('refuses a time without zone and offset, never taking it for UTC', () => {
    for (const options of [{}, { zone: '' }, { zone: ' ', defaultZone: '' }]) {
      expect(problemOf('2026-03-01 06:15', options)).toEqual({ code: 'time_zone_missing', text: '2026-03-01 06:15' });
    }
    expect(problemOf('1767225600', { pattern: patternOf('epochSeconds') }).code).toBe('time_zone_missing');
  });

  it.each([
    ['-06:00', '2026-07-01T12:15:00.0000000+00:00', 'UTC'],
    ['UTC-6', '2026-07-01T12:15:00.0000000+00:00', 'UTC'],
    ['UTC', '2026-07-01T06:15:00.0000000+00:00', 'UTC'],
    ['GMT', '2026-07-01T06:15:00.0000000+00:00', 'GMT'],
    ['Z', '2026-07-01T06:15:00.0000000+00:00', 'UTC'],
    ['CST-06:00', '2026-07-01T06:15:00.0000000-06:00', 'CST'],
    ['America/Sao_Paulo', '2026-07-01T09:15:00.0000000+00:00', 'UTC'],
  ])('takes %s for a zone', (zone, dateTime, timeZoneCode) => {
    expect(timeOf('2026-07-01 06:15', { zone })).toMatchObject({ dateTime, timeZoneCode });
  });

  it('tries patterns in order and reports the one that came farthest', () => {
    const patterns = [patternOf('MM/dd/yyyy HH:mm'), LOCAL, patternOf('yyyyMMdd')] as const;
    expect(readTime({ text: '20260301', zoneText: 'America/Chicago' }, { patterns: [...patterns] })).toMatchObject({
      value: { dateTime: '2026-03-01T00:00:00.0000000-06:00' },
    });
    const time = readTime({ text: '2026-03-01 06:75', zoneText: 'America/Chicago' }, { patterns: [...patterns] });
    expect(time).toEqual({
      ok: false,
      error: {
        code: 'bad_date',
        text: '2026-03-01 06:75',
        pattern: 'yyyy-MM-dd HH:mm[:ss]',
        at: 14,
        wanted: 'minute 00 to 59',
      },
    });
  });

  it.each([
    ['1989-12-31 23:59', 1989],
    ['1900-01-01 00:00', 1900],
    ['0001-01-01 00:00', 1],
    ['0026-03-01 00:00', 26],
    ['2100-01-01 00:00', 2100],
    ['9999-12-31 00:00', 9999],
  ])('refuses %s, whose year %d is a placeholder', (text, year) => {
    expect(problemOf(text, CHICAGO)).toEqual({ code: 'year_out_of_range', text, year });
  });

  it('reads the first and last minute of its years in any zone', () => {
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue', 'UTC']) {
      for (const text of ['1990-01-01 00:00', '2099-12-31 23:59']) expect(read(text, { zone }).ok).toBe(true);
    }
    for (const text of ['1990-01-01T00:00+14:00', '2099-12-31T23:59-14:00']) {
      expect(read(text, { pattern: ISO, ...CHICAGO }).ok).toBe(true);
    }
  });
});

describe('a text with its own offset', () => {
  it('lends the abbreviation of the zone when both agree', () => {
    expect(timeOf('2026-03-01T06:15:00.1234567-06:00', { pattern: ISO, ...CHICAGO })).toMatchObject({
      dateTime: '2026-03-01T06:15:00.1234567-06:00',
      timeZoneCode: 'CST',
    });
  });

  it.each([
    ['2026-07-01T06:15-06:00', 'America/Chicago', 'UTC', 'UTC+0'],
    ['2026-07-01T06:15Z', 'America/Chicago', 'UTC', 'UTC+0'],
    ['2026-07-01T06:15-05:00', 'America/Chicago', 'CDT', 'UTC-5'],
    ['2026-07-01T06:15-06:00', 'CST', 'CST', 'UTC-6'],
    ['2026-07-01T06:15-05:00', 'PST', 'UTC', 'UTC+0'],
    ['2026-07-01T06:15-06:00', 'NULL', 'UTC', 'UTC+0'],
    ['2026-07-01T06:15-06:00', '', 'UTC', 'UTC+0'],
  ])('decides the instant against the zone: %s in "%s" is %s', (text, zone, timeZoneCode, timeZoneOffset) => {
    const time = timeOf(text, { pattern: ISO, zone });
    expect(time).toMatchObject({ timeZoneCode, timeZoneOffset, instantMs: Date.parse(text) });
  });

  it('settles which of the two hours is meant', () => {
    expect(timeOf('2026-11-01T01:30-05:00', { pattern: ISO, ...CHICAGO }).timeZoneCode).toBe('CDT');
    expect(timeOf('2026-11-01T01:30-06:00', { pattern: ISO, ...CHICAGO }).timeZoneCode).toBe('CST');
  });

  it.each(['2026-07-01T06:15+14:01', '2026-07-01T06:15-15:00', '2026-07-01T06:15+99'])(
    'is refused beyond 14 hours: %s',
    (text) => {
      expect(problemOf(text, { pattern: ISO, ...CHICAGO }).code).toBe('offset_out_of_range');
    },
  );
});

describe('an instant counted since 1970', () => {
  it('is written on the clock of the zone', () => {
    expect(timeOf('1767225600.1234567', { pattern: patternOf('epochSeconds'), ...CHICAGO })).toMatchObject({
      dateTime: '2025-12-31T18:00:00.1234567-06:00',
      instantMs: 1_767_225_600_123,
    });
  });

  it.each(['0', '99999999999', '4102444800'])('is refused outside the years: %s s', (text) => {
    expect(problemOf(text, { pattern: patternOf('epochSeconds'), zone: 'UTC' }).code).toBe('year_out_of_range');
  });

  it('is judged by the year on the clock of its zone', () => {
    const newYear1990 = `${Date.UTC(1990, 0, 1)}`;
    expect(read(newYear1990, { pattern: patternOf('epochMillis'), zone: 'UTC' }).ok).toBe(true);
    expect(problemOf(newYear1990, { pattern: patternOf('epochMillis'), ...CHICAGO })).toMatchObject({ year: 1989 });
    const tokyo = `${Date.UTC(1989, 11, 31, 15)}`;
    expect(timeOf(tokyo, { pattern: patternOf('epochMillis'), zone: 'Asia/Tokyo' }).dateTime).toMatch(
      /^1990-01-01T00:00/,
    );
  });
});

describe('an hour of a service day', () => {
  it.each([
    ['2026-03-01 25:10:00', '2026-03-02T01:10:00.0000000-06:00'],
    ['2026-03-01 06:15:00', '2026-03-01T06:15:00.0000000-06:00'],
    ['2026-12-31 24:00:00', '2027-01-01T00:00:00.0000000-06:00'],
  ])('%s is %s', (text, dateTime) => expect(timeOf(text, { pattern: SERVICE, ...CHICAGO }).dateTime).toBe(dateTime));

  it('is elapsed time, so it neither falls into a gap nor means two hours', () => {
    const at = (text: string): string => timeOf(text, { pattern: SERVICE, ...CHICAGO }).dateTime;
    expect(at('2026-03-07 26:30:00')).toBe('2026-03-08T03:30:00.0000000-05:00');
    expect(at('2026-10-31 25:30:00')).toBe('2026-11-01T01:30:00.0000000-05:00');
    expect(at('2026-10-31 26:30:00')).toBe('2026-11-01T01:30:00.0000000-06:00');
    expect(at('2026-03-08 14:00:00')).toBe('2026-03-08T14:00:00.0000000-05:00');
    expect(at('2026-03-08 01:30:00')).toBe('2026-03-08T00:30:00.0000000-06:00');
  });

  it('may carry an offset, and may not leave the years', () => {
    const pattern = patternOf('yyyy-MM-dd HHH:mmXXX');
    expect(readingOf('2026-03-01 25:10-06:00', { pattern }).dateTime).toBe('2026-03-02T01:10:00.0000000-06:00');
    expect(problemOf('2099-12-31 24:00:00', { pattern: SERVICE, ...CHICAGO }).code).toBe('year_out_of_range');
  });
});

describe('a time clocks jumped over', () => {
  it('is refused by default, with the facts', () => {
    expect(problemOf('2026-03-08 02:30', CHICAGO)).toMatchObject({
      code: 'time_nonexistent',
      zone: 'America/Chicago',
      localMs: Date.UTC(2026, 2, 8, 2, 30),
      atMs: Date.UTC(2026, 2, 8, 8),
      before: { offsetMinutes: -360, abbreviation: 'CST' },
      after: { offsetMinutes: -300, abbreviation: 'CDT' },
    });
  });

  it('follows the declared policy', () => {
    expect(timeOf('2026-03-08 02:30', { ...CHICAGO, gap: 'later' })).toMatchObject({
      dateTime: '2026-03-08T03:30:00.0000000-05:00',
      timeZoneCode: 'CDT',
    });
    expect(timeOf('2026-03-08 02:30', { ...CHICAGO, gap: 'earlier' })).toMatchObject({
      dateTime: '2026-03-08T01:30:00.0000000-06:00',
      timeZoneCode: 'CST',
    });
  });

  it('is not let through by the policy for the other case', () => {
    expect(problemOf('2026-03-08 02:30', { ...CHICAGO, overlap: 'later' }).code).toBe('time_nonexistent');
    expect(problemOf('2026-11-01 01:30', { ...CHICAGO, gap: 'later' }).code).toBe('time_ambiguous');
  });
});

describe('a time clocks show twice', () => {
  it('is refused by default, with the facts', () => {
    expect(problemOf('2026-11-01 01:30', CHICAGO)).toMatchObject({
      code: 'time_ambiguous',
      atMs: Date.UTC(2026, 10, 1, 7),
      before: { offsetMinutes: -300 },
      after: { offsetMinutes: -360 },
    });
  });

  it('follows the declared policy', () => {
    expect(timeOf('2026-11-01 01:30', { ...CHICAGO, overlap: 'earlier' })).toMatchObject({
      dateTime: '2026-11-01T01:30:00.0000000-05:00',
      timeZoneCode: 'CDT',
    });
    expect(timeOf('2026-11-01 01:30', { ...CHICAGO, overlap: 'later' })).toMatchObject({
      dateTime: '2026-11-01T01:30:00.0000000-06:00',
      timeZoneCode: 'CST',
    });
  });
});

describe('the policies earlier and later', () => {
  it('agree with Temporal for any reading in any zone, and fit the upstream form', { timeout: 60_000 }, () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const readings = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2038, 0, 1) - 1 });
    fc.assert(
      fc.property(zones, readings, fc.constantFrom('earlier', 'later'), (zone, localMs, policy) => {
        const text = new Date(localMs).toISOString().slice(0, 23);
        const time = readingOf(text, { pattern: ISO, zone, gap: policy, overlap: policy });
        const expected = Temporal.PlainDateTime.from(text).toZonedDateTime(zone, { disambiguation: policy });
        expect(time.instantMs).toBe(expected.epochMilliseconds);
        const sent = timeObjectOf(time);
        const isFit = timeObject.safeParse(sent).success;
        expect(isFit, JSON.stringify(sent)).toBe(time.abbreviation === null || isOffsetSent(time.offsetMinutes));
        expect(Date.parse(sent.dateTime)).toBe(time.instantMs);
        expect(time.dateTime).toBe(`${expected.toString({ timeZoneName: 'never', fractionalSecondDigits: 7 })}`);
      }),
      { numRuns: draws(500) },
    );
  });

  it('keep all seven digits and the offset of a text through a round trip', () => {
    const digits = fc.stringMatching(/^\d{7}$/);
    const offsets = fc.integer({ min: -840, max: 840 });
    const readings = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2100, 0, 1) - 1 });
    fc.assert(
      fc.property(readings, digits, offsets, (localMs, fraction, minutes) => {
        const size = Math.abs(minutes);
        const [hours, past] = [Math.trunc(size / 60), size % 60].map((part) => `${part}`.padStart(2, '0'));
        const text = `${new Date(localMs).toISOString().slice(0, 19)}.${fraction}${minutes < 0 ? '-' : '+'}${hours}:${past}`;
        expect(readingOf(text, { pattern: patternOf("yyyy-MM-dd'T'HH:mm:ss.SSSSSSSXXX") }).dateTime).toBe(text);
        expect(readingOf(text, { pattern: ISO }).dateTime).toBe(text);
      }),
    );
  });
});

describe('the hot path', () => {
  it('asks Intl nothing once a zone and year are known', () => {
    timeOf('2026-03-01 06:15', CHICAGO);
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    const made = vi.spyOn(Intl, 'DateTimeFormat');
    for (let day = 1; day <= 28; day++) timeOf(`2026-06-${`${day}`.padStart(2, '0')} 06:15`, CHICAGO);
    expect(asked).not.toHaveBeenCalled();
    expect(made).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe('describeTimeProblem', () => {
  it('explains a gap', () => {
    expect(messagesOf('2026-03-08 02:30', CHICAGO)).toEqual({
      code: 'time_nonexistent',
      path: 'Event Time',
      value: '2026-03-08 02:30',
      message: '02:30 on 2026-03-08 does not exist in America/Chicago: clocks go from 02:00 to 03:00.',
      fix: 'Correct the time, or send it with its offset from UTC. If that cannot be, ask the operator.',
    });
  });

  it('explains an overlap', () => {
    expect(messagesOf('2026-11-01 01:30:05', CHICAGO).message).toBe(
      '01:30:05 on 2026-11-01 happens twice in America/Chicago: clocks go back from 02:00 to 01:00. ' +
        'It is 01:30:05 CDT (UTC-5) or 01:30:05 CST (UTC-6).',
    );
  });

  it('names the days when a whole day was skipped', () => {
    expect(messagesOf('2011-12-30 12:00', { zone: 'Pacific/Apia' }).message).toContain(
      'from 2011-12-30 00:00 to 2011-12-31 00:00',
    );
  });

  it('talks about the pattern that fits when only the day does not exist, not about one that failed later', () => {
    const patterns: TimeSpec['patterns'] = [patternOf('MM/dd/yyyy HH:mm'), patternOf('MM/dd/yyyy h:mm a')];
    const time = readTime({ text: '02/30/2026 11:15', zoneText: CHICAGO.zone }, { patterns });
    expect(time).toMatchObject({ error: { pattern: 'MM/dd/yyyy HH:mm', wanted: 'day 1 to 28 in month 2 of 2026' } });
  });

  it('shows where a date stopped fitting, counted from 1', () => {
    expect(messagesOf('2026-02-30 06:15', CHICAGO)).toMatchObject({
      code: 'bad_date',
      message:
        'The time is not written as year-month-day hour:minute (:second), such as 2026-03-25 14:05:09: at character 9 stands "30 06:15", ' +
        'wanted: day 1 to 28 in month 2 of 2026.',
    });
    expect(messagesOf('2026-02-', CHICAGO).message).toContain('at character 9 the text ends, wanted: day 01 to 31.');
  });

  it.each([
    ['dd.MM.yyyy', 'day.month.year'],
    ['yyyyMMddHHmm', 'year, month, day, hour, minute without marks'],
    ["MM/dd/yy h:mm a 'local'", 'month/day/year hour:minute AM/PM local'],
    ['iso', 'ISO 8601 says'],
  ])('calls the pattern %s %s', (pattern, words) => {
    expect(spokenPattern(pattern)).toBe(words);
  });

  it('caps what it quotes', () => {
    const zone = 'x'.repeat(100_000);
    const { value, message } = messagesOf('2026-03-01 06:15', { zone });
    expect(value.length + message.length).toBeLessThan(600);
    expect(messagesOf('9'.repeat(100_000), CHICAGO).value.length).toBeLessThan(200);
  });

  it('tells a missing zone, an unknown zone, a far offset and a placeholder year apart', () => {
    expect(messagesOf('2026-03-01 06:15').fix).toContain('America/Chicago');
    expect(messagesOf('2026-03-01 06:15', { zone: 'CST' })).toMatchObject({ value: 'CST', code: 'time_zone_unknown' });
    expect(messagesOf('2026-03-01T06:15+15:30', { pattern: ISO }).message).toContain('15:30');
    expect(messagesOf('1900-01-01 00:00', CHICAGO).message).toContain('1990 to 2099');
  });
});
