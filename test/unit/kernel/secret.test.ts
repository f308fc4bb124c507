import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fingerprint, hex, Secret, sha256Hex } from '../../../src/kernel/secret.ts';

const CANARY = 'canary-7f3a';

describe('Secret', () => {
  it('shows itself when asked by name', () => {
    expect(new Secret(CANARY).reveal()).toBe(CANARY);
  });

  it.each<[string, (secret: Secret) => string]>([
    ['JSON', (secret) => JSON.stringify({ nested: [secret] })],
    ['a template', (secret) => `${secret}`],
    ['a sum of texts', (secret) => 'key ' + secret],
    ['String()', String],
    ['an error message', (secret) => new Error(`${secret}`).message],
    ['the console', (secret) => inspect({ secret }, { depth: null, showHidden: true })],
    ['its own keys', (secret) => JSON.stringify([Object.keys(secret), Object.entries(secret), { ...secret }])],
  ])('is not seen in %s', (_where, write) => {
    expect(write(new Secret(CANARY))).not.toContain(CANARY);
  });
});

describe('hashes', () => {
  it('gives the SHA-256 of FIPS 180 for "abc"', async () => {
    expect(await sha256Hex(new TextEncoder().encode('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('keeps leading zeros of a byte', () => {
    expect(hex(new Uint8Array([0, 1, 15, 16, 255]).buffer)).toBe('00010f10ff');
  });

  it('shortens a fingerprint to 12 digits that hold nothing of the text', async () => {
    const print = await fingerprint(CANARY);
    expect(print).toMatch(/^[0-9a-f]{12}$/);
    expect(print).toBe(await fingerprint(CANARY));
    expect(print).not.toBe(await fingerprint(`${CANARY} `));
  });
});
