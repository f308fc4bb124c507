/** An answer that says that the load is not known: exactly the declared one, and nothing like it. */
import { describe, expect, it } from 'vitest';
import { classificationOf, classify } from '../../../src/delivery/classify.ts';
import { isHalved } from '../../../src/delivery/events/traces.ts';
import { answered, NOW_MS } from './samples.ts';

const body = JSON.stringify({ error: { code: 'load_unknown', message: 'There is no load L1.', fields: [] } });
const classOf = (...answer: Parameters<typeof answered>) => classify(answered(...answer), NOW_MS);

describe('an answer that says that the load is not known', () => {
  it('is a refusal that may not last', () => {
    expect(classOf(404, { body })).toEqual({ effect: 'refused', loadUnknown: true });
  });

  it('says nothing against the channel', () => {
    const observed = answered(404, { body });
    expect(classificationOf(observed, classify(observed, NOW_MS))).toBe('passed');
  });

  it('is about the load: a set of its positions is not halved for it', () => {
    expect(isHalved(classOf(404, { body }), 8)).toBe(false);
    expect(isHalved(classOf(404), 8)).toBe(true);
  });

  it.each<[string, ...Parameters<typeof answered>]>([
    ['another status', 400, { body }],
    ['another code', 404, { body: body.replace('load_unknown', 'path_unknown') }],
    ['a code that only begins so', 404, { body: body.replace('load_unknown', 'load_unknown_state') }],
    ['the word elsewhere', 404, { body: '{"error":{"message":"load_unknown"},"code":"load_unknown"}' }],
    ['no JSON', 404, { body: 'load_unknown' }],
    ['no object', 404, { body: '["load_unknown"]' }],
    ['no body', 404],
    ['a body that was cut', 404, { body, bodyEnd: 'cut' }],
    ['a body longer than is kept', 404, { body, bodyEnd: 'capped' }],
  ])('is not taken from %s', (_what, status, more) => {
    expect(classOf(status, more)).toEqual({ effect: 'refused' });
  });

  it('is not read where the request was taken', () => {
    expect(classOf(200, { body })).toEqual({ effect: 'applied' });
  });
});
