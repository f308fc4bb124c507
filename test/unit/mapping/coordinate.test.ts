import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Axis,
  type CoordinateForm,
  looksSwapped,
  pairFault,
  readCoordinate,
} from '../../../src/mapping/values/coordinate.ts';
import { draws } from '../../draws.ts';

const LATITUDE = 'latitude';
const LONGITUDE = 'longitude';

/** The value, or the code of the fault. */
function read(text: string, axis: Axis, form: CoordinateForm = 'decimal', decimal: '.' | ',' = '.'): number | string {
  const result = readCoordinate(text, axis, form, decimal);
  return result.ok ? result.value : result.error.code;
}

describe('decimal degrees', () => {
  it.each<[string, Axis, number]>([
    ['41.8781', LATITUDE, 41.8781],
    ['-95.225', LONGITUDE, -95.225],
    ['\u221295.225', LONGITUDE, -95.225],
    ['+41.8781', LATITUDE, 41.8781],
    ['95.225W', LONGITUDE, -95.225],
    ['W95.225', LONGITUDE, -95.225],
    ['w 95.225', LONGITUDE, -95.225],
    ['95.225° W', LONGITUDE, -95.225],
    ['95.225 ° W', LONGITUDE, -95.225],
    ['41.8781°', LATITUDE, 41.8781],
    ['33.5 S', LATITUDE, -33.5],
    ['N 41.8781', LATITUDE, 41.8781],
    ['-95.225W', LONGITUDE, -95.225],
    ['W -95.225', LONGITUDE, -95.225],
    ['+41.8781N', LATITUDE, 41.8781],
    ['041.5', LATITUDE, 41.5],
    ['90', LATITUDE, 90],
    ['-180.0000', LONGITUDE, -180],
    ['41.878113600000001', LATITUDE, 41.8781136],
    ['41.87811364', LATITUDE, 41.8781136],
    ['-41.87811366', LATITUDE, -41.8781137],
    ['0 S', LATITUDE, 0],
    ['-0.00000001', LATITUDE, 0],
  ])('%j as a %s is %d', (text, axis, wanted) => expect(read(text, axis)).toBe(wanted));

  it('uses the declared mark only', () => {
    expect(read('41,8781', LATITUDE, 'decimal', ',')).toBe(41.8781);
    expect(read('41.8781', LATITUDE, 'decimal', ',')).toBe('not_a_coordinate');
    expect(read('41,8781', LATITUDE, 'decimal', '.')).toBe('not_a_coordinate');
  });

  it.each<[string, Axis, string]>([
    ['', LATITUDE, 'empty'],
    ['  ', LATITUDE, 'empty'],
    ['north', LATITUDE, 'not_a_coordinate'],
    ['N', LATITUDE, 'not_a_coordinate'],
    ['N41.8N', LATITUDE, 'not_a_coordinate'],
    ['41.8-', LATITUDE, 'not_a_coordinate'],
    ['41.8.1', LATITUDE, 'not_a_coordinate'],
    ['41.', LATITUDE, 'not_a_coordinate'],
    ['4e1', LATITUDE, 'not_a_coordinate'],
    ['41 52 41', LATITUDE, 'not_a_coordinate'],
    ['0951330', LONGITUDE, 'not_a_coordinate'],
    ['41.8781 W', LATITUDE, 'wrong_hemisphere'],
    ['95.225 N', LONGITUDE, 'wrong_hemisphere'],
    ['-95.225 E', LONGITUDE, 'sign_contradicts_letter'],
    ['+33.5 S', LATITUDE, 'sign_contradicts_letter'],
    ['90.0001', LATITUDE, 'out_of_range'],
    ['90.00000001', LATITUDE, 'out_of_range'],
    ['-180.5', LONGITUDE, 'out_of_range'],
  ])('refuses %j as a %s: %s', (text, axis, fault) => expect(read(text, axis)).toBe(fault));
});

describe('degrees, minutes and seconds as digits (X12 MS1)', () => {
  it.each<[string, Axis, number]>([
    ['0951330W', LONGITUDE, -95.225],
    ['0951330 W', LONGITUDE, -95.225],
    ['W0951330', LONGITUDE, -95.225],
    ['-0951330', LONGITUDE, -95.225],
    ['-0951330W', LONGITUDE, -95.225],
    ['+0951330', LONGITUDE, 95.225],
    ['0294600N', LATITUDE, 29.7666667],
    ['294600N', LATITUDE, 29.7666667],
    ['294600S', LATITUDE, -29.7666667],
    ['0294600.36N', LATITUDE, 29.7667667],
    ['1800000E', LONGITUDE, 180],
    ['0000000W', LONGITUDE, 0],
  ])('%j as a %s is %d', (text, axis, wanted) => expect(read(text, axis, 'DDDMMSS')).toBe(wanted));

  it('reads decimals of seconds behind the declared mark', () =>
    expect(read('0294600,36N', LATITUDE, 'DDDMMSS', ',')).toBe(29.7667667));

  it.each<[string, Axis, string]>([
    ['', LATITUDE, 'empty'],
    ['0951330', LONGITUDE, 'hemisphere_missing'],
    ['951330W', LONGITUDE, 'not_a_coordinate'],
    ['95.225W', LONGITUDE, 'not_a_coordinate'],
    ['2946N', LATITUDE, 'not_a_coordinate'],
    ['02946000N', LATITUDE, 'not_a_coordinate'],
    ['0296000N', LATITUDE, 'minutes_out_of_range'],
    ['0294660N', LATITUDE, 'minutes_out_of_range'],
    ['0294660.5N', LATITUDE, 'minutes_out_of_range'],
    ['0951330N', LATITUDE, 'out_of_range'],
    ['0900001N', LATITUDE, 'out_of_range'],
    ['0951330W', LATITUDE, 'wrong_hemisphere'],
    ['-0951330E', LONGITUDE, 'sign_contradicts_letter'],
  ])('refuses %j as a %s: %s', (text, axis, fault) => expect(read(text, axis, 'DDDMMSS')).toBe(fault));
});

describe('a coordinate read by its digits, as X12 partners write both forms', () => {
  it.each<[string, Axis, number]>([
    ['0951330 W', LONGITUDE, -95.225],
    ['95.225 W', LONGITUDE, -95.225],
    ['-95.225 W', LONGITUDE, -95.225],
    ['-95.225', LONGITUDE, -95.225],
    ['0294600 N', LATITUDE, 29.7666667],
    ['29.766667 N', LATITUDE, 29.766667],
    ['0294600.36 N', LATITUDE, 29.7667667],
  ])('%j as a %s is %d', (text, axis, wanted) => expect(read(text, axis, 'byDigits')).toBe(wanted));

  it.each<[string, Axis, string]>([
    ['-95.225 E', LONGITUDE, 'sign_contradicts_letter'],
    ['0951330', LONGITUDE, 'hemisphere_missing'],
    ['95.225', LONGITUDE, 'hemisphere_missing'],
    ['0951330 W', LATITUDE, 'wrong_hemisphere'],
    ['0956030 W', LONGITUDE, 'minutes_out_of_range'],
  ])('refuses %j as a %s: %s', (text, axis, fault) => expect(read(text, axis, 'byDigits')).toBe(fault));

  it('takes the half that the mapping declares where the file says none, and only there', () => {
    const west = (text: string) => readCoordinate(text, LONGITUDE, 'byDigits', '.', 'W');
    expect(west('0951330')).toEqual({ ok: true, value: -95.225 });
    expect(west('0951330 E')).toEqual({ ok: true, value: 95.225 });
    expect(west('-95.225')).toEqual({ ok: true, value: -95.225 });
  });
});

it('says what it received and what was possible', () => {
  expect(readCoordinate('95.2W', LATITUDE, 'decimal', '.')).toEqual({
    ok: false,
    error: { code: 'wrong_hemisphere', letter: 'W' },
  });
  expect(readCoordinate('-95.225', LATITUDE, 'decimal', '.')).toEqual({
    ok: false,
    error: { code: 'out_of_range', value: -95.225, degreesMax: 90 },
  });
  expect(readCoordinate('0296107.5N', LATITUDE, 'DDDMMSS', '.')).toEqual({
    ok: false,
    error: { code: 'minutes_out_of_range', minutes: 61, seconds: 7.5 },
  });
});

describe('pairs', () => {
  it('tells a device without a fix', () => {
    expect(pairFault(0, 0)).toBe('no_fix');
    expect(pairFault(0, 12.5)).toBeUndefined();
    expect(pairFault(51.48, 0)).toBeUndefined();
  });
  it.each([
    [-95.225, 29.7, true],
    [151.2, -33.9, true],
    [29.7, -95.225, false],
    [41.2, 45.1, false],
    [-95.2, 120, false],
    [10, 200, false],
    [200, 10, false],
    [Number.NaN, 10, false],
  ])('latitude %d with longitude %d looks swapped: %s', (latitude, longitude, wanted) =>
    expect(looksSwapped(latitude, longitude)).toBe(wanted),
  );
});

const axis = fc.constantFrom<Axis>(LATITUDE, LONGITUDE);

it('reads back any position it could have written, in every form', () => {
  fc.assert(
    fc.property(axis, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (on, share, isNegative) => {
      const seconds = Math.round(share * (on === LATITUDE ? 90 : 180) * 3_600);
      const degrees = (seconds / 3_600).toFixed(7);
      const letter = (on === LATITUDE ? 'NS' : 'EW')[isNegative ? 1 : 0];
      const wanted = Number(`${isNegative ? '-' : ''}${degrees}`) + 0;
      const twoDigits = (count: number): string => String(count).padStart(2, '0');
      const digits = `${String(Math.floor(seconds / 3_600)).padStart(3, '0')}${twoDigits(Math.floor(seconds / 60) % 60)}${twoDigits(seconds % 60)}`;
      expect(read(`${isNegative ? '-' : ''}${degrees}`, on)).toBe(wanted);
      expect(read(`${degrees}° ${letter}`, on)).toBe(wanted);
      expect(read(`${letter}${digits}`, on, 'DDDMMSS')).toBe(wanted);
    }),
  );
});

it('never throws, and never gives a value that is out of range or finer than seven decimals', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'0123456789.,-+NSEW °'), maxLength: 14 });
  const form = fc.constantFrom<CoordinateForm>('decimal', 'DDDMMSS');
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: 'binary' })), axis, form, (text, on, written) => {
      const value = read(text, on, written);
      if (typeof value === 'string') return;
      expect(Math.abs(value)).toBeLessThanOrEqual(on === LATITUDE ? 90 : 180);
      expect(Number(value.toFixed(7))).toBe(value);
    }),
    { numRuns: draws(3_000) },
  );
});
