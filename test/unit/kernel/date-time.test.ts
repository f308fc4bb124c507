import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  daysInMonth,
  formatDateTime,
  formatTimeZoneOffset,
  isOffsetSent,
  toLocalMs,
} from '../../../src/kernel/date-time.ts';
import { DATE_TIME_FORM, TIME_ZONE_OFFSET_FORM } from '../../../src/upstream/contracts/bodies.ts';

const MIDNIGHT = { hour: 0, minute: 0, second: 0, millisecond: 0 };

describe('formatDateTime', () => {
  it('writes seven fractional digits and a numeric offset', () => {
    expect(formatDateTime(Date.UTC(2026, 2, 1, 12, 15), -360)).toEqual({
      ok: true,
      value: '2026-03-01T06:15:00.0000000-06:00',
    });
  });

  it('writes UTC as +00:00, never Z', () => {
    expect(formatDateTime(Date.UTC(2026, 2, 1, 12, 15, 0, 5), 0)).toMatchObject({
      value: '2026-03-01T12:15:00.0050000+00:00',
    });
  });

  it('writes offsets off the hour, east and west', () => {
    const instantMs = Date.UTC(2026, 2, 1, 12, 0);
    expect(formatDateTime(instantMs, 330)).toMatchObject({ value: '2026-03-01T17:30:00.0000000+05:30' });
    expect(formatDateTime(instantMs, -210)).toMatchObject({ value: '2026-03-01T08:30:00.0000000-03:30' });
    expect(formatDateTime(instantMs, -30)).toMatchObject({ value: '2026-03-01T11:30:00.0000000-00:30' });
  });

  it.each([
    ['', '.0070000'],
    ['8', '.0078000'],
    ['0001', '.0070001'],
    ['9999', '.0079999'],
    ['99999', '.0079999'],
  ])('puts the finer digits "%s" after the milliseconds and never rounds', (finer, fraction) => {
    expect(formatDateTime(Date.UTC(2026, 0, 1, 0, 0, 0, 7), 0, finer)).toMatchObject({
      value: `2026-01-01T00:00:00${fraction}+00:00`,
    });
  });

  it.each([841, -841, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the offset %s', (offsetMinutes) => {
    expect(formatDateTime(0, offsetMinutes)).toEqual({ ok: false, error: 'offset_out_of_range' });
    expect(formatTimeZoneOffset(offsetMinutes)).toEqual({ ok: false, error: 'offset_out_of_range' });
  });

  it('takes the outermost offsets', () => {
    expect(formatDateTime(Date.UTC(2026, 0, 1), 840)).toMatchObject({ value: '2026-01-01T14:00:00.0000000+14:00' });
    expect(formatDateTime(Date.UTC(2026, 0, 1), -840)).toMatchObject({ value: '2025-12-31T10:00:00.0000000-14:00' });
  });

  it.each([Number.NaN, 1.5, 8.64e15 + 1, 1e300, Date.UTC(10_000, 0, 1), -62_167_219_200_001])(
    'refuses the instant %s, which no four-digit year holds',
    (instantMs) => {
      expect(formatDateTime(instantMs, 0)).toEqual({ ok: false, error: 'instant_out_of_range' });
    },
  );

  it('judges the year by the local reading, not by UTC', () => {
    const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
    expect(formatDateTime(lastMs, 0).ok).toBe(true);
    expect(formatDateTime(lastMs, 60).ok).toBe(false);
    expect(formatDateTime(-62_167_219_200_000, 0)).toMatchObject({ value: '0000-01-01T00:00:00.0000000+00:00' });
    expect(formatDateTime(-62_167_219_200_000, -60).ok).toBe(false);
  });

  it('always yields the upstream form, and reading it back gives the same instant', () => {
    const instants = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2100, 0, 1) });
    const offsets = fc.integer({ min: -840, max: 840 });
    fc.assert(
      fc.property(instants, offsets, fc.stringMatching(/^\d{0,4}$/), (instantMs, offsetMinutes, finer) => {
        const written = formatDateTime(instantMs, offsetMinutes, finer);
        const offset = formatTimeZoneOffset(offsetMinutes);
        if (!written.ok || !offset.ok) throw new Error('refused');
        expect(written.value).toMatch(DATE_TIME_FORM);
        expect(TIME_ZONE_OFFSET_FORM.test(offset.value)).toBe(isOffsetSent(offsetMinutes));
        const [, millis, rest] = /\.(\d{3})(\d{4})/.exec(written.value) ?? [];
        expect(rest).toBe(finer.padEnd(4, '0'));
        expect(Date.parse(written.value.replace(/\.\d{7}/, `.${millis}`))).toBe(instantMs);
      }),
    );
  });
});

describe('isOffsetSent', () => {
  it.each([
    [330, false, true],
    [-210, false, true],
    [-360, true, true],
    [0, true, true],
  ])('of %d minutes is %s without a form for minutes, and %s with one', (offsetMinutes, without, withForm) => {
    expect([isOffsetSent(offsetMinutes, null), isOffsetSent(offsetMinutes, 'UTC+5:30')]).toEqual([without, withForm]);
  });
});

describe('formatTimeZoneOffset', () => {
  it.each([
    [-360, 'UTC-6'],
    [0, 'UTC+0'],
    [-0, 'UTC+0'],
    [330, 'UTC+5:30'],
    [-210, 'UTC-3:30'],
    [-30, 'UTC-0:30'],
    [525, 'UTC+8:45'],
    [840, 'UTC+14'],
    [5, 'UTC+0:05'],
  ])('writes %d minutes as %s', (offsetMinutes, text) => {
    expect(formatTimeZoneOffset(offsetMinutes)).toEqual({ ok: true, value: text });
  });
});

describe('calendar', () => {
  it.each([
    [2026, 2, 28],
    [2024, 2, 29],
    [2000, 2, 29],
    [2100, 2, 28],
    [2026, 4, 30],
    [2026, 11, 30],
    [2026, 12, 31],
  ])('knows that month %2$d of %1$d has %3$d days', (year, month, days) => {
    expect(daysInMonth(year, month)).toBe(days);
  });

  it('agrees with Date on every month of 400 years', () => {
    for (let year = 1800; year < 2200; year++) {
      for (let month = 1; month <= 12; month++) {
        expect(daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
      }
    }
  });

  it('counts a reading as though it were UTC', () => {
    const reading = { year: 2026, month: 3, day: 8, hour: 2, minute: 30, second: 1, millisecond: 7 };
    expect(toLocalMs(reading)).toBe(Date.UTC(2026, 2, 8, 2, 30, 1, 7));
  });

  it('takes the year 26 for the year 26', () => {
    const localMs = toLocalMs({ year: 26, month: 3, day: 1, ...MIDNIGHT });
    expect(new Date(localMs).toISOString()).toBe('0026-03-01T00:00:00.000Z');
    expect(new Date(toLocalMs({ year: 0, month: 2, day: 29, ...MIDNIGHT })).toISOString()).toMatch(/^0000-02-29/);
  });
});
