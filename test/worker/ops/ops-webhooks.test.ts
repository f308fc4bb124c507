/** Webhook targets as operators register, change, rotate and delete them, and what they see of deliveries. */
import { createExecutionContext, createScheduledController, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../../../src/index.ts';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { hooksOf, targetsAnswer } from '../hooks.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const WANTED = { url: 'https://one.example/hook', events: ['batch.settled'], note: 'as asked by mail' };

interface Shown {
  id: string;
  state: string;
  edition: number;
  action: string;
  changedBy: string;
  waiting: number;
  disabledReason: string | null;
  secret?: string;
}
interface Deliveries {
  deliveries: { eventId: string; state: string; attempts: number; lastStatus: number; sentAgainBy: string | null }[];
  next: string | null;
}

const at = (partner: Partner, id = 'one'): string => `/v1/ops/partners/${partner.name}/webhooks/${id}`;

async function both() {
  const partner = await aPartner();
  const operator = await anOperator();
  const hooks = hooksOf({ environment: partner.environment, partner: partner.name });
  return { partner, operator, hooks };
}

describe('a webhook', () => {
  it('is registered with a secret that is shown once, verifies what is sent, and is stored nowhere', async () => {
    const { told } = targetsAnswer({});
    const { partner, operator, hooks } = await both();
    const made = await operator.done<Shown>('PUT', at(partner), WANTED);
    expect(made).toMatchObject({ id: 'one', state: 'enabled', edition: 1, action: 'register', changedBy: 'Analyst' });
    expect(made.secret).toMatch(/^whsec_/);
    expect(await operator.getJson<Shown>(at(partner))).not.toHaveProperty('secret');
    const changed = await operator.done<Shown>('PUT', at(partner), {
      ...WANTED,
      events: ['batch.held', 'batch.settled'],
    });
    expect(changed).toMatchObject({ edition: 2, action: 'change' });
    expect(changed).not.toHaveProperty('secret');
    await hooks.notify(1);
    await hooks.reaches(['delivered']);
    const [{ body = '', headers = {} } = {}] = told;
    expect(new Webhook(made.secret ?? '').verify(body, headers)).toMatchObject({ type: 'batch.settled' });
    const rows = (await env.DIRECTORY.prepare('SELECT * FROM partner_webhook').all()).results;
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(made.secret?.slice(6) ?? '');
  });

  it('is rotated: the new secret is shown, and both verify what is sent', async () => {
    const { told } = targetsAnswer({});
    const { partner, operator, hooks } = await both();
    const first = await operator.done<Shown>('PUT', at(partner), WANTED);
    const second = await operator.done<Shown>('POST', `${at(partner)}/rotate`, { note: 'yearly' });
    expect(second).toMatchObject({ action: 'rotate', edition: 2 });
    expect(second.secret).not.toBe(first.secret);
    await hooks.notify(1);
    await hooks.reaches(['delivered']);
    const [{ body = '', headers = {} } = {}] = told;
    for (const { secret = '' } of [first, second])
      expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  });

  it('is deleted with its deliveries; registered again it has another secret, and the old one verifies nothing', async () => {
    const { told } = targetsAnswer({});
    const { partner, operator, hooks } = await both();
    const first = await operator.done<Shown>('PUT', at(partner), WANTED);
    await hooks.notify(1);
    await hooks.reaches(['delivered']);
    const deleted = await operator.fetch(`${at(partner)}?note=no%20longer%20wanted`, { method: 'DELETE' });
    expect(await deleted.json()).toMatchObject({ state: 'deleted', action: 'delete', note: 'no longer wanted' });
    expect(await hooks.deliveries()).toEqual([]);
    expect((await problemOf(await operator.fetch(at(partner)))).code).toBe('webhook_unknown');
    await hooks.notify(2);
    expect(told).toHaveLength(1);
    const again = await operator.done<Shown>('PUT', at(partner), WANTED);
    expect(again).toMatchObject({ edition: 3, action: 'register' });
    await hooks.notify(3);
    await hooks.reaches(['delivered']);
    const { body = '', headers = {} } = told[1] ?? {};
    expect(() => new Webhook(again.secret ?? '').verify(body, headers)).not.toThrow();
    expect(() => new Webhook(first.secret ?? '').verify(body, headers)).toThrow();
  });

  it('is of its partner and environment alone', async () => {
    const { partner, operator } = await both();
    const other = await aPartner();
    await operator.done('PUT', at(partner), WANTED);
    expect((await problemOf(await operator.fetch(at(other)))).code).toBe('webhook_unknown');
    const list = await operator.getJson<{ webhooks: Shown[] }>(`/v1/ops/partners/${partner.name}/webhooks`);
    expect(list.webhooks.map(({ id, state }) => [id, state])).toEqual([['one', 'enabled']]);
    expect((await problemOf(await operator.fetch(`${at(partner)}?environment=production`))).code).toBe(
      'environment_not_allowed',
    );
  });

  it.each<[string, object, string]>([
    ['a private address', { url: 'https://10.0.0.1/' }, 'webhook_url_refused'],
    ['plain http', { url: 'http://one.example/' }, 'webhook_url_refused'],
    ['an event that there is not', { events: ['batch.lost'] }, 'body_invalid'],
    ['no event', { events: [] }, 'body_invalid'],
    ['no remark', { note: ' ' }, 'body_invalid'],
    ['a member that there is not', { secret: 'mine' }, 'body_invalid'],
  ])('is refused with %s, and nothing is written', async (_, wrong, code) => {
    const { partner, operator } = await both();
    const answer = await operator.fetch(at(partner), { method: 'PUT', body: JSON.stringify({ ...WANTED, ...wrong }) });
    const words = await problemOf(answer);
    expect([words.code, words.detail]).toEqual([code, expect.stringContaining('Nothing was changed.')]);
    expect((await env.DIRECTORY.prepare('SELECT * FROM partner_webhook').all()).results).toEqual([]);
  });

  it('is refused as the sixth of a partner, and under an id of another form', async () => {
    const { partner, operator } = await both();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await operator.done('PUT', at(partner, id), WANTED);
    const put = (id: string) => operator.fetch(at(partner, id), { method: 'PUT', body: JSON.stringify(WANTED) });
    expect((await problemOf(await put('f'))).code).toBe('too_many_webhooks');
    expect((await put('e')).status).toBe(200);
    for (const id of ['A', '-a', 'a_b', 'a'.repeat(41)]) {
      expect((await problemOf(await put(id))).status, id).toBe(404);
    }
    expect((await put('%2e%2e')).status, 'the list itself').toBe(405);
  });

  it('is refused in words where the deployment has no key to sign with', async () => {
    const { partner, operator } = await both();
    const headers = { Authorization: `Bearer ${operator.key}` };
    for (const WEBHOOK_KEY of ['', 'too short']) {
      const request = new Request(ORIGIN + at(partner), { method: 'PUT', headers, body: JSON.stringify(WANTED) });
      const answer = await worker.fetch(request as never, { ...env, WEBHOOK_KEY }, createExecutionContext());
      const problem = await problemOf(answer as unknown as Response);
      expect(problem).toMatchObject({ status: 409, code: 'webhook_key_missing' });
      expect(problem.fix).toContain('WEBHOOK_KEY');
    }
  });
});

describe('deliveries', () => {
  it('are shown with their last answer, and sent again on request', async () => {
    targetsAnswer({ one: [410, 200] });
    const { partner, operator, hooks } = await both();
    await operator.done('PUT', at(partner), WANTED);
    await hooks.notify(1);
    await hooks.reaches(['given_up']);
    const page = await operator.getJson<Deliveries>(`${at(partner)}/deliveries`);
    expect(page).toMatchObject({ deliveries: [{ state: 'given_up', attempts: 1, lastStatus: 410 }], next: null });
    expect(await operator.getJson<Shown>(at(partner))).toMatchObject({
      state: 'disabled_by_failure',
      disabledReason: 'gone',
    });
    const again = `${at(partner)}/deliveries/${page.deliveries[0]?.eventId}/send-again`;
    expect((await problemOf(await operator.fetch(again, { method: 'POST' }))).code).toBe('webhook_disabled');
    await operator.done('PUT', at(partner), WANTED);
    expect((await operator.fetch(again, { method: 'POST' })).status).toBe(200);
    await hooks.reaches(['delivered']);
    const after = await operator.getJson<Deliveries>(`${at(partner)}/deliveries`);
    expect(after.deliveries[0]).toMatchObject({ state: 'delivered', attempts: 2, sentAgainBy: 'Analyst' });
    for (const event of ['nonsense', `e_${'0'.repeat(32)}`]) {
      const unknown = await operator.fetch(`${at(partner)}/deliveries/${event}/send-again`, { method: 'POST' });
      expect((await problemOf(unknown)).code).toBe('delivery_unknown');
    }
  });

  it('come in pages, newest first', async () => {
    targetsAnswer({});
    const { partner, operator, hooks } = await both();
    await operator.done('PUT', at(partner), WANTED);
    await hooks.notify(...Array.from({ length: 130 }, (_, index) => index));
    await hooks.reaches(Array<'delivered'>(130).fill('delivered'));
    const first = await operator.getJson<Deliveries>(`${at(partner)}/deliveries`);
    const second = await operator.getJson<Deliveries>(first.next ?? '');
    expect([first.deliveries.length, second.deliveries.length, second.next]).toEqual([100, 30, null]);
    const ids = [...first.deliveries, ...second.deliveries].map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(130);
  });
});

describe('a target that its sender was not told of', () => {
  const cron = () => worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);
  it('is brought to it before the answer where another try reaches it', async () => {
    targetsAnswer({});
    const { partner, operator, hooks } = await both();
    const kept = vi.spyOn(Webhooks.prototype, 'keepTargets');
    for (const _ of [1, 2]) kept.mockRejectedValueOnce(new Error('planned: not reached'));
    expect(await operator.done<Shown>('PUT', at(partner), WANTED)).not.toHaveProperty('reached');
    await hooks.notify(1);
    await hooks.reaches(['delivered']);
  });

  it('is answered as such, and brought to it by the cron', async () => {
    targetsAnswer({});
    const { partner, operator, hooks } = await both();
    const kept = vi.spyOn(Webhooks.prototype, 'keepTargets');
    for (const _ of [1, 2, 3]) kept.mockRejectedValueOnce(new Error('planned: not reached'));
    expect(await operator.done<Shown>('PUT', at(partner), WANTED)).toMatchObject({ edition: 1, reached: false });
    await hooks.notify(1);
    expect(await hooks.deliveries()).toEqual([]);
    await cron();
    await hooks.notify(2);
    await hooks.reaches(['delivered']);
  });

  it('keeps nobody else from being told, and a directory that is down fails nothing', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const one = await both();
    const other = await both();
    await one.operator.done('PUT', at(one.partner), WANTED);
    await other.operator.done('PUT', at(other.partner), WANTED);
    const kept = vi.spyOn(Webhooks.prototype, 'keepTargets').mockRejectedValueOnce(new Error('planned: not reached'));
    await cron();
    await vi.waitFor(() => expect(kept).toHaveBeenCalledTimes(2), PATIENCE);
    await env.DIRECTORY.prepare('DROP TABLE partner_webhook').run();
    await cron();
    expect(said).toHaveBeenCalledWith(expect.stringContaining('webhooks_not_listed'));
  });
});

describe('the directory', () => {
  const cron = () => worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);
  const queriesOf = async (work: () => Promise<unknown>): Promise<number> => {
    const prepared = vi.spyOn(env.DIRECTORY, 'prepare');
    await work();
    const queries = prepared.mock.calls.filter(([sql]) => sql.includes('partner_webhook')).length;
    prepared.mockRestore();
    return queries;
  };

  it('is asked for the targets of any number of partners in as many queries as for those of one', async () => {
    targetsAnswer({});
    const { partner, operator } = await both();
    const list = () => operator.getJson<object>('/v1/ops/webhooks');
    const register = (each: Partner, id?: string) => operator.done('PUT', at(each, id), WANTED);
    await register(partner);
    const [byCron, byList] = [await queriesOf(cron), await queriesOf(list)];
    for (let more = 0; more < 4; more += 1) await register(await aPartner());
    await register(partner, 'two');
    const kept = vi.spyOn(Webhooks.prototype, 'keepTargets');
    expect(await queriesOf(cron)).toBe(byCron);
    expect(kept.mock.calls.map(([, targets]) => targets.length).sort()).toEqual([1, 1, 1, 1, 2]);
    expect(await queriesOf(list)).toBe(byList);
  });

  it('lists those of an environment although the other one has more than a page of partners', async () => {
    const { partner, operator } = await both();
    await operator.done('PUT', at(partner), WANTED);
    const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2001)';
    await env.DIRECTORY.batch([
      env.DIRECTORY.prepare(
        `${numbers} INSERT INTO partner (partner, display_name, created_at) SELECT 'many-' || i, '', '' FROM n`,
      ),
      env.DIRECTORY.prepare(
        `${numbers} INSERT INTO partner_webhook SELECT 'many-' || i, 'production', target, edition, action, url, events,
           is_enabled, generation, rotated_at_ms, key_id, key_name, changed_at, note FROM n, partner_webhook`,
      ),
    ]);
    const { webhooks } = await operator.getJson<{ webhooks: { partner: string }[] }>('/v1/ops/webhooks');
    expect(webhooks.map((each) => each.partner)).toEqual([partner.name]);
  });
});
