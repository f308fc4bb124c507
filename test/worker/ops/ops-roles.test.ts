/** Routes under `/v1/ops`: the least role of each, its environment, its parameters; and what keys of operators are not for. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_CODE_LISTS, BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import { routes as appRoutes } from '../../../scripts/reference/routes.ts';
import { ROUTES as CONTRACT_ROUTES } from '../../../src/http/contract/contract.ts';
import type { OpsRole } from '../../../src/ops/directory/directory.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { bridge } from '../bridge.ts';
import { anOperator } from '../operators.ts';
import { ORIGIN, problemOf } from '../partners.ts';

afterEach(() => void vi.restoreAllMocks());

/** The least role of each route. A route that is not listed here fails the first test. */
const ROUTES: Record<string, OpsRole> = {
  'GET /v1/ops/health': 'viewer',
  'GET /v1/ops/health/layers': 'viewer',
  'GET /v1/ops/alerts': 'viewer',
  'GET /v1/ops/audit': 'viewer',
  'GET /v1/ops/alert-webhook': 'viewer',
  'PUT /v1/ops/alert-webhook': 'admin',
  'DELETE /v1/ops/alert-webhook': 'admin',
  'POST /v1/ops/alert-webhook/rotate': 'admin',
  'POST /v1/ops/alert-webhook/test': 'admin',
  'GET /v1/ops/channels': 'viewer',
  'GET /v1/ops/channels/:name': 'viewer',
  'POST /v1/ops/channels/:name/test': 'operator',
  'GET /v1/ops/partners': 'viewer',
  'POST /v1/ops/partners': 'admin',
  'GET /v1/ops/partners/:name': 'viewer',
  'GET /v1/ops/loads/:loadNumber/record': 'operator',
  'GET /v1/ops/orders/:name/:ref/record': 'operator',
  'GET /v1/ops/partners/:name/record': 'operator',
  'POST /v1/ops/loads/:loadNumber/erase': 'admin',
  'POST /v1/ops/orders/:name/:ref/erase': 'admin',
  'POST /v1/ops/partners/:name/erase': 'admin',
  'PATCH /v1/ops/partners/:name': 'admin',
  'GET /v1/ops/partners/:name/keys': 'viewer',
  'POST /v1/ops/partners/:name/keys': 'admin',
  'POST /v1/ops/partners/:name/keys/:keyId/rotate': 'admin',
  'POST /v1/ops/partners/:name/keys/:keyId/revoke': 'admin',
  'GET /v1/ops/operator-keys': 'viewer',
  'POST /v1/ops/operator-keys': 'admin',
  'POST /v1/ops/operator-keys/:keyId/rotate': 'admin',
  'POST /v1/ops/operator-keys/:keyId/revoke': 'admin',
  'POST /v1/ops/channels/:name/release': 'operator',
  'GET /v1/ops/mappings': 'viewer',
  'POST /v1/ops/mappings/preview': 'operator',
  'POST /v1/ops/mappings/example': 'operator',
  'POST /v1/ops/mappings/compare': 'operator',
  'POST /v1/ops/mappings/suggest': 'operator',
  'GET /v1/ops/mapping-proposals': 'viewer',
  'GET /v1/ops/mapping-proposals/:id': 'viewer',
  'POST /v1/ops/mapping-proposals/:id/publish': 'operator',
  'POST /v1/ops/mapping-proposals/:id/decline': 'operator',
  'GET /v1/ops/mappings/:name': 'viewer',
  'GET /v1/ops/mappings/:name/diff': 'viewer',
  'GET /v1/ops/mappings/:name/history': 'viewer',
  'PUT /v1/ops/mappings/:name': 'operator',
  'GET /v1/ops/mappings/:name/owners': 'viewer',
  'PUT /v1/ops/mappings/:name/owners': 'operator',
  'POST /v1/ops/mappings/:name/rollback': 'operator',
  'GET /v1/ops/code-lists': 'viewer',
  'GET /v1/ops/code-lists/:name': 'viewer',
  'GET /v1/ops/code-lists/:name/history': 'viewer',
  'PUT /v1/ops/code-lists/:name': 'operator',
  'PATCH /v1/ops/code-lists/:name': 'operator',
  'POST /v1/ops/code-lists/:name/rollback': 'operator',
  'GET /v1/ops/batches': 'viewer',
  'POST /v1/ops/batches/reindex': 'operator',
  'GET /v1/ops/batches/:id': 'viewer',
  'GET /v1/ops/batches/:id/rows': 'viewer',
  'GET /v1/ops/batches/:id/issues': 'viewer',
  'GET /v1/ops/batches/:id/rows/:record': 'viewer',
  'POST /v1/ops/batches/:id/cancel': 'operator',
  'POST /v1/ops/batches/:id/retry': 'operator',
  'GET /v1/ops/interchanges': 'viewer',
  'GET /v1/ops/batches/:id/messages': 'viewer',
  'GET /v1/ops/batches/:id/report.csv': 'viewer',
  'GET /v1/ops/batches/:id/report.json': 'viewer',
  'GET /v1/ops/batches/:id/corrections': 'viewer',
  'GET /v1/ops/batches/:id/source': 'viewer',
  'GET /v1/ops/batches/:id/acknowledgment': 'viewer',
  'GET /v1/ops/batches/:id/messages/:message': 'viewer',
  'GET /v1/ops/batches/:id/messages/:message/rows': 'viewer',
  'GET /v1/ops/batches/:id/messages/:message/acknowledgment': 'viewer',
  'GET /v1/ops/batches/:id/messages/:message/source': 'viewer',
  'GET /v1/ops/batches/:id/rerun': 'viewer',
  'POST /v1/ops/batches/:id/rerun': 'operator',
  'GET /v1/ops/batches/:id/look-ups': 'viewer',
  'GET /v1/ops/loads/:loadNumber': 'viewer',
  'GET /v1/ops/orders/:ref': 'viewer',
  'GET /v1/ops/issues': 'viewer',
  'GET /v1/ops/issues/:id': 'viewer',
  'GET /v1/ops/issues/:id/rows': 'viewer',
  'GET /v1/ops/issues/:id/rows.csv': 'viewer',
  'POST /v1/ops/issues/:id/acknowledge': 'operator',
  'POST /v1/ops/issues/:id/mute': 'operator',
  'POST /v1/ops/issues/:id/reopen': 'operator',
  'POST /v1/ops/issues/:id/resubmit': 'operator',
  'GET /v1/ops/metrics': 'viewer',
  'GET /v1/ops/metrics/prometheus': 'viewer',
  'GET /v1/ops/rows': 'viewer',
  'GET /v1/ops/letters': 'viewer',
  'GET /v1/ops/letters/:batch/:record/:request': 'viewer',
  'POST /v1/ops/letters/:batch/:record/:request/decisions': 'operator',
  'POST /v1/ops/letters/decisions': 'operator',
  'GET /v1/ops/partners/:name/envelopes': 'viewer',
  'PUT /v1/ops/partners/:name/envelopes': 'operator',
  'GET /v1/ops/partners/:name/webhooks': 'viewer',
  'GET /v1/ops/partners/:name/webhooks/:target': 'viewer',
  'PUT /v1/ops/partners/:name/webhooks/:target': 'operator',
  'DELETE /v1/ops/partners/:name/webhooks/:target': 'operator',
  'POST /v1/ops/partners/:name/webhooks/:target/rotate': 'operator',
  'GET /v1/ops/partners/:name/webhooks/:target/deliveries': 'viewer',
  'POST /v1/ops/partners/:name/webhooks/:target/deliveries/:event/send-again': 'operator',
  'GET /v1/ops/partners/:name/feed': 'viewer',
  'PUT /v1/ops/partners/:name/feed': 'operator',
  'GET /v1/ops/partners/:name/envelopes/history': 'viewer',
  'GET /v1/ops/webhooks': 'viewer',
  'GET /v1/ops/feeds': 'viewer',
  'GET /v1/ops/feeds/:name': 'viewer',
  'POST /v1/ops/feeds/:name/poll': 'operator',
  'POST /v1/ops/feeds/:name/repair': 'operator',
  'POST /v1/ops/feeds/:name/skip': 'operator',
  'POST /v1/ops/feeds/:name/polls/:poll/reread': 'operator',
  'GET /v1/ops/orders': 'viewer',
  'GET /v1/ops/orders/:name/:ref': 'viewer',
  'GET /v1/ops/orders/:name/:ref/feed': 'viewer',
  'GET /v1/ops/orders/:name/:ref/tracks': 'viewer',
  'PUT /v1/ops/orders/:name/:ref/base': 'operator',
  'GET /v1/ops/answer-mappings/order-status': 'viewer',
  'GET /v1/ops/answer-mappings/order-status/history': 'viewer',
  'PUT /v1/ops/answer-mappings/order-status': 'operator',
  'POST /v1/ops/replays': 'operator',
  'GET /v1/ops/actions': 'viewer',
  'GET /v1/ops/actions/:id': 'viewer',
  'GET /v1/ops/actions/:id/requests': 'viewer',
  'POST /v1/ops/actions/:id/cancel': 'operator',
  'GET /v1/ops/partners/:name/upload-links': 'viewer',
  'POST /v1/ops/partners/:name/upload-links': 'operator',
  'POST /v1/ops/partners/:name/upload-links/:link/revoke': 'operator',
  'GET /v1/ops/people': 'admin',
  'POST /v1/ops/people': 'admin',
  'PATCH /v1/ops/people/:id': 'admin',
  'DELETE /v1/ops/people/:id': 'admin',
  'POST /v1/ops/people/:id/link': 'admin',
};
const routes = Object.keys(ROUTES);
/** People are of no single environment. */
const routesOfAnEnvironment = routes.filter((route) => !route.includes('/v1/ops/people'));

/** About deliveries, of which there are none: whoever may ask is told so. The others succeed. */
const NOTHING_THERE: Record<string, [path: string, body?: unknown]> = {
  'GET /v1/ops/batches/:id': [`/v1/ops/batches/b_${'0'.repeat(26)}`],
  'GET /v1/ops/batches/:id/rows': [`/v1/ops/batches/b_${'0'.repeat(26)}/rows`],
  'GET /v1/ops/batches/:id/issues': [`/v1/ops/batches/b_${'0'.repeat(26)}/issues`],
  'GET /v1/ops/batches/:id/rows/:record': [`/v1/ops/batches/b_${'0'.repeat(26)}/rows/1`],
  'POST /v1/ops/batches/:id/cancel': [`/v1/ops/batches/b_${'0'.repeat(26)}/cancel`, { why: 'a test' }],
  'POST /v1/ops/batches/:id/rerun': [`/v1/ops/batches/b_${'0'.repeat(26)}/rerun`, {}],
  'POST /v1/ops/batches/:id/retry': [`/v1/ops/batches/b_${'0'.repeat(26)}/retry`, { why: 'a test' }],
  'GET /v1/ops/batches/:id/messages': [`/v1/ops/batches/b_${'0'.repeat(26)}/messages`],
  'GET /v1/ops/batches/:id/report.csv': [`/v1/ops/batches/b_${'0'.repeat(26)}/report.csv`],
  'GET /v1/ops/batches/:id/report.json': [`/v1/ops/batches/b_${'0'.repeat(26)}/report.json`],
  'GET /v1/ops/batches/:id/corrections': [`/v1/ops/batches/b_${'0'.repeat(26)}/corrections`],
  'GET /v1/ops/batches/:id/source': [`/v1/ops/batches/b_${'0'.repeat(26)}/source`],
  'GET /v1/ops/batches/:id/acknowledgment': [`/v1/ops/batches/b_${'0'.repeat(26)}/acknowledgment`],
  'GET /v1/ops/batches/:id/messages/:message': [`/v1/ops/batches/b_${'0'.repeat(26)}/messages/1`],
  'GET /v1/ops/batches/:id/messages/:message/rows': [`/v1/ops/batches/b_${'0'.repeat(26)}/messages/1/rows`],
  'GET /v1/ops/batches/:id/messages/:message/acknowledgment': [
    `/v1/ops/batches/b_${'0'.repeat(26)}/messages/1/acknowledgment`,
  ],
  'GET /v1/ops/batches/:id/messages/:message/source': [`/v1/ops/batches/b_${'0'.repeat(26)}/messages/1/source`],
  'GET /v1/ops/batches/:id/rerun': [`/v1/ops/batches/b_${'0'.repeat(26)}/rerun`],
  'GET /v1/ops/batches/:id/look-ups': [`/v1/ops/batches/b_${'0'.repeat(26)}/look-ups`],
  'GET /v1/ops/issues/:id': ['/v1/ops/issues/0123456789abcdef'],
  'GET /v1/ops/issues/:id/rows': ['/v1/ops/issues/0123456789abcdef/rows'],
  'GET /v1/ops/issues/:id/rows.csv': ['/v1/ops/issues/0123456789abcdef/rows.csv'],
  'POST /v1/ops/issues/:id/acknowledge': ['/v1/ops/issues/0123456789abcdef/acknowledge', { why: 'w' }],
  'POST /v1/ops/issues/:id/mute': [
    '/v1/ops/issues/0123456789abcdef/mute',
    { why: 'w', until: new Date(Date.now() + 86_400_000).toISOString() },
  ],
  'POST /v1/ops/issues/:id/reopen': ['/v1/ops/issues/0123456789abcdef/reopen', { why: 'w' }],
  'POST /v1/ops/issues/:id/resubmit': ['/v1/ops/issues/0123456789abcdef/resubmit', { why: 'w' }],
  'GET /v1/ops/loads/:loadNumber': ['/v1/ops/loads/NOBODYS-LOAD'],
  'GET /v1/ops/loads/:loadNumber/record': ['/v1/ops/loads/NOBODYS-LOAD/record'],
  'GET /v1/ops/orders/:name/:ref/record': ['/v1/ops/orders/nobody/NOBODYS-ORDER/record'],
  'GET /v1/ops/partners/:name/record': ['/v1/ops/partners/nobody/record'],
  'POST /v1/ops/loads/:loadNumber/erase': ['/v1/ops/loads/NOBODYS-LOAD/erase', { why: 'a test' }],
  'POST /v1/ops/orders/:name/:ref/erase': ['/v1/ops/orders/nobody/NOBODYS-ORDER/erase', { why: 'a test' }],
  'POST /v1/ops/partners/:name/erase': ['/v1/ops/partners/nobody/erase', { why: 'a test' }],
  'GET /v1/ops/orders/:ref': ['/v1/ops/orders/NOBODYS-ORDER'],
  'GET /v1/ops/letters/:batch/:record/:request': [`/v1/ops/letters/b_${'0'.repeat(26)}/1/1`],
  'POST /v1/ops/letters/:batch/:record/:request/decisions': [
    `/v1/ops/letters/b_${'0'.repeat(26)}/1/1/decisions`,
    { decision: 'send_again', why: 'a test' },
  ],
  'GET /v1/ops/channels/:name': ['/v1/ops/channels/nobody'],
  'POST /v1/ops/channels/:name/test': ['/v1/ops/channels/nobody/test', { why: 'a test' }],
  'POST /v1/ops/partners': ['/v1/ops/partners', { name: 'new', channel: 'nobody', why: 'a test' }],
  'GET /v1/ops/partners/:name': ['/v1/ops/partners/nobody'],
  'PATCH /v1/ops/partners/:name': ['/v1/ops/partners/nobody', { enabled: false, why: 'a test' }],
  'GET /v1/ops/partners/:name/keys': ['/v1/ops/partners/nobody/keys'],
  'POST /v1/ops/partners/:name/keys': ['/v1/ops/partners/nobody/keys', { why: 'a test' }],
  'POST /v1/ops/partners/:name/keys/:keyId/rotate': ['/v1/ops/partners/nobody/keys/none/rotate', { why: 'a test' }],
  'POST /v1/ops/partners/:name/keys/:keyId/revoke': ['/v1/ops/partners/nobody/keys/none/revoke', { why: 'a test' }],
  'GET /v1/ops/partners/:name/upload-links': ['/v1/ops/partners/nobody/upload-links'],
  'POST /v1/ops/partners/:name/upload-links': ['/v1/ops/partners/nobody/upload-links', { why: 'a test' }],
  'POST /v1/ops/partners/:name/upload-links/:link/revoke': [
    '/v1/ops/partners/nobody/upload-links/none/revoke',
    { why: 'a test' },
  ],
  'POST /v1/ops/operator-keys': [
    '/v1/ops/operator-keys',
    { name: 'New', role: 'viewer', environments: ['test'], expires: 'soon', why: 'a test' },
  ],
  'POST /v1/ops/operator-keys/:keyId/rotate': ['/v1/ops/operator-keys/none/rotate', { why: 'a test' }],
  'POST /v1/ops/operator-keys/:keyId/revoke': ['/v1/ops/operator-keys/none/revoke', { why: 'a test' }],
  'GET /v1/ops/partners/:name/envelopes': ['/v1/ops/partners/nobody/envelopes'],
  'PUT /v1/ops/partners/:name/envelopes': ['/v1/ops/partners/nobody/envelopes', { rules: {}, note: 'a test' }],
  'PUT /v1/ops/alert-webhook': ['/v1/ops/alert-webhook', { url: 'https://10.0.0.1/', note: 'a test' }],
  'DELETE /v1/ops/alert-webhook': ['/v1/ops/alert-webhook'],
  'POST /v1/ops/alert-webhook/rotate': ['/v1/ops/alert-webhook/rotate', { note: 'a test' }],
  'POST /v1/ops/alert-webhook/test': ['/v1/ops/alert-webhook/test', { note: 'a test' }],
  'GET /v1/ops/partners/:name/webhooks': ['/v1/ops/partners/nobody/webhooks'],
  'GET /v1/ops/partners/:name/webhooks/:target': ['/v1/ops/partners/nobody/webhooks/one'],
  'PUT /v1/ops/partners/:name/webhooks/:target': [
    '/v1/ops/partners/nobody/webhooks/one',
    { url: 'https://hooks.example/', events: ['batch.settled'], note: 'a test' },
  ],
  'DELETE /v1/ops/partners/:name/webhooks/:target': ['/v1/ops/partners/nobody/webhooks/one'],
  'POST /v1/ops/partners/:name/webhooks/:target/rotate': [
    '/v1/ops/partners/nobody/webhooks/one/rotate',
    { note: 'a test' },
  ],
  'GET /v1/ops/partners/:name/webhooks/:target/deliveries': ['/v1/ops/partners/nobody/webhooks/one/deliveries'],
  'POST /v1/ops/partners/:name/webhooks/:target/deliveries/:event/send-again': [
    `/v1/ops/partners/nobody/webhooks/one/deliveries/e_${'0'.repeat(32)}/send-again`,
  ],
  'GET /v1/ops/partners/:name/feed': ['/v1/ops/partners/nobody/feed'],
  'PUT /v1/ops/partners/:name/feed': [
    '/v1/ops/partners/nobody/feed',
    { partnerId: 'P', clientId: 'C', channel: 'plain', note: 'a test' },
  ],
  'POST /v1/ops/feeds/:name/poll': ['/v1/ops/feeds/nobody/poll', { why: 'a test' }],
  'POST /v1/ops/feeds/:name/repair': ['/v1/ops/feeds/nobody/repair', { why: 'a test' }],
  'POST /v1/ops/feeds/:name/skip': ['/v1/ops/feeds/nobody/skip', { why: 'a test', orderRef: 'SO-1' }],
  'POST /v1/ops/feeds/:name/polls/:poll/reread': ['/v1/ops/feeds/nobody/polls/1/reread', { why: 'a test' }],
  'GET /v1/ops/partners/:name/envelopes/history': ['/v1/ops/partners/nobody/envelopes/history'],
  'GET /v1/ops/feeds/:name': ['/v1/ops/feeds/nobody'],
  'GET /v1/ops/orders': ['/v1/ops/orders?partner=nobody'],
  'GET /v1/ops/orders/:name/:ref/feed': ['/v1/ops/orders/nobody/SO-1/feed'],
  'GET /v1/ops/orders/:name/:ref/tracks': ['/v1/ops/orders/nobody/SO-1/tracks'],
  'GET /v1/ops/orders/:name/:ref': ['/v1/ops/orders/nobody/SO-1'],
  'PUT /v1/ops/orders/:name/:ref/base': [
    '/v1/ops/orders/nobody/SO-1/base',
    { document: { orderRef: 'SO-1' }, why: 'a test' },
  ],
  'POST /v1/ops/letters/decisions': [
    '/v1/ops/letters/decisions',
    { decision: 'send_again', partner: 'nobody', why: 'a test' },
  ],
  'GET /v1/ops/actions/:id/requests': [`/v1/ops/actions/a_${'0'.repeat(32)}/requests`],
  'POST /v1/ops/replays': ['/v1/ops/replays', { partner: 'nobody', why: 'a test' }],
  'GET /v1/ops/actions/:id': [`/v1/ops/actions/a_${'0'.repeat(32)}`],
  'POST /v1/ops/actions/:id/cancel': [`/v1/ops/actions/a_${'0'.repeat(32)}/cancel`],
  'PATCH /v1/ops/people/:id': ['/v1/ops/people/nobody', { role: 'viewer', why: 'a test' }],
  'GET /v1/ops/mapping-proposals/:id': ['/v1/ops/mapping-proposals/none'],
  'POST /v1/ops/mapping-proposals/:id/publish': ['/v1/ops/mapping-proposals/none/publish', { why: 'a test' }],
  'POST /v1/ops/mapping-proposals/:id/decline': ['/v1/ops/mapping-proposals/none/decline', { why: 'a test' }],
  'DELETE /v1/ops/people/:id': ['/v1/ops/people/nobody', { why: 'a test' }],
  'POST /v1/ops/people/:id/link': ['/v1/ops/people/nobody/link', { why: 'a test' }],
};
/** Drafts come as a form, which this is not; a suggestion reads any text. */
const NO_FORM = new Set(['preview', 'example', 'compare'].map((what) => `POST /v1/ops/mappings/${what}`));
/** What these say of a channel, an end of a key or an address that are none. */
const UNUSABLE = new Set(['POST /v1/ops/partners', 'POST /v1/ops/operator-keys', 'PUT /v1/ops/alert-webhook']);
const allowed = (route: string): number =>
  UNUSABLE.has(route) ? 422 : NO_FORM.has(route) ? 400 : NOTHING_THERE[route] ? 404 : 200;

/** A request that is answered as `allowed` says to whoever may make it. */
function asked(route: string): [string, RequestInit] {
  const [method = '', path = ''] = route.split(' ');
  const [there, content] = NOTHING_THERE[route] ?? [];
  if (there !== undefined) {
    const headers = { 'Idempotency-Key': 'click' };
    return [there, content === undefined ? { method } : { method, headers, body: JSON.stringify(content) }];
  }
  const isList = path.includes('code-lists');
  const isChannel = path.includes('/channels/');
  const name = isList ? 'us-time-zones' : isChannel ? 'plain' : 'carrier-status-csv';
  const text = (isList ? BUNDLED_CODE_LISTS : BUNDLED_DOCUMENTS).get(name) ?? '';
  const bodies: Record<string, string> = {
    PUT: path.includes('answer-mappings')
      ? JSON.stringify({ mapping: DEFAULT_ANSWER_MAPPING, note: 'a test' })
      : path.endsWith('/owners')
        ? JSON.stringify({ shared: true, note: 'a test' })
        : `# published by a test\n${text}`,
    PATCH: JSON.stringify({ set: { NT: 'America/St_Johns' } }),
    POST: JSON.stringify(
      path.endsWith('/people')
        ? { name: 'somebody', role: 'viewer', environments: ['test'], why: 'a test' }
        : isChannel
          ? { scope: 'auth', reason: 'the key was renewed' }
          : { to: 'bundled' },
    ),
  };
  const query = QUERIES.find(([ending]) => path.endsWith(ending))?.[1] ?? '';
  const body = bodies[method];
  return [path.replace(':name', name) + query, body === undefined ? { method } : { method, body }];
}

/** What an address must say. */
const QUERIES = [
  ['/diff', '?from=bundled'],
  ['/interchanges', '?control=000000905'],
  ['/ops/rows', '?text=nobodys'],
] as const;

const publications = async (): Promise<number> =>
  (await env.DIRECTORY.prepare('SELECT * FROM publication').all()).results.length;

describe('the list of ops routes', () => {
  it('has a case here for every one of the app', () => {
    const registered = appRoutes().map(({ method, path }) => `${method} ${path}`);
    expect(registered.filter((route) => route.includes(' /v1/ops')).sort()).toEqual([...routes].sort());
  });

  it('says of each the least role that the contract says: `who-may-do-what` holds all callers against that', () => {
    const inContract = routes.map((route) => CONTRACT_ROUTES[route.replace(/:(\w+)/g, '{$1}')]?.who);
    expect(inContract).toEqual(routes.map((route) => ROUTES[route]));
  });
});

describe.each(routesOfAnEnvironment)('%s', (route) => {
  afterAll(() => reset());

  it('needs an environment that the key may act on', async () => {
    const [path, init] = asked(route);
    const at = (environment: string) => `${path}${path.includes('?') ? '&' : '?'}environment=${environment}`;
    const test = await anOperator({ role: 'admin' });
    const before = await publications();
    expect((await problemOf(await test.fetch(at('production'), init))).code).toBe('environment_not_allowed');
    expect((await problemOf(await test.fetch(at('staging'), init))).code).toBe('parameter_invalid');
    const both = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    expect((await problemOf(await both.fetch(path, init))).code).toBe('environment_required');
    expect(await publications()).toBe(before);
    const answer = await both.fetch(at('production').replace('/plain/', '/live/'), init);
    expect(answer.status).toBe(allowed(route));
    await answer.arrayBuffer();
  });

  it('refuses a parameter that it does not have', async () => {
    const [path, init] = asked(route);
    const operator = await anOperator({ role: 'admin' });
    const before = await publications();
    const misspelt = `${path}${path.includes('?') ? '&' : '?'}dryrun=true`;
    expect((await problemOf(await operator.fetch(misspelt, init))).code).toBe('parameter_unknown');
    expect(await publications()).toBe(before);
  });
});

describe('an ops key', () => {
  afterEach(() => reset());

  const PARTNER_ROUTES: [string, RequestInit][] = [
    ['/v1/batches', {}],
    ['/v1/batches?mapping=carrier-status-csv', { method: 'PUT', body: 'x' }],
    ['/v1/messages?mapping=carrier-status-csv', { method: 'POST', body: 'x' }],
    ['/v1/messages/b_00000000000000000000000000/1', {}],
    ['/v1/mappings', {}],
    ['/v1/vehicles', {}],
    ['/v1/mappings/carrier-status-csv/preview', { method: 'POST', body: 'x' }],
  ];
  it.each(PARTNER_ROUTES)('is nobody where partners sign in: %s', async (path, init) => {
    const admin = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const answer = await admin.fetch(path, init);
    expect(await problemOf(answer)).toMatchObject({ status: 401, title: 'Key not accepted' });
  });

  it('does nothing from the moment it is revoked', async () => {
    const operator = await anOperator();
    expect((await operator.fetch('/v1/ops/mappings')).status).toBe(200);
    await env.DIRECTORY.prepare('UPDATE ops_key SET revoked_at = ? WHERE key_id = ?').bind('now', operator.keyId).run();
    expect((await operator.fetch('/v1/ops/mappings')).status).toBe(401);
  });

  it('does nothing from the moment it expires', async () => {
    const expired = await anOperator({ expiresAt: new Date(Date.now() - 1).toISOString() });
    expect((await expired.fetch('/v1/ops/mappings')).status).toBe(401);
  });

  it('with the secret of another is refused', async () => {
    const [one, other] = [await anOperator(), await anOperator()];
    const mixed = `${one.key.slice(0, one.key.lastIndexOf('_'))}${other.key.slice(other.key.lastIndexOf('_'))}`;
    const answer = await one.fetch('/v1/ops/mappings', { headers: { Authorization: `Bearer ${mixed}` } });
    expect(answer.status).toBe(401);
  });

  it('is told to come again while the directory is down, never that it is wrong', async () => {
    const operator = await anOperator();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await env.DIRECTORY.prepare('DROP TABLE ops_key').run();
    const answer = await operator.fetch('/v1/ops/mappings');
    expect(await problemOf(answer)).toMatchObject({ status: 503, code: 'directory_unavailable' });
  });

  it('opens nothing at an address that is not there, and without one nothing is told about it', async () => {
    const operator = await anOperator();
    expect((await problemOf(await operator.fetch('/v1/ops/nothing'))).code).toBe('not_found');
    expect((await bridge(`${ORIGIN}/v1/ops/nothing`)).status).toBe(401);
  });
});
