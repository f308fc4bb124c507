import { describe, expect, it } from 'vitest';
import {
  type Arrival,
  type Sending,
  type StoredSubject,
  seenAt,
  sendingsOf,
} from '../../../scripts/invariants/evidence.ts';
import { intentsNameWhatTheyCarry, noOrphanBodies } from '../../../scripts/invariants/sendings.ts';
import { anAttempt, aStoredRequest, said } from './stored-samples.ts';

const SET = '{"traces":[1,2]}';

/** A milestone, a set of two points and a point that waits. */
const load = (): StoredSubject => ({
  requests: [
    aStoredRequest({ record: 1, body: 'm', attempts: [anAttempt('m')] }),
    aStoredRequest({ record: 2, lane: 'traces', intoSeq: 3, state: 'coalesced' }),
    aStoredRequest({ record: 3, lane: 'traces', intoSeq: 3, attempts: [anAttempt(SET, { carries: [3, 2] })] }),
    aStoredRequest({ record: 4, lane: 'traces', state: 'queued' }),
  ],
  sets: [{ lead: 3, points: 2, body: SET }],
});

const seen = (body: string, receivedAtMs = 2_000): Arrival => ({
  seq: 1,
  receivedAtMs,
  path: '/test/rcsc/events/v1/loads/trace-requests',
  body,
  applied: true,
  status: 200,
});

it('reads what may leave a load: its milestones, and its sets with the points they carry', () => {
  const sendings = sendingsOf(load());
  expect(sendings.map(({ lane, body, carries }) => [lane, body, carries.map(({ seq }) => seq)])).toEqual([
    ['milestones', 'm', [1]],
    ['traces', SET, [2, 3]],
  ]);
  expect(sendings.map(({ attempts }) => attempts.length)).toEqual([1, 1]);
});

it('finds in a journal what went to one endpoint', () => {
  const journal = [seen('a'), { ...seen('b'), path: '/test/rcsc/events/v1/loads/milestone-requests' }];
  expect(seenAt(journal, 'trace').map(({ body }) => body)).toEqual(['a']);
  expect(seenAt(journal, 'milestone').map(({ body }) => body)).toEqual(['b']);
});

describe('requests without an intent', () => {
  const sendings = sendingsOf(load());

  it('are none where each came after its intent', () => {
    expect(noOrphanBodies([seen('m'), seen(SET)], sendings)).toEqual([]);
  });

  it.each([
    ['a body nobody stored', [seen('x')], /1 requests, 0 intents/],
    ['a second sending of one intent', [seen(SET), seen(SET)], /2 requests, 1 intents/],
    ['an intent that came later', [seen(SET, 999)], /before its intent was stored/],
  ])('are found: %s', (_, journal, sentence) => {
    expect(said(noOrphanBodies(journal, sendings))).toEqual([expect.stringMatching(sentence)]);
  });
});

describe('what intents name', () => {
  it('is what travels', () => {
    expect(intentsNameWhatTheyCarry(sendingsOf(load()))).toEqual([]);
  });

  const planted = (change: (sending: Sending) => void): string[] => {
    const sendings = sendingsOf(load());
    const [, set] = sendings;
    if (set) change(set);
    return said(intentsNameWhatTheyCarry(sendings));
  };

  it('is wrong when other bytes were sent', () => {
    expect(planted((set) => set.attempts.push(anAttempt('other', { carries: [2, 3] })))).toEqual([
      'b_1/2/1 was attempted with other bytes',
    ]);
  });

  it('is wrong when a point is not named, or one too many', () => {
    expect(planted((set) => set.attempts.push(anAttempt(SET, { carries: [3] })))).toEqual([
      'an intent of b_1/2/1 names 1 requests, 2 travel in it',
    ]);
    expect(planted((set) => set.carries.splice(0, 1))).toEqual([
      'an intent of b_1/3/1 names 2 requests, 1 travel in it',
    ]);
    expect(planted((set) => set.carries.splice(0))).toEqual([expect.stringContaining('carries nothing')]);
  });
});
