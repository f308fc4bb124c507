/** What an attempt says to the gate of its channel: whether the upstream works, not whether the request was right. */
import { expect, it } from 'vitest';
import { classificationOf, classify } from '../../../src/delivery/classify.ts';
import type { Observation } from '../../../src/upstream/answer.ts';
import type { BreakerSignal } from '../../../src/upstream/gate/breaker.ts';
import { answered, NOW_MS, noAnswer, notSent, retryAfter } from './samples.ts';

it.each<[what: string, observed: Observation, verdict: BreakerSignal]>([
  ['that was taken works', answered(201), 'passed'],
  ['that was refused for its own sake works too', answered(422), 'passed'],
  ['that was redirected', answered(302), 'redirected'],
  ['that was met by an error', answered(502), 'failed'],
  [
    'that was met by an error of which nothing was applied, as it names a time',
    answered(503, retryAfter('5')),
    'failed',
  ],
  ['that is to come later', answered(429, retryAfter('5')), 'busy'],
  ['that is to come later, at no named time', answered(429), 'busy'],
  ['that nobody answered', noAnswer('timeout'), 'failed'],
  ['that did not leave', notSent('no_token'), 'busy'],
  ['whose credentials were refused', answered(401), 'credentials_refused'],
  [
    'whose token was refused, and no new one could be had',
    answered(401, { notRenewed: 'token_unreachable: timeout' }),
    'failed',
  ],
  ['whose SCAC was refused', answered(403), 'scac_refused'],
])('an upstream with a request %s', (_what, observed, verdict) => {
  expect(classificationOf(observed, classify(observed, NOW_MS))).toBe(verdict);
});
