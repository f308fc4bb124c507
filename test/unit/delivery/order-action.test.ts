/** Which answers say that an operation of an order was done. */
import { describe, expect, it } from 'vitest';
import { actionInAnswer, actionInStatus, statusEffect } from '../../../src/delivery/orders/step.ts';
import type { Observation } from '../../../src/upstream/answer.ts';

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const answered = (body: unknown, more: Partial<Extract<Observation, { outcome: 'answered' }>> = {}): Observation => ({
  outcome: 'answered',
  status: 200,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
  bodyEncoding: 'utf-8',
  bodyEnd: 'whole',
  latencyMs: 1,
  ...more,
});

describe('the answer to an operation', () => {
  it.each<[string, Observation | null, string | null, boolean, boolean?]>([
    ['names the order', answered({ id: ID }), null, true],
    ['names it, with a code', answered({ id: ID, code: 'updated' }), 'updated', true],
    ['only takes it', answered({ id: ID, code: 'Pending' }), 'Pending', false],
    ['names no order', answered({ code: 'updated' }), 'updated', false],
    ['names another thing', answered({ id: 'ok' }), null, false],
    ['refuses it', answered({ id: ID, code: 'Rejected' }), 'Rejected', true, true],
    ['refuses it and names no order', answered({ code: 'failed' }), 'failed', true, true],
    ['is no JSON', answered('<html>'), null, false],
    ['is a list', answered([ID]), null, false],
    ['is empty', answered(''), null, false],
    ['was cut', answered({ id: ID }, { bodyEnd: 'cut' }), null, false],
    ['was never seen', null, null, false],
  ])('that %s', (_what, observation, code, isDecided, isRefused = false) =>
    expect(actionInAnswer(observation)).toEqual({ code, isDecided, isRefused }),
  );
  it('keeps a code that is far too long in part', () =>
    expect(actionInAnswer(answered({ id: ID, code: 'x'.repeat(9_000) })).code).toHaveLength(60));
});

describe('the answer to the question', () => {
  it.each<[string, Observation, ReturnType<typeof actionInStatus>]>([
    [
      'tells of this action',
      answered({ action: 'update', code: 'updated' }),
      { code: 'updated', isDecided: true, isRefused: false },
    ],
    [
      'that it failed',
      answered({ action: 'update', code: 'rejected' }),
      { code: 'rejected', isDecided: true, isRefused: true },
    ],
    [
      'that it is under way',
      answered({ action: 'update', code: 'queued' }),
      { code: 'queued', isDecided: false, isRefused: false },
    ],
    ['of another action', answered({ action: 'create', code: 'received' }), null],
    ['without a code', answered({ action: 'update' }), null],
    ['nothing', answered({}, { status: 404 }), null],
  ])('that %s', (_what, observation, wanted) => expect(actionInStatus(observation, 'update')).toEqual(wanted));
  it('counts as answered where it can be read', () => {
    expect(statusEffect(answered({}))).toBe('answered');
    expect(statusEffect(answered('x'))).toBe('unanswered');
    expect(statusEffect({ outcome: 'no_answer', code: 'timeout', detail: '', latencyMs: 1 })).toBe('unanswered');
  });
});
