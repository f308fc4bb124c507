/** An operation that was only accepted, of which nothing says yet whether it was done: what follows it waits, or states it again. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ACTION_LOOKUP_AFTER_MS, CHANNEL_PAUSE_MS } from '../../../src/kernel/limits.ts';
import type { RequestKind } from '../../../src/mapping/request.ts';
import {
  anOrderWith,
  answered,
  BODIES,
  change,
  created,
  DOCUMENT,
  LATE,
  ORDER_ID,
  said,
  sent,
} from './order-samples.ts';

afterEach(() => vi.unstubAllGlobals());

const [FIRST_MS, SECOND_MS] = ACTION_LOOKUP_AFTER_MS;

describe('what became of an operation that was only accepted is awaited by what would end upon it and not be sent:', () => {
  const SAME = change({ shipperCode: 'A' });
  const bodies = (own: string) => [JSON.stringify(DOCUMENT), 'null', own];

  /** A cancel that was only accepted, and what it is followed by, which waits for what becomes of it. */
  function behindCancel(kind: RequestKind, body = SAME) {
    const made = created({ bodies: bodies(body) }, 'order.cancel', kind);
    const { sending, begin, answers, clock, lane, store } = made;
    sending();
    begin(2);
    answers(2, answered(200));
    const dueMs = clock.nowMs() + FIRST_MS;
    expect(lane.next(clock)).toEqual({ turn: 'decided' });
    expect(store.bySeq(3)).toMatchObject({ state: 'queued', reason: 'earlier_unclear', at_ms: dueMs });
    clock.pass(FIRST_MS);
    return made;
  }
  const waited = ({ lane, clock }: ReturnType<typeof behindCancel>) => {
    clock.pass(CHANNEL_PAUSE_MS);
    return lane.next(clock);
  };

  it.each<[RequestKind, string, object]>([
    ['order.cancel', SAME, { state: 'duplicate', into_seq: 2 }],
    ['order.update', SAME, { state: 'dead', reason: 'order_cancelled' }],
    ['order.upsert', SAME, { state: 'dead', reason: 'base_unknown' }],
  ])('where a cancel was done, %s ends', async (kind, body, end) => {
    const made = behindCancel(kind, body);
    await made.looksUp(said('cancel', 'done'));
    expect(waited(made)).toEqual({ turn: 'decided' });
    expect(made.store.bySeq(3)).toMatchObject(end);
  });

  it('where it was refused, a second cancel is sent', async () => {
    const made = behindCancel('order.cancel');
    await made.looksUp(said('cancel', 'rejected'));
    waited(made);
    expect(await sent(made.sending())).toEqual(['DELETE', `/rcsc/order-requests/v1/${ORDER_ID}`, undefined]);
  });

  it.each<RequestKind>(['order.update', 'order.upsert'])(
    'where it was refused, a change goes to the order as it stands: %s',
    async (kind) => {
      const made = behindCancel(kind, BODIES[1]);
      await made.looksUp(said('cancel', 'rejected'));
      waited(made);
      const next = made.sending();
      expect([next.request.seq, JSON.parse(next.body)]).toMatchObject([3, { shipperCode: 'B' }]);
    },
  );

  it('where nothing is said of it, it counts as done', async () => {
    const made = behindCancel('order.cancel');
    await made.looksUp(answered(404));
    made.clock.pass(SECOND_MS);
    await made.looksUp(answered(404));
    expect(waited(made)).toEqual({ turn: 'decided' });
    expect(made.store.bySeq(3)).toMatchObject({ state: 'duplicate', into_seq: 2 });
  });

  it.each([
    ['done', 'duplicate', 'order_exists'],
    ['failed', 'sent', 'sent'],
  ])('a create of which it is then known that it was %s', async (code, same, other) => {
    for (const [body, end] of [
      [BODIES[0], same],
      [BODIES[2], other],
    ]) {
      const made = anOrderWith(
        { bodies: [BODIES[0] ?? '', body ?? ''], more: LATE },
        ...(['order.create', 'order.create'] as const),
      );
      const { lane, clock, store } = made;
      made.begin(1);
      made.answers(1, answered(201, { body: JSON.stringify({ id: ORDER_ID, code: 'pending' }) }));
      expect(lane.next(clock)).toEqual({ turn: 'decided' });
      expect(store.bySeq(2)).toMatchObject({ state: 'queued', reason: 'earlier_unclear' });
      clock.pass(FIRST_MS);
      await made.looksUp(said('create', code));
      const turn = waited(made);
      const { state, reason } = store.bySeq(2);
      expect(turn.turn === 'send' ? 'sent' : (reason ?? state)).toBe(end);
    }
  });

  it('an update that asks for the same', async () => {
    const made = created(
      { bodies: [BODIES[0] ?? '', BODIES[1] ?? '', BODIES[1] ?? ''] },
      'order.update',
      'order.update',
    );
    made.sending();
    made.begin(2);
    made.answers(2, answered(200));
    expect(made.lane.next(made.clock)).toEqual({ turn: 'decided' });
    expect(made.store.bySeq(3)).toMatchObject({ state: 'queued', reason: 'earlier_unclear' });
    made.clock.pass(FIRST_MS);
    await made.looksUp(said('update', 'rejected'));
    waited(made);
    expect(JSON.parse(made.sending().body)).toMatchObject({ shipperCode: 'B' });
  });
});
