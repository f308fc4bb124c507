/** Which requests are the same event, and what becomes of the later one. */
import { describe, expect, it } from 'vitest';
import {
  type BesideEqual,
  besideEqual,
  businessKey,
  type EqualRequest,
} from '../../../src/delivery/events/duplicates.ts';
import { isFinal, REQUEST_STATES, type RequestState } from '../../../src/delivery/states.ts';

const earlier = (seq: number, state: RequestState, more: Partial<EqualRequest> = {}): EqualRequest => ({
  seq,
  state,
  outcome: null,
  into: null,
  ...more,
});
const SENT: BesideEqual = { turn: 'send', mayBeThere: false };

describe('the business key', () => {
  const body = '{"eventCode":"X3"}';
  const key = businessKey('DEMO', { kind: 'milestone', body });

  it('is the same for the same event', () => {
    expect(businessKey('DEMO', { kind: 'milestone', body })).toBe(key);
  });

  it.each([
    ['another SCAC', businessKey('ACME', { kind: 'milestone', body })],
    ['another kind', businessKey('DEMO', { kind: 'loadMilestoneEvent', body })],
    ['one byte more', businessKey('DEMO', { kind: 'milestone', body: `${body} ` })],
    ['a point of the same text', businessKey('DEMO', { kind: 'trace', points: body })],
  ])('is another for %s', (_, other) => {
    expect(other).not.toBe(key);
  });

  it('is another for another point', () => {
    const of = (points: string) => businessKey('DEMO', { kind: 'trace', points });
    expect(of('[1]')).toBe(of('[1]'));
    expect(of('[1]')).not.toBe(of('[2]'));
  });
});

describe('a request beside earlier ones that say the same', () => {
  it('is sent when there is none', () => {
    expect(besideEqual([])).toEqual(SENT);
  });

  it('is a duplicate of the one that was delivered', () => {
    expect(besideEqual([earlier(3, 'delivered')])).toEqual({ turn: 'duplicate', of: 3 });
  });

  it.each(['queued', 'sending', 'waiting', 'unknown', 'held'] as const)('waits for one that is %s', (state) => {
    expect(besideEqual([earlier(3, state)])).toEqual({ turn: 'wait', for: 3 });
  });

  it.each(['rejected', 'cancelled', 'duplicate'] as const)('is sent beside one that is %s', (state) => {
    expect(besideEqual([earlier(3, state)])).toEqual(SENT);
  });

  it('is sent beside one that was given up, and may be there already when that one may have arrived', () => {
    expect(besideEqual([earlier(3, 'dead', { outcome: 'not_applied' })])).toEqual(SENT);
    expect(besideEqual([earlier(3, 'dead', { outcome: 'unknown' })])).toEqual({ turn: 'send', mayBeThere: true });
  });

  it('may be there already also where a later one was given up for certain', () => {
    const doubtful = earlier(3, 'dead', { outcome: 'unknown' });
    const clear = earlier(4, 'dead', { outcome: 'not_applied' });
    expect(besideEqual([doubtful, clear])).toEqual({ turn: 'send', mayBeThere: true });
    expect(besideEqual([clear, doubtful])).toEqual({ turn: 'send', mayBeThere: true });
  });

  it.each(REQUEST_STATES.filter((state) => state !== 'coalesced').map((state) => [state]))(
    'treats a point that travels in a set as that set, here %s',
    (state) => {
      for (const outcome of [null, 'not_applied', 'unknown'] as const) {
        const travelling = earlier(3, 'coalesced', { into: { state, outcome } });
        expect(besideEqual([travelling])).toEqual(besideEqual([earlier(3, state, { outcome })]));
      }
    },
  );

  it('goes by the first that decides, and reads no further', () => {
    function* asRead(): Iterable<EqualRequest> {
      yield earlier(1, 'rejected');
      yield earlier(2, 'delivered');
      throw new Error('it read on');
    }
    expect(besideEqual(asRead())).toEqual({ turn: 'duplicate', of: 2 });
  });

  it('is decided for every state', () => {
    for (const state of REQUEST_STATES) {
      const { turn } = besideEqual([earlier(1, state)]);
      expect(turn === 'send').toBe(isFinal(state) && state !== 'delivered');
    }
  });
});
