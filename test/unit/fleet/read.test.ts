import { describe, expect, it } from 'vitest';
import type { FleetAnswer } from '../../../src/fleet/answer.ts';
import {
  CACHED_MS,
  FAILED_PAUSE_MS,
  LOCATIONS_FRESH_MS,
  NONE_FRESH_MS,
  STALE_SHOWN_MS,
  VEHICLES_FRESH_MS,
} from '../../../src/fleet/limits.ts';
import type { FleetQuestion } from '../../../src/fleet/question.ts';
import { readFleet } from '../../../src/fleet/read.ts';
import { aReading, TROUBLE, VEHICLE } from './samples.ts';

const OLD = [{ vehicleNumber: '00700001' }];
const DOWN: FleetAnswer = { outcome: 'trouble', trouble: TROUBLE };
const NEW = [{ vehicleNumber: '00700001', VIN: 'V2' }];

describe('what was never asked', () => {
  it('is asked, kept, and told as new', async () => {
    const { port, asked, kept } = aReading();
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({
      ok: true,
      value: { items: OLD, ageMs: 0, wasAsked: true, trouble: null, freshMs: VEHICLES_FRESH_MS },
    });
    expect([asked, kept.size]).toEqual([[VEHICLE], 1]);
  });

  it('is an error where the upstream does not answer, which is not kept', async () => {
    const { port, fails, kept, says, asked } = aReading();
    fails();
    expect(await readFleet(port, VEHICLE, 'show')).toEqual({ ok: false, error: TROUBLE });
    expect(kept.size).toBe(0);
    says({ outcome: 'read', items: OLD });
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ ok: true });
    expect(asked).toHaveLength(2);
  });
});

describe('what fails to be asked while another is answered', () => {
  it('does not put the older answer in place of the newer one', async () => {
    const { port, kept, afterMs, says } = aReading();
    await readFleet(port, VEHICLE, 'show');
    afterMs(VEHICLES_FRESH_MS + STALE_SHOWN_MS);
    let fail = (): void => undefined;
    const slow = { ...port, request: () => new Promise<FleetAnswer>((go) => (fail = () => go(DOWN))) };
    const failing = readFleet(slow, VEHICLE, 'renew');
    await Promise.resolve();
    says({ outcome: 'read', items: NEW });
    await readFleet(port, VEHICLE, 'renew');
    fail();
    await failing;
    expect([...kept.values()]).toEqual([expect.objectContaining({ items: NEW })]);
    expect([...kept.values()][0]).not.toHaveProperty('failed');
  });
});

describe('what is fresh', () => {
  const PLACE: FleetQuestion = { of: 'location', locationNumber: '1001' };
  it.each([
    [VEHICLE, VEHICLES_FRESH_MS],
    [{ of: 'serviceHistory', filters: {} } as const, VEHICLES_FRESH_MS],
    [PLACE, LOCATIONS_FRESH_MS],
  ])('is shown with its age and asks nobody, to its last moment: %j', async (question, freshMs) => {
    const { port, asked, afterMs, behind } = aReading();
    await readFleet(port, question, 'show');
    afterMs(freshMs - 1);
    for (const whenStale of ['show', 'renew'] as const) {
      const reading = await readFleet(port, question, whenStale);
      expect(reading).toMatchObject({ value: { ageMs: freshMs - 1, freshMs, wasAsked: false, trouble: null } });
    }
    expect([asked.length, behind.length]).toEqual([1, 0]);
    afterMs(1);
    await readFleet(port, question, 'show');
    expect(asked).toHaveLength(2);
  });

  it('passes as fast as the clock of the caller', async () => {
    const { port, asked, afterMs } = aReading(60);
    await readFleet(port, VEHICLE, 'show');
    afterMs(VEHICLES_FRESH_MS / 60);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ value: { freshMs: VEHICLES_FRESH_MS / 60 } });
    expect(asked).toHaveLength(2);
  });
});

describe('what is stale', () => {
  it('is shown at once and renewed once behind it', async () => {
    const { port, asked, says, afterMs, settled } = aReading();
    await readFleet(port, VEHICLE, 'show');
    says({ outcome: 'read', items: NEW });
    afterMs(VEHICLES_FRESH_MS);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({
      value: { items: OLD, ageMs: VEHICLES_FRESH_MS, wasAsked: false, trouble: null },
    });
    await settled();
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ value: { items: NEW, ageMs: 0 } });
    expect(asked).toHaveLength(2);
  });

  it('is asked for first by those who want it so', async () => {
    const { port, says, afterMs, behind } = aReading();
    await readFleet(port, VEHICLE, 'renew');
    says({ outcome: 'read', items: NEW });
    afterMs(VEHICLES_FRESH_MS);
    expect(await readFleet(port, VEHICLE, 'renew')).toMatchObject({ value: { items: NEW, ageMs: 0, wasAsked: true } });
    expect(behind).toHaveLength(0);
  });

  it('for more than an hour is asked for first, too', async () => {
    const { port, says, afterMs, behind } = aReading();
    await readFleet(port, VEHICLE, 'show');
    says({ outcome: 'read', items: NEW });
    afterMs(VEHICLES_FRESH_MS + STALE_SHOWN_MS - 1);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ value: { items: OLD } });
    expect(behind).toHaveLength(1);
    await Promise.all(behind);
    afterMs(VEHICLES_FRESH_MS + STALE_SHOWN_MS);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ value: { items: NEW, ageMs: 0, wasAsked: true } });
    expect(behind).toHaveLength(1);
  });

  it('is shown with its age and the trouble where the upstream does not answer, for a day and no longer', async () => {
    const { port, fails, afterMs } = aReading();
    await readFleet(port, VEHICLE, 'show');
    fails();
    afterMs(CACHED_MS - 1);
    for (const whenStale of ['show', 'renew'] as const) {
      expect(await readFleet(port, VEHICLE, whenStale)).toMatchObject({
        ok: true,
        value: { items: OLD, ageMs: CACHED_MS - 1, trouble: TROUBLE },
      });
    }
    afterMs(1);
    expect(await readFleet(port, VEHICLE, 'show')).toEqual({ ok: false, error: TROUBLE });
  });

  it('says why it was not renewed, and is not asked for again within half a minute', async () => {
    const { port, fails, says, afterMs, settled, asked } = aReading();
    await readFleet(port, VEHICLE, 'show');
    fails();
    afterMs(VEHICLES_FRESH_MS);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ value: { items: OLD, trouble: null } });
    await settled();
    const told = { value: { items: OLD, wasAsked: false, trouble: TROUBLE } };
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject(told);
    afterMs(FAILED_PAUSE_MS - 1);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject(told);
    expect(asked).toHaveLength(2);
    says({ outcome: 'read', items: NEW });
    afterMs(1);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject(told);
    await settled();
    expect(asked).toHaveLength(3);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ value: { items: NEW, ageMs: 0, trouble: null } });
  });

  it('lets nobody wait for an upstream that hangs whom it can serve, but once in half a minute', async () => {
    const { port, fails, afterMs, asked, behind } = aReading();
    await readFleet(port, VEHICLE, 'show');
    fails();
    afterMs(VEHICLES_FRESH_MS + STALE_SHOWN_MS);
    for (const wasAsked of [true, false, false]) {
      expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({
        value: { items: OLD, wasAsked, trouble: TROUBLE },
      });
    }
    afterMs(FAILED_PAUSE_MS);
    expect(await readFleet(port, VEHICLE, 'show')).toMatchObject({ value: { wasAsked: true, trouble: TROUBLE } });
    expect([asked.length, behind.length]).toEqual([3, 0]);
  });

  it('is asked for each time by those who ask first', async () => {
    const { port, fails, says, afterMs, asked } = aReading();
    await readFleet(port, VEHICLE, 'renew');
    fails();
    afterMs(VEHICLES_FRESH_MS);
    await readFleet(port, VEHICLE, 'renew');
    says({ outcome: 'read', items: NEW });
    expect(await readFleet(port, VEHICLE, 'renew')).toMatchObject({ value: { items: NEW, trouble: null } });
    expect(asked).toHaveLength(3);
  });
});

describe('that there is none', () => {
  const LIST: FleetQuestion = { of: 'vehicles', filters: { vin: 'X' } };
  it.each([
    ['no such vehicle', VEHICLE, null],
    ['an empty list', LIST, []],
  ] as const)('counts for a minute, and is asked anew before anybody hears it again: %s', async (_, question, none) => {
    const { port, says, afterMs, asked, behind } = aReading();
    says({ outcome: 'read', items: none });
    await readFleet(port, question, 'show');
    afterMs(NONE_FRESH_MS - 1);
    expect(await readFleet(port, question, 'show')).toMatchObject({ value: { items: none, freshMs: NONE_FRESH_MS } });
    expect(asked).toHaveLength(1);
    says({ outcome: 'read', items: NEW });
    afterMs(1);
    expect(await readFleet(port, question, 'show')).toMatchObject({ value: { items: NEW, ageMs: 0 } });
    expect([asked.length, behind.length]).toEqual([2, 0]);
  });

  it('is no answer where the upstream does not answer any more', async () => {
    const { port, says, fails, afterMs } = aReading();
    says({ outcome: 'read', items: null });
    await readFleet(port, VEHICLE, 'show');
    fails();
    afterMs(NONE_FRESH_MS);
    expect(await readFleet(port, VEHICLE, 'show')).toEqual({ ok: false, error: TROUBLE });
  });
});

it('what is kept for one question answers all equal ones, in whatever order their filters are named', async () => {
  const { port, asked } = aReading();
  await readFleet(port, { of: 'locations', filters: { city: 'Reno', state: 'NV' } }, 'show');
  await readFleet(port, { of: 'locations', filters: { state: 'NV', city: 'Reno' } }, 'show');
  await readFleet(port, { of: 'locations', filters: { state: 'NV' } }, 'show');
  expect(asked).toHaveLength(2);
});
