/** A key that asks a hundred times a second does not ask the directory as often. */
import { expect, it } from 'vitest';
import { BusyKeys } from '../../../src/ops/directory/busy-keys.ts';
import { KEY_LOOKS_PER_SECOND } from '../../../src/ops/directory/limits.ts';

/** What the directory says now, and how often it was asked. */
function directory() {
  const keys = new BusyKeys<string>();
  const state = { looks: 0, row: 'valid' as string | null };
  const ask = (keyId: string, nowMs: number) =>
    keys.find(keyId, nowMs, async () => {
      state.looks += 1;
      return state.row;
    });
  return { state, ask };
}

it('a key that asks often is looked up some times in a second, and others as before', async () => {
  const { state, ask } = directory();
  for (let at = 0; at < 100; at += 1) expect(await ask('busy', 5_000 + at)).toBe('valid');
  expect(state.looks).toBe(KEY_LOOKS_PER_SECOND);
  await ask('calm', 5_500);
  expect(state.looks).toBe(KEY_LOOKS_PER_SECOND + 1);
});

it('a revoked key ends at its next request, and a busy one with the second', async () => {
  const { state, ask } = directory();
  for (let at = 0; at < KEY_LOOKS_PER_SECOND; at += 1) await ask('busy', 5_000);
  await ask('calm', 5_000);
  state.row = null;
  expect(await ask('calm', 5_001)).toBeNull();
  expect(await ask('busy', 5_999)).toBe('valid');
  expect(await ask('busy', 6_000)).toBeNull();
});

it('many that come at once, before any was answered, are all looked up', async () => {
  const { state, ask } = directory();
  const rows = await Promise.all(Array.from({ length: 50 }, () => ask('busy', 5_000)));
  expect(new Set(rows)).toEqual(new Set(['valid']));
  expect(state.looks).toBe(50);
});

it('a failed look is told to whoever asked, and known to nobody', async () => {
  const keys = new BusyKeys<string>();
  const failing = () => Promise.reject(new Error('planned: down'));
  for (let at = 0; at < KEY_LOOKS_PER_SECOND + 1; at += 1)
    await expect(keys.find('busy', 5_000, failing)).rejects.toThrow('planned');
  expect(await keys.find('busy', 5_001, async () => 'valid')).toBe('valid');
});
