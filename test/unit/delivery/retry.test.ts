import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReportable } from '../../../src/delivery/outcome.ts';
import { type EndedRequest, RETRIABLE_STATES, type RetryWanted, retryOf } from '../../../src/delivery/retry.ts';
import { isFinal, REQUEST_STATES } from '../../../src/delivery/states.ts';

const ended = (more: Partial<EndedRequest> = {}): EndedRequest => ({
  kind: 'milestone',
  state: 'rejected',
  reason: null,
  mayHaveArrived: false,
  ...more,
});
const ALL: RetryWanted = { states: RETRIABLE_STATES, includeUnknown: false };
const WITH_UNKNOWN: RetryWanted = { ...ALL, includeUnknown: true };
const CREATES = ['order.create', 'order.upsert'] as const;

describe('retryOf', () => {
  it.each(RETRIABLE_STATES)('sends again what is %s and certainly did not arrive', (state) => {
    expect(retryOf(ended({ state }), ALL)).toBe('retried');
    expect(retryOf(ended({ state, kind: 'order.create' }), ALL)).toBe('retried');
  });

  it('can want each end that is no delivery', () => {
    const isSent = (state: string): boolean => state === 'delivered' || state === 'duplicate';
    const ends = REQUEST_STATES.filter((state) => isFinal(state) && !isSent(state));
    expect([...RETRIABLE_STATES].sort()).toEqual([...ends].sort());
  });

  it('takes only the states wanted', () => {
    const onlyDead = { ...WITH_UNKNOWN, states: ['dead'] as const };
    expect(RETRIABLE_STATES.map((state) => retryOf(ended({ state, mayHaveArrived: true }), onlyDead))).toEqual([
      'not_wanted',
      'retried',
      'not_wanted',
    ]);
  });

  it.each(['milestone', 'trace', 'loadMilestoneEvent', 'order.update', 'order.cancel'] as const)(
    'sends a %s that may have arrived again only on request',
    (kind) => {
      const given = ended({ kind, state: 'dead', mayHaveArrived: true });
      expect(retryOf(given, ALL)).toBe('may_have_arrived');
      expect(retryOf(given, WITH_UNKNOWN)).toBe('retried');
    },
  );

  it.each(CREATES)('never sends an %s again that may have made an order', (kind) => {
    expect(retryOf(ended({ kind, state: 'dead', mayHaveArrived: true }), WITH_UNKNOWN)).toBe('order_may_exist');
  });

  it('never sends a create again whose order exists with other content', () => {
    const exists = ended({ kind: 'order.create', state: 'dead', reason: 'order_exists' });
    expect(retryOf(exists, WITH_UNKNOWN)).toBe('order_exists');
  });

  it('sends nothing that may have arrived unless that is wanted, whatever else it is', () => {
    const any = fc.record({
      kind: fc.constantFrom('milestone', 'trace', ...CREATES, 'order.update'),
      state: fc.constantFrom(...RETRIABLE_STATES),
      reason: fc.constantFrom(null, 'deadline', 'order_exists', 'redirected'),
      mayHaveArrived: fc.constant(true),
    });
    fc.assert(fc.property(any, (request) => retryOf(request as EndedRequest, ALL) !== 'retried'));
  });
});

describe('isReportable', () => {
  const known = { generation: 2, revision: 5 };

  it.each([
    [{ generation: 2, revision: 6 }, true],
    [{ generation: 2, revision: 5 }, false],
    [{ generation: 2, revision: 4 }, false],
    [{ generation: 1, revision: 99 }, false],
    [{ generation: 3, revision: 99 }, false],
  ])('of %j: %s', (told, news) => {
    expect(isReportable(told, known)).toBe(news);
  });
});
