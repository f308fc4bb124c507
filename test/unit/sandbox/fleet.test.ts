import { describe, expect, it } from 'vitest';
import { LOCATIONS, SERVICE_RECORDS, VEHICLES } from '../../../src/sandbox/seeded.ts';
import { KEY, MemorySandbox } from './memory-sandbox.ts';

const FLEET = '/test/fms/fleet/v1';
const LOCATIONS_PATH = '/test/fms/locations/v1/locations';

function get(target: string, headers: Record<string, string> = KEY) {
  const { answer } = new MemorySandbox().send('GET', target, headers);
  return { status: answer.status, body: JSON.parse(answer.body) };
}

describe('seeded records', () => {
  it('are many, and no number stands twice', () => {
    expect([VEHICLES.length, LOCATIONS.length, SERVICE_RECORDS.length]).toEqual([60, 40, 240]);
    expect(new Set(VEHICLES.map(({ VIN }) => VIN)).size).toBe(60);
    expect(new Set(VEHICLES.map(({ licensePlate }) => licensePlate)).size).toBe(60);
    expect(new Set(SERVICE_RECORDS.map(({ recordNumber }) => recordNumber)).size).toBe(240);
  });

  it('have VINs of the right form, with a check digit that holds', () => {
    const letters = 'ABCDEFGH_JKLMN_P_R_STUVWXYZ';
    const values = '12345678_12345_7_9_23456789';
    const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    for (const { VIN } of VEHICLES) {
      expect(VIN).toMatch(/^[A-HJ-NPR-Z0-9]{17}$/);
      const sum = [...VIN].reduce((total, letter, place) => {
        const value = /\d/.test(letter) ? Number(letter) : Number(values[letters.indexOf(letter)]);
        return total + value * weights[place]!;
      }, 0);
      expect(VIN[8]).toBe(sum % 11 === 10 ? 'X' : String(sum % 11));
    }
  });

  it('have dates that exist and time zones the runtime knows', () => {
    for (const { serviceDate } of SERVICE_RECORDS) {
      expect(new Date(`${serviceDate}T00:00:00Z`).toISOString().slice(0, 10)).toBe(serviceDate);
    }
    for (const { timeZone } of LOCATIONS) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
  });
});

describe('the fleet API', () => {
  it('shows a caller the vehicles of his lessees only', () => {
    const { body } = get(`${FLEET}/vehicles`);
    expect(body.vehicles).toHaveLength(40);
    expect(new Set(body.vehicles.map(({ customerNumber }: { customerNumber: string }) => customerNumber))).toEqual(
      new Set(['100200', '100300']),
    );
    expect(get(`${FLEET}/vehicles?customerNumber=900100`).body.vehicles).toEqual([]);
    expect(get(`${FLEET}/vehicles/700041`).status).toBe(404);
    expect(get(`${FLEET}/vehicles/700041`, { 'Ocp-Apim-Subscription-Key': 'sandbox-test-key-2' }).status).toBe(200);
  });

  it('filters by each attribute, without regard to case, and by several at once', () => {
    const { VIN, licensePlate, vehicleNumber } = VEHICLES[3]!;
    const numbers = (query: string): string[] =>
      get(`${FLEET}/vehicles?${query}`).body.vehicles.map((one: { vehicleNumber: string }) => one.vehicleNumber);
    expect(numbers(`vin=${VIN.toLowerCase()}`)).toEqual([vehicleNumber]);
    expect(numbers(`licensePlate=${licensePlate}`)).toEqual([vehicleNumber]);
    expect(numbers('customerNumber=100300')).toHaveLength(10);
    expect(numbers(`customerNumber=100300&vin=${VIN}`)).toEqual([]);
  });

  it('refuses a filter nobody knows', () => {
    expect(get(`${FLEET}/vehicles?VINN=1`)).toMatchObject({
      status: 400,
      body: { error: { fields: [{ path: 'VINN' }] } },
    });
  });

  it('reads service history by vehicle and by a range that includes both ends', () => {
    const { vehicleNumber, serviceDate } = SERVICE_RECORDS[1]!;
    const list = (query: string) => get(`${FLEET}/serviceHistory?${query}`).body.serviceHistory;
    expect(list(`vehicleNumber=${vehicleNumber}`)).toHaveLength(4);
    expect(list(`vehicleNumber=${vehicleNumber}&fromDate=${serviceDate}&toDate=${serviceDate}`)).toHaveLength(1);
    expect(list('toDate=2024-12-31')).toEqual([]);
    expect(list('')).toHaveLength(160);
  });

  it.each(['fromDate=2025-02-30', 'toDate=yesterday', 'fromDate=2025-06-02&toDate=2025-06-01'])(
    'refuses the range %s',
    (query) => {
      expect(get(`${FLEET}/serviceHistory?${query}`).status).toBe(400);
    },
  );
});

describe('the locations API', () => {
  it.each([
    ['state=tx', 4],
    ['city=Dallas', 1],
    ['postalCode=75201', 1],
    ['service=maintenance', 40],
    ['state=TX&city=Boston', 0],
  ])('filters by %s', (query, count) => {
    expect(get(`${LOCATIONS_PATH}?${query}`).body.locations).toHaveLength(count);
  });

  it('answers with one location in full', () => {
    const { body } = get(`${LOCATIONS_PATH}/1002`);
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining(['address', 'services', 'amenities', 'businessHours', 'contact', 'timeZone']),
    );
    expect(get(`${LOCATIONS_PATH}/9999`).status).toBe(404);
  });
});
