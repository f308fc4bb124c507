/** `/v1/vehicles`, `/v1/service-history`, `/v1/locations`: the receiving system's data, with the age of its answer. */

import { type Context, Hono } from 'hono';
import type { FleetItem, FleetTrouble } from '../../fleet/answer.ts';
import { LOOKUP_KEY_CHARACTERS_MAX } from '../../fleet/limits.ts';
import { isOfCustomer } from '../../fleet/lookup.ts';
import { type FleetQuestion, isAddressable } from '../../fleet/question.ts';
import { type FleetPort, type FleetReading, fleetPort, readFleet } from '../../fleet/read.ts';
import { daysInMonth } from '../../kernel/date-time.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Channel } from '../../upstream/channels.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { formAccepted, namedForm, onlyKnown, type Parameters, type TableForm, unreadable } from '../edge/query.ts';
import { CSV, fileHeaders, streamOf } from '../views/downloads.ts';
import {
  ageHeaders,
  channelMissing,
  fleetTable,
  notShown,
  troubleMessage,
  UNKNOWN_LOCATION,
  UNKNOWN_VEHICLE,
} from './fleet-answer.ts';

/*
 * Parameters of an address → the query for vehicles, service history or locations of one channel. Nothing is guessed.
 */

type Of = Pick<Channel, 'customerNumber'>;
/** @returns the query, or what is wrong with the address. */
type ReadFleetQuery = (parameters: Parameters, of: Of) => Result<FleetQuestion, ProblemMessages>;

/** seed 4.2 */
const VEHICLE_FILTERS = ['vin', 'licensePlate', 'customerNumber'] as const;
const HISTORY_FILTERS = ['vehicleNumber', 'from', 'to'] as const;

/** A channel of one customer requests that customer's vehicles, whatever else is requested. */
export const vehiclesQuery: ReadFleetQuery = (parameters, { customerNumber }) => {
  const filters = readFilters(parameters, VEHICLE_FILTERS);
  if (!filters.ok) return filters;
  const { customerNumber: asked = customerNumber } = filters.value;
  if (customerNumber !== undefined && asked !== customerNumber) return err(customerNotAllowed(customerNumber));
  return ok({
    of: 'vehicles',
    filters: { ...filters.value, ...(asked === undefined ? {} : { customerNumber: asked }) },
  });
};

/**
 * A record need not say whose service it is: on a channel of one customer the vehicle must be named, so that it can be
 * checked.
 */
export const serviceHistoryQuery: ReadFleetQuery = (parameters, { customerNumber }) => {
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

export const locationsQuery: ReadFleetQuery = (parameters) => {
  const filters = readFilters(parameters, NOT_SHOWN.locationFilterParameters);
  return filters.ok ? ok({ of: 'locations', filters: filters.value }) : filters;
};

/** @returns null: no vehicle can have such a number, so nothing is requested. */
export const vehicleQuery = (vehicleNumber: string): FleetQuestion | null =>
  isAddressable(vehicleNumber) ? { of: 'vehicle', vehicleNumber } : null;
export const locationQuery = (locationNumber: string): FleetQuestion | null =>
  isAddressable(locationNumber) ? { of: 'location', locationNumber } : null;

/** For an address that names one item, and has no parameters. */
export const oneQuery =
  (asked: FleetQuestion | null, unknown: ProblemMessages): ReadFleetQuery =>
  (parameters) => {
    const known = onlyKnown(parameters, []);
    if (!known.ok) return known;
    return asked === null ? err(unknown) : ok(asked);
  };

/** An empty filter would be no filter: it would answer with the whole list, which looks like success. */
function readFilters<Name extends string>(
  parameters: Parameters,
  names: readonly Name[],
): Result<Partial<Record<Name, string>>, ProblemMessages> {
  const known = onlyKnown(parameters, names);
  if (!known.ok) return known;
  const filters: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = parameters[name]?.trim();
    if (text === undefined) continue;
    if (text === '') return err(unreadable(name, text, 'a value, or leave it out'));
    if (text.length > LOOKUP_KEY_CHARACTERS_MAX) {
      return err(unreadable(name, text, `a value of at most ${LOOKUP_KEY_CHARACTERS_MAX} characters`));
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

const customerNotAllowed = (customerNumber: string): ProblemMessages => ({
  status: 403,
  code: 'customer_not_allowed',
  title: 'Customer not allowed',
  detail: `The channel of your key reads the vehicles of customer ${customerNumber} alone.`,
  fix: `Leave customerNumber out, or write customerNumber=${customerNumber}.`,
});

const VEHICLE_WANTED: ProblemMessages = {
  status: 422,
  code: 'vehicle_wanted',
  title: 'Vehicle wanted',
  detail:
    'The channel of your key reads the vehicles of one customer alone, so service history is asked for by vehicle.',
  fix: 'Add vehicleNumber= and the number of a vehicle; GET /v1/vehicles lists yours.',
};

/** The name the gates know this caller by. */
const SUBJECT = 'reads';

export function fleetRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const asPartner = signIn(ports.directory);
  const list = (path: string, read: ReadFleetQuery): void => {
    routes.get(path, asPartner, (context) => answer(context, ports, read, formAccepted(accept(context)) ?? 'json'));
    // For systems that cannot send a header.
    routes.get(`${path}.csv`, asPartner, (context) => answer(context, ports, read, 'csv'));
  };
  list('/vehicles', vehiclesQuery);
  list('/service-history', serviceHistoryQuery);
  list('/locations', locationsQuery);
  routes.get('/vehicles/:vehicleNumber', asPartner, (context) => {
    const { name, form } = namedForm(context.req.param('vehicleNumber'), accept(context));
    return answer(context, ports, oneQuery(vehicleQuery(name), UNKNOWN_VEHICLE), form);
  });
  routes.get('/locations/:locationNumber', asPartner, (context) => {
    const { name, form } = namedForm(context.req.param('locationNumber'), accept(context));
    return answer(context, ports, oneQuery(locationQuery(name), UNKNOWN_LOCATION), form);
  });
  return routes;
}

const accept = (context: Context): string | null => context.req.header('Accept') ?? null;

async function answer(
  context: Context<HttpBindings>,
  ports: AppPorts,
  read: ReadFleetQuery,
  form: TableForm,
): Promise<Response> {
  const channel = channelOf(context, ports);
  if (!channel.ok) return problem(context, channel.error);
  const asked = read(context.req.query(), channel.value);
  if (!asked.ok) return problem(context, asked.error);
  const port = fleetPort(context.env, {
    channel: channel.value,
    clock: ports.settings(context.env).clock,
    partner: context.get('principal').partner,
    subject: SUBJECT,
    waitUntil: (work) => context.executionCtx.waitUntil(work),
  });
  const vehicle = await vehicleOfHistory(port, asked.value, channel.value);
  if (vehicle !== null && !vehicle.ok) return refused(context, vehicle.error);
  const reading = await shownOf(port, asked.value, channel.value);
  if (!reading.ok) return refused(context, reading.error);
  const { items } = reading.value;
  for (const [name, value] of Object.entries(ageHeaders(reading.value))) context.header(name, value);
  return form === 'csv' ? csv(context, asked.value, items) : context.json(jsonOf(asked.value, items));
}

/** `fleet`: what a channel shows to its partners. */
function channelOf(context: Context<HttpBindings>, ports: AppPorts): Result<Channel, ProblemMessages> {
  const { channel: name, environment } = context.get('principal');
  const channel = ports.settings(context.env).channels.get(name);
  if (channel === undefined || channel.environment !== environment) return err(channelMissing(name));
  return channel.fleet === 'shown' ? ok(channel) : err(notShown(name));
}

/** A channel of one customer shows only that customer's vehicles. @returns null where no check is needed. */
async function vehicleOfHistory(port: FleetPort, asked: FleetQuestion, channel: Channel) {
  if (asked.of !== 'serviceHistory' || channel.customerNumber === undefined) return null;
  const vehicle = vehicleQuery(asked.filters.vehicleNumber ?? '');
  return vehicle === null ? err(UNKNOWN_VEHICLE) : shownOf(port, vehicle, channel);
}

type Shown = FleetReading & { items: readonly FleetItem[] };

/** Whatever the upstream's own filters let through, another customer's vehicle is left out. */
async function shownOf(
  port: FleetPort,
  asked: FleetQuestion,
  { customerNumber }: Channel,
): Promise<Result<Shown, ProblemMessages | FleetTrouble>> {
  const reading = await readFleet(port, asked, 'show');
  if (!reading.ok) return reading;
  const isVehicle = asked.of === 'vehicle' || asked.of === 'vehicles';
  const items = (reading.value.items ?? []).filter(
    (item) => !isVehicle || isOfCustomer(item, { of: 'vehicle' }, customerNumber),
  );
  if (items.length === 0 && asked.of === 'vehicle') return err(UNKNOWN_VEHICLE);
  if (items.length === 0 && asked.of === 'location') return err(UNKNOWN_LOCATION);
  return ok({ ...reading.value, items });
}

function refused(context: Context<HttpBindings>, why: ProblemMessages | FleetTrouble): Response {
  if (!('api' in why)) return problem(context, why);
  const { api, status, retryAfterMs } = why;
  const wait = retryAfterMs === null ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) };
  return problem(context, { ...troubleMessage(why), ...wait }, { api, upstreamStatus: status });
}

/** A list under its key, a single item as it is. */
function jsonOf(asked: FleetQuestion, items: readonly FleetItem[]): FleetItem {
  if (asked.of === 'vehicle' || asked.of === 'location') return items[0] ?? {};
  return { [NOT_SHOWN.listKeys[asked.of]]: items };
}

function csv(context: Context<HttpBindings>, { of }: FleetQuestion, items: readonly FleetItem[]): Response {
  const table = fleetTable(items, of.startsWith('location') ? NOT_SHOWN.locationCode : 'vehicleNumber');
  if (table.columnsLeftOut > 0) context.header('X-Columns-Left-Out', String(table.columnsLeftOut));
  return context.body(streamOf(table.lines()), 200, fileHeaders(CSV, `${FILE_NAMES[of]}.csv`));
}

const FILE_NAMES: Readonly<Record<FleetQuestion['of'], string>> = {
  vehicles: 'vehicles',
  vehicle: 'vehicle',
  serviceHistory: 'service-history',
  locations: 'locations',
  location: 'location',
};
