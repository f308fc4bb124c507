/** `/v1/vehicles`, `/v1/service-history`, `/v1/locations`: the receiving system's data, with the age of its answer. */
import { text } from './parameters.ts';
import { CSV_TYPE, file, jsonOr, open, type Routes } from './route.ts';

const VEHICLES = {
  vin: text('The vehicle identification number.'),
  licensePlate: text('The licence plate.'),
  customerNumber: text('The number of a customer, where the channel reads several.'),
} as const;

const HISTORY = {
  vehicleNumber: text('The number of a vehicle.'),
  from: text('The first day, such as `2026-03-02`.'),
  to: text('The last day; it is included.'),
} as const;

const LOCATIONS = {
  city: text('The city.'),
  state: text('The state.'),
  postalCode: text('The postal code.'),
  service: text('A service that is offered there.'),
} as const;

const FRESHNESS = {
  Age: 'How old the answer is, in seconds.',
  'Cache-Status': 'Whether it was asked for just now.',
  'X-Columns-Left-Out': 'Of CSV: how many members of single items have no column.',
} as const;

const of = <Query>(does: string, query: Query) =>
  ({
    who: 'partner',
    does,
    query,
    answers: {
      200: {
        ...jsonOr('As the receiving system answers.', open('Its members are those of the receiving system.'), [
          CSV_TYPE,
        ]),
        headers: FRESHNESS,
      },
    },
    refuses: [400, 403, 404, 422, 502],
  }) as const;

const asCsv = <Query>(query: Query) =>
  ({
    who: 'partner',
    does: 'the same as CSV',
    query,
    answers: { 200: { ...file('A line for each.', CSV_TYPE), headers: FRESHNESS } },
    refuses: [400, 403, 404, 422, 502],
  }) as const;

export const FLEET_ROUTES = {
  'GET /v1/vehicles': of('vehicles', VEHICLES),
  'GET /v1/vehicles.csv': asCsv(VEHICLES),
  'GET /v1/vehicles/{vehicleNumber}': of('one vehicle in full', {}),
  'GET /v1/service-history': of('services of vehicles', HISTORY),
  'GET /v1/service-history.csv': asCsv(HISTORY),
  'GET /v1/locations': of('locations', LOCATIONS),
  'GET /v1/locations.csv': asCsv(LOCATIONS),
  'GET /v1/locations/{locationNumber}': of('one location in full', {}),
} as const satisfies Routes;
