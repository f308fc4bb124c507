/** Vehicles, service history and locations over real HTTP: what the receiving system has, as JSON and CSV, also while it fails. */
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { executeOnDirectory } from '../../scripts/local/directory.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import { type Stack, startStack } from '../../scripts/local/stack.ts';
import { LOCATIONS, SERVICE_RECORDS, VEHICLES } from '../../src/sandbox/seeded.ts';
import { TEST_PARTNER } from '../e2e/environment.ts';

/** A vehicle is fresh for 2.5 s and then shown at once for 10 s. */
const TIME_SCALE = 360;
const OF_ACCOUNT = VEHICLES.filter(({ customerNumber }) => ['100200', '100300'].includes(customerNumber));
const OF_ACCOUNT_NUMBERS = new Set(OF_ACCOUNT.map(({ vehicleNumber }) => vehicleNumber));
const RECORDS = SERVICE_RECORDS.filter(({ vehicleNumber }) => OF_ACCOUNT_NUMBERS.has(vehicleNumber));

let stack: Stack;
let opsKey = '';
beforeAll(async () => {
  stack = await startStack({ partners: [TEST_PARTNER], timeScale: TIME_SCALE });
  const { key, sql } = makeOpsKey({ name: 'Test', role: 'viewer', environments: ['test'] });
  opsKey = key;
  await stack.bridge.stop();
  await executeOnDirectory({ persistTo: stack.persistTo }, sql);
  await stack.startBridge();
});
afterAll(() => stack?.stop());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(stack.bridge.baseUrl + path, { headers: { Authorization: `Bearer ${stack.keys[0]}`, ...headers } });
const json = async <T>(path: string): Promise<T> => {
  const answer = await get(path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
};
const rows = async (answer: Response): Promise<Record<string, string>[]> =>
  parse(await answer.text(), { columns: true }) as Record<string, string>[];

interface Health {
  channels: { name: string; state: string; failingReads: { api: string; status: number | null }[] }[];
}
const failingReads = async () => {
  const answer = await fetch(`${stack.bridge.baseUrl}/v1/ops/health`, {
    headers: { Authorization: `Bearer ${opsKey}` },
  });
  const { channels } = (await answer.json()) as Health;
  return channels.find(({ name }) => name === TEST_PARTNER.channel)?.failingReads;
};

it('every vehicle, record and location of the account is read, and each filter narrows them', async () => {
  const { vehicles } = await json<{ vehicles: { vehicleNumber: string }[] }>('/v1/vehicles');
  expect(vehicles.map(({ vehicleNumber }) => vehicleNumber)).toEqual([...OF_ACCOUNT_NUMBERS]);
  const [first] = OF_ACCOUNT;
  expect(await json('/v1/vehicles/700001')).toEqual(first);
  for (const filter of [`vin=${first?.VIN}`, `licensePlate=${first?.licensePlate}`]) {
    expect(await json(`/v1/vehicles?${filter}`)).toMatchObject({ vehicles: [{ vehicleNumber: '700001' }] });
  }
  expect(await json('/v1/service-history')).toEqual({ serviceHistory: RECORDS });
  const ofOne = RECORDS.filter(({ vehicleNumber }) => vehicleNumber === '700001');
  const [, from = '', to = ''] = ofOne.map(({ serviceDate }) => serviceDate).sort();
  expect(await json(`/v1/service-history?vehicleNumber=700001&from=${from}&to=${to}`)).toEqual({
    serviceHistory: ofOne.filter(({ serviceDate }) => serviceDate >= from && serviceDate <= to),
  });
  const { locations } = await json<{ locations: unknown[] }>('/v1/locations');
  expect(locations).toHaveLength(LOCATIONS.length);
  expect(await json('/v1/locations/1036')).toEqual(LOCATIONS.find(({ locationNumber }) => locationNumber === '1036'));
  const asked = (await stack.journal()).filter(({ path }) => path.startsWith('/test/fms/'));
  expect(asked.every(({ headers }) => !('authorization' in headers) && 'ocp-apim-subscription-key' in headers)).toBe(
    true,
  );
});

it('CSV of them holds the same, with the leading zeros of a postal code and no formulas', async () => {
  const vehicles = await rows(await get('/v1/vehicles.csv'));
  expect(vehicles.map(({ VIN }) => VIN)).toEqual(OF_ACCOUNT.map(({ VIN }) => VIN));
  const records = await rows(await get('/v1/service-history', { Accept: 'text/csv' }));
  expect(records).toEqual(RECORDS.map((record) => ({ ...record, odometer: String(record.odometer) })));
  const [newark] = await rows(await get('/v1/locations/1036.csv'));
  expect(newark).toMatchObject({ 'address.postalCode': '07114', 'contact.phone': "'+1-555-0135" });
});

it('what is not there, and what another account has, is told alike', async () => {
  for (const number of ['700060', '1']) {
    const answer = await get(`/v1/vehicles/${number}`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'vehicle_unknown']);
  }
});

it('while the fleet API fails, what was read is shown with its age, and nothing else; health names it until it answers', async () => {
  const known = await json('/v1/vehicles/700002');
  await stack.putFaults([{ match: { path: '/fms/fleet/*' }, fault: { type: 'status', status: 503 } }]);
  const met: string[] = [];
  await expect
    .poll(
      async () => {
        const answer = await get('/v1/vehicles/700002');
        expect(await answer.json()).toEqual(known);
        met.push(answer.headers.get('Cache-Status') ?? '');
        return met.at(-1);
      },
      { timeout: 40_000, interval: 200 },
    )
    .toBe('transload; fwd=stale; fwd-status=503; detail=upstream_down');
  expect(met.some((status) => /hit; ttl=-\d/.test(status))).toBe(true);
  const unread = await get('/v1/vehicles/700003');
  expect(unread.status).toBe(503);
  expect(await unread.json()).toMatchObject({ code: 'upstream_down', api: 'fleet', upstreamStatus: 503 });
  await json('/v1/locations?state=TX');
  expect(await failingReads()).toMatchObject([{ api: 'fleet', status: 503 }]);

  await stack.putFaults([]);
  const again = await get('/v1/vehicles/700003');
  expect([again.status, again.headers.get('Age')]).toEqual([200, '0']);
  expect(await failingReads()).toEqual([]);
});

it('a locations API whose connections break is told as such, beside a fleet API that works', async () => {
  await stack.putFaults([{ match: { path: '/fms/locations/*' }, fault: { type: 'reset', apply: 'never' } }]);
  const broken = await get('/v1/locations/1002');
  expect(broken.status).toBe(503);
  expect(await broken.json()).toMatchObject({ code: 'upstream_down', api: 'locations' });
  await json('/v1/vehicles/700005');
  expect(await failingReads()).toMatchObject([{ api: 'locations' }]);
  await stack.putFaults([]);
  await json('/v1/locations/1002');
  expect(await failingReads()).toEqual([]);
});
