/** One step of reading a file, on the batch's own tables and stored bytes. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Lookup, LookupAnswer } from '../../../src/mapping/lookups/lookup.ts';
import { aReading } from './reading-samples.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const HEADER = 'Load,Unit,Site,Date,Time,Latitude,Longitude,Odometer';
const row = (load: string): string => `${load},700001,1003,2026-03-02,08:15,41.87,-87.65,`;
const fileOf = (...loads: string[]): string => [HEADER, ...loads.map(row), ''].join('\n');

/** @param round what is found differs with it. */
const known = ({ of }: Lookup, round: number): LookupAnswer => ({
  outcome: 'found',
  facts: of === 'vehicle' ? { vin: `VIN${round}` } : { city: 'Chicago', state: 'IL', timeZone: 'America/Chicago' },
  atMs: 1,
});

/** A batch of files of positions, of which units and sites are looked up. @param texts of its messages; one: it is a file. */
async function aBatch(...texts: string[]) {
  const reading = await aReading({ texts, found: known });
  return { ...reading, asked: reading.seen.asked };
}

it('asks once for what many rows name, and keeps the answers with the file', async () => {
  const { store, lookUps, asked, progress, step } = await aBatch(fileOf('L1', 'L2'));
  expect(await step()).toBeNull();
  expect([asked.sort(), store.lastRecord(), progress().readingFinished]).toEqual([['location', 'vehicle'], 2, true]);
  expect(lookUps.recorded(0, '', 10).map(({ asked: { of } }) => of)).toEqual(['location', 'vehicle']);
});

it('asks for each message of a batch anew: what was found for one is not what is true for the next', async () => {
  const { store, lookUps, asked, step } = await aBatch(fileOf('L1'), fileOf('L2'));
  await step();
  await step();
  expect([asked.length, store.lastRecord()]).toEqual([4, 2]);
  const vins = [1, 2].map((message) => lookUps.recorded(message, '', 10).length);
  expect([vins, lookUps.recorded(0, '', 10)]).toEqual([[2, 2], []]);
});

it('is a moment at which the process may end: all of it is stored by then', async () => {
  const { store, step } = await aBatch(fileOf('L1'));
  vi.stubGlobal('FAILPOINT_URL', 'http://harness.test');
  const met: [string, number][] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    met.push([String(url), store.lastRecord()]);
    return new Response('');
  });
  await step();
  expect(met).toEqual([['http://harness.test/slice_committed', 1]]);
});
