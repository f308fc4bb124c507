/** What a batch has read and not dispatched: whose visit is next, and how far everything has ended. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LookAhead, type NextVisit } from '../../../src/batch/core/look-ahead.ts';
import { START } from '../../../src/batch/core/progress.ts';
import {
  LOOK_AHEAD_CHARACTERS,
  LOOK_AHEAD_REQUESTS,
  PARCEL_CHARACTERS_MAX,
  PARCEL_REQUESTS_MAX,
} from '../../../src/batch/limits.ts';
import { addAhead } from '../../../src/batch/steps/dispatch.ts';
import { aStoredRequest, aTicket } from './samples.ts';

const at = (record: number) => ({ record, request: 1 });

/** Records from 1, each of the load of that name. */
function ahead(loads: readonly string[], { from = 0, into = new LookAhead(START), body = '{}' } = {}): LookAhead {
  for (const [index, load] of loads.entries())
    addAhead(into, aStoredRequest(from + index + 1, 1, { subject: `load:${load}`, body }), aTicket(), undefined);
  return into;
}

const recordsOf = (visit: NextVisit | null): number[] => visit?.part.requests.map(({ record }) => record) ?? [];

function next(from: LookAhead, nowMs = 0): NextVisit {
  const visit = from.next(nowMs);
  if (visit === null) throw new Error('nobody is to be visited');
  return visit;
}

describe('the next visit', () => {
  it('brings a load all its requests, and goes to the load of the earliest one', () => {
    const known = ahead(['A', 'B', 'A', 'B', 'A']);
    expect([recordsOf(known.next(0)), recordsOf(known.next(0)), known.next(0)]).toEqual([[1, 3, 5], [2, 4], null]);
  });

  it('never goes to a load that is being visited, and later brings what came meanwhile, in order', () => {
    const known = ahead(['A']);
    const first = next(known);
    ahead(['A', 'A'], { from: 1, into: known });
    expect([known.hasNext(0), known.next(0)]).toEqual([false, null]);
    known.ended([first]);
    expect(recordsOf(known.next(0))).toEqual([2, 3]);
  });

  it('knows whether it is the last that is known for its load', () => {
    const known = ahead(Array.from({ length: PARCEL_REQUESTS_MAX + 1 }, () => 'A'));
    const first = next(known);
    expect([first.part.requests.length, first.isLast]).toEqual([PARCEL_REQUESTS_MAX, false]);
    known.ended([first]);
    expect([recordsOf(next(known)), known.isEmpty]).toEqual([[PARCEL_REQUESTS_MAX + 1], false]);
  });

  it('brings no more bodies than go in one call, and a longer one alone', () => {
    const half = ahead(['A', 'A', 'A'], { body: 'x'.repeat(PARCEL_CHARACTERS_MAX / 2) });
    expect(recordsOf(half.next(0))).toEqual([1, 2]);
    const long = ahead(['A', 'A'], { body: 'x'.repeat(PARCEL_CHARACTERS_MAX + 1) });
    expect(recordsOf(long.next(0))).toEqual([1]);
  });

  it('that failed is repeated with the same requests before any later one, after its pause', () => {
    const known = ahead(['A', 'B']);
    const first = next(known);
    ahead(['A'], { from: 2, into: known });
    known.failed(first, 500);
    expect([recordsOf(known.next(0)), known.next(499), known.repeatMs()]).toEqual([[2], null, 500]);
    expect(recordsOf(known.next(500))).toEqual([1, 3]);
  });

  it('that failed is not repeated where all was withdrawn meanwhile', () => {
    const known = ahead(['A']);
    const first = next(known);
    known.empty();
    known.failed(first, 0);
    expect([known.next(0), known.isEmpty]).toEqual([null, true]);
  });
});

describe('the checkpoint', () => {
  it('passes a request when the visits of all up to it have ended', () => {
    const known = ahead(['A', 'B', 'A', 'C']);
    const [a, b, c] = [next(known), next(known), next(known)];
    known.ended([b, c]);
    expect([known.endedUpTo([]), known.endedUpTo([a])]).toEqual([undefined, at(4)]);
    known.ended([a], at(4));
    expect(known.endedUpTo([])).toBeUndefined();
  });

  it('passes nothing before what became of a visit is stored, however often that fails', () => {
    const known = ahead(['A', 'B']);
    const [a, b] = [next(known), next(known)];
    known.ended([b]);
    expect(known.endedUpTo([a])).toEqual(at(2));
    known.failed(a, 0);
    expect(known.endedUpTo([])).toBeUndefined();
    const again = next(known);
    expect([recordsOf(again), known.endedUpTo([again])]).toEqual([[1], at(2)]);
  });

  it('loses no request, doubles none and keeps the order of each load, whatever ends and fails when', () => {
    const steps = fc.array(fc.record({ load: fc.nat(4), fails: fc.boolean(), which: fc.nat(9) }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (drawn) => {
        const known = new LookAhead(START);
        const open: NextVisit[] = [];
        const ended: number[] = [];
        const byLoad = new Map<string, number[]>();
        let passed = 0;
        const end = (visit: NextVisit): void => {
          const upTo = known.endedUpTo([visit]);
          known.ended([visit], upTo);
          ended.push(...recordsOf(visit));
          byLoad.set(visit.name, [...(byLoad.get(visit.name) ?? []), ...recordsOf(visit)]);
          passed = upTo?.record ?? passed;
          for (let record = 1; record <= passed; record += 1) expect(ended).toContain(record);
        };
        for (const [index, { load, fails, which }] of drawn.entries()) {
          ahead([`L${load}`], { from: index, into: known });
          const visit = which % 2 === 0 ? known.next(0) : null;
          if (visit !== null) open.push(visit);
          const [done] = open.splice(which % Math.max(1, open.length), 1);
          if (done !== undefined && fails) known.failed(done, 0);
          else if (done !== undefined) end(done);
        }
        for (const visit of open) end(visit);
        for (let visit = known.next(0); visit !== null; visit = known.next(0)) end(visit);
        expect(ended.toSorted((one, other) => one - other)).toEqual(drawn.map((_, index) => index + 1));
        for (const records of byLoad.values()) expect(records).toEqual(records.toSorted((one, other) => one - other));
        expect([passed, known.isEmpty]).toEqual([drawn.length, true]);
      }),
    );
  });
});

describe('what a cancel has to take back', () => {
  it('is what a visit has brought or may have, and everything from an earlier life of the object', () => {
    const known = ahead(['A', 'B', 'A', 'C'], { from: 2, into: new LookAhead({ record: 3, request: 0 }) });
    next(known);
    const { last, mayHave } = known.doubtful();
    expect(last).toMatchObject(at(5));
    expect([1, 2, 3, 4, 5, 6].map((record) => mayHave(at(record)))).toEqual([true, true, true, false, true, false]);
  });

  it('is nothing where nobody was visited', () => {
    const { last, mayHave } = ahead(['A']).doubtful();
    expect([last, mayHave(at(1))]).toEqual([START, false]);
  });
});

describe('a look-ahead', () => {
  it('is full when it has as many requests or bodies as it may have, and not once they are visited', () => {
    const many = ahead(Array.from({ length: LOOK_AHEAD_REQUESTS }, (_, index) => `L${index}`));
    expect(many.isFull).toBe(true);
    next(many);
    expect(many.isFull).toBe(false);
    expect(ahead(['A'], { body: 'x'.repeat(LOOK_AHEAD_CHARACTERS) }).isFull).toBe(true);
    expect(ahead(['A'], { body: 'x'.repeat(LOOK_AHEAD_CHARACTERS - 1) }).isFull).toBe(false);
  });

  it('counts again what a failed visit brings back', () => {
    const known = ahead(['A'], { body: 'x'.repeat(LOOK_AHEAD_CHARACTERS) });
    known.failed(next(known), 0);
    expect(known.isFull).toBe(true);
  });
});
