/** Credentials that change while a batch is on its way: the partner's key, the channel's key and secret, a token in a stale copy. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gateName } from '../../../src/kernel/names.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { TEST_CHANNEL_SECRETS } from '../channels.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { aLoad, PATIENCE, recordsOf } from '../loads.ts';
import { aPartner } from '../partners.ts';
import { heldAnswer, type Left, tokenBody, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  for (const stub of rotated.splice(0)) await setSecrets(stub, JSON.stringify(TEST_CHANNEL_SECRETS));
  await reset();
});

const rotated: DurableObjectStub[] = [];

/** As `wrangler secret put` does, for this object's next wake-up. */
const setSecrets = (stub: DurableObjectStub, secrets: string) =>
  runInDurableObject(stub, (instance) => {
    Reflect.set(Reflect.get(instance, 'env'), 'CHANNEL_SECRETS', secrets);
  });

async function rotate(stub: DurableObjectStub, channel: string): Promise<void> {
  rotated.push(stub);
  const renewed = { apiKey: 'canary-new-key', clientId: 'canary-new-id', clientSecret: 'canary-new-secret' };
  await setSecrets(stub, JSON.stringify({ ...TEST_CHANNEL_SECRETS, [channel]: renewed }));
}

const keyOf = ({ headers }: Left): string | undefined => headers['Ocp-Apim-Subscription-Key'];

describe('the key of a channel, renewed between two wake-ups', () => {
  it('is used from the next request on; what went before stands, while both are valid', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('delivered', 'delivered');
    await rotate(load.stub(), 'plain');
    await load.dispatch([3]);
    await load.reaches('delivered', 'delivered', 'delivered');
    expect(left.map(keyOf)).toEqual(['canary-key-plain', 'canary-key-plain', 'canary-new-key']);
  });

  it('rejects nothing though the old one is refused before the new one is there', async () => {
    const upstream = upstreamAnswers((one) =>
      Response.json({}, { status: keyOf(one) === 'canary-new-key' ? 200 : 401 }),
    );
    const load = aLoad();
    await load.dispatch([1, 2]);
    await load.reaches('waiting', 'queued');
    await rotate(load.stub(), 'plain');
    await rotate(env.UPSTREAM_GATE.getByName(gateName('test', 'plain')), 'plain');
    await load.reaches('delivered', 'delivered');
    const [first] = await load.timeline();
    expect(first?.request).toMatchObject({ tries: 1, possible_duplicate: 0 });
    expect(recordsOf(upstream.left).slice(-2)).toEqual([1, 2]);
  });
});

describe('the secret of a channel, renewed while its token lives', () => {
  it('mints the next token; until then the old one is used, and no row is lost between them', async () => {
    const upstream = upstreamAnswers((one) => {
      const isOver = upstream.tokenRequests.length < 2 && upstream.left.length > 2;
      return Response.json({}, { status: isOver && one.headers.Authorization === 'Bearer token-1' ? 401 : 200 });
    });
    const load = aLoad();
    await load.dispatch([1], { channel: 'bearer' });
    await load.reaches('delivered');
    for (const stub of [load.stub(), env.UPSTREAM_GATE.getByName(gateName('test', 'bearer'))])
      await rotate(stub, 'bearer');
    await load.dispatch([2, 3], { channel: 'bearer' });
    await load.reaches('delivered', 'delivered', 'delivered');
    expect(upstream.left.map(({ headers }) => headers.Authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
    const secrets = upstream.tokenRequests.map(({ headers }) => atob(headers.Authorization?.split(' ')[1] ?? ''));
    expect(secrets).toEqual(['canary-key-bearer:canary-secret-bearer', 'canary-new-key:canary-new-secret']);
  });
});

describe('a copy of a token in KV that is stale for a minute', () => {
  it('costs each load one refused sending and the channel one token, and rejects nothing', async () => {
    const upstream = upstreamAnswers((one) =>
      Response.json({}, { status: one.headers.Authorization === 'Bearer token-1' ? 401 : 200 }),
    );
    upstream.answerTokens(() => Response.json(tokenBody(upstream.tokenRequests.length)));
    const first = aLoad();
    const name = gateName('test', 'bearer');
    const gate = env.UPSTREAM_GATE.getByName(name);
    await gate.currentToken('bearer');
    const stale = await vi.waitFor(async () => {
      const copied = await env.TOKENS.get(name);
      expect(copied).not.toBeNull(); // it is written behind the answer
      return copied;
    }, PATIENCE);
    const loads = [first, ...Array.from({ length: 5 }, () => aLoad())];
    for (const load of loads) {
      forgetTokens(); // each in an isolate of its own, as far as memory goes
      await env.TOKENS.put(name, stale ?? '');
      await load.dispatch([1], { channel: 'bearer' });
      await load.reaches('delivered');
    }
    expect(upstream.tokenRequests).toHaveLength(2);
    expect(upstream.left).toHaveLength(2 * loads.length);
    for (const load of loads) {
      const [entry] = await load.timeline();
      expect(entry?.attempts.map(({ status }) => status)).toEqual([401, 200]);
      expect(entry?.request).toMatchObject({ tries: 1, possible_duplicate: 0 });
    }
  });
});

describe('the key of a partner, renewed while his batch is on its way', () => {
  it('changes nothing of the batch: both keys see it, and it goes on when the old one is revoked', async () => {
    const held = heldAnswer();
    const { left, answer } = upstreamAnswers(held.answer);
    const old = await aPartner();
    const { batchId } = await old.receipt(statusFile(...statusRows(6, 2, `RK-${old.name}`)));
    await vi.waitFor(() => expect(left).toHaveLength(2), PATIENCE);
    const renewed = await aPartner({ partner: old.name });
    expect((await old.summary(batchId)).state).toBe('delivering');
    expect((await renewed.summary(batchId)).state).toBe('delivering');
    await env.DIRECTORY.prepare(`UPDATE partner_key SET revoked_at = 'now' WHERE key_id = ?`).bind(old.keyId).run();
    expect((await old.fetch(`/v1/batches/${batchId}`)).status).toBe(401);
    answer(200);
    held.release(200);
    expect((await renewed.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 6 });
  });
});
