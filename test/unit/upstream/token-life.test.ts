import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdToken, isAlive, isFresh, mustMint } from '../../../src/upstream/gate/token-lifetime.ts';
import { NOW_MS } from './samples.ts';

const held = holdToken('canary-token', 'f1', 3_600, NOW_MS);

describe('holdToken', () => {
  it('renews at four fifths of the life named', () => {
    expect(held).toEqual({
      token: 'canary-token',
      fingerprint: 'f1',
      refreshAtMs: NOW_MS + 2_880_000,
      expiresAtMs: NOW_MS + 3_600_000,
    });
  });

  it('takes an hour where the answer names no life (seed 8)', () => {
    expect(holdToken('t', 'f', undefined, NOW_MS).expiresAtMs).toBe(NOW_MS + 3_600_000);
  });

  it('renews a token of a minute after 48 seconds', () => {
    expect(holdToken('t', 'f', 60, NOW_MS).refreshAtMs).toBe(NOW_MS + 48_000);
  });
});

describe('isFresh', () => {
  it('is so up to the moment of renewal', () => {
    expect(isFresh(held, NOW_MS)).toBe(true);
    expect(isFresh(held, held.refreshAtMs - 1)).toBe(true);
    expect(isFresh(held, held.refreshAtMs)).toBe(false);
    expect(isFresh(held, held.expiresAtMs + 1)).toBe(false);
  });

  it('is never so without a token', () => {
    expect(isFresh(undefined, NOW_MS)).toBe(false);
  });

  it('never outlives the token', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: -1e6, max: 2e9 }), (lifeSeconds, passedMs) => {
        const token = holdToken('t', 'f', lifeSeconds, NOW_MS);
        return !isFresh(token, NOW_MS + passedMs) || NOW_MS + passedMs < token.expiresAtMs;
      }),
    );
  });
});

describe('isAlive', () => {
  it('is so up to the end of its life, also past the moment of renewal', () => {
    expect(isAlive(held, NOW_MS)).toBe(true);
    expect(isAlive(held, held.refreshAtMs)).toBe(true);
    expect(isAlive(held, held.expiresAtMs - 1)).toBe(true);
    expect(isAlive(held, held.expiresAtMs)).toBe(false);
  });

  it('is never so without a token', () => {
    expect(isAlive(undefined, NOW_MS)).toBe(false);
  });

  it('is so for every token that is fresh', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: -1e6, max: 2e9 }), (lifeSeconds, passedMs) => {
        const token = holdToken('t', 'f', lifeSeconds, NOW_MS);
        return !isFresh(token, NOW_MS + passedMs) || isAlive(token, NOW_MS + passedMs);
      }),
    );
  });
});

describe('mustMint', () => {
  it('is so when there is no token, or one that must be renewed', () => {
    expect(mustMint(undefined, undefined, NOW_MS)).toBe(true);
    expect(mustMint(held, undefined, held.refreshAtMs)).toBe(true);
  });

  it('is not so for a fresh token that nobody complains about', () => {
    expect(mustMint(held, undefined, NOW_MS)).toBe(false);
  });

  it('is so when the current token was refused', () => {
    expect(mustMint(held, 'f1', NOW_MS)).toBe(true);
  });

  it('is not so when an older token was refused: the current one is handed out instead', () => {
    expect(mustMint(held, 'f0', NOW_MS)).toBe(false);
  });
});
