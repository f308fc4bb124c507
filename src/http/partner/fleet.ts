/** `/v1/vehicles`, `/v1/service-history`, `/v1/locations`: what the receiving system says of them, with the age of its answer. */
import { type Context, Hono } from 'hono';
import type { FleetItem, FleetTrouble } from '../../fleet/judge.ts';
import { isOfCustomer } from '../../fleet/look-ups.ts';
import { fleetPort } from '../../fleet/port.ts';
import type { FleetQuestion } from '../../fleet/question.ts';
import { type FleetPort, type FleetReading, readFleet } from '../../fleet/read.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Channel } from '../../upstream/channels.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { formAccepted, namedForm, type TableForm } from '../edge/prefer.ts';
import { type ProblemWords, problem } from '../edge/problem.ts';
import { signIn } from '../edge/sign-in.ts';
import { streamOf } from '../views/reports.ts';
import { fleetTable } from './fleet-csv.ts';
import {
  locationAsked,
  locationsAsked,
  oneAsked,
  type ReadFleetQuery,
  serviceHistoryAsked,
  vehicleAsked,
  vehiclesAsked,
} from './fleet-query.ts';
import {
  ageHeaders,
  channelMissing,
  notShown,
  troubleWords,
  UNKNOWN_LOCATION,
  UNKNOWN_VEHICLE,
} from './fleet-words.ts';

/** As whom the gates know it. */
const SUBJECT = 'reads';

export function fleetRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const asPartner = signIn(ports.directory);
  const list = (path: string, read: ReadFleetQuery): void => {
    routes.get(path, asPartner, (context) => answer(context, ports, read, formAccepted(accept(context)) ?? 'json'));
    // For systems that cannot send a header.
    routes.get(`${path}.csv`, asPartner, (context) => answer(context, ports, read, 'csv'));
  };
  list('/vehicles', vehiclesAsked);
  list('/service-history', serviceHistoryAsked);
  list('/locations', locationsAsked);
  routes.get('/vehicles/:vehicleNumber', asPartner, (context) => {
    const { name, form } = namedForm(context.req.param('vehicleNumber'), accept(context));
    return answer(context, ports, oneAsked(vehicleAsked(name), UNKNOWN_VEHICLE), form);
  });
  routes.get('/locations/:locationNumber', asPartner, (context) => {
    const { name, form } = namedForm(context.req.param('locationNumber'), accept(context));
    return answer(context, ports, oneAsked(locationAsked(name), UNKNOWN_LOCATION), form);
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
function channelOf(context: Context<HttpBindings>, ports: AppPorts): Result<Channel, ProblemWords> {
  const { channel: name, environment } = context.get('principal');
  const channel = ports.settings(context.env).channels.get(name);
  if (channel === undefined || channel.environment !== environment) return err(channelMissing(name));
  return channel.fleet === 'shown' ? ok(channel) : err(notShown(name));
}

/** On a channel of one customer it is shown of that customer's vehicles alone. @returns null where nobody needs to look. */
async function vehicleOfHistory(port: FleetPort, asked: FleetQuestion, channel: Channel) {
  if (asked.of !== 'serviceHistory' || channel.customerNumber === undefined) return null;
  const vehicle = vehicleAsked(asked.filters.vehicleNumber ?? '');
  return vehicle === null ? err(UNKNOWN_VEHICLE) : shownOf(port, vehicle, channel);
}

type Shown = FleetReading & { items: readonly FleetItem[] };

/** Whatever the upstream's own filters let through, a vehicle of another customer's is not there. */
async function shownOf(
  port: FleetPort,
  asked: FleetQuestion,
  { customerNumber }: Channel,
): Promise<Result<Shown, ProblemWords | FleetTrouble>> {
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

function refused(context: Context<HttpBindings>, why: ProblemWords | FleetTrouble): Response {
  if (!('api' in why)) return problem(context, why);
  const { api, status, retryAfterMs } = why;
  if (retryAfterMs !== null) context.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
  return problem(context, troubleWords(why), { api, upstreamStatus: status });
}

/** A list under its key, one thing as it is. */
function jsonOf(asked: FleetQuestion, items: readonly FleetItem[]): FleetItem {
  if (asked.of === 'vehicle' || asked.of === 'location') return items[0] ?? {};
  return { [NOT_SHOWN.listKeys[asked.of]]: items };
}

function csv(context: Context<HttpBindings>, { of }: FleetQuestion, items: readonly FleetItem[]): Response {
  const table = fleetTable(items, of.startsWith('location') ? NOT_SHOWN.locationCode : 'vehicleNumber');
  if (table.columnsLeftOut > 0) context.header('X-Columns-Left-Out', String(table.columnsLeftOut));
  return context.body(streamOf(table.lines()), 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${FILE_NAMES[of]}.csv"`,
  });
}

const FILE_NAMES: Readonly<Record<FleetQuestion['of'], string>> = {
  vehicles: 'vehicles',
  vehicle: 'vehicle',
  serviceHistory: 'service-history',
  locations: 'locations',
  location: 'location',
};
