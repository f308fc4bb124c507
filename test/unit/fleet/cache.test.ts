import { afterEach, describe, expect, it, vi } from 'vitest';
import { CACHED_MS } from '../../../src/fleet/limits.ts';
import type { FleetQuestion } from '../../../src/fleet/question.ts';
import { fleetCache } from '../../../src/fleet/read.ts';
import { aChannel, NOW_MS } from '../upstream/samples.ts';
import { VEHICLE } from './samples.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const STORED = { items: [{ vehicleNumber: '00700001' }], fetchedAtMs: NOW_MS };

/** As far as it is used here. */
function aNamespace() {
  const values = new Map<string, string>();
  const lives: (number | undefined)[] = [];
  const kv = {
    get: async (key: string) => JSON.parse(values.get(key) ?? 'null') as unknown,
    put: async (key: string, value: string, { expirationTtl }: KVNamespacePutOptions = {}) => {
      values.set(key, value);
      lives.push(expirationTtl);
    },
  } as unknown as KVNamespace;
  return { kv, values, lives };
}

describe('the cache of vehicles and locations', () => {
  it('gives back what was kept, that there is none too, for a day', async () => {
    const { kv, lives } = aNamespace();
    const cache = fleetCache(kv, aChannel());
    await cache.put(VEHICLE, STORED);
    expect(await cache.get(VEHICLE)).toEqual(STORED);
    await cache.put(VEHICLE, { items: null, fetchedAtMs: NOW_MS });
    expect(await cache.get(VEHICLE)).toEqual({ items: null, fetchedAtMs: NOW_MS });
    expect(lives).toEqual([CACHED_MS / 1_000, CACHED_MS / 1_000]);
  });

  it('shows nothing of one channel to another, nor of one environment to the other', async () => {
    const { kv } = aNamespace();
    await fleetCache(kv, aChannel()).put(VEHICLE, STORED);
    for (const other of [aChannel({ name: 'other' }), aChannel({ environment: 'production' })]) {
      expect(await fleetCache(kv, other).get(VEHICLE)).toBeNull();
    }
  });

  it('tells every question from every other, under keys that are never too long', async () => {
    const questions: FleetQuestion[] = [
      VEHICLE,
      { of: 'vehicle', vehicleNumber: '700001' },
      { of: 'location', locationNumber: '00700001' },
      { of: 'vehicles', filters: {} },
      { of: 'locations', filters: {} },
      { of: 'serviceHistory', filters: { vehicleNumber: '00700001' } },
      { of: 'vehicles', filters: { vin: 'a' } },
      { of: 'vehicles', filters: { licensePlate: 'a' } },
      { of: 'vehicles', filters: { vin: 'x'.repeat(10_000) } },
    ];
    const { kv, values } = aNamespace();
    for (const question of questions) await fleetCache(kv, aChannel()).put(question, STORED);
    expect(values.size).toBe(questions.length);
    for (const key of values.keys()) expect(key).toMatch(/^fleet:[0-9a-f]{64}$/);
  });

  it('that is down keeps nothing and stops nobody, and the log says so', async () => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const down = async () => {
      throw new Error('429 too many writes');
    };
    const cache = fleetCache({ get: down, put: down } as unknown as KVNamespace, aChannel());
    await cache.put(VEHICLE, STORED);
    expect(await cache.get(VEHICLE)).toBeNull();
    expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { event: 'look_up_cache_failed', channel: 'main' },
      { event: 'look_up_cache_failed', channel: 'main' },
    ]);
  });
});
