import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/delivery/classify.ts';
import type { LaneRequest } from '../../../src/delivery/drain.ts';
import { INTERRUPTED, type Past } from '../../../src/delivery/next-step.ts';
import {
  afterChange,
  afterCreate,
  beforeCreate,
  nextOperation,
  readOrderId,
} from '../../../src/delivery/orders/step.ts';
import type { Observation } from '../../../src/upstream/answer.ts';
import { answered, clockAt, HOUR_MS, MINUTE_MS, NOW_MS, noAnswer, notSent, retryAfter, SECOND_MS } from './samples.ts';

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const FRESH: Past = { tries: 0, hadUnknown: false, attempted: false, deadlineMs: NOW_MS + 72 * HOUR_MS };
const created = (body = JSON.stringify({ id: ID }), more: Parameters<typeof answered>[1] = {}): Observation =>
  answered(201, { body, ...more });
const taken = (observation: Observation, past: Past = FRESH) =>
  afterCreate(past, { seen: classify(observation, NOW_MS), observation }, clockAt(NOW_MS), () => 0.5);

describe('a create that was answered', () => {
  it('is delivered with the id the answer shows', () => {
    expect(taken(created())).toEqual(
      expect.objectContaining({ step: { state: 'delivered' }, tries: 1, hadUnknown: false, orderId: ID }),
    );
  });

  it.each([
    ['no body', created('')],
    ['a page', created('<html></html>')],
    ['no id', created('{"order":"x"}')],
    ['an id of another form', created('{"id":"12345"}')],
    ['a number as id', created('{"id":12345}')],
    ['an id deeper than where it stands', created(JSON.stringify({ order: { id: ID } }))],
    ['an array', created(JSON.stringify([ID]))],
    ['null', created('null')],
    ['a body that was cut behind the id', created(JSON.stringify({ id: ID }), { bodyEnd: 'cut' })],
    ['a body too long to be read to its end', created(JSON.stringify({ id: ID }), { bodyEnd: 'capped' })],
  ])('is looked up when its id cannot be read: %s', (_what, observation) => {
    expect(taken(observation)).toMatchObject({
      step: { state: 'unknown', reason: 'order_id_missing', atMs: NOW_MS + 30 * SECOND_MS },
      hadUnknown: true,
      orderId: null,
    });
  });

  it.each([
    ['a conflict', answered(409)],
    ['a conflict with the id in it', answered(409, { body: JSON.stringify({ id: ID }) })],
    ['a server error', answered(500)],
    ['a bad gateway', answered(502)],
    ['unavailable without a time', answered(503)],
    ['a broken connection', noAnswer('network')],
    ['no answer in time', noAnswer('timeout')],
  ])('is looked up when it may have come into being: %s', (_what, observation) => {
    expect(taken(observation)).toMatchObject({
      step: { state: 'unknown', reason: 'create_unconfirmed', atMs: NOW_MS + 30 * SECOND_MS },
      hadUnknown: true,
      orderId: null,
    });
  });

  it('is looked up when the process died with it on the wire', () => {
    const seen = { seen: INTERRUPTED, observation: null };
    expect(afterCreate(FRESH, seen, clockAt(NOW_MS), () => 0.5).step).toMatchObject({
      state: 'unknown',
      reason: 'create_unconfirmed',
    });
  });

  it('is looked up no earlier than the answer asks', () => {
    const late = answered(500, retryAfter('120'));
    expect(taken(late).step).toMatchObject({ state: 'unknown', atMs: NOW_MS + 2 * MINUTE_MS });
  });

  it('is held when its deadline leaves no time to look it up', () => {
    const past = { ...FRESH, deadlineMs: NOW_MS + 1 };
    expect(taken(answered(500), past).step).toEqual({ state: 'held', reason: 'exhausted' });
    expect(taken(created(''), past).step).toEqual({ state: 'held', reason: 'order_id_missing' });
  });

  it('is held when it is refused for now, leaves no time for another try, and may have been made by an earlier one', () => {
    const late = { ...FRESH, deadlineMs: NOW_MS + 1 };
    expect(taken(answered(429), { ...late, hadUnknown: true }).step).toEqual({ state: 'held', reason: 'exhausted' });
    expect(taken(answered(429), late).step).toMatchObject({ state: 'dead', outcome: 'not_applied' });
  });

  it.each([
    ['too many requests', answered(429, retryAfter('30'))],
    ['unavailable until a time', answered(503, retryAfter('30'))],
    ['too early', answered(425)],
    ['credentials refused', answered(401)],
    ['SCAC refused', answered(403)],
  ])('waits when it was proved not to be applied: %s', (_what, observation) => {
    expect(taken(observation)).toMatchObject({ step: { state: 'waiting' }, hadUnknown: false, orderId: null });
  });

  it('is rejected when it was refused, and given up when it was redirected', () => {
    expect(taken(answered(422)).step).toEqual({ state: 'rejected' });
    expect(taken(answered(302)).step).toMatchObject({ state: 'dead', reason: 'redirected', outcome: 'not_applied' });
  });

  it('stays in line when nothing could be sent', () => {
    expect(taken(notSent('no_token')).step).toMatchObject({ state: 'queued', reason: 'no_token' });
    expect(taken(notSent('not_composed')).step).toMatchObject({ state: 'dead', reason: 'not_sendable' });
  });

  it('is never sent again once it may have been applied, whatever the status', () => {
    const observations = fc.oneof(
      fc.integer({ min: 200, max: 599 }).map((status) => answered(status)),
      fc.constantFrom(noAnswer('network'), noAnswer('timeout')),
    );
    fc.assert(
      fc.property(observations, (observation) => {
        const { step, hadUnknown, orderId } = taken(observation);
        const seen = classify(observation, NOW_MS).effect;
        if (hadUnknown || seen === 'applied') expect(step.state).toBe('unknown');
        if (step.state === 'waiting' || step.state === 'queued') expect(['not_applied', 'channel']).toContain(seen);
        expect(orderId).toBeNull();
      }),
    );
  });
});

describe('readOrderId', () => {
  it('reads an id in capital letters too', () => {
    expect(readOrderId(created(JSON.stringify({ id: ID.toUpperCase() })))).toBe(ID.toUpperCase());
  });

  it('finds nothing that the answer only inherits', () => {
    expect(readOrderId(created('{"__proto__":{"id":"x"}}'))).toBeNull();
  });

  it('is nothing where nothing was answered', () => {
    expect(readOrderId(null)).toBeNull();
    expect(readOrderId(noAnswer('network'))).toBeNull();
  });
});

describe('the next operation of an order', () => {
  const first = (state: LaneRequest['state'], more: Partial<LaneRequest> = {}): LaneRequest => ({
    key: '1',
    state,
    atMs: null,
    firstTriedAtMs: null,
    deadlineMs: NOW_MS + HOUR_MS,
    ...more,
  });

  it('is the first that is open', () => {
    expect(nextOperation(first('queued'), NOW_MS)).toEqual({ move: 'send', key: '1' });
    expect(nextOperation(undefined, NOW_MS)).toEqual({ move: 'idle' });
  });

  it('waits for its time, however long ago its first try was', () => {
    const waiting = first('waiting', { atMs: NOW_MS + 5, firstTriedAtMs: NOW_MS - 48 * HOUR_MS });
    expect(nextOperation(waiting, NOW_MS)).toEqual({ move: 'wait', untilMs: NOW_MS + 5, isBlocked: true });
    expect(nextOperation(waiting, NOW_MS + 5)).toEqual({ move: 'send', key: '1' });
  });

  it('is none while one is held or on the wire', () => {
    expect(nextOperation(first('held'), NOW_MS)).toEqual({ move: 'idle' });
    expect(nextOperation(first('sending', { deadlineMs: 0 }), NOW_MS)).toEqual({ move: 'busy' });
  });

  it('expires past its deadline, and a held one does not', () => {
    expect(nextOperation(first('queued', { deadlineMs: NOW_MS - 1 }), NOW_MS)).toEqual({ move: 'expire', key: '1' });
    expect(nextOperation(first('queued', { deadlineMs: NOW_MS }), NOW_MS)).toEqual({ move: 'send', key: '1' });
    expect(nextOperation(first('held', { deadlineMs: NOW_MS - 1 }), NOW_MS)).toEqual({ move: 'idle' });
  });
});

describe('a create whose order may exist', () => {
  const content = { scac: 'DEMO', body: '{"orderRef":"R1"}' };

  it('is sent when there is none', () => expect(beforeCreate(content, null)).toBe('send'));

  it('repeats an order of the same content', () => expect(beforeCreate(content, { ...content })).toBe('duplicate'));

  it('repeats one that was made before it was agreed whose it is, or behind that', () => {
    const paired = { ...content, body: '{"orderRef":"R1","partnerId":"P","clientId":"C"}' };
    expect(beforeCreate(paired, content)).toBe('duplicate');
    expect(beforeCreate(content, paired)).toBe('duplicate');
    expect(beforeCreate(paired, { ...content, body: paired.body.replace('"P"', '"Q"') })).toBe('order_exists');
  });

  it.each([
    ['another body', { ...content, body: '{"orderRef":"R1","note":"x"}' }],
    ['another SCAC', { ...content, scac: 'ACME' }],
  ])('is not sent over an order with %s', (_what, existing) => {
    expect(beforeCreate(content, existing)).toBe('order_exists');
  });
});

describe('an update that may have been applied', () => {
  it('is held, not given up, when its deadline leaves no time for another try', () => {
    const observation = answered(500);
    const sent = { seen: classify(observation, NOW_MS), observation };
    const afterUpdate = (deadlineMs: number) =>
      afterChange({ ...FRESH, deadlineMs }, sent, { does: 'update', mayBeYoung: false }, clockAt(NOW_MS), () => 0.5);
    expect(afterUpdate(NOW_MS)).toMatchObject({ step: { state: 'held', reason: 'exhausted' }, hadUnknown: true });
    expect(afterUpdate(NOW_MS + HOUR_MS).step.state).toBe('unknown');
  });
});

describe('a cancel that meets nothing', () => {
  const taken = (status: number, past: Partial<Past>, mayBeYoung: boolean) => {
    const observation = answered(status);
    const seen = { seen: classify(observation, NOW_MS), observation };
    const of = { does: 'cancel', mayBeYoung } as const;
    return afterChange({ ...FRESH, ...past }, seen, of, clockAt(NOW_MS), () => 0.5);
  };
  const met = (...of: Parameters<typeof taken>) => taken(...of).step.state;

  it('counts the try that met nothing', () => {
    expect(taken(410, { hadUnknown: true, tries: 2 }, false)).toMatchObject({ tries: 3, hadUnknown: true });
  });

  it('says why it waits, and that it was given up where no time is left', () => {
    expect(taken(404, {}, true).step).toMatchObject({ state: 'waiting', reason: 'order_unknown_upstream' });
    expect(taken(404, { hadUnknown: true }, true).step).toMatchObject({
      state: 'unknown',
      reason: 'order_unknown_upstream',
    });
    expect(taken(404, { deadlineMs: NOW_MS }, true).step).toEqual({
      state: 'dead',
      outcome: 'not_applied',
      reason: 'deadline',
    });
  });

  it('was done by an earlier try that nobody heard of', () => {
    expect([met(404, { hadUnknown: true }, false), met(410, { hadUnknown: true }, false)]).toEqual([
      'delivered',
      'delivered',
    ]);
  });

  it('waits while its order may not be known there yet: an earlier try may have met nothing either', () => {
    expect([met(404, { hadUnknown: true }, true), met(404, {}, true)]).toEqual(['unknown', 'waiting']);
    expect(met(410, { hadUnknown: true }, true)).toBe('delivered');
  });

  it('is refused where no try can have cancelled it', () => expect(met(404, {}, false)).toBe('rejected'));
});
