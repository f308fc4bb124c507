import { describe, expect, it } from 'vitest';
import { LOAD_RETENTION_MS } from '../../../src/kernel/limits.ts';
import { isUnchanged, retentionStep, type SubjectFacts } from '../../../src/tracking/retention.ts';

const LAST_MS = Date.UTC(2026, 2, 2, 8);
const at = (nowMs: number) => ({ nowMs: () => nowMs, timeScale: 1 });
const facts = (more: Partial<SubjectFacts> = {}): SubjectFacts => ({
  requests: 3,
  open: 0,
  untold: 0,
  revisions: 7,
  lastEventMs: LAST_MS,
  ...more,
});
const step = (more: Partial<SubjectFacts>, nowMs: number) => retentionStep(facts(more), LOAD_RETENTION_MS, at(nowMs));

describe('the life of a load or order', () => {
  it('ends when its time after the last event is over, and not before', () => {
    const endMs = LAST_MS + LOAD_RETENTION_MS;
    expect(step({}, endMs - 1)).toEqual({ step: 'wait', untilMs: endMs });
    expect(step({}, endMs)).toEqual({ step: 'end', lastEventMs: LAST_MS });
  });

  it.each([{ open: 1 }, { untold: 1 }])('never ends with %j, however old it is', (more) => {
    expect(step(more, LAST_MS + 1_000 * LOAD_RETENTION_MS)).toEqual({ step: 'lives' });
  });

  it('has no time where nothing ever came in', () => {
    expect(step({ requests: 0, lastEventMs: null }, LAST_MS)).toEqual({ step: 'empty' });
  });

  it.each([{ requests: 4 }, { open: 1 }, { untold: 1 }, { revisions: 8 }, { lastEventMs: LAST_MS + 1 }])(
    'goes on when %j shows that something came in meanwhile',
    (more) => {
      expect(isUnchanged(facts(), facts())).toBe(true);
      expect(isUnchanged(facts(), facts(more))).toBe(false);
    },
  );
});
