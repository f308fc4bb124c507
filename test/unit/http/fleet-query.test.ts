import { describe, expect, it } from 'vitest';
import { LOOKUP_KEY_CHARACTERS_MAX } from '../../../src/fleet/limits.ts';
import {
  locationQuery,
  locationsQuery,
  oneQuery,
  serviceHistoryQuery,
  vehicleQuery,
  vehiclesQuery,
} from '../../../src/http/partner/fleet.ts';
import { UNKNOWN_VEHICLE } from '../../../src/http/partner/fleet-answer.ts';

const ANYBODY = {};
const ONE_CUSTOMER = { customerNumber: '100200' };

describe('vehicles', () => {
  it.each([
    [{}, {}],
    [
      { vin: ' 1X9 ', licensePlate: 'GA 0410' },
      { vin: '1X9', licensePlate: 'GA 0410' },
    ],
    [{ customerNumber: '0042' }, { customerNumber: '0042' }],
  ])('are asked for by the filters that are named: %j', (parameters, filters) => {
    expect(vehiclesQuery(parameters, ANYBODY)).toEqual({ ok: true, value: { of: 'vehicles', filters } });
  });

  it.each([{}, { customerNumber: '100200' }])('of a channel of one customer are that customer’s: %j', (parameters) => {
    const filters = { customerNumber: '100200' };
    expect(vehiclesQuery(parameters, ONE_CUSTOMER)).toEqual({ ok: true, value: { of: 'vehicles', filters } });
  });

  it('of another customer may not be asked for', () => {
    expect(vehiclesQuery({ customerNumber: '100300' }, ONE_CUSTOMER)).toMatchObject({
      ok: false,
      error: { status: 403, code: 'customer_not_allowed', fix: expect.stringContaining('100200') },
    });
  });
});

describe('service history', () => {
  it.each([
    [{}, {}],
    [
      { vehicleNumber: '00700001', from: '2024-02-29', to: '2024-02-29' },
      { vehicleNumber: '00700001', from: '2024-02-29', to: '2024-02-29' },
    ],
    [{ to: '2025-12-31' }, { to: '2025-12-31' }],
  ])('is asked for by vehicle and dates, both inclusive: %j', (parameters, filters) => {
    const value = { of: 'serviceHistory', filters };
    expect(serviceHistoryQuery(parameters, ANYBODY)).toEqual({ ok: true, value });
  });

  it.each([
    '2025-02-29',
    '2025-04-31',
    '2025-13-01',
    '2025-00-10',
    '2025-01-00',
    '2025-1-1',
    '01/02/2025',
    '2025-01-01T00:00:00Z',
    'today',
  ])('wants dates that there are: %s', (date) => {
    for (const name of ['from', 'to']) {
      expect(serviceHistoryQuery({ [name]: date }, ANYBODY)).toMatchObject({
        error: { status: 400, code: 'parameter_invalid', detail: expect.stringContaining(name) },
      });
    }
  });

  it('does not run backwards', () => {
    const backwards = { from: '2025-03-02', to: '2025-03-01' };
    expect(serviceHistoryQuery(backwards, ANYBODY)).toMatchObject({
      error: { code: 'parameter_invalid', fix: 'Write to= and a date not before 2025-03-02.' },
    });
  });

  it('on a channel of one customer wants its vehicle', () => {
    const asked = serviceHistoryQuery({ from: '2025-03-02' }, ONE_CUSTOMER);
    expect(asked).toMatchObject({ error: { status: 422, code: 'vehicle_wanted' } });
    expect(serviceHistoryQuery({ vehicleNumber: '7' }, ONE_CUSTOMER)).toMatchObject({ ok: true });
  });
});

it('locations are asked for by the attributes that are agreed', () => {
  const filters = { city: 'Newark', state: 'NJ', postalCode: '07114', service: 'tire service' };
  expect(locationsQuery(filters, ANYBODY)).toEqual({ ok: true, value: { of: 'locations', filters } });
});

describe('every list', () => {
  const LISTS = [
    ['vin', vehiclesQuery],
    ['vehicleNumber', serviceHistoryQuery],
    ['city', locationsQuery],
  ] as const;
  it.each(LISTS)('refuses filters that are empty or endless, or that it does not have: %s', (name, read) => {
    for (const value of ['', '  ', 'x'.repeat(LOOKUP_KEY_CHARACTERS_MAX + 1)]) {
      expect(read({ [name]: value }, ANYBODY)).toMatchObject({ error: { status: 400, code: 'parameter_invalid' } });
    }
    const misspelt = { [name.toUpperCase()]: 'x' };
    expect(read(misspelt, ANYBODY)).toMatchObject({
      error: { status: 400, code: 'parameter_unknown', fix: expect.stringContaining(name) },
    });
  });
});

describe('one vehicle or location', () => {
  it('is asked for by its number as it is written, with its leading zeros', () => {
    expect(vehicleQuery('00700001')).toEqual({ of: 'vehicle', vehicleNumber: '00700001' });
    expect(locationQuery('a/b c')).toEqual({ of: 'location', locationNumber: 'a/b c' });
  });

  it.each(['', ' ', '.', '..', '...', 'x'.repeat(LOOKUP_KEY_CHARACTERS_MAX + 1), '\ud800'])(
    'is asked of nobody where nothing can stand under its number: %j',
    (number) => {
      expect([vehicleQuery(number), locationQuery(number)]).toEqual([null, null]);
      const error = UNKNOWN_VEHICLE;
      expect(oneQuery(vehicleQuery(number), UNKNOWN_VEHICLE)({}, ANYBODY)).toEqual({ ok: false, error });
    },
  );

  it('has no parameters', () => {
    const asked = oneQuery(vehicleQuery('7'), UNKNOWN_VEHICLE);
    expect(asked({}, ANYBODY)).toEqual({ ok: true, value: { of: 'vehicle', vehicleNumber: '7' } });
    expect(asked({ fields: 'VIN' }, ANYBODY)).toMatchObject({
      error: { code: 'parameter_unknown', fix: 'Leave it out: this address has none.' },
    });
  });
});
