/** What a withdrawn batch has let go of, and takes back unless it has come in again. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { claimInterchanges, repeatedInterchange } from '../../../src/intake/interchanges.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { claimedSince, releaseClaims, takeBack } from '../../../src/intake/released.ts';
import { forgetBatch } from '../../../src/intake/watch-batches.ts';
import { CLAIM_RETENTION_MS, INTERCHANGE_RETENTION_MS } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';

const CLOCK = { nowMs: () => 0, timeScale: 1 };
const INTERCHANGE = { key: 'sender 17', control: '17', digest: 'content-1' };

/** A batch of two uploads, withdrawn: one under a key, the other with an interchange. */
function aRegister(mayReturn = true) {
  const { sql } = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS);
  const key = (batchId: string, atMs: number) =>
    sql.exec('INSERT INTO idempotency VALUES (?, ?, ?, ?)', 'key-1', 'fingerprint-1', batchId, atMs);
  const number = (batchId: string, atMs: number) => claimInterchanges(sql, [INTERCHANGE], batchId, atMs);
  key('b_1', 0);
  number('b_2', 0);
  releaseClaims(sql, 'b_1', JSON.stringify(['b_1', 'b_2']), mayReturn);
  const left = () => sql.exec('SELECT * FROM released').toArray().length;
  const holders = () => ({
    key: sql.exec<{ of: string }>('SELECT batch_id AS of FROM idempotency').toArray()[0]?.of ?? null,
    number: repeatedInterchange(sql, [INTERCHANGE], 'b_new')?.batchId ?? null,
  });
  const since = () => claimedSince(sql, 'b_1', CLOCK);
  return { sql, key, number, left, holders, since, back: () => takeBack(sql, 'b_1') };
}

describe('keys and control numbers of a withdrawn batch', () => {
  it('may come again, and are its own once more where they did not', () => {
    const { holders, since, back, left } = aRegister();
    expect([holders(), since(), left()]).toEqual([{ key: null, number: null }, undefined, 2]);
    back();
    expect([holders(), since(), left()]).toEqual([{ key: 'b_1', number: 'b_2' }, undefined, 0]);
  });

  it('are gone for good where it can never be retried', () => {
    const { holders, back, left } = aRegister(false);
    expect(left()).toBe(0);
    back();
    expect(holders()).toEqual({ key: null, number: null });
  });

  it.each(['key', 'number'] as const)('say what came under them since: %s', (kind) => {
    const register = aRegister();
    register[kind]('b_3', 1);
    expect(register.since()).toBe('b_3');
  });

  it.each(['a file', 'a message'])('are not kept from it by a dry run that has its key by now: %s', (what) => {
    const { sql, key, since } = aRegister();
    key('b_3', 1);
    const batchId = what === 'a file' ? 'b_3' : 'b_4';
    const ticket = (dryRun: boolean) =>
      sql.exec('INSERT OR REPLACE INTO batch (batch_id, ticket) VALUES (?, ?)', batchId, JSON.stringify({ dryRun }));
    if (batchId !== 'b_3')
      sql.exec(
        `INSERT INTO message (upload_id, batch_id, message, sha256, received_at_ms) VALUES ('b_3', 'b_4', 1, '', 1)`,
      );
    ticket(false);
    expect(since()).toBe('b_3');
    ticket(true);
    expect(since()).toBeUndefined();
  });

  it.each([
    ['key', CLAIM_RETENTION_MS],
    ['number', INTERCHANGE_RETENTION_MS],
  ] as const)('stay with what came under them when they would have been free: %s', (kind, retentionMs) => {
    const register = aRegister();
    register[kind]('b_3', retentionMs);
    expect(register.since()).toBeUndefined();
    register.back();
    expect(register.holders()).toEqual({ key: 'b_1', number: 'b_2', [kind]: 'b_3' });
  });

  it('go with the batch', () => {
    const { sql, left } = aRegister();
    forgetBatch(sql, { uploadsOf: () => '["b_1"]', drop: () => undefined } as never, 'b_1');
    expect(left()).toBe(0);
  });
});

describe('a control number that a forced upload has taken over', () => {
  function aTakeover(...forced: string[]) {
    const { sql } = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS);
    const claim = (batchId: string, atMs: number) =>
      claimInterchanges(sql, [{ ...INTERCHANGE, digest: `content of ${batchId}` }], batchId, atMs);
    for (const [index, batchId] of ['b_first', ...forced].entries()) claim(batchId, index);
    return {
      claim,
      withdraw: (...uploads: string[]) => releaseClaims(sql, uploads[0] ?? '', JSON.stringify(uploads), true),
      since: (batchId: string) => claimedSince(sql, batchId, CLOCK),
      back: (batchId: string) => takeBack(sql, batchId),
      repeated: (of: string) => {
        const found = repeatedInterchange(sql, [{ ...INTERCHANGE, digest: `content of ${of}` }], 'b_new');
        return found && [found.code, found.batchId];
      },
    };
  }

  it('goes back to the one that had it before, as it was, when the forced one is withdrawn', () => {
    const { withdraw, repeated } = aTakeover('b_forced');
    expect(repeated('b_forced')).toEqual(['control_duplicate', 'b_forced']);
    withdraw('b_forced');
    expect(repeated('b_first')).toEqual(['control_duplicate', 'b_first']);
    expect(repeated('b_forced')).toEqual(['control_conflict', 'b_first']);
  });

  it('stays with the forced one when the one before it is withdrawn, and is free after both', () => {
    const { withdraw, repeated } = aTakeover('b_forced');
    withdraw('b_first');
    expect(repeated('b_forced')).toEqual(['control_duplicate', 'b_forced']);
    withdraw('b_forced');
    expect(repeated('b_first')).toBeUndefined();
  });

  it.each([
    ['in one batch', [['b_3', 'b_2', 'b_1']]],
    ['the last first', [['b_3'], ['b_2'], ['b_1']]],
    ['the first first', [['b_1'], ['b_2'], ['b_3']]],
  ])('goes back past all forced ones that are withdrawn: %s', (_, withdrawn) => {
    const { withdraw, repeated } = aTakeover('b_1', 'b_2', 'b_3');
    for (const uploads of withdrawn) withdraw(...uploads);
    expect(repeated('b_first')).toEqual(['control_duplicate', 'b_first']);
  });

  it('does not keep the withdrawn forced one from being sent again, which has it once more', () => {
    const { withdraw, since, back, repeated } = aTakeover('b_forced');
    withdraw('b_forced');
    expect(since('b_forced')).toBeUndefined();
    back('b_forced');
    expect(repeated('b_forced')).toEqual(['control_duplicate', 'b_forced']);
    withdraw('b_forced');
    expect(repeated('b_first')).toEqual(['control_duplicate', 'b_first']);
  });

  it('keeps others from being sent again that were withdrawn before it came', () => {
    const { claim, withdraw, since } = aTakeover();
    withdraw('b_first');
    claim('b_second', 1);
    claim('b_forced', 2);
    withdraw('b_forced');
    expect(since('b_first')).toBe('b_second');
  });
});
