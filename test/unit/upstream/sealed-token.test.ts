/** A stored token: nobody reads it without the channel's secret, and what cannot be opened counts as none. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/kernel/secret.ts';
import { openToken, sealToken } from '../../../src/upstream/gate/sealed-token.ts';
import { holdToken, isFresh } from '../../../src/upstream/gate/token-lifetime.ts';

const channel = (changed: { name?: string; environment?: 'test' | 'production'; secret?: string } = {}) => ({
  environment: changed.environment ?? ('test' as const),
  name: changed.name ?? 'acme-test',
  clientSecret: new Secret(changed.secret ?? 'canary-secret'),
});
const NOW_MS = Date.parse('2026-03-02T10:00:00Z');
const held = holdToken('canary-token', 'abc123', 3_600, NOW_MS);

describe('a sealed token', () => {
  it('is opened by its channel, with its own times', () => {
    expect(openToken(sealToken(held, channel()), channel())).toEqual(held);
  });

  it('shows nothing of the token, and is another text each time', () => {
    const [one, other] = [sealToken(held, channel()), sealToken(held, channel())];
    expect(one.sealed).not.toBe(other.sealed);
    expect(Buffer.from(one.sealed, 'base64').toString('latin1')).not.toMatch(/canary|abc123|expires/);
  });

  it.each([
    ['another secret', { secret: 'renewed' }],
    ['another channel with the same secret', { name: 'acme-other' }],
    ['the same channel of another environment', { environment: 'production' as const }],
  ])('is none for %s', (_, changed) => {
    expect(openToken(sealToken(held, channel()), channel(changed))).toBeUndefined();
  });

  it('is none with any byte changed', () => {
    const bytes = Buffer.from(sealToken(held, channel()).sealed, 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openToken({ sealed: changed.toString('base64') }, channel()), `byte ${at}`).toBeUndefined();
    }
  });

  it.each([null, {}, held, { sealed: 3 }, { sealed: '' }, { sealed: 'AAAA' }])(
    'is none where %j is stored',
    (stored) => {
      expect(openToken(stored, channel())).toBeUndefined();
    },
  );

  it('counts as no token at an earlier release, which reads its times', () => {
    expect(isFresh(sealToken(held, channel()) as never, NOW_MS)).toBe(false);
  });
});
