/** Which batch a message stands in, by what its register stores: terms that two messages share, and refusals that come late. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { DEFAULT_RULES } from '../../../src/batch/envelopes/validate.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import {
  assignMessage,
  messageAt,
  moveMessage,
  storeAssigned,
  unplacedMessages,
} from '../../../src/intake/rolling-batches.ts';
import { ROLLING_BATCH_MESSAGES_MAX, ROLLING_BATCH_TABLES_MAX } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';

const aSql = (): SqlStorage => storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS).sql;

let tickets = 0;
function aTicket(more: Partial<BatchTicket> = {}): BatchTicket {
  tickets += 1;
  return {
    batchId: `b_${tickets}`,
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
    receivedAtMs: Date.UTC(2026, 2, 2, 8) + tickets,
    dryRun: false,
    message: true,
    ...more,
  };
}

describe('messages share a batch', () => {
  it('where nothing that its ticket says for all of them differs', () => {
    const sql = aSql();
    const { batchId } = assignMessage(sql, aTicket());
    expect(assignMessage(sql, aTicket({ sha256: 'file-2', fileName: 'b.txt', bytes: 3, forced: false }))).toEqual({
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
    const sql = aSql();
    const first = assignMessage(sql, aTicket());
    const other = assignMessage(sql, aTicket(more));
    expect([other.batchId === first.batchId, other.message]).toEqual([false, 1]);
    expect(assignMessage(sql, aTicket(more))).toEqual({ batchId: other.batchId, message: 2 });
    expect(assignMessage(sql, aTicket())).toEqual({ batchId: first.batchId, message: 2 });
  });
});

describe('a batch of messages', () => {
  const placeMany = (sql: SqlStorage, count: number, more: Partial<BatchTicket>) =>
    Array.from({ length: count }, () => assignMessage(sql, aTicket(more))).at(-1);

  it.each<[format: NonNullable<BatchTicket['format']>, messagesMax: number]>([
    ['x12', ROLLING_BATCH_MESSAGES_MAX],
    ['json', ROLLING_BATCH_MESSAGES_MAX],
    ['csv', ROLLING_BATCH_TABLES_MAX],
    ['xlsx', ROLLING_BATCH_TABLES_MAX],
  ])('of %s takes %i and no more, and the next one begins another', (format, messagesMax) => {
    const sql = aSql();
    const { batchId } = assignMessage(sql, aTicket({ format }));
    expect(placeMany(sql, messagesMax - 1, { format })).toEqual({ batchId, message: messagesMax });
    expect(assignMessage(sql, aTicket({ format }))).toEqual({
      batchId: expect.not.stringMatching(batchId),
      message: 1,
    });
  });

  it('is of one day: the next one begins another, and is not shared by a message from before', () => {
    const sql = aSql();
    const day = Date.UTC(2026, 2, 2);
    const first = assignMessage(sql, aTicket({ receivedAtMs: day + 86_399_999 }));
    const second = assignMessage(sql, aTicket({ receivedAtMs: day + 86_400_000 }));
    expect([second.batchId === first.batchId, second.message]).toEqual([false, 1]);
    expect(assignMessage(sql, aTicket({ receivedAtMs: day + 86_400_001 }))).toEqual({ ...second, message: 2 });
    expect(assignMessage(sql, aTicket({ receivedAtMs: day }))).toMatchObject({ message: 1 }); // it is closed by then
  });

  it('that is a dry run is shared by nobody', () => {
    const sql = aSql();
    const first = assignMessage(sql, aTicket({ dryRun: true }));
    expect(assignMessage(sql, aTicket({ dryRun: true })).batchId).not.toBe(first.batchId);
    expect(assignMessage(sql, aTicket()).batchId).not.toBe(first.batchId);
  });
});

describe('a message that its batch refuses', () => {
  const countsOf = (sql: SqlStorage, batchId: string) =>
    sql.exec('SELECT messages, bytes FROM roll WHERE batch_id = ?', batchId).one();

  it('stands in another batch, and is counted there alone', () => {
    const sql = aSql();
    const first = assignMessage(sql, aTicket());
    const ticket = aTicket({ bytes: 7 });
    moveMessage(sql, assignMessage(sql, ticket), ticket);
    const at = messageAt(sql, ticket.batchId);
    expect(at).toMatchObject({ batchId: ticket.batchId, message: 1 });
    expect(countsOf(sql, first.batchId)).toEqual({ messages: 1, bytes: 10 });
    expect(countsOf(sql, ticket.batchId)).toEqual({ messages: 1, bytes: 7 });
  });

  it('stays where it went when the refusal is heard a second time, by whoever offered it at the same time', () => {
    const sql = aSql();
    assignMessage(sql, aTicket());
    const ticket = aTicket();
    const refused = assignMessage(sql, ticket);
    moveMessage(sql, refused, ticket);
    const at = messageAt(sql, ticket.batchId);
    const counts = countsOf(sql, refused.batchId);
    moveMessage(sql, refused, ticket);
    expect(messageAt(sql, ticket.batchId)).toEqual(at);
    expect(countsOf(sql, refused.batchId)).toEqual(counts);
    expect(assignMessage(sql, aTicket())).toMatchObject({ batchId: at?.batchId, message: 2 });
  });

  it('is still to be told to its new batch, though a word of the old one comes late', () => {
    const sql = aSql();
    assignMessage(sql, aTicket());
    const ticket = aTicket();
    const refused = assignMessage(sql, ticket);
    moveMessage(sql, refused, ticket);
    storeAssigned(sql, ticket.batchId, refused.batchId);
    expect(unplacedMessages(sql, 10)).toContain(ticket.batchId);
    storeAssigned(sql, ticket.batchId, messageAt(sql, ticket.batchId)?.batchId ?? '');
    expect(unplacedMessages(sql, 10)).not.toContain(ticket.batchId);
  });
});
