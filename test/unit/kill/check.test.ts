/** Every check of killed events is seen to fail on a violation planted in evidence that is otherwise whole. */

import { describe, expect, it } from 'vitest';
import { dice } from '../../../scripts/frame/dice.ts';
import { type EventEvidence, eventViolations } from '../../../scripts/invariants/events.ts';
import { type Arrival, sendingsOf } from '../../../scripts/invariants/evidence.ts';
import { carrierFile, mixedFile } from '../../../scripts/kill/generate.ts';
import type { BatchRow, RowRequest } from '../../../src/batch/report/summary.ts';
import { anAttempt, aStoredRequest, said } from './stored-samples.ts';

type Evidence = { -readonly [Part in keyof EventEvidence]: EventEvidence[Part] };

const milestone = (row: number): string => JSON.stringify({ loadNumber: 'K-0', row });
const point = (minute: number) => ({ time: { dateTime: `09:0${minute}` } });
const traceOf = (...minutes: number[]): string => JSON.stringify({ loadNumber: 'K-0', traces: minutes.map(point) });
const SET = traceOf(1, 2);

/** Two milestones, the first sent twice; two positions in one set, sent twice too. */
function evidence(): Evidence {
  const seen = (seq: number, body: string): Arrival => ({
    seq,
    receivedAtMs: 2_000 + seq,
    path: '',
    body,
    applied: true,
    status: 200,
  });
  const twice = (body: string, carries: number[] | null) => [
    anAttempt(body, { carries, effect: 'unknown', status: null }),
    anAttempt(body, { carries }),
  ];
  return {
    seen: [seen(1, milestone(1)), seen(2, SET), seen(3, milestone(1)), seen(4, milestone(2)), seen(5, SET)],
    loads: [
      sendingsOf({
        requests: [
          aStoredRequest({ record: 1, body: milestone(1), attempts: twice(milestone(1), null) }),
          aStoredRequest({ record: 2, body: milestone(2), attempts: [anAttempt(milestone(2))] }),
          aStoredRequest({ record: 3, lane: 'traces', intoSeq: 3, attempts: twice(SET, [3, 4]) }),
          aStoredRequest({ record: 4, lane: 'traces', intoSeq: 3, state: 'coalesced' }),
        ],
        sets: [{ lead: 3, points: 2, body: SET }],
      }),
    ],
    batches: [
      {
        summary: { batchId: 'b_1', state: 'settled' } as Evidence['batches'][0]['summary'],
        rowsUploaded: 4,
        rows: [
          rowOf(1, { body: JSON.parse(milestone(1)), possibleDuplicate: true }),
          rowOf(2, { body: JSON.parse(milestone(2)) }),
          rowOf(3, { kind: 'trace', body: JSON.parse(traceOf(1)), possibleDuplicate: true }),
          rowOf(4, {
            kind: 'trace',
            body: JSON.parse(traceOf(2)),
            possibleDuplicate: true,
            state: 'coalesced',
            into: { batchId: 'b_1', record: 3, request: 1 },
            intoState: 'delivered',
          }),
        ],
      },
    ],
  };
}

const rowOf = (record: number, more: Record<string, unknown>): BatchRow => {
  const request = { request: 1, kind: 'milestone', state: 'delivered', possibleDuplicate: false, into: null };
  return {
    record,
    state: 'delivered',
    group: null,
    replaces: null,
    replacedBy: null,
    lookedUp: [],
    errors: [],
    position: { record, line: record, byteFrom: 0, byteTo: 0 },
    requests: [{ ...request, intoState: null, ...more } as unknown as RowRequest],
  };
};

const at = <T>(list: readonly T[], index: number): T => list[index] as T;
const batchOf = (found: Evidence) => at(found.batches, 0);
const rowsOf = (found: Evidence) => batchOf(found).rows as BatchRow[];
const rowIn = (found: Evidence, index: number) => at(batchOf(found).rows, index);
const requestsOf = (found: Evidence) => at(found.loads, 0).flatMap(({ carries }) => carries);
const requestIn = (found: Evidence, index: number) => at(rowIn(found, index).requests, 0);

const PLANTED: [what: string, plant: (found: Evidence) => void, sentence: RegExp][] = [
  [
    'a batch that did not settle',
    (found) => {
      batchOf(found).summary.state = 'delivering';
    },
    /batch b_1 is delivering/,
  ],
  ['a lost row', (found) => rowsOf(found).pop(), /b_1 has 3 rows, 4 were uploaded/],
  ['rows out of order', (found) => rowsOf(found).reverse(), /record 4 stands where 1 belongs/],
  [
    'a row that was given up',
    (found) => {
      rowIn(found, 1).state = 'dead';
    },
    /record 2 is dead \(/,
  ],
  [
    'a request without an intent',
    (found) => {
      found.loads = [at(found.loads, 0).slice(1)];
    },
    /2 requests, 0 intents/,
  ],
  [
    'an intent that does not name a position it carries',
    (found) => {
      at(at(at(found.loads, 0), 2).attempts, 1).carries = [3];
    },
    /an intent of b_1\/3\/1 names 1 requests, 2 travel in it/,
  ],
  [
    'a milestone that overtook another',
    (found) => {
      at(found.seen, 3).seq = 0;
    },
    /b_1\/2\/1 was applied before an earlier one of its lane/,
  ],
  [
    'a delivery that was never applied',
    (found) => {
      at(found.seen, 3).applied = false;
    },
    /b_1\/2\/1 is delivered and was never done/,
  ],
  [
    'a position that was never applied',
    (found) => {
      for (const entry of found.seen) if (entry.body === SET) entry.applied = false;
    },
    /b_1\/4\/1 is delivered and was never done/,
  ],
  [
    'a position that travelled in two sets',
    (found) => {
      at(found.seen, 4).body = traceOf(2);
    },
    /the position of b_1\/4\/1 travelled in 2 sets/,
  ],
  [
    'a position that never left',
    (found) => {
      requestIn(found, 3).body = JSON.parse(traceOf(9)) as never;
    },
    /the position of b_1\/4\/1 travelled in 0 sets/,
  ],
  [
    'a row that names another set than its own',
    (found) => {
      requestIn(found, 3).into = { batchId: 'b_1', record: 1, request: 1 };
    },
    /b_1\/4\/1 names b_1\/1\/1, its set is led by b_1\/3\/1/,
  ],
  [
    'a repeat of a milestone that nobody is told of',
    (found) => {
      requestIn(found, 0).possibleDuplicate = false;
    },
    /b_1\/1\/1 was done 2 times, unmarked/,
  ],
  [
    'a repeat of a set that one of its rows does not tell',
    (found) => {
      requestIn(found, 3).possibleDuplicate = false;
    },
    /b_1\/4\/1 was done 2 times, unmarked/,
  ],
  [
    'a repeat after an unclear answer that nobody is told of',
    (found) => {
      at(found.seen, 0).applied = false;
      requestIn(found, 0).possibleDuplicate = false;
    },
    /b_1\/1\/1 was sent again, may be there twice, and is not marked/,
  ],
  [
    'an attempt without an end',
    (found) => {
      at(at(requestsOf(found), 1).attempts, 0).effect = null;
    },
    /b_1\/2\/1 has an attempt without an end/,
  ],
  [
    'a delivery that no answer proves',
    (found) => {
      at(at(requestsOf(found), 1).attempts, 0).effect = 'unknown';
    },
    /b_1\/2\/1 is delivered without a 2xx/,
  ],
  [
    'a request that was refused and done',
    (found) => {
      requestIn(found, 1).state = 'rejected';
    },
    /b_1\/2\/1 is rejected and was done/,
  ],
  [
    'a request that was given up after an unclear answer',
    (found) => {
      at(found.seen, 3).applied = false;
      at(at(requestsOf(found), 1).attempts, 0).effect = 'unknown';
      Object.assign(requestIn(found, 1), { state: 'dead', outcome: 'not_applied' });
    },
    /b_1\/2\/1 is dead after an unclear answer/,
  ],
  [
    'a request of no row',
    (found) => {
      rowIn(found, 1).requests = [];
    },
    /b_1\/2\/1 belongs to no batch/,
  ],
];

describe('events after kills', () => {
  it('are found whole when everything held', () => {
    expect(eventViolations(evidence())).toEqual([]);
  });

  it('are found whole when a repeat that nobody is told of followed answers that proved no effect', () => {
    const found = evidence();
    at(found.seen, 0).applied = false;
    Object.assign(at(at(requestsOf(found), 0).attempts, 0), { effect: 'not_applied', status: 503 });
    requestIn(found, 0).possibleDuplicate = false;
    expect(eventViolations(found)).toEqual([]);
  });

  it('are found whole when what overtook another says so', () => {
    const found = evidence();
    at(found.seen, 3).seq = 0;
    at(requestsOf(found), 1).late = true;
    expect(eventViolations(found)).toEqual([]);
  });

  it.each(PLANTED)('are seen to have %s', (_, plant, sentence) => {
    const found = evidence();
    plant(found);
    expect(said(eventViolations(found)).join('\n')).toMatch(sentence);
  });
});

describe('generated files', () => {
  it.each([
    ['milestones', carrierFile, 0],
    ['milestones and positions', mixedFile, 8],
  ])('of %s have no two rows alike and keep the order of each load', (_, generate, positions) => {
    const text = generate('K', 4, 6, dice(1));
    expect(text).toBe(generate('K', 4, 6, dice(1)));
    const rows = text.trimEnd().split('\n').slice(1);
    expect(new Set(rows).size).toBe(24);
    expect(rows.filter((row) => row.startsWith('L,'))).toHaveLength(positions);
    for (const load of ['K-0', 'K-1', 'K-2', 'K-3']) {
      const times = rows.filter((row) => row.includes(`${load},`)).map((row) => /\d\d:\d\d/.exec(row)?.[0] ?? '');
      expect(times).toHaveLength(6);
      expect(times).toEqual([...times].sort());
    }
  });
});
