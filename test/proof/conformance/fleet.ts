import { describe, expect, it } from 'vitest';
import { type Client, PATHS } from './client.ts';

/** seed 2.5–2.7, 4.2: fleet and locations, by subscription key alone. */
export function fleetClauses(client: () => Client): void {
  const get = (path: string, key?: string) =>
    client().call('GET', path, { scac: null, accept: null, ...(key === undefined ? {} : { key }) });

  describe('fleet and locations (2.5–2.7, 4.2)', () => {
    it('4.2 vehicles: lists what the customer can access, with number, VIN and domicile', async () => {
      const { status, json } = await get(PATHS.vehicles);
      expect([status, json.vehicles.length]).toEqual([200, 40]);
      expect(json.vehicles[0]).toMatchObject({
        vehicleNumber: expect.any(String),
        VIN: expect.any(String),
        domicileLocation: expect.any(String),
      });
    });

    it.each(['vin', 'licensePlate', 'customerNumber'])('4.2 vehicles: filters by %s', async (name) => {
      const { json } = await get(`${PATHS.vehicles}/700001`);
      const field = { vin: 'VIN', licensePlate: 'licensePlate', customerNumber: 'customerNumber' }[name] ?? '';
      const found = (await get(`${PATHS.vehicles}?${name}=${json[field]}`)).json.vehicles;
      expect(found.length).toBe(name === 'customerNumber' ? 30 : 1);
      expect(found.every((one: Record<string, string>) => one[field] === json[field])).toBe(true);
    });

    it('4.2 vehicle: answers with make, model, year, lease information and specifications', async () => {
      const { json } = await get(`${PATHS.vehicles}/700001`);
      expect(json).toMatchObject({
        make: expect.any(String),
        model: expect.any(String),
        year: expect.any(Number),
        lease: {},
        specifications: {},
      });
    });

    it("4.2 vehicle: an unknown number and another customer's vehicle do not exist", async () => {
      expect((await get(`${PATHS.vehicles}/1`)).status).toBe(404);
      expect((await get(`${PATHS.vehicles}/700060`)).status).toBe(404);
      expect((await get(`${PATHS.vehicles}/700060`, 'sandbox-test-key-2')).status).toBe(200);
    });

    it('4.2 serviceHistory: filters by vehicle and by date range', async () => {
      const all = (await get(`${PATHS.serviceHistory}?vehicleNumber=700001`)).json.serviceHistory;
      expect(all).toHaveLength(4);
      const dates: string[] = all.map(({ serviceDate }: { serviceDate: string }) => serviceDate).sort();
      const range = `vehicleNumber=700001&fromDate=${dates[1]}&toDate=${dates[2]}`;
      expect((await get(`${PATHS.serviceHistory}?${range}`)).json.serviceHistory).toHaveLength(2);
    });

    it('4.2 serviceHistory: refuses a range it cannot read', async () => {
      expect((await get(`${PATHS.serviceHistory}?fromDate=03/01/2026`)).status).toBe(400);
    });

    it('4.2 locations: lists code, name and services, and filters by attribute', async () => {
      const { json } = await get(`${PATHS.locations}?state=TX`);
      expect(json.locations).toHaveLength(4);
      expect(json.locations[0]).toMatchObject({
        locationNumber: expect.any(String),
        name: expect.any(String),
        services: expect.any(Array),
      });
    });

    it('4.2 location: answers with address, services, amenities, hours and contact', async () => {
      const { json } = await get(`${PATHS.locations}/1001`);
      expect(json).toMatchObject({
        address: {},
        services: expect.any(Array),
        amenities: expect.any(Array),
        businessHours: expect.any(Array),
        contact: {},
      });
    });

    it('4.2 location: an unknown number does not exist', async () => {
      expect((await get(`${PATHS.locations}/9999`)).status).toBe(404);
    });

    it('4.2: a filter nobody knows is refused', async () => {
      expect((await get(`${PATHS.locations}?planet=earth`)).status).toBe(400);
    });
  });
}
