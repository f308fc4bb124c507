/** The index of batches made anew, against registers and batches that are played. */
import { describe, expect, it, vi } from 'vitest';
import { INDEX_PAGE_BATCHES, INDEX_PAGE_REGISTERS } from '../../../src/kernel/limits.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import { type RebuildCheckpoint, type RebuildPorts, rebuildIndex } from '../../../src/ops/index/rebuild.ts';

const NOW = 1_772_460_000_000;

interface World {
  /** Batches of each partner's register, oldest first. */
  registers: Record<string, string[]>;
  /** When rows were written, by batch. */
  rows: Map<string, { partner: string; writtenMs: number }>;
  /** Known to a register, or to the index, and gone. */
  gone?: Set<string>;
  /** Not to be reached. */
  away?: Set<string>;
}

function ports({ registers, rows, gone = new Set(), away = new Set() }: World) {
  const asked = { registers: 0, batches: 0 };
  const port: RebuildPorts = {
    partners: { names: async () => ok(Object.keys(registers).sort()) },
    register: ({ partner }) => ({
      async list(before, limit) {
        asked.registers += 1;
        const all = (registers[partner] ?? []).map((batch_id, index) => ({ batch_id, seq: index + 1 }));
        const page = all.filter(({ seq }) => before === null || seq < before).reverse();
        return page
          .slice(0, limit)
          .map((row) => ({ ...row, ticket: '{}', state: 'open', messages: null, bytes: null }));
      },
    }),
    batch: ({ partner }, batchId) => ({
      async reindex() {
        asked.batches += 1;
        if (away.has(batchId)) throw new Error('planned');
        if (gone.has(batchId)) return false;
        rows.set(batchId, { partner, writtenMs: NOW });
        return true;
      },
    }),
    batches: {
      async writtenBefore(_, beforeMs, after, limit) {
        const found = [...rows].filter(([id, { writtenMs }]) => writtenMs < beforeMs && id > after).sort();
        return ok(found.slice(0, limit).map(([batch_id, { partner }]) => ({ batch_id, partner }) as never));
      },
      async remove(_, batchId) {
        rows.delete(batchId);
        return ok(null);
      },
    },
  };
  return { port, asked };
}

async function rebuilt(world: World) {
  const { port, asked } = ports(world);
  const total = { written: 0, removed: 0, failed: [] as string[], pages: 0, mostRegisters: 0, mostBatches: 0 };
  let mark: RebuildCheckpoint | null = null;
  do {
    asked.registers = 0;
    asked.batches = 0;
    const page = await rebuildIndex(port, { environment: 'test', mark }, NOW + total.pages * 1_000);
    if (!page.ok) throw new Error(page.error.code);
    total.written += page.value.written;
    total.removed += page.value.removed;
    total.failed.push(...page.value.failed.map(({ batchId }) => batchId));
    total.pages += 1;
    total.mostRegisters = Math.max(total.mostRegisters, asked.registers);
    total.mostBatches = Math.max(total.mostBatches, asked.batches);
    mark = page.value.next;
  } while (mark !== null && total.pages < 100);
  return total;
}

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at).padStart(4, '0')}`);

describe('a rebuild of the index', () => {
  it('writes the row of every batch that a register knows, some at a time, though no row is left', async () => {
    const registers = { acme: named('a', INDEX_PAGE_BATCHES * 2), birch: [], cedar: named('c', 3) };
    const rows: World['rows'] = new Map();
    const done = await rebuilt({ registers, rows });
    expect([...rows.keys()].sort()).toEqual(Object.values(registers).flat().sort());
    expect(done).toMatchObject({ written: INDEX_PAGE_BATCHES * 2 + 3, removed: 0, failed: [] });
    expect(done.mostBatches).toBeLessThanOrEqual(INDEX_PAGE_BATCHES);
  });

  it('asks so many registers at a time, however few batches they have', async () => {
    const partners = named('p', INDEX_PAGE_REGISTERS * 2 + 1);
    const rows: World['rows'] = new Map();
    const done = await rebuilt({ registers: Object.fromEntries(partners.map((name) => [name, [`b-${name}`]])), rows });
    expect(rows.size).toBe(partners.length);
    expect(done.mostRegisters).toBeLessThanOrEqual(INDEX_PAGE_REGISTERS);
  });

  it('takes away rows of batches that are gone, and no other that no register names', async () => {
    const old = { partner: 'acme', writtenMs: NOW - 1 };
    const lost = named('lost', INDEX_PAGE_BATCHES + 1);
    const rows: World['rows'] = new Map([...lost, 'a-0000', 'alone'].map((id) => [id, old]));
    const done = await rebuilt({ registers: { acme: ['a-0000', 'ended'] }, rows, gone: new Set([...lost, 'ended']) });
    expect([...rows.keys()].sort()).toEqual(['a-0000', 'alone']);
    expect(done).toMatchObject({ written: 2, removed: lost.length });
  });

  it('leaves what it cannot ask as it is, and says so', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const old = { partner: 'acme', writtenMs: NOW - 1 };
    const rows: World['rows'] = new Map([['away', old]]);
    const done = await rebuilt({ registers: { acme: ['away', 'near'] }, rows, away: new Set(['away']) });
    expect([...rows.keys()].sort()).toEqual(['away', 'near']);
    expect(done).toMatchObject({ written: 1, removed: 0, failed: ['away', 'away'] });
  });

  it('cannot be made while the directory is away', async () => {
    const { port } = ports({ registers: {}, rows: new Map() });
    const away = { ...port, partners: { names: async () => err({ code: 'directory_unavailable' as const }) } };
    expect(await rebuildIndex(away, { environment: 'test', mark: null }, NOW)).toEqual(
      err({ code: 'directory_unavailable' }),
    );
  });
});
