/**
 * Every route of the app, as several callers: whose batch it shows, what every answer carries, how every refusal looks.
 *
 * The cases are held against the app's own list of routes, so that a new route without a case fails here.
 */
import { createExecutionContext, listDurableObjectIds, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { routes } from '../../../scripts/reference/routes.ts';
import worker from '../../../src/index.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { loadName, orderName } from '../../../src/kernel/names.ts';
import { bridge } from '../bridge.ts';
import { statusFile, statusRow, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, ORIGIN, type Partner, problemOf, type Receipt } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/**
 * What a route is to a caller: `batch` shows one batch of their own, `action` does something with it (refused for one that has
 * settled with nothing to send), `message` shows one message of their own, `load` one load, `list` shows all of their own, `upload` takes a file, `mapping` shows mappings that the key
 * may use, `draft` is about one that is being written (mappings.test.ts, mapping-proposals.test.ts), `order` shows orders and what became of them (order-views.test.ts), `orderList` those of the caller (order-tracks.test.ts), `home` leads to the first page (console-home.test.ts), `fleet` shows what the upstream says of vehicles and locations (fleet-reads.test.ts), `own` is what a partner set up or sent itself (own-setup.test.ts), `open` needs no key and shows nothing of anybody.
 */
type RouteKind =
  | 'batch'
  | 'own'
  | 'action'
  | 'message'
  | 'load'
  | 'list'
  | 'rowSearch'
  | 'upload'
  | 'mapping'
  | 'draft'
  | 'order'
  | 'orderList'
  | 'fleet'
  | 'home'
  | 'open';
const ROUTES: Record<string, RouteKind> = {
  'GET /healthz': 'open',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /docs/:subject': 'open',
  'GET /problems': 'open',
  'GET /problems/:code': 'open',
  'POST /v1/batches': 'upload',
  'PUT /v1/batches': 'upload',
  'POST /v1/batches/:fileName': 'upload',
  'PUT /v1/batches/:fileName': 'upload',
  'GET /v1/batches': 'list',
  'GET /v1/batches/:id': 'batch',
  'GET /v1/batches/:id/rows': 'batch',
  'GET /v1/batches/:id/rows/:record': 'batch',
  'GET /v1/batches/:id/issues': 'batch',
  'GET /v1/batches/:id/messages': 'batch',
  'GET /v1/batches/:id/report.csv': 'batch',
  'GET /v1/batches/:id/report.json': 'batch',
  'GET /v1/batches/:id/corrections': 'batch',
  'GET /v1/batches/:id/correctable': 'batch',
  'GET /v1/batches/:id/source': 'batch',
  'GET /v1/batches/:id/acknowledgment': 'batch',
  'POST /v1/batches/:id/corrections': 'action',
  'POST /v1/batches/:id/cancel': 'action',
  'POST /v1/batches/:id/retry': 'action',
  'POST /v1/messages': 'upload',
  'GET /v1/messages/:id/:message': 'message',
  'GET /v1/messages/:id/:message/rows': 'message',
  'GET /v1/messages/:id/:message/acknowledgment': 'message',
  'GET /v1/messages/:id/:message/source': 'message',
  'GET /v1/loads/:loadNumber': 'load',
  'GET /v1/rows': 'rowSearch',
  'GET /v1/mappings': 'mapping',
  'POST /v1/mappings/preview': 'draft',
  'POST /v1/mappings/example': 'draft',
  'POST /v1/mappings/compare': 'draft',
  'POST /v1/mappings/suggest': 'draft',
  'GET /v1/mapping-proposals': 'draft',
  'POST /v1/mapping-proposals': 'draft',
  'GET /v1/mapping-proposals/:id': 'draft',
  'POST /v1/mapping-proposals/:id/withdraw': 'draft',
  'GET /v1/mappings/:name': 'mapping',
  'POST /v1/mappings/match': 'draft',
  'GET /v1/mappings/:name/sample': 'mapping',
  'POST /v1/mappings/:name/preview': 'mapping',
  'GET /v1/interchanges': 'own',
  'GET /v1/keys': 'own',
  'POST /v1/keys': 'own',
  'POST /v1/keys/:keyId/rotate': 'own',
  'POST /v1/keys/:keyId/revoke': 'own',
  'GET /v1/webhooks': 'own',
  'GET /v1/webhooks/:target': 'own',
  'GET /v1/webhooks/:target/deliveries': 'own',
  'POST /v1/webhooks/:target/rotate': 'own',
  'POST /v1/webhooks/:target/deliveries/:event/send-again': 'own',
  'GET /v1/orders': 'orderList',
  'GET /v1/orders/:ref': 'order',
  'GET /v1/orders/:ref/tracks': 'order',
  'GET /v1/orders/:ref/feed': 'order',
  'GET /v1/order-events': 'order',
  'GET /v1/order-events.csv': 'order',
  'GET /v1/order-events.edi': 'order',
  'GET /v1/vehicles': 'fleet',
  'GET /v1/vehicles.csv': 'fleet',
  'GET /v1/vehicles/:vehicleNumber': 'fleet',
  'GET /v1/service-history': 'fleet',
  'GET /v1/service-history.csv': 'fleet',
  'GET /v1/locations': 'fleet',
  'GET /v1/locations.csv': 'fleet',
  'GET /v1/locations/:locationNumber': 'fleet',
  'GET /': 'home',
};
const routesThatAre = (kind: RouteKind): string[] => Object.keys(ROUTES).filter((route) => ROUTES[route] === kind);

const NOBODYS_ORDER = 'NOBODYS-ORDER';
const NOBODYS_BATCH = 'b_0123456789abcdefghjkmnpqrs';

function asked(route: string, batchId = NOBODYS_BATCH): [string, RequestInit] {
  const [method = '', path = ''] = route.split(' ');
  const address = path
    .replace(':id', batchId)
    .replace(':message', '1')
    .replace(':record', '1')
    .replace(':fileName', 'events.csv')
    .replace(':loadNumber', 'CANARY-LOAD')
    .replace(':ref', NOBODYS_ORDER)
    .replace(':subject', 'batches')
    .replace(':code', 'batch_unknown')
    .replace(':name', 'carrier-status-csv');
  if (ROUTES[route] === 'rowSearch') return [`${address}?text=%22Q9%22`, {}];
  if (method === 'GET') return [address, {}];
  if (ROUTES[route] === 'action') return [address, { method }];
  return [`${address}?mapping=carrier-status-csv`, { method, body: statusFile(...statusRows(1, 1)) }];
}
const withoutKey = ([path, init]: [string, RequestInit]): Promise<Response> => bridge(ORIGIN + path, init);

/** A CSV file has no acknowledgment, and its owner is told so. */
const ownerSees = (route: string): number =>
  route === 'POST /v1/batches/:id/corrections'
    ? 400
    : ROUTES[route] === 'action'
      ? 409
      : route.endsWith('/acknowledgment')
        ? 404
        : 200;

/** A canary stands in the file, so that it can be searched for in what others get. */
async function settledBatch(owner: Partner): Promise<Receipt> {
  const receipt = await owner.receipt(statusFile(statusRow('CANARY-LOAD'), statusRow('CANARY-BAD', { Status: 'Q9' })));
  await owner.reaches(receipt.batchId, 'settled');
  return receipt;
}

describe('the list of routes', () => {
  it('has a case here for every route of the app but those of operators', () => {
    const registered = routes().map(({ method, path }) => `${method} ${path}`);
    const ofPartners = registered.filter((route) => !route.includes(' /v1/ops')); // those of operators: ops-roles.test.ts
    expect(ofPartners.sort()).toEqual(Object.keys(ROUTES).sort());
  });
});

describe('a batch', () => {
  it.each([...routesThatAre('batch'), ...routesThatAre('action')])(
    'is there for its owner alone: %s',
    async (route) => {
      const owner = await aPartner();
      const { batchId } = await settledBatch(owner);
      const shown = await owner.fetch(...asked(route, batchId));
      expect(shown.status).toBe(ownerSees(route));
      expect((await shown.bytes()).length).toBeGreaterThan(0);

      const others = {
        'another partner': await aPartner(),
        'the same partner in the other environment': await aPartner({ partner: owner.name, environment: 'production' }),
      };
      for (const [who, other] of Object.entries(others)) {
        const answer = await other.fetch(...asked(route, batchId));
        expect(answer.status, who).toBe(404);
        const { requestId, ...problem } = await problemOf(answer);
        expect(problem.code).toBe('batch_unknown');
        expect(JSON.stringify(problem)).not.toContain('CANARY');
        expect(JSON.stringify(problem)).not.toContain(owner.name);
        const { requestId: _, ...madeUp } = await problemOf(await other.fetch(...asked(route)));
        expect(problem, 'like an id that does not exist').toEqual(madeUp);
      }
      expect((await withoutKey(asked(route, batchId))).status).toBe(401);
    },
  );

  it('that was made up creates no object, whatever its id looks like', async () => {
    const partner = await aPartner();
    const before = (await listDurableObjectIds(env.BATCH)).length;
    for (const batchId of [
      NOBODYS_BATCH,
      'b_short',
      '..%2F..',
      'b_%00',
      '%5B%22test%22%5D',
      'B_0123456789ABCDEFGHJKMNPQRS',
    ]) {
      const answer = await partner.fetch(`/v1/batches/${batchId}/rows`);
      expect(answer.status, batchId).toBe(404);
    }
    expect(await listDurableObjectIds(env.BATCH)).toHaveLength(before);
  });
});

describe('a message', () => {
  it.each(routesThatAre('message'))('is there for its owner alone: %s', async (route) => {
    const owner = await aPartner();
    const [address, init] = asked('POST /v1/messages');
    const { batchId } = await (
      await owner.fetch(address, { ...init, body: statusFile(statusRow('CANARY-LOAD')) })
    ).json<Pick<Receipt, 'batchId'>>();
    await owner.reaches(batchId, 'settled');
    const shown = await owner.fetch(...asked(route, batchId));
    expect(shown.status).toBe(ownerSees(route));
    await shown.bytes();
    for (const other of [await aPartner(), await aPartner({ partner: owner.name, environment: 'production' })]) {
      const { requestId, ...problem } = await problemOf(await other.fetch(...asked(route, batchId)));
      expect(problem).toMatchObject({ status: 404, code: 'message_unknown' });
      expect(JSON.stringify(problem)).not.toContain('CANARY');
      const { requestId: _, ...madeUp } = await problemOf(await other.fetch(...asked(route)));
      expect(problem, 'like an id that does not exist').toEqual(madeUp);
    }
    expect((await withoutKey(asked(route, batchId))).status).toBe(401);
  });

  it.each(['0', '01', '2', '-1', '1e0', '99999999'])('has one address and no other: %s', async (number) => {
    const owner = await aPartner();
    const { batchId } = await (await owner.fetch(...asked('POST /v1/messages'))).json<Pick<Receipt, 'batchId'>>();
    const answer = await owner.fetch(`/v1/messages/${batchId}/${number}`);
    expect((await problemOf(answer)).code).toBe('message_unknown');
  });
});

describe('a load', () => {
  it.each(routesThatAre('load'))('is there for its owner alone: %s', async (route) => {
    const owner = await aPartner();
    await settledBatch(owner);
    const shown = await owner.fetch(...asked(route));
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain('X3');

    const others = {
      'another partner': await aPartner(),
      'the same partner in the other environment': await aPartner({ partner: owner.name, environment: 'production' }),
      'the same partner with a key for another SCAC': await aPartner({ partner: owner.name, scacs: ['ELSE'] }),
    };
    for (const [who, other] of Object.entries(others)) {
      const answer = await other.fetch(...asked(route));
      expect(answer.status, who).toBe(404);
      const problem = await problemOf(answer);
      expect(problem.code).toBe('load_unknown_here');
      expect(JSON.stringify(problem)).not.toContain(owner.name);
    }
    expect((await withoutKey(asked(route))).status).toBe(401);
  });

  it('that was made up leaves nothing behind', async () => {
    const scacs = ['DEMO', 'ELSE'];
    const partner = await aPartner({ scacs });
    const madeUp = ['NOBODYS', '\0', '["test"]', 'a/b', 'L'.repeat(2_000)];
    for (const loadNumber of madeUp) {
      const answer = await partner.fetch(`/v1/loads/${encodeURIComponent(loadNumber)}`);
      expect(answer.status, loadNumber).toBe(404);
    }
    const scope = { environment: 'test', partner: partner.name } as const;
    for (const name of madeUp.flatMap((loadNumber) => scacs.map((scac) => loadName(scope, scac, loadNumber)))) {
      const tables = await runInDurableObject(env.LOAD.getByName(name), (_, { storage }) =>
        storage.sql.exec(`SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'`).toArray(),
      );
      expect(tables).toEqual([]);
    }
  });
});

describe('a list', () => {
  it.each(routesThatAre('list'))('shows a caller their own batches only: %s', async (route) => {
    const owner = await aPartner();
    const { batchId } = await settledBatch(owner);
    expect(await (await owner.fetch(...asked(route))).text()).toContain(batchId);
    for (const other of [await aPartner(), await aPartner({ partner: owner.name, environment: 'production' })]) {
      const answer = await other.fetch(...asked(route));
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ batches: [], next: null });
    }
    expect((await withoutKey(asked(route))).status).toBe(401);
  });
});

describe('an upload', () => {
  it.each(routesThatAre('upload'))(
    'belongs to its key, and the same file of two partners is two batches: %s',
    async (route) => {
      const [one, other] = [await aPartner(), await aPartner()];
      const live = await aPartner({ partner: one.name, environment: 'production' });
      const receipts: Receipt[] = [];
      for (const partner of [one, other, live]) {
        const answer = await partner.fetch(...asked(route));
        expect(answer.status).toBe(202);
        receipts.push(await answer.json<Receipt>());
      }
      expect(receipts.map(({ replayed }) => replayed)).toEqual([false, false, false]);
      expect(new Set(receipts.map(({ batchId }) => batchId)).size).toBe(3);
      expect((await other.fetch(receipts[0]?.links.self ?? '')).status).toBe(404);
      const refused = await withoutKey(asked(route));
      expect((await problemOf(refused)).status).toBe(401);
      expect((await env.FILES.list()).objects.filter(({ key }) => key.endsWith('/source'))).toHaveLength(3);
    },
  );
});

describe('the search for rows', () => {
  it.each(routesThatAre('rowSearch'))('finds a caller their own rows only: %s', async (route) => {
    expect((await problemOf(await withoutKey(asked(route)))).status).toBe(401);
    const owner = await aPartner();
    const { batchId } = await settledBatch(owner);
    await vi.waitFor(
      async () => expect(await (await owner.fetch(...asked(route))).text()).toContain(batchId),
      PATIENCE,
    );
    expect(await (await (await aPartner()).fetch(...asked(route))).text()).not.toContain(batchId);
  });
});

it.each(routesThatAre('draft'))('a mapping that is being written needs a key: %s', async (route) => {
  expect((await withoutKey(asked(route))).status).toBe(401);
});

describe('a mapping', () => {
  it.each(routesThatAre('mapping'))('is shown to whoever has a key, and to nobody else: %s', async (route) => {
    const partner = await aPartner();
    expect((await partner.fetch(...asked(route))).status).toBe(200);
    const refused = await withoutKey(asked(route));
    expect((await problemOf(refused)).status).toBe(401);
  });
});

describe('an order', () => {
  it.each(routesThatAre('order'))(
    'is shown to nobody without a key; one that is not there is 404, and leaves nothing behind: %s',
    async (route) => {
      const refused = await withoutKey(asked(route));
      expect((await problemOf(refused)).status).toBe(401);
      const partner = await aPartner();
      const answer = await partner.fetch(...asked(route));
      expect((await problemOf(answer)).status).toBe(404);
      const name = orderName({ environment: 'test', partner: partner.name }, NOBODYS_ORDER);
      await runInDurableObject(env.ORDER.getByName(name), (_, { storage }) =>
        expect(storage.sql.exec('SELECT name FROM sqlite_master').toArray()).toEqual([]),
      );
    },
  );
});

describe('the list of orders', () => {
  it.each(routesThatAre('orderList'))('is shown to nobody without a key, and has nobody else’s: %s', async (route) => {
    expect((await problemOf(await withoutKey(asked(route)))).status).toBe(401);
    const answer = await (await aPartner()).fetch(...asked(route));
    expect([answer.status, await answer.json()]).toEqual([200, { orders: [], next: null, followed: false }]);
  });
});

describe('vehicles and locations', () => {
  it.each(routesThatAre('fleet'))(
    'are shown to nobody without a key, and nobody is asked for them: %s',
    async (route) => {
      const { left, probes } = upstreamAnswers(200);
      const refused = await withoutKey(asked(route));
      expect((await problemOf(refused)).status).toBe(401);
      expect([left, probes]).toEqual([[], []]);
    },
  );
});

describe('an open route', () => {
  it.each(routesThatAre('open'))('needs no key and shows nothing of anybody: %s', async (route) => {
    const owner = await aPartner();
    const { batchId } = await settledBatch(owner);
    const answer = await withoutKey(asked(route));
    expect(answer.status).toBe(200);
    const text = await answer.text();
    for (const canary of [batchId, 'CANARY', owner.name, 'canary-']) expect(text).not.toContain(canary);
  });
});

describe('every answer', () => {
  it('carries the security headers, whatever is asked and whoever asks', async () => {
    const owner = await aPartner();
    const { batchId } = await owner.receipt(statusFile());
    await owner.reaches(batchId, 'settled');
    for (const route of Object.keys(ROUTES)) {
      for (const answer of [await owner.fetch(...asked(route, batchId)), await withoutKey(asked(route, batchId))]) {
        await answer.bytes();
        expect(Object.fromEntries(answer.headers), route).toMatchObject({
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'strict-transport-security': expect.stringMatching(/^max-age=\d{8}/),
          'content-security-policy': expect.stringMatching(/^default-src 'none'/),
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'x-request-id': expect.stringMatching(/\S/),
        });
        const isAsset = /\.(css|js)$/.test(route);
        const isRead = ROUTES[route] === 'fleet' && answer.ok;
        expect(answer.headers.get('Cache-Control'), route).toMatch(
          isAsset ? /^public, max-age=300$/ : isRead ? /^private, max-age=\d/ : /^no-store$/,
        );
        expect(answer.headers.get('Access-Control-Allow-Origin'), route).toBeNull();
      }
    }
  });

  it('of the console page has a policy that runs own scripts only', async () => {
    const owner = await aPartner();
    const { links } = await settledBatch(owner);
    const answer = await owner.fetch(`${links.console}?state=all`);
    const html = await answer.text();
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/);
    const policy = (answer.headers.get('Content-Security-Policy') ?? '').split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(html).not.toMatch(/<script>|\son\w+=|style="/);
    expect(html).toContain('CANARY-LOAD');
    expect(html).toContain('Q9');
  });

  it('of the console page shows what stands in a file as text, never as markup', async () => {
    const owner = await aPartner();
    const evil = '<img src=x onerror=alert(1)>';
    const file = statusFile(statusRow('LD1', { Status: evil }), statusRow(evil, { Reason: 'ZZ' }));
    const answer = await owner.fetch(`/v1/batches?mapping=carrier-status-csv&fileName=${encodeURIComponent(evil)}`, {
      method: 'PUT',
      body: file,
    });
    const { batchId, links } = await answer.json<Receipt>();
    await owner.reaches(batchId, 'settled');
    const html = await (await owner.fetch(links.console)).text();
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toContain('<img');
  });
});

describe('every refusal is a problem document with code and request id', () => {
  const refusals: [string, string, RequestInit, number, string][] = [
    ['nothing at the address', '/nowhere', {}, 404, 'not_found'],
    ['nothing for the method', '/v1/batches', { method: 'DELETE' }, 405, 'method_not_allowed'],
    ['nothing below a batch', `/v1/batches/${NOBODYS_BATCH}/nothing`, {}, 404, 'not_found'],
    ['unknown batch', `/v1/batches/${NOBODYS_BATCH}`, {}, 404, 'batch_unknown'],
    ['unusable key header', '/v1/batches', { headers: { Authorization: 'Basic !' } }, 401, 'unauthorized'],
    ['upload without mapping', '/v1/batches', { method: 'PUT', body: 'x' }, 400, 'mapping_missing'],
  ];
  it.each(refusals)('%s', async (_, path, init, status, code) => {
    const partner = await aPartner();
    const answer = await partner.fetch(path, init);
    expect(answer.status).toBe(status);
    expect((await problemOf(answer)).code).toBe(code);
  });

  it('something fails inside: the log has the cause, the answer has the request id and no more', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(IntakeRegister.prototype, 'list').mockRejectedValue(new Error('planned: canary-internal at /srv/x.ts:1'));
    const answer = await (await aPartner()).fetch('/v1/batches');
    expect(answer.status).toBe(500);
    const problem = await problemOf(answer);
    expect(problem.code).toBe('internal');
    expect(JSON.stringify(problem)).not.toContain('canary-internal');
    const line = JSON.parse(String(logged.mock.calls[0]?.[0])) as Record<string, string>;
    expect(line).toMatchObject({ event: 'request_failed', requestId: problem.requestId });
    expect(line.detail).toContain('canary-internal');
  });

  it.each(['/healthz', '/v1/batches?mapping=carrier-status-csv'])('configuration refused: %s', async (path) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const partner = await aPartner();
    const body = statusFile();
    const headers = { Authorization: `Bearer ${partner.key}`, 'Content-Length': String(body.length) };
    const request = new Request(ORIGIN + path, path === '/healthz' ? {} : { method: 'PUT', headers, body });
    const broken = { ...env, CHANNELS: '[{"name":"Wrong Name"}]' };
    const answer = await worker.fetch(request as never, broken, createExecutionContext());
    expect(answer.status).toBe(503);
    const problem = await problemOf(answer as unknown as Response);
    expect(problem.code).toBe('configuration_refused');
    expect(JSON.stringify(problem)).not.toMatch(/canary|Wrong Name/);
    expect(String(logged.mock.calls[0]?.[0])).toContain('CHANNELS');
    expect(String(logged.mock.calls[0]?.[0])).not.toContain('canary');
  });
});
