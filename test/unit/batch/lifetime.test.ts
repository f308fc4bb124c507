import { describe, expect, it } from 'vitest';
import { batchLifeStep } from '../../../src/batch/core/lifetime.ts';
import { BATCH_LIFE_MS, BYTES_LIFE_MS } from '../../../src/kernel/limits.ts';

const SETTLED_MS = Date.UTC(2026, 2, 2, 8);
const at = (nowMs: number, timeScale = 1) => ({ nowMs: () => nowMs, timeScale });
const settled = { state: 'settled', settledAtMs: SETTLED_MS } as const;

describe('the lives of a batch', () => {
  it.each(['settled', 'unreadable'] as const)('begin with its end: %s', (state) => {
    const ended = { state, settledAtMs: SETTLED_MS };
    expect(batchLifeStep(ended, at(SETTLED_MS))).toEqual({ step: 'wait', untilMs: SETTLED_MS + BYTES_LIFE_MS });
  });

  it.each(['reading', 'delivering'] as const)('have not begun while it is %s, however old it is', (state) => {
    expect(batchLifeStep({ state, settledAtMs: null }, at(SETTLED_MS + 10 * BATCH_LIFE_MS))).toEqual({ step: 'lives' });
  });

  it('end with the bytes first, then with the batch', () => {
    const deleted = { ...settled, bytesDeletedAtMs: SETTLED_MS + BYTES_LIFE_MS };
    expect(batchLifeStep(settled, at(SETTLED_MS + BYTES_LIFE_MS))).toEqual({ step: 'delete_bytes' });
    expect(batchLifeStep(deleted, at(SETTLED_MS + BYTES_LIFE_MS))).toEqual({
      step: 'wait',
      untilMs: SETTLED_MS + BATCH_LIFE_MS,
    });
    expect(batchLifeStep(deleted, at(SETTLED_MS + BATCH_LIFE_MS))).toEqual({ step: 'end' });
  });

  it('end at once where both are over', () => {
    expect(batchLifeStep(settled, at(SETTLED_MS + BATCH_LIFE_MS))).toEqual({ step: 'end' });
  });

  it('obey the time scale', () => {
    const endMs = SETTLED_MS + BYTES_LIFE_MS / 1_000;
    expect(batchLifeStep(settled, at(endMs - 1, 1_000)).step).toBe('wait');
    expect(batchLifeStep(settled, at(endMs, 1_000)).step).toBe('delete_bytes');
  });
});
