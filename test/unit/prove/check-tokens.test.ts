/** Every check of short-lived tokens is seen to fail on a violation planted in evidence that is otherwise whole. */

import { describe, expect, it } from 'vitest';
import { sendingsOf } from '../../../scripts/invariants/evidence.ts';
import {
  countMints,
  type SeenCall,
  type TokenEvidence,
  tokenIn,
  tokenViolations,
} from '../../../scripts/invariants/tokens.ts';
import { anAttempt, aStoredRequest, said } from '../kill/stored-samples.ts';

type Evidence = { -readonly [Part in keyof TokenEvidence]: TokenEvidence[Part] };

const tokenOf = (number: number): string => String(number).repeat(16);
const entry = (seq: number, receivedAtMs: number, body: string, status = 200) => ({
  seq,
  receivedAtMs,
  path: '/test/rcsc/events/v1/loads/milestone-requests',
  body,
  status,
  applied: status === 200,
});

/** Three tokens of 10 s: the second came by age, the third because the second was refused. */
function evidence(): Evidence {
  const sent: [body: string, token: number, receivedAtMs: number, status: number][] = [
    ['a', 1, 1_100, 200],
    ['b', 2, 9_200, 200],
    ['c', 2, 9_300, 401],
    ['d', 2, 9_350, 401],
    ['c', 3, 9_500, 200],
    ['d', 3, 9_550, 200],
  ];
  const calls = sent.map(([body, token, receivedAtMs, status], index) => ({
    ...entry(index + 1, receivedAtMs, body, status),
    token: tokenOf(token),
  }));
  return {
    lifeMs: 10_000,
    mints: [1_000, 9_000, 9_400].map((receivedAtMs, index) => entry(100 + index, receivedAtMs, '')),
    calls,
    sendings: ['a', 'b', 'c', 'd'].flatMap((body, index) =>
      sendingsOf({
        requests: [
          aStoredRequest({
            record: index + 1,
            body,
            attempts: calls
              .filter((call) => call.body === body)
              .map((call) =>
                anAttempt(body, { startedAtMs: call.receivedAtMs - 5, tokenFingerprint: call.token.slice(0, 12) }),
              ),
          }),
        ],
        sets: [],
      }),
    ),
    rowsUploaded: 4,
    summary: { state: 'settled', rows: 4, rowStates: { delivered: 4 } } as TokenEvidence['summary'],
  };
}

const at = <T>(list: readonly T[], index: number): T => list[index] as T;
const callOf = (found: Evidence, index: number): SeenCall => at(found.calls, index);

const PLANTED: [what: string, plant: (found: Evidence) => void, sentence: RegExp][] = [
  [
    'a rejected row',
    (found) => {
      found.summary.rowStates = { delivered: 3, rejected: 1 };
    },
    /settled with 4 of 4 rows: .*"rejected":1/,
  ],
  [
    'a batch that did not end',
    (found) => {
      found.summary.state = 'delivering';
    },
    /the batch is delivering/,
  ],
  [
    'two tokens for one renewal',
    (found) => {
      found.mints = [...found.mints.slice(0, 2), entry(101, 9_010, ''), at(found.mints, 2)];
    },
    /4 tokens were minted, 3 were used/,
  ],
  [
    'a token that was renewed too early',
    (found) => {
      at(found.mints, 1).receivedAtMs = 8_999;
    },
    /journal 101 minted a token 7999 ms after the one before, which nobody had refused/,
  ],
  [
    'a token that was renewed before it was refused',
    (found) => {
      at(found.mints, 2).receivedAtMs = 9_299;
    },
    /journal 102 minted a token 299 ms after/,
  ],
  [
    'a token used before it was asked for',
    (found) => {
      at(found.mints, 0).receivedAtMs = 1_101;
    },
    /journal 1 carried token 1 before it was asked for/,
  ],
  [
    'a request without a token',
    (found) => {
      callOf(found, 0).token = null;
    },
    /journal 1 carried no token/,
  ],
  [
    'an intent that names another token',
    (found) => {
      at(at(found.sendings, 1).attempts, 0).tokenFingerprint = 'abc';
    },
    /intents name the tokens abc, sent were 222222222222: b/,
  ],
  [
    'a request without an intent',
    (found) => {
      found.sendings = found.sendings.slice(1);
    },
    /1 requests, 0 intents: a/,
  ],
  [
    'a refused request that was not sent again',
    (found) => {
      found.calls = found.calls.filter((call) => call.seq !== 5);
    },
    /answered 401 with 1 tokens: c/,
  ],
  [
    'a refused request that was sent again with the same token',
    (found) => {
      callOf(found, 4).token = tokenOf(2);
    },
    /answered 401 200 with 1 tokens: c/,
  ],
  [
    'a request that was sent twice though nobody refused it',
    (found) => {
      found.calls = [...found.calls, { ...callOf(found, 0), seq: 9 }];
    },
    /answered 200 200 with 1 tokens: a/,
  ],
  [
    'a delivery that was not applied',
    (found) => {
      callOf(found, 1).applied = false;
    },
    /answered 200 with 1 tokens: b/,
  ],
];

describe('tokens that live shortly', () => {
  it('are found well kept when everything held, and counted by why they were minted', () => {
    expect(tokenViolations(evidence())).toEqual([]);
    expect(countMints(evidence())).toEqual({ first: 1, byAge: 1, afterRefusal: 1, early: 0 });
  });

  it.each(PLANTED)('are seen to have %s', (_, plant, sentence) => {
    const found = evidence();
    plant(found);
    expect(said(tokenViolations(found)).join('\n')).toMatch(sentence);
  });

  it('are known by the fingerprint the receiving system shows', () => {
    expect(tokenIn({ authorization: 'Bearer sha256:0123456789abcdef' })).toBe('0123456789abcdef');
    expect(tokenIn({ authorization: 'Basic sha256:0123456789abcdef' })).toBeNull();
    expect(tokenIn({})).toBeNull();
  });
});
