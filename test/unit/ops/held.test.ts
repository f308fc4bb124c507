/** What waits for a person in an environment: whom it asks, and when it says that it has not asked all. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HELD_BATCHES_MAX } from '../../../src/kernel/limits.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import { type HeldPorts, heldOf } from '../../../src/ops/held.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

/** Open batches by partner, each with what it holds since when; an Error is thrown. */
function ports(partners: Record<string, Record<string, number | null | Error>>): HeldPorts & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    partners: { names: async () => ok(Object.keys(partners)) },
    register: ({ partner }) => ({
      openBatches: async (limit) => Object.keys(partners[partner] ?? {}).slice(0, limit),
    }),
    batch: ({ partner }, batchId) => ({
      held: async () => {
        asked.push(batchId);
        const oldestMs = partners[partner]?.[batchId] ?? null;
        if (oldestMs instanceof Error) throw oldestMs;
        return { requests: oldestMs === null ? 0 : 2, oldestMs };
      },
    }),
  };
}

const many = (prefix: string, count: number): Record<string, number | null> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, null]));

describe('what is held', () => {
  it('is counted by partner, with the batch of the oldest, the oldest partner first', async () => {
    const found = await heldOf(ports({ one: { b_1: 50, b_2: 30 }, two: { b_3: 10, b_4: null }, none: {} }), 'test');
    expect(found).toEqual(
      ok({
        held: [
          { partner: 'two', requests: 2, oldestMs: 10, batchId: 'b_3' },
          { partner: 'one', requests: 4, oldestMs: 30, batchId: 'b_2' },
        ],
        isWhole: true,
      }),
    );
  });

  it('is asked of so many batches and no more, and says that there are others', async () => {
    const exact = ports({ one: many('a', HELD_BATCHES_MAX) });
    expect(await heldOf(exact, 'test')).toMatchObject({ value: { isWhole: true } });
    expect(exact.asked).toHaveLength(HELD_BATCHES_MAX);
    const over = ports({ one: many('a', HELD_BATCHES_MAX - 1), two: many('b', 2), three: {} });
    expect(await heldOf(over, 'test')).toMatchObject({ value: { isWhole: false } });
    expect(over.asked).toHaveLength(HELD_BATCHES_MAX);
  });

  it('of a batch that does not answer hides no other', async () => {
    const found = await heldOf(ports({ one: { b_1: new Error('planned'), b_2: 30 } }), 'test');
    expect(found).toMatchObject({ value: { held: [{ partner: 'one', batchId: 'b_2' }], isWhole: false } });
  });

  it('is not known where the directory is down', async () => {
    const down = { code: 'directory_unavailable' } as const;
    const found = await heldOf({ ...ports({}), partners: { names: async () => err(down) } }, 'test');
    expect(found).toEqual(err(down));
  });
});
