import { describe, expect, it } from 'vitest';
import { type KeyOptions, readKeyCommand } from '../../../scripts/local/key-arguments.ts';
import { makeOpsKey } from '../../../scripts/local/ops-keys.ts';

const PARTNER: KeyOptions = { partner: 'acme', environment: 'test', channel: 'main', scacs: 'ACME,ABCD' };
const OPS: KeyOptions = { name: 'Night shift', role: 'operator', environments: 'test,production' };

const NOW_MS = Date.UTC(2026, 2, 2);

describe('the key command', () => {
  it('makes a partner’s key', () => {
    expect(readKeyCommand(['create'], { ...PARTNER, mappings: 'a,b', expires: '2027-01-31' }, NOW_MS)).toEqual({
      command: 'create',
      holder: 'acme (test)',
      wanted: {
        partner: 'acme',
        displayName: 'acme',
        environment: 'test',
        channel: 'main',
        scacs: ['ACME', 'ABCD'],
        mappings: ['a', 'b'],
        expiresAt: '2027-01-31T23:59:59.000Z',
      },
    });
  });

  it('makes an operator’s key, each environment once', () => {
    expect(
      readKeyCommand(['ops', 'create'], { ...OPS, environments: 'test,production,test', expires: 'never' }, NOW_MS),
    ).toEqual({
      command: 'ops create',
      holder: 'Night shift (operator; test, production)',
      wanted: { name: 'Night shift', role: 'operator', environments: ['test', 'production'], expiresAt: null },
    });
  });

  it('lets a key end in a year where nothing is said', () => {
    expect(readKeyCommand(['create'], PARTNER, NOW_MS)).toMatchObject({
      wanted: { expiresAt: '2027-03-02T00:00:00.000Z' },
    });
  });

  it.each([['revoke'], ['ops', 'revoke']])('revokes by id: %s %s', (...words) => {
    expect(readKeyCommand(words, { 'key-id': '0123456789abcdef' }, NOW_MS)).toEqual({
      command: words.join(' '),
      keyId: '0123456789abcdef',
    });
  });

  const refused: [string[], KeyOptions, string][] = [
    [[], {}, 'Say create'],
    [['ops'], OPS, 'Unknown command "ops"'],
    [['create'], { ...PARTNER, partner: 'Acme' }, '--partner takes'],
    [['create'], { ...PARTNER, partner: undefined }, '--partner is missing'],
    [['create'], { ...PARTNER, environment: 'live' }, '--environment is test or production'],
    [['create'], { ...PARTNER, scacs: 'ACME,acme' }, '"acme" is no SCAC'],
    [['create'], { ...PARTNER, expires: 'tomorrow' }, '--expires is a day'],
    [['create'], { ...PARTNER, expires: '2027-13-01' }, '--expires is a day'],
    [['create'], { ...PARTNER, expires: '2026-03-01' }, '--expires is in the past'],
    [['create'], { ...PARTNER, expires: '2027-02-30' }, '--expires is a day'],
    [['ops', 'create'], { ...OPS, role: 'king' }, '--role is one of viewer, operator, admin'],
    [['ops', 'create'], { ...OPS, name: ' ' }, '--name says who'],
    [['ops', 'create'], { ...OPS, environments: 'test,live' }, '--environments is test or production'],
    [['ops', 'create'], { ...OPS, environments: undefined }, '--environments is missing'],
    [['ops', 'revoke'], { 'key-id': "' OR 1=1 --" }, '--key-id is the 16'],
  ];
  it.each(refused)('refuses %j %j', (words, options, reason) => {
    expect(() => readKeyCommand(words, options, NOW_MS)).toThrow(reason);
  });
});

describe('makeOpsKey', () => {
  it('puts the hash of the secret into the row, never the secret', () => {
    const { key, keyId, sql } = makeOpsKey({ name: "O'Hara", role: 'viewer', environments: ['test'] });
    expect(key).toMatch(/^tlops_[0-9a-f]{16}_[0-9a-f]{64}$/);
    expect(sql).toContain(`'${keyId}', 'O''Hara', 'viewer', '["test"]', '`);
    expect(sql).not.toContain(key.split('_')[2]);
  });
});
