import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../../src/delivery/classify.ts';
import { draws } from '../../draws.ts';
import { HOUR_MS, NOW_MS, SECOND_MS } from './samples.ts';

const read = (text: string | undefined): number | undefined => readRetryAfter(text, NOW_MS);
const SIX_HOURS_MS = 6 * HOUR_MS;

describe('readRetryAfter', () => {
  it.each([
    ['1', SECOND_MS],
    ['120', 120 * SECOND_MS],
    [' 30 ', 30 * SECOND_MS],
    ['007', 7 * SECOND_MS],
    ['21600', SIX_HOURS_MS],
  ])('reads %j as seconds', (text, waitMs) => {
    expect(read(text)).toBe(waitMs);
  });

  it.each([
    'Mon, 02 Mar 2026 09:00:00 GMT',
    '  Mon, 02 Mar 2026 09:00:00 GMT ',
    new Date(NOW_MS + HOUR_MS).toUTCString(),
  ])('reads the date %j as the wait until then', (text) => {
    expect(read(text)).toBe(HOUR_MS);
  });

  it.each([
    ['another zone', 'Mon, 02 Mar 2026 10:00:00 +0100'],
    ['a zone named otherwise', 'Mon, 02 Mar 2026 09:00:00 UTC'],
    ['the form of RFC 850', 'Monday, 02-Mar-26 09:00:00 GMT'],
    ['the form of asctime', 'Mon Mar  2 09:00:00 2026'],
    ['ISO 8601', '2026-03-02T09:00:00Z'],
    ['no weekday', '02 Mar 2026 09:00:00 GMT'],
    ['a day that is none', 'Mon, 99 Mar 2026 09:00:00 GMT'],
    ['a month that is none', 'Mon, 02 Xyz 2026 09:00:00 GMT'],
    ['words around it', 'after Mon, 02 Mar 2026 09:00:00 GMT'],
  ])('leaves a date with %s to the schedule', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('waits a second at least, for 0 and for a date that has passed', () => {
    expect(read('0')).toBe(SECOND_MS);
    expect(read(new Date(NOW_MS - HOUR_MS).toUTCString())).toBe(SECOND_MS);
    expect(read(new Date(NOW_MS).toUTCString())).toBe(SECOND_MS);
  });

  it.each(['1000000000', '9'.repeat(400), new Date(NOW_MS + 400 * 24 * HOUR_MS).toUTCString()])(
    'waits six hours at most, for %.20s',
    (text) => {
      expect(read(text)).toBe(SIX_HOURS_MS);
    },
  );

  it.each([
    ...[undefined, '', '   ', 'garbage', '-5', '-1000', '1 hour', 'NaN', 'Infinity', '1e9', '0x10', '5s', 'null'],
    ...['soon 5', 'retry in 3600', 'in 2030', '1.5', '+5', '1,5', '5;', '5 5', '٥'],
  ])('leaves %j to the schedule: neither whole seconds nor a date', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is nothing or lies between a second and six hours, whatever stands there', () => {
    const text = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.integer({ min: -HOUR_MS, max: 8 * HOUR_MS }).map((aheadMs) => new Date(NOW_MS + aheadMs).toUTCString()),
      fc.stringMatching(/^[-+\d.e: ]{0,12}$/),
    );
    fc.assert(
      fc.property(text, (sent) => {
        const waitMs = read(sent);
        return waitMs === undefined || (waitMs >= SECOND_MS && waitMs <= SIX_HOURS_MS);
      }),
      { numRuns: draws(1_000) },
    );
  });
});
