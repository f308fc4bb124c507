import { describe, expect, it } from 'vitest';
import { presentedKey } from '../../../src/http/edge/context.ts';

const KEY = 'tltest_0001020304050607_08090a0b';
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('presentedKey', () => {
  it('is undefined when the request carries none', () => {
    expect(presentedKey(undefined)).toBeUndefined();
  });

  it.each([`Bearer ${KEY}`, `bearer ${KEY}`, `BEARER ${KEY}`, `Bearer   ${KEY}  `, `  Bearer ${KEY}`])(
    'is the token of %j',
    (authorization) => {
      expect(presentedKey(authorization)).toBe(KEY);
    },
  );

  it.each([
    ['a name and the key', basic(`any:${KEY}`)],
    ['no name', basic(`:${KEY}`)],
    ['no colon, as some systems send it', basic(KEY)],
    ['small letters', basic(`any:${KEY}`).replace('Basic', 'basic')],
  ])('is the password of Basic with %s', (_what, authorization) => {
    expect(presentedKey(authorization)).toBe(KEY);
  });

  it('is everything behind the first colon: a password may hold more of them', () => {
    expect(presentedKey(basic('any:a:b:c'))).toBe('a:b:c');
  });

  it.each([
    ['base64 that is none', 'Basic ***'],
    ['no base64', 'Basic '],
    ['a scheme alone', 'Bearer'],
    ['another scheme', `Digest ${KEY}`],
    ['the key without a scheme', KEY],
    ['two tokens', `Bearer ${KEY} ${KEY}`],
    ['nothing', ''],
    ['blanks', '   '],
  ])('is an empty text, which is checked and fails like any wrong key, for %s', (_what, authorization) => {
    expect(presentedKey(authorization)).toBe('');
  });

  it('reads a long header in one pass', () => {
    const startedMs = performance.now();
    presentedKey(`Bearer ${' '.repeat(50_000)}x y`);
    presentedKey(' '.repeat(50_000));
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
