/** A cache in memory, an upstream that answers as it is told, and observations of it. */

import type { FleetAnswer, FleetTrouble } from '../../../src/fleet/answer.ts';
import { type FleetQuestion, questionText } from '../../../src/fleet/question.ts';
import type { CachedAnswer, FleetPort } from '../../../src/fleet/read.ts';
import type { Answer } from '../../../src/upstream/answer.ts';
import { NOW_MS } from '../upstream/samples.ts';

export const VEHICLE: FleetQuestion = { of: 'vehicle', vehicleNumber: '00700001' };
export const TROUBLE: FleetTrouble = {
  code: 'fleet_down',
  api: 'fleet',
  status: 503,
  detail: 'down',
  retryAfterMs: null,
};

export const answered = (status: number, body: string, more: Partial<Answer> = {}): Answer => ({
  outcome: 'answered',
  status,
  headers: {},
  body,
  bodyEncoding: 'utf-8',
  bodyEnd: 'whole',
  latencyMs: 1,
  ...more,
});

/** @property asked in order. @property afterMs moves the clock. @property settled when what went on behind answers has ended. */
export function aReading(timeScale = 1) {
  let nowMs = NOW_MS;
  let says: FleetAnswer = { outcome: 'read', items: [{ vehicleNumber: '00700001' }] };
  const kept = new Map<string, CachedAnswer>();
  const asked: FleetQuestion[] = [];
  const behind: Promise<unknown>[] = [];
  const port: FleetPort = {
    clock: { nowMs: () => nowMs, timeScale },
    cache: {
      get: async (question) => kept.get(questionText(question)) ?? null,
      put: async (question, answer) => void kept.set(questionText(question), answer),
    },
    async request(question) {
      asked.push(question);
      return says;
    },
    later: (work) => void behind.push(work),
  };
  return {
    port,
    asked,
    behind,
    kept,
    says(next: FleetAnswer) {
      says = next;
    },
    fails(trouble: FleetTrouble = TROUBLE) {
      says = { outcome: 'trouble', trouble };
    },
    afterMs(durationMs: number) {
      nowMs += durationMs;
    },
    settled: () => Promise.all(behind),
  };
}
