/** A read that never comes to its end is given up, and what it reads from is let go of. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { soon } from '../../../src/kernel/paced-read.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a read', () => {
  it('that ends in time is what it is, and leaves no timer', async () => {
    const cancel = vi.fn(async () => undefined);
    expect(await soon(Promise.resolve(7), { cancel }, 1_000)).toBe(7);
    expect([vi.getTimerCount(), cancel.mock.calls.length]).toEqual([0, 0]);
  });

  it('that stands still is given up after its time, and nothing more is read', async () => {
    const cancel = vi.fn(async () => undefined);
    const given = soon(new Promise(() => undefined), { cancel }, 61_000).catch((thrown: Error) => thrown.message);
    await vi.advanceTimersByTimeAsync(60_999);
    expect(cancel).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await given).toBe('too little came in 61 s');
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('that breaks is not waited for', async () => {
    const cancel = vi.fn(async () => undefined);
    await expect(soon(Promise.reject(new Error('gone')), { cancel })).rejects.toThrow('gone');
    expect(vi.getTimerCount()).toBe(0);
  });
});
