/** Keys and signatures, judged by the public library of Standard Webhooks. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/kernel/secret.ts';
import { type KeyOwner, signatureOf, signingKey, webhookKeyOf } from '../../../src/webhooks/key.ts';
import { draws } from '../../draws.ts';

const MASTER = new Secret('a master key of forty characters, or so.');
const OWNER: KeyOwner = { environment: 'test', partner: 'acme', target: 'one', generation: 1 };

describe('a signature', () => {
  it('is the one the public library makes, whatever is signed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^e_[0-9a-f]{32}$/), async (body, id) => {
        const key = await signingKey(MASTER, OWNER);
        const atSeconds = Math.floor(Date.now() / 1_000);
        const signature = await signatureOf(key, { id, atSeconds, body });
        expect(signature).toBe(new Webhook(key.reveal()).sign(id, new Date(atSeconds * 1_000), body));
      }),
      { numRuns: draws(200) },
    );
  });

  it('is accepted beside one of another key, and refused when a byte differs', async () => {
    const keys = await Promise.all([2, 1].map((generation) => signingKey(MASTER, { ...OWNER, generation })));
    const sent = { id: 'e_1', atSeconds: Math.floor(Date.now() / 1_000), body: '{"type":"batch.settled"}' };
    const signatures = await Promise.all(keys.map((key) => signatureOf(key, sent)));
    const headers = {
      'webhook-id': 'e_1',
      'webhook-timestamp': String(sent.atSeconds),
      'webhook-signature': signatures.join(' '),
    };
    for (const key of keys) {
      const library = new Webhook(key.reveal());
      expect(library.verify(sent.body, headers)).toEqual({ type: 'batch.settled' });
      expect(() => library.verify(sent.body.replace('settled', 'held'), headers)).toThrow();
      expect(() => library.verify(sent.body, { ...headers, 'webhook-id': 'e_2' })).toThrow();
    }
  });
});

describe('a key', () => {
  it('is another one for every owner and master, and always the same for one', async () => {
    const owners: KeyOwner[] = [
      OWNER,
      { ...OWNER, environment: 'production' },
      { ...OWNER, partner: 'acme2' },
      { ...OWNER, target: 'two' },
      { ...OWNER, generation: 2 },
      { ...OWNER, partner: 'acme","one', target: '' },
    ];
    const keys = await Promise.all(owners.map(async (owner) => (await signingKey(MASTER, owner)).reveal()));
    const other = (await signingKey(new Secret(`${MASTER.reveal()}!`), OWNER)).reveal();
    expect(new Set([...keys, other]).size).toBe(owners.length + 1);
    expect((await signingKey(MASTER, OWNER)).reveal()).toBe(keys[0]);
    expect(keys[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it('is made of a secret that is set, and long enough', () => {
    expect(webhookKeyOf({})).toBeUndefined();
    expect(webhookKeyOf({ WEBHOOK_KEY: 'short' })).toBeUndefined();
    expect(webhookKeyOf({ WEBHOOK_KEY: 'x'.repeat(32) })).toBeDefined();
    expect(JSON.stringify({ key: webhookKeyOf({ WEBHOOK_KEY: 'x'.repeat(32) }) })).toBe('{"key":"[secret]"}');
  });
});

it('the example in the guide takes what is genuine, and nothing else', async () => {
  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/partners.md', 'utf8')) ?? [];
  const source = encodeURIComponent(`${example}\nexport { isGenuine };`);
  type Check = (headers: Record<string, string>, body: string, secret: string) => boolean;
  const { isGenuine } = (await import(/* @vite-ignore */ `data:text/javascript,${source}`)) as { isGenuine: Check };
  const key = await signingKey(MASTER, OWNER);
  const atSeconds = Math.floor(Date.now() / 1_000);
  const signed = async (sent: { id: string; atSeconds: number; body: string }) => ({
    'webhook-id': sent.id,
    'webhook-timestamp': String(sent.atSeconds),
    'webhook-signature': `v1,AAAA ${await signatureOf(key, sent)}`,
  });
  const headers = await signed({ id: 'e_1', atSeconds, body: '{}' });
  expect(isGenuine(headers, '{}', key.reveal())).toBe(true);
  expect(isGenuine(headers, '{ }', key.reveal())).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-id': 'e_2' }, '{}', key.reveal())).toBe(false);
  expect(isGenuine(headers, '{}', (await signingKey(MASTER, { ...OWNER, generation: 2 })).reveal())).toBe(false);
  const old = await signed({ id: 'e_1', atSeconds: atSeconds - 600, body: '{}' });
  expect(isGenuine(old, '{}', key.reveal())).toBe(false);
});
