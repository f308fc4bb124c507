/** Observations and clocks for the tests of this folder. */
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Answer, Observation } from '../../../src/upstream/answer.ts';

export const NOW_MS = Date.UTC(2026, 2, 2, 8);
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

export const clockAt = (nowMs: number, timeScale = 1): Clock => ({ nowMs: () => nowMs, timeScale });

/** @param more what differs from an empty, whole answer. */
export const answered = (status: number, more: Partial<Answer> = {}): Observation => ({
  outcome: 'answered',
  status,
  headers: {},
  body: '',
  bodyEncoding: 'utf-8',
  bodyEnd: 'whole',
  latencyMs: 12,
  ...more,
});

export const retryAfter = (text: string): Partial<Answer> => ({ headers: { 'retry-after': text } });

export const noAnswer = (code: 'network' | 'timeout'): Observation => ({
  outcome: 'no_answer',
  code,
  detail: 'connection lost',
  latencyMs: 12,
});

export const notSent = (code: 'no_token' | 'not_composed'): Observation => ({ outcome: 'not_sent', code, detail: '' });
