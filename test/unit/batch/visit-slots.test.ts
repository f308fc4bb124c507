/** Visits under way in one process: how partners and their batches share them. */
import { describe, expect, it } from 'vitest';
import { VisitSlots } from '../../../src/batch/core/pacing.ts';
import { VISIT_LOOK_MS, VISIT_SLOT_MS } from '../../../src/batch/limits.ts';

const MAX = 8;

/** Takes and returns slots for batches named like `acme/1`. */
function aProcess() {
  const slots = new VisitSlots(MAX);
  const held = new Map<string, number[]>();
  let ticket = 0;
  const take = (name: string, nowMs = 0): boolean => {
    const [partner = '', batch = ''] = name.split('/');
    ticket += 1;
    const has = slots.take(ticket, { partner, batch: `${partner}-${batch}` }, nowMs);
    if (has) held.set(name, [...(held.get(name) ?? []), ticket]);
    return has;
  };
  const giveBack = (name: string): void => slots.giveBack(held.get(name)?.shift() ?? 0);
  const count = (name: string): number => held.get(name)?.length ?? 0;
  return { take, giveBack, count };
}

describe('slots for visits', () => {
  it('are all for one batch while no other waits, and no more than there are', () => {
    const { take, giveBack } = aProcess();
    expect(Array.from({ length: MAX }, () => take('acme/1')).every(Boolean)).toBe(true);
    expect(take('acme/1')).toBe(false);
    giveBack('acme/1');
    expect(take('acme/1')).toBe(true);
  });

  it('go to another partner as soon as one is free, though the first wants them, too', () => {
    const { take, giveBack } = aProcess();
    for (let slot = 0; slot < MAX; slot += 1) take('acme/1');
    expect(take('other/1')).toBe(false);
    giveBack('acme/1');
    expect([take('acme/1'), take('other/1')]).toEqual([false, true]);
  });

  it('are shared evenly by partners, however many batches one has', () => {
    const { take, giveBack, count } = aProcess();
    const names = ['acme/1', 'acme/2', 'acme/3', 'other/1'];
    for (let slot = 0; slot < MAX; slot += 1) take('acme/1');
    for (let round = 0; round < 100; round += 1) {
      for (const name of names) take(name);
      giveBack(names[round % names.length] ?? '');
      for (const name of names.toReversed()) take(name);
    }
    const ofAcme = count('acme/1') + count('acme/2') + count('acme/3');
    expect([ofAcme, count('other/1')]).toEqual([MAX / 2, MAX / 2]);
    expect(Math.min(count('acme/1'), count('acme/2'), count('acme/3'))).toBeGreaterThan(0);
  });

  it('are not kept for one that no longer asks, and come back from one that is gone', () => {
    const { take, giveBack } = aProcess();
    for (let slot = 0; slot < MAX; slot += 1) take('acme/1');
    take('other/1');
    giveBack('acme/1');
    expect(take('acme/1', 10 * VISIT_LOOK_MS)).toBe(false);
    expect(take('acme/1', 30 * VISIT_LOOK_MS)).toBe(true);
    expect(take('other/1', VISIT_SLOT_MS - 1)).toBe(false);
    expect(take('other/1', VISIT_SLOT_MS)).toBe(true);
  });
});
