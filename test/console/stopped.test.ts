/** What somebody must look at first: a channel that is stopped, a SCAC that is parked, a breaker that is open, a key that ends. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, operate, putSandbox } from './operate.ts';
import { checkPage, staged, walkAs } from './stage.ts';
import { LASTING_FAULTS, statusFile, statusRow } from './staged-work.ts';

const CHANNEL = 'sandbox-test';
const PARTNER = 'halted';
const batches: Record<string, string> = {};
let key = '';

const answers = (bodyIncludes: string, status: number) => ({
  match: { method: 'POST', bodyIncludes },
  fault: { type: 'status', status, body: '{}' },
});
const REFUSED = answers('"HALT-KEY', 401);
const PARKED = answers('"HALT-SCAC', 403);
const BROKEN = answers('"HALT-DOWN', 503);

async function asAdmin<T>(path: string, body: unknown): Promise<T> {
  const { baseUrl, keys } = staged();
  const headers = { Authorization: `Bearer ${keys.admin}` };
  const answer = await fetch(`${baseUrl}${path}?environment=test`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text) as T;
}

async function upload(name: string, scac: string, loads: readonly string[]): Promise<void> {
  const query = new URLSearchParams({ mapping: 'carrier-status-csv', fileName: `${name}.csv`, scac });
  const answer = await fetch(`${staged().baseUrl}/v1/batches?${query}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${key}` },
    body: statusFile(loads.map((load, at) => statusRow(load, 'X3', at))),
  });
  batches[name] = ((await answer.json()) as { batchId: string }).batchId;
}

interface Alert {
  code: string;
  about: string;
}
const alertsHave = (...codes: string[]): Promise<void> =>
  eventually(async () => {
    const { alerts } = await operate<{ alerts: Alert[] }>('GET', '/v1/ops/alerts');
    const found = alerts.filter(({ about }) => about === CHANNEL || about === PARTNER).map(({ code }) => code);
    expect(found).toEqual(expect.arrayContaining(codes));
  }, 60_000);

beforeAll(async () => {
  await asAdmin('/v1/ops/partners', { name: PARTNER, channel: CHANNEL, why: 'a test' });
  const ends = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const wanted = { scacs: ['DEMO', 'CSCT'], expires: ends, why: 'a test' };
  ({ key } = await asAdmin<{ key: string }>(`/v1/ops/partners/${PARTNER}/keys`, wanted));
  await putSandbox('faults', [...LASTING_FAULTS, REFUSED, PARKED, BROKEN]);
}, 60_000);

afterAll(async () => {
  await putSandbox('faults', LASTING_FAULTS);
  for (const scope of ['auth', 'scac:CSCT'])
    await operate('POST', `/v1/ops/channels/${CHANNEL}/release`, { scope, reason: 'the test is over' });
}, 60_000);

it('an open breaker is said on the page of its batch, with since when and when it is tried next, and on its channel', async () => {
  await upload(
    'down',
    'DEMO',
    Array.from({ length: 8 }, (_, at) => `HALT-DOWN-${at}`),
  );
  await alertsHave('channel_stopped');
  const walk = await walkAs('operator');
  await walk.open(`/batches/${batches.down}`);
  expect(await walk.page.textContent('main')).toMatch(
    /Waiting for the receiving system since \d{4}-\d\d-\d\d \d\d:\d\d, next try \d\d:\d\d:\d\d UTC/,
  );
  for (const path of ['/batches', '/']) {
    await eventually(async () => {
      await walk.open(path); // the index of batches is some seconds late
      const line = walk.page.locator('tr', { hasText: 'down.csv' }).first();
      expect(await line.textContent()).toMatch(/Waiting for the receiving system\s*next try \d\d:\d\d:\d\d UTC/);
    }, 30_000);
  }
  await walk.context.close();
  const own = await fetch(`${staged().baseUrl}/v1/batches`, { headers: { Authorization: `Bearer ${key}` } });
  expect(await own.json()).toMatchObject({
    batches: [{ batchId: batches.down, stops: [{ why: 'failures', scac: null }] }],
  });
  await checkPage('operator', '/batches', 'batches-stopped');
  await checkPage('operator', `/batches/${batches.down}`, 'batch-breaker');
  await checkPage('operator', `/channels/${CHANNEL}`, 'channel-breaker');
  await putSandbox('faults', [...LASTING_FAULTS, REFUSED, PARKED]);
  await eventually(async () => {
    const { state } = await operate<{ state: string }>('GET', `/v1/ops/batches/${batches.down}`);
    expect(state).toBe('settled');
  }, 60_000);
}, 240_000);

it('the first page begins with the stopped channel, the parked SCAC and the key that ends, each with its button', async () => {
  await upload('parked', 'CSCT', ['HALT-SCAC-1', 'HALT-SCAC-2']);
  await alertsHave('scac_parked');
  await upload('refused', 'DEMO', ['HALT-KEY-1', 'HALT-KEY-2']);
  await alertsHave('scac_parked', 'channel_stopped', 'keys_ending');
  const { page, open, context } = await walkAs('admin');
  await open('/');
  for (const [what, button] of [
    ['Sending is stopped', 'Test or release'],
    ['A SCAC is parked', 'Release'],
    ['Key ends soon', 'Renew the key'],
  ] as const) {
    const row = page.locator('tr', { hasText: what }).first();
    expect(await row.getByRole('link', { name: button }).count(), what).toBe(1);
  }
  await open(`/batches/${batches.refused}`);
  expect(await page.textContent('main')).toMatch(
    /does not accept the operator’s sign-in since .*, next try \d\d:\d\d:\d\d UTC/,
  );
  expect(await page.textContent('main')).not.toContain('CSCT');
  await page.getByRole('link', { name: 'Test or release the channel' }).click();
  await page.waitForURL(/\/channels\/sandbox-test/);
  await open(`/batches/${batches.parked}`);
  expect(await page.textContent('main')).toMatch(/does not accept this SCAC yet \(CSCT\) since/);
  await context.close();
  await checkPage('admin', '/', 'home-stopped');
  await checkPage('operator', `/batches/${batches.refused}`, 'batch-stopped');
}, 240_000);
