/**
 * The fleet API (seed 2.5, 2.6, 4.2): vehicles of the caller's lessees, one vehicle, service history.
 *
 * A vehicle of somebody else's does not exist for the caller, in lists, by number or in service history.
 */
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { type FieldProblem, json, refuse } from './answers.ts';
import { type Ask, answerOnly, type Decision } from './decision.ts';
import type { Account } from './environments.ts';
import { applyFilters, checkParameters, type FilterTexts } from './filters.ts';
import { queryValue } from './received.ts';
import { SERVICE_RECORDS } from './seeded/service-records.ts';
import { VEHICLES, type Vehicle } from './seeded/vehicles.ts';

/** seed 4.2: the three filters of the list. */
const VEHICLE_FILTERS: FilterTexts<Vehicle> = {
  vin: ({ VIN }) => [VIN],
  licensePlate: ({ licensePlate }) => [licensePlate],
  customerNumber: ({ customerNumber }) => [customerNumber],
};

export function decideVehicles(ask: Ask): Decision {
  const refusal = checkParameters(ask.received, Object.keys(VEHICLE_FILTERS));
  if (refusal !== null) return answerOnly(refusal);
  const found = applyFilters(vehiclesOf(ask.account), ask.received, VEHICLE_FILTERS);
  const summaries = found.map(({ lease: _lease, specifications: _specifications, ...summary }) => summary);
  return answerOnly(json(200, { [NOT_SHOWN.listKeys.vehicles]: summaries }));
}

export function decideVehicle(ask: Ask): Decision {
  const found = vehiclesOf(ask.account).find(({ vehicleNumber }) => vehicleNumber === ask.params.vehicleNumber);
  if (found !== undefined) return answerOnly(json(200, found));
  return answerOnly(
    refuse('vehicle_unknown', `There is no vehicle ${ask.params.vehicleNumber} among those you can access.`),
  );
}

export function decideServiceHistory(ask: Ask): Decision {
  const names = {
    vehicle: NOT_SHOWN.serviceHistoryVehicleParameter,
    from: NOT_SHOWN.serviceHistoryFromParameter,
    to: NOT_SHOWN.serviceHistoryToParameter,
  };
  const from = queryValue(ask.received, names.from);
  const to = queryValue(ask.received, names.to);
  const refusal = checkParameters(ask.received, Object.values(names));
  if (refusal !== null) return answerOnly(refusal);
  const problems = rangeProblems([names.from, from], [names.to, to]);
  if (problems.length > 0) return answerOnly(refuse('query_malformed', 'The date range cannot be read.', problems));

  const accessible = new Set(vehiclesOf(ask.account).map(({ vehicleNumber }) => vehicleNumber));
  const within = SERVICE_RECORDS.filter(({ vehicleNumber, serviceDate }) => {
    return accessible.has(vehicleNumber) && serviceDate >= (from ?? '') && serviceDate <= (to ?? '9999-12-31');
  });
  const found = applyFilters(within, ask.received, { [names.vehicle]: ({ vehicleNumber }) => [vehicleNumber] });
  return answerOnly(json(200, { [NOT_SHOWN.listKeys.serviceHistory]: found }));
}

function vehiclesOf(account: Account): Vehicle[] {
  return VEHICLES.filter(({ customerNumber }) => account.customerNumbers.includes(customerNumber));
}

/** Both ends are ISO dates and included (NOT_SHOWN); either may be left out. */
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
