import { describe, expect, it } from 'vitest';
import { bodyOf, errorsOf, type Loose, mapCells, namesOf, withFields } from './documents.ts';

/** A trace of the cells; those that are not given are sound. */
const trace = (fields: Loose, cells: Record<string, string> = {}) => {
  const { eventCode: _, ...shared } = withFields({ coordinate: { latitude: 'Lat', longitude: 'Lon' }, ...fields })
    .fields as Loose;
  return mapCells({ target: 'trace', fields: shared }, { Lat: '41.525', Lon: '-88.08', ...cells });
};
const pointOf = (fields: Loose, cells: Record<string, string> = {}): Loose => {
  const { requests, errors } = trace(fields, cells);
  const [request] = requests;
  if (request?.kind !== 'trace') throw new Error(JSON.stringify(errors));
  return request.body.traces[0] as unknown as Loose;
};
const faultsOf = (fields: Loose, cells: Record<string, string> = {}): string[] => namesOf(trace(fields, cells).errors);

describe('a number of an event', () => {
  const odometer = (keys: Loose) => ({ odometer: { from: 'A', as: 'integer', ...keys } });
  it.each([
    [{}, '007', 7],
    [{ thousands: ',' }, '120,345', 120_345],
    [{ thousands: ',' }, '120345', 120_345],
    [{ thousands: ' ' }, '120\u202f345', 120_345],
    [{ thousands: "'" }, '120’345', 120_345],
    [{ thousands: '.', decimal: ',' }, '120.345', 120_345],
    [{ round: 0 }, '12.5', 13],
    [{ unit: { from: 'km', to: 'mi' }, round: 0 }, '193700.4', 120_360],
    [{ unit: { from: { column: 'B' }, to: 'mi' }, round: 0 }, '100', 62],
    [{ default: '100', unit: { from: 'km', to: 'mi' }, round: 0 }, '', 62],
  ])('%j reads %j', (keys, A, wanted) => expect(pointOf(odometer(keys), { A, B: 'Kilometers' }).odometer).toBe(wanted));
  it.each([
    [{}, '120,345', 'not_a_whole_number A'],
    [{ thousands: ',' }, '1,20,345', 'thousands_mark_wrong A'],
    [{ thousands: ',' }, '12,3', 'decimal_mark_wrong A'],
    [{ decimal: ',', round: 0 }, '12.5', 'decimal_mark_wrong A'],
    [{ round: 0 }, '-0.6', 'number_too_small A'],
    [{ round: 1 }, '12.34', 'not_a_whole_number A'],
    [{ unit: { from: 'km', to: 'mi' } }, '1', 'not_a_whole_number A'],
    [{ thousands: ',' }, '1'.repeat(16), 'number_too_long A'],
    [{ unit: { from: { column: 'B' }, to: 'mi' } }, '1', 'unit_unknown B'],
  ])('%j refuses %j', (keys, A, wanted) => expect(faultsOf(odometer(keys), { A, B: 'furlongs' })).toEqual([wanted]));
  it('rounds to nothing below zero only what was below zero', () =>
    expect(pointOf(odometer({ round: 0 }), { A: '-0.4' }).odometer).toBe(0));
  it('is left out when it is empty, whatever its unit says', () =>
    expect('odometer' in pointOf(odometer({ unit: { from: { column: 'B' }, to: 'mi' } }), { A: '', B: '' })).toBe(
      false,
    ));
  it('does not convert where the unit is empty, and says so of the unit', () => {
    const { errors } = trace(odometer({ unit: { from: { column: 'B' }, to: 'mi' } }), { A: '1', B: ' ' });
    expect(errors).toMatchObject([{ code: 'unit_unknown', path: 'B', value: '' }]);
    expect(errors[0]?.message).toBe('The odometer must be turned into mi, but its unit is empty.');
  });
  it('does not convert between units that measure other things', () =>
    expect(faultsOf(odometer({ unit: { from: { column: 'B' }, to: 'mi' } }), { A: '1', B: 'kg' })).toEqual([
      'unit_unknown B',
    ]));
  it('says what marks it reads', () => {
    const { errors } = trace(odometer({ thousands: ',' }), { A: '1,20,345' });
    expect(errors[0]?.message).toBe('The odometer has other marks between its digits than "," at every third one.');
  });
});

describe('a position', () => {
  const at = (latitude: unknown, longitude: unknown) => ({ coordinate: { latitude, longitude } });
  it.each([
    ['41.525', '-88.08', 41.525, -88.08],
    ['41.525N', '88.08 W', 41.525, -88.08],
    ['S 33.9', '18.4°E', -33.9, 18.4],
    ['0', '-88.08', 0, -88.08],
    ['90', '180', 90, 180],
    ['1.123456789', '2', 1.1234568, 2],
  ])('is read from %j and %j', (Lat, Lon, latitude, longitude) =>
    expect(pointOf({}, { Lat, Lon }).coordinate).toEqual({ latitude, longitude }),
  );
  it.each([
    ['', '-88', ['value_missing Lat']],
    ['', '', ['value_missing Lat', 'value_missing Lon']],
    ['x', '-88', ['coordinate_invalid Lat']],
    ['x', '200', ['coordinate_invalid Lat']],
    ['41.5E', '88W', ['coordinate_invalid Lat']],
    ['-41.5N', '88W', ['coordinate_invalid Lat']],
    ['90.0000001', '-100', ['coordinate_out_of_range Lat']],
    ['95', '200', ['coordinate_out_of_range Lat', 'coordinate_out_of_range Lon']],
    ['-98.4936', '29.4241', ['coordinates_swapped Lat, Lon']],
    ['0', '0.0', ['coordinate_no_fix Lat, Lon']],
    ['0N', '-0', ['coordinate_no_fix Lat, Lon']],
  ])('is refused as %j and %j', (Lat, Lon, wanted) => expect(faultsOf({}, { Lat, Lon })).toEqual(wanted));
  it('is read by degrees, minutes and seconds, with its letter in the cell or beside it', () => {
    const fields = at({ from: 'A', form: 'DDDMMSS' }, { from: ['B', 'C'], join: '', form: 'DDDMMSS' });
    expect(pointOf(fields, { A: '0413130N', B: '0880448', C: 'W' }).coordinate).toEqual({
      latitude: 41.525,
      longitude: -88.08,
    });
    expect(pointOf(fields, { A: '413130N', B: '-0880448', C: '' }).coordinate).toEqual({
      latitude: 41.525,
      longitude: -88.08,
    });
    expect(faultsOf(fields, { A: '0413130', B: '0886048', C: 'W' })).toEqual([
      'coordinate_invalid A',
      'coordinate_invalid B, C',
    ]);
    expect(faultsOf(fields, { A: '41.525N', B: '0880448', C: 'E' })).toEqual(['coordinate_invalid A']);
  });
  it('says what to write with the decimal mark that is declared', () => {
    const fixOf = (latitude: object, cells: Record<string, string>): string | undefined =>
      trace({ coordinate: { latitude, longitude: 'Lon' } }, cells).errors[0]?.fix;
    expect(fixOf({ from: 'Lat', decimal: ',' }, { Lat: '41.525' })).toBe(
      'Write "Lat" as degrees with decimals (41,525 or -88,08) or with its letter (88,08 W).',
    );
    expect(fixOf({ from: 'Lat' }, { Lat: '41,525' })).toContain('(41.525 or -88.08)');
    expect(fixOf({ from: 'Lat', form: 'byDigits', decimal: ',' }, { Lat: 'x' })).toContain('(88,08W)');
    expect(fixOf({ from: ['Lat', 'NS'], decimal: ',' }, { Lat: '41.525', NS: 'N' })).toContain('such as 41,525,');
  });

  it('takes a decimal comma where it is declared', () => {
    const fields = at({ from: 'Lat', decimal: ',' }, { from: 'Lon', decimal: ',' });
    expect(pointOf(fields, { Lat: '41,525', Lon: '-88,08' }).coordinate).toEqual({
      latitude: 41.525,
      longitude: -88.08,
    });
    expect(faultsOf(fields, { Lat: '41.525', Lon: '-88,08' })).toEqual(['coordinate_invalid Lat']);
  });
  it('is cut out of one cell by two captures', () => {
    const half = (group: number) => ({ from: 'A', capture: { pattern: '\\(([^;]+);([^)]+)\\)', group } });
    expect(pointOf(at(half(1), half(2)), { A: 'POINT(41.5;-88.1)' }).coordinate).toEqual({
      latitude: 41.5,
      longitude: -88.1,
    });
    expect(faultsOf(at(half(1), half(2)), { A: 'POINT' })).toEqual(['pattern_not_found A', 'pattern_not_found A']);
  });
});

describe('a temperature', () => {
  const temperature = {
    value: { from: 'T', unit: { from: 'F', to: 'C' }, round: 1 },
    unitOfMeasure: { const: 'C' },
    time: { from: 'At', parse: 'iso' },
  };
  const POINT = '2026-03-02T08:00:00.0000000+00:00';

  it('has the time it was measured at, or that of the point', () => {
    expect(pointOf({ temperature }, { T: '28.4', At: '2026-03-02T07:59:30Z' }).temperature).toEqual({
      unitOfMeasure: 'C',
      value: -2,
      dateTime: '2026-03-02T07:59:30.0000000+00:00',
    });
    expect(pointOf({ temperature }, { T: '28.4', At: '' }).temperature).toMatchObject({ dateTime: POINT });
    const { time: _, ...without } = temperature;
    expect(pointOf({ temperature: without }, { T: '28.4' }).temperature).toMatchObject({ dateTime: POINT });
  });
  it('is not there without a value, whatever its time and scale say', () =>
    expect('temperature' in pointOf({ temperature }, { T: '', At: 'noon' })).toBe(false));
  it('may be below zero, and is read by its own marks', () => {
    const local = { value: { from: 'T', decimal: ',' }, unitOfMeasure: 'Scale' };
    expect(pointOf({ temperature: local }, { T: '-18,5', Scale: 'F' }).temperature).toEqual({
      unitOfMeasure: 'F',
      value: -18.5,
      dateTime: POINT,
    });
    expect(faultsOf({ temperature: local }, { T: '-18.5', Scale: '' })).toEqual(['decimal_mark_wrong T']);
    expect(faultsOf({ temperature: local }, { T: '4', Scale: '' })).toEqual(['value_missing Scale']);
  });
  it('withholds the point when its own time is wrong', () =>
    expect(faultsOf({ temperature }, { T: '28.4', At: 'noon' })).toEqual(['bad_date At']));
  it('takes its value from a plain column', () =>
    expect(
      pointOf({ temperature: { value: 'T', unitOfMeasure: { const: 'C' } } }, { T: '4.50' }).temperature,
    ).toMatchObject({ value: 4.5 }));
});

describe('a capture', () => {
  const city = (capture: Loose, A: string) =>
    bodyOf(withFields({ eventCity: { from: 'A', capture } }), { A }).eventCity;
  it('keeps the first parenthesis, another, or the whole match', () => {
    expect(city({ pattern: '([A-Z]+)-([0-9]+)' }, 'at LD-44!')).toBe('LD');
    expect(city({ pattern: '([A-Z]+)-([0-9]+)', group: 2 }, 'at LD-44!')).toBe('44');
    expect(city({ pattern: '[A-Z]+-[0-9]+', group: 0 }, 'at LD-44!')).toBe('LD-44');
  });
  it('comes before the other functions, and leaves no blanks at the ends', () => {
    const field = { from: 'A', capture: { pattern: 'to(.*)via' }, upper: true, replace: [{ find: 'o', with: '0' }] };
    expect(bodyOf(withFields({ eventCity: field }), { A: 'to  omaha via Gary' }).eventCity).toBe('0MAHA');
  });
  it('is an error where nothing fits, or empty where the field says so; an empty cell is neither', () => {
    const field = { from: 'A', capture: { pattern: 'PRO([0-9]+)' } };
    const [error] = errorsOf(withFields({ eventCity: field }), { A: 'seal 8' });
    expect(error).toMatchObject({ code: 'pattern_not_found', path: 'A', value: 'seal 8' });
    expect(error?.message).toContain('PRO([0-9]+)');
    expect(city({ pattern: 'PRO([0-9]+)', onMiss: 'empty' }, 'seal 8')).toBeUndefined();
    expect(city({ pattern: 'PRO([0-9]+)' }, '')).toBeUndefined();
  });
  it('gives way to the default', () =>
    expect(
      bodyOf(withFields({ eventCity: { from: 'A', capture: { pattern: '(x)', onMiss: 'empty' }, default: 'none' } }), {
        A: 'y',
      }).eventCity,
    ).toBe('none'));
});

describe('several code lists', () => {
  const code = (field: Loose, A: string) => bodyOf(withFields({ eventCity: { from: 'A', ...field } }), { A }).eventCity;
  it('are asked in turn, and the first that knows the word counts', () => {
    expect(code({ lookup: ['exact', 'words'] }, 'a')).toBe('LOW');
    expect(code({ lookup: ['exact', 'words'] }, 'departed')).toBe('AF');
  });
  it('are all named where none knows it', () => {
    const [error] = errorsOf(withFields({ eventCity: { from: 'A', lookup: ['exact', 'words'] } }), { A: 'Departd' });
    expect(error?.message).toBe(
      '"Departd" is none of the values known for the city. Near it stand: "Departed". (code lists "exact" and "words")',
    );
    expect(error?.fix).toContain('Correct "A", for example to "Departed". If it is right as it is, ask the operator');
  });
  it('keep or empty what none knows', () => {
    expect(code({ lookup: ['exact', 'words'], onMiss: 'keep' }, 'Lost')).toBe('Lost');
    expect(code({ lookup: ['exact', 'words'], onMiss: 'empty' }, 'Lost')).toBeUndefined();
  });
  it('lead back from a code to its word, compared exactly', () => {
    expect(code({ lookup: 'words', reverse: true }, 'AF')).toBe('Departed');
    expect(
      namesOf(errorsOf(withFields({ eventCity: { from: 'A', lookup: 'words', reverse: true } }), { A: 'af' })),
    ).toEqual(['code_unknown A']);
    expect(code({ lookup: ['words', 'exact'], reverse: true }, 'HIGH')).toBe('A');
  });
});
