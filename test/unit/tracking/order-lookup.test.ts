/** Lookups of an order on its storage: what a listing before and behind a create makes of it, and whether one is asked. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/delivery/classify.ts';
import { OrderLookups } from '../../../src/tracking/lanes/order-lookup.ts';
import type { StoredAttempt } from '../../../src/tracking/request.ts';
import { earlierIds } from '../../../src/tracking/store/order-store.ts';
import { attemptRow, seenIn } from '../../../src/tracking/store/subject-rows.ts';
import type { Answer, Observation } from '../../../src/upstream/answer.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { NOW_MS } from '../upstream/samples.ts';
import { aTaken, committing, orderStored } from './samples.ts';

const answered = (status: number, more: Partial<Answer> = {}): Answer => ({
  ...{ outcome: 'answered', status, headers: {}, body: '', bodyEncoding: 'utf-8', bodyEnd: 'whole', latencyMs: 12 },
  ...more,
});
const EMPTY = answered(200, { body: '{"events":[]}' });

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const listing = (orderRef: string, eventTime = '2026-03-02T08:00:00.0000000+00:00'): Answer => {
  const event = { orderId: ID, orderRef, code: 'received', level: 'milestone', eventTime };
  return answered(200, { body: JSON.stringify({ events: [event] }) });
};

/** A create whose lookup was begun, so that it is known how answers are read. */
async function aCreate() {
  const { tables, store: bare, order } = orderStored();
  const store = committing(tables.journal, bare);
  const facts = { orderRef: () => 'SO-1', answerMapping: async () => DEFAULT_ANSWER_MAPPING };
  const lookups = committing(tables.journal, new OrderLookups(bare, order, facts));
  const clock = movedClock();
  store.add([aTaken(1, { kind: 'order.create', lane: 'operations' })]);
  const attempt = (purpose: StoredAttempt['purpose'], observed: Answer | null, effect: string) => {
    store.beginAttempt({
      ...{ seq: 1, purpose, startedAtMs: clock.nowMs(), requestSha256: '', tokenFingerprint: null },
      ...{ possibleDuplicate: false, late: false, carries: null },
    });
    if (observed !== null) store.endAttempt(attemptRow(1, observed, effect));
  };
  const seen = (observed: Observation) => seenIn(observed, classify(observed, clock.nowMs()));
  const begun = lookups.sending(store.bySeq(1), 'check').post?.(null as never, null as never);
  await Promise.resolve(begun).catch(() => undefined); // it goes nowhere here
  return { store, order, lookups, clock, attempt, seen, request: () => store.bySeq(1) };
}

describe('a lookup', () => {
  it('was answered where a listing came, and not otherwise', async () => {
    const { lookups, request } = await aCreate();
    const { shows, ...sending } = lookups.sending(request(), 'check');
    expect(sending).toMatchObject({ purpose: 'check', body: '', carries: null, request: { seq: 1 } });
    expect([shows?.(EMPTY), shows?.(answered(503))]).toEqual(['answered', 'unanswered']);
  });

  it.each<[string, [StoredAttempt['purpose'], string][], [boolean, boolean]]>([
    ['was never sent', [], [false, false]],
    ['has no clear answer', [['send', 'unknown']], [true, false]],
    ['was accepted', [['send', 'applied']], [true, true]],
    ['was refused', [['send', 'not_applied']], [false, false]],
    ['was kept by its channel', [['send', 'channel']], [false, false]],
    ['was only looked up', [['check', 'answered']], [false, false]],
    [
      'was refused when it was sent again',
      [
        ['send', 'unknown'],
        ['send', 'not_applied'],
      ],
      [false, false],
    ],
  ])(
    'is asked for a create that may have made an order, and only for that: one that %s',
    async (_, attempts, wanted) => {
      const { lookups, attempt, request } = await aCreate();
      for (const [purpose, effect] of attempts) attempt(purpose, answered(200), effect);
      expect([lookups.isUnsure(request()), lookups.isAccepted(request())]).toEqual(wanted);
    },
  );
});

describe('a look before a create', () => {
  it('lets it go at once where it was answered, and notes what stood there', async () => {
    const { lookups, attempt, request, seen, clock, order } = await aCreate();
    expect(lookups.isPreChecked(request())).toBe(false);
    attempt('precheck', EMPTY, 'answered');
    expect(lookups.isPreChecked(request())).toBe(true);
    expect(lookups.preCheck(request(), seen(EMPTY), clock)).toEqual({ state: 'queued', atMs: NOW_MS });
    expect([...order.knownIds().before]).toEqual([]);
    lookups.preCheck(request(), seen(listing('SO-1')), clock);
    expect([...order.knownIds().before]).toEqual([ID]);
  });

  it('is repeated later where it was not, and says why', async () => {
    const { lookups, attempt, request, seen, clock } = await aCreate();
    attempt('precheck', answered(500), 'unanswered');
    expect(lookups.isPreChecked(request())).toBe(false);
    const step = lookups.preCheck(request(), seen(answered(500)), clock);
    expect(step).toMatchObject({ state: 'queued', reason: 'pre_check_failed' });
    expect(Number('atMs' in step ? step.atMs : 0)).toBeGreaterThan(NOW_MS);
    const refused = lookups.preCheck(request(), seen(answered(401)), clock);
    expect(refused).toMatchObject({ state: 'queued', reason: 'credentials_refused' });
    const noToken = lookups.preCheck(
      request(),
      seen(answered(401, { notRenewed: 'token_refused: status 500' })),
      clock,
    );
    expect(noToken).toMatchObject({ state: 'queued', reason: 'no_token' });
  });
});

describe('a look behind a create', () => {
  it('is repeated where it was not answered, or finds nothing yet', async () => {
    const { lookups, attempt, request, seen, clock } = await aCreate();
    attempt('send', answered(502), 'unknown');
    clock.pass(30_000);
    attempt('check', answered(500), 'unanswered');
    const failed = lookups.check(request(), seen(answered(500)), clock);
    expect(failed).toMatchObject({ step: { state: 'unknown' }, orderId: null });
    attempt('check', EMPTY, 'answered');
    const nothing = lookups.check(request(), seen(EMPTY), clock);
    expect(nothing).toMatchObject({ step: { state: 'unknown' }, orderId: null });
    expect(Number('atMs' in nothing.step ? nothing.step.atMs : 0)).toBeGreaterThan(clock.nowMs());
    const found = lookups.check(request(), seen(listing('SO-1')), clock);
    expect(found).toMatchObject({ step: { state: 'delivered', evidence: 'reconcile' }, orderId: ID });
  });
});

describe('ids of earlier orders under a reference', () => {
  type Order = Parameters<typeof earlierIds>[0];
  const ids = (standing: string | null, documents: [incarnation: number, id: string][]) => {
    const made = documents.map(([incarnation, order_id]) => ({ incarnation, order_id }));
    const order = {
      accepted: () => (standing === null ? null : { incarnation: 2, order_id: standing }),
      documents: () => made,
      knownIds: () => ({ ours: new Set(made.map(({ order_id }) => order_id.toLowerCase())), before: new Set() }),
    };
    return earlierIds(order as unknown as Order);
  };

  it('are those of other incarnations, in lower case, once the current one has its own', () => {
    const documents: [number, string][] = [
      [1, 'AA'],
      [1, ''],
      [2, 'BB'],
      [3, 'cc'],
    ];
    expect(ids('BB', documents)).toEqual(['aa', 'cc']);
    expect([ids('', documents), ids(null, documents)]).toEqual([[], []]);
  });
});
