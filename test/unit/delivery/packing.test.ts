import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { halve, type PackedSet, packSet, readPoint, type WaitingPoint } from '../../../src/delivery/events/traces.ts';
import { TRACE_BODY_BYTES_MAX, TRACE_POINTS_MAX } from '../../../src/kernel/limits.ts';
import type { TraceFields, TracePoint } from '../../../src/mapping/request.ts';
import { NOW_MS } from './samples.ts';

const pointAt = (atMs: number, more: Partial<TracePoint> = {}): TracePoint => ({
  time: {
    dateTime: `${new Date(atMs).toISOString().slice(0, -1)}0000+00:00`,
    timeZoneCode: 'UTC',
    timeZoneOffset: 'UTC+0',
  },
  coordinate: { latitude: 41.5, longitude: -88.1 },
  ...more,
});

const waiting = (seq: number, more: Partial<TraceFields> = {}, channel = 'main'): WaitingPoint => ({
  seq,
  channel,
  hadUnknown: 0,
  rules: 0,
  body: JSON.stringify({ loadNumber: 'L1', traces: [pointAt(NOW_MS + seq * 1_000)], ...more }),
});
const bodyOf = ({ body }: PackedSet): TraceFields => JSON.parse(body) as TraceFields;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Packs as a load does: set after set, until no point waits. */
function packAll(points: readonly WaitingPoint[], limits?: Parameters<typeof packSet>[1]): PackedSet[] {
  const sets: PackedSet[] = [];
  for (let left = [...points]; left.length > 0; ) {
    const set = packSet(left, limits);
    sets.push(set);
    left = left.filter(({ seq }) => !set.seqs.includes(seq));
  }
  return sets;
}

describe('a packed set', () => {
  it('holds every waiting point in the order given, under the load they share', () => {
    const set = packSet([waiting(1), waiting(2), waiting(3)]);
    expect(set.seqs).toEqual([1, 2, 3]);
    expect(bodyOf(set)).toEqual({ loadNumber: 'L1', traces: [1, 2, 3].map((seq) => pointAt(NOW_MS + seq * 1_000)) });
  });

  it('is the request itself, byte for byte, when it holds one point', () => {
    const odd = {
      seq: 4,
      channel: 'main',
      hadUnknown: 0,
      rules: 0,
      body: '{ "traces": [{"a":1}], "loadNumber": "L1" }',
    };
    expect(packSet([odd])).toEqual({ seqs: [4], body: odd.body });
  });

  it('says where the newest point was, and nothing where that one does not', () => {
    const was = { eventCity: 'Joliet', eventState: 'IL' };
    expect(bodyOf(packSet([waiting(1), waiting(2, was)]))).toMatchObject(was);
    expect(bodyOf(packSet([waiting(1, was), waiting(2, { eventCity: 'Gary' })]))).not.toHaveProperty('eventState');
    expect(bodyOf(packSet([waiting(1, was), waiting(2)]))).not.toHaveProperty('eventCity');
  });

  it('leaves points behind of which one may have arrived: a doubt about one is none about its neighbours', () => {
    const doubtful = { ...waiting(2), hadUnknown: 1 };
    expect(packSet([waiting(1), doubtful, waiting(3)]).seqs).toEqual([1, 3]);
    expect(packSet([doubtful, waiting(3), { ...waiting(4), hadUnknown: 1 }]).seqs).toEqual([2, 4]);
  });

  it('leaves points of another channel behind: they go out with another key', () => {
    const points = [waiting(1), waiting(2, {}, 'other'), waiting(3)];
    expect(packAll(points).map(({ seqs }) => seqs)).toEqual([[1, 3], [2]]);
  });

  it('leaves points of other rules behind: a set has one answer', () => {
    const points = [waiting(1), { ...waiting(2), rules: 1 }, waiting(3), { ...waiting(4), rules: 1 }];
    expect(packAll(points).map(({ seqs }) => seqs)).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it('ends at the limit of points', () => {
    const sets = packAll(upTo(TRACE_POINTS_MAX + 1).map((seq) => waiting(seq)));
    expect(sets.map(({ seqs }) => seqs.length)).toEqual([TRACE_POINTS_MAX, 1]);
  });

  it('ends before its body grows too long, however few its points', () => {
    const references = [{ name: 'note', value: 'é'.repeat(60_000) }];
    const points = upTo(20).map((seq) => waiting(seq, { traces: [pointAt(NOW_MS + seq, { references })] }));
    const sets = packAll(points);
    expect(sets.flatMap(({ seqs }) => seqs)).toEqual(upTo(20));
    expect(sets.map(({ seqs }) => seqs.length)).toEqual([8, 8, 4]);
    for (const { body } of sets) expect(new TextEncoder().encode(body).byteLength).toBeLessThan(TRACE_BODY_BYTES_MAX);
  });

  it('fills its body to the last few bytes', () => {
    const both = [waiting(1), waiting(2)];
    const { length } = packSet(both).body;
    const within = (bodyBytesMax: number) => packSet(both, { pointsMax: 2, bodyBytesMax }).seqs;
    expect([within(length - 1), within(length + 3)]).toEqual([[1], [1, 2]]);
  });

  it('takes a point that is too large for any set alone', () => {
    const huge = waiting(1, { eventCity: 'x'.repeat(TRACE_BODY_BYTES_MAX) });
    expect(packAll([huge, waiting(2)]).map(({ seqs }) => seqs)).toEqual([[1], [2]]);
  });
});

describe('packing, whatever waits', () => {
  const points = fc
    .array(fc.record({ gap: fc.nat(5_000), channel: fc.constantFrom('a', 'b'), text: fc.string({ maxLength: 40 }) }), {
      minLength: 1,
      maxLength: 60,
    })
    .map((list) => {
      let atMs = NOW_MS;
      return list.map(({ gap, channel, text }, index) => {
        atMs += gap;
        return waiting(index + 1, { eventCity: text, traces: [pointAt(atMs)] }, channel);
      });
    });
  const limits = fc.record({
    pointsMax: fc.integer({ min: 1, max: 20 }),
    bodyBytesMax: fc.integer({ min: 1, max: 4_000 }),
  });

  it('puts every point in exactly one set, in time order, within the limits', () => {
    fc.assert(
      fc.property(points, limits, (list, within) => {
        const sets = packAll(list, within);
        const seqs = sets.flatMap((set) => set.seqs);
        expect([...seqs].sort((one, other) => one - other)).toEqual(list.map(({ seq }) => seq));
        for (const set of sets) {
          expect(set.seqs).toEqual([...set.seqs].sort((one, other) => one - other));
          expect(new Set(set.seqs.map((seq) => list[seq - 1]?.channel)).size).toBe(1);
          const own = set.seqs.map((seq) => (JSON.parse(list[seq - 1]?.body ?? '') as TraceFields).traces[0]);
          expect(bodyOf(set).traces).toEqual(own);
          expect(set.seqs.length).toBeLessThanOrEqual(within.pointsMax);
          if (set.seqs.length > 1) {
            expect(new TextEncoder().encode(set.body).byteLength).toBeLessThanOrEqual(within.bodyBytesMax);
          }
        }
      }),
    );
  });
});

describe('halving', () => {
  /** Sends as a load does, against an upstream that refuses every set with a bad point. */
  function sendAll(first: WaitingPoint[], bad: ReadonlySet<number>) {
    const found = { accepted: [] as number[], refused: [] as number[], halvings: 0, calls: 0 };
    const lane = [first];
    for (let set = lane.shift(); set; set = lane.shift()) {
      found.calls += 1;
      const seqs = set.map(({ seq }) => seq);
      if (!seqs.some((seq) => bad.has(seq))) found.accepted.push(...seqs);
      else if (set.length === 1) found.refused.push(...seqs);
      else {
        found.halvings += 1;
        const bySeq = new Map(set.map((point) => [point.seq, point]));
        const halves = halve(set).map((half) => half.seqs.flatMap((seq) => bySeq.get(seq) ?? []));
        lane.unshift(...halves);
      }
    }
    return found;
  }
  const sizes = fc.integer({ min: 1, max: 200 });
  const refusedOf = (size: number) => fc.uniqueArray(fc.integer({ min: 1, max: size }), { maxLength: 5 });
  const cases = sizes.chain((size) => fc.tuple(fc.constant(size), refusedOf(size)));

  it('ends with exactly the refused points alone and every other one accepted, oldest first', () => {
    fc.assert(
      fc.property(cases, ([size, bad]) => {
        const { accepted, refused } = sendAll(
          upTo(size).map((seq) => waiting(seq)),
          new Set(bad),
        );
        expect(refused).toEqual([...bad].sort((one, other) => one - other));
        expect(accepted).toEqual(upTo(size).filter((seq) => !bad.includes(seq)));
      }),
    );
  });

  it('halves at most log2 n times for each refused point', () => {
    fc.assert(
      fc.property(cases, ([size, bad]) => {
        const { halvings, calls } = sendAll(
          upTo(size).map((seq) => waiting(seq)),
          new Set(bad),
        );
        expect(halvings).toBeLessThanOrEqual(bad.length * Math.ceil(Math.log2(size)));
        expect(calls).toBe(1 + 2 * halvings);
      }),
    );
  });

  it('gives halves that carry the points of their set once, in its order', () => {
    const [older, younger] = halve(upTo(5).map((seq) => waiting(seq)));
    expect([older.seqs, younger.seqs]).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect([...bodyOf(older).traces, ...bodyOf(younger).traces]).toEqual(
      bodyOf(packSet(upTo(5).map((seq) => waiting(seq)))).traces,
    );
  });
});

describe('readPoint', () => {
  it('is the instant of the point, whatever its offset', () => {
    const body = (dateTime: string) => JSON.stringify({ traces: [{ time: { dateTime } }] });
    expect(readPoint(body('2026-03-02T02:00:00.1230000-06:00'))?.atMs).toBe(NOW_MS + 123);
    expect(readPoint(body('2026-03-02T08:00:00.1230000+00:00'))?.atMs).toBe(NOW_MS + 123);
  });

  it.each(['', '{', 'null', '{}', '{"traces":[]}', '{"traces":[{}]}', '{"traces":[{"time":{"dateTime":"soon"}}]}'])(
    'is nothing for %j',
    (body) => expect(readPoint(body)).toBeNull(),
  );
});
