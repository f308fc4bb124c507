/** Files that name units and sites: what the upstream knows of them is looked up, once each, before anything is sent. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { gateName } from '../../../src/kernel/names.ts';
import type { Preview } from '../../../src/ops/publishing/preview.ts';
import { aBatch, type BatchUnderTest } from '../batches.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner } from '../partners.ts';
import { type Answering, type Left, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const MAPPING = 'unit-positions-csv';
const HEADER = 'Load,Unit,Site,Date,Time,Latitude,Longitude,Odometer';
let made = 0;
/** Units and sites of its own for every test: what is kept of earlier ones does not help. */
function aFleet(): { units: string[]; sites: string[]; file: (rows: number) => string } {
  made += 1;
  const units = [`U${made}1`, `U${made}2`, `U${made}3`];
  const sites = [`S${made}1`, `S${made}2`];
  const row = (index: number): string =>
    [
      `LK${made}-${index % 4}`,
      units[index % units.length],
      sites[index % sites.length],
      '2026-03-02',
      `${String(8 + Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`,
      '41.87',
      '-87.65',
      '',
    ].join(',');
  const file = (rows: number): string =>
    [HEADER, ...Array.from({ length: rows }, (_, index) => row(index)), ''].join('\n');
  return { units, sites, file };
}

const numberIn = ({ url }: Left): string => decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
const isRead = ({ method }: Left): boolean => method === 'GET';

/** Knows every unit and site, or answers as the test says. */
const theFleet =
  (read?: () => Answering | undefined): Answering =>
  (left) => {
    if (!isRead(left)) return Response.json({ id: 'c-1' });
    const other = read?.();
    if (typeof other === 'number') return Response.json({}, { status: other });
    const number = numberIn(left);
    if (left.url.includes('/vehicles/')) {
      return Response.json({ vehicleNumber: number, VIN: `VIN${number}`, licensePlate: `P${number}` });
    }
    const address = { city: `City of ${number}`, state: 'IL' };
    return Response.json({ locationNumber: number, address, timeZone: 'America/Chicago' });
  };

async function created(file: string, more: Parameters<typeof aBatch>[1] = {}): Promise<BatchUnderTest> {
  const batch = await aBatch(file, { mapping: MAPPING, ...more });
  await batch.stub().create(batch.ticket);
  return batch;
}

describe('a file that names units and sites', () => {
  it('is sent with VIN, city and state, each looked up once, and its rows say from where and when', async () => {
    const { units, sites, file } = aFleet();
    const { left } = upstreamAnswers(theFleet());
    const batch = await created(file(40));
    await batch.reaches('settled');
    expect(left.filter(isRead).map(numberIn).sort()).toEqual([...sites, ...units].sort());
    const rows = await batch.rows();
    for (const { requests, lookedUp } of rows) {
      expect(requests[0]?.body).toMatchObject({
        eventCity: expect.stringMatching(/^City of S/),
        eventState: 'IL',
        traces: [{ resourceId: expect.stringMatching(/^VINU/) }],
      });
      expect(lookedUp.map(({ of, outcome }) => `${of} ${outcome}`)).toEqual(['location found', 'vehicle found']);
    }
    expect(rows[0]?.lookedUp[1]?.words).toMatch(/^vin, licensePlate from vehicle U\d+, fetched 20\d\d-/);
  });

  it('asks in a dry run, too, and in the next file not again for what is fresh', async () => {
    const { file } = aFleet();
    const { left } = upstreamAnswers(theFleet());
    await (await created(file(6), { dryRun: true })).reaches('settled');
    const asked = left.length;
    expect(asked).toBe(5);
    await (await created(file(6), { dryRun: true })).reaches('settled');
    expect(left.length).toBe(asked);
  });

  it('has errors of its own for units nobody knows, and the other rows go out', async () => {
    const { units, file } = aFleet();
    upstreamAnswers((left, signal) => {
      if (isRead(left) && numberIn(left) === units[0]) return Response.json({}, { status: 404 });
      const known = theFleet();
      return typeof known === 'function' ? known(left, signal) : Response.error();
    });
    const batch = await created(file(6));
    expect((await batch.reaches('settled')).rowStates).toMatchObject({ invalid: 2 });
    const wrong = (await batch.rows()).filter(({ state }) => state === 'invalid');
    expect(wrong.flatMap(({ errors }) => errors.map(({ code, value }) => [code, value]))).toEqual([
      ['look_up_missing', units[0]],
      ['look_up_missing', units[0]],
    ]);
    expect(wrong[0]?.lookedUp.map(({ words }) => words).join()).toContain(`no vehicle ${units[0]}, asked 20`);
  });
});

describe('while the fleet API is down', () => {
  it('a file waits, says for what, and nothing of it is lost; health names the API until it answers', async () => {
    const { file } = aFleet();
    let status: number | undefined = 503;
    upstreamAnswers(theFleet(() => status));
    const batch = await created(file(12));
    await vi.waitFor(async () => expect((await batch.summary()).awaits).toMatchObject({ status: 503 }), PATIENCE);
    const waiting = await batch.summary();
    expect(waiting).toMatchObject({ state: 'reading', rows: 0, requests: 0 });
    expect(waiting.notes.join()).toMatch(/cannot be looked up since .* \(status 503\), so the file waits/);
    const gate = env.UPSTREAM_GATE.getByName(gateName('test', 'plain'));
    expect((await gate.health('plain')).failingReads.map(({ api }) => api).length).toBeGreaterThan(0);
    expect((await gate.health('plain')).breakers).toEqual([]);
    await evictDurableObject(batch.stub());
    status = undefined;
    const settled = await batch.reaches('settled');
    expect(settled).toMatchObject({ rows: 12, awaits: null });
    expect((await batch.rows()).map(({ record }) => record)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
    expect((await gate.health('plain')).failingReads).toEqual([]);
  });

  it('a mapping that takes it for a miss goes on, and its rows say what failed', async () => {
    const { file } = aFleet();
    upstreamAnswers(theFleet(() => 503));
    const document = (BUNDLED_DOCUMENTS.get(MAPPING) ?? '').replace('whenDown: wait', 'whenDown: miss');
    const batch = await created(file(3), { document });
    expect((await batch.reaches('settled')).rowStates).toEqual({ invalid: 3 });
    const [row] = await batch.rows();
    expect(row?.errors[0]).toMatchObject({ code: 'look_up_unavailable', message: expect.stringContaining('503') });
  });
});

describe('a preview', () => {
  it('looks up what the file names, and shows what it found', async () => {
    const { units, file } = aFleet();
    const { left } = upstreamAnswers(theFleet());
    const partner = await aPartner();
    const answer = await partner.fetch(`/v1/mappings/${MAPPING}/preview`, { method: 'POST', body: file(4) });
    const { counts, records } = await answer.json<Preview>();
    expect(counts).toMatchObject({ records: 4, mapped: 4, invalid: 0 });
    expect(records[0]?.lookedUp?.map(({ key }) => key)).toContain(units[0]);
    expect(left).toHaveLength(5);
  });

  it('says of each row what nobody could answer', async () => {
    const { file } = aFleet();
    upstreamAnswers(theFleet(() => 503));
    const partner = await aPartner();
    const answer = await partner.fetch(`/v1/mappings/${MAPPING}/preview`, { method: 'POST', body: file(2) });
    const { counts, records } = await answer.json<Preview>();
    expect(counts).toMatchObject({ records: 2, invalid: 2 });
    expect(new Set(records.flatMap(({ errors }) => errors.map(({ code }) => code)))).toEqual(
      new Set(['look_up_unavailable']),
    );
  });
});

describe('a file over HTTP', () => {
  it('has what was looked up in its reports', async () => {
    const { file } = aFleet();
    upstreamAnswers(theFleet());
    const partner = await aPartner();
    const uploaded = await partner.upload(file(2), { mapping: MAPPING, scac: 'DEMO', dryRun: 'true' });
    expect(uploaded.status).toBe(202);
    const { batchId } = await uploaded.json<{ batchId: string }>();
    await vi.waitFor(async () => {
      expect(await partner.getJson(`/v1/batches/${batchId}`)).toMatchObject({ state: 'settled' });
    }, PATIENCE);
    const report = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
    expect(report.split('\r\n')[0]).toContain('"_looked_up"');
    expect(report).toMatch(
      /"city, state, timeZone from location S\d+, fetched 20[^"]* \| vin, licensePlate from vehicle U/,
    );
  });
});
