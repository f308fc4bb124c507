/** `http.md`: every address of the bridge, as its routers declare them and its contract explains them. */
import { z } from 'zod';
import { transloadApp } from '../../src/http/app.ts';
import { ROUTES } from '../../src/http/contract/contract.ts';
import { type Caller, type Route as ContractRoute, JSON_TYPE } from '../../src/http/contract/route.ts';
import type { AppPorts } from '../../src/http/edge/ports.ts';
import { code, page, section, table } from './markdown.ts';

export interface Route {
  method: string;
  path: string;
}

/** Nothing is asked of the ports while routes are declared. */
const NO_PORTS = new Proxy({}, { get: () => () => undefined }) as AppPorts;

export function routes(): Route[] {
  const found = transloadApp(NO_PORTS)
    .routes.filter(({ method }) => method !== 'ALL') // what stands before routes, such as signing in
    .map(({ method, path }) => [`${method} ${path}`, { method, path }] as const);
  return [...new Map(found).values()];
}

/** As the contract says; a test holds it against what the routers do. */
export const callerOf = (route: Route): Caller => contractOf(route).who;

export function contractOf({ method, path }: Route): ContractRoute {
  const name = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
  const route = ROUTES[name];
  if (route === undefined) throw new Error(`src/http/contract/ does not say what ${name} does`);
  return route;
}

const PARTS: readonly { title: string; about: string; has: (path: string) => boolean }[] = [
  {
    title: 'For partners',
    about: 'The key as `Authorization: Bearer KEY`, or as the password of Basic authentication (`curl -u any:KEY`).',
    has: (path) => path.startsWith('/v1/') && !path.startsWith('/v1/ops/'),
  },
  {
    title: 'For operators',
    about:
      "An operator's key (`tlops_…`). `environment=test` or `environment=production` may be left out if the key has only one. A `viewer` reads; an `operator` also changes things, an `admin` also partners and keys, and most changes take `dryRun=true`.",
    has: (path) => path.startsWith('/v1/ops/'),
  },
  {
    title: 'Pages for people',
    about: 'With a session: sign in at `/console/sign-in`. A key opens no page.',
    has: (path) => path.startsWith('/console'),
  },
  { title: 'For anybody', about: 'No key.', has: (path) => !path.startsWith('/v1/') && !path.startsWith('/console') },
];

/** Names of its parameters; those that must be given first. */
function parametersOf({ query = {} }: ContractRoute): string {
  const names = Object.entries(query).filter(([name]) => name !== 'environment');
  const isOptional = (shape: z.ZodType): boolean =>
    shape.safeParse(undefined).success || shape._zod.optin === 'optional';
  const [may, must] = [names.filter(([, shape]) => isOptional(shape)), names.filter(([, shape]) => !isOptional(shape))];
  return [...must.map(([name]) => `**${code(name)}**`), ...may.map(([name]) => code(name))].join(', ');
}

/** Members of the JSON that it takes. */
function bodyOf({ body }: ContractRoute): string {
  const shape = body?.media[JSON_TYPE];
  return shape instanceof z.ZodObject ? ` Body: ${code(`{${Object.keys(shape.shape).join(', ')}}`)}.` : '';
}
const MESSAGE_PARTS = {
  '': 'what became of this message: state, rows, counts, problems',
  '/rows': 'all rows of this message, page by page',
  '/acknowledgment': 'the acknowledgment of this message',
  '/source': 'the exact bytes of this message',
} as const;

const under = (path: string, parts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([key, words]) => [key.replace(' ', ` ${path}`), words]));

const messages = (path: string): Record<string, string> =>
  Object.fromEntries(Object.entries(MESSAGE_PARTS).map(([part, words]) => [`GET ${path}${part}`, words]));

const UPLOAD = 'takes a file; answers 202 with a receipt. `mapping` is required; `scac`, `fileName`, `dryRun`, `force`';

/** What every address does, by method and path as the routers declare them. */
const ROUTE_MESSAGES: Readonly<Record<string, string>> = {
  'GET /': 'sends a browser to `/console`',
  'GET /healthz': '200 if the configuration is accepted, else 503',

  'POST /v1/batches': UPLOAD,
  'PUT /v1/batches': `the same, for \`curl -T\``,
  'POST /v1/batches/:fileName': 'the same; the last part of the address is the name of the file',
  'PUT /v1/batches/:fileName': 'the same; `curl -T FILE …/v1/batches/` adds the name by itself',
  'GET /v1/batches': 'your batches, newest first',
  ...under('/v1/batches', BATCH_PARTS),
  'POST /v1/batches/:id/cancel': 'withdraws what was not sent yet; `dryRun=true` shows the plan',
  'POST /v1/batches/:id/retry': 'sends again what ended badly: `state`, `includeUnknown`; `dryRun=true` shows the plan',

  'POST /v1/messages': 'takes one document and waits for its outcome: `Prefer: wait=N`; parameters as for an upload',
  ...messages('/v1/messages/:id/:message'),

  'GET /v1/loads/:loadNumber':
    'every event you sent for a load, with its attempts; as CSV with `.csv` after the number. `scac`, `order`, `limit`',

  'GET /v1/batches/:id/correctable':
    'rows of a table that can be corrected one by one, with their cells and which of them are at fault',
  'POST /v1/batches/:id/corrections':
    'corrected cells by row and column: what is right is sent as corrections; `dryRun=true` only checks',
  'GET /v1/mappings': 'the mappings your key may use',
  'GET /v1/mappings/:name': 'one mapping with its code lists; as YAML with `Accept: application/yaml`',
  'GET /v1/mappings/:name/sample': 'a valid sample file',
  'POST /v1/mappings/preview':
    'a form with `mapping` (YAML), `file` (a sample) and any `codeList`: what is wrong with the document, line by line, and what it makes of each record. Nothing is stored',
  'POST /v1/mappings/example':
    'the same form, with `record`: the document with that record as one example more. Nothing is stored',
  'POST /v1/mappings/suggest':
    'a mapping suggested for the sample in the body: its format, columns, fields with reasons, what is to be asked, and YAML. `fileName`, `answer=QUESTION:CHOICE` any number of times, `isPart=true` for the first part of a larger file. Nothing is stored',
  'POST /v1/mappings/match':
    'which of your mappings a file fits, the best first, each with why; `part=true`: the body is only its beginning',
  'POST /v1/mappings/:name/preview':
    'what each row of a small file would send; `part=true`: the body is only the beginning of a file. Nothing is stored or sent',

  'GET /v1/orders': 'your orders, page by page; `sort=recent` lists those heard of last',
  'GET /v1/orders/:ref':
    'one order: document, operations, versions, statuses; statuses as CSV with `.csv` after the reference',
  'GET /v1/orders/:ref/tracks': 'what an end consumer may see of an order',
  'GET /v1/orders/:ref/feed': 'how far its statuses are known: last poll, gaps, repair',
  'GET /v1/order-events': 'what happened to your orders, in the order in which it was learned: `after`, `limit`',
  'GET /v1/order-events.csv': 'the same as CSV',
  'GET /v1/order-events.edi': 'the same as X12 214s',

  'GET /v1/vehicles': 'vehicles: `vin`, `licensePlate`, `customerNumber`',
  'GET /v1/vehicles.csv': 'the same as CSV',
  'GET /v1/vehicles/:vehicleNumber': 'one vehicle in full',
  'GET /v1/service-history': 'services of vehicles: `vehicleNumber`, `from`, `to` (days, both included)',
  'GET /v1/service-history.csv': 'the same as CSV',
  'GET /v1/locations': 'locations: `city`, `state`, `postalCode`, `service`',
  'GET /v1/locations.csv': 'the same as CSV',
  'GET /v1/locations/:locationNumber': 'one location in full',

  'GET /v1/ops/health': 'channels, breakers, parked SCACs, order feeds, failing webhooks',
  'GET /v1/ops/alerts': 'what needs somebody; empty if nothing does',
  'GET /v1/ops/audit': 'what operators did, newest first: `actor`, `action`, `about`, `from`, `to`, `limit`, `cursor`',
  'GET /v1/ops/channels': 'every channel: its setup without secrets, its breakers, its token',
  'GET /v1/ops/channels/:name': 'one of them',
  'POST /v1/ops/channels/:name/test':
    'asks for a token, and for the locations where the channel may: `{"why"}`. Changes nothing',
  'POST /v1/ops/channels/:name/release': 'closes a breaker at once: `{"scope", "reason"}`',
  'GET /v1/ops/mappings': 'every mapping, its version, since when, by whom',
  'POST /v1/ops/mappings/preview': 'as for partners; vehicles and locations are not looked up',
  'POST /v1/ops/mappings/example': 'as for partners',
  'POST /v1/ops/mappings/suggest': 'as for partners',
  'GET /v1/ops/mappings/:name': 'one mapping; its version as `ETag`',
  'GET /v1/ops/mappings/:name/diff': 'what differs between two versions: `from`, `to`',
  'PUT /v1/ops/mappings/:name': 'publishes the YAML in the body: `note`, `partners` or `shared`, `dryRun`',
  'POST /v1/ops/mappings/:name/rollback': 'goes back to an earlier version: `{"to", "note"}`',
  'GET /v1/ops/mappings/:name/history': 'every publication: who, when, why',
  'GET /v1/ops/mappings/:name/owners': 'whom a mapping is for, with its history',
  'PUT /v1/ops/mappings/:name/owners': 'changes that: `{"partners"}` or `{"shared": true}`, with `note`',
  'GET /v1/ops/code-lists': 'every code list, and which mappings use it',
  'GET /v1/ops/code-lists/:name': 'one code list; its version as `ETag`',
  'PATCH /v1/ops/code-lists/:name': 'changes single words: `{"set", "remove", "note"}`',
  'PUT /v1/ops/code-lists/:name': 'publishes the YAML in the body',
  'POST /v1/ops/code-lists/:name/rollback': 'goes back to an earlier version',
  'GET /v1/ops/code-lists/:name/history': 'every publication',
  'GET /v1/ops/letters':
    'what did not arrive: `partner`, `batch`, `subject`, `state`, `reason`, `status`, `kind`, `limit`, `cursor`',
  'GET /v1/ops/letters/:batch/:record/:request': 'one of them in full, with what may be decided',
  'POST /v1/ops/letters/:batch/:record/:request/decisions': 'decides about a held request',
  'POST /v1/ops/letters/decisions': 'decides about many held requests at once; `dryRun=true` shows the plan',
  'GET /v1/ops/batches':
    'the batches of all partners: `partner`, `state`, `mapping`, `fileName`, `from`, `to`, `needs`',
  'POST /v1/ops/batches/reindex': 'rebuilds that list, 200 batches a call (`npm run index` calls it)',
  ...under('/v1/ops/batches', BATCH_PARTS),
  'POST /v1/ops/batches/:id/cancel': 'withdraws what was not sent yet: `{"why"}`; `dryRun=true` shows the plan',
  'POST /v1/ops/batches/:id/retry':
    'sends again what ended badly: `{"why"}`; `state`, `includeUnknown`; `dryRun=true` shows the plan',
  'GET /v1/ops/batches/:id/rerun':
    'maps a batch again and compares; `to` names a version, `limit` how many rows are listed',
  'GET /v1/ops/batches/:id/look-ups': 'what the batch looked up, as a file for `npm run map -- … --lookups FILE`',
  ...messages('/v1/ops/batches/:id/messages/:message'),
  'GET /v1/ops/partners': 'every partner, its channel and keys in this environment: `after`, `limit`',
  'POST /v1/ops/partners': 'makes a partner: `{"name", "displayName", "channel", "why"}`',
  'GET /v1/ops/partners/:name': 'one of them',
  'PATCH /v1/ops/partners/:name': 'changes it: `{"displayName", "channel", "enabled", "why"}`',
  'GET /v1/ops/partners/:name/keys': 'its keys: state, end, last use',
  'POST /v1/ops/partners/:name/keys':
    'makes a key, shown this once: `{"scacs", "mappings", "expires", "why"}`. Two work at most',
  'POST /v1/ops/partners/:name/keys/:keyId/rotate':
    'makes a key in the place of one, which works on: `{"overlapHours", "expires", "why"}`',
  'POST /v1/ops/partners/:name/keys/:keyId/revoke': 'ends a key at once: `{"why"}`',
  'GET /v1/ops/operator-keys': "operators' keys: name, role, state, end, last use",
  'POST /v1/ops/operator-keys': 'makes one, shown this once: `{"name", "role", "environments", "expires", "why"}`',
  'POST /v1/ops/operator-keys/:keyId/rotate': 'makes one in the place of one, which works on',
  'POST /v1/ops/operator-keys/:keyId/revoke': 'ends one at once: `{"why"}`',
  'GET /v1/ops/issues':
    'what failed alike over all batches: `state`, `partner`, `mapping`, `code`, `search`, `sort`, `limit`, `cursor`',
  'GET /v1/ops/issues/:id': 'one of them: cause, whose turn it is, what to do, batches, first rows',
  'GET /v1/ops/issues/:id/rows': 'all its rows, page by page: `partner`, `limit`, `cursor`',
  'GET /v1/ops/issues/:id/rows.csv': 'the same as CSV, of all batches: `partner`',
  'POST /v1/ops/issues/:id/acknowledge': 'somebody looks after it: `{"why"}`',
  'POST /v1/ops/issues/:id/mute': 'it needs nobody until then: `{"until", "why"}`',
  'POST /v1/ops/issues/:id/reopen': 'takes that back: `{"why"}`',
  'POST /v1/ops/issues/:id/resubmit':
    'maps its rows again under the mapping of now, and sends those that have become requests: `{"why", "partner", "confirm"}`; `dryRun=true` shows the plan',
  'GET /v1/ops/rows': 'undelivered rows that have a `text` in what they became or in what is wrong: `partner`',
  'GET /v1/rows': 'undelivered rows that have a `text` in what they became or in what is wrong',
  'GET /v1/ops/metrics':
    'what ended when, how long it took, what it cost: `from`, `to`, `step` in minutes, `by=partner` or `by=channel`',
  'GET /v1/ops/partners/:name/envelopes': "what is agreed about a partner's interchanges",
  'PUT /v1/ops/partners/:name/envelopes': 'sets it: `{"rules", "note"}`; `dryRun=true` shows what changes',
  'GET /v1/ops/partners/:name/envelopes/history': 'every revision: who, when, why, and what it changed',
  'GET /v1/ops/partners/:name/feed': 'the order feed of a partner',
  'PUT /v1/ops/partners/:name/feed':
    'sets it: `partnerId`, `clientId`, `channel`, `scac`, `pollMinutes`, `repairsPerMinute`, `note`',
  'GET /v1/ops/partners/:name/webhooks': 'the webhooks of a partner',
  'GET /v1/ops/partners/:name/webhooks/:target': 'one of them',
  'PUT /v1/ops/partners/:name/webhooks/:target': 'sets it: `url`, `events`, `enabled`, `note`. Shows the secret once',
  'DELETE /v1/ops/partners/:name/webhooks/:target': 'deletes it and its deliveries',
  'POST /v1/ops/partners/:name/webhooks/:target/rotate': 'makes a new secret; the old one also signs for a day',
  'GET /v1/ops/partners/:name/webhooks/:target/deliveries': 'what was sent, newest first',
  'POST /v1/ops/partners/:name/webhooks/:target/deliveries/:event/send-again': 'sends one again',
  'GET /v1/ops/webhooks': 'the webhooks of all partners',
  'GET /v1/ops/feeds': 'every order feed: state, polls, gaps, repairs',
  'GET /v1/ops/feeds/:name': 'the feed of one partner',
  'POST /v1/ops/feeds/:name/poll': 'polls now: `{"why"}`',
  'POST /v1/ops/feeds/:name/repair': 'asks for every open order alone, or for `orderRefs`',
  'POST /v1/ops/feeds/:name/skip': 'the repair waits no longer for an order: `{"orderRef", "why"}`',
  'POST /v1/ops/feeds/:name/polls/:poll/reread': 'reads a stored answer again',
  'GET /v1/ops/interchanges': 'which batch an EDI interchange came in: `control`, `partner`',
  'GET /v1/ops/loads/:loadNumber': 'a load, whichever partner has it: `partner`, `scac`',
  'GET /v1/ops/orders': 'the orders of one partner: `partner`, `sort`, `limit`, `cursor`',
  'GET /v1/ops/orders/:ref': 'an order, whichever partner has it',
  'GET /v1/ops/orders/:name/:ref': 'an order of one partner',
  'GET /v1/ops/orders/:name/:ref/feed': 'how far its statuses are known: last poll, gaps, repair',
  'GET /v1/ops/orders/:name/:ref/tracks': 'what an end consumer may see of it, asked for over the channel of its feed',
  'PUT /v1/ops/orders/:name/:ref/base':
    'loads an order as it is in the receiving system: `{"document", "orderId", "why"}`',
  'GET /v1/ops/answer-mappings/order-status': 'how answers about orders are read',
  'PUT /v1/ops/answer-mappings/order-status': 'replaces that: `{"mapping", "note"}`; `dryRun=true` shows what changes',
  'GET /v1/ops/answer-mappings/order-status/history': 'every revision: who, when, why, and what it changed',
  'POST /v1/ops/replays': 'sends again what has ended, or all of an `issue`; `dryRun=true` shows the plan',
  'GET /v1/ops/actions': 'what operators did: replays and decisions, with who and why; `partner`, `action`',
  'GET /v1/ops/actions/:id': 'how far a replay, or a decision about many requests, is',
  'GET /v1/ops/actions/:id/requests': 'each request of such a decision, and what became of it',
  'POST /v1/ops/actions/:id/cancel': 'stops what it has not sent yet',
  'GET /v1/ops/people': 'who may sign in to the pages, and how',
  'POST /v1/ops/people':
    'invites somebody: `{"name", "role", "environments", "why"}`. Shows a link once that signs them in once',
  'PATCH /v1/ops/people/:id': 'changes that: `{"role", "environments", "why"}`',
  'DELETE /v1/ops/people/:id': 'removes somebody and signs them out everywhere: `{"why"}`',
  'POST /v1/ops/people/:id/link':
    'a new link, shown once: `{"why", "reset"}`; `reset` forgets their passkeys and password',
};

export function routesPage(): string {
  const all = routes();
  const parts = PARTS.map(({ title, about, has }) => {
    const rows = all
      .filter(({ path }) => has(path))
      .map((route) => {
        const said = contractOf(route);
        const path = code(route.path.replace(/:(\w+)/g, '{$1}'));
        return [route.method, path, said.who, `${said.does}.${bodyOf(said)}`, parametersOf(said)];
      });
    return section(title, about, table(['Method', 'Path', 'Who', 'Does', 'Parameters'], rows));
  });
  const unknown = Object.keys(ROUTES).filter(
    (name) => !all.some(({ method, path }) => name === `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
  );
  if (unknown.length > 0) throw new Error(`no such routes: ${unknown.join(', ')}`);
  return page(
    'HTTP addresses',
    'Errors are `application/problem+json` with a stable code: [error codes](error-codes.md). `GET /openapi.json` says all of this for programs, with the shape of each answer; `/docs` shows it. A parameter in bold is required. [What may change](../api.md).',
    parts.filter((part) => part !== ''),
  );
}
