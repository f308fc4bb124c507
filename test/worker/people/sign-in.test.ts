/** Who a key is: through the directory in D1, and through every way a key can be presented. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newKey } from '../../../src/ops/directory/keys.ts';
import { bridge } from '../bridge.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, ORIGIN, problemOf } from '../partners.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const asking = (authorization?: string, path = '/v1/batches'): Promise<Response> =>
  bridge(ORIGIN + path, authorization === undefined ? {} : { headers: { Authorization: authorization } });
const strangersKey = () => newKey('test', crypto.getRandomValues(new Uint8Array(40)));
const secretOf = (key: string): string => key.slice(key.lastIndexOf('_') + 1);

describe('a key', () => {
  it.each([
    ['as Bearer', (key: string) => `Bearer ${key}`],
    ['as bearer in small letters', (key: string) => `bearer ${key}`],
    ['as the password of Basic, whatever the user', (key: string) => `Basic ${btoa(`old-system:${key}`)}`],
    ['as the password of Basic without a user', (key: string) => `Basic ${btoa(`:${key}`)}`],
  ])('is taken %s', async (_, present) => {
    const partner = await aPartner();
    expect((await asking(present(partner.key))).status).toBe(200);
  });

  it('belongs to the environment its row says, whatever its prefix says', async () => {
    const [test, live] = [
      await aPartner({ partner: 'both' }),
      await aPartner({ partner: 'both', environment: 'production' }),
    ];
    await live.receipt(statusFile(...statusRows(1, 1)));
    const disguised = live.key.replace(/^tllive_/, 'tltest_');
    const listed = async (key: string) =>
      (await (await asking(`Bearer ${key}`)).json<{ batches: unknown[] }>()).batches.length;
    expect([await listed(disguised), await listed(live.key), await listed(test.key)]).toEqual([1, 1, 0]);
  });

  it('is one of two that a partner may have at a time, and both see the same batches', async () => {
    const [old, fresh] = [await aPartner({ partner: 'rotating' }), await aPartner({ partner: 'rotating' })];
    const { batchId } = await old.receipt(statusFile(...statusRows(1, 1)));
    expect((await fresh.summary(batchId)).batchId).toBe(batchId);
  });

  it('is stored as a hash of its secret only', async () => {
    const partner = await aPartner();
    const { results } = await env.DIRECTORY.prepare('SELECT * FROM partner_key').all();
    expect(JSON.stringify(results)).toContain(partner.keyId);
    expect(JSON.stringify(results)).not.toContain(secretOf(partner.key));
  });
});

describe('a request is refused', () => {
  const wrongKeys: [string, (key: string) => string][] = [
    ['with a wrong secret', (key) => `Bearer ${key.slice(0, -4)}0000`],
    ['with the secret of another key', (key) => `Bearer ${key.replace(secretOf(key), strangersKey().secret)}`],
    ['with an unknown id', () => `Bearer ${strangersKey().key}`],
    ['with a cut key', (key) => `Bearer ${key.slice(0, -1)}`],
    ['with a longer key', (key) => `Bearer ${key}0`],
    ['with the id alone', (key) => `Bearer ${key.split('_')[1]}`],
    ['with the hash in place of the secret', (key) => `Bearer ${key.replace(secretOf(key), '0'.repeat(64))}`],
    ['with a key that tries to be SQL', () => `Bearer tltest_' OR 1=1 --_${'a'.repeat(64)}`],
    ['with Basic that is not base64', () => 'Basic %%%'],
    ['with the key as user of Basic and no password', (key) => `Basic ${btoa(`${key}:`)}`],
    ['with another scheme', (key) => `Digest ${key}`],
    ['with a scheme and nothing else', () => 'Bearer'],
    ['with the bare key', (key) => key],
  ];
  it.each(wrongKeys)('%s', async (_, present) => {
    const partner = await aPartner();
    const answer = await asking(present(partner.key));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="Transload"');
    const { requestId, ...problem } = await problemOf(answer);
    expect(problem).toMatchObject({ code: 'unauthorized', title: 'Key not accepted' });
    const { requestId: _other, ...unknown } = await problemOf(await asking(`Bearer ${strangersKey().key}`));
    expect(problem, 'all wrong keys look alike').toEqual(unknown);
  });

  it('without a key, and told how to send one', async () => {
    await aPartner();
    const problem = await problemOf(await asking());
    expect(problem).toMatchObject({ status: 401, title: 'Key missing', fix: expect.stringContaining('Bearer') });
  });

  it('from the moment its key is revoked', async () => {
    const partner = await aPartner();
    expect((await partner.fetch('/v1/batches')).status).toBe(200);
    await env.DIRECTORY.prepare('UPDATE partner_key SET revoked_at = ? WHERE key_id = ?')
      .bind(new Date().toISOString(), partner.keyId)
      .run();
    expect((await partner.fetch('/v1/batches')).status).toBe(401);
    expect((await partner.upload(statusFile(...statusRows(1, 1)))).status).toBe(401);
    expect((await env.FILES.list()).objects).toEqual([]);
  });

  it('from the moment its key expires', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const aMomentAgo = new Date(Date.now() - 1).toISOString();
    expect((await (await aPartner({ expiresAt: inAnHour })).fetch('/v1/batches')).status).toBe(200);
    expect((await (await aPartner({ expiresAt: aMomentAgo })).fetch('/v1/batches')).status).toBe(401);
  });

  it.each(['/console', '/console/batches', '/console/batches/b_00000000000000000000000000', '/console/feeds'])(
    'on pages, whatever key it has: they need a session, and no browser asks for a key: %s',
    async (path) => {
      const partner = await aPartner();
      for (const authorization of [undefined, `Bearer ${partner.key}`, `Basic ${btoa(`any:${partner.key}`)}`]) {
        const answer = await asking(authorization, path);
        expect(answer.status).toBe(401);
        expect(answer.headers.get('WWW-Authenticate')).toBeNull();
        expect((await problemOf(answer)).code).toBe('session_missing');
      }
    },
  );
});

describe('while the directory is down', () => {
  const down = async (): Promise<void> => {
    await env.DIRECTORY.prepare('ALTER TABLE partner_key RENAME TO partner_key_away').run();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  };

  it.each([
    ['GET', '/v1/batches'],
    ['PUT', '/v1/batches?mapping=carrier-status-csv'],
    ['GET', '/console/batches/b_00000000000000000000000000'],
  ])('a right key is told to come again, never that it is wrong: %s %s', async (method, path) => {
    const partner = await aPartner();
    await down();
    const answer = await partner.fetch(path, method === 'PUT' ? { method, body: statusFile() } : {});
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(answer.headers.get('WWW-Authenticate')).toBeNull();
    expect((await problemOf(answer)).code).toBe('directory_unavailable');
  });

  it('delivery goes on', async () => {
    const held = heldAnswer();
    const { left, answer } = upstreamAnswers(held.answer);
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile(...statusRows(6, 2)));
    await vi.waitFor(() => expect(left).toHaveLength(2), PATIENCE);
    await down();
    answer(200);
    held.release(200);
    await vi.waitFor(() => expect(left).toHaveLength(6), PATIENCE);
    await env.DIRECTORY.prepare('ALTER TABLE partner_key_away RENAME TO partner_key').run();
    await partner.reaches(batchId, 'settled');
  });
});
