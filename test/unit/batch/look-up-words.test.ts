/** What was looked up for a row, in words. */
import { describe, expect, it } from 'vitest';
import { awaitedNote, shownLookups } from '../../../src/batch/report/lookup-messages.ts';
import type { LookedUp } from '../../../src/mapping/lookups/lookup.ts';
import { RECEIVED_MS } from './samples.ts';

const FETCHED = '2026-03-02T08:00:00.000Z';

describe('what was looked up', () => {
  it.each([
    ['found', `vin from vehicle with the plate IL 7, fetched ${FETCHED}`],
    ['none', `no vehicle with the plate IL 7, asked ${FETCHED}`],
    ['several', `several answer to vehicle with the plate IL 7, asked ${FETCHED}`],
    ['silent', `vehicle with the plate IL 7 says no vin, asked ${FETCHED}`],
    ['unavailable', `vehicle with the plate IL 7 could not be looked up, asked ${FETCHED}`],
  ] as [LookedUp['outcome'], string][])('is told with what was %s', (outcome, words) => {
    const lookedUp = {
      of: 'vehicle',
      by: 'licensePlate',
      key: 'IL 7',
      outcome,
      fields: { resourceId: 'vin' },
      atMs: RECEIVED_MS,
    };
    expect(shownLookups(JSON.stringify([lookedUp])).map((each) => each.words)).toEqual([words]);
  });

  it('is nothing of a row that asked for nothing', () => expect(shownLookups(null)).toEqual([]));
});

describe('a file that waits for a look-up', () => {
  it('says since when, what came back, and when it is asked for again', () => {
    const awaited = { api: 'fleet', status: 503, detail: '', tries: 2 } as const;
    expect(awaitedNote({ ...awaited, sinceMs: RECEIVED_MS, nextMs: RECEIVED_MS + 90_000 })).toBe(
      'Vehicles cannot be looked up since 2026-03-02 08:00 UTC (status 503), so the file waits; they are asked for again at 2026-03-02 08:01 UTC. Nothing is lost.',
    );
  });
});
