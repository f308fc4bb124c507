/**
 * Vehicles and locations written down: what an example, or a file for the map command, gives as answers to look-ups.
 *
 * `answers` are those of a batch, as it recorded them; they come before the lists.
 */
import { z } from 'zod';
import { LOOK_UP_ITEMS_MAX, LOOK_UP_TEXT_CHARACTERS_MAX } from '../limits.ts';
import {
  type Answers,
  type Fact,
  LOCATION_FACTS,
  type LookUp,
  type LookUpAnswer,
  lookUpKey,
  VEHICLE_FACTS,
  VEHICLE_KEYS,
} from './look-up.ts';

const text = z.string().min(1).max(LOOK_UP_TEXT_CHARACTERS_MAX);
const optionally = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, text.optional()])) as Record<Name, z.ZodOptional<typeof text>>;

const vehicle = z
  .strictObject(optionally(VEHICLE_FACTS))
  .meta({ id: 'KnownVehicle', description: 'A vehicle: its vehicleNumber, licensePlate and vin.' });
const location = z
  .strictObject({ locationNumber: text, ...optionally(LOCATION_FACTS) })
  .meta({ id: 'KnownLocation', description: 'A location: its locationNumber and what is known of it.' });

export const lookUpLists = z
  .strictObject({
    vehicles: z.array(vehicle).max(LOOK_UP_ITEMS_MAX).optional(),
    locations: z.array(location).max(LOOK_UP_ITEMS_MAX).optional(),
  })
  .meta({ id: 'LookUpLists', description: 'Vehicles and locations that look-ups find.' });
export type LookUpLists = z.infer<typeof lookUpLists>;

const atMs = z.number();
const lookUp = z.union([
  z.object({ of: z.literal('vehicle'), by: z.enum(VEHICLE_KEYS), key: z.string() }),
  z.object({ of: z.literal('location'), by: z.literal('locationNumber'), key: z.string() }),
]);
const answer = z.union([
  z.object({ outcome: z.literal('found'), facts: z.record(z.string(), z.string()), atMs }),
  z.object({ outcome: z.literal('none'), atMs }),
  z.object({ outcome: z.literal('several'), count: z.number(), atMs }),
  z.object({ outcome: z.literal('unavailable'), why: z.string(), atMs }),
]);
/** The file of `--lookups`. */
export const lookUpFile = lookUpLists.extend({ answers: z.array(z.object({ asked: lookUp, answer })).optional() });
export type LookUpFile = z.infer<typeof lookUpFile>;

/** A look-up of what is not in the lists is answered: there is none. */
export function answersFrom({ vehicles = [], locations = [], answers = [] }: LookUpFile): Answers {
  const recorded = new Map(
    answers.map(({ asked, answer }) => [lookUpKey(asked as LookUp), answer as LookUpAnswer] as const),
  );
  const found = new Map<string, LookUpAnswer>();
  const add = (asked: LookUp, facts: Partial<Record<Fact, string>>): void => {
    const key = lookUpKey(asked);
    const known = found.get(key);
    const count = known?.outcome === 'several' ? known.count + 1 : 2;
    found.set(key, known === undefined ? { outcome: 'found', facts, atMs: 0 } : { outcome: 'several', count, atMs: 0 });
  };
  for (const facts of vehicles) {
    for (const by of VEHICLE_KEYS) {
      const key = facts[by];
      if (key !== undefined) add({ of: 'vehicle', by, key }, written(facts));
    }
  }
  for (const { locationNumber: key, ...facts } of locations) {
    add({ of: 'location', by: 'locationNumber', key }, written(facts));
  }
  return (asked) => recorded.get(lookUpKey(asked)) ?? found.get(lookUpKey(asked)) ?? { outcome: 'none', atMs: 0 };
}

const written = (facts: Partial<Record<Fact, string | undefined>>): Partial<Record<Fact, string>> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
