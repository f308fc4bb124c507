/** Which batch a message stands in, by what its register stores: terms that two messages share, and refusals that come late. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { DEFAULT_RULES } from '../../../src/batch/envelopes/validate.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { messageAt, RollingBatches } from '../../../src/intake/rolling-batches.ts';
import { newBatchId } from '../../../src/kernel/ids.ts';
import { ROLLING_BATCH_MESSAGES_MAX, ROLLING_BATCH_TABLES_MAX } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';

function aRegister() {
  const { sql } = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS);
  return { sql, rolling: new RollingBatches(sql) };
}

const DAY = Date.UTC(2026, 2, 2, 8);
let tickets = 0;
function aTicket(more: Partial<BatchTicket> = {}): BatchTicket {
  tickets += 1;
  return {
    batchId: newBatchId(more.receivedAtMs ?? DAY + tickets),
    environment: 'test',
    partner: 'acme',
    mapping: 'x12-214',
    mappingSha256: 'version-1',
    scac: 'DEMO',
    allowedScacs: ['DEMO'],
    channel: 'main',
    format: 'x12',
    fileName: null,
    bytes: 10,
    sha256: 'file-1',
    receivedAtMs: DAY + tickets,
    dryRun: false,
    message: true,
    ...more,
  };
}

describe('messages share a batch', () => {
  it('where nothing that its ticket says for all of them differs', () => {
    const { rolling } = aRegister();
    const { batchId } = rolling.assign(aTicket());
    expect(rolling.assign(aTicket({ sha256: 'file-2', fileName: 'b.txt', bytes: 3, forced: false }))).toEqual({
      batchId,
      message: 2,
    });
  });

  it.each<[term: string, more: Partial<BatchTicket>]>([
    ['mapping', { mapping: 'x12-214-by-stop' }],
    ['version of the mapping', { mappingSha256: 'version-2' }],
    ['SCAC', { scac: 'OTHR' }],
    ['SCACs of the key', { allowedScacs: ['DEMO', 'OTHR'] }],
    ['channel', { channel: 'second' }],
    ['agreement about envelopes', { envelopes: { ...DEFAULT_RULES, controlNumbers: 'any' } }],
    ['owner of its orders', { orderPair: { partnerId: 'P-ACME', clientId: 'C-1' } }],
    ['force', { forced: true }],
  ])('and another %s has a batch of its own, which the next like it shares', (_term, more) => {
    const { rolling } = aRegister();
    const first = rolling.assign(aTicket());
    const other = rolling.assign(aTicket(more));
    expect([other.batchId === first.batchId, other.message]).toEqual([false, 1]);
    expect(rolling.assign(aTicket(more))).toEqual({ batchId: other.batchId, message: 2 });
    expect(rolling.assign(aTicket())).toEqual({ batchId: first.batchId, message: 2 });
  });
});

describe('a batch of messages', () => {
  const placeMany = (rolling: RollingBatches, count: number, more: Partial<BatchTicket>) =>
    Array.from({ length: count }, () => rolling.assign(aTicket(more))).at(-1);

  it.each<[format: NonNullable<BatchTicket['format']>, messagesMax: number]>([
    ['x12', ROLLING_BATCH_MESSAGES_MAX],
    ['json', ROLLING_BATCH_MESSAGES_MAX],
    ['csv', ROLLING_BATCH_TABLES_MAX],
    ['xlsx', ROLLING_BATCH_TABLES_MAX],
  ])('of %s takes %i and no more, and the next one begins another', (format, messagesMax) => {
    const { rolling } = aRegister();
    const { batchId } = rolling.assign(aTicket({ format }));
    expect(placeMany(rolling, messagesMax - 1, { format })).toEqual({ batchId, message: messagesMax });
    expect(rolling.assign(aTicket({ format }))).toEqual({
      batchId: expect.not.stringMatching(batchId),
      message: 1,
    });
  });

  it('is of one day: the next one begins another, and is not shared by a message from before', () => {
    const { rolling } = aRegister();
    const day = Date.UTC(2026, 2, 2);
    const first = rolling.assign(aTicket({ receivedAtMs: day + 86_399_999 }));
    const second = rolling.assign(aTicket({ receivedAtMs: day + 86_400_000 }));
    expect([second.batchId === first.batchId, second.message]).toEqual([false, 1]);
    expect(rolling.assign(aTicket({ receivedAtMs: day + 86_400_001 }))).toEqual({ ...second, message: 2 });
    expect(rolling.assign(aTicket({ receivedAtMs: day }))).toMatchObject({ message: 1 }); // it is closed by then
  });

  it('that is a dry run is shared by nobody', () => {
    const { rolling } = aRegister();
    const first = rolling.assign(aTicket({ dryRun: true }));
    expect(rolling.assign(aTicket({ dryRun: true })).batchId).not.toBe(first.batchId);
    expect(rolling.assign(aTicket()).batchId).not.toBe(first.batchId);
  });
});

describe('a message that its batch refuses', () => {
  const countsOf = ({ sql, rolling }: ReturnType<typeof aRegister>, batchId: string) =>
    rolling.counts(batchId) ?? sql.exec('SELECT messages, bytes FROM roll WHERE batch_id = ?', batchId).one();

  it('stands in another batch, and is counted there alone', () => {
    const { sql, rolling } = aRegister();
    const first = rolling.assign(aTicket());
    const ticket = aTicket({ bytes: 7 });
    rolling.move(rolling.assign(ticket), ticket);
    const at = messageAt(sql, ticket.batchId);
    expect(at).toMatchObject({ batchId: ticket.batchId, message: 1 });
    expect(countsOf({ sql, rolling }, first.batchId)).toEqual({ messages: 1, bytes: 10 });
    expect(countsOf({ sql, rolling }, ticket.batchId)).toEqual({ messages: 1, bytes: 7 });
  });

  it('stays where it went when the refusal is heard a second time, by whoever offered it at the same time', () => {
    const { sql, rolling } = aRegister();
    rolling.assign(aTicket());
    const ticket = aTicket();
    const refused = rolling.assign(ticket);
    rolling.move(refused, ticket);
    const at = messageAt(sql, ticket.batchId);
    const counts = countsOf({ sql, rolling }, refused.batchId);
    rolling.move(refused, ticket);
    expect(messageAt(sql, ticket.batchId)).toEqual(at);
    expect(countsOf({ sql, rolling }, refused.batchId)).toEqual(counts);
    expect(rolling.assign(aTicket())).toMatchObject({ batchId: at?.batchId, message: 2 });
  });

  it('is still to be told to its new batch, though a word of the old one comes late', () => {
    const { sql, rolling } = aRegister();
    rolling.assign(aTicket());
    const ticket = aTicket();
    const refused = rolling.assign(ticket);
    rolling.move(refused, ticket);
    rolling.storeAssigned(ticket.batchId, refused.batchId);
    expect(rolling.unplaced(10)).toContain(ticket.batchId);
    rolling.storeAssigned(ticket.batchId, messageAt(sql, ticket.batchId)?.batchId ?? '');
    expect(rolling.unplaced(10)).not.toContain(ticket.batchId);
  });
});

describe('a restarted register', () => {
  it('puts no message into a batch that a later release began, whose ticket this one cannot read', () => {
    const { sql, rolling } = aRegister();
    const { batchId } = rolling.assign(aTicket());
    sql.exec("UPDATE batch SET ticket = json_set(ticket, '$.form', 2)");
    const restarted = new RollingBatches(sql);
    const next = restarted.assign(aTicket());
    expect([next.batchId === batchId, next.message]).toEqual([false, 1]);
    expect(restarted.assign(aTicket())).toEqual({ ...next, message: 2 });
    const counts = sql.exec('SELECT messages, bytes, is_open FROM roll WHERE batch_id = ?', batchId).one();
    expect(counts).toEqual({ messages: 1, bytes: 10, is_open: 0 });
  });

  it('goes on where it was: numbers, counts, and what no batch may have', () => {
    const { sql, rolling } = aRegister();
    const first = aTicket();
    const { batchId } = rolling.assign(first);
    rolling.storeAssigned(first.batchId, batchId);
    const second = aTicket({ bytes: 5 });
    rolling.assign(second);
    const again = new RollingBatches(sql);
    expect(again.counts(batchId)).toEqual({ messages: 2, bytes: 15 });
    expect(again.assign(aTicket())).toEqual({ batchId, message: 3 });
    expect(again.unplaced(9)).toEqual(expect.arrayContaining([first.batchId, second.batchId])); // offered again, which changes nothing
  });

  it('offers again only what came since it noted that all before is placed, uploads that took long among them', () => {
    const { sql, rolling } = aRegister();
    const [first, slow] = [aTicket(), aTicket({ receivedAtMs: DAY + 1_000_000 })];
    const { batchId } = rolling.assign(first);
    rolling.noteAssigned(DAY + 3_600_000);
    expect(new RollingBatches(sql).unplaced(9)).toEqual([first.batchId]);
    rolling.storeAssigned(first.batchId, batchId);
    rolling.noteAssigned(DAY + 3_600_000);
    expect(new RollingBatches(sql).unplaced(9)).toEqual([]);
    rolling.assign(slow);
    expect(new RollingBatches(sql).unplaced(9)).toEqual([slow.batchId]);
  });

  it('offers again what a restart found, and no more once that is placed, however soon the next restart comes', () => {
    const { sql, rolling } = aRegister();
    const hour = DAY + 3_600_000;
    const [first, second] = [aTicket(), aTicket({ receivedAtMs: hour })];
    const { batchId } = rolling.assign(first);
    rolling.storeAssigned(first.batchId, batchId);
    rolling.noteAssigned(hour);
    rolling.assign(second);
    rolling.storeAssigned(second.batchId, batchId);
    const again = new RollingBatches(sql);
    expect(again.unplaced(9)).toEqual([second.batchId]);
    again.storeAssigned(second.batchId, batchId);
    again.noteAssigned(hour + 70_000);
    expect(new RollingBatches(sql).unplaced(9)).toEqual([]);
  });
});
