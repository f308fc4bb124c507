/** Partners and keys by administrators: made, rotated, revoked, with their limits; the secret is shown once. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Alert } from '../../../src/http/ops/views/alerts.ts';
import type { OpsKeyView, PartnerKeyView } from '../../../src/http/ops/views/keys.ts';
import { DAY_MS, HOUR_MS } from '../../../src/kernel/clock.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import type { AuditEntry } from '../../../src/ops/directory/audit.ts';
import { KEY_LIFETIME_MS, KEYS_SHOWN } from '../../../src/ops/directory/limits.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, asHolder, problemOf } from '../partners.ts';

let admin: Operator;
beforeEach(async () => {
  admin = await anOperator({ name: 'Admin', role: 'admin' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

type Made<View> = View & { key: string };
const WHY = { why: 'a test' };

const send = (path: string, body: unknown, { by = admin, method = 'POST', click = '' } = {}): Promise<Response> =>
  by.fetch(path, { method, body: JSON.stringify(body), headers: click === '' ? {} : { 'Idempotency-Key': click } });

async function made<View = PartnerKeyView>(path: string, body: unknown = WHY): Promise<Made<View>> {
  const answer = await send(path, body);
  expect(answer.status, await answer.clone().text()).toBe(201);
  return answer.json();
}
const refusedCode = async (answer: Response): Promise<string> => (await problemOf(answer)).code;
const keysOf = async (name: string): Promise<PartnerKeyView[]> =>
  (await admin.getJson<{ keys: PartnerKeyView[] }>(`/v1/ops/partners/${name}/keys`)).keys;
const audited = async (): Promise<AuditEntry[]> =>
  (await admin.getJson<{ entries: AuditEntry[] }>('/v1/ops/audit')).entries;

async function aNewPartner(name = 'acme'): Promise<string> {
  const answer = await send('/v1/ops/partners', { name, displayName: 'Acme Freight', channel: 'plain', ...WHY });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return `/v1/ops/partners/${name}`;
}
const statusFor = async (key: string): Promise<number> => (await asHolder(key).fetch('/v1/mappings')).status;

describe('a partner', () => {
  it('is made with a channel, is known at once, and once only', async () => {
    const path = await aNewPartner();
    expect(await admin.getJson(path)).toMatchObject({
      environment: 'test',
      name: 'acme',
      displayName: 'Acme Freight',
      enabled: true,
      channel: 'plain',
      keys: { live: 0, nextEnd: null, lastUsedAt: null },
    });
    expect((await admin.fetch(`${path}/envelopes`)).status).toBe(200);
    const again = { name: 'acme', channel: 'plain', ...WHY };
    expect(await refusedCode(await send('/v1/ops/partners', again))).toBe('partner_exists');
    expect((await audited()).map(({ action, about, why }) => [action, about, why])).toEqual([
      ['partner.create', 'partner/acme', 'a test'],
    ]);
  });

  it.each([{ name: 'Acme' }, { name: 'a_b' }, { name: 'a'.repeat(41) }, { displayName: ' ' }, { channel: 'live' }])(
    'is not made of %j',
    async (wrong) => {
      const answer = await send('/v1/ops/partners', { name: 'acme', channel: 'plain', ...WHY, ...wrong });
      expect(['body_invalid', 'unknown_channel']).toContain(await refusedCode(answer));
    },
  );

  it('is listed page by page with its keys', async () => {
    for (const name of ['birch', 'acme', 'cedar']) await aNewPartner(name);
    await made('/v1/ops/partners/birch/keys');
    type Page = { partners: { name: string; keys: { live: number } }[]; next: string | null };
    const first = await admin.getJson<Page>('/v1/ops/partners?limit=2');
    expect(first.partners.map(({ name, keys }) => [name, keys.live])).toEqual([
      ['acme', 0],
      ['birch', 1],
    ]);
    expect((await admin.getJson<Page>(first.next ?? '')).partners.map(({ name }) => name)).toEqual(['cedar']);
  });

  it('that is switched off is refused at once, and let in again', async () => {
    const path = await aNewPartner();
    const { key } = await made(`${path}/keys`);
    expect(await statusFor(key)).toBe(200);
    const planned = await send(`${path}?dryRun=true`, { enabled: false, ...WHY }, { method: 'PATCH' });
    expect(await planned.json()).toMatchObject({ dryRun: true, enabled: true, keys: { live: 1 } });
    expect(await statusFor(key)).toBe(200);
    await send(path, { enabled: false, ...WHY }, { method: 'PATCH' });
    expect(await statusFor(key)).toBe(401);
    await send(path, { enabled: true, ...WHY }, { method: 'PATCH' });
    expect(await statusFor(key)).toBe(200);
    expect((await audited()).filter(({ action }) => action === 'partner.change')).toHaveLength(2);
  });

  it('that is in production, too, is switched off, renamed and opened to pages only by who may act there', async () => {
    const path = await aNewPartner();
    await env.DIRECTORY.prepare(`INSERT INTO partner_channel VALUES ('acme', 'production', 'live')`).run();
    for (const change of [{ enabled: false }, { displayName: 'Other' }, { origins: ['https://portal.example'] }]) {
      const refused = await send(path, { ...change, ...WHY }, { method: 'PATCH' });
      expect([refused.status, await refusedCode(refused)]).toEqual([403, 'partner_beyond']);
    }
    expect(await admin.getJson(path)).toMatchObject({ enabled: true, displayName: 'Acme Freight' });
    // As the page sends it: with what stays as it was.
    const own = { displayName: 'Acme Freight', enabled: true, origins: [], channel: 'bearer', ...WHY };
    expect((await send(path, own, { method: 'PATCH' })).status).toBe(200);
    const both = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const change = { enabled: false, ...WHY };
    const done = await send(`${path}?environment=test`, change, { by: both, method: 'PATCH' });
    expect(await done.json()).toMatchObject({ enabled: false });
  });

  it('takes its keys and upload links along to another channel, if that has their SCACs', async () => {
    const path = await aNewPartner();
    const { keyId } = await made(`${path}/keys`, { scacs: ['DEMO'], ...WHY });
    await made(`${path}/upload-links`);
    await send(path, { channel: 'bearer', ...WHY }, { method: 'PATCH' });
    expect(await keysOf('acme')).toMatchObject([{ keyId, channel: 'bearer' }]);
    const links = await env.DIRECTORY.prepare('SELECT channel FROM upload_link').all();
    expect(links.results).toEqual([{ channel: 'bearer' }]);
    await env.DIRECTORY.prepare(`UPDATE partner_key SET scacs = '["ELSE"]'`).run();
    const refused = () => send(path, { channel: 'plain', ...WHY }, { method: 'PATCH' });
    expect(await refusedCode(await refused())).toBe('scac_not_of_channel');
    await env.DIRECTORY.prepare(`UPDATE partner_key SET scacs = '["DEMO"]'`).run();
    await env.DIRECTORY.prepare(`UPDATE upload_link SET scacs = '["ELSE"]'`).run();
    expect(await refusedCode(await refused())).toBe('scac_not_of_channel');
    expect((await env.DIRECTORY.prepare('SELECT channel FROM upload_link').all()).results).toEqual(links.results);
    await env.DIRECTORY.prepare('UPDATE upload_link SET revoked_at_ms = 1').run();
    expect((await refused()).status).toBe(200);
  });
});

describe('a key', () => {
  it('is shown once, works, ends in a year, and has what its partner’s channel has', async () => {
    const path = await aNewPartner();
    const { key, ...view } = await made(`${path}/keys`);
    expect(key).toMatch(/^tltest_[0-9a-f]{16}_[0-9a-f]{64}$/);
    expect(view).toMatchObject({ state: 'live', channel: 'plain', scacs: ['DEMO', 'ACME'], mappings: null });
    expect(Math.abs(Date.parse(view.expiresAt ?? '') - Date.now() - KEY_LIFETIME_MS)).toBeLessThan(60_000);
    expect(await statusFor(key)).toBe(200);
    const secret = key.split('_')[2] ?? '';
    const after = await Promise.all(
      [`${path}/keys`, path, '/v1/ops/partners', '/v1/ops/audit', '/v1/ops/alerts'].map((each) => admin.fetch(each)),
    );
    for (const answer of after) expect(await answer.text()).not.toContain(secret);
    const stored = await env.DIRECTORY.prepare('SELECT * FROM partner_key').all();
    expect(JSON.stringify(stored.results)).not.toContain(secret);
    expect(JSON.stringify(stored.results)).toContain(sha256Hex(secret));
  });

  it('is in no line of the log', async () => {
    const lines: string[] = [];
    for (const level of ['info', 'warn', 'error', 'log'] as const) {
      vi.spyOn(console, level).mockImplementation((...parts) => void lines.push(parts.join(' ')));
    }
    const path = await aNewPartner();
    const { key, keyId } = await made(`${path}/keys`);
    const rotated = await made(`${path}/keys/${keyId}/rotate`);
    await send(`${path}/keys/${rotated.keyId}/revoke`, WHY);
    for (const each of [key, rotated.key]) expect(lines.join('\n')).not.toContain(each.split('_')[2]);
  });

  it.each<[object, Record<string, unknown>]>([
    [{ expires: '2099-01-31' }, { expiresAt: '2099-01-31T23:59:59.000Z' }],
    [{ expires: 'never' }, { expiresAt: null }],
    [
      { scacs: ['DEMO'], mappings: ['carrier-status-csv'] },
      { scacs: ['DEMO'], mappings: ['carrier-status-csv'] },
    ],
  ])('is made of %j', async (wanted, view) => {
    expect(await made(`${await aNewPartner()}/keys`, { ...WHY, ...wanted })).toMatchObject(view);
  });

  it.each<[object, string]>([
    [{ expires: '2020-01-01' }, 'key_end_invalid'],
    [{ expires: 'soon' }, 'key_end_invalid'],
    [{ scacs: ['ELSE'] }, 'scac_not_of_channel'],
    [{ mappings: ['nothing'] }, 'unknown_mapping'],
    [{ why: '' }, 'body_invalid'],
  ])('is not made of %j', async (wanted, code) => {
    const path = await aNewPartner();
    expect(await refusedCode(await send(`${path}/keys`, { ...WHY, ...wanted }))).toBe(code);
    expect(await keysOf('acme')).toEqual([]);
  });

  it('that works is listed first, and counts, however many of its holder have ended since', async () => {
    const path = await aNewPartner();
    const { keyId, key } = await made(`${path}/keys`, { scacs: ['DEMO'], ...WHY });
    const next = (row: string, at: string) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${KEYS_SHOWN})
       INSERT INTO partner_key ${row.replaceAll('AT', at)} FROM n, partner_key WHERE key_id = '${keyId}'`;
    const row = `SELECT 'k' || i || 'AT', partner, environment, secret_sha256, channel, scacs, mappings, '2098-01-01',`;
    const revoked = next(`${row} NULL, 'AT', NULL, NULL`, '2026-01-01');
    const over = next(`${row} 'AT', NULL, NULL, NULL`, '2020-01-01');
    for (const sql of [revoked, over]) await env.DIRECTORY.prepare(sql).run();
    const own = await asHolder(key).getJson<{ keys: PartnerKeyView[] }>('/v1/keys');
    for (const keys of [own.keys, await keysOf('acme')])
      expect([keys.length, keys[0]?.keyId, keys[0]?.state]).toEqual([KEYS_SHOWN, keyId, 'live']);
    expect(await made(`${path}/upload-links`)).toMatchObject({ scacs: ['DEMO'] });
    await env.DIRECTORY.prepare(`UPDATE partner_key SET scacs = '["ELSE"]' WHERE key_id = ?`).bind(keyId).run();
    const moved = await send(path, { channel: 'bearer', ...WHY }, { method: 'PATCH' });
    expect(await refusedCode(moved)).toBe('scac_not_of_channel');
  });

  it('needs a channel first', async () => {
    await env.DIRECTORY.prepare(
      `INSERT INTO partner (partner, display_name, created_at) VALUES ('bare', '', '')`,
    ).run();
    expect(await refusedCode(await send('/v1/ops/partners/bare/keys', WHY))).toBe('partner_channel_missing');
  });

  it('is never a third one, though two administrators make it at once; a revoked one makes room', async () => {
    const path = `${await aNewPartner()}/keys`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(path, WHY)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(await refusedCode(refused as Response)).toBe('too_many_keys');
    expect((await audited()).filter(({ action }) => action === 'key.make')).toHaveLength(2);
    const [first] = await keysOf('acme');
    await send(`${path}/${first?.keyId}/revoke`, WHY);
    await made(path);
  });

  it('is made once by a click that came twice, and its secret is not shown again', async () => {
    const path = `${await aNewPartner()}/keys`;
    const first = await send(path, WHY, { click: 'once' });
    const { keyId } = await first.json<PartnerKeyView>();
    const again = await send(path, WHY, { click: 'once' });
    expect(await problemOf(again)).toMatchObject({ code: 'key_made_already', keyId });
    expect(await keysOf('acme')).toHaveLength(1);
  });

  it('that is revoked is refused from its next request on', async () => {
    const path = `${await aNewPartner()}/keys`;
    const { key, keyId } = await made(path);
    expect(await (await send(`${path}/${keyId}/revoke?dryRun=true`, WHY)).json()).toMatchObject({ state: 'live' });
    expect(await statusFor(key)).toBe(200);
    expect(await (await send(`${path}/${keyId}/revoke`, WHY)).json()).toMatchObject({
      changed: true,
      state: 'revoked',
    });
    expect(await statusFor(key)).toBe(401);
    expect(await (await send(`${path}/${keyId}/revoke`, WHY)).json()).toMatchObject({ changed: false });
    expect((await audited()).map(({ action, detail }) => [action, detail.keyId])).toEqual([
      ['key.revoke', keyId],
      ['key.make', keyId],
      ['partner.create', undefined],
    ]);
  });

  it('that is rotated works on as long as is said, and the new one has what it had', async () => {
    const path = `${await aNewPartner()}/keys`;
    const old = await made(path, { scacs: ['DEMO'], mappings: ['carrier-status-csv'], ...WHY });
    const next = await made(`${path}/${old.keyId}/rotate`, { overlapHours: 2, ...WHY });
    expect(next).toMatchObject({ scacs: ['DEMO'], mappings: ['carrier-status-csv'], state: 'live' });
    const replaced = (await keysOf('acme')).find(({ keyId }) => keyId === old.keyId);
    expect(replaced).toMatchObject({ state: 'replaced', replacedBy: next.keyId });
    expect(Math.abs(Date.parse(replaced?.expiresAt ?? '') - Date.now() - 2 * HOUR_MS)).toBeLessThan(60_000);
    expect([await statusFor(old.key), await statusFor(next.key)]).toEqual([200, 200]);
    expect(await refusedCode(await send(`${path}/${old.keyId}/rotate`, WHY))).toBe('key_ended');
    expect(await refusedCode(await send(`${path}/${next.keyId}/rotate`, WHY))).toBe('too_many_keys');
    await env.DIRECTORY.prepare('UPDATE partner_key SET expires_at = ? WHERE key_id = ?')
      .bind(new Date(Date.now() - 1).toISOString(), old.keyId)
      .run();
    expect([await statusFor(old.key), await statusFor(next.key)]).toEqual([401, 200]);
  });

  it('that is rotated without an overlap ends at once, beside another one too', async () => {
    const path = `${await aNewPartner()}/keys`;
    const [old, other] = [await made(path), await made(path)];
    const next = await made(`${path}/${old.keyId}/rotate`, { overlapHours: 0, ...WHY });
    expect([await statusFor(old.key), await statusFor(other.key), await statusFor(next.key)]).toEqual([401, 200, 200]);
  });

  it('that ends by itself before the overlap does is not prolonged by it', async () => {
    const path = `${await aNewPartner()}/keys`;
    const old = await made(path);
    const soon = new Date(Date.now() + HOUR_MS).toISOString();
    await env.DIRECTORY.prepare('UPDATE partner_key SET expires_at = ?').bind(soon).run();
    await made(`${path}/${old.keyId}/rotate`, WHY);
    expect((await keysOf('acme')).find(({ keyId }) => keyId === old.keyId)).toMatchObject({ expiresAt: soon });
  });

  it('of another partner or environment is unknown', async () => {
    const path = `${await aNewPartner()}/keys`;
    const other = await aPartner();
    const live = await aPartner({ partner: 'acme', environment: 'production' });
    for (const keyId of [other.keyId, live.keyId, 'none']) {
      expect(await refusedCode(await send(`${path}/${keyId}/revoke`, WHY))).toBe('key_unknown');
      expect(await refusedCode(await send(`${path}/${keyId}/rotate`, WHY))).toBe('key_unknown');
    }
  });

  it('says when it was last used: written after the answer, at most once an hour', async () => {
    const path = `${await aNewPartner()}/keys`;
    const { key } = await made(path);
    await statusFor(key);
    const used = await vi.waitFor(async () => {
      const [shown] = await keysOf('acme');
      expect(shown?.lastUsedAt).toMatch(/^\d{4}-/);
      return shown?.lastUsedAt;
    });
    await statusFor(key);
    expect((await keysOf('acme'))[0]?.lastUsedAt).toBe(used);
    const earlier = new Date(Date.now() - HOUR_MS - 1).toISOString();
    await env.DIRECTORY.prepare('UPDATE partner_key SET last_used_at = ?').bind(earlier).run();
    await statusFor(key);
    await vi.waitFor(async () => expect((await keysOf('acme'))[0]?.lastUsedAt).not.toBe(earlier));
  });

  it('lets its holder in though its use cannot be noted', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { key } = await made(`${await aNewPartner()}/keys`);
    await env.DIRECTORY.prepare(
      `CREATE TRIGGER unnoted BEFORE UPDATE ON partner_key BEGIN SELECT RAISE(FAIL, 'planned'); END`,
    ).run();
    expect(await statusFor(key)).toBe(200);
  });

  it('that ends within two weeks needs somebody, until it is rotated', async () => {
    const path = `${await aNewPartner()}/keys`;
    const { keyId } = await made(path);
    const ends = (days: number) =>
      env.DIRECTORY.prepare('UPDATE partner_key SET expires_at = ?')
        .bind(new Date(Date.now() + days * DAY_MS).toISOString())
        .run();
    const alerts = async () =>
      (await admin.getJson<{ alerts: Alert[] }>('/v1/ops/alerts')).alerts.filter(({ code }) => code === 'keys_ending');
    expect(await alerts()).toEqual([]);
    await ends(15);
    expect(await alerts()).toEqual([]);
    await ends(13);
    expect(await alerts()).toMatchObject([{ about: 'acme', detail: expect.stringContaining(keyId) }]);
    expect(await keysOf('acme')).toMatchObject([{ state: 'ending' }]);
    await made(`${path}/${keyId}/rotate`);
    expect(await alerts()).toEqual([]);
  });
});

describe('who is no administrator', () => {
  it.each(['viewer', 'operator'] as const)('changes nothing as %s, and reads', async (role) => {
    const path = await aNewPartner();
    const { keyId } = await made(`${path}/keys`);
    const by = await anOperator({ role });
    const before = await audited();
    const tries: [string, string, object][] = [
      ['POST', '/v1/ops/partners', { name: 'birch', channel: 'plain' }],
      ['PATCH', path, { enabled: false }],
      ['POST', `${path}/keys`, {}],
      ['POST', `${path}/keys/${keyId}/rotate`, {}],
      ['POST', `${path}/keys/${keyId}/revoke`, {}],
      ['POST', '/v1/ops/operator-keys', { name: 'Me', role: 'admin', environments: ['test'] }],
      ['POST', `/v1/ops/operator-keys/${admin.keyId}/rotate`, {}],
      ['POST', `/v1/ops/operator-keys/${admin.keyId}/revoke`, {}],
    ];
    for (const [method, address, body] of tries) {
      expect(await refusedCode(await send(address, { ...WHY, ...body }, { by, method }))).toBe('role_insufficient');
    }
    expect(await audited()).toEqual(before);
    expect((await by.fetch(`${path}/keys`)).status).toBe(200);
    expect((await by.fetch('/v1/ops/operator-keys')).status).toBe(200);
  });
});

describe('a key of an operator', () => {
  const PATH = '/v1/ops/operator-keys';
  const wanted = { name: 'Night shift', role: 'operator', environments: ['test'], ...WHY };
  const signsIn = async (key: string) =>
    (await admin.fetch('/v1/ops/mappings', { headers: { Authorization: `Bearer ${key}` } })).status;

  it('is made, shown once, rotated and revoked, each time in the audit', async () => {
    const first = await made<OpsKeyView>(PATH, wanted);
    expect(first).toMatchObject({ name: 'Night shift', role: 'operator', environments: ['test'], state: 'live' });
    expect(await signsIn(first.key)).toBe(200);
    const next = await made<OpsKeyView>(`${PATH}/${first.keyId}/rotate`, { overlapHours: 1, ...WHY });
    expect([await signsIn(first.key), await signsIn(next.key)]).toEqual([200, 200]);
    expect(await refusedCode(await send(PATH, wanted))).toBe('too_many_keys');
    await send(`${PATH}/${first.keyId}/revoke`, WHY);
    expect([await signsIn(first.key), await signsIn(next.key)]).toEqual([401, 200]);
    const listed = await (await admin.fetch(PATH)).text();
    for (const { key } of [first, next]) expect(listed).not.toContain(key.split('_')[2]);
    expect((await audited()).map(({ action, about, environment }) => [action, about, environment])).toEqual([
      ['operator_key.revoke', 'operator-key/Night shift', null],
      ['operator_key.rotate', 'operator-key/Night shift', null],
      ['operator_key.make', 'operator-key/Night shift', null],
    ]);
  });

  it('never reaches further than its maker, and what reaches further is not touched', async () => {
    const both = await anOperator({ name: 'Both', environments: ['test', 'production'] });
    const live = await anOperator({ name: 'Live', environments: ['production'] });
    const wide = { ...wanted, environments: ['test', 'production'] };
    expect(await refusedCode(await send(PATH, wide))).toBe('key_environment_not_yours');
    expect(await refusedCode(await send(`${PATH}/${both.keyId}/revoke`, WHY))).toBe('key_environment_not_yours');
    expect(await refusedCode(await send(`${PATH}/${both.keyId}/rotate`, WHY))).toBe('key_environment_not_yours');
    expect(await refusedCode(await send(`${PATH}/${live.keyId}/revoke`, WHY))).toBe('key_unknown');
    const { keys } = await admin.getJson<{ keys: OpsKeyView[] }>(PATH);
    expect(keys.map(({ name }) => name)).toEqual(['Admin', 'Both']);
  });

  it('that ends soon needs somebody', async () => {
    await anOperator({ name: 'Script', expiresAt: new Date(Date.now() + DAY_MS * 1.5).toISOString() });
    const { alerts } = await admin.getJson<{ alerts: Alert[] }>('/v1/ops/alerts');
    expect(alerts).toMatchObject([
      { code: 'keys_ending', about: 'Script', detail: expect.stringContaining('in 1 day,') },
    ]);
  });
});

describe('a database that fails once a change is made', () => {
  /** Every read after the next change fails, for as long as that is not undone. */
  const failsAfterTheChange = () => {
    const batch = env.DIRECTORY.batch.bind(env.DIRECTORY);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    return vi.spyOn(env.DIRECTORY, 'batch').mockImplementationOnce(async (statements) => {
      const done = await batch(statements);
      vi.spyOn(env.DIRECTORY, 'prepare').mockImplementation(() => {
        throw new Error('planned: the directory is down');
      });
      return done as never;
    });
  };

  it('does not keep a key or an upload link from being shown', async () => {
    const path = await aNewPartner();
    const shown = async (address: string, more = {}): Promise<string> => {
      failsAfterTheChange();
      const { key, link, keyId } = await made<{ keyId: string; link?: string }>(address, { ...WHY, ...more });
      vi.restoreAllMocks();
      expect(key ?? link).toMatch(/_[0-9a-f]{64}$|#[\w-]{43}$/);
      return keyId;
    };
    const keyId = await shown(`${path}/keys`);
    await shown(`${path}/keys/${keyId}/rotate`);
    await shown('/v1/ops/operator-keys', { name: 'Night shift', role: 'operator', environments: ['test'] });
    await shown(`${path}/upload-links`, { days: 1 });
    expect((await keysOf('acme')).map(({ state }) => state)).toEqual(['live', 'replaced']);
  });

  it('says of a change whose answer is lost that it is not known, and of a query that nothing was done', async () => {
    const path = await aNewPartner();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const batch = env.DIRECTORY.batch.bind(env.DIRECTORY);
    vi.spyOn(env.DIRECTORY, 'batch').mockImplementationOnce(async (statements) => {
      await batch(statements);
      throw new Error('planned: the answer is lost');
    });
    const lost = await problemOf(await send(`${path}/keys`, WHY));
    expect(lost).toMatchObject({ status: 503, code: 'directory_unavailable' });
    expect(lost.detail).toContain('not known');
    expect(lost.fix).toContain('/v1/ops/audit');
    expect(await keysOf('acme')).toHaveLength(1);
  });
});

describe('the channel of a new key', () => {
  it('is the one that its partner has when it is written, whatever was read before', async () => {
    const path = await aNewPartner();
    const batch = env.DIRECTORY.batch.bind(env.DIRECTORY);
    const moves = (to: string) =>
      vi.spyOn(env.DIRECTORY, 'batch').mockImplementationOnce(async (statements) => {
        const sql = `UPDATE partner_channel SET channel = ? WHERE partner = 'acme'`;
        await env.DIRECTORY.prepare(sql).bind(to).run();
        return batch(statements) as never;
      });
    moves('moved');
    const { keyId, channel } = await made(`${path}/keys`);
    expect(channel).toBe('moved');
    moves('moved-again');
    expect((await made(`${path}/keys/${keyId}/rotate`)).channel).toBe('moved-again');
    await env.DIRECTORY.prepare(`UPDATE partner_channel SET channel = 'plain'`).run();
    moves('moved');
    await made(`${path}/upload-links`, { days: 1, ...WHY });
    expect(await env.DIRECTORY.prepare('SELECT channel FROM upload_link').first('channel')).toBe('moved');
  });
});
