/**
 * What an answer of the fleet and locations APIs says: the items, that there are none, or why it is not known. Pure.
 */

import { classify } from '../delivery/classify.ts';
import type { Fact } from '../mapping/lookups/lookup.ts';
import type { Observation } from '../upstream/answer.ts';
import { parseJson, valueAt } from '../upstream/contracts/json.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { DETAIL_CHARACTERS_MAX, FLEET_DEPTH_MAX } from './limits.ts';
import { apiOf, type FleetApi, type FleetQuestion } from './question.ts';

export type FleetItem = Readonly<Record<string, unknown>>;

/**
 * `fleet_down`: no answer, an upstream failure, or it cannot be called now. `fleet_refused`: it does not allow this
 * channel, or this request. `fleet_unreadable`: the answer does not match the contract.
 */
export interface FleetTrouble {
  code: 'fleet_down' | 'fleet_refused' | 'fleet_unreadable';
  api: FleetApi;
  status: number | null;
  detail: string;
  /** When to retry, if the answer says so. */
  retryAfterMs: number | null;
}

/** @property items null: no such vehicle or location. */
export type FleetAnswer =
  | { outcome: 'read'; items: readonly FleetItem[] | null }
  | { outcome: 'trouble'; trouble: FleetTrouble };

export function classifyAnswer(question: FleetQuestion, observed: Observation, nowMs: number): FleetAnswer {
  const trouble = (
    code: FleetTrouble['code'],
    detail: string,
    more: Partial<Pick<FleetTrouble, 'status' | 'retryAfterMs'>> = {},
  ): FleetAnswer => ({
    outcome: 'trouble',
    trouble: {
      code,
      api: apiOf(question),
      status: null,
      retryAfterMs: null,
      ...more,
      detail: detail.slice(0, DETAIL_CHARACTERS_MAX),
    },
  });
  if (observed.outcome !== 'answered') return trouble('fleet_down', `${observed.code}: ${observed.detail}`);
  const { status, body, bodyEnd } = observed;
  if (observed.notRenewed !== undefined) return trouble('fleet_down', `no_token: ${observed.notRenewed}`);
  const seen = classify(observed, nowMs);
  const retryAfterMs = 'retryAfterMs' in seen ? (seen.retryAfterMs ?? null) : null;
  if (status === NOT_SHOWN.refusalStatus.unknownResource && isOne(question)) return { outcome: 'read', items: null };
  if (seen.effect === 'refused' || seen.effect === 'channel') return trouble('fleet_refused', body, { status });
  if (seen.effect !== 'applied') return trouble('fleet_down', body, { status, retryAfterMs });
  if (bodyEnd === 'cut') return trouble('fleet_down', 'the answer broke off', { status });
  if (bodyEnd === 'capped') return trouble('fleet_unreadable', 'the answer is too large', { status });
  const items = itemsOf(question, body);
  if (items === undefined) return trouble('fleet_unreadable', `not the JSON that is documented: ${body}`, { status });
  return { outcome: 'read', items };
}

const isOne = ({ of }: FleetQuestion): boolean => of === 'vehicle' || of === 'location';

function itemsOf(question: FleetQuestion, body: string): FleetItem[] | undefined {
  const parsed = parseJson(body);
  if (!isWithin(FLEET_DEPTH_MAX, parsed)) return undefined;
  if (question.of === 'vehicle' || question.of === 'location') return isItem(parsed) ? [parsed] : undefined;
  const list = isItem(parsed) ? parsed[NOT_SHOWN.listKeys[question.of]] : undefined;
  return Array.isArray(list) && list.every(isItem) ? list : undefined;
}

/** A value nested too deeply can be parsed, but not written again. */
const isWithin = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isWithin(levels - 1, member)));

const isItem = (value: unknown): value is FleetItem =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/* Facts of a vehicle or a location, read along the paths of `NOT_SHOWN`, as text. */

type VehicleFact = keyof typeof NOT_SHOWN.vehicleFacts;
type LocationFact = keyof typeof NOT_SHOWN.locationFacts;

/** @returns undefined if the item lacks it. */
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
  const at = valueAt(item, path);
  if (typeof at === 'number') return String(at);
  return typeof at === 'string' && at.trim() !== '' ? at.trim() : undefined;
}
