/** What a vehicle or a location says of itself, read along the paths of `NOT_SHOWN`, as texts. Pure. */
import type { Fact } from '../mapping/lookups/look-up.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import type { FleetItem } from './judge.ts';

type VehicleFact = keyof typeof NOT_SHOWN.vehicleFacts;
type LocationFact = keyof typeof NOT_SHOWN.locationFacts;

/** @returns undefined where the item does not say it. */
export const vehicleFact = (vehicle: FleetItem, fact: VehicleFact): string | undefined =>
  textAt(vehicle, NOT_SHOWN.vehicleFacts[fact]);
export const locationFact = (location: FleetItem, fact: LocationFact): string | undefined =>
  textAt(location, NOT_SHOWN.locationFacts[fact]);

export const vehicleFacts = (vehicle: FleetItem): Partial<Record<Fact, string>> =>
  factsOf(vehicle, NOT_SHOWN.vehicleFacts);
export const locationFacts = (location: FleetItem): Partial<Record<Fact, string>> =>
  factsOf(location, NOT_SHOWN.locationFacts);

function factsOf(item: FleetItem, paths: Readonly<Record<string, readonly string[]>>): Partial<Record<Fact, string>> {
  const found = Object.entries(paths).flatMap(([fact, path]) => {
    const text = textAt(item, path);
    return text === undefined ? [] : [[fact, text]];
  });
  return Object.fromEntries(found);
}

function textAt(item: FleetItem, path: readonly string[]): string | undefined {
  let at: unknown = item;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  if (typeof at === 'number') return String(at);
  return typeof at === 'string' && at.trim() !== '' ? at.trim() : undefined;
}
