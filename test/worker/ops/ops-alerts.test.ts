/** What operators are told without looking for it: lost answers, webhooks that were switched off, rows that nobody has decided or corrected. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Alert } from '../../../src/http/ops/views/alerts.ts';
import { feedName } from '../../../src/kernel/names.ts';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { loadsFile, mixedAnswers, unique, uploaded } from '../dead-letters.ts';
import { BY, orderHistory } from '../feeds.ts';
import { hooksOf, targetsAnswer } from '../hooks.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner } from '../partners.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface NotifiedProgress {
  alerts: Alert[];
}
interface Health {
  feeds: { partner: string; unreadable: number | null; trouble: string | null }[];
  webhooks: { partner: string; id: string; state: string; disabledReason: string | null }[];
}

const told = (operator: Operator): Promise<NotifiedProgress> =>
  operator.getJson<NotifiedProgress>('/v1/ops/alerts?environment=test');
const codesFor = async (operator: Operator, { name }: Partner): Promise<string[]> =>
  (await told(operator)).alerts.filter(({ about }) => about === name).map(({ code }) => code);

describe('an operator', () => {
  it('is told of answers that could not be read, until they are', async () => {
    const upstream = orderHistory();
    const partner = await aPartner();
    const operator = await anOperator();
    const pair = { partnerId: `P-${partner.name}`, clientId: 'C' };
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/feed`, { ...pair, channel: 'plain', note: 'a test' });
    const feed = env.ORDER_FEED.getByName(feedName('test', pair));
    upstream.nextPoll(() => Response.json({ nothing: 'here' }));
    await vi.waitFor(async () => {
      await feed.pollNow(BY);
      expect((await feed.status())?.unread.unreadable).toBe(1);
    }, PATIENCE);
    expect(await codesFor(operator, partner)).toContain('answers_unreadable');
    const { feeds } = await operator.getJson<Health>('/v1/ops/health');
    expect(feeds.find((line) => line.partner === partner.name)).toMatchObject({ unreadable: 1 });
    const mapping = {
      ...(await operator.getJson<{ mapping: object }>('/v1/ops/answer-mappings/order-status')).mapping,
    };
    const wider = { mapping: { ...mapping, list: ['events', '$'] }, note: 'a test' };
    const lost = (await feed.status())?.polls.find(({ state }) => state === 'lost');
    await env.FILES.put(lost?.key ?? '', '[]');
    await operator.done('PUT', '/v1/ops/answer-mappings/order-status', wider);
    await vi.waitFor(async () => {
      await operator.done('POST', `/v1/ops/feeds/${partner.name}/polls/${lost?.poll_no}/reread`, { why: 'a test' });
      expect(await codesFor(operator, partner)).toEqual([]);
    }, PATIENCE);
  });

  it('is told where nothing is known of webhooks, while their sender does not answer', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    const wanted = { url: 'https://one.example/hook', events: ['batch.settled'], note: 'a test' };
    await operator.done('PUT', `/v1/ops/partners/${partner.name}/webhooks/main`, wanted);
    const down = vi.spyOn(Webhooks.prototype, 'current').mockRejectedValue(new Error('planned: away'));
    expect(await codesFor(operator, partner)).toEqual(['webhooks_unreachable']);
    down.mockRestore();
    expect(await codesFor(operator, partner)).toEqual([]);
  });

  it('is told of webhooks that were switched off by their answers, and no more once they are set anew', async () => {
    targetsAnswer({ gone: [410] });
    const partner = await aPartner();
    const operator = await anOperator();
    const path = `/v1/ops/partners/${partner.name}/webhooks/main`;
    const wanted = { url: 'https://gone.example/hook', events: ['batch.settled'], note: 'a test' };
    await operator.done('PUT', path, wanted);
    await hooksOf({ environment: 'test', partner: partner.name }).notify(1);
    await vi.waitFor(async () => expect(await codesFor(operator, partner)).toEqual(['webhook_disabled']), PATIENCE);
    const { webhooks } = await operator.getJson<Health>('/v1/ops/health');
    expect(webhooks).toMatchObject([{ partner: partner.name, id: 'main', state: 'disabled' }]);
    await operator.done('PUT', path, wanted);
    expect(await codesFor(operator, partner)).toEqual([]);
    await operator.done('PUT', path, { ...wanted, enabled: false });
    expect((await operator.getJson<Health>('/v1/ops/health')).webhooks).toEqual([]);
  });

  it('is told of a held row at once, with a link to its batch, until it is decided', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await uploaded(partner, loadsFile(unique(), 'held'), { held: 1 });
    await vi.waitFor(async () => expect(await codesFor(operator, partner)).toEqual(['rows_held']), PATIENCE);
    const [alert] = (await told(operator)).alerts;
    expect(alert?.detail).toBe(`1 row waits for a decision in batch ${batchId}`);
    const home = await (await operator.fetch('/console?environment=test')).text();
    expect(home).toContain(`href="/console/holds?partner=${partner.name}`);
    expect((await operator.fetch(alert?.links.console ?? '')).status).toBe(200);
    const { letters } = await operator.getJson<{ letters: { links: Record<string, string> }[] }>(
      '/v1/ops/letters?environment=test&state=held',
    );
    for (const link of Object.values(letters[0]?.links ?? {}))
      expect((await operator.fetch(link)).status, link).toBe(200);
    const decided = await operator.fetch(`/v1/ops/letters/${batchId}/1/1/decisions?environment=test`, {
      method: 'POST',
      headers: { 'Idempotency-Key': 'click' },
      body: JSON.stringify({ decision: 'close', outcome: 'not_applied', why: 'a test' }),
    });
    expect(decided.status, await decided.text()).toBe(200);
    await vi.waitFor(async () => expect(await codesFor(operator, partner)).not.toContain('rows_held'), PATIENCE);
  });

  it('is told of rows that were not delivered and of files that could not be read, at once', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await uploaded(partner, loadsFile(unique(), 'bad'), { rejected: 1 });
    await partner.receipt('not,the,header\n1,2,3\n');
    await vi.waitFor(async () => {
      expect(await codesFor(operator, partner)).toEqual(['rows_refused', 'files_unreadable']);
    }, PATIENCE);
    const [refused] = (await told(operator)).alerts;
    expect(refused?.detail).toBe(`1 row was not delivered in batch ${batchId}`);
    expect((await operator.fetch(refused?.links.api ?? '')).status).toBe(200);
  });

  it('of one environment is told nothing of the other', async () => {
    targetsAnswer({ gone: [410] });
    const partner = await aPartner();
    const operator = await anOperator({ environments: ['test', 'production'] });
    const path = `/v1/ops/partners/${partner.name}/webhooks/main?environment=test`;
    await operator.done('PUT', path, { url: 'https://gone.example/hook', events: ['batch.settled'], note: 'a test' });
    await hooksOf({ environment: 'test', partner: partner.name }).notify(1);
    await vi.waitFor(async () => expect(await codesFor(operator, partner)).toEqual(['webhook_disabled']), PATIENCE);
    expect(await operator.getJson<NotifiedProgress>('/v1/ops/alerts?environment=production')).toMatchObject({
      alerts: [],
    });
  });
});
