import { describe, expect, it } from 'vitest';
import { afterLoadsEnded, batchRetentionStep, type LoadsEnd, START } from '../../../src/batch/core/progress.ts';
import {
  BATCH_RETENTION_MS,
  BYTES_RETENTION_MS,
  LOAD_RETENTION_MS,
  LOADS_END_AGAIN_MS,
  LOADS_END_PASSES_MAX,
} from '../../../src/kernel/limits.ts';

const SETTLED_MS = Date.UTC(2026, 2, 2, 8);
const at = (nowMs: number, timeScale = 1) => ({ nowMs: () => nowMs, timeScale });
const settled = { state: 'settled', settledAtMs: SETTLED_MS, handedOver: START } as const;

describe('the lives of a batch', () => {
  it.each(['settled', 'unreadable'] as const)('begin with its end: %s', (state) => {
    const ended = { ...settled, state };
    expect(batchRetentionStep(ended, at(SETTLED_MS))).toEqual({
      step: 'wait',
      untilMs: SETTLED_MS + BYTES_RETENTION_MS,
    });
  });

  it.each(['reading', 'delivering'] as const)('have not begun while it is %s, however old it is', (state) => {
    expect(
      batchRetentionStep({ ...settled, state, settledAtMs: null }, at(SETTLED_MS + 10 * BATCH_RETENTION_MS)),
    ).toEqual({
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

describe('the loads of a batch', () => {
  const AT = { record: 7, request: 1 };
  const visited = { ...settled, handedOver: AT, endsLoads: true } as const;
  const LOADS_END_MS = SETTLED_MS + LOAD_RETENTION_MS;
  const first: LoadsEnd = { of: SETTLED_MS, pass: 0, after: START, missed: 0, isDone: false };

  it('are called when their retention may be over, before anything else of the batch ends', () => {
    expect(batchRetentionStep(visited, at(LOADS_END_MS - 1))).toEqual({ step: 'wait', untilMs: LOADS_END_MS });
    expect(batchRetentionStep(visited, at(LOADS_END_MS))).toEqual({ step: 'end_loads', from: first });
    expect(batchRetentionStep(visited, at(SETTLED_MS + BATCH_RETENTION_MS)).step).toBe('end_loads');
  });

  it('are called no more once all of them were', () => {
    const done = { ...visited, loadsEnd: { ...first, isDone: true } };
    expect(batchRetentionStep(done, at(LOADS_END_MS))).toEqual({
      step: 'wait',
      untilMs: SETTLED_MS + BYTES_RETENTION_MS,
    });
  });

  it('have alarms of their own where an earlier release created the batch, and are none where nothing was dispatched', () => {
    const { endsLoads: _, ...earlier } = visited;
    for (const none of [earlier, { ...visited, handedOver: START }])
      expect(batchRetentionStep(none, at(LOADS_END_MS)).step).toBe('wait');
  });

  it('are called from the first one on when the batch was reopened meanwhile', () => {
    const reopened = { ...visited, settledAtMs: SETTLED_MS + 1, loadsEnd: { ...first, after: AT, isDone: true } };
    expect(batchRetentionStep(reopened, at(LOADS_END_MS + 1))).toEqual({
      step: 'end_loads',
      from: { ...first, of: SETTLED_MS + 1 },
    });
  });

  it('are called page by page, and those that could not be reached once more a day later', () => {
    const paged = afterLoadsEnded(first, AT, 1);
    expect(paged).toEqual({ ...first, after: AT, missed: 1 });
    const again = afterLoadsEnded(paged, undefined, 0);
    expect(again).toEqual({ ...first, pass: 1 });
    const dueMs = LOADS_END_MS + LOADS_END_AGAIN_MS;
    expect(batchRetentionStep({ ...visited, loadsEnd: again }, at(dueMs - 1))).toEqual({
      step: 'wait',
      untilMs: dueMs,
    });
    expect(batchRetentionStep({ ...visited, loadsEnd: again }, at(dueMs)).step).toBe('end_loads');
    expect(afterLoadsEnded(again, undefined, 0).isDone).toBe(true);
  });

  it('do not keep the batch for ever where they never answer', () => {
    expect(afterLoadsEnded({ ...first, pass: LOADS_END_PASSES_MAX - 1 }, undefined, 5).isDone).toBe(true);
  });
});
