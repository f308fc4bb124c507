/** What a batch tells its partner's webhooks, and that each thing is told once whatever happens between. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchName, registerName } from '../../../src/kernel/names.ts';
import { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { aTarget, hooksOf, keyOf, targetsAnswer } from '../hooks.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { aPartner, type Partner } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';
import { a214 } from '../x12-files.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

interface NotifiedProgress {
  type: string;
  data: { batchId: string; message?: number; rowStates: object; state: string; links: Record<string, string> };
}

async function aHookedPartner() {
  const partner = await aPartner();
  const hooks = hooksOf({ environment: partner.environment, partner: partner.name });
  await hooks.keep(aTarget('one'));
  return { partner, hooks };
}

const typesIn = (told: readonly { body: string }[]): string[] =>
  told.map(({ body }) => (JSON.parse(body) as NotifiedProgress).type);
const quiet = () => new Promise((resolve) => setTimeout(resolve, 150));

const acknowledgmentAt = async (partner: Partner, { acknowledgment = '' }: Record<string, string>): Promise<string> =>
  new TextDecoder().decode(await (await partner.fetch(acknowledgment)).bytes());

const stateInRegister = async (
  { environment, name: partner }: Partner,
  batchId: string,
): Promise<string | undefined> => {
  const listed = await env.INTAKE_REGISTER.getByName(registerName({ environment, partner })).list(null, 10);
  return listed.find(({ batch_id }) => batch_id === batchId)?.state;
};

const batchStub = (partner: Partner, batchId: string) =>
  env.BATCH.getByName(batchName({ environment: partner.environment, partner: partner.name }, batchId));

describe('a batch that settles', () => {
  it('is told of once, signed, with counts and links and nothing that stood in its rows', async () => {
    const { told } = targetsAnswer({}, 200);
    const { partner, hooks } = await aHookedPartner();
    const file = statusFile(statusRow('CANARY-LOAD'), statusRow('CANARY-BAD', { Status: 'Q9' }));
    const { batchId } = await partner.receipt(file);
    await partner.reaches(batchId, 'settled');
    await hooks.reaches(['delivered']);
    await quiet();
    expect(typesIn(told)).toEqual(['batch.settled']);
    const [{ body = '', headers = {} } = {}] = told;
    const verified = new Webhook(await keyOf(hooks.scope)).verify(body, headers) as NotifiedProgress;
    expect(verified.data).toMatchObject({
      batchId,
      state: 'settled',
      rows: 2,
      rowStates: { delivered: 1, invalid: 1 },
      links: { self: `/v1/batches/${batchId}` },
    });
    expect(body).not.toMatch(/canary/i);
    expect(await partner.getJson(verified.data.links.rows ?? '')).toMatchObject({
      rows: [{ record: 1 }, { record: 2 }],
    });
  });

  it('is told of when it could not be read, too', async () => {
    const { told } = targetsAnswer({}, 200);
    const { partner, hooks } = await aHookedPartner();
    const { batchId } = await partner.receipt('a,b\n1,2\n');
    await partner.reaches(batchId, 'unreadable');
    await hooks.reaches(['delivered']);
    expect((JSON.parse(told[0]?.body ?? '') as NotifiedProgress).data.state).toBe('unreadable');
  });

  it('is told of again under another id once it was opened again, and never because its register asks', async () => {
    const upstream = targetsAnswer({}, 400);
    const { partner, hooks } = await aHookedPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('R')));
    await partner.reaches(batchId, 'settled');
    await hooks.reaches(['delivered']);
    await batchStub(partner, batchId).watch(); // who asks does not know of its end
    await quiet();
    expect(upstream.told).toHaveLength(1);
    upstream.answer(200);
    const retried = await partner.fetch(`/v1/batches/${batchId}/retry`, {
      method: 'POST',
      headers: { 'Idempotency-Key': 'again' },
    });
    expect(retried.status).toBeLessThan(300);
    await hooks.reaches(['delivered', 'delivered']);
    expect(new Set(upstream.told.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('is told of though the sender could not be reached at first', async () => {
    const { told } = targetsAnswer({}, 200);
    const { partner, hooks } = await aHookedPartner();
    const tell = vi.spyOn(Webhooks.prototype, 'notify').mockRejectedValueOnce(new Error('planned: not reached'));
    const { batchId } = await partner.receipt(statusFile(statusRow('N')));
    await partner.reaches(batchId, 'settled');
    await hooks.reaches(['delivered']);
    expect(tell.mock.calls.length).toBeGreaterThan(1);
    expect(told).toHaveLength(1);
  });

  it('is told of though its alarm is lost before it was: its register asks, because it does not know of the end', async () => {
    targetsAnswer({}, 200);
    const { partner, hooks } = await aHookedPartner();
    const tell = vi.spyOn(Webhooks.prototype, 'notify').mockRejectedValue(new Error('planned: not reached'));
    const { batchId } = await partner.receipt(statusFile(statusRow('L')));
    await partner.reaches(batchId, 'settled');
    await vi.waitFor(() => expect(tell).toHaveBeenCalled(), PATIENCE);
    expect(await stateInRegister(partner, batchId)).toBe('open');
    await runInDurableObject(batchStub(partner, batchId), (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(batchStub(partner, batchId));
    tell.mockRestore();
    await hooks.reaches(['delivered']);
    await vi.waitFor(async () => expect(await stateInRegister(partner, batchId)).toBe('settled'), PATIENCE);
  });

  it('is known to its register after a while, though nobody can be told of it', async () => {
    upstreamAnswers(200);
    const { partner } = await aHookedPartner();
    vi.spyOn(Webhooks.prototype, 'notify').mockRejectedValue(new Error('planned: not reached'));
    const { batchId } = await partner.receipt(statusFile(statusRow('K')));
    await partner.reaches(batchId, 'settled');
    await vi.waitFor(async () => expect(await stateInRegister(partner, batchId)).toBe('settled'), PATIENCE);
  });

  it('is told of under the same id after a death between the telling and its mark', async () => {
    const { told } = targetsAnswer({}, 200);
    const { partner, hooks } = await aHookedPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('D')));
    await partner.reaches(batchId, 'settled');
    await hooks.reaches(['delivered']);
    // As the process would have left it: told, and not marked.
    await evictDurableObject(batchStub(partner, batchId));
    await runInDurableObject(batchStub(partner, batchId), async (_, { storage }) => {
      const sql = `UPDATE kept SET json = json_set(json, '$.progress.news.settled.isTold', json('false')) WHERE name = 'state'`;
      storage.sql.exec(sql);
      await storage.deleteAlarm();
    });
    await evictDurableObject(batchStub(partner, batchId));
    const tell = vi.spyOn(Webhooks.prototype, 'notify');
    await batchStub(partner, batchId).watch();
    await vi.waitFor(() => expect(tell).toHaveBeenCalled(), PATIENCE);
    await quiet();
    expect(await hooks.deliveries()).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  it('is told to the sender once where the partner has no target', async () => {
    upstreamAnswers(200);
    const tell = vi.spyOn(Webhooks.prototype, 'notify');
    const partner = await aPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('Q')));
    await partner.reaches(batchId, 'settled');
    await vi.waitFor(() => expect(tell).toHaveBeenCalledTimes(1), PATIENCE);
    await batchStub(partner, batchId).watch();
    await quiet();
    expect(tell).toHaveBeenCalledTimes(1);
  });
});

describe('a batch of which only held rows are open', () => {
  it('is told of once, and of its end when a person has decided', async () => {
    const { told } = targetsAnswer({}, 500, 400);
    const { partner, hooks } = await aHookedPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('H')));
    await hooks.reaches(['delivered']);
    await batchStub(partner, batchId).watch();
    await quiet();
    expect(typesIn(told)).toEqual(['batch.held']);
    expect((JSON.parse(told[0]?.body ?? '') as NotifiedProgress).data).toMatchObject({
      batchId,
      requestStates: { held: 1 },
    });
    const operator = await anOperator();
    const decision = { decision: 'close', outcome: 'not_applied', why: 'a test' };
    const path = `/v1/ops/letters/${batchId}/1/1/decisions?partner=${partner.name}`;
    await operator.done('POST', path, decision, { 'Idempotency-Key': 'click' });
    await hooks.reaches(['delivered', 'delivered']);
    expect(typesIn(told)).toEqual(['batch.held', 'batch.settled']);
  });
});

describe('an acknowledgment', () => {
  it('of a file is told of when it can be fetched, before the end', async () => {
    const { told } = targetsAnswer({}, 200);
    const { partner, hooks } = await aHookedPartner();
    const { batchId } = await partner.receipt(a214([{ load: 'E1' }]), { mapping: 'x12-214' });
    await partner.reaches(batchId, 'settled');
    await hooks.reaches(['delivered', 'delivered']);
    expect(typesIn(told)).toEqual(['acknowledgment.ready', 'batch.settled']);
    const { links } = (JSON.parse(told[0]?.body ?? '') as NotifiedProgress).data;
    expect(await acknowledgmentAt(partner, links)).toContain('AK9*A*1*1*1~');
  });

  it('of each message of a shared batch is told of by itself', async () => {
    const { told } = targetsAnswer({}, 200);
    const { partner } = await aHookedPartner();
    const send = (load: string, control: number) =>
      partner.fetch('/v1/messages?mapping=x12-214', { method: 'POST', body: a214([{ load }], { control }) });
    expect((await send('M1', 101)).ok).toBe(true);
    expect((await send('M2', 102)).ok).toBe(true);
    const acknowledged = await vi.waitFor(() => {
      const found = told
        .map(({ body }) => JSON.parse(body) as NotifiedProgress)
        .filter(({ type }) => type === 'acknowledgment.ready');
      expect(found).toHaveLength(2);
      return found;
    }, PATIENCE);
    expect(acknowledged.map(({ data }) => data.message).sort()).toEqual([1, 2]);
    for (const { data } of acknowledged) {
      expect(await acknowledgmentAt(partner, data.links)).toContain('AK9*A*1*1*1~');
    }
  });

  it('is told of for no format that has none', async () => {
    const { told } = targetsAnswer({}, 200);
    const { partner, hooks } = await aHookedPartner();
    const { batchId } = await partner.receipt(statusFile(statusRow('C')));
    await partner.reaches(batchId, 'settled');
    await hooks.reaches(['delivered']);
    expect(typesIn(told)).toEqual(['batch.settled']);
  });
});
