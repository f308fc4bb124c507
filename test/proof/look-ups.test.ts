/** Files of unit numbers and site codes against the upstream's own fleet and locations APIs, over real HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partnerClient } from '../../scripts/demo/partner.ts';
import { channelName } from '../../scripts/local/bridge.ts';
import { type Stack, startStack } from '../../scripts/local/stack.ts';
import { NOT_SHOWN } from '../../src/upstream/contracts/not-shown.ts';

/** Ten thousand are as quick to look up, and take longer to be sent. */
const ROWS = 3_000;
const UNITS = 25;
const SITES = 25;
const FIRST_UNIT = 700_001;
const FIRST_SITE = 1_001;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    partners: [
      {
        partner: 'planner',
        displayName: 'Planner',
        environment: 'test',
        channel: channelName('test', 'key'),
        scacs: ['DEMO'],
        mappings: null,
      },
    ],
    timeScale: 240,
  });
});
afterAll(() => stack?.stop());

/** @param day of March, behind the clock change: what two files name is not the same. */
function file(name: string, rows: number, day: number, firstUnit = FIRST_UNIT): string {
  const path = join(stack.persistTo, name);
  const lines = Array.from({ length: rows }, (_, index) => {
    const time = `${String(Math.floor(index / 60) % 24).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`;
    const date = `2026-03-${String(day + Math.floor(index / 1_440)).padStart(2, '0')}`;
    return `LK${day}-${index % 40},${firstUnit + (index % (firstUnit === FIRST_UNIT ? UNITS : 10))},${FIRST_SITE + (index % SITES)},${date},${time},41.87,-87.65,`;
  });
  writeFileSync(path, ['Load,Unit,Site,Date,Time,Latitude,Longitude,Odometer', ...lines, ''].join('\n'));
  return path;
}

const lookUpsIn = async () => (await stack.journal()).filter(({ path }) => /\/(vehicles|locations)\/[^/]+$/.test(path));

interface SentTrace {
  eventCity?: string;
  eventState?: string;
  traces: { resourceId?: string }[];
}

it(`${ROWS} rows with ${UNITS} vehicles and ${SITES} sites cost one look-up each, and every request carries VIN, city and state`, async () => {
  const client = partnerClient(stack.bridge.baseUrl, stack.keys[0] ?? '');
  const { batchId } = await client.upload(file('many.csv', ROWS, 10), 'unit-positions-csv');
  const ended = await client.watch(batchId, () => undefined);
  expect(ended).toMatchObject({ rows: ROWS, rowStates: { delivered: ROWS } });
  const asked = await lookUpsIn();
  expect(asked).toHaveLength(UNITS + SITES);
  expect(new Set(asked.map(({ path }) => path)).size).toBe(UNITS + SITES);
  const sent = (await stack.journal())
    .filter(({ path }) => path.endsWith('/loads/trace-requests'))
    .map(({ body }) => JSON.parse(body) as SentTrace);
  expect(sent.reduce((points, { traces }) => points + traces.length, 0)).toBe(ROWS);
  for (const { eventCity, eventState, traces } of sent) {
    expect([eventCity, eventState]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/^[A-Z]{2}$/)]);
    for (const { resourceId } of traces) expect(resourceId).toMatch(/^[A-HJ-NPR-Z0-9]{17}$/);
  }
}, 180_000);

it('while the fleet API fails, a file waits; behind it all of it is delivered', async () => {
  await stack.putFaults([
    { match: { path: `/fms/${NOT_SHOWN.fleetApiName}/*` }, times: 24, fault: { type: 'status', status: 503 } },
  ]);
  const client = partnerClient(stack.bridge.baseUrl, stack.keys[0] ?? '');
  const other = FIRST_UNIT + UNITS; // known to nobody yet: nothing kept helps
  const { batchId } = await client.upload(file('waits.csv', 200, 20, other), 'unit-positions-csv');
  let waited = false;
  const ended = await client.watch(batchId, ({ awaits }) => {
    waited ||= awaits?.status === 503;
  });
  expect(waited).toBe(true);
  expect(ended).toMatchObject({ rowStates: { delivered: 200 }, awaits: null });
}, 180_000);
