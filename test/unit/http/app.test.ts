import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aProblem, aRow, aSummary } from '../batch/samples.ts';
import { anApp, KNOWN_ID, OTHER_ID, problemOf, refusedSettings } from './samples.ts';

/** Every address that shows something of one batch; a new route joins this list. */
const BATCH_ROUTES = [
  `/v1/batches/ID`,
  `/v1/batches/ID/rows`,
  `/v1/batches/ID/report.csv`,
  `/v1/batches/ID/report.json`,
  `/v1/batches/ID/source`,
];
const SIGNED_IN_ROUTES = ['/v1/batches', ...BATCH_ROUTES];

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

describe('without a key that is known', () => {
  it.each(SIGNED_IN_ROUTES)('%s answers 401, whatever is asked for', async (route) => {
    const { request, asked } = anApp();
    for (const key of [null, 'wrong-key', '']) {
      const answer = await request(route.replace('ID', KNOWN_ID), { key });
      expect(answer.status).toBe(401);
      expect(await problemOf(answer)).toMatchObject({ code: 'unauthorized' });
    }
    expect(asked).toEqual([]);
  });

  it('says whether the key is missing or not accepted, and no more', async () => {
    const { request } = anApp();
    const [missing, wrong] = [await request('/v1/batches', { key: null }), await request('/v1/batches', { key: 'x' })];
    expect((await problemOf(missing)).title).toBe('Key missing');
    expect((await problemOf(wrong)).title).toBe('Key not accepted');
  });

  it('asks programs for a bearer key', async () => {
    const api = await anApp().request('/v1/batches', { key: null });
    expect(api.headers.get('WWW-Authenticate')).toMatch(/^Bearer /);
  });

  const BASIC = { Authorization: `Basic ${btoa('any:acme-key')}` };
  it.each<[string, Record<string, string>, boolean]>([
    ['another site, by the key that the browser remembers', { ...BASIC, 'Sec-Fetch-Site': 'cross-site' }, true],
    ['another host of this site', { ...BASIC, 'Sec-Fetch-Site': 'same-site' }, true],
    ['another site, in a browser that says only its origin', { ...BASIC, Origin: 'https://evil.example' }, true],
    ['this address', { ...BASIC, 'Sec-Fetch-Site': 'same-origin' }, false],
    ['a program', BASIC, false],
    ['a page that has the key itself', { Authorization: 'Bearer acme-key', 'Sec-Fetch-Site': 'cross-site' }, false],
  ])('of a change sent by %s', async (_, headers, isRefused) => {
    const answer = await anApp().request(`/v1/batches/${KNOWN_ID}/nothing`, { method: 'POST', key: null, headers });
    expect([answer.status, (await problemOf(answer)).code]).toEqual(
      isRefused ? [403, 'foreign_page'] : [404, 'not_found'],
    );
  });

  it('answers 503 and never 401 when keys cannot be checked', async () => {
    const { request } = anApp({ directory: { outcome: 'unavailable' } });
    const answer = await request('/v1/batches');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('60');
    expect(await problemOf(answer)).toMatchObject({ code: 'directory_unavailable' });
  });
});

describe('a batch that is not the caller’s', () => {
  it.each(BATCH_ROUTES)('%s answers 404, never 403, to every key but its own', async (route) => {
    for (const key of ['other-key', 'acme-live-key']) {
      const { request, asked } = anApp();
      const answer = await request(route.replace('ID', KNOWN_ID), { key });
      expect(answer.status).toBe(404);
      expect(await problemOf(answer)).toMatchObject({ code: 'batch_unknown' });
      expect(asked.filter((name) => name.startsWith('batch '))).toEqual([]);
    }
  });

  it.each(BATCH_ROUTES)('%s answers alike for an id that nobody has', async (route) => {
    const { request, asked } = anApp();
    const answer = await request(route.replace('ID', OTHER_ID));
    expect(answer.status).toBe(404);
    expect(asked.filter((name) => name.startsWith('batch '))).toEqual([]);
  });

  it.each(['1', 'b_1', '..%2F..', 'B_01KJP0000000000000000000AA', `${KNOWN_ID}x`, '["test","acme"]'])(
    'an id of another form, %s, wakes no object at all',
    async (id) => {
      const { request, asked } = anApp();
      const answer = await request(`/v1/batches/${encodeURIComponent(id)}`);
      expect(answer.status).toBe(404);
      expect(asked).toEqual([]);
    },
  );
});

describe('an address with a slash at the end', () => {
  it.each(['/v1/batches', ...BATCH_ROUTES.filter((route) => !/report|source/.test(route))])(
    'is the same address: %s',
    async (route) => {
      const path = route.replace('ID', KNOWN_ID);
      const [plain, slashed] = [anApp(), anApp()];
      const answers = [await plain.request(path), await slashed.request(`${path}/`)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(slashed.asked).toEqual(plain.asked);
    },
  );

  it.each(SIGNED_IN_ROUTES)('opens nothing without a key: %s', async (route) => {
    const { request, asked } = anApp();
    expect((await request(`${route.replace('ID', KNOWN_ID)}/`, { key: null })).status).toBe(401);
    expect(asked).toEqual([]);
  });
});

describe('a batch of the caller', () => {
  it('is shown with its links', async () => {
    const { request, asked } = anApp();
    const shown = await (await request(`/v1/batches/${KNOWN_ID}`)).json();
    expect(shown).toMatchObject({
      batchId: KNOWN_ID,
      state: 'settled',
      links: { rows: `/v1/batches/${KNOWN_ID}/rows` },
    });
    expect(asked).toEqual(['register ["test","acme"]', `batch ["test","acme","${KNOWN_ID}"]`]);
  });

  it('gives its rows page by page, and the address of the next', async () => {
    const { request, asked } = anApp({ rows: [aRow(4), aRow(5)] });
    const page = (await (await request(`/v1/batches/${KNOWN_ID}/rows?limit=2&after=3&state=delivered`)).json()) as {
      next: string;
    };
    expect(asked.at(-1)).toBe('rows 3 2 delivered');
    expect(page.next).toBe(`/v1/batches/${KNOWN_ID}/rows?after=5&limit=2&state=delivered`);
  });

  it('says that there is no next page after a short one', async () => {
    const { request } = anApp({ rows: [aRow(1)] });
    expect(await (await request(`/v1/batches/${KNOWN_ID}/rows`)).json()).toMatchObject({ next: null });
  });

  it('asks for 500 rows at most', async () => {
    const { request, asked } = anApp();
    await request(`/v1/batches/${KNOWN_ID}/rows?limit=999999`);
    expect(asked.at(-1)).toBe('rows 0 500 all');
  });

  it('names the states there are when one is asked for that there is not', async () => {
    const { request } = anApp();
    const document = await problemOf(await request(`/v1/batches/${KNOWN_ID}/rows?state=failed`));
    expect(document).toMatchObject({ status: 400, code: 'state_unknown' });
    expect(document.fix).toContain('rejected');
  });

  it('that could not be read has a report that says why', async () => {
    const summary = aSummary({ batchId: KNOWN_ID, state: 'unreadable', problems: [aProblem({ code: 'empty_file' })] });
    const { request } = anApp({ summary });
    const csv = await request(`/v1/batches/${KNOWN_ID}/report.csv`);
    expect(csv.headers.get('Content-Disposition')).toBe(`attachment; filename="${KNOWN_ID}-report.csv"`);
    expect(await csv.text()).toContain('"empty_file"');
    const json = await (await request(`/v1/batches/${KNOWN_ID}/report.json`)).json();
    expect(json).toMatchObject({ batch: { problems: [{ code: 'empty_file' }] }, rows: [] });
  });
});

describe('the list of batches', () => {
  const listed = (seq: number) => ({
    batch_id: KNOWN_ID,
    seq,
    state: 'settled',
    ticket: JSON.stringify({
      batchId: KNOWN_ID,
      mapping: 'stops',
      fileName: 'a.csv',
      bytes: 1,
      sha256: 'x',
      receivedAtMs: 0,
      dryRun: false,
      channel: 'canary-channel',
    }),
  });

  it('shows each with its links, and nothing of the channel', async () => {
    const { request } = anApp({ listed: [listed(7)] });
    const text = await (await request('/v1/batches')).text();
    expect(JSON.parse(text)).toMatchObject({
      batches: [{ batchId: KNOWN_ID, receivedAt: '1970-01-01T00:00:00.000Z', rows: null, rowStates: null }],
      next: null,
    });
    expect(text).not.toContain('canary');
  });

  it('goes on before the last one seen', async () => {
    const { request, asked } = anApp({ listed: [listed(7), listed(6)] });
    expect(await (await request('/v1/batches?limit=2')).json()).toMatchObject({ next: '/v1/batches?before=6&limit=2' });
    await request('/v1/batches?limit=2&before=6');
    expect(asked.at(-1)).toBe('list 6 2');
  });

  it.each(['', '?before=', '?before=many', '?before=1.5', '?limit='])(
    'begins with the newest when asked for %j',
    async (query) => {
      const { request, asked } = anApp();
      await request(`/v1/batches${query}`);
      expect(asked.at(-1)).toBe('list null 50');
    },
  );
});

describe('/healthz', () => {
  it('is open and says ok', async () => {
    const { request } = anApp();
    expect(await (await request('/healthz', { key: null })).json()).toEqual({ state: 'ok' });
  });

  it('answers 503 when the configuration is refused, and tells the log alone why', async () => {
    const { request } = anApp({ settings: refusedSettings });
    const answer = await request('/healthz', { key: null });
    expect(answer.status).toBe(503);
    expect(JSON.stringify(await problemOf(answer))).not.toContain('CHANNELS');
    expect(vi.mocked(console.error).mock.calls.join()).toContain('CHANNELS[0].baseUrl must be https');
  });
});

describe('what goes wrong', () => {
  it('is a problem document where nothing stands at an address', async () => {
    const { request } = anApp();
    expect(await problemOf(await request('/v2/batches'))).toMatchObject({ status: 404, code: 'not_found' });
    const wrong = await problemOf(await request('/v1/batches', { method: 'DELETE' }));
    expect(wrong).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  it('tells the caller a request id and the log the cause', async () => {
    const settings = () => {
      throw new Error('canary: a bug');
    };
    const { request } = anApp({ settings });
    const document = await problemOf(await request('/healthz'));
    expect(document).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(document)).not.toContain('canary');
    const logged = vi.mocked(console.error).mock.calls.join();
    expect(logged).toContain('canary: a bug');
    expect(logged).toContain(document.requestId);
  });
});

describe('an object that does not answer', () => {
  const lost = Object.assign(new Error('canary: connection lost'), { retryable: true });

  it.each(BATCH_ROUTES)(
    'is 503 at %s while it is trouble of the platform, with a time to come again',
    async (route) => {
      const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      const { request } = anApp({ trouble: lost });
      const answer = await request(route.replace('ID', KNOWN_ID));
      expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
      const document = await problemOf(answer);
      expect(document).toMatchObject({
        code: 'platform_unavailable',
        detail: expect.stringContaining('Nothing was lost'),
      });
      expect(document.fix).toContain('the same file is recognised');
      expect(JSON.stringify(document)).not.toContain('canary');
      expect(said.mock.calls.join()).toContain('canary: connection lost');
      expect(said.mock.calls.join()).toContain(document.requestId);
    },
  );

  it('is 503 where it is of another release, which does not know what it was asked', async () => {
    const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    // As the runtime says it: `npm run prove -- --upgrade` meets it there.
    const { request } = anApp({ trouble: new TypeError('The RPC receiver does not implement the method "findRows".') });
    const answer = await request(`/v1/batches/${KNOWN_ID}`);
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
    const document = await problemOf(answer);
    expect(document).toMatchObject({
      code: 'deploy_under_way',
      detail: expect.stringContaining('Nothing was changed'),
    });
    expect(JSON.stringify(document)).not.toContain('findRows');
    expect(said.mock.calls.join()).toContain('findRows');
  });

  it('is 500 where it is a bug', async () => {
    const { request } = anApp({ trouble: new TypeError('canary: a bug') });
    const answer = await request(`/v1/batches/${KNOWN_ID}`);
    expect(await problemOf(answer)).toMatchObject({ status: 500, code: 'internal' });
    expect(answer.headers.has('Retry-After')).toBe(false);
  });
});
