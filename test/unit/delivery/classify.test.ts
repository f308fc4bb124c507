/** The rows of the classification table, one by one, and then every status there is. Milestones only: the other kinds join later. */
import { describe, expect, it } from 'vitest';
import { type AttemptClass, classify } from '../../../src/delivery/classify.ts';
import type { Observation } from '../../../src/upstream/answer.ts';
import { answered, NOW_MS, noAnswer, notSent, retryAfter } from './samples.ts';

const classOf = (observed: Observation): AttemptClass => classify(observed, NOW_MS);
const statuses = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('2xx, body whole and as expected', () => {
  it.each([200, 201, 202, 204, 226, 299])('%d is applied', (status) => {
    expect(classOf(answered(status, { body: '{"id":"1"}' }))).toEqual({ effect: 'applied' });
  });
});

describe('2xx, body cut, not JSON, or no id', () => {
  it.each<[string, Observation]>([
    ['a cut body', answered(200, { body: '{"id":', bodyEnd: 'cut' })],
    ['a body longer than is kept', answered(200, { body: '{"id":', bodyEnd: 'capped' })],
    ['a page of HTML', answered(200, { body: '<html>ok</html>', headers: { 'content-type': 'text/html' } })],
    ['no body', answered(200)],
  ])('%s is applied all the same', (_what, observed) => {
    expect(classOf(observed)).toEqual({ effect: 'applied' });
  });
});

describe('3xx', () => {
  it.each([300, 301, 302, 303, 304, 307, 308, 399])('%d is redirected: recorded, not followed', (status) => {
    const headers = { 'location-host': 'elsewhere.example' };
    expect(classOf(answered(status, { headers }))).toEqual({ effect: 'redirected' });
  });
});

describe('every 4xx not named below; 409 off create', () => {
  it.each([400, 402, 404, 405, 406, 409, 410, 411, 413, 415, 418, 422, 431, 451, 499])('%d is refused', (status) => {
    expect(classOf(answered(status))).toEqual({ effect: 'refused' });
  });

  it('stays refused when the answer names a Retry-After: the same again cannot help', () => {
    expect(classOf(answered(400, retryAfter('30')))).toEqual({ effect: 'refused' });
  });
});

describe('401 407', () => {
  it.each([401, 407])('%d blames the channel: an expired key must not reject rows', (status) => {
    expect(classOf(answered(status))).toEqual({ effect: 'channel', reason: 'credentials_refused' });
  });

  it('401 says that no token can be had where that is why it stands: nothing is known of the credentials', () => {
    const observed = answered(401, { ...retryAfter('120'), notRenewed: 'token_unreachable: timeout' });
    expect(classOf(observed)).toEqual({ effect: 'channel', reason: 'no_token', retryAfterMs: 120_000 });
  });

  it.each([401, 407])('%d names the wait that a Retry-After asks for', (status) => {
    const wait = { effect: 'channel', reason: 'credentials_refused', retryAfterMs: 120_000 };
    expect(classOf(answered(status, retryAfter('120')))).toEqual(wait);
  });
});

describe('403', () => {
  it('blames the SCAC on this channel', () => {
    expect(classOf(answered(403))).toEqual({ effect: 'channel', reason: 'scac_refused' });
  });

  it('names the wait that a Retry-After asks for', () => {
    const wait = { effect: 'channel', reason: 'scac_refused', retryAfterMs: 120_000 };
    expect(classOf(answered(403, retryAfter('120')))).toEqual(wait);
  });
});

describe('408 421 425 429; 503 with Retry-After', () => {
  it.each([408, 421, 425, 429])('%d is not applied', (status) => {
    expect(classOf(answered(status))).toEqual({ effect: 'not_applied' });
  });

  it.each([408, 421, 425, 429, 503])('%d with Retry-After is not applied and names the wait', (status) => {
    expect(classOf(answered(status, retryAfter('120')))).toEqual({ effect: 'not_applied', retryAfterMs: 120_000 });
  });

  it.each([429, 503])('%d with an unreadable Retry-After is not applied, and the schedule decides when', (status) => {
    expect(classOf(answered(status, retryAfter('garbage')))).toEqual({ effect: 'not_applied' });
  });

  it('reads a Retry-After date against the clock', () => {
    const at = new Date(NOW_MS + 90_000).toUTCString();
    expect(classOf(answered(503, retryAfter(at)))).toEqual({ effect: 'not_applied', retryAfterMs: 90_000 });
  });
});

describe('other 5xx; any thrown fetch; timeout before headers; malformed HTTP', () => {
  it.each([500, 501, 502, 503, 504, 505, 507, 511, 520, 599])('%d is unknown', (status) => {
    expect(classOf(answered(status))).toEqual({ effect: 'unknown' });
  });

  it.each([500, 502, 504, 599])('%d names the wait that a Retry-After asks for', (status) => {
    expect(classOf(answered(status, retryAfter('120')))).toEqual({ effect: 'unknown', retryAfterMs: 120_000 });
    expect(classOf(answered(status, retryAfter('garbage')))).toEqual({ effect: 'unknown' });
  });

  it.each(['network', 'timeout'] as const)(
    'no answer because of %s is unknown: a throw never proves "not sent"',
    (code) => {
      expect(classOf(noAnswer(code))).toEqual({ effect: 'unknown' });
    },
  );

  it.each([500, 502])('%d with a cut body is unknown', (status) => {
    expect(classOf(answered(status, { bodyEnd: 'cut' }))).toMatchObject({ effect: 'unknown' });
  });
});

describe('token fetch failed, call not composed', () => {
  it('is not sent, and may be sent later, without a token', () => {
    expect(classOf(notSent('no_token'))).toEqual({ effect: 'not_sent', retry: true });
  });

  it('is not sent, and never can be, when no request could be composed', () => {
    expect(classOf(notSent('not_composed'))).toEqual({ effect: 'not_sent', retry: false });
  });
});

describe('every status from 100 to 599', () => {
  /** The table once more, as sets, so that a change of either is noticed. */
  function wanted(status: number, hasRetryAfter: boolean): AttemptClass['effect'] {
    if (status >= 200 && status <= 299) return 'applied';
    if (status >= 300 && status <= 399) return 'redirected';
    if ([401, 403, 407].includes(status)) return 'channel';
    if ([408, 421, 425, 429].includes(status) || (status === 503 && hasRetryAfter)) return 'not_applied';
    if (status >= 400 && status <= 499) return 'refused';
    return 'unknown';
  }

  it.each([
    ['without Retry-After', undefined],
    ['with Retry-After', '10'],
    ['with an empty Retry-After', ''],
    ['with an unreadable Retry-After', 'soon'],
  ])('has its class %s', (_what, text) => {
    const headers: Record<string, string> = text === undefined ? {} : { 'retry-after': text };
    const wrong = statuses(100, 599).filter(
      (status) => classOf(answered(status, { headers })).effect !== wanted(status, text !== undefined),
    );
    expect(wrong).toEqual([]);
  });

  it('has the same class whatever the body is and however it ended', () => {
    for (const bodyEnd of ['whole', 'capped', 'cut'] as const) {
      const changed = statuses(100, 599).filter(
        (status) => classOf(answered(status, { bodyEnd, body: '\0{' })).effect !== classOf(answered(status)).effect,
      );
      expect(changed).toEqual([]);
    }
  });
});
