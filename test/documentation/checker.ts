/**
 * Holds a request against the documentation of the receiving system, section by section, and says every difference.
 *
 * Written from the documentation alone: it imports nothing of this project, so that no mistake of ours can hide in both. What the
 * documentation calls "not shown" is no difference, whatever stands there. Secrets may be masked, as the journal masks them.
 */

export interface SentRequest {
  method: string;
  /** Behind {base_url} or {test_base_url} (1.6). */
  path: string;
  /** As sent, without the question mark. */
  query: string;
  /** By names in small letters. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Empty where there is none. */
  body: string;
}

/** `section: what is wrong`. */
export type Difference = string;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = { [name: string]: Json };

interface Documented {
  section: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: RegExp;
  check(request: SentRequest, path: RegExpExecArray): Difference[];
}

const SEGMENT = '[^/?#]+';
const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const FMS = `/fms/${SEGMENT}/${SEGMENT}`;
const fleet = (path: string, filters?: readonly string[]): Documented => ({
  section: '4.2',
  method: 'GET',
  path: new RegExp(`^${FMS}${path}$`),
  check: (request) => [...key(request, '4.2'), ...noBody(request, '4.2'), ...parameters(request, '4.2', filters)],
});
const order = (method: Documented['method'], path: string, check: Documented['check']): Documented => ({
  section: '4.4',
  method,
  path: new RegExp(`^${path}$`),
  check: (request, found) => [...orderHeaders(request), ...check(request, found)],
});

const ORDER_REQUESTS = '/rcsc/order-requests/v1/';
const ORDER_STATUS = '/rcsc/order-status/v1';
const ENDPOINTS: readonly Documented[] = [
  { section: '4.1 row 1', method: 'POST', path: /^\/identityservices\/oauth2\/default\/v1\/token$/, check: oauthToken },
  { section: '4.1 row 2', method: 'POST', path: /^\/token$/, check: plainToken },
  fleet('/vehicles', ['vin', 'licensePlate', 'customerNumber']),
  fleet(`/vehicles/${SEGMENT}`, []),
  fleet('/serviceHistory'), // the names of the date range: not shown
  fleet('/locations'), // the names of the filters: not shown
  fleet(`/locations/${SEGMENT}`, []),
  {
    section: '4.3',
    method: 'POST',
    path: /^\/rcsc\/events\/v1\/loads\/milestone-requests$/,
    check: (request) => [
      ...eventHeaders(request),
      ...jsonBody(request, '2.2', milestone),
      ...parameters(request, '4.3', []),
    ],
  },
  {
    section: '4.3',
    method: 'POST',
    path: /^\/rcsc\/events\/v1\/loads\/trace-requests$/,
    check: (request) => [
      ...eventHeaders(request),
      ...jsonBody(request, '2.4', trace),
      ...parameters(request, '4.3', []),
    ],
  },
  {
    section: '4.3',
    method: 'POST',
    path: /^\/v1\/load-milestone-events$/,
    check: (request) => [
      ...bearer(request),
      ...jsonBody(request, '4.3', loadMilestoneEvent),
      ...parameters(request, '4.3', []),
    ],
  },
  order('POST', ORDER_REQUESTS, (request) => [
    ...jsonBody(request, '4.4', () => []),
    ...parameters(request, '4.4', []),
  ]),
  order('PUT', `${ORDER_REQUESTS}(${UUID})`, (request, [, id = '']) => [
    ...jsonBody(request, '4.4', (body) =>
      holds(body, id) ? [] : ['4.4: the order ID of the path is not in the body'],
    ),
    ...parameters(request, '4.4', []),
  ]),
  order('DELETE', `${ORDER_REQUESTS}${UUID}`, (request) => [
    ...noBody(request, '4.4'),
    ...parameters(request, '4.4', []),
  ]),
  order('GET', `${ORDER_REQUESTS}${UUID}/statuses`, (request) => [
    ...noBody(request, '4.4'),
    ...parameters(request, '4.4', []),
  ]),
  order('GET', `${ORDER_STATUS}/orders`, (request) => [
    ...noBody(request, '4.4'),
    ...oneOfQueries(request, [['clientId', 'partnerId'], ['orderRef']]),
  ]),
  order('GET', `${ORDER_STATUS}/tracks`, (request) => [
    ...noBody(request, '4.4'),
    ...oneOfQueries(request, [['orderRef']]),
  ]),
];

/** @returns none where the request is as the documentation says. */
export function differences(request: SentRequest): Difference[] {
  const atPath = ENDPOINTS.filter(({ path }) => path.test(request.path));
  const endpoint = atPath.find(({ method }) => method === request.method);
  if (endpoint !== undefined) return endpoint.check(request, endpoint.path.exec(request.path) as RegExpExecArray);
  if (atPath.length === 0) return [`4: no such path: ${request.path}`];
  return [`4: ${request.path} is asked with ${atPath.map(({ method }) => method).join(' or ')}, not ${request.method}`];
}

/** Of the endpoints, which a run has met: `section method path`. */
export function endpointOf({ method, path }: SentRequest): string | undefined {
  const found = ENDPOINTS.find((one) => one.method === method && one.path.test(path));
  return found && `${found.section} ${found.method} ${found.path.source}`;
}
export const ENDPOINT_COUNT = ENDPOINTS.length;

// Headers

const wrongHeader = (section: string, name: string, value: string | undefined): Difference =>
  `${section}: header ${name} is ${value === undefined ? 'missing' : `"${value}"`}`;

function header({ headers }: SentRequest, section: string, name: string, form: RegExp): Difference[] {
  const value = headers[name.toLowerCase()];
  return value !== undefined && form.test(value) ? [] : [wrongHeader(section, name, value)];
}

const JSON_TYPE = /^application\/json\s*(;.*)?$/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;.*)?$/i;
/** "The carrier's SCAC identifier": two to four letters. */
const SCAC = /^[A-Z]{2,4}$/;

const key = (request: SentRequest, section: string): Difference[] =>
  header(request, section, 'Ocp-Apim-Subscription-Key', /^\S+$/);
const accept = (request: SentRequest, section: string): Difference[] => header(request, section, 'Accept', JSON_TYPE);

const eventHeaders = (request: SentRequest): Difference[] => [
  ...key(request, '4.3'),
  ...header(request, '4.3', 'carrierSCAC', SCAC),
  ...accept(request, '4.3'),
];

/** "Plus the carrier SCAC identifier"; the name of that header is not shown. */
function orderHeaders(request: SentRequest): Difference[] {
  const hasScac = Object.values(request.headers).some((value) => value !== undefined && SCAC.test(value));
  return [...key(request, '4.4'), ...accept(request, '4.4'), ...(hasScac ? [] : ['4.4: no header carries a SCAC'])];
}

/** 4.3 shows the bearer token, 5.2 the key beside it. */
const bearer = (request: SentRequest): Difference[] => [
  ...header(request, '5.2', 'Authorization', /^Bearer \S+$/),
  ...key(request, '5.2'),
];

function oauthToken(request: SentRequest): Difference[] {
  return [
    ...header(request, '4.1', 'Content-Type', FORM_TYPE),
    ...accept(request, '4.1'),
    ...key(request, '4.1'),
    ...header(request, '4.1', 'Authorization', /^Basic \S+$/),
    ...basicPair(request),
    ...form(request, { grant_type: /^client_credentials$/, scope: /^APIM$/ }),
    ...parameters(request, '4.1', []),
  ];
}

/** Base64 of api_key:client_secret, unless it is masked. */
function basicPair({ headers }: SentRequest): Difference[] {
  const credentials = /^Basic (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  if (credentials === '' || credentials.startsWith('sha256:')) return [];
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  return /^[^:]+:.+$/s.test(text) ? [] : ['4.1: Authorization is not the Base64 of api_key:client_secret'];
}

function plainToken(request: SentRequest): Difference[] {
  return [
    ...header(request, '4.1', 'Content-Type', FORM_TYPE),
    ...form(request, { grant_type: /^client_credentials$/, client_id: /./, client_secret: /./ }),
    ...parameters(request, '4.1', []),
  ];
}

function form({ body }: SentRequest, wanted: Readonly<Record<string, RegExp>>): Difference[] {
  const fields = [...new URLSearchParams(body)];
  const names = fields.map(([name]) => name).sort();
  const wantedNames = Object.keys(wanted).sort();
  if (names.join() !== wantedNames.join()) return [`4.1: the form has ${names.join()}, not ${wantedNames.join()}`];
  return fields.filter(([name, value]) => !wanted[name]?.test(value)).map(([name]) => `4.1: ${name} is another`);
}

// Queries and bodies

/** @param allowed none given: their names are not shown. */
function parameters({ query }: SentRequest, section: string, allowed?: readonly string[]): Difference[] {
  const names = [...new URLSearchParams(query).keys()];
  const unknown = allowed === undefined ? [] : names.filter((name) => !allowed.includes(name));
  return unknown.map((name) => `${section}: no parameter "${name}"`);
}

function oneOfQueries({ query }: SentRequest, allowed: readonly (readonly string[])[]): Difference[] {
  const given = [...new URLSearchParams(query)];
  const names = given.map(([name]) => name).sort();
  const isAllowed = allowed.some((one) => one.join() === names.join());
  return [
    ...(isAllowed ? [] : [`4.4: the query has ${names.join() || 'nothing'}`]),
    ...given.filter(([, value]) => value === '').map(([name]) => `4.4: ${name} is empty`),
  ];
}

const noBody = ({ body }: SentRequest, section: string): Difference[] =>
  body === '' ? [] : [`${section}: has a body`];

/** A JSON object, whatever else is wanted of it. */
function jsonBody(request: SentRequest, section: string, check: (body: Members) => Difference[]): Difference[] {
  const { 'content-type': type } = request.headers;
  const wrongType = type !== undefined && JSON_TYPE.test(type) ? [] : [wrongHeader(section, 'Content-Type', type)];
  let body: Json;
  try {
    body = JSON.parse(request.body);
  } catch {
    return [...wrongType, `${section}: the body is not JSON`];
  }
  return [...wrongType, ...(isMembers(body) ? check(body) : [`${section}: the body is no object`])];
}

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an id stands anywhere in it: the name of the member is not shown. */
function holds(value: Json, id: string): boolean {
  if (typeof value === 'string') return value.toLowerCase() === id.toLowerCase();
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => holds(member, id));
}

type Check = (value: Json, path: string) => Difference[];

/** Members that are not named are differences; which are required is not shown, unless `all` are. */
function members(section: string, named: Readonly<Record<string, Check>>, all = false): Check {
  return (value, path) => {
    if (!isMembers(value)) return [`${section}: ${path || 'the body'} is no object`];
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(named, name));
    const missing = all ? Object.keys(named).filter((name) => !Object.hasOwn(value, name)) : [];
    return [
      ...unknown.map((name) => `${section}: ${path}${name} is not named`),
      ...missing.map((name) => `${section}: ${path}${name} is missing`),
      ...Object.entries(value).flatMap(([name, one]) => named[name]?.(one, `${path}${name}`) ?? []),
    ];
  };
}

const nested =
  (check: Check): Check =>
  (value, path) =>
    check(value, `${path}.`);
const listOf =
  (section: string, check: Check, least = 0): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return [`${section}: ${path} is no array`];
    if (value.length < least) return [`${section}: ${path} is empty`];
    return value.flatMap((one, index) => check(one, `${path}[${index}].`));
  };
const fits =
  (section: string, wanted: string, test: (value: Json) => boolean): Check =>
  (value, path) =>
    test(value) ? [] : [`${section}: ${path} is no ${wanted}: ${JSON.stringify(value)}`];

const text = (section: string): Check => fits(section, 'string', (value) => typeof value === 'string');
const integer = (section: string): Check => fits(section, 'integer', (value) => Number.isSafeInteger(value));
const number = (section: string): Check =>
  fits(section, 'number', (value) => typeof value === 'number' && Number.isFinite(value));
const within = (section: string, size: number): Check =>
  fits(section, `number from -${size} to ${size}`, (value) => typeof value === 'number' && Math.abs(value) <= size);

// 2.3

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{7}([+-])(\d\d):(\d\d)$/;

function isDateTime(value: Json): boolean {
  const found = typeof value === 'string' ? DATE_TIME.exec(value) : null;
  if (found === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && hour < 24 && minute < 60 && second < 60 && Number(found[8]) < 24 && Number(found[9]) < 60;
}

const dateTime: Check = fits('2.3', 'date-time with seven fractional digits and an offset', isDateTime);
/** An abbreviation is letters: CST, not UTC-6 nor a region. */
const abbreviation: Check = fits(
  '2.3',
  'time-zone abbreviation',
  (value) => typeof value === 'string' && /^[A-Za-z]{2,6}$/.test(value),
);
const offset: Check = fits(
  '2.3',
  'offset of the form UTC<sign><hours>',
  (value) => typeof value === 'string' && /^UTC[+-]\d{1,2}$/.test(value),
);
const timeMembers = members('2.3', { dateTime, timeZoneCode: abbreviation, timeZoneOffset: offset }, true);

const time: Check = (value, path) => {
  const wrong = nested(timeMembers)(value, path);
  if (wrong.length > 0 || !isMembers(value)) return wrong;
  const [, sign = '', hours = '', minutes = ''] = /([+-])(\d\d):(\d\d)$/.exec(String(value.dateTime)) ?? [];
  const stated = String(value.timeZoneOffset).slice('UTC'.length);
  const isSame = minutes === '00' && Number(`${sign}${hours}`) === Number(stated);
  return isSame ? [] : [`2.3: ${path}.timeZoneOffset is ${stated}, but dateTime says ${sign}${hours}:${minutes}`];
};

// 2.2, 2.4, 4.3

const references = (section: string): Check =>
  listOf(section, members(section, { name: text(section), value: text(section) }, true));

const milestone = (body: Members): Difference[] =>
  members('2.2', {
    eventCode: text('2.2'),
    reasonCode: text('2.2'),
    loadNumber: text('2.2'),
    eventCity: text('2.2'),
    eventState: text('2.2'),
    time,
    stopsequenceNumber: integer('2.2'),
    references: references('2.2'),
  })(body, '');

const point: Check = members('2.4', {
  time,
  stopsequenceNumber: integer('2.4'),
  resourceId: fits(
    '2.4',
    'vehicle identification number form',
    (value) => typeof value === 'string' && /^[A-HJ-NPR-Z0-9]{17}$/.test(value),
  ),
  resourceType: text('2.4'),
  odometer: integer('2.4'),
  temperature: nested(
    members(
      '2.4',
      {
        unitOfMeasure: fits(
          '2.4',
          'temperature scale letter',
          (value) => typeof value === 'string' && /^[A-Za-z]$/.test(value),
        ),
        value: number('2.4'),
        dateTime,
      },
      true,
    ),
  ),
  coordinate: nested(members('2.4', { latitude: within('2.4', 90), longitude: within('2.4', 180) }, true)),
  references: references('2.4'),
});

const trace = (body: Members): Difference[] =>
  members('2.4', {
    loadNumber: text('2.4'),
    eventCity: text('2.4'),
    eventState: text('2.4'),
    traces: listOf('2.4', point, 1),
  })(body, '');

const isIsoTime = (value: Json): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));

const loadMilestoneEvent = (body: Members): Difference[] =>
  members(
    '4.3',
    {
      load_id: text('4.3'),
      milestone_type: text('4.3'),
      event_time: fits('4.3', 'ISO 8601 time', isIsoTime),
    },
    true,
  )(body, '');
