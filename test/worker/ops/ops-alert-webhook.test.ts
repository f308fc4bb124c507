/** The webhook of the operators: set, rotated, tested and deleted by an administrator, and told of alerts by the cron. */
import { createScheduledController, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import worker from '../../../src/index.ts';
import type { AuditEntry } from '../../../src/ops/directory/audit.ts';
import { ALERT_OVER_AFTER_MS, KEEP_TARGETS_TRIES } from '../../../src/ops/webhooks/limits.ts';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { hooksOf, targetsAnswer } from '../hooks.ts';
import { anOperator } from '../operators.ts';
import { problemOf } from '../partners.ts';

beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const AT = '/v1/ops/alert-webhook';
const WANTED = { url: 'https://oncall.example/hook', note: 'whoever is on call' };
const hooks = hooksOf({ environment: 'test', partner: '@operators' });

interface Shown {
  webhook: { state: string; action: string; url: string; edition: number; secret?: string } | null;
  deliveries: { type: string; state: string }[];
}
interface Told {
  type: string;
  data: { alertId: string; code: string; raisedAt: string; clearedAt?: string };
}

const cron = () => worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);
const sql = (statement: string, ...values: (string | number)[]) =>
  env.DIRECTORY.prepare(statement)
    .bind(...values)
    .run();
const fails = () =>
  sql('INSERT INTO fault_minute VALUES (?, ?, ?)', Math.floor(Date.now() / 60_000), 'request_failed', 7);
const mended = () => sql('DELETE FROM fault_minute');
const timePasses = () => sql('UPDATE raised_alert SET gone_at_ms = gone_at_ms - ?', ALERT_OVER_AFTER_MS);
/** At any of the tries of one change. */
const isNotReached = (kept: MockInstance<Webhooks['keepTargets']>): void => {
  for (let tries = 0; tries < KEEP_TARGETS_TRIES; tries += 1)
    kept.mockRejectedValueOnce(new Error('planned: not reached'));
};
const eventsIn = (told: readonly { body: string }[]): Told[] => told.map(({ body }) => JSON.parse(body) as Told);

describe('the cron', () => {
  it('tells of an alert once, signed, and once that it is over, whatever fails in between', async () => {
    const { told } = targetsAnswer({});
    const admin = await anOperator({ role: 'admin' });
    isNotReached(vi.spyOn(Webhooks.prototype, 'keepTargets'));
    const { webhook } = await admin.done<Shown>('PUT', AT, WANTED);
    await fails();
    vi.spyOn(Webhooks.prototype, 'notify').mockRejectedValueOnce(new Error('planned: not reached'));
    await cron();
    expect(told).toEqual([]);
    await cron();
    await hooks.reaches(['delivered'], 'alerts');
    await sql(`UPDATE raised_alert SET state = 'new'`); // as where the run ends after telling
    await cron();
    await mended();
    await cron();
    await fails();
    await cron();
    await mended();
    await cron();
    await hooks.reaches(['delivered'], 'alerts');
    await timePasses();
    await cron();
    await cron();
    await hooks.reaches(['delivered', 'delivered'], 'alerts');
    const { body = '', headers = {} } = told[0] ?? {};
    expect(new Webhook(webhook?.secret ?? '').verify(body, headers)).toMatchObject({
      type: 'alert.raised',
      data: {
        ...{ environment: 'test', code: 'answers_failing', about: 'bridge', part: null },
        ...{ means: expect.stringContaining('5xx'), fix: expect.stringContaining('request_failed') },
        detail: '7 answers of 5xx in the last 15 minutes: request_failed 7',
        links: { api: '/v1/ops/health/layers?environment=test', console: null },
      },
    });
    const [raised, cleared, ...others] = eventsIn(told);
    expect(others).toEqual([]);
    expect(cleared).toMatchObject({ type: 'alert.cleared', data: { ...raised?.data, clearedAt: expect.any(String) } });
    await fails();
    await cron();
    await hooks.reaches(['delivered', 'delivered', 'delivered'], 'alerts');
    expect(eventsIn(told)[2]?.data.alertId).not.toBe(raised?.data.alertId);
  });

  it.each([
    ['of a later release', `json_set(alert, '$.form', 2)`],
    ['that has no fix', `json_remove(alert, '$.fix')`],
  ])('tells nothing of a stored alert %s, rather than guess', async (_, changed) => {
    const { told } = targetsAnswer({});
    const admin = await anOperator({ role: 'admin' });
    await admin.done('PUT', AT, WANTED);
    await fails();
    vi.spyOn(Webhooks.prototype, 'notify').mockRejectedValueOnce(new Error('planned: not reached'));
    await cron();
    await sql(`UPDATE raised_alert SET alert = ${changed}`);
    await cron();
    expect((await admin.getJson<Shown>(AT)).deliveries).toEqual([]);
    expect(told).toEqual([]);
  });

  it('brings it to a sender that was not reached that the webhook is deleted, and calls none where there never was one', async () => {
    const { told } = targetsAnswer({});
    const admin = await anOperator({ role: 'admin' });
    const kept = vi.spyOn(Webhooks.prototype, 'keepTargets');
    await cron();
    expect(kept).not.toHaveBeenCalled();
    await admin.done('PUT', AT, WANTED);
    isNotReached(kept);
    expect((await admin.fetch(`${AT}?note=moved`, { method: 'DELETE' })).status).toBe(200);
    expect(await hooks.stub().current()).toMatchObject([{ id: 'alerts' }]);
    await fails();
    await cron();
    expect(await hooks.stub().current()).toEqual([]);
    expect(told).toEqual([]);
  });

  it('says nothing to one that is switched off, and all that stands to one that is set again', async () => {
    const { told } = targetsAnswer({});
    const admin = await anOperator({ role: 'admin' });
    await admin.done('PUT', AT, { ...WANTED, enabled: false });
    await fails();
    await cron();
    expect((await admin.getJson<Shown>(AT)).deliveries).toEqual([]);
    await admin.done('PUT', AT, WANTED);
    await cron();
    await hooks.reaches(['delivered'], 'alerts');
    await admin.done('PUT', AT, { ...WANTED, url: 'https://other.example/hook' });
    await cron();
    await hooks.reaches(['delivered', 'delivered'], 'alerts');
    expect(told.map(({ url }) => url)).toEqual([WANTED.url, 'https://other.example/hook']);
    expect(new Set(eventsIn(told).map(({ data }) => data.alertId)).size).toBe(1);
    const notify = vi.spyOn(Webhooks.prototype, 'notify');
    await admin.done('PUT', AT, { ...WANTED, url: 'https://third.example/hook' });
    notify.mockImplementationOnce(async () => {
      await admin.done('PUT', AT, { ...WANTED, url: 'https://fourth.example/hook' }); // while the third is being told
    });
    await cron();
    await cron();
    await hooks.reaches(['delivered', 'delivered', 'delivered'], 'alerts');
    expect(told.at(-1)?.url).toBe('https://fourth.example/hook');
    await admin.fetch(AT, { method: 'DELETE' });
    await mended();
    await admin.done('PUT', AT, WANTED);
    await cron();
    expect((await admin.getJson<Shown>(AT)).deliveries).toEqual([]);
  });
});

describe('an administrator', () => {
  it('sets it, sees how it goes, tests it, renews its secret and deletes it, and all of it is in the audit', async () => {
    const { told } = targetsAnswer({});
    const admin = await anOperator({ role: 'admin', name: 'Head of night shift' });
    expect(await admin.getJson<Shown>(AT)).toEqual({ environment: 'test', webhook: null, deliveries: [] });
    const first = await admin.done<Shown>('PUT', AT, WANTED);
    expect(first.webhook).toMatchObject({ state: 'enabled', action: 'register', url: WANTED.url });
    const second = await admin.done<Shown>('POST', `${AT}/rotate`, { note: 'yearly' });
    await admin.done('POST', `${AT}/test`, { note: 'does it ring?' });
    await hooks.reaches(['delivered'], 'alerts');
    const { body = '', headers = {} } = told[0] ?? {};
    for (const { webhook } of [first, second])
      expect(new Webhook(webhook?.secret ?? '').verify(body, headers)).toMatchObject({
        type: 'alert.test',
        data: { environment: 'test', by: 'Head of night shift', note: 'does it ring?' },
      });
    const shown = await admin.getJson<Shown>(AT);
    expect(shown).toMatchObject({
      webhook: { edition: 2 },
      deliveries: [{ type: 'alert.test', state: 'delivered', code: null }],
    });
    expect(JSON.stringify(shown)).not.toContain('whsec_');
    await admin.done('PUT', AT, { ...WANTED, enabled: false });
    const off = await admin.fetch(`${AT}/test`, { method: 'POST', body: JSON.stringify({ note: 'a test' }) });
    expect((await problemOf(off)).code).toBe('webhook_disabled');
    const gone = await admin.fetch(`${AT}?note=nobody%20is%20on%20call`, { method: 'DELETE' });
    expect(await gone.json()).toMatchObject({ webhook: { state: 'deleted', note: 'nobody is on call' } });
    expect(await admin.getJson<Shown>(AT)).toMatchObject({ webhook: null, deliveries: [] });
    const { entries } = await admin.getJson<{ entries: AuditEntry[] }>('/v1/ops/audit');
    expect(entries.map(({ action, why }) => [action, why])).toEqual([
      ['alert_webhook.delete', 'nobody is on call'],
      ['alert_webhook.set', WANTED.note],
      ['alert_webhook.test', 'does it ring?'],
      ['alert_webhook.rotate', 'yearly'],
      ['alert_webhook.set', WANTED.note],
    ]);
  });

  it('is refused an address that no webhook may have, and partners have no part in it', async () => {
    const admin = await anOperator({ role: 'admin' });
    const refused = await admin.fetch(AT, {
      method: 'PUT',
      body: JSON.stringify({ ...WANTED, url: 'https://10.0.0.1/' }),
    });
    expect((await problemOf(refused)).code).toBe('webhook_url_refused');
    await admin.done('PUT', AT, WANTED);
    expect(await admin.getJson('/v1/ops/webhooks')).toMatchObject({ webhooks: [] });
  });
});

it('is set with what it is to be told, or not at all: its secret is never lost', async () => {
  const admin = await anOperator({ role: 'admin' });
  await sql(
    `INSERT INTO raised_alert (environment, code, about, part, raised_at_ms, alert) VALUES ('test', 'rows_held', 'bridge', '', 1, '{}')`,
  );
  await sql(`CREATE TRIGGER planned BEFORE DELETE ON raised_alert BEGIN SELECT RAISE(ABORT, 'planned'); END`);
  const refused = await admin.fetch(AT, { method: 'PUT', body: JSON.stringify(WANTED) });
  expect(await problemOf(refused)).toMatchObject({ status: 503, code: 'directory_unavailable' });
  expect((await admin.getJson<Shown>(AT)).webhook).toBeNull();
  await sql('DROP TRIGGER planned');
  const { webhook } = await admin.done<Shown>('PUT', AT, WANTED);
  expect(webhook).toMatchObject({ edition: 1, action: 'register', secret: expect.stringMatching(/^whsec_/) });
  expect(await env.DIRECTORY.prepare('SELECT count(*) AS count FROM raised_alert').first('count')).toBe(0);
});
