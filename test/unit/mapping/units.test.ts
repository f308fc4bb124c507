import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convert, dimensionOf, readUnit, UNITS, type Unit } from '../../../src/mapping/values/units.ts';
import { draws } from '../../draws.ts';

describe('conversion by the legal factors', () => {
  it.each<[number, Unit, number, Unit]>([
    [1, 'mi', 1.609344, 'km'],
    [26.2, 'mi', 42.1648128, 'km'],
    [1, 'mi', 5_280, 'ft'],
    [1, 'ft', 30.48, 'cm'],
    [1, 'yd', 3, 'ft'],
    [1, 'ft', 12, 'in'],
    [1_609.344, 'm', 1, 'mi'],
    [1, 'lb', 0.45359237, 'kg'],
    [16, 'oz', 1, 'lb'],
    [44_092.45, 'lb', 19.9999988946065, 't'],
    [1, 't', 1_000, 'kg'],
    [1, 'g', 0.001, 'kg'],
    [1, 'gal', 3.785411784, 'l'],
    [1, 'ft3', 28.316846592, 'l'],
    [1, 'm3', 1_000, 'l'],
    [500, 'ml', 0.5, 'l'],
    [231, 'gal', 30.8802083333333, 'ft3'],
    [60, 'mph', 96.56064, 'km/h'],
    [1, 'kn', 1.852, 'km/h'],
    [10, 'm/s', 36, 'km/h'],
    [32, 'F', 0, 'C'],
    [98.6, 'F', 37, 'C'],
    [-40, 'F', -40, 'C'],
    [37, 'C', 98.6, 'F'],
    [300, 'K', 26.85, 'C'],
    [26.85, 'C', 300, 'K'],
    [0, 'K', -459.67, 'F'],
    [-18.1, 'C', -0.58, 'F'],
  ])('%d %s are %d %s', (value, from, wanted, to) => {
    expect(convert(value, from, to)).toBe(Number(wanted.toPrecision(15)));
  });

  it('leaves a value in its own unit as it is, to the last digit', () =>
    expect(convert(0.1234567890123456, 'C', 'C')).toBe(0.1234567890123456));

  it('never writes a negative zero', () => {
    expect(Object.is(convert(-0, 'km', 'mi'), 0)).toBe(true);
    expect(Object.is(convert(-0, 'km', 'km'), 0)).toBe(true);
  });
});

const unit = fc.constantFrom(...UNITS);

it('comes back to where it started, and never throws', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), unit, unit, (value, from, to) => {
      fc.pre(dimensionOf(from) === dimensionOf(to));
      const there = convert(value, from, to);
      const tolerance = dimensionOf(from) === 'temperature' ? 1e-6 : Math.abs(value) * 1e-14 + 1e-300;
      expect(Math.abs(convert(there, to, from) - value)).toBeLessThanOrEqual(tolerance);
    }),
    { numRuns: draws(2_000) },
  );
});

it('keeps order: the larger of two quantities is the larger in any unit', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), unit, unit, (left, right, from, to) => {
      fc.pre(dimensionOf(from) === dimensionOf(to) && left < right);
      expect(convert(left, from, to)).toBeLessThan(convert(right, from, to));
    }),
  );
});

describe('spellings', () => {
  it.each<[string, Unit]>([
    ['°C', 'C'],
    ['° c', 'C'],
    ['℃', 'C'],
    ['Cel', 'C'],
    ['deg F', 'F'],
    ['Fahrenheit', 'F'],
    ['K', 'K'],
    ['KM', 'km'],
    ['Kilometres', 'km'],
    ['miles', 'mi'],
    ['Mi.', 'mi'],
    ['SMI', 'mi'],
    ['LBS', 'lb'],
    ['Lbs.', 'lb'],
    [' lb ', 'lb'],
    ['KGM', 'kg'],
    ['Kg', 'kg'],
    ['MT', 't'],
    ['Metric Tons', 't'],
    ['m³', 'm3'],
    ['CBM', 'm3'],
    ['Cu Ft', 'ft3'],
    ['cu.ft.', 'ft3'],
    ['US gal', 'gal'],
    ['Litre', 'l'],
    ['ML', 'ml'],
    ['M', 'm'],
    ['km/h', 'km/h'],
    ['KPH', 'km/h'],
    ['MPH', 'mph'],
    ['kts', 'kn'],
    ['M/S', 'm/s'],
  ])('reads %j as %s', (text, wanted) => expect(readUnit(text)).toBe(wanted));

  it.each(['', ' ', '°', '.', 'ton', 'tons', 'stone', 'parsec', 'gr', '"', 'constructor', 'kg lb', 'k g m s'])(
    'knows no unit %j',
    (text) => expect(readUnit(text)).toBeUndefined(),
  );

  it('reads every unit by its own name, in either case', () => {
    for (const name of UNITS) {
      expect(readUnit(name)).toBe(name);
      expect(readUnit(name.toUpperCase())).toBe(name);
      expect(readUnit(name.toLowerCase())).toBe(name);
    }
  });

  it('never throws, whatever stands in the cell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const read = readUnit(text);
        expect(read === undefined || UNITS.includes(read)).toBe(true);
      }),
    );
    expect(readUnit('k'.repeat(100_000))).toBeUndefined();
  });
});
