/**
 * Who may do what on each route of the API, declared and not recorded: the contract says whose route it is, and the rule of
 * a partner's route what of the partner's things its keys reach. `who-may-do-what.test.ts` holds every route against it.
 */
import { ROUTES } from '../../src/http/contract/contract.ts';
import { OPS_ROLES, type OpsRole } from '../../src/ops/directory/directory.ts';

/** @property mappings null: all. */
export interface HeldKey {
  owner: 'A' | 'B';
  environment: 'test' | 'production';
  scacs: readonly string[];
  mappings: readonly string[] | null;
}

/**
 * `stranger`: a key that is wrong, has ended or is of the other kind. By a session of the pages whoever it is is known, and
 * told so.
 */
export type Caller =
  | { is: 'nobody' }
  | { is: 'stranger' }
  | { is: 'partner'; key: HeldKey; by: 'key' | 'session' | 'link' }
  | { is: 'operator'; role: OpsRole; environment: 'test' | 'production' | 'both'; by: 'key' | 'session' };

/** Let in, or refused with this status and code. */
export type Expected = 'in' | `${number} ${string}`;

/** @returns what such a key of A, or of another partner, meets where the thing belongs to A. */
type Rule = (key: HeldKey, isOfOwner: boolean) => Expected;

/** What the things of A that the world has were sent under. */
const SENT = { mapping: 'carrier-status-csv', scac: 'DEMO', scacs: ['DEMO', 'ACME'] };
/** Of what is acknowledged. */
export const EDI_MAPPING = 'x12-214';
/** Mappings in the world of the test that make orders; all others make events of loads. */
const MAKES_ORDERS: ReadonlySet<string> = new Set(['orders-csv']);

const isFor = ({ mappings }: HeldKey, name: string): boolean => mappings === null || mappings.includes(name);
const couldHaveSent = (key: HeldKey, name: string): boolean =>
  isFor(key, name) && SENT.scacs.every((scac) => key.scacs.includes(scac));

/** One's own list, or something new of one's own. */
const own: Rule = () => 'in';
const ownThing =
  (code: string): Rule =>
  (_, isOfOwner) =>
    isOfOwner ? 'in' : `404 ${code}`;
const sentThing =
  (code: string, name = SENT.mapping): Rule =>
  (key, isOfOwner) =>
    isOfOwner && couldHaveSent(key, name) ? 'in' : `404 ${code}`;
const makes =
  (what: 'orders' | 'loads', then: Rule): Rule =>
  (key, isOfOwner) =>
    key.mappings === null || key.mappings.some((name) => MAKES_ORDERS.has(name) === (what === 'orders'))
      ? then(key, isOfOwner)
      : '403 key_limited';
const load: Rule = (key, isOfOwner) => (isOfOwner && key.scacs.includes(SENT.scac) ? 'in' : '404 load_unknown_here');
const mapping: Rule = (key, isOfOwner) =>
  !isOfOwner ? '404 unknown_mapping' : key.mappings === null ? 'in' : '403 mapping_not_allowed';
const upload: Rule = (key) => (isFor(key, SENT.mapping) ? 'in' : '403 mapping_not_allowed');
/** A key that may do all of what the other may. */
const otherKey: Rule = (key, isOfOwner) =>
  !isOfOwner
    ? '404 key_unknown'
    : key.mappings === null && SENT.scacs.every((scac) => key.scacs.includes(scac))
      ? 'in'
      : '403 key_beyond_yours';

/** The first that fits counts. */
const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^\w+ \/v1\/batches$/, own],
  [/^GET \/v1\/batches\/\{id\}\/acknowledgment$/, sentThing('batch_unknown', EDI_MAPPING)],
  [/^GET \/v1\/batches\/\{id\}/, sentThing('batch_unknown')],
  [/^POST \/v1\/batches\/\{id\}\//, sentThing('batch_unknown')],
  [/^(?:POST|PUT) \/v1\/batches\/\{fileName\}$/, upload],
  [/^GET \/v1\/rows$/, own],
  [/^POST \/v1\/messages$/, upload],
  [/^GET \/v1\/messages\/\{id\}\/\{message\}/, sentThing('message_unknown')],
  [/^GET \/v1\/loads\/\{loadNumber\}$/, makes('loads', load)],
  [/^GET \/v1\/orders$/, makes('orders', own)],
  [/^GET \/v1\/orders\/\{ref\}/, makes('orders', ownThing('order_unknown'))],
  [/^GET \/v1\/order-events/, makes('orders', ownThing('no_feed'))],
  [/^(?:GET|POST) \/v1\/mappings\/\{name\}/, mapping],
  [/^\w+ \/v1\/mappings(?:\/(?:match|preview|suggest|example|compare))?$/, own],
  [/^\w+ \/v1\/mapping-proposals$/, own],
  [/^\w+ \/v1\/mapping-proposals\/\{id\}/, ownThing('proposal_unknown')],
  [/^GET \/v1\/(?:vehicles|locations|service-history)/, own],
  [/^GET \/v1\/interchanges$/, own],
  [/^\w+ \/v1\/webhooks$/, own],
  [/^\w+ \/v1\/webhooks\/\{target\}/, ownThing('webhook_unknown')],
  [/^(?:GET|POST) \/v1\/keys$/, own],
  [/^POST \/v1\/keys\/\{keyId\}/, otherKey],
];

/** Uploads whose parameters say the mapping. */
const UPLOADS: ReadonlySet<string> = new Set(['POST /v1/batches', 'PUT /v1/batches']);

/** What an upload link is for; the others are closed to whoever came by one. */
const OPEN_TO_LINK: readonly RegExp[] = [
  /^GET \/v1\/mappings$/,
  /^GET \/v1\/mappings\/\{name\}\/sample$/,
  /^POST \/v1\/mappings\/(?:match|\{name\}\/preview)$/,
  /^\w+ \/v1\/batches$/,
  /^(?:POST|PUT) \/v1\/batches\/\{fileName\}$/,
  /^GET \/v1\/batches\/\{id\}(?!\/messages)/,
  /^POST \/v1\/batches\/\{id\}\/corrections$/,
];

/** Of people there is one list for all environments; who may act in fewer of them than somebody cannot change them. */
const PEOPLE = /\/v1\/ops\/people/;

/** A is in both environments, and what is changed of it counts in both. */
const OF_BOTH: ReadonlySet<string> = new Set(['PATCH /v1/ops/partners/{name}']);

/** @returns undefined where nobody has said so: a new route needs a rule. */
export function expected(route: string, caller: Caller): Expected | undefined {
  const who = ROUTES[route]?.who;
  if (who === undefined) return undefined;
  if (who === 'anybody') return 'in';
  if (caller.is === 'nobody' || caller.is === 'stranger') return '401 unauthorized';
  const isForOperators = OPS_ROLES.some((role) => role === who);
  if (isForOperators !== (caller.is === 'operator'))
    return caller.by === 'key' ? '401 unauthorized' : '403 not_for_you';
  if (caller.is === 'operator') return forOperator(route, who as OpsRole, caller);
  if (caller.by === 'link' && !OPEN_TO_LINK.some((open) => open.test(route))) return '403 not_for_link';
  // A link is for its own files: it sees none that a key has sent.
  if (caller.by === 'link' && route.includes('/batches/{id}')) return '404 batch_unknown';
  const rule = UPLOADS.has(route) ? upload : RULES.find(([form]) => form.test(route))?.[1];
  return rule?.(caller.key, caller.key.owner === 'A' && caller.key.environment === 'test');
}

function forOperator(route: string, least: OpsRole, { role, environment }: Caller & { is: 'operator' }): Expected {
  if (OPS_ROLES.indexOf(role) < OPS_ROLES.indexOf(least)) return '403 role_insufficient';
  if (environment === 'test' && OF_BOTH.has(route)) return '403 partner_beyond';
  if (environment !== 'production' || route === 'GET /v1/ops/people') return 'in';
  return PEOPLE.test(route) ? '403 person_beyond' : '403 environment_not_allowed';
}

/**
 * Whether a thing that is not there must be answered with the same bytes. Not where the refusal says that somebody of the
 * same house may not: who is told so may list the thing anyway.
 */
export const mustNotTell = (wanted: Expected): boolean => wanted.startsWith('404') || wanted === '403 key_limited';
