/** What a partner set up and sent itself: its keys, webhooks and interchanges; nobody gains a right by them. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answered } from '../../../src/http/contract/contract.ts';
import { DAY_MS } from '../../../src/kernel/clock.ts';
import type { AuditEntry } from '../../../src/ops/directory/audit.ts';
import { hooksOf, targetsAnswer } from '../hooks.ts';
import { anOperator } from '../operators.ts';
import { aPartner, asHolder, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214 } from '../x12-files.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

type Keys = Answered<'GET /v1/keys'>['keys'];
type Made = Answered<'POST /v1/keys'>;

const post = (by: Partner, path: string, body: unknown = {}): Promise<Response> =>
  by.fetch(path, { method: 'POST', body: JSON.stringify(body) });
const keysOf = async (by: Partner): Promise<Keys> => (await by.getJson<{ keys: Keys }>('/v1/keys')).keys;
const refused = async (answer: Response): Promise<string> => (await problemOf(answer)).code;

describe('a partner’s keys', () => {
  it('are made like the one that asks, shown once, two at most, and noted in the audit', async () => {
    const partner = await aPartner({ scacs: ['DEMO'], mappings: ['carrier-status-csv'] });
    const answer = await post(partner, '/v1/keys', { why: 'a new system' });
    expect(answer.status).toBe(201);
    const made = await answer.json<Made>();
    expect(made).toMatchObject({ scacs: ['DEMO'], mappings: ['carrier-status-csv'], state: 'live', isThisOne: false });
    expect((await asHolder(made.key ?? '').fetch('/v1/mappings')).status).toBe(200);
    const listed = await keysOf(partner);
    expect(listed.map(({ keyId, isThisOne }) => [keyId, isThisOne])).toContainEqual([partner.keyId, true]);
    expect(JSON.stringify(listed)).not.toContain((made.key ?? 'x').split('_').at(-1));
    expect(JSON.stringify(listed)).not.toContain('channel');
    expect(await refused(await post(partner, '/v1/keys'))).toBe('too_many_keys');
    const operator = await anOperator({ role: 'admin' });
    const { entries } = await operator.getJson<{ entries: AuditEntry[] }>('/v1/ops/audit');
    expect(entries.map(({ action, actor, why }) => [action, actor, why])).toEqual([
      ['key.make', partner.name, 'a new system'],
    ]);
  });

  it('are renewed with an overlap, and never for longer than they were made for', async () => {
    const now = Date.now();
    const partner = await aPartner({ expiresAt: new Date(now + 3 * DAY_MS).toISOString() });
    await env.DIRECTORY.prepare('UPDATE partner_key SET created_at = ?')
      .bind(new Date(now - 4 * DAY_MS).toISOString())
      .run();
    for (const [path, does] of [
      ['', 'dryRun'],
      [`/${partner.keyId}/rotate`, 'dryrun'],
      [`/${partner.keyId}/revoke`, 'dryrun'],
    ])
      expect(await refused(await post(partner, `/v1/keys${path}?${does}=true`))).toBe('parameter_unknown');
    const plan = await post(partner, `/v1/keys/${partner.keyId}/rotate?dryRun=true`, { overlapHours: 2 });
    expect(await plan.json()).toMatchObject({ dryRun: true, state: 'ending' });
    const answer = await post(partner, `/v1/keys/${partner.keyId}/rotate`, { overlapHours: 2 });
    const made = await answer.json<Made>();
    expect(answer.status).toBe(201);
    expect(Date.parse(made.expiresAt ?? '') - now).toBeGreaterThan(6.9 * DAY_MS);
    expect(Date.parse(made.expiresAt ?? '') - now).toBeLessThan(7.1 * DAY_MS);
    expect((await keysOf(partner)).find(({ isThisOne }) => isThisOne)?.state).toBe('replaced');
    expect(await refused(await post(partner, `/v1/keys/${partner.keyId}/rotate`))).toBe('key_ended');
  });

  it('get no longer life out of one that lives longer', async () => {
    const now = Date.now();
    const shortly = await aPartner({ expiresAt: new Date(now + 3 * DAY_MS).toISOString() });
    const long = await aPartner({ partner: shortly.name });
    await env.DIRECTORY.prepare('UPDATE partner_key SET created_at = ?').bind(new Date(now).toISOString()).run();
    const answer = await post(shortly, `/v1/keys/${long.keyId}/rotate`, { overlapHours: 0 });
    expect(answer.status).toBe(201);
    expect(Date.parse((await answer.json<Made>()).expiresAt ?? '') - now).toBeLessThan(3.1 * DAY_MS);
  });

  it('are made ten times in an hour at most: then the answer says when the next may be, alike in its header and in words', async () => {
    let holder = await aPartner();
    for (let times = 0; times < 9; times += 1) {
      const answer = await post(holder, `/v1/keys/${holder.keyId}/rotate`, { overlapHours: 0 });
      const { key } = await answer.json<Made>();
      const [, keyId = ''] = (key ?? '').split('_');
      holder = { ...holder, ...asHolder(key ?? ''), keyId };
    }
    const refused = await post(holder, `/v1/keys/${holder.keyId}/rotate`, { overlapHours: 0 });
    const seconds = Number(refused.headers.get('Retry-After'));
    const { status, code, fix } = await problemOf(refused);
    expect([status, code]).toEqual([429, 'too_many_requests']);
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
    expect(fix).toContain(`Wait ${seconds} s`);
    const plan = await post(holder, `/v1/keys/${holder.keyId}/rotate?dryRun=true`);
    expect(plan.status).toBe(200);
  });

  it('are not changed by a key that may do less, nor by anybody else', async () => {
    const narrow = await aPartner({ mappings: ['carrier-status-csv'] });
    const wide = await aPartner({ partner: narrow.name });
    const stranger = await aPartner();
    for (const what of ['rotate', 'revoke']) {
      expect(await refused(await post(narrow, `/v1/keys/${wide.keyId}/${what}`))).toBe('key_beyond_yours');
      expect(await refused(await post(stranger, `/v1/keys/${wide.keyId}/${what}`))).toBe('key_unknown');
    }
    expect((await keysOf(narrow)).map(({ mayChange }) => mayChange).sort()).toEqual([false, true]);
    expect(await keysOf(stranger)).toHaveLength(1);
    expect((await post(wide, `/v1/keys/${narrow.keyId}/revoke`)).status).toBe(200);
    expect((await narrow.fetch('/v1/keys')).status).toBe(401);
  });
});

describe('a partner’s webhooks', () => {
  it('show how deliveries went, without who agreed on them; send again; and give a new secret once', async () => {
    upstreamAnswers(200);
    targetsAnswer({});
    const [partner, stranger, operator] = [await aPartner(), await aPartner(), await anOperator()];
    const wanted = { url: 'https://one.example/hook', events: ['batch.settled'], note: 'as asked by mail' };
    const { secret } = await operator.done<{ secret: string }>(
      'PUT',
      `/v1/ops/partners/${partner.name}/webhooks/one`,
      wanted,
    );
    const hooks = hooksOf({ environment: 'test', partner: partner.name });
    await hooks.notify(1);
    const [sent] = await hooks.reaches(['delivered'], 'one');
    const text = JSON.stringify(await partner.getJson('/v1/webhooks'));
    expect(text).toContain('https://one.example/hook');
    for (const hidden of ['Analyst', 'as asked by mail', secret]) expect(text).not.toContain(hidden);
    const { deliveries } = await partner.getJson<{ deliveries: { eventId: string }[] }>('/v1/webhooks/one/deliveries');
    expect(deliveries.map(({ eventId }) => eventId)).toEqual([sent?.eventId]);
    const again = `/v1/webhooks/one/deliveries/${sent?.eventId}/send-again`;
    expect((await post(partner, again)).status).toBe(200);
    expect(await refused(await post(stranger, again))).toBe('webhook_unknown');
    expect(await refused(await post(partner, '/v1/webhooks/one/rotate?dryRun=true'))).toBe('parameter_unknown');
    const renewed = await (await post(partner, '/v1/webhooks/one/rotate')).json<{ secret: string }>();
    expect(renewed.secret).toMatch(/^whsec_/);
    expect(renewed.secret).not.toBe(secret);
    expect(await partner.getJson('/v1/webhooks/one')).not.toHaveProperty('secret');
    const { entries } = await operator.getJson<{ entries: AuditEntry[] }>('/v1/ops/audit');
    expect(entries.filter(({ actor }) => actor === partner.name).map(({ action }) => action)).toEqual([
      'webhook.rotate',
      'webhook.send_again',
    ]);
  });
});

it('a webhook that its own answer switched off is said to be off by the answer that shows its new secret', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  targetsAnswer({ one: [410] });
  const [partner, operator] = [await aPartner(), await anOperator()];
  const wanted = { url: 'https://one.example/hook', events: ['batch.settled'], note: 'a test' };
  await operator.done('PUT', `/v1/ops/partners/${partner.name}/webhooks/one`, wanted);
  const hooks = hooksOf({ environment: 'test', partner: partner.name });
  await hooks.notify(1);
  await hooks.reaches(['given_up'], 'one');
  const renewed = await (await post(partner, '/v1/webhooks/one/rotate')).json();
  expect(renewed).toMatchObject({ state: 'disabled_by_failure', disabledReason: 'gone', secret: expect.any(String) });
});

describe('a partner’s interchanges', () => {
  it('are listed newest first, page by page, each with its acknowledgment', async () => {
    upstreamAnswers(200);
    const [partner, stranger] = [await aPartner(), await aPartner()];
    for (const control of [17, 18, 19]) {
      const sets = [{ load: `LD${control}` }];
      const { batchId } = await partner.receipt(a214(sets, { control }), { mapping: 'x12-214' });
      await partner.reaches(batchId, 'settled');
    }
    type Page = Answered<'GET /v1/interchanges'>;
    const first = await partner.getJson<Page>('/v1/interchanges?limit=2');
    expect(first.interchanges.map(({ control }) => control)).toEqual(['19', '18']);
    const second = await partner.getJson<Page>(first.next ?? '');
    expect(second.interchanges.map(({ control }) => control)).toEqual(['17']);
    expect(second.next).toBeNull();
    const told = await partner.fetch(first.interchanges[0]?.links.acknowledgment ?? '');
    expect(await told.text()).toContain('AK1*QM');
    expect((await stranger.getJson<Page>('/v1/interchanges')).interchanges).toEqual([]);
    expect(await refused(await partner.fetch('/v1/interchanges?cursor=x'))).toBe('parameter_invalid');
  });
});
