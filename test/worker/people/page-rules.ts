/**
 * Who may open which page of the console, declared: a page meets what the route of the API meets that it stands on, and that
 * is in `who-may.ts`. `who-sees-what.test.ts` holds every page, form and action against it.
 */
import type { Action } from '../../../src/console/actions.ts';
import { ALL_PAGES } from '../../../src/console/all-pages.ts';
import { consoleApp } from '../../../src/console/app.ts';
import { ownOf } from '../../../src/http/contract/client.ts';
import { ROUTES, type RouteName, type SharedRoute } from '../../../src/http/contract/contract.ts';
import { linkMaySee } from '../../../src/http/edge/link-limits.ts';
import { OPS_ROLES, type OpsRole } from '../../../src/ops/directory/directory.ts';
import { type Caller, type Expected, expected } from '../who-may.ts';

export const ACTIONS: readonly Action[] = ALL_PAGES.flatMap(({ actions = [] }) => actions);

const NO_PORTS = new Proxy({}, { get: () => () => undefined }) as Parameters<typeof consoleApp>[0];

/** Every address that the console serves, as its router says, such as `GET /batches/{id}`. */
export const ADDRESSES: readonly string[] = [
  ...new Set(
    consoleApp(NO_PORTS)
      .routes.filter(({ method }) => method !== 'ALL') // what stands before pages, such as signing in
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`),
  ),
];

/** `away`: led to a page of their own. `account`: whoever is signed in, whatever environment is asked for. */
type Meets = RouteName | 'in' | 'away' | 'account' | `${number} ${string}`;
interface Rule {
  partner: Meets;
  operator: Meets;
}

const NOT_FOR_YOU = '403 not_for_you';
const both = (route: SharedRoute): Rule => ({ partner: route, operator: ownOf(true)(route) as RouteName });
const ofOperators = (route: RouteName): Rule => ({ partner: NOT_FOR_YOU, operator: route });
const ofPartners = (route: RouteName): Rule => ({ partner: route, operator: 'away' });
const ACCOUNT: Rule = { partner: 'account', operator: 'account' };
const ofPeople = (): Rule => ({ partner: '403 no_own_credentials', operator: 'account' });

/** Nobody needs to be signed in. */
const OPEN = /^\w+ \/(?:[\w-]+\.(?:css|js|svg)|theme|sign-in(?:\/.+)?|open)$/;

const RULES: Readonly<Record<string, Rule>> = {
  'GET /': { partner: 'away', operator: 'GET /v1/ops/batches' },
  'POST /sign-out': ACCOUNT,
  'GET /me': ACCOUNT,
  'POST /me/sign-out-everywhere': ACCOUNT,
  'POST /me/sessions/end': ACCOUNT,
  'POST /me/password': ofPeople(),
  'POST /me/passkeys': ofPeople(),
  'GET /me/passkeys/remove': ofPeople(),
  'POST /me/passkeys/remove': ofPeople(),
  'GET /upload': ofPartners('GET /v1/mappings'),
  'POST /upload': ofPartners('PUT /v1/batches/{fileName}'),
  'POST /upload/check': ofPartners('POST /v1/mappings/match'),
  'GET /upload/sample/{name}': { partner: 'GET /v1/mappings/{name}/sample', operator: NOT_FOR_YOU },
  'GET /batches': both('GET /v1/batches'),
  'GET /issues': ofOperators('GET /v1/ops/issues'),
  'GET /issues/{id}': ofOperators('GET /v1/ops/issues/{id}'),
  'GET /issues/{id}/rows.csv': ofOperators('GET /v1/ops/issues/{id}/rows.csv'),
  'GET /issues/{id}/sent': ofOperators('GET /v1/ops/issues/{id}'),
  'GET /batches/{id}': both('GET /v1/batches/{id}'),
  'GET /batches/{id}/events': both('GET /v1/batches/{id}'),
  'GET /batches/{id}/report.csv': both('GET /v1/batches/{id}/report.csv'),
  'GET /batches/{id}/report.json': both('GET /v1/batches/{id}/report.json'),
  'GET /batches/{id}/corrections': both('GET /v1/batches/{id}/corrections'),
  'GET /batches/{id}/source': both('GET /v1/batches/{id}/source'),
  'GET /batches/{id}/acknowledgment': both('GET /v1/batches/{id}/acknowledgment'),
  'GET /batches/{id}/fix': ofPartners('GET /v1/batches/{id}/correctable'),
  'POST /batches/{id}/fix': ofPartners('POST /v1/batches/{id}/corrections'),
  'POST /batches/{id}/fix/live': { partner: 'POST /v1/batches/{id}/corrections', operator: NOT_FOR_YOU },
  'GET /batches/{id}/messages': both('GET /v1/batches/{id}'),
  'GET /batches/{id}/messages/{message}': messages(''),
  'GET /batches/{id}/messages/{message}/acknowledgment': messages('/acknowledgment'),
  'GET /batches/{id}/messages/{message}/source': messages('/source'),
  'GET /batches/{id}/rerun': ofOperators('GET /v1/ops/batches/{id}/rerun'),
  'GET /search': { partner: 'in', operator: 'GET /v1/ops/batches' },
  'GET /mappings': ofOperators('GET /v1/ops/mappings'),
  'GET /mappings/{name}': ofOperators('GET /v1/ops/mappings/{name}'),
  'GET /mappings/{name}/diff': ofOperators('GET /v1/ops/mappings/{name}/history'),
  'GET /mappings/{name}/document.yaml': { partner: '404 not_found', operator: 'GET /v1/ops/mappings/{name}' },
  'GET /code-lists': ofOperators('GET /v1/ops/code-lists'),
  'GET /code-lists/{name}': ofOperators('GET /v1/ops/code-lists/{name}'),
  'GET /code-lists/{name}/document.yaml': { partner: '404 not_found', operator: 'GET /v1/ops/code-lists/{name}' },
  'GET /workbench': { partner: 'in', operator: 'GET /v1/ops/mappings' },
  'POST /workbench': both('POST /v1/mappings/preview'),
  'POST /workbench/{what}': both('POST /v1/mappings/preview'),
  'GET /proposals': both('GET /v1/mapping-proposals'),
  'GET /proposals/{id}': both('GET /v1/mapping-proposals/{id}'),
  'GET /holds': ofOperators('GET /v1/ops/letters'),
  'GET /holds/{batch}/{record}/{request}': ofOperators('GET /v1/ops/letters/{batch}/{record}/{request}'),
  'GET /letters': ofOperators('GET /v1/ops/letters'),
  'GET /actions': ofOperators('GET /v1/ops/actions'),
  'GET /actions/{id}': ofOperators('GET /v1/ops/actions/{id}'),
  'GET /loads/{loadNumber}': both('GET /v1/loads/{loadNumber}'),
  'GET /loads/{loadNumber}/events.csv': both('GET /v1/loads/{loadNumber}'),
  'GET /loads/{loadNumber}/record.ndjson': ofOperators('GET /v1/ops/loads/{loadNumber}/record'),
  'GET /orders': both('GET /v1/orders'),
  'GET /orders/{ref}': ofPartners('GET /v1/orders/{ref}'),
  'GET /orders/{partner}/{ref}': { partner: '404 not_found', operator: 'GET /v1/ops/orders/{name}/{ref}' },
  'GET /orders/{partner}/{ref}/record.ndjson': ofOperators('GET /v1/ops/orders/{name}/{ref}/record'),
  'GET /feeds': ofOperators('GET /v1/ops/feeds'),
  'GET /feeds/{partner}': ofOperators('GET /v1/ops/feeds/{name}'),
  'GET /webhooks': ofOperators('GET /v1/ops/webhooks'),
  'GET /webhooks/alerts': ofOperators('GET /v1/ops/alert-webhook'),
  'GET /webhooks/{partner}/{target}': ofOperators('GET /v1/ops/partners/{name}/webhooks/{target}'),
  'GET /interchanges': ofPartners('GET /v1/interchanges'),
  'GET /order-events': ofPartners('GET /v1/orders'), // where nothing is followed, it says so
  'GET /keys': ofPartners('GET /v1/keys'),
  'GET /notifications': ofPartners('GET /v1/webhooks'),
  'GET /notifications/{target}': ofPartners('GET /v1/webhooks/{target}'),
  'GET /answer-mappings': ofOperators('GET /v1/ops/answer-mappings/order-status'),
  'GET /partners': ofOperators('GET /v1/ops/partners'),
  'GET /partners/{name}': ofOperators('GET /v1/ops/partners/{name}'),
  'GET /partners/{name}/links': ofOperators('GET /v1/ops/partners/{name}/upload-links'),
  'GET /partners/{name}/record.ndjson': ofOperators('GET /v1/ops/partners/{name}/record'),
  'GET /partners/{partner}/envelopes': ofOperators('GET /v1/ops/partners/{name}/envelopes'),
  'GET /operator-keys': ofOperators('GET /v1/ops/operator-keys'),
  'GET /channels': ofOperators('GET /v1/ops/channels'),
  'GET /channels/{name}': ofOperators('GET /v1/ops/channels/{name}'),
  'GET /audit': ofOperators('GET /v1/ops/audit'),
  'GET /people': ofOperators('GET /v1/ops/people'),
  // The action says who may: `ofAction`.
  'GET /do/{action}': { partner: 'in', operator: 'in' },
  'POST /do/{action}': { partner: 'in', operator: 'in' },
};

function messages(part: '' | '/acknowledgment' | '/source'): Rule {
  return {
    partner: `GET /v1/messages/{id}/{message}${part}`,
    operator: `GET /v1/ops/batches/{id}/messages/{message}${part}`,
  };
}

export const isOpen = (address: string): boolean => OPEN.test(address);
export const hasRule = (address: string): boolean => isOpen(address) || RULES[address] !== undefined;
/** Rules of what there is no more. */
export const deadRules = (): string[] => Object.keys(RULES).filter((address) => !ADDRESSES.includes(address));

/** What a page answers; `away`: another page. Operators ask for the environment of A's things. */
export type Met = Expected | 'sign-in' | 'away';

const bySession = (caller: Caller): Caller =>
  caller.is === 'operator' || (caller.is === 'partner' && caller.by === 'key') ? { ...caller, by: 'session' } : caller;

/** @param path of a page with its parameters filled in, below `/console`. */
export function met(address: string, path: string, caller: Caller): Met {
  const refused = beforePages(path, caller);
  if (refused !== undefined) return refused;
  if (caller.is !== 'partner' && caller.is !== 'operator') return 'sign-in';
  const rule = RULES[address]?.[caller.is] ?? '404 not_found';
  if (rule === 'account') return 'in';
  if (isOfOtherEnvironment(caller)) return '403 environment_not_allowed';
  return ofMeets(rule, caller);
}

function ofMeets(rule: Meets, caller: Caller): Met {
  if (rule === 'in' || rule === 'away' || /^\d/.test(rule)) return rule as Met;
  return expected(rule, bySession(caller)) ?? '404 not_found';
}

const isOfOtherEnvironment = (caller: Caller): boolean =>
  caller.is === 'operator' && caller.environment === 'production';

function beforePages(path: string, caller: Caller): Met | undefined {
  if (caller.is === 'nobody' || caller.is === 'stranger') return 'sign-in';
  return caller.is === 'partner' && caller.by === 'link' && !linkMaySee(`/console${path}`)
    ? '403 not_for_link'
    : undefined;
}

const isOfPartners = ({ role }: Action): boolean => role === 'partner';
const mayActAs = (role: OpsRole, needed: OpsRole): boolean => OPS_ROLES.indexOf(role) >= OPS_ROLES.indexOf(needed);

/** What whoever tries it meets. */
export function ofAction(action: Action, caller: Caller): Met {
  const refused = beforePages(`/do/${action.name}`, caller);
  if (refused !== undefined) return refused;
  if (isOfOtherEnvironment(caller)) return '403 environment_not_allowed';
  if (isOfPartners(action) !== (caller.is === 'partner')) return NOT_FOR_YOU;
  return expected(action.route, bySession(caller)) ?? '404 not_found';
}

/** The address that a link leads to, as the router has it; undefined: there is none. */
export function addressAt(methods: readonly string[], path: string): string | undefined {
  const fits = (address: string): boolean => {
    const [method = '', template = ''] = address.split(' ');
    if (!methods.includes(method)) return false;
    return new RegExp(`^${template.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  };
  const found = ADDRESSES.filter(fits);
  return found.find((address) => !address.includes('{')) ?? found[0];
}

/** @param path below `/console`. @returns why it must not be offered to this caller. */
export function offerProblem(methods: readonly string[], path: string, caller: Caller): string | undefined {
  const address = addressAt(methods, path);
  if (address === undefined) return 'leads nowhere';
  if (isOpen(address)) return undefined;
  if (caller.is !== 'partner' && caller.is !== 'operator') return 'needs a session';
  if (caller.is === 'partner' && caller.by === 'link' && !linkMaySee(`/console${path}`)) return 'is not for links';
  if (path.startsWith('/do/')) {
    const action = ACTIONS.find(({ name }) => path === `/do/${name}`);
    if (action === undefined) return 'is no action';
    if (isOfPartners(action) !== (caller.is === 'partner')) return 'is an action of others';
    const { role } = action;
    return caller.is === 'operator' && role !== 'partner' && !mayActAs(caller.role, role) ? `needs ${role}` : undefined;
  }
  const rule = RULES[address]?.[caller.is];
  if (rule === undefined || /^40[34]/.test(rule)) return 'is a page of others';
  const who = ROUTES[rule]?.who;
  return caller.is === 'operator' && OPS_ROLES.some((role) => role === who) && !mayActAs(caller.role, who as OpsRole)
    ? `needs ${who}`
    : undefined;
}
