import { describe, expect, it } from 'vitest';
import { DECISIONS, decisionsFor } from '../../../src/delivery/decisions.ts';
import { REQUEST_STATES } from '../../../src/delivery/states.ts';
import { REQUEST_KINDS } from '../../../src/mapping/request.ts';

describe('what a person may decide', () => {
  it.each(REQUEST_STATES.filter((state) => state !== 'held'))('is nothing about a request that is %s', (state) => {
    for (const kind of REQUEST_KINDS) expect(decisionsFor(kind, state, null)).toEqual([]);
  });

  it.each(['milestone', 'trace', 'loadMilestoneEvent', 'order.update', 'order.cancel'] as const)(
    'about a held %s is to send it again, to call it delivered, or to close it',
    (kind) => {
      expect(decisionsFor(kind, 'held', 'unknown_then_refused')).toEqual(['send_again', 'mark_delivered', 'close']);
      expect(decisionsFor(kind, 'held', 'may_have_arrived')).toEqual(['send_again', 'mark_delivered', 'close']);
      expect(decisionsFor(kind, 'held', 'exhausted')).toEqual(['send_again', 'mark_delivered', 'close']);
    },
  );

  it.each(['not_found', 'ambiguous', 'multiple', 'exhausted'] as const)(
    'about a create that is held as %s is to create again, to adopt an id, to call it delivered, or to close it',
    (reason) => {
      for (const kind of ['order.create', 'order.upsert'] as const) {
        expect(decisionsFor(kind, 'held', reason)).toEqual(['create_again', 'adopt_id', 'mark_delivered', 'close']);
      }
    },
  );

  it('is never to create again what was taken', () => {
    expect(decisionsFor('order.create', 'held', 'order_id_missing')).toEqual(['adopt_id', 'mark_delivered', 'close']);
  });

  it('always includes closing it, and each decision is one of those named', () => {
    for (const kind of REQUEST_KINDS) {
      const decisions = decisionsFor(kind, 'held', null);
      expect(decisions).toContain('close');
      expect(DECISIONS).toEqual(expect.arrayContaining([...decisions]));
    }
  });
});
