import { describe, expect, it } from 'vitest';
import {
  DECISIONS,
  type Decision,
  type DecisionWanted,
  decide,
  decisionsFor,
  type HeldRequest,
  recommendation,
} from '../../../src/delivery/decisions.ts';
import { REQUEST_STATES } from '../../../src/delivery/states.ts';
import { DECIDED_DEADLINE_MS } from '../../../src/kernel/limits.ts';
import { REQUEST_KINDS } from '../../../src/mapping/request.ts';

const CLOCK = { nowMs: () => 1_000_000, timeScale: 10 };
const ORDER_ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';

const held = (more: Partial<HeldRequest> = {}): HeldRequest => ({
  kind: 'milestone',
  state: 'held',
  reason: 'unknown_then_refused',
  tries: 4,
  hadUnknown: true,
  version: '1.7',
  ...more,
});
const wanted = (decision: Decision, more: Partial<DecisionWanted> = {}): DecisionWanted => ({
  decision,
  seen: null,
  orderId: decision === 'adopt_id' ? ORDER_ID : null,
  outcome: decision === 'close' ? 'unknown' : null,
  ...more,
});

describe('a decision', () => {
  it.each(REQUEST_STATES.filter((state) => state !== 'held'))('comes too late when the request is %s', (state) => {
    for (const kind of REQUEST_KINDS) {
      for (const decision of DECISIONS) {
        expect(decide(held({ kind, state }), wanted(decision), CLOCK)).toMatchObject({
          ok: false,
          error: { code: 'not_held', state, version: '1.7' },
        });
      }
    }
  });

  it.each(REQUEST_KINDS)('about a held %s is made exactly where it is open', (kind) => {
    const open = decisionsFor(kind, 'held', 'unknown_then_refused');
    for (const decision of DECISIONS) {
      const ruled = decide(held({ kind }), wanted(decision), CLOCK);
      expect([decision, ruled.ok]).toEqual([decision, open.includes(decision)]);
      if (!ruled.ok) expect(ruled.error).toEqual({ code: 'decision_not_open', open });
    }
  });

  it('made on an older sight is refused, one made on this sight is not', () => {
    expect(decide(held(), wanted('send_again', { seen: '1.6' }), CLOCK)).toMatchObject({
      error: { code: 'moved_since' },
    });
    expect(decide(held(), wanted('send_again', { seen: '1.7' }), CLOCK).ok).toBe(true);
  });

  it('to send again starts now, with a new time and new waits, and forgets nothing of what may have arrived', () => {
    expect(decide(held(), wanted('send_again'), CLOCK)).toEqual({
      ok: true,
      value: {
        taken: { tries: 0, hadUnknown: true, step: { state: 'unknown', atMs: 1_000_000 } },
        orderId: null,
        deadlineMs: 1_000_000 + DECIDED_DEADLINE_MS / 10,
      },
    });
  });

  it.each(['order.update', 'order.cancel'] as const)(
    'to send a held %s again: what may have arrived cannot be withdrawn',
    (kind) => {
      expect(decide(held({ kind }), wanted('send_again'), CLOCK)).toMatchObject({
        value: { taken: { step: { state: 'unknown' } } },
      });
      expect(decide(held({ kind, hadUnknown: false }), wanted('send_again'), CLOCK)).toMatchObject({
        value: { taken: { step: { state: 'queued' } } },
      });
    },
  );

  it('to create again puts it in line, and what the first create may have done stays known', () => {
    expect(decide(held({ kind: 'order.create', reason: 'not_found' }), wanted('create_again'), CLOCK)).toMatchObject({
      value: { taken: { hadUnknown: true, step: { state: 'queued', atMs: 1_000_000 } }, orderId: null },
    });
  });

  it.each(['', '..', 'x', `${ORDER_ID}/1`])('to adopt an id needs one that can be an id, not "%s"', (orderId) => {
    const request = held({ kind: 'order.create' });
    expect(decide(request, wanted('adopt_id', { orderId }), CLOCK)).toMatchObject({
      error: { code: 'order_id_wanted' },
    });
  });

  it('to adopt an id or to mark as delivered names the operator as its evidence', () => {
    const request = held({ kind: 'order.create' });
    const step = { state: 'delivered', evidence: 'operator' };
    expect(decide(request, wanted('adopt_id'), CLOCK)).toMatchObject({
      value: { taken: { step }, orderId: ORDER_ID, deadlineMs: null },
    });
    expect(decide(request, wanted('mark_delivered'), CLOCK)).toMatchObject({
      value: { taken: { step }, orderId: null },
    });
  });

  it.each(['not_applied', 'unknown'] as const)('to close keeps what the operator says came of it: %s', (outcome) => {
    expect(decide(held(), wanted('close', { outcome }), CLOCK)).toMatchObject({
      value: { taken: { tries: 4, step: { state: 'dead', outcome, reason: 'closed' } }, deadlineMs: null },
    });
    expect(decide(held(), wanted('close', { outcome: null }), CLOCK)).toMatchObject({
      error: { code: 'outcome_wanted' },
    });
  });
});

describe('what is recommended', () => {
  it.each(REQUEST_KINDS)('about a held %s names a decision that is open', (kind) => {
    for (const reason of [
      'unknown_then_refused',
      'order_id_missing',
      'not_found',
      'ambiguous',
      'multiple',
      'exhausted',
    ] as const) {
      const open = decisionsFor(kind, 'held', reason);
      const named = DECISIONS.filter((decision) => recommendation(kind, reason).includes(decision));

      expect(named.length).toBeGreaterThan(0);
      for (const decision of named) expect(open).toContain(decision);
    }
  });
});
