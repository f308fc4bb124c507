import { describe, expect, it } from 'vitest';
import { classifyAnswer } from '../../../src/fleet/answer.ts';
import { DETAIL_CHARACTERS_MAX, FLEET_DEPTH_MAX } from '../../../src/fleet/limits.ts';
import type { FleetQuestion } from '../../../src/fleet/question.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { answered, VEHICLE } from './samples.ts';

const LIST: FleetQuestion = { of: 'vehicles', filters: {} };
const HISTORY: FleetQuestion = { of: 'serviceHistory', filters: {} };
const PLACE: FleetQuestion = { of: 'location', locationNumber: '1001' };
const PLACES: FleetQuestion = { of: 'locations', filters: {} };
const judged = (question: FleetQuestion, ...answer: Parameters<typeof answered>) =>
  classifyAnswer(question, answered(...answer), NOW_MS);

describe('an answer that says what was asked', () => {
  it.each([
    [VEHICLE, '{"vehicleNumber":"1"}', [{ vehicleNumber: '1' }]],
    [PLACE, '{"locationNumber":"1"}', [{ locationNumber: '1' }]],
    [LIST, '{"vehicles":[{"a":1},{}],"more":true}', [{ a: 1 }, {}]],
    [HISTORY, '{"serviceHistory":[]}', []],
    [PLACES, '{"locations":[{"a":1}]}', [{ a: 1 }]],
  ])('is read: %j', (question, body, items) => {
    expect(judged(question, 200, body)).toEqual({ outcome: 'read', items });
  });

  it('says that there is none with 404, of one vehicle or location alone', () => {
    expect(judged(VEHICLE, 404, 'x')).toEqual({ outcome: 'read', items: null });
    expect(judged(PLACE, 404, 'x')).toEqual({ outcome: 'read', items: null });
    expect(judged(LIST, 404, 'x')).toMatchObject({ trouble: { code: 'fleet_refused', status: 404 } });
  });
});

describe('an answer that is not what is documented', () => {
  it.each([
    [LIST, ''],
    [LIST, 'null'],
    [LIST, '[{"vehicleNumber":"1"}]'],
    [LIST, '{"locations":[]}'],
    [LIST, '{"vehicles":{"a":1}}'],
    [LIST, '{"vehicles":[{"a":1},"b"]}'],
    [LIST, '{"vehicles":[[]]}'],
    [LIST, '{"vehicles":[null]}'],
    [VEHICLE, '[]'],
    [VEHICLE, '"text"'],
    [VEHICLE, '<html></html>'],
  ])('is unreadable, whole: %j %s', (question, body) => {
    const trouble = { code: 'fleet_unreadable', api: 'fleet', status: 200 };
    expect(judged(question, 200, body)).toMatchObject({ outcome: 'trouble', trouble });
  });

  it('is unreadable where it is nested without end', () => {
    const nested = (levels: number): string => `{"vehicles":[${'{"d":'.repeat(levels)}1${'}'.repeat(levels)}]}`;
    expect(judged(LIST, 200, nested(FLEET_DEPTH_MAX - 2))).toMatchObject({ outcome: 'read' });
    for (const levels of [FLEET_DEPTH_MAX - 1, 1_000_000]) {
      expect(judged(LIST, 200, nested(levels))).toMatchObject({ trouble: { code: 'fleet_unreadable' } });
    }
  });

  it('or too large to be read is unreadable, and one that broke off may come whole another time', () => {
    expect(judged(VEHICLE, 200, '{}', { bodyEnd: 'capped' })).toMatchObject({ trouble: { code: 'fleet_unreadable' } });
    expect(judged(VEHICLE, 200, '{}', { bodyEnd: 'cut' })).toMatchObject({ trouble: { code: 'fleet_down' } });
  });
});

describe('what stands in the way', () => {
  it.each([
    [400, 'fleet_refused'],
    [401, 'fleet_refused'],
    [403, 'fleet_refused'],
    [422, 'fleet_refused'],
    [302, 'fleet_down'],
    [408, 'fleet_down'],
    [429, 'fleet_down'],
    [500, 'fleet_down'],
    [503, 'fleet_down'],
  ])('is told by its status and the head of what was said: %i', (status, code) => {
    const trouble = { code, api: 'locations', status, detail: 'said', retryAfterMs: null };
    expect(judged(PLACES, status, 'said')).toEqual({ outcome: 'trouble', trouble });
    const long = judged(PLACES, status, 'x'.repeat(DETAIL_CHARACTERS_MAX + 1));
    expect(long).toMatchObject({ trouble: { detail: 'x'.repeat(DETAIL_CHARACTERS_MAX) } });
  });

  it('is no refusal where a token was refused and no new one can be had: nothing is known of the credentials', () => {
    const trouble = { code: 'fleet_down', status: null, detail: 'no_token: token_refused: status 500' };
    expect(judged(VEHICLE, 401, '', { notRenewed: 'token_refused: status 500' })).toMatchObject({ trouble });
  });

  it.each([429, 503])('says when to come again where it was said: %i', (status) => {
    expect(judged(VEHICLE, status, '', { headers: { 'retry-after': '7' } })).toMatchObject({
      trouble: { code: 'fleet_down', retryAfterMs: 7_000 },
    });
  });

  it('is told of each API by its name', () => {
    const apis = [LIST, VEHICLE, HISTORY, PLACES, PLACE].map((question) => judged(question, 500, ''));
    expect(apis).toMatchObject(
      ['fleet', 'fleet', 'fleet', 'locations', 'locations'].map((api) => ({ trouble: { api } })),
    );
  });

  it.each([
    { outcome: 'no_answer', code: 'timeout', detail: 'no headers', latencyMs: 1 },
    { outcome: 'not_sent', code: 'no_token', detail: 'token_refused' },
  ] as const)('has no status where nobody answered: %j', (observed) => {
    expect(classifyAnswer(VEHICLE, observed, NOW_MS)).toEqual({
      outcome: 'trouble',
      trouble: {
        code: 'fleet_down',
        api: 'fleet',
        status: null,
        detail: `${observed.code}: ${observed.detail}`,
        retryAfterMs: null,
      },
    });
  });
});
