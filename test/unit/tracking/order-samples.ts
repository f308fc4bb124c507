/** An order's lane on its storage alone, for the tests of this folder: what it sends next, and what it makes of answers. */
import { classify } from '../../../src/delivery/classify.ts';
import type { RequestKind } from '../../../src/mapping/request.ts';
import { OrderLane } from '../../../src/tracking/lanes/order-lane.ts';
import type { Lookup, Sending } from '../../../src/tracking/lanes/subject-lane.ts';
import type { EnqueuedRequest, StoredAttempt } from '../../../src/tracking/request.ts';
import { attemptRow, seenIn } from '../../../src/tracking/store/subject-rows.ts';
import type { Answer, Observation } from '../../../src/upstream/answer.ts';
import type { UpstreamPort } from '../../../src/upstream/call.ts';
import { holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { aChannel, clockAt, NOW_MS, upstreamAnswers } from '../upstream/samples.ts';
import { aTaken, committing, orderStored } from './samples.ts';

export const ORDER_ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
export const answered = (status: number, more: Partial<Answer> = {}): Answer => ({
  ...{ outcome: 'answered', status, headers: {}, body: '', bodyEncoding: 'utf-8', bodyEnd: 'whole', latencyMs: 12 },
  ...more,
});
export const CREATED = answered(201, { body: JSON.stringify({ id: ORDER_ID }) });
export const change = (order: object, more: object = {}): string =>
  JSON.stringify({ orderRef: 'SO-1', complete: false, changeRef: 'C-1', order, lists: {}, ...more });

export interface OrderOptions {
  preChecks?: boolean;
  bodies?: readonly string[];
  more?: Partial<EnqueuedRequest>;
}

/** @param kinds of its operations, in hand-over order. */
export function anOrderWith({ preChecks = false, bodies = [], more = {} }: OrderOptions, ...kinds: RequestKind[]) {
  const { tables, store: bare, order: bareOrder, plans: barePlans, actions } = orderStored();
  const store = committing(tables.journal, bare);
  const [order, plans] = [committing(tables.journal, bareOrder), committing(tables.journal, barePlans)];
  const facts = {
    orderRef: () => 'SO-1',
    answerMapping: async () => DEFAULT_ANSWER_MAPPING,
    preChecks: () => preChecks,
    otherUpdates: () => 'refuse' as const,
  };
  const lane = committing(tables.journal, new OrderLane(bare, { order: bareOrder, plans: barePlans, actions }, facts));
  const bodyOf = (index: number) => (bodies[index] === undefined ? {} : { body: bodies[index] });
  store.add(kinds.map((kind, index) => aTaken(index + 1, { kind, lane: 'operations', ...bodyOf(index), ...more })));
  const clock = movedClock();
  const begin = (seq: number, purpose: StoredAttempt['purpose'] = 'send') =>
    store.beginAttempt({
      ...{ seq, purpose, startedAtMs: clock.nowMs(), requestSha256: '', tokenFingerprint: null },
      ...{ possibleDuplicate: false, late: false, carries: null },
    });
  const seenOf = (observed: Observation) => seenIn(observed, classify(observed, clock.nowMs()));
  /** The attempt is answered like this, and judged. */
  const answers = (seq: number, observed: Answer) => {
    const seen = seenOf(observed);
    store.endAttempt(attemptRow(seq, observed, seen.class.effect));
    lane.classify(store.bySeq(seq), seen, clock);
  };
  /** What is next is sent. @throws where nothing is. */
  const sending = (): Sending => {
    for (let steps = 0; steps < 20; steps += 1) {
      const turn = lane.next(clock);
      if (turn.turn === 'wait') throw new Error(`nothing is sent before ${turn.untilMs}`);
      if (turn.turn === 'send') return turn.sending;
    }
    throw new Error('it only decides, and sends nothing');
  };
  /** A lookup that is next is made, and answered like this; what could not be sent has no attempt. */
  const looksUp = async (observed: Observation): Promise<Sending> => {
    const next = sending();
    const { purpose, request } = next;
    if (purpose === 'send') throw new Error('it is no lookup');
    await Promise.resolve(next.post(null as never, null as never)).catch(() => undefined); // it goes nowhere here
    if (observed.outcome !== 'not_sent') {
      begin(request.seq, purpose);
      store.endAttempt(attemptRow(request.seq, observed, next.shows?.(observed) ?? ''));
    }
    answersLookup(request.seq, purpose, observed);
    return next;
  };
  const answersLookup = (seq: number, purpose: Lookup, observed: Observation) =>
    lane.classifyLookup(store.bySeq(seq), purpose, seenOf(observed), clock);
  const stateOf = (seq: number) => store.bySeq(seq).state;
  return { tables, store, order, plans, lane, clock, begin, answers, sending, looksUp, answersLookup, stateOf };
}

export const DOCUMENT = { orderRef: 'SO-1', shipperCode: 'A' };
export const BODIES = [JSON.stringify(DOCUMENT), change({ shipperCode: 'B' }), change({ shipperCode: 'C' })];
export const LATE = { deadlineMs: Number.MAX_SAFE_INTEGER };
export const said = (action: string, code: string) => answered(200, { body: JSON.stringify({ action, code }) });
/** Names the order: it is done, not only accepted. */
export const DONE = answered(200, { body: JSON.stringify({ id: ORDER_ID }) });

/** An order that was created, and operations after that. */
export function created(options: OrderOptions, ...kinds: RequestKind[]) {
  const made = anOrderWith({ bodies: BODIES, more: LATE, ...options }, 'order.create', ...kinds);
  made.begin(1);
  made.answers(1, CREATED);
  return made;
}

const held = { ok: true, value: holdToken('canary-token', 'f', 3_600, NOW_MS) } as const;
const PORT: UpstreamPort = { clock: clockAt(), tokens: { current: async () => held, replace: async () => held } };

/** Method and path of what a sending sends, and its body. Globals are stubbed for it. */
export async function sent(sending: Sending): Promise<(string | undefined)[]> {
  const seen = upstreamAnswers(new Response('{}'));
  await sending.post(PORT, aChannel({ scacs: ['DEMO'] }));
  const [request] = seen;
  const { pathname, search } = new URL(request?.url ?? '');
  return [request?.method, `${pathname}${search}`, request?.body];
}
