/** The rows of a subject: what is stored of a request and its attempts, and by what it is found, also after a commit that failed. */
import { describe, expect, it } from 'vitest';
import type { EnqueuedRequest, StoredAttempt, StoredRequest } from '../../../src/tracking/request.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, loadStored } from './samples.ts';

const SCOPE = { environment: 'test', partner: 'acme' } as const;
const NOTHING = { status: null, headers: null, body: null, body_end: null, body_encoding: null, detail: null } as const;
type Purpose = StoredAttempt['purpose'];

function aLoad(...requests: Partial<EnqueuedRequest>[]) {
  const { sql, tables, store } = loadStored();
  store.commit(() => store.add(requests.map((more, index) => aTaken(index + 1, more))));
  const begin = (
    seq: number,
    purpose: Purpose = 'send',
    more: Partial<Parameters<typeof store.beginAttempt>[0]> = {},
  ) =>
    store.beginAttempt({
      ...{ seq, purpose, startedAtMs: NOW_MS, requestSha256: 'h', tokenFingerprint: 'f', carries: null },
      ...{ possibleDuplicate: false, late: false },
      ...more,
    });
  return {
    ...{ sql, tables, store },
    begin: (...intent: Parameters<typeof begin>) => store.commit(() => begin(...intent)),
    ends: (seq: number) => store.commit(() => store.endAttempt({ ...NOTHING, seq, effect: 'applied', latency_ms: 5 })),
    becomes: (seq: number, to: Partial<StoredRequest>) => store.commit(() => void tables.request.patch(seq, to)),
    /** What is done in a commit that fails. */
    fails: (run: () => void) =>
      expect(() =>
        store.commit(() => {
          run();
          throw new Error('planned');
        }),
      ).toThrow('planned'),
    beginIn: begin,
    untold: (batchId = 'b_1', limit = 9) => store.unreported(batchId, limit).map(({ seq }) => seq),
  };
}

describe('a subject', () => {
  it('is who it was first said to be', () => {
    const { store } = aLoad();
    expect(store.identity()).toBeUndefined();
    for (const partner of ['acme', 'other']) store.commit(() => store.identify({ ...SCOPE, partner }));
    expect(store.identity()).toEqual(SCOPE);
    expect(store.identity()).toBe(store.identity()); // it is read once
  });
});

describe('a request', () => {
  const FRESH = {
    ...{ seq: 1, key: 'b_1/1/1', lane: 'milestones', batch_id: 'b_1', record: 1, request: 1, generation: 1 },
    ...{ kind: 'milestone', scac: 'DEMO', channel: 'main', body: '{"record":1}', live: 0, forced: 0 },
    ...{ business_key: null, accepted_at_ms: NOW_MS, uploaded_by: null, taken_at_ms: NOW_MS, strict: 0 },
    ...{ deadline_ms: NOW_MS + 3_600_000, hold_unclear: 0, load_wait_until_ms: null, surprise_policy: null },
    ...{ surprises: null, event_at_ms: null, state: 'queued', into_seq: null, awaits_seq: null, reason: null },
    ...{ outcome: null, evidence: null, at_ms: null, first_tried_at_ms: null, tries: 0, attempts: 0, had_unknown: 0 },
    ...{ possible_duplicate: 0, late: 0, revision: 0, status: null, answer: '', decided_at_ms: 0, diff: null },
    action: null,
  };

  it('is stored as it came, and nothing is known of it yet', () => {
    expect(aLoad({}).store.bySeq(1)).toEqual(FRESH);
  });

  it('is stored with the rules of its mapping, and what is known of it from before', () => {
    const rules = {
      ...({ unclear: 'hold', loadWaitMs: null, laterEvents: 'wait', namesKey: false } as const),
      surprises: { inFuture: 'reject' } as const,
    };
    const came = { uploadedBy: 'k1', rules, mayHaveArrived: true, live: true, forced: true, loadWaitUntilMs: 7 };
    expect(aLoad(came).store.bySeq(1)).toEqual({
      ...{ ...FRESH, uploaded_by: 'k1', hold_unclear: 1, strict: 1, surprise_policy: '{"inFuture":"reject"}' },
      ...{ had_unknown: 1, possible_duplicate: 1, live: 1, forced: 1, load_wait_until_ms: 7 },
    });
  });

  it('comes once, also where it comes twice in one parcel', () => {
    const { store } = aLoad({});
    store.commit(() => store.add([aTaken(2), aTaken(1), aTaken(2), aTaken(3)]));
    expect([...store.all()].map(({ seq, record }) => [seq, record])).toEqual([
      ...[
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    ]);
  });

  it('that never came is a bug', () => {
    expect(() => aLoad({}).store.bySeq(2)).toThrow('no request 2');
  });

  it('is found with its generations, oldest first', () => {
    const again = { record: 1, generation: 2, key: 'b_1/1/1~2' };
    const { store } = aLoad(again, { record: 1 }, { record: 1, request: 2 });
    const found = store.generationsOf({ batchId: 'b_1', record: 1, request: 1 });
    expect(found.map(({ seq, generation }) => [seq, generation])).toEqual([
      ...[
        [2, 1],
        [1, 2],
      ],
    ]);
  });

  it('that is open is found by its lane, in the order in which it came, as many as are wanted', () => {
    const { store, becomes } = aLoad({}, { lane: 'traces' }, {}, {}, {});
    becomes(3, { state: 'delivered' });
    becomes(4, { state: 'held' });
    const keys = (limit: number) => store.open('milestones', limit).map(({ key }) => key);
    expect([keys(9), keys(2), keys(1)]).toEqual([['1', '4', '5'], ['1', '4'], ['1']]);
  });

  it('that travels or repeats is found with the one it points to', () => {
    const { store, becomes } = aLoad({}, {}, {}, {});
    for (const seq of [4, 2, 1]) becomes(seq, { into_seq: 2 });
    expect(store.pointing(2).map(({ seq }) => seq)).toEqual([1, 2, 4]);
    expect([store.travelling(2), store.travelling(3)]).toEqual([3, 1]);
    becomes(4, { into_seq: 3 });
    expect([store.pointing(2), store.pointing(3)].map((rows) => rows.map(({ seq }) => seq))).toEqual([[1, 2], [4]]);
    expect([store.leadOf(store.bySeq(4))?.seq, store.leadOf(store.bySeq(3))]).toEqual([3, null]);
  });

  it('waits for an equal one as long as that, or the set it travels in, is open', () => {
    const { store, becomes } = aLoad({}, {}, {});
    store.commit(() => store.waitFor(3, 1));
    expect(store.awaitsEqual(store.bySeq(3))).toBe(true);
    becomes(1, { state: 'coalesced', into_seq: 2 });
    expect(store.awaitsEqual(store.bySeq(3))).toBe(true);
    becomes(2, { state: 'delivered' });
    expect([2, 3].map((seq) => store.awaitsEqual(store.bySeq(seq)))).toEqual([false, false]);
  });

  it('of which an equal one may have arrived may be a repeat', () => {
    const { store } = aLoad({});
    store.commit(() => store.doubt(1));
    expect(store.bySeq(1)).toMatchObject({ had_unknown: 1, possible_duplicate: 1 });
  });
});

describe('an attempt', () => {
  it('is stored before it leaves, and ended once', () => {
    const { store, begin, ends } = aLoad({});
    begin(1, 'send', { carries: [1, 2] });
    const first = { ...NOTHING, seq: 1, attempt: 1, purpose: 'send', started_at_ms: NOW_MS, request_sha256: 'h' };
    const open = { token_fingerprint: 'f', carries: '[1,2]', effect: null, latency_ms: null };
    expect([store.attemptsOf(1), store.sending().map(({ seq }) => seq)]).toEqual([[{ ...first, ...open }], [1]]);
    expect(store.bySeq(1)).toMatchObject({ state: 'sending', attempts: 1, revision: 1, first_tried_at_ms: NOW_MS });
    ends(1);
    store.commit(() => store.endAttempt({ ...NOTHING, seq: 1, effect: 'unknown', latency_ms: 9 }));
    expect(store.attemptsOf(1)).toMatchObject([{ effect: 'applied', latency_ms: 5 }]);
  });

  it('more is counted, and keeps when it was first tried, and that it may be a repeat, or late', () => {
    const { store, begin, ends, becomes } = aLoad({});
    begin(1, 'send', { possibleDuplicate: true, late: true });
    ends(1);
    becomes(1, { state: 'waiting', reason: 'load_unknown', at_ms: 7 });
    begin(1, 'send', { startedAtMs: NOW_MS + 9 });
    expect(store.bySeq(1)).toMatchObject({
      ...{ state: 'sending', reason: null, at_ms: null, attempts: 2, revision: 2, decided_at_ms: NOW_MS + 9 },
      ...{ first_tried_at_ms: NOW_MS, possible_duplicate: 1, late: 1 },
    });
    expect(store.attemptsOf(1).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('that only looks something up leaves the request as it is, and is under way until it is answered', () => {
    const { store, begin, ends } = aLoad({}, {});
    const before = store.bySeq(1);
    begin(1, 'check');
    begin(2);
    expect([store.bySeq(1), store.lookedUp()]).toEqual([before, [1]]);
    expect([store.isLookedUp(1), store.isLookedUp(2), store.sending().length]).toEqual([true, false, 1]);
    ends(1);
    expect([store.isLookedUp(1), store.lookedUp()]).toEqual([false, []]);
  });

  it('stays in its place when an earlier one ends late', () => {
    const { store, begin, tables } = aLoad({});
    begin(1);
    begin(1, 'check');
    begin(1, 'check');
    store.commit(() => void tables.attempt.patch('1/1', { effect: 'unknown' }));
    expect(store.attemptsOf(1).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });
});

describe('whether a later one was tried', () => {
  it('is whether any behind it in its lane was', () => {
    const { store, begin } = aLoad({}, { lane: 'traces' }, {}, {});
    expect(store.laterWasTried('milestones', 1)).toBe(false);
    begin(3);
    begin(1);
    expect([1, 3, 4].map((seq) => store.laterWasTried('milestones', seq))).toEqual([true, false, false]);
    expect(store.laterWasTried('traces', 1)).toBe(false);
  });

  it.each<[boolean, Partial<EnqueuedRequest>]>([
    [true, {}],
    [true, { record: 1, batchId: 'b_2', key: 'b_2/1/1' }],
    [true, { record: 1, request: 2, key: 'b_1/1/2' }],
    [false, { lane: 'traces' }],
    [false, { record: 1, generation: 2, key: 'b_1/1/1~2' }],
  ])('of one that is sent again is whether any but itself was, since its first time: %j %j', (isOvertaken, other) => {
    const again = { record: 1, generation: 3, key: 'b_1/1/1~3' };
    const { store, begin, becomes } = aLoad({}, other, { lane: 'operations' }, again, {});
    begin(1);
    expect(store.wasOvertaken(store.bySeq(4))).toBe(false);
    begin(2);
    begin(4);
    expect(store.wasOvertaken(store.bySeq(4))).toBe(isOvertaken);
    becomes(4, { record: 9 });
    expect(store.wasOvertaken(store.bySeq(4))).toBe(false); // its first time is not known here
  });

  it('of one that is sent again is so whichever of those behind it was tried', () => {
    for (const tried of [2, 3, 4]) {
      const { store, begin } = aLoad({}, {}, {}, {}, { record: 1, generation: 2, key: 'b_1/1/1~2' });
      begin(1);
      begin(tried);
      expect([tried, store.wasOvertaken(store.bySeq(5))]).toEqual([tried, true]);
    }
  });
});

describe('what batches are told', () => {
  it('is each change of a request, until they have confirmed that very one', () => {
    const { store, untold } = aLoad({}, { batchId: 'b_2' }, {});
    store.commit(() => {
      store.renew(3, NOW_MS + 1);
      store.noteAction(1, 'done');
      store.renew(2, NOW_MS);
    });
    expect([untold(), untold('b_2'), untold('b_1', 1), store.unreportedBatches()]).toEqual([
      ...[[1, 3], [2], [1], ['b_1', 'b_2']],
    ]);
    expect(store.bySeq(1)).toMatchObject({ action: 'done', revision: 1 });
    expect(store.bySeq(3)).toMatchObject({ decided_at_ms: NOW_MS + 1, revision: 1 });
    store.commit(() => store.renew(3, NOW_MS));
    store.commit(() => store.reported([1, 3].map((seq) => ({ seq, revision: 1 }))));
    expect([untold(), store.bySeq(3).revision]).toEqual([[3], 2]);
  });

  it('is what was decided, once more each time', () => {
    const { store, untold } = aLoad({});
    const to = { state: 'delivered', reason: null, outcome: null, evidence: 'answer', at_ms: null } as const;
    const decided = { seq: 1, ...to, tries: 1, had_unknown: 0, status: 201, answer: 'yes', decided_at_ms: NOW_MS };
    store.commit(() => store.decide(decided));
    expect([store.bySeq(1), untold()]).toMatchObject([{ ...decided, revision: 1 }, [1]]);
  });
});

describe('what is withdrawn', () => {
  it('is what was not sent of that batch: what is on the wire, unclear, held or over stays', () => {
    const states = ['queued', 'waiting', 'sending', 'unknown', 'held', 'delivered', 'coalesced'] as const;
    const { store, becomes, untold } = aLoad(...states.map(() => ({})), { batchId: 'b_2' });
    for (const [index, state] of states.entries())
      becomes(index + 1, { state, reason: 'deadline', at_ms: 7, status: 9 });
    store.commit(() => store.withdraw('b_1', NOW_MS + 3));
    expect([...store.all()].map(({ state }) => state)).toEqual([
      ...['cancelled', 'cancelled', 'sending', 'unknown', 'held', 'delivered', 'coalesced', 'queued'],
    ]);
    expect(store.bySeq(1)).toMatchObject({
      reason: null,
      at_ms: null,
      status: 9,
      revision: 1,
      decided_at_ms: NOW_MS + 3,
    });
    expect([untold(), store.bySeq(6).revision]).toEqual([[1, 2], 0]);
    store.commit(() => store.withdraw('b_1', NOW_MS + 4));
    expect(store.bySeq(1).decided_at_ms).toBe(NOW_MS + 3);
  });

  it('is not what was sent again after the cancel, whose call may come late', () => {
    const again = (acceptedAtMs: number) => ({ generation: 2, acceptedAtMs });
    const { store } = aLoad({ acceptedAtMs: NOW_MS + 9 }, again(NOW_MS), again(NOW_MS + 1));
    store.commit(() => store.withdraw('b_1', NOW_MS + 3, NOW_MS));
    expect([...store.all()].map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'queued']);
    store.commit(() => store.withdraw('b_1', NOW_MS + 4));
    expect(store.bySeq(3).state).toBe('cancelled');
  });

  it('of a set is all of it or nothing, and each of its points is told', () => {
    const { store, becomes, untold } = aLoad({}, {}, {}, { batchId: 'b_2' });
    for (const seq of [1, 2]) becomes(seq, { into_seq: 1, ...(seq === 1 ? {} : { state: 'coalesced' }) });
    for (const seq of [3, 4]) becomes(seq, { into_seq: 3, ...(seq === 3 ? {} : { state: 'coalesced' }) });
    store.commit(() => store.withdraw('b_1', NOW_MS));
    expect([...store.all()].map(({ state }) => state)).toEqual(['cancelled', 'coalesced', 'queued', 'coalesced']);
    expect([untold(), [1, 2, 3].map((seq) => store.bySeq(seq).revision)]).toEqual([
      [1, 2],
      [1, 1, 0],
    ]);
  });
});

describe('a commit that fails', () => {
  it('leaves nothing that could be found', () => {
    const { store, fails, beginIn, begin, tables, ends } = aLoad({ businessKey: 'same' }, {}, {});
    begin(1);
    ends(1);
    fails(() => {
      store.add([aTaken(4, { businessKey: 'same' })]);
      beginIn(3);
      beginIn(2, 'check');
      tables.request.patch(2, { into_seq: 1 });
    });
    expect(store.generationsOf({ batchId: 'b_1', record: 4, request: 1 })).toEqual([]);
    expect([...store.equalTo('same')]).toEqual([1]);
    expect([store.pointing(1), store.lookedUp(), store.sending().map(({ seq }) => seq)]).toEqual([[], [], [1]]);
    expect([store.laterWasTried('milestones', 1), store.attemptsOf(3), store.attemptsOf(2)]).toEqual([false, [], []]);
    expect(store.attemptsOf(1)).toHaveLength(1);
    expect([...store.openSeqs('milestones')]).toEqual([1, 2, 3]);
    store.commit(() => store.add([aTaken(4)]));
    expect([store.bySeq(4).record, store.generationsOf({ batchId: 'b_1', record: 4, request: 1 }).length]).toEqual([
      4, 1,
    ]);
  });
});
