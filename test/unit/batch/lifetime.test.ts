import { describe, expect, it } from 'vitest';
import { batchRetentionStep } from '../../../src/batch/core/progress.ts';
import { BATCH_RETENTION_MS, BYTES_RETENTION_MS } from '../../../src/kernel/limits.ts';

const SETTLED_MS = Date.UTC(2026, 2, 2, 8);
const at = (nowMs: number, timeScale = 1) => ({ nowMs: () => nowMs, timeScale });
const settled = { state: 'settled', settledAtMs: SETTLED_MS } as const;

describe('the lives of a batch', () => {
  it.each(['settled', 'unreadable'] as const)('begin with its end: %s', (state) => {
    const ended = { state, settledAtMs: SETTLED_MS };
    expect(batchRetentionStep(ended, at(SETTLED_MS))).toEqual({
      step: 'wait',
      untilMs: SETTLED_MS + BYTES_RETENTION_MS,
    });
  });

  it.each(['reading', 'delivering'] as const)('have not begun while it is %s, however old it is', (state) => {
    expect(batchRetentionStep({ state, settledAtMs: null }, at(SETTLED_MS + 10 * BATCH_RETENTION_MS))).toEqual({
      step: 'lives',
    });
  });

  it('end with the bytes first, then with the batch', () => {
    const deleted = { ...settled, bytesDeletedAtMs: SETTLED_MS + BYTES_RETENTION_MS };
    expect(batchRetentionStep(settled, at(SETTLED_MS + BYTES_RETENTION_MS))).toEqual({ step: 'delete_bytes' });
    expect(batchRetentionStep(deleted, at(SETTLED_MS + BYTES_RETENTION_MS))).toEqual({
      step: 'wait',
      untilMs: SETTLED_MS + BATCH_RETENTION_MS,
    });
    expect(batchRetentionStep(deleted, at(SETTLED_MS + BATCH_RETENTION_MS))).toEqual({ step: 'end' });
  });

  it('end at once where both are over', () => {
    expect(batchRetentionStep(settled, at(SETTLED_MS + BATCH_RETENTION_MS))).toEqual({ step: 'end' });
  });

  it('obey the time scale', () => {
    const endMs = SETTLED_MS + BYTES_RETENTION_MS / 1_000;
    expect(batchRetentionStep(settled, at(endMs - 1, 1_000)).step).toBe('wait');
    expect(batchRetentionStep(settled, at(endMs, 1_000)).step).toBe('delete_bytes');
  });
});
