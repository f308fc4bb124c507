/** A load's lane as chance makes it: equal and unequal requests, handed over and decided in any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextMove } from '../../../src/delivery/drain.ts';
import { besideEqual, type EqualRequest } from '../../../src/delivery/events/duplicates.ts';
import { isFinal, type RequestState } from '../../../src/delivery/states.ts';
import { draws } from '../../draws.ts';
import { HOUR_MS, NOW_MS } from './samples.ts';

interface Request {
  seq: number;
  event: string;
  state: RequestState;
  atMs: number | null;
  firstTriedAtMs: number | null;
  outcome: EqualRequest['outcome'];
  awaits: number | null;
  /** How often the upstream took it. */
  applied: number;
  duplicateOf: number | null;
}

/** What the upstream, a person or the clock may do next. */
type Event =
  | { event: 'handed'; says: string }
  | { event: 'turn' }
  | { event: 'answered'; state: 'delivered' | 'rejected' | 'waiting' | 'unknown' | 'held' | 'dead' | 'dead_unknown' }
  | { event: 'decided'; state: 'delivered' | 'rejected' }
  | { event: 'withdrawn'; index: number }
  | { event: 'hours_pass'; hours: number };

const happening: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ event: fc.constant('handed'), says: fc.constantFrom('a', 'b', 'c') }) },
  { weight: 6, arbitrary: fc.record({ event: fc.constant('turn') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      event: fc.constant('answered'),
      state: fc.constantFrom('delivered', 'rejected', 'waiting', 'unknown', 'held', 'dead', 'dead_unknown'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ event: fc.constant('decided'), state: fc.constantFrom('delivered', 'rejected') }),
  },
  { weight: 1, arbitrary: fc.record({ event: fc.constant('withdrawn'), index: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ event: fc.constant('hours_pass'), hours: fc.integer({ min: 1, max: 3 }) }) },
) as fc.Arbitrary<Event>;

/** The lane as its object drives it, in memory. */
class Lane {
  readonly requests: Request[] = [];
  nowMs = NOW_MS;

  on(happened: Event): void {
    switch (happened.event) {
      case 'handed':
        this.#hand(happened.says);
        break;
      case 'turn':
        this.step();
        break;
      case 'answered':
        this.#answer(happened.state);
        break;
      case 'decided':
        this.#move('held', happened.state);
        break;
      case 'withdrawn': {
        const request = this.requests[happened.index];
        if (request?.state === 'queued' || request?.state === 'waiting') request.state = 'cancelled';
        break;
      }
      case 'hours_pass':
        this.nowMs += happened.hours * HOUR_MS;
        break;
    }
  }

  #hand(event: string): void {
    const seq = this.requests.length + 1;
    const untouched = { atMs: null, firstTriedAtMs: null, outcome: null, awaits: null, applied: 0, duplicateOf: null };
    this.requests.push({ seq, event, state: 'queued', ...untouched });
  }

  /** @returns whether something moved. */
  step(): boolean {
    const open = this.requests.filter(({ state }) => !isFinal(state));
    const lane = open.map(({ seq, awaits, ...request }) => ({
      ...request,
      key: String(seq),
      deadlineMs: NOW_MS + 1_000 * HOUR_MS,
      awaitsEqual: awaits !== null && !isFinal(this.#at(awaits).state),
    }));
    const move = nextMove(lane, this.nowMs, HOUR_MS);
    if (move.move !== 'send') return false;
    const request = this.#at(Number(move.key));
    if (request.firstTriedAtMs === null) {
      const equal = this.requests.filter(({ seq, event }) => seq < request.seq && event === request.event);
      const beside = besideEqual(equal.map((one) => ({ ...one, into: null })));
      if (beside.turn === 'duplicate') [request.state, request.duplicateOf] = ['duplicate', beside.of];
      if (beside.turn === 'wait') request.awaits = beside.for;
      if (beside.turn !== 'send') return true;
    }
    request.state = 'sending';
    request.firstTriedAtMs ??= this.nowMs;
    return true;
  }

  #answer(state: Extract<Event, { event: 'answered' }>['state']): void {
    const request = this.requests.find((one) => one.state === 'sending');
    if (!request) return;
    if (state === 'delivered') request.applied += 1;
    request.outcome = state === 'dead_unknown' ? 'unknown' : state === 'dead' ? 'not_applied' : null;
    request.state = state === 'dead_unknown' ? 'dead' : state;
    request.atMs = this.nowMs + HOUR_MS / 2;
  }

  #move(from: RequestState, to: RequestState): void {
    const request = this.requests.find(({ state }) => state === from);
    if (request) request.state = to;
  }

  #at(seq: number): Request {
    const request = this.requests[seq - 1];
    if (!request) throw new Error(`there is no request ${seq}`);
    return request;
  }
}

const forAny = (check: (lane: Lane) => void): void =>
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60, size: 'max' }), (happened) => {
      const lane = new Lane();
      for (const one of happened) {
        lane.on(one);
        const live = lane.requests.filter(({ state }) => state === 'delivered');
        expect(new Set(live.map(({ event }) => event)).size).toBe(live.length);
      }
      check(lane);
    }),
    { numRuns: draws(1_000) },
  );

describe('whatever is handed over, and whatever is answered', () => {
  it('no event is delivered twice (I16), at no moment', () => {
    forAny((lane) => {
      for (const event of ['a', 'b', 'c']) {
        const applied = lane.requests.filter((request) => request.event === event).map((request) => request.applied);
        expect(applied.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1);
      }
    });
  });

  it('a duplicate names an earlier request that says the same and was delivered', () => {
    forAny((lane) => {
      for (const { seq, event, state, duplicateOf } of lane.requests) {
        expect(state === 'duplicate').toBe(duplicateOf !== null);
        if (duplicateOf === null) continue;
        expect(duplicateOf).toBeLessThan(seq);
        expect(lane.requests[duplicateOf - 1]).toMatchObject({ event, state: 'delivered' });
      }
    });
  });

  it('two of the same event are never on their way at once', () => {
    forAny((lane) => {
      const tried = lane.requests.filter(({ state, firstTriedAtMs }) => !isFinal(state) && firstTriedAtMs !== null);
      expect(new Set(tried.map(({ event }) => event)).size).toBe(tried.length);
    });
  });

  it('everything ends once the upstream takes what it is sent and persons decide', () => {
    forAny((lane) => {
      for (let rounds = 0; rounds < 500 && lane.requests.some(({ state }) => !isFinal(state)); rounds += 1) {
        lane.on({ event: 'answered', state: 'delivered' });
        lane.on({ event: 'decided', state: 'rejected' });
        if (!lane.step()) lane.on({ event: 'hours_pass', hours: 1 });
      }
      expect(lane.requests.filter(({ state }) => !isFinal(state))).toEqual([]);
    });
  });
});
