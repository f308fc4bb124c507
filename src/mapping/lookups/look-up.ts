/**
 * What a mapping may look up in the upstream's own lists of vehicles and locations. Answers are an input of mapping, like the
 * file itself: nothing here asks anybody.
 */

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

export type VehicleKey = (typeof VEHICLE_KEYS)[number];
export type Fact = (typeof VEHICLE_FACTS)[number] | (typeof LOCATION_FACTS)[number];

/** What is looked up: `key` as the file says it. */
export type LookUp =
  | { of: 'vehicle'; by: VehicleKey; key: string }
  | { of: 'location'; by: 'locationNumber'; key: string };

/** Times are epoch milliseconds of the answer that says so. */
export type LookUpAnswer =
  | { outcome: 'found'; facts: Readonly<Partial<Record<Fact, string>>>; atMs: number }
  | { outcome: 'none'; atMs: number }
  /** Several answer to this key, so that none is meant. */
  | { outcome: 'several'; count: number; atMs: number }
  /** Nobody could say. */
  | { outcome: 'unavailable'; why: string; atMs: number };

/** @returns undefined where nobody has asked yet. */
export type Answers = (asked: LookUp) => LookUpAnswer | undefined;

/**
 * What one look-up gave a record, for its report. @property fields what it was asked for, by the field as problems name it.
 * `silent`: it was found, and does not say these.
 */
export type LookedUp = LookUp & {
  outcome: LookUpAnswer['outcome'] | 'silent';
  fields: Readonly<Record<string, Fact>>;
  atMs: number;
};

/** @property note told of each look-up that was answered. */
export interface LookUps {
  answers: Answers;
  note?(looked: LookedUp): void;
}

/** One text for equal questions: spelling in large or small letters makes no other. */
export const lookUpKey = ({ of, by, key }: LookUp): string => JSON.stringify([of, by, key.toUpperCase()]);
