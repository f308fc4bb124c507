/** Texts of an address → what is asked of vehicles, service history and locations, for one channel. Nothing is guessed. Pure. */
import { LOOK_UP_KEY_CHARACTERS_MAX } from '../../fleet/limits.ts';
import { type FleetQuestion, isAddressable } from '../../fleet/question.ts';
import { daysInMonth } from '../../kernel/date-time.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Channel } from '../../upstream/channels.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import { onlyKnown, type Parameters } from '../edge/action-query.ts';
import type { ProblemWords } from '../edge/problem.ts';

type Of = Pick<Channel, 'customerNumber'>;
/** @returns what to ask, or what is wrong with the address. */
export type ReadFleetQuery = (parameters: Parameters, of: Of) => Result<FleetQuestion, ProblemWords>;

/** seed 4.2 */
const VEHICLE_FILTERS = ['vin', 'licensePlate', 'customerNumber'] as const;
const HISTORY_FILTERS = ['vehicleNumber', 'from', 'to'] as const;

/** A channel of one customer asks for that customer's vehicles, whatever else is asked for. */
export const vehiclesAsked: ReadFleetQuery = (parameters, { customerNumber }) => {
  const filters = readFilters(parameters, VEHICLE_FILTERS);
  if (!filters.ok) return filters;
  const { customerNumber: asked = customerNumber } = filters.value;
  if (customerNumber !== undefined && asked !== customerNumber) return err(customerNotAllowed(customerNumber));
  return ok({
    of: 'vehicles',
    filters: { ...filters.value, ...(asked === undefined ? {} : { customerNumber: asked }) },
  });
};

/** Whose a service is, a record need not say: on a channel of one customer the vehicle is named, so that it can be looked at. */
export const serviceHistoryAsked: ReadFleetQuery = (parameters, { customerNumber }) => {
  const filters = readFilters(parameters, HISTORY_FILTERS);
  if (!filters.ok) return filters;
  const { vehicleNumber, from, to } = filters.value;
  if (from !== undefined && !isDate(from)) return err(unreadable('from', from, DATE_WANTED));
  if (to !== undefined && !isDate(to)) return err(unreadable('to', to, DATE_WANTED));
  if (from !== undefined && to !== undefined && from > to)
    return err(unreadable('to', to, `a date not before ${from}`));
  if (vehicleNumber === undefined && customerNumber !== undefined) return err(VEHICLE_WANTED);
  return ok({ of: 'serviceHistory', filters: filters.value });
};

export const locationsAsked: ReadFleetQuery = (parameters) => {
  const filters = readFilters(parameters, NOT_SHOWN.locationFilterParameters);
  return filters.ok ? ok({ of: 'locations', filters: filters.value }) : filters;
};

/** @returns null: nothing can stand under such a number, so nobody is asked. */
export const vehicleAsked = (vehicleNumber: string): FleetQuestion | null =>
  isAddressable(vehicleNumber) ? { of: 'vehicle', vehicleNumber } : null;
export const locationAsked = (locationNumber: string): FleetQuestion | null =>
  isAddressable(locationNumber) ? { of: 'location', locationNumber } : null;

/** Of an address that names one, and has no parameters. */
export const oneAsked =
  (asked: FleetQuestion | null, unknown: ProblemWords): ReadFleetQuery =>
  (parameters) => {
    const known = onlyKnown(parameters, []);
    if (!known.ok) return known;
    return asked === null ? err(unknown) : ok(asked);
  };

/** An empty filter is no filter, and would answer with the whole list, which looks like success. */
function readFilters<Name extends string>(
  parameters: Parameters,
  names: readonly Name[],
): Result<Partial<Record<Name, string>>, ProblemWords> {
  const known = onlyKnown(parameters, names);
  if (!known.ok) return known;
  const filters: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = parameters[name]?.trim();
    if (text === undefined) continue;
    if (text === '') return err(unreadable(name, text, 'a value, or leave it out'));
    if (text.length > LOOK_UP_KEY_CHARACTERS_MAX) {
      return err(unreadable(name, text, `a value of at most ${LOOK_UP_KEY_CHARACTERS_MAX} characters`));
    }
    filters[name] = text;
  }
  return ok(filters);
}

const DATE_WANTED = 'a date as in 2026-03-02';

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

const unreadable = (name: string, value: string, wanted: string): ProblemWords => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}".`,
  fix: `Write ${name}= and ${wanted}.`,
});

const customerNotAllowed = (customerNumber: string): ProblemWords => ({
  status: 403,
  code: 'customer_not_allowed',
  title: 'Customer not allowed',
  detail: `The channel of your key reads the vehicles of customer ${customerNumber} alone.`,
  fix: `Leave customerNumber out, or write customerNumber=${customerNumber}.`,
});

const VEHICLE_WANTED: ProblemWords = {
  status: 422,
  code: 'vehicle_wanted',
  title: 'Vehicle wanted',
  detail:
    'The channel of your key reads the vehicles of one customer alone, so service history is asked for by vehicle.',
  fix: 'Add vehicleNumber= and the number of a vehicle; GET /v1/vehicles lists yours.',
};
