/** Who did what, and why: `GET /v1/ops/audit`, after requests of every kind. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import type { AuditEntry } from '../../../src/ops/directory/audit.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import {
  decide,
  heldMilestone,
  letterAt,
  loadsFile,
  mixedAnswers,
  post,
  unique,
  uploaded,
  WHY,
} from '../dead-letters.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, problemOf } from '../partners.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface Listed {
  entries: AuditEntry[];
  next: string | null;
}

const listed = (operator: Operator, query = ''): Promise<Listed> => operator.getJson(`/v1/ops/audit?${query}`);
const actions = async (operator: Operator, query = ''): Promise<string[]> =>
  (await listed(operator, query)).entries.map(({ action }) => action);

const NAME = 'carrier-status-csv';
const released = { scope: 'auth', reason: 'the key was renewed' };

describe('the audit', () => {
  it('says who did what about what, why, and under which key', async () => {
    const operator = await anOperator({ name: 'Night shift' });
    await operator.done('POST', '/v1/ops/channels/plain/release', released);
    expect(await listed(operator)).toEqual({
      environment: 'test',
      entries: [
        {
          id: 1,
          at: expect.stringMatching(/^\d{4}-/),
          environment: 'test',
          actor: 'Night shift',
          action: 'channel.release',
          about: 'channel/plain',
          why: 'the key was renewed',
          detail: { by: operator.keyId, scope: 'auth', released: false },
        },
      ],
      next: null,
    });
  });

  it('has publications with the note of their address, rollbacks, owners and settings of partners', async () => {
    const operator = await anOperator();
    const { name } = await aPartner();
    const text = `# published by a test\n${BUNDLED_DOCUMENTS.get(NAME) ?? ''}`;
    await operator.done('PUT', `/v1/ops/mappings/${NAME}?note=because`, text);
    await operator.done('POST', `/v1/ops/mappings/${NAME}/rollback`, { to: 'bundled', note: 'it was wrong' });
    await operator.done('PUT', `/v1/ops/mappings/${NAME}/owners`, { shared: true, note: 'for all' });
    await operator.done('PUT', `/v1/ops/partners/${name}/envelopes`, { rules: {}, note: 'as agreed' });
    await operator.done('PUT', '/v1/ops/answer-mappings/order-status', {
      mapping: DEFAULT_ANSWER_MAPPING,
      note: 'as it was',
    });
    const { entries } = await listed(operator);
    expect(entries.map(({ action, about, why }) => [action, about, why])).toEqual([
      ['answer_mapping.set', 'answer-mapping/order-status', 'as it was'],
      ['envelopes.set', `partner/${name}`, 'as agreed'],
      ['mapping.owners', `mapping/${NAME}`, 'for all'],
      ['mapping.rollback', `mapping/${NAME}`, 'it was wrong'],
      ['mapping.publish', `mapping/${NAME}`, 'because'],
    ]);
    expect(entries.at(-1)?.detail).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('has nothing of what was only planned, refused or read', async () => {
    const operator = await anOperator();
    const text = BUNDLED_DOCUMENTS.get(NAME) ?? '';
    await operator.done('PUT', `/v1/ops/mappings/${NAME}?dryRun=true`, `# another\n${text}`);
    expect((await operator.fetch('/v1/ops/channels/nobody/release', { method: 'POST', body: '{}' })).status).toBe(400);
    const viewer = await anOperator({ role: 'viewer' });
    await viewer.fetch('/v1/ops/channels/plain/release', { method: 'POST', body: JSON.stringify(released) });
    expect(await actions(operator)).toEqual([]);
  });

  it('shows an environment its own, page by page, with its filters in "next"', async () => {
    const operator = await anOperator({ environments: ['test', 'production'] });
    const release = (channel: string, environment: string) =>
      operator.done('POST', `/v1/ops/channels/${channel}/release?environment=${environment}`, released);
    await release('plain', 'test');
    await release('live', 'production');
    await release('plain', 'test');
    const first = await listed(operator, 'environment=test&limit=1&action=channel');
    expect(first.entries).toHaveLength(1);
    const second = await operator.getJson<Listed>(first.next ?? '');
    expect(second.entries).toHaveLength(1);
    expect(second.entries[0]?.id).not.toBe(first.entries[0]?.id);
    expect((await operator.getJson<Listed>(second.next ?? '')).entries).toEqual([]);
    expect(await actions(operator, 'environment=production')).toEqual(['channel.release']);
    expect(await actions(operator, 'environment=test&about=channel/live')).toEqual([]);
  });

  it('shows both environments who switched a partner off, also where its channel of one changed with it', async () => {
    const operator = await anOperator({ role: 'admin', environments: ['test', 'production'] });
    const { name } = await aPartner();
    const change = (body: object) => operator.done('PATCH', `/v1/ops/partners/${name}?environment=test`, body);
    await change({ enabled: false, channel: 'order-bearer', why: 'a test' });
    for (const environment of ['test', 'production'])
      expect(await actions(operator, `environment=${environment}&about=partner/${name}`)).toEqual(['partner.change']);
    await change({ channel: 'plain', why: 'back' });
    expect(await actions(operator, `environment=production&about=partner/${name}`)).toEqual(['partner.change']);
    expect(await actions(operator, `environment=test&about=partner/${name}`)).toHaveLength(2);
  });

  it.each(['cursor=1', 'from=yesterday', 'to=2026', 'who=me'])('refuses what it cannot read: %s', async (query) => {
    const operator = await anOperator();
    const refused = await problemOf(await operator.fetch(`/v1/ops/audit?${query}`));
    expect(refused.code).toMatch(/^parameter_/);
  });

  it('that cannot be written is said in the log, and the answer stays', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const operator = await anOperator();
    await env.DIRECTORY.prepare('DROP TABLE audit_entry').run();
    await operator.done('POST', '/v1/ops/channels/plain/release', released);
    expect(said).toHaveBeenCalledWith(expect.stringContaining('audit_not_written'));
  });

  it('has decisions and replays once each, though the click came twice', async () => {
    mixedAnswers();
    const [operator, partner] = [await anOperator(), await aPartner()];
    const held = await heldMilestone(partner);
    for (const _ of [1, 2]) await decide(operator, held, { decision: 'mark_delivered' }, { 'Idempotency-Key': 'once' });
    const bad = await uploaded(partner, loadsFile(unique(), '-bad'), { rejected: 1 });
    const again = { partner: partner.name, requests: [letterAt(bad).slice('/v1/ops/letters/'.length)], why: 'mended' };
    const first = await post(operator, '/v1/ops/replays', again, { 'Idempotency-Key': 'twice' });
    const { actionId } = await first.json<{ actionId: string }>();
    await post(operator, '/v1/ops/replays', again, { 'Idempotency-Key': 'twice' });
    await post(operator, `/v1/ops/actions/${actionId}/cancel`, {});
    const { entries } = await listed(operator);
    expect(entries).toMatchObject([
      { action: 'replay.cancel', about: `action/${actionId}`, why: '' },
      { action: 'replay.begin', about: `partner/${partner.name}`, why: 'mended', detail: { actionId, requests: 1 } },
      {
        action: 'request.decide',
        about: `batch/${held.batchId}`,
        why: WHY,
        detail: { record: '1', request: '1', decision: 'mark_delivered', partner: partner.name },
      },
    ]);
    expect(await actions(operator, `about=batch/${held.batchId}`)).toEqual(['request.decide']);
  });
});
