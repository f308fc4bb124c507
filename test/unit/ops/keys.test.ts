import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newKey, newOpsKey, readKey, readOpsKey } from '../../../src/ops/directory/keys.ts';

const RANDOM = Uint8Array.from({ length: 40 }, (_, index) => index);
const { key, keyId, secret } = newKey('test', RANDOM);
const bytes40 = fc.uint8Array({ minLength: 40, maxLength: 40 }).map((bytes) => Uint8Array.from(bytes));

describe('newKey', () => {
  it('is prefix, id and secret, joined by underscores', () => {
    expect(key).toBe(`tltest_${keyId}_${secret}`);
    expect(keyId).toBe('0001020304050607');
    expect(secret).toBe('08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627');
  });

  it('has a secret of 256 bits', () => {
    expect(secret).toHaveLength(64);
  });

  it('shows people by its prefix which environment it is for', () => {
    expect(newKey('production', RANDOM).key).toMatch(/^tllive_/);
  });

  it.each([0, 8, 16, 39])('is a bug when only %d random bytes are given: the secret would be short', (bytes) => {
    expect(() => newKey('test', new Uint8Array(bytes))).toThrow('40 random bytes');
  });

  it('uses every random byte once: none of the id stands in the secret', () => {
    fc.assert(
      fc.property(bytes40, (random) => {
        const made = newKey('test', random);
        return made.keyId + made.secret === Buffer.from(random).toString('hex');
      }),
    );
  });
});

describe('readKey', () => {
  it('finds id and secret of every key that is made', () => {
    fc.assert(
      fc.property(bytes40, fc.constantFrom('test', 'production'), (random, environment) => {
        const made = newKey(environment, random);
        expect(readKey(made.key)).toEqual({ keyId: made.keyId, secret: made.secret });
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['a blank in front', ` ${key}`],
    ['a line end', `${key}\n`],
    ['capital letters', key.toUpperCase()],
    ['another prefix', key.replace('tltest', 'sk')],
    ['no prefix', key.replace('tltest_', '')],
    ['a short secret', key.slice(0, -1)],
    ['a long secret', `${key}0`],
    ['a letter that is no digit', `${key.slice(0, -1)}g`],
    ['two keys', `${key} ${key}`],
    ['text for a database', "tltest_' OR 1=1 --_x"],
  ])('is nothing for %s', (_what, presented) => {
    expect(readKey(presented)).toBeUndefined();
  });
});

describe('a key of someone who operates the bridge', () => {
  const ops = newOpsKey(RANDOM);

  it('has a prefix of its own', () => {
    expect(ops.key).toBe(`tlops_${keyId}_${secret}`);
    expect(readOpsKey(ops.key)).toEqual({ keyId, secret });
  });

  it('is no partner’s key, and a partner’s key is none of these, whatever id and secret are', () => {
    expect(readKey(ops.key)).toBeUndefined();
    expect(readOpsKey(key)).toBeUndefined();
    expect(readOpsKey(newKey('production', RANDOM).key)).toBeUndefined();
  });
});
