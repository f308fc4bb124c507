/**
 * What a mapping may look up in the upstream's lists of vehicles and locations. Answers are an input of mapping, like
 * the file itself: nothing here makes calls.
 */
import * as z from 'zod';
import { LOOKUP_ITEMS_MAX, LOOKUP_TEXT_CHARACTERS_MAX } from '../limits.ts';

export const VEHICLE_KEYS = ['vehicleNumber', 'licensePlate', 'vin'] as const;
export const VEHICLE_FACTS = ['vin', 'vehicleNumber', 'licensePlate'] as const;
export const LOCATION_FACTS = [
  'city',
  'state',
  'postalCode',
  'country',
  'line1',
  'name',
  'latitude',
  'longitude',
  'timeZone',
] as const;

export type Fact = (typeof VEHICLE_FACTS)[number] | (typeof LOCATION_FACTS)[number];

const lookUp = z.union([
  z.object({ of: z.literal('vehicle'), by: z.enum(VEHICLE_KEYS), key: z.string() }),
  z.object({ of: z.literal('location'), by: z.literal('locationNumber'), key: z.string() }),
]);
/** A query: `key` as in the file. */
export type Lookup = z.infer<typeof lookUp>;

/** Times are epoch milliseconds of the answer. */
export type LookupAnswer =
  | { outcome: 'found'; facts: Readonly<Partial<Record<Fact, string>>>; atMs: number }
  | { outcome: 'none'; atMs: number }
  /** Several match this key, so none is used. */
  | { outcome: 'several'; count: number; atMs: number }
  /** No answer could be had. */
  | { outcome: 'unavailable'; why: string; atMs: number };

/** @returns undefined if it was not queried yet. */
export type Answers = (asked: Lookup) => LookupAnswer | undefined;

/**
 * The result of one lookup for a record, for its report. @property fields what it was queried for, by the field as
 * problems name it. `silent`: it was found, but does not have these.
 */
export type LookedUp = Lookup & {
  outcome: LookupAnswer['outcome'] | 'silent';
  fields: Readonly<Record<string, Fact>>;
  atMs: number;
};

/** @property note called for each answered lookup. */
export interface Lookups {
  answers: Answers;
  note?(looked: LookedUp): void;
}

/** One text for equal queries: case makes no difference. */
export const lookupKey = ({ of, by, key }: Lookup): string => JSON.stringify([of, by, key.toUpperCase()]);

/*
 * Vehicles and locations in writing: answers to lookups, for an example or for the map command.
 *
 * `answers` are those that a batch recorded; they come before the lists.
 */

const text = z.string().min(1).max(LOOKUP_TEXT_CHARACTERS_MAX);
const optionally = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, text.optional()])) as Record<Name, z.ZodOptional<typeof text>>;

const vehicle = z
  .strictObject(optionally(VEHICLE_FACTS))
  .meta({ id: 'KnownVehicle', description: 'A vehicle: its vehicleNumber, licensePlate and vin.' });
const location = z
  .strictObject({ locationNumber: text, ...optionally(LOCATION_FACTS) })
  .meta({ id: 'KnownLocation', description: 'A location: its locationNumber and what is known of it.' });

export const lookupLists = z
  .strictObject({
    vehicles: z.array(vehicle).max(LOOKUP_ITEMS_MAX).optional(),
    locations: z.array(location).max(LOOKUP_ITEMS_MAX).optional(),
  })
  .meta({ id: 'LookUpLists', description: 'Vehicles and locations that look-ups find.' });

const atMs = z.number();
const answer = z.union([
  z.object({ outcome: z.literal('found'), facts: z.record(z.string(), z.string()), atMs }),
  z.object({ outcome: z.literal('none'), atMs }),
  z.object({ outcome: z.literal('several'), count: z.number(), atMs }),
  z.object({ outcome: z.literal('unavailable'), why: z.string(), atMs }),
]);
/** The file of `--lookups`. */
export const lookupFile = lookupLists.extend({ answers: z.array(z.object({ asked: lookUp, answer })).optional() });
type LookupFile = z.infer<typeof lookupFile>;

/** Something that is not in the lists has the answer that there is none. */
export function answersFrom({ vehicles = [], locations = [], answers = [] }: LookupFile): Answers {
  const recorded = new Map(answers.map(({ asked, answer }) => [lookupKey(asked), answer as LookupAnswer] as const));
  const found = new Map<string, LookupAnswer>();
  const add = (asked: Lookup, facts: Partial<Record<Fact, string>>): void => {
    const key = lookupKey(asked);
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
  return (asked) => recorded.get(lookupKey(asked)) ?? found.get(lookupKey(asked)) ?? { outcome: 'none', atMs: 0 };
}

const written = (facts: Partial<Record<Fact, string | undefined>>): Partial<Record<Fact, string>> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
