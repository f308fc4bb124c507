import { describe, expect, it } from 'vitest';
import type { DeadLetter, DeadLetterFilter } from '../../../src/batch/core/dead-letters.ts';
import type { ListedBatch as RegisteredBatch } from '../../../src/intake/register.ts';
import { BATCHES_PAGE_MAX } from '../../../src/kernel/limits.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import {
  type DecisionPorts,
  type ManyDecisionsRequest,
  planDecisions,
} from '../../../src/ops/dead-letters/decide-many.ts';
import type { BatchListQuery, ListedBatch } from '../../../src/ops/index/batch-list.ts';

const idOf = (number: number): string => `b_${String(number).padStart(5, '0')}`;

const heldLetter = (batchId: string, record: number) =>
  ({ batchId, record, request: 1, kind: 'milestone', subject: `load:L${record}`, scac: 'DEMO' }) as DeadLetter;

interface World {
  ports: DecisionPorts;
  calls: { registers: number; names: number; index: number; batches: string[] };
}

/** A partner's batches, of which each of these has so many held rows. */
function world(batches: number, heldIn: Readonly<Record<string, number>>): World {
  const calls: World['calls'] = { registers: 0, names: 0, index: 0, batches: [] };
  const rows = Object.keys(heldIn).map(
    (batchId, at) => ({ batch_id: batchId, partner: 'acme', received_at_ms: 1_000_000 - at }) as ListedBatch,
  );
  const subject = () => ({ history: () => Promise.reject(new Error('not called')), decide: async () => ok(MADE) });
  const ports = {
    partners: {
      names: async () => {
        calls.names += 1;
        return ok(['acme', 'other']);
      },
    },
    register: ({ partner }: { partner: string }) => ({
      async knows(batchId: string) {
        calls.registers += 1;
        return partner === 'acme' && batchId.startsWith('b_');
      },
      async list(before: number | null, limit: number) {
        calls.registers += 1;
        const from = Math.min(before ?? batches + 1, partner === 'acme' ? batches + 1 : 1) - 1;
        const count = Math.max(0, Math.min(limit, BATCHES_PAGE_MAX, from));
        const numbers = Array.from({ length: count }, (_, at) => from - at);
        return numbers.map((seq) => ({ batch_id: idOf(seq), seq, ticket: '{}' }) as RegisteredBatch);
      },
    }),
    batch: (_: unknown, batchId: string) => ({
      async deadLetters({ places }: DeadLetterFilter, after: { record: number }, limit: number) {
        calls.batches.push(batchId);
        const all = Array.from({ length: heldIn[batchId] ?? 0 }, (__, at) => heldLetter(batchId, at + 1));
        const wanted = places === null ? all : all.filter((one) => places.some(({ record }) => record === one.record));
        return wanted.filter(({ record }) => record > after.record).slice(0, limit);
      },
    }),
    load: subject,
    order: subject,
    batches: {
      async list({ environment, partner, needs, after, limit }: BatchListQuery) {
        calls.index += 1;
        expect([environment, needs]).toEqual(['test', ['held']]);
        const before = after?.receivedAtMs ?? Number.MAX_SAFE_INTEGER;
        const own = rows.filter((row) => (partner ?? row.partner) === row.partner && row.received_at_ms < before);
        return ok(own.slice(0, limit));
      },
      async named(__: unknown, ids: readonly string[]) {
        calls.index += 1;
        return ok(new Map(rows.filter((row) => ids.includes(row.batch_id)).map((row) => [row.batch_id, row])));
      },
    },
  };
  return { ports: ports as unknown as DecisionPorts, calls };
}

const MADE = { version: '1.1' };

const wanted = (more: Partial<ManyDecisionsRequest> = {}): ManyDecisionsRequest => ({
  ...{ environment: 'test', partner: null, batchId: null, named: null, decision: 'mark_delivered', outcome: null },
  filter: { states: ['held'], reasons: null, statuses: null, kinds: null, subject: null, places: null },
  ...more,
});

const planOf = async (ports: DecisionPorts, more: Partial<ManyDecisionsRequest> = {}) => {
  const plan = await planDecisions(ports, wanted(more));
  return plan.ok ? plan.value.items.map(({ batchId, record }) => `${batchId}/${record}`) : plan.error;
};

describe('a decision about all that is held', () => {
  it('finds three held rows among 12,000 batches, and looks into those batches alone', async () => {
    const { ports, calls } = world(12_000, { [idOf(11_999)]: 1, [idOf(40)]: 2 });
    expect(await planOf(ports)).toEqual(['b_11999/1', 'b_00040/1', 'b_00040/2']);
    expect(calls).toEqual({ registers: 0, names: 1, index: 1, batches: ['b_11999', 'b_00040'] });
    expect(await planOf(ports, { partner: 'acme' })).toHaveLength(3);
    expect(await planOf(ports, { partner: 'other' })).toEqual([]);
    expect(await planOf(ports, { partner: 'nobody' })).toEqual({ code: 'partner_unknown', partner: 'nobody' });
  });

  it('reads the index page by page, and stops once there is more than one action may decide', async () => {
    const some = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [idOf(at + 1), at < 1_100 ? 0 : 5]));
    const { ports, calls } = world(1_200, some);
    expect(await planOf(ports)).toHaveLength(500);
    expect(calls).toMatchObject({ index: 2, names: 1 });
    const { ports: more } = world(1_200, { ...some, [idOf(1)]: 1 });
    expect(await planOf(more)).toEqual({ code: 'too_many_held', requestsMax: 500 });
  });

  it('of one batch, or of requests named one by one, is about these; owners come from the index at once', async () => {
    const { ports, calls } = world(300, { [idOf(7)]: 3, [idOf(8)]: 1 });
    expect(await planOf(ports, { batchId: idOf(7) })).toHaveLength(3);
    expect(await planOf(ports, { batchId: 'x_1' })).toEqual([]);
    Object.assign(calls, { registers: 0, names: 0, index: 0 });
    const named = new Map([7, 8].map((number) => [idOf(number), [{ record: 1, request: 1 }]]));
    expect(await planOf(ports, { named })).toEqual(['b_00007/1', 'b_00008/1']);
    expect(calls).toMatchObject({ registers: 0, names: 0, index: 1 });
  });

  it('takes the owner of a batch that the index does not know from the registers, and makes up none', async () => {
    const { ports, calls } = world(300, { [idOf(7)]: 3 });
    const one = (batchId: string) => ({ named: new Map([[batchId, [{ record: 1, request: 1 }]]]) });
    expect(await planOf(ports, one(idOf(9)))).toEqual([]);
    expect(calls.batches).toEqual([idOf(9)]);
    expect(await planOf(ports, one('x_1'))).toEqual({ code: 'letter_unknown' });
    expect(await planOf(ports, { ...one(idOf(7)), partner: 'other' })).toEqual({ code: 'letter_unknown' });
    expect(calls.batches).toEqual([idOf(9)]);
  });

  it('is refused while the index is not reached', async () => {
    const { ports } = world(1, {});
    const down = async () => err({ code: 'directory_unavailable' as const });
    ports.batches = { list: down, named: down };
    expect(await planOf(ports)).toEqual({ code: 'directory_unavailable' });
    expect(await planOf(ports, { named: new Map([[idOf(1), []]]) })).toEqual({ code: 'directory_unavailable' });
  });
});
