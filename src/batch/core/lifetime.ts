/** How long a batch and its bytes live: both lives begin when its last row was decided. Pure. */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { BATCH_LIFE_MS, BYTES_LIFE_MS } from '../../kernel/limits.ts';
import type { BatchProgress } from './progress.ts';

export type BatchLifeStep =
  /** Something is open. */
  { step: 'lives' } | { step: 'wait'; untilMs: number } | { step: 'delete_bytes' } | { step: 'end' };

export function batchLifeStep(
  { state, settledAtMs, bytesDeletedAtMs }: Pick<BatchProgress, 'state' | 'settledAtMs' | 'bytesDeletedAtMs'>,
  clock: Clock,
): BatchLifeStep {
  if ((state !== 'settled' && state !== 'unreadable') || settledAtMs === null) return { step: 'lives' };
  const endsMs = settledAtMs + scaledMs(BATCH_LIFE_MS, clock);
  const bytesEndMs = settledAtMs + scaledMs(BYTES_LIFE_MS, clock);
  if (clock.nowMs() >= endsMs) return { step: 'end' };
  if (bytesDeletedAtMs !== undefined) return { step: 'wait', untilMs: endsMs };
  return clock.nowMs() >= bytesEndMs ? { step: 'delete_bytes' } : { step: 'wait', untilMs: bytesEndMs };
}
