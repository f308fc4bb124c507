/** Lanes as chance makes them, held against the rules read straight from the specification. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LaneRequest, nextMove } from '../../../src/delivery/drain.ts';
import { isFinal, REQUEST_STATES } from '../../../src/delivery/states.ts';
import { draws } from '../../draws.ts';
import { HOUR_MS, NOW_MS } from './samples.ts';

const momentMs = fc.integer({ min: NOW_MS - 3 * HOUR_MS, max: NOW_MS + 3 * HOUR_MS });
const laneRequest: fc.Arbitrary<Omit<LaneRequest, 'key'>> = fc.record({
  state: fc.constantFrom(...REQUEST_STATES),
  atMs: fc.option(momentMs),
  firstTriedAtMs: fc.option(fc.integer({ min: NOW_MS - 3 * HOUR_MS, max: NOW_MS })),
  deadlineMs: momentMs,
});
const lane = fc
  .array(laneRequest, { maxLength: 8 })
  .map((requests) => requests.map((request, index) => ({ ...request, key: String(index) })));

const isDue = ({ atMs }: LaneRequest): boolean => atMs === null || atMs <= NOW_MS;
const isUndecided = ({ state }: LaneRequest): boolean => ['queued', 'waiting', 'unknown'].includes(state);
const steppedAside = ({ firstTriedAtMs }: LaneRequest): boolean =>
  firstTriedAtMs !== null && firstTriedAtMs + HOUR_MS <= NOW_MS;
const blocks = (request: LaneRequest): boolean =>
  request.state === 'sending' || (isUndecided(request) && !steppedAside(request));

const forAll = (check: (requests: LaneRequest[], move: ReturnType<typeof nextMove>) => void): void =>
  fc.assert(
    fc.property(lane, (requests) => check(requests, nextMove(requests, NOW_MS, HOUR_MS))),
    { numRuns: draws(2_000) },
  );

describe('whatever stands in the lane', () => {
  it('what is sent is undecided, due and not past its deadline', () => {
    forAll((requests, move) => {
      if (move.move !== 'send') return;
      const sent = requests.find(({ key }) => key === move.key);
      expect(sent && isUndecided(sent) && isDue(sent)).toBe(true);
      expect(sent?.deadlineMs).toBeGreaterThanOrEqual(NOW_MS);
    });
  });

  it('no later request is sent before an earlier one that blocks (I10)', () => {
    forAll((requests, move) => {
      if (move.move !== 'send') return;
      const before = requests.slice(0, Number(move.key));
      expect(before.filter(blocks)).toEqual([]);
    });
  });

  it('the lane is busy exactly while a request is on the wire, wherever it stands (I6)', () => {
    forAll((requests, move) => {
      expect(move.move === 'busy').toBe(requests.some(({ state }) => state === 'sending'));
    });
  });

  it('what stands behind a request that moves changes nothing, unless it is on the wire', () => {
    fc.assert(
      fc.property(lane, fc.nat(8), (requests, cut) => {
        const head = nextMove(requests.slice(0, cut), NOW_MS, HOUR_MS);
        if (head.move !== 'send' && head.move !== 'expire') return;
        const whole = nextMove(requests, NOW_MS, HOUR_MS);
        expect(whole).toEqual(requests.some(({ state }) => state === 'sending') ? { move: 'busy' } : head);
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('a final or held request is never touched', () => {
    forAll((requests, move) => {
      if (move.move !== 'send' && move.move !== 'expire') return;
      const touched = requests[Number(move.key)];
      expect(touched && !isFinal(touched.state) && touched.state !== 'held').toBe(true);
    });
  });

  it('only what is undecided expires, and only past its deadline', () => {
    forAll((requests, move) => {
      if (move.move !== 'expire') return;
      const expired = requests[Number(move.key)];
      expect(expired && isUndecided(expired)).toBe(true);
      expect(expired?.deadlineMs).toBeLessThan(NOW_MS);
    });
  });

  it('no request past its deadline waits at the head of the lane', () => {
    forAll((requests, move) => {
      const first = requests.find(isUndecided);
      if (!first || first.deadlineMs >= NOW_MS || move.move === 'busy') return;
      expect(move).toEqual({ move: 'expire', key: first.key });
    });
  });

  it('a wait ends in the future, and no later than the next request is due', () => {
    forAll((requests, move) => {
      if (move.move !== 'wait') return;
      expect(move.untilMs).toBeGreaterThan(NOW_MS);
      const first = requests.find(isUndecided);
      expect(move.untilMs).toBeLessThanOrEqual(first?.atMs ?? 0);
    });
  });

  it('a lane is idle exactly when nothing in it is open but held requests', () => {
    forAll((requests, move) => {
      const open = requests.some((request) => isUndecided(request) || request.state === 'sending');
      expect(move.move === 'idle').toBe(!open);
    });
  });
});
