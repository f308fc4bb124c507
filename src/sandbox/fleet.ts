/**
 * The fleet API (seed 2.5, 2.6, 4.2): vehicles of the caller's lessees, one vehicle, service history.
 *
 * Vehicles of other lessees do not exist for the caller, in lists, by number or in service history.
 */

import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { answerOnly, type Decision, refusal, type StoreQuery } from './decision.ts';
import { type FieldProblem, json, queryValue, type Received } from './http.ts';
import { LOCATIONS, SERVICE_RECORDS, type ServiceLocation, VEHICLES, type Vehicle } from './seeded.ts';
import type { Account } from './settings.ts';

/*
 * Query parameters as filters over seeded records: case does not matter, several filters must all match.
 *
 * An unknown parameter is refused: ignoring it would return the whole list, which looks like success.
 */

/** @returns for each filter the texts it may equal. */
type FilterTexts<T> = Record<string, (record: T) => readonly string[]>;

function checkParameters(received: Received, known: readonly string[]): Decision | null {
  const unknown = received.query.filter(([name]) => !known.includes(name));
  if (unknown.length === 0) return null;
  const fields = unknown.map(([path]) => ({ path, problem: 'unknown parameter' }));
  return refusal('query_malformed', `Known parameters: ${known.join(', ')}.`, fields);
}

function applyFilters<T>(records: readonly T[], received: Received, filters: FilterTexts<T>): T[] {
  const wanted = received.query.flatMap(([name, value]) => {
    const textsOf = filters[name];
    return textsOf === undefined ? [] : [{ textsOf, value: value.toLowerCase() }];
  });
  return records.filter((record) =>
    wanted.every(({ textsOf, value }) => textsOf(record).some((text) => text.toLowerCase() === value)),
  );
}

/** seed 4.2: the three filters of the list. */
const VEHICLE_FILTERS: FilterTexts<Vehicle> = {
  vin: ({ VIN }) => [VIN],
  licensePlate: ({ licensePlate }) => [licensePlate],
  customerNumber: ({ customerNumber }) => [customerNumber],
};

export function decideVehicles(query: StoreQuery): Decision {
  const unknown = checkParameters(query.received, Object.keys(VEHICLE_FILTERS));
  if (unknown !== null) return unknown;
  const found = applyFilters(vehiclesOf(query.account), query.received, VEHICLE_FILTERS);
  const summaries = found.map(({ lease: _lease, specifications: _specifications, ...summary }) => summary);
  return answerOnly(json(200, { [NOT_SHOWN.listKeys.vehicles]: summaries }));
}

export function decideVehicle(query: StoreQuery): Decision {
  const found = vehiclesOf(query.account).find(({ vehicleNumber }) => vehicleNumber === query.params.vehicleNumber);
  if (found !== undefined) return answerOnly(json(200, found));
  return refusal('vehicle_unknown', `There is no vehicle ${query.params.vehicleNumber} among those you can access.`);
}

export function decideServiceHistory(query: StoreQuery): Decision {
  const names = {
    vehicle: NOT_SHOWN.serviceHistoryVehicleParameter,
    from: NOT_SHOWN.serviceHistoryFromParameter,
    to: NOT_SHOWN.serviceHistoryToParameter,
  };
  const from = queryValue(query.received, names.from);
  const to = queryValue(query.received, names.to);
  const unknown = checkParameters(query.received, Object.values(names));
  if (unknown !== null) return unknown;
  const problems = rangeProblems([names.from, from], [names.to, to]);
  if (problems.length > 0) return refusal('query_malformed', 'The date range cannot be read.', problems);

  const accessible = new Set(vehiclesOf(query.account).map(({ vehicleNumber }) => vehicleNumber));
  const within = SERVICE_RECORDS.filter(({ vehicleNumber, serviceDate }) => {
    return accessible.has(vehicleNumber) && serviceDate >= (from ?? '') && serviceDate <= (to ?? '9999-12-31');
  });
  const found = applyFilters(within, query.received, { [names.vehicle]: ({ vehicleNumber }) => [vehicleNumber] });
  return answerOnly(json(200, { [NOT_SHOWN.listKeys.serviceHistory]: found }));
}

function vehiclesOf(account: Account): Vehicle[] {
  return VEHICLES.filter(({ customerNumber }) => account.customerNumbers.includes(customerNumber));
}

/** Both ends are ISO dates and inclusive (NOT_SHOWN); either may be left out. */
function rangeProblems(...ends: [name: string, value: string | undefined][]): FieldProblem[] {
  const problems = ends.flatMap(([path, value]) => {
    return value === undefined || isDate(value) ? [] : [{ path, problem: 'must be a date as in 2025-06-30' }];
  });
  const [from, to] = ends;
  if (problems.length > 0 || from?.[1] === undefined || to?.[1] === undefined || from[1] <= to[1]) return problems;
  return [{ path: to[0], problem: `must not be before ${from[0]}` }];
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}

/* The locations API (seed 2.7, 4.2): a filtered list of service locations, and one in full. Pure, and the same for every caller. */

type FilterName = (typeof NOT_SHOWN.locationFilterParameters)[number];

const LOCATION_FILTERS: Record<FilterName, FilterTexts<ServiceLocation>[string]> = {
  city: ({ address }) => [address.city],
  state: ({ address }) => [address.state],
  postalCode: ({ address }) => [address.postalCode],
  service: ({ services }) => services,
};

export function decideLocations(query: StoreQuery): Decision {
  const unknown = checkParameters(query.received, NOT_SHOWN.locationFilterParameters);
  if (unknown !== null) return unknown;
  const found = applyFilters(LOCATIONS, query.received, LOCATION_FILTERS);
  const summaries = found.map(({ locationNumber, name, services, address, coordinate, timeZone }) => {
    return { locationNumber, name, services, address, coordinate, timeZone };
  });
  return answerOnly(json(200, { [NOT_SHOWN.listKeys.locations]: summaries }));
}

export function decideLocation(query: StoreQuery): Decision {
  const found = LOCATIONS.find(({ locationNumber }) => locationNumber === query.params.locationNumber);
  if (found !== undefined) return answerOnly(json(200, found));
  return refusal('location_unknown', `There is no location ${query.params.locationNumber}.`);
}
