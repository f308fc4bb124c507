/** What is stored of an attempt and what its batch is told, from what was seen. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/delivery/classify.ts';
import { ANSWER_HEAD_CHARACTERS_MAX } from '../../../src/kernel/limits.ts';
import type { StoredRequest } from '../../../src/tracking/request.ts';
import {
  anomaliesIn,
  attemptRow,
  decidedRow,
  deferredReason,
  givenUp,
  outcomeOf,
  pastOf,
  seenIn,
} from '../../../src/tracking/store/subject-rows.ts';
import type { Deferred } from '../../../src/upstream/permits.ts';
import { answered, NOW_MS, noAnswer } from '../delivery/samples.ts';
import { aTaken, loadStored } from './samples.ts';

function stored(more: Partial<StoredRequest> = {}): StoredRequest {
  const { store } = loadStored();
  store.commit(() => store.add([aTaken(1)]));
  return { ...store.bySeq(1), ...more };
}

describe('the past of a request', () => {
  it('is that nothing was tried, at first', () => {
    expect(pastOf(stored())).toMatchObject({ tries: 0, hadUnknown: false, attempted: false, holdsUnclear: false });
  });

  it('is that it was tried, where it was sent or travelled in a request that may have arrived', () => {
    expect(pastOf(stored({ attempts: 1 }))).toMatchObject({ attempted: true, hadUnknown: false });
    expect(pastOf(stored({ had_unknown: 1 }))).toMatchObject({ attempted: true, hadUnknown: true });
  });

  it('decides what a request that is given up may have done', () => {
    expect(givenUp(stored(), 'channel_missing').step).toMatchObject({ state: 'dead', outcome: 'not_applied' });
    expect(givenUp(stored({ had_unknown: 1 }), 'channel_missing').step).toMatchObject({ outcome: 'unknown' });
  });
});

describe('what is seen', () => {
  const seen = (observed: Parameters<typeof seenIn>[0]) => seenIn(observed, classify(observed, NOW_MS));

  it('is the head of the answer, and its status', () => {
    const body = 'x'.repeat(ANSWER_HEAD_CHARACTERS_MAX + 1);
    expect(seen(answered(422, { body: 'no' }))).toMatchObject({ status: 422, answer: 'no' });
    expect(seen(answered(422, { body })).answer.length).toBeLessThanOrEqual(ANSWER_HEAD_CHARACTERS_MAX);
  });

  it('is what happened instead, where nothing was answered', () => {
    expect(seen(noAnswer('timeout'))).toMatchObject({ status: null, answer: 'timeout: connection lost' });
  });

  it('of a probe costs the request no try, unless it ends it', () => {
    const waits = { tries: 5, hadUnknown: true, step: { state: 'waiting', atMs: NOW_MS } } as const;
    const ends = { tries: 5, hadUnknown: false, step: { state: 'rejected' } } as const;
    const about = { status: 500, answer: '' };
    const rowOf = (taken: Parameters<typeof decidedRow>[1], isProbe: boolean) =>
      decidedRow(stored({ tries: 4 }), taken, { ...about, isProbe }, NOW_MS);
    expect([rowOf(waits, true).tries, rowOf(waits, false).tries, rowOf(ends, true).tries]).toEqual([4, 5, 5]);
    expect(rowOf(waits, true)).toMatchObject({ had_unknown: 1, at_ms: NOW_MS, evidence: null, outcome: null });
    expect(rowOf({ ...ends, step: { state: 'delivered' } }, false)).toMatchObject({ evidence: 'answer', at_ms: null });
  });
});

describe('what is stored of an attempt', () => {
  it('is the whole answer', () => {
    const observed = answered(422, { body: 'no', headers: { 'retry-after': '5' } });
    if (observed.outcome === 'not_sent') throw new Error('it was sent');
    expect(attemptRow(1, observed, 'not_applied')).toEqual({
      ...{ seq: 1, effect: 'not_applied', status: 422, headers: '{"retry-after":"5"}', body: 'no', body_end: 'whole' },
      ...{ body_encoding: 'utf-8', detail: null, latency_ms: 12 },
    });
  });

  it('is what happened instead, and how long that took, where none came', () => {
    const observed = noAnswer('timeout');
    if (observed.outcome === 'not_sent') throw new Error('it was sent');
    expect(attemptRow(1, observed, 'unknown')).toEqual({
      ...{ seq: 1, effect: 'unknown', status: null, headers: null, body: null, body_end: null, body_encoding: null },
      ...{ detail: 'timeout: connection lost', latency_ms: 12 },
    });
  });
});

it('what a person reads of a request that the gate lets wait is what stops it, and nothing of a matter of moments', () => {
  const reasons = (['channel', 'partner', 'auth', 'scac', 'rate', 'gate'] as Deferred['why'][]).map(deferredReason);
  expect(reasons).toEqual(['upstream_unwell', 'upstream_unwell', 'credentials_refused', 'scac_refused', null, null]);
});

describe('the outcome that a batch is told', () => {
  it('is that of the request itself', () => {
    const row = stored({ state: 'rejected', status: 422, answer: 'no', attempts: 2, possible_duplicate: 1 });
    expect(outcomeOf(row, null)).toMatchObject({
      ...{ record: 1, request: 1, generation: 1, state: 'rejected', status: 422, answer: 'no', attempts: 2 },
      ...{ possibleDuplicate: true, late: false, into: null, intoState: null, diff: null },
    });
    expect(outcomeOf(row, null)).not.toHaveProperty('surprises');
  });

  it('is that of the request it travels in, and names it', () => {
    const into = stored({ record: 7, state: 'delivered', status: 201, answer: 'yes', evidence: 'answer', late: 1 });
    expect(outcomeOf(stored({ state: 'coalesced', into_seq: 9 }), into)).toMatchObject({
      ...{ record: 1, state: 'coalesced', status: 201, answer: 'yes', evidence: 'answer', late: true },
      ...{ into: { batchId: 'b_1', record: 7, request: 1 }, intoState: 'delivered' },
    });
  });

  it('of one that repeats another is its own, and names that other', () => {
    const into = stored({ record: 7, state: 'delivered', status: 201, answer: 'yes' });
    expect(outcomeOf(stored({ state: 'duplicate', into_seq: 9 }), into)).toMatchObject({
      ...{ state: 'duplicate', status: null, answer: '', intoState: 'delivered' },
    });
  });

  it('tells what an update changes', () => {
    const diff = [{ path: 'shipperCode', before: 'A', after: 'B' }];
    expect(outcomeOf(stored({ diff: JSON.stringify(diff) }), null).diff).toEqual(diff);
  });

  it('tells what was odd about it, as it was noted', () => {
    const odd = [{ kind: 'stops', event: { what: 'X1' }, known: [1, 2] }];
    expect(outcomeOf(stored({ surprises: JSON.stringify(odd) }), null).surprises).toEqual(odd);
    expect([anomaliesIn(JSON.stringify(odd)), anomaliesIn(null)]).toEqual([odd, []]);
  });
});

it('what its lane needs to know of a request says whether it waits for one that says the same, and whether others pass it', () => {
  const { store } = loadStored();
  store.commit(() => store.add([aTaken(1), aTaken(2)]));
  const row = store.bySeq(2);
  expect(store.laneRequest(row)).toMatchObject({ key: '2', awaitsEqual: false, isStrict: false });
  expect(store.laneRequest({ ...row, awaits_seq: 1 })).toMatchObject({ awaitsEqual: true, isStrict: false });
  expect(store.laneRequest({ ...row, strict: 1 })).toMatchObject({ awaitsEqual: false, isStrict: true });
});
