/** Every check of a day of positions is seen to fail on a violation planted in evidence that is otherwise whole. */

import { describe, expect, it } from 'vitest';
import { dice } from '../../../scripts/frame/dice.ts';
import { sendingsOf } from '../../../scripts/invariants/evidence.ts';
import { type TraceEvidence, traceViolations } from '../../../scripts/invariants/traces.ts';
import { type Ping, pingsOf } from '../../../scripts/prove/day.ts';
import { anAttempt, aStoredRequest, said } from '../kill/stored-samples.ts';

const WINDOW_MS = 1_000;
const MINUTES = 10;
const NAMES = ['TR-0', 'TR-1'];

type Evidence = { -readonly [Part in keyof TraceEvidence]: TraceEvidence[Part] };

const pointOf = ({ arrives }: Ping) => ({
  time: { dateTime: arrives.dateTime, timeZoneCode: 'UTC', timeZoneOffset: 'UTC+0' },
  coordinate: { latitude: arrives.latitude, longitude: arrives.longitude },
  resourceId: arrives.resourceId,
});

/** Two files of ten minutes, two loads: what a bridge without fault would leave behind. */
function evidence(): Evidence {
  const files = [0, 1].map((part) => ({
    batchId: `b_${part}`,
    pings: pingsOf({ name: 'TR', loads: NAMES.length, fromMinute: part * MINUTES, minutes: MINUTES }, dice(part)),
  }));
  const sets = files.flatMap(({ batchId, pings }, part) =>
    NAMES.map((load) => {
      const points = pings
        .map((ping, index) => ({ ping, key: `${batchId}/${index + 1}/1` }))
        .filter(({ ping }) => ping.load === load)
        .sort((one, other) => one.ping.minute - other.ping.minute);
      const body = JSON.stringify({ loadNumber: load, traces: points.map(({ ping }) => pointOf(ping)) });
      return { load, part, body, keys: points.map(({ key }) => key) };
    }),
  );
  const lead = new Map(sets.flatMap(({ keys }) => keys.map((key) => [key, keys[0] === key ? '' : keys[0]])));
  return {
    windowMs: WINDOW_MS,
    seen: sets.map(({ body, part }, index) => ({
      seq: index + 1,
      receivedAtMs: 5_000 + part * WINDOW_MS + 7,
      path: '/test/rcsc/events/v1/loads/trace-requests',
      body,
      applied: true,
      status: 200,
    })),
    loads: NAMES.map((load) =>
      sendingsOf({
        requests: sets
          .filter((set) => set.load === load)
          .map(({ body, part }) =>
            aStoredRequest({
              record: part + 1,
              lane: 'traces',
              intoSeq: part + 1,
              attempts: [anAttempt(body, { startedAtMs: 5_000 + part * WINDOW_MS })],
            }),
          ),
        sets: sets.filter((set) => set.load === load).map(({ body, part }) => ({ lead: part + 1, points: 10, body })),
      }),
    ),
    batches: files.map(({ batchId, pings }) => ({
      summary: {
        batchId,
        state: 'settled',
        rows: pings.length,
        rowStates: { delivered: pings.length },
      } as Evidence['batches'][0]['summary'],
      uploaded: pings.map(({ load, arrives }, index) => ({ key: `${batchId}/${index + 1}/1`, load, point: arrives })),
      lines: pings.map((_, index) => ({
        _record: String(index + 1),
        _state: 'delivered',
        _into: lead.get(`${batchId}/${index + 1}/1`) ?? '',
      })),
    })),
  };
}

const at = <T>(list: readonly T[], index: number): T => list[index] as T;

/** The second request of the first load, with its points changed. */
function repacked(found: Evidence, change: (traces: unknown[]) => unknown[]): void {
  const entry = at(found.seen, 2);
  const body = JSON.parse(entry.body) as { traces: unknown[] };
  entry.body = JSON.stringify({ ...body, traces: change(body.traces) });
}

const lines = (found: Evidence, batch: number) => at(found.batches, batch).lines;

const PLANTED: [what: string, plant: (found: Evidence) => void, sentence: RegExp][] = [
  ['a point that never arrived', (found) => repacked(found, (points) => points.slice(0, -1)), /arrived 0 times/],
  ['a point that arrived twice', (found) => repacked(found, ([p, ...more]) => [p, p, ...more]), /arrived 2 times/],
  [
    'a set that arrived twice',
    (found) => {
      found.seen = [...found.seen, { ...at(found.seen, 0), seq: 9, receivedAtMs: 9_000 }];
    },
    /arrived 2 times/,
  ],
  [
    'a point nobody sent',
    (found) => repacked(found, ([point]) => [{ ...(point as object), resourceId: 'V9' }]),
    /nobody uploaded the point .*V9/,
  ],
  ['points in no order', (found) => repacked(found, (points) => points.toReversed()), /came after/],
  [
    'an older set behind a newer one',
    (found) => {
      found.seen = found.seen.toReversed();
    },
    /TR-0 at .* came after/,
  ],
  [
    'a request that was not applied',
    (found) => {
      at(found.seen, 1).applied = false;
    },
    /journal 2 was not applied/,
  ],
  [
    'two requests in one window',
    (found) => {
      at(found.seen, 2).receivedAtMs = 5_000 + WINDOW_MS - 1;
      at(at(at(found.loads, 0), 1).attempts, 0).startedAtMs = 5_500;
    },
    /journal 3 came 999 ms after the set before it/,
  ],
  [
    'a request older than its intent',
    (found) => {
      at(at(at(found.loads, 0), 0).attempts, 0).startedAtMs = 5_008;
    },
    /journal 1 is older than its intent/,
  ],
  ['an intent that sent nothing', (found) => at(at(found.loads, 1), 0).attempts.push(anAttempt('')), /has 2 intents/],
  [
    'a request without an intent',
    (found) => at(at(found.loads, 1), 0).attempts.splice(0),
    /has 0 intents and arrived 1 times/,
  ],
  [
    'a batch that has not settled',
    (found) => {
      at(found.batches, 1).summary.state = 'delivering';
    },
    /batch b_1 is delivering/,
  ],
  [
    'a count that is short',
    (found) => {
      at(found.batches, 0).summary.rowStates = { delivered: 19 };
    },
    /b_0 is settled with 20 of 20 rows: {"delivered":19}/,
  ],
  ['a report that lacks a row', (found) => lines(found, 0).pop(), /report of b_0 has 19 rows, 20 were uploaded/],
  ['a report out of order', (found) => lines(found, 0).reverse(), /record 20 stands where 1 belongs/],
  [
    'a row with another state',
    (found) => {
      at(lines(found, 0), 3)._state = 'coalesced';
    },
    /the report calls b_0\/4\/1 coalesced/,
  ],
  [
    'a row that names another request than the one it travelled in',
    (found) => {
      for (const line of lines(found, 1)) if (line._into !== '') line._into = 'b_1/99/1';
    },
    /travelled in "b_1\/99\/1", not in "b_1\/\d+\/1"/,
  ],
  [
    'a lead that names another',
    (found) => {
      for (const line of lines(found, 1)) if (line._into === '') line._into = 'b_1/1/1';
    },
    /travelled in "b_1\/1\/1", not in ""/,
  ],
];

describe('a day of positions', () => {
  it('is found whole when everything held', () => {
    expect(traceViolations(evidence())).toEqual([]);
  });

  it.each(PLANTED)('is seen to have %s', (_, plant, sentence) => {
    const found = evidence();
    plant(found);
    expect(said(traceViolations(found)).join('\n')).toMatch(sentence);
  });

  it('has a point a minute for every load, a little out of order, the same for the same seed', () => {
    const hour = { name: 'TR', loads: 3, fromMinute: 60, minutes: 60 };
    const pings = pingsOf(hour, dice(1));
    expect(pings).toHaveLength(180);
    expect(new Set(pings.map(({ load, minute }) => `${load} ${minute}`)).size).toBe(180);
    const minutes = pings.map(({ minute }) => minute);
    expect(Math.min(...minutes)).toBe(60);
    expect(minutes).not.toEqual([...minutes].sort((one, other) => one - other));
    expect(pings).toEqual(pingsOf(hour, dice(1)));
  });
});
