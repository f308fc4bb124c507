/** What HTTP expects of every address, over all routes of the contract: methods, media types, near misses, pages. */
import { describe, expect, it, vi } from 'vitest';
import { transloadApp } from '../../../src/http/app.ts';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import { routesAt } from '../../../src/http/contract/match.ts';
import type { AppPorts } from '../../../src/http/edge/ports.ts';

const operator = { keyId: 'k', name: 'Operator', role: 'admin', environments: ['test'] };
const partner = { keyId: 'k', partner: 'acme', environment: 'test', mappings: null, scacs: [], orderPair: null };
const known = (principal: object) => () => ({ signIn: async () => ({ outcome: 'known', principal }) });
const own: Readonly<Record<string | symbol, unknown>> = {
  directory: known(partner),
  opsDirectory: known(operator),
  pages: { css: '' },
  audit: () => ({ write: async () => undefined }),
  visitorNeeded: (_: unknown, next: () => Promise<void>) => next(),
};
const app = transloadApp(new Proxy({}, { get: (_, name) => own[name] ?? (() => undefined) }) as AppPorts);
const call = async (method: string, path: string, headers: Record<string, string> = {}) =>
  app.request(path, { method, headers: { Authorization: 'Bearer x', ...headers } }, {});

const paths = [...new Set(Object.keys(ROUTES).map((name) => name.split(' ')[1] ?? ''))].filter((path) =>
  path.startsWith('/v1/'),
);
const openPaths = Object.keys(ROUTES).flatMap((name) => (/^\w+ \/v1\//.test(name) ? [] : [name.split(' ')[1] ?? '']));
const filled = (path: string): string => path.replace(/\{\w+\}/g, 'x1');
const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'] as const;

describe.each(paths)('%s', (path) => {
  const has = routesAt(filled(path)).map(({ method }) => method);

  it('refuses other methods with 405, and says which there are', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    for (const method of METHODS.filter((each) => !has.includes(each))) {
      const answer = await call(method, filled(path));
      expect([method, answer.status]).toEqual([method, 405]);
      const allowed = answer.headers.get('Allow')?.split(', ') ?? [];
      expect(allowed).toEqual([...new Set([...has, ...(has.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort());
      expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' });
    }
    const options = await call('OPTIONS', filled(path));
    expect([options.status, options.headers.get('Allow')]).toEqual([204, expect.stringContaining('OPTIONS')]);
    vi.restoreAllMocks();
  });

  it('refuses to be read in a form that nobody makes with 406', async () => {
    const read = ROUTES[`GET ${path}`];
    if (read === undefined) return;
    const types = Object.entries(read.answers).flatMap(([status, { media }]) =>
      Number(status) < 300 ? Object.keys(media) : [],
    );
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const answer = await call('GET', filled(path), { Accept: 'application/x-nothing' });
    const open = types.includes('*/*') || /\.(?:csv|json|edi)$/.test(path);
    expect(answer.status === 406, `${types}`).toBe(!open);
    if (!open) expect(JSON.stringify(await answer.json())).toContain(types[0]);
    for (const accept of [types[0] ?? '*/*', '*/*', 'application/x-nothing, */*;q=0.1']) {
      expect((await call('GET', filled(path), { Accept: accept })).status).not.toBe(406);
    }
    vi.restoreAllMocks();
  });
});

it.each(openPaths)('%s says to anybody which methods it has, and refuses others', async (path) => {
  for (const headers of [{}, { Accept: 'text/html' }]) {
    const options = await app.request(filled(path), { method: 'OPTIONS', headers }, {});
    expect([options.status, options.headers.get('Allow'), await options.text()]).toEqual([
      204,
      'GET, HEAD, OPTIONS',
      '',
    ]);
  }
  const refused = await app.request(filled(path), { method: 'POST' }, {});
  expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

it.each(['/v1/loads/LD1', '/v1/orders/SO-1', '/v1/vehicles/0070', '/v1/locations/0100'])(
  '%s.csv is a table whatever is accepted',
  async (path) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect((await call('GET', path, { Accept: 'text/plain' })).status).toBe(406);
    expect((await call('GET', `${path}.csv`, { Accept: 'text/plain' })).status).not.toBe(406);
    vi.restoreAllMocks();
  },
);

it('takes a file whatever its sender accepts', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  expect((await call('PUT', '/v1/batches', { Accept: 'application/x-nothing' })).status).not.toBe(406);
  vi.restoreAllMocks();
});

it.each([
  ['/v1/batchs', '/v1/batches'],
  ['/v1/batches/b_1/row', '/v1/batches/b_1/rows'],
  ['/v1/batches/b_1/reports.csv', '/v1/batches/b_1/report.csv'],
  ['/v1/ops/isues', '/v1/ops/issues'],
  ['/v1/maping/orders', '/v1/mappings/orders'],
])('names the address that %s was probably meant to be', async (path, meant) => {
  const answer = await call('GET', path);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ code: 'not_found', fix: `Did you mean "${meant}"?` });
});

const withParameters = Object.entries(ROUTES).flatMap(([name, { who, query }]): [path: string, name: string][] => {
  const [method, path = ''] = name.split(' ');
  return method === 'GET' && who === 'partner' && path.startsWith('/v1/')
    ? Object.keys(query ?? {}).map((parameter) => [filled(path), parameter])
    : [];
});

it.each(withParameters)('%s names the parameter "%s" to whoever spells it nearly so', async (path, name) => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const misspelt of [name.toUpperCase(), ...(name.length > 2 ? [`${name[0]}${name}`] : [])]) {
    const answer = await call('GET', `${path}?${misspelt}=x`);
    expect([misspelt, answer.status]).toEqual([misspelt, 400]);
    const said = JSON.stringify(await answer.json());
    expect(said).toContain('parameter_unknown');
    expect(said).toContain(`Did you mean \\"${name}\\"?`);
  }
  vi.restoreAllMocks();
});

it.each([
  '/v1/batches',
  '/v1/batches/b_1/rows',
  '/v1/batches/b_1/corrections',
  '/v1/batches/b_1/correctable',
  '/v1/batches/b_1/acknowledgment',
  '/v1/interchanges',
  '/v1/orders/SO-1',
])('%s leaves alone what is nothing like its parameters', async (path) => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const own of ['_=1772460900', 'ts=1', 'nocache=1'])
    expect((await call('GET', `${path}?${own}`)).status).not.toBe(400);
  vi.restoreAllMocks();
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

it.each([
  ['/v1/batches/b_1', '/console/batches/b_1'],
  ['/v1/loads/LD%2F1?scac=DEMO', '/console/loads/LD%2F1?scac=DEMO'],
  ['/v1/orders/SO-1', '/console/orders/SO-1'],
  ['/v1/orders/%E2%82%AC%2F1?partner=%C5%81%26', '/console/orders/%E2%82%AC%2F1?partner=%C5%81%26'],
  ['/v1/orders/%E2%82%AC?partner=%2525', '/console/orders/%E2%82%AC?partner=%2525'],
  ['/v1/orders/50%25', '/console/orders/50%25'],
  ['/v1/orders/a%0Ab', '/console/orders/a%0Ab'],
  ['/v1/loads/a%0Db', '/console/loads/a%0Db'],
  ['/v1/batches/a%00b', '/console/batches/a%00b'],
])('sends a browser from %s to %s, and no program', async (path, page) => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const answer = await call('GET', path, { Accept: BROWSER });
  expect([answer.status, answer.headers.get('Location')]).toEqual([302, page]);
  const java = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
  for (const accept of ['*/*', 'application/json', 'application/json, text/html', java]) {
    expect((await call('GET', path, { Accept: accept })).status).not.toBe(302);
  }
  vi.restoreAllMocks();
});

it('gives a browser the table that an address names, and no page', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const path of ['/v1/loads/LD1.csv', '/v1/orders/SO-1.csv'])
    expect((await call('GET', path, { Accept: BROWSER })).status).not.toBe(302);
  vi.restoreAllMocks();
});

it('describes itself to anybody', async () => {
  const answer = await app.request('/openapi.json', {}, {});
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ openapi: '3.1.0' });
});
