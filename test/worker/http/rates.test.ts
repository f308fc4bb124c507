/** How much a key, an address with wrong keys, and a partner's backlog may ask for; and that nobody else feels it. */
import { createExecutionContext, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../../../src/index.ts';
import { NO_ROOM_REMEMBERED_MS } from '../../../src/intake/limits.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { registerName } from '../../../src/kernel/names.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** Lets so many through for each key that it is asked about. */
function limiter(most: number): RateLimit & { keys: Map<string, number> } {
  const keys = new Map<string, number>();
  return {
    keys,
    limit: async ({ key }) => {
      keys.set(key, (keys.get(key) ?? 0) + 1);
      return { success: (keys.get(key) ?? 0) <= most };
    },
  };
}

type Limits = Partial<Pick<Env, 'REQUESTS_OF_KEY' | 'TRIALS_OF_KEY' | 'WRONG_KEYS_OF_ADDRESS' | 'REQUESTS_PER_MINUTE'>>;

const under =
  (limits: Limits) =>
  (path: string, key: string, init: RequestInit = {}) =>
    worker.fetch(
      new Request(ORIGIN + path, {
        ...init,
        headers: { Authorization: `Bearer ${key}`, 'CF-Connecting-IP': '192.0.2.7', ...init.headers },
      }) as Parameters<typeof worker.fetch>[0],
      { ...env, ...limits },
      createExecutionContext(),
    );

const aFile = (load: string) => ({ method: 'POST', body: statusFile(statusRow(load)) });
const UPLOAD = '/v1/batches?mapping=carrier-status-csv';

describe('a key that asks too often', () => {
  it('is told its limit from the first answer on, then when to come again, and alone', async () => {
    const [busy, calm] = [await aPartner(), await aPartner()];
    const ask = under({ REQUESTS_OF_KEY: limiter(2), REQUESTS_PER_MINUTE: '2' });
    const first = await ask('/v1/mappings', busy.key);
    expect([first.status, first.headers.get('RateLimit-Policy')]).toEqual([200, '"requests";q=2;w=60']);
    await ask('/v1/mappings', busy.key);
    const refused = await ask(UPLOAD, busy.key, aFile('LD1'));
    expect(refused.headers.get('RateLimit')).toBe('"requests";r=0;t=60');
    expect(refused.headers.get('Retry-After')).toBe('60');
    expect((await problemOf(refused)).code).toBe('too_many_requests');
    expect((await ask('/v1/mappings', calm.key)).status).toBe(200);
    expect((await busy.getJson<{ batches: unknown[] }>('/v1/batches')).batches).toEqual([]);
  });

  it('is refused before the directory is asked, and wrong keys with its id do not hold it back', async () => {
    const partner = await aPartner();
    const ask = under({ REQUESTS_OF_KEY: limiter(2) });
    const wrong = `${partner.key.slice(0, -8)}00000000`;
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await ask('/v1/mappings', wrong)).status);
    expect(statuses).toEqual([401, 401, 429]);
    for (let at = 0; at < 2; at += 1) expect((await ask('/v1/mappings', partner.key)).status).toBe(200);
    const looked = vi.spyOn(env.DIRECTORY, 'prepare');
    expect((await ask('/v1/mappings', partner.key)).status).toBe(429);
    expect(looked).not.toHaveBeenCalled();
  });

  it('goes on where the limit cannot be asked', async () => {
    const partner = await aPartner();
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const broken = { limit: () => Promise.reject(new Error('away')) };
    expect((await under({ REQUESTS_OF_KEY: broken })('/v1/mappings', partner.key)).status).toBe(200);
  });
});

describe('what the bridge works out at once', () => {
  const sample = statusFile(statusRow('LD1'));
  it.each([
    ['a dry run', `${UPLOAD}&dryRun=true`],
    ['a dry run of a message', '/v1/messages?mapping=carrier-status-csv&scac=DEMO&dryRun=true'],
    ['a preview', '/v1/mappings/carrier-status-csv/preview'],
    ['a preview of a draft', '/v1/mappings/preview'],
    ['an example', '/v1/mappings/example'],
    ['a comparison', '/v1/mappings/compare'],
    ['a match', '/v1/mappings/match'],
    ['a suggestion', '/v1/mappings/suggest'],
  ])('has a limit of its own: %s', async (_, path) => {
    const partner = await aPartner();
    const ask = under({ TRIALS_OF_KEY: limiter(0) });
    const refused = await ask(path, partner.key, { method: 'POST', body: sample });
    expect([refused.status, refused.headers.get('RateLimit')]).toEqual([429, '"trials";r=0;t=60']);
    expect((await ask(UPLOAD, partner.key, aFile('LD1'))).status).toBe(202);
  });
});

describe('a dry run that is named in a form', () => {
  const formWith = (dryRun: string): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ mapping: 'carrier-status-csv', scac: 'DEMO', dryRun }))
      form.append(name, value);
    form.append('file', new Blob([statusFile(statusRow('LD1'))], { type: 'text/csv' }), 'events.csv');
    return form;
  };
  it.each(['/v1/batches', '/v1/messages'])('is one of these, too: %s', async (path) => {
    const partner = await aPartner();
    const trials = limiter(1);
    const send = (dryRun: string, query = '') =>
      under({ TRIALS_OF_KEY: trials })(`${path}${query}`, partner.key, { method: 'POST', body: formWith(dryRun) });
    expect((await send('true', '?dryRun=true')).status).toBe(202);
    expect([...trials.keys.values()]).toEqual([1]);
    const before = (await env.FILES.list()).objects.length;
    const refused = await send('true');
    expect([refused.status, refused.headers.get('RateLimit')]).toEqual([429, '"trials";r=0;t=60']);
    expect(refused.headers.get('Retry-After')).toBe('60');
    expect((await problemOf(refused)).code).toBe('too_many_requests');
    expect((await env.FILES.list()).objects).toHaveLength(before);
    expect((await send('false')).status).toBe(202);
  });
});

describe('wrong keys', () => {
  const wrong = `tl_test_${'0'.repeat(16)}_${'0'.repeat(64)}`;
  it('from one address are refused after some, on partners’ and on operators’ routes; a right key works at once', async () => {
    const partner = await aPartner();
    const counted = limiter(2);
    const ask = under({ WRONG_KEYS_OF_ADDRESS: counted });
    const statuses: number[] = [];
    for (const path of ['/v1/batches', '/v1/ops/health', '/v1/batches', '/v1/ops/health'])
      statuses.push((await ask(path, wrong)).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect([...counted.keys.keys()]).toEqual(['192.0.2.7']);
    expect((await ask('/v1/mappings', partner.key)).status).toBe(200);
    expect(counted.keys.get('192.0.2.7')).toBe(4);
  });
});

describe('files under way', () => {
  const registerOf = ({ environment, name }: Partner) =>
    env.INTAKE_REGISTER.getByName(registerName({ environment, partner: name }));
  const openFiles = async (partner: Partner, files: number, bytes: number) => {
    const register = registerOf(partner);
    await runInDurableObject(register, (_, { storage: { sql } }) => {
      for (let index = 0; index < files; index += 1)
        sql.exec(
          `INSERT INTO batch (batch_id, ticket, created, state) VALUES (?, json_object('bytes', ?, 'mapping', 'x', 'allowedScacs', json_array()), 1, 'open')`,
          `open-${index}`,
          bytes,
        );
    });
  };

  it.each([
    ['as many as a partner may have', 1_000, 10, 0],
    ['as many bytes as a partner may have', 2, 2 * 1024 ** 3, 0],
    ['as many rows as a partner may have', 2, 10, 1_000_000],
  ])(
    'are %s: the next file is refused with 429, is not kept, and its key is free again',
    async (_, files, bytes, rows) => {
      const partner = await aPartner();
      await partner.getJson('/v1/batches'); // makes the register's tables
      await openFiles(partner, files, bytes);
      if (rows > 0)
        for (const batchId of ['open-0', 'open-1']) await registerOf(partner).underWay(batchId, { rows, subjects: 0 });
      const headers = { 'Idempotency-Key': 'k1' };
      const nowMs = Date.now();
      const clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
      const refused = await partner.upload(statusFile(statusRow('LD1')), {}, { headers });
      expect(refused.headers.get('Retry-After')).not.toBeNull();
      const { status, code } = await problemOf(refused);
      expect([status, code]).toEqual([429, 'too_much_under_way']);
      expect((await env.FILES.list()).objects.filter(({ key }) => key.includes(partner.name))).toEqual([]);
      const stored = vi.spyOn(env.FILES, 'put');
      const soon = await partner.upload(statusFile(statusRow('LD2')));
      expect([(await problemOf(soon)).code, stored.mock.calls.length]).toEqual(['too_much_under_way', 0]);
      const register = registerOf(partner);
      if (rows > 0)
        await register.closeBatch('open-0', { state: 'settled', claimsNothing: false, tookNothing: false, opening: 0 });
      await runInDurableObject(register, (_object, { storage: { sql } }) => {
        sql.exec(`UPDATE batch SET state = 'settled'`);
      });
      clock.mockReturnValue(nowMs + NO_ROOM_REMEMBERED_MS);
      expect((await partner.upload(statusFile(statusRow('LD1')), {}, { headers })).status).toBe(202);
    },
  );
});

describe('new loads', () => {
  const MANY = statusFile(...Array.from({ length: 60 }, (_, at) => statusRow(`NEW${at}`)));

  it('beyond those of a minute wait for the next, and all of them arrive', async () => {
    const granted: number[] = [];
    const asked = vi.spyOn(IntakeRegister.prototype, 'underWay').mockImplementation(async (_, { subjects }) => {
      granted.push(subjects);
      return granted.length % 2 === 1 ? { subjects: 0, waitMs: 200 } : { subjects: 20, waitMs: 0 };
    });
    const partner = await aPartner();
    const { batchId } = await partner.receipt(MANY);
    const { rowStates } = await partner.reaches(batchId, 'settled');
    expect(rowStates).toEqual({ delivered: 60 });
    expect(asked.mock.calls.length).toBeGreaterThanOrEqual(5);
    expect(asked.mock.calls[0]?.[0]).toBe(batchId);
  });

  it('that wait can be withdrawn at once', async () => {
    vi.spyOn(IntakeRegister.prototype, 'underWay').mockResolvedValue({ subjects: 0, waitMs: 60_000 });
    const partner = await aPartner();
    const { batchId } = await partner.receipt(MANY);
    await vi.waitFor(
      async () => expect((await partner.summary(batchId)).rowStates.delivered).toBeGreaterThan(0),
      PATIENCE,
    );
    expect((await partner.fetch(`/v1/batches/${batchId}/cancel`, { method: 'POST' })).status).toBe(202);
    const { rowStates } = await partner.reaches(batchId, 'settled');
    expect((rowStates.delivered ?? 0) + (rowStates.cancelled ?? 0)).toBe(60);
    expect(rowStates.delivered).toBeLessThan(60);
  });

  it('go on where the register cannot be asked', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    vi.spyOn(IntakeRegister.prototype, 'underWay').mockRejectedValue(new Error('planned: no register'));
    const partner = await aPartner();
    const { batchId } = await partner.receipt(MANY);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 60 });
  });
});
