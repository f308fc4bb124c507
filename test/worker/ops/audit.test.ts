/** The audit of what operators did: its rows in D1, who reads them, and the end of their life. */
import { applyD1Migrations, createScheduledController, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import worker from '../../../src/index.ts';
import { DAY_MS } from '../../../src/kernel/clock.ts';
import {
  type AuditFacts,
  type AuditQuery,
  auditOf,
  auditRetentionMs,
  auditStatement,
} from '../../../src/ops/directory/audit.ts';
import { AUDIT_RETENTION_DAYS } from '../../../src/ops/directory/limits.ts';
import { migratedDirectory } from '../directory.ts';

beforeEach(() => migratedDirectory());
afterEach(() => reset());

const FACTS: AuditFacts = {
  atMs: 1_772_460_000_000,
  environment: 'test',
  actor: 'Analyst',
  action: 'mapping.publish',
  about: 'mapping/carrier-status-csv',
  why: 'a new code',
  detail: { by: 'k1' },
};
const ANY: AuditQuery = {
  ...{ environment: 'test', actor: null, action: null, about: null, fromMs: null, toMs: null, before: null },
  limit: 50,
};

const listed = async (asked: Partial<AuditQuery> = {}) => {
  const found = await auditOf(env.DIRECTORY).list({ ...ANY, ...asked });
  if (!found.ok) throw new Error(found.error.code);
  return found.value;
};
const written = (facts: Partial<AuditFacts>) => auditOf(env.DIRECTORY).write({ ...FACTS, ...facts });

it('gives back what was written, without the number of its form', async () => {
  await written({});
  const { atMs: _, ...rest } = FACTS;
  expect(await listed()).toEqual([{ id: 1, at: '2026-03-02T14:00:00.000Z', ...rest }]);
});

it('lists the newest first, of one environment and what concerns both, page by page', async () => {
  await written({ why: '1' });
  await written({ why: '2', environment: 'production' });
  await written({ why: '3', environment: null });
  await written({ why: '4' });
  const page = await listed({ limit: 2 });
  expect(page.map(({ why }) => why)).toEqual(['4', '3']);
  expect((await listed({ before: { id: page[1]!.id, atMs: FACTS.atMs } })).map(({ why }) => why)).toEqual(['1']);
});

it('finds by actor, action or kind of action, thing and time', async () => {
  await written({ actor: 'Night shift', action: 'mapping.rollback', about: 'mapping/b', atMs: FACTS.atMs + 10 });
  await written({ action: 'mappings.other', about: 'partner/acme' });
  await written({});
  const whys = async (asked: Partial<AuditQuery>) => (await listed(asked)).map(({ action }) => action);
  expect(await whys({ actor: 'night' })).toEqual(['mapping.rollback']);
  expect(await whys({ action: 'mapping.publish' })).toEqual(['mapping.publish']);
  expect(await whys({ action: 'mapping' })).toEqual(['mapping.rollback', 'mapping.publish']);
  expect(await whys({ about: 'partner/acme' })).toEqual(['mappings.other']);
  expect(await whys({ fromMs: FACTS.atMs + 1 })).toEqual(['mapping.rollback']);
  expect(await whys({ toMs: FACTS.atMs + 1 })).toEqual(['mapping.publish', 'mappings.other']);
});

it('writes with a change in one transaction, and nothing where nothing was changed', async () => {
  const rename = (name: string) =>
    env.DIRECTORY.batch([
      env.DIRECTORY.prepare(`UPDATE partner SET display_name = 'New' WHERE partner = ?`).bind(name),
      auditStatement(env.DIRECTORY, { ...FACTS, about: `partner/${name}` }, true),
    ]);
  await env.DIRECTORY.prepare(
    `INSERT INTO partner (partner, display_name, created_at) VALUES ('acme', 'Acme', '')`,
  ).run();
  await rename('nobody');
  await rename('acme');
  expect((await listed()).map(({ about }) => about)).toEqual(['partner/acme']);
});

it('refuses to guess at a detail that a later release wrote', async () => {
  await written({ detail: { form: 99 } });
  expect(await auditOf(env.DIRECTORY).list(ANY)).toEqual({ ok: false, error: { code: 'directory_unavailable' } });
});

it('is swept by the cron of what has reached the end of its life', async () => {
  await written({ why: 'old', atMs: Date.now() - AUDIT_RETENTION_DAYS * DAY_MS - 1 });
  await written({ why: 'young', atMs: Date.now() - AUDIT_RETENTION_DAYS * DAY_MS + DAY_MS });
  await worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);
  expect((await listed()).map(({ why }) => why)).toEqual(['young']);
});

it('lives as long as the setting says, or two years', () => {
  expect(auditRetentionMs()).toBe(730 * DAY_MS);
  expect(auditRetentionMs('90')).toBe(90 * DAY_MS);
  expect(auditRetentionMs('0')).toBe(730 * DAY_MS);
  expect(auditRetentionMs('long')).toBe(730 * DAY_MS);
});

it('begins with what the histories of mappings, partners and webhooks know already', async () => {
  await reset();
  await applyD1Migrations(
    env.DIRECTORY,
    env.MIGRATIONS.filter(({ name }) => name < '0012'),
  );
  const at = '2026-03-02T14:00:00.000Z';
  await env.DIRECTORY.batch(
    [
      `INSERT INTO partner (partner, display_name, created_at) VALUES ('acme', 'Acme', '')`,
      `INSERT INTO partner_key (key_id, partner, environment, secret_sha256, channel, scacs, created_at, revoked_at)
       VALUES ('k1', 'acme', 'test', '', 'old', '[]', '2026-01-01', NULL), ('k2', 'acme', 'test', '', 'plain', '[]', '2026-02-01', NULL),
         ('k3', 'acme', 'test', '', 'gone', '[]', '2026-03-01', 'then')`,
      `INSERT INTO publication VALUES ('test', 1, 0, 'mapping', 'm', 'ab', '', 0, '{}', 'publish', NULL, NULL, 'k', 'Analyst', '${at}', 'first'),
         ('test', 2, 0, 'code_list', 'c', 'cd', '', 0, '{}', 'code_list', NULL, NULL, 'k', 'Analyst', '${at}', 'a word'),
         ('test', 2, 1, 'mapping', 'm', 'ef', '', 0, '{}', 'code_list', NULL, 'c', 'k', 'Analyst', '${at}', 'a word')`,
      `INSERT INTO mapping_owner VALUES ('test', 'm', 1, '[]', 'k', 'Analyst', '${at}', 'theirs')`,
      `INSERT INTO partner_envelope VALUES ('acme', 'test', 1, '{}', 'k', 'Analyst', '${at}', 'agreed')`,
      `INSERT INTO order_feed_change VALUES ('acme', 'test', 1, '{}', 'k', 'Analyst', '${at}', 'follow')`,
      `INSERT INTO answer_mapping VALUES ('test', 'order-status', 1, '{}', 'k', 'Analyst', 'no time', 'renamed')`,
      `INSERT INTO partner_webhook VALUES ('acme', 'test', 'main', 1, 'rotate', '', '[]', 1, 1, NULL, 'k', 'Analyst', '${at}', 'lost')`,
    ].map((sql) => env.DIRECTORY.prepare(sql)),
  );
  await applyD1Migrations(env.DIRECTORY, env.MIGRATIONS);
  const entries = (await listed()).map(({ action, about, why }) => [action, about, why]);
  expect(entries).toEqual([
    ['webhook.rotate', 'partner/acme', 'lost'],
    ['feed.set', 'partner/acme', 'follow'],
    ['envelopes.set', 'partner/acme', 'agreed'],
    ['mapping.owners', 'mapping/m', 'theirs'],
    ['code_list.edit', 'code-list/c', 'a word'],
    ['mapping.publish', 'mapping/m', 'first'],
    ['answer_mapping.set', 'answer-mapping/order-status', 'renamed'],
  ]);
  const channels = await env.DIRECTORY.prepare('SELECT * FROM partner_channel').all();
  expect(channels.results).toEqual([{ partner: 'acme', environment: 'test', channel: 'plain' }]);
});
