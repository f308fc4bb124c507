/** Every check of killed orders is seen to fail on a violation planted in evidence that is otherwise whole. */

import { describe, expect, it } from 'vitest';
import { type OrderEvidence, orderViolations } from '../../../scripts/invariants/creates.ts';
import { sendingsOf } from '../../../scripts/invariants/evidence.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { anAttempt, aStoredRequest, said } from './stored-samples.ts';

type Evidence = { -readonly [Part in keyof OrderEvidence]: OrderEvidence[Part] };

const INTERRUPTED = { effect: 'unknown', status: null, detail: 'interrupted: the bridge stopped' };
const LINES = ['SKU-0', 'SKU-1'];
const HELD = 'K-2';

const bodyOf = (orderRef: string): string => JSON.stringify({ orderRef, skus: LINES.map((sku) => ({ sku })) });

/** Three orders of two lines: two delivered, one held because a kill met its create before it arrived. */
function evidence(): Evidence {
  const orders = ['K-0', 'K-1', HELD];
  const stateOf = (orderRef: string) => (orderRef === HELD ? 'held' : 'delivered');
  return {
    seen: orders.slice(0, 2).map((orderRef, index) => ({
      seq: index + 1,
      receivedAtMs: 2_000,
      path: '/test/rcsc/order-requests/v1/',
      body: bodyOf(orderRef),
      applied: true,
      status: 200,
    })),
    sendings: orders.flatMap((orderRef, index) =>
      sendingsOf({
        requests: [
          aStoredRequest({
            record: index * 2 + 1,
            lane: 'operations',
            body: bodyOf(orderRef),
            attempts: [
              anAttempt(bodyOf(orderRef), orderRef === HELD ? INTERRUPTED : {}),
              ...(orderRef === HELD ? [anAttempt('', { purpose: 'check', effect: 'answered' })] : []),
            ],
          }),
        ],
        sets: [],
      }),
    ),
    batches: [
      {
        summary: { batchId: 'b_1', state: 'delivering', requests: 3 } as Evidence['batches'][0]['summary'],
        uploaded: orders.flatMap((orderRef) => LINES.map((sku) => ({ orderRef, sku }))),
        rows: orders.flatMap((orderRef, index) =>
          LINES.map(
            (_, line) =>
              ({
                record: index * 2 + line + 1,
                group: line === 0 ? null : index * 2 + 1,
                state: stateOf(orderRef),
                requests: [
                  {
                    kind: 'order.create',
                    subject: `order:${orderRef}`,
                    reason: orderRef === HELD ? 'not_found' : null,
                    answer: '',
                  },
                ],
              }) as unknown as BatchRow,
          ),
        ),
      },
    ],
  };
}

const at = <T>(list: readonly T[], index: number): T => list[index] as T;
const batchOf = (found: Evidence) => at(found.batches, 0);
const rowsOf = (found: Evidence) => batchOf(found).rows as BatchRow[];
const rowOf = (found: Evidence, index: number) => at(rowsOf(found), index);
const createAgain = (found: Evidence, index: number, times = 1): void => {
  const body = bodyOf(`K-${index}`);
  const again = Array.from({ length: times }, () => ({ ...at(found.seen, 0), body, seq: 9 }));
  found.seen = [...found.seen, ...again];
  at(found.sendings, index).attempts.push(at(at(found.sendings, index).attempts, 0));
};

const PLANTED: [what: string, plant: (found: Evidence) => void, sentence: RegExp][] = [
  ['a second create', (found) => createAgain(found, 0), /K-0 was created 2 times/],
  ['a second create of a held order', (found) => createAgain(found, 2, 2), /K-2 was created 2 times/],
  ['a held order that was made', (found) => createAgain(found, 2), /K-2 is held, yet its create was applied/],
  ['a second attempt', (found) => createAgain(found, 1), /create of b_1\/3\/1 has 2 attempts/],
  [
    'a create without an intent',
    (found) => {
      found.sendings = found.sendings.slice(1);
    },
    /1 requests, 0 intents: .*K-0/,
  ],
  [
    'an intent of other bytes',
    (found) => {
      at(at(found.sendings, 0).attempts, 0).requestSha256 = '0';
    },
    /b_1\/1\/1 was attempted with other bytes/,
  ],
  [
    'a delivered order that was never applied',
    (found) => {
      at(found.seen, 1).applied = false;
    },
    /K-1 is delivered, 0 creates were applied/,
  ],
  [
    'an order nobody uploaded',
    (found) => {
      at(found.seen, 1).body = bodyOf('K-9');
    },
    /nobody uploaded the order K-9/,
  ],
  [
    'a create that lacks a line',
    (found) => {
      at(found.seen, 0).body = JSON.stringify({ orderRef: 'K-0', skus: [{ sku: 'SKU-1' }] });
    },
    /K-0 was created with SKU-1, its lines are SKU-0 SKU-1/,
  ],
  ['a lost row', (found) => rowsOf(found).pop(), /b_1 has 5 rows, 6 were uploaded/],
  [
    'a row with another number',
    (found) => {
      rowOf(found, 1).record = 7;
    },
    /record 7 stands where 2 belongs/,
  ],
  [
    'a row in error',
    (found) => {
      rowOf(found, 1).state = 'invalid';
    },
    /record 2 is invalid/,
  ],
  [
    'a row held for another reason',
    (found) => {
      at(rowOf(found, 4).requests, 0).reason = 'order_id_missing';
    },
    /record 5 is held \(order_id_missing/,
  ],
  [
    'a row that points elsewhere',
    (found) => {
      rowOf(found, 3).group = 1;
    },
    /record 4 points at 1, its order begins at 3/,
  ],
  [
    'a row that shows no request',
    (found) => {
      rowOf(found, 1).requests = [];
    },
    /record 2 of K-0 shows no request/,
  ],
  [
    'a row that shows the request of another order',
    (found) => {
      rowOf(found, 1).requests = rowOf(found, 2).requests;
    },
    /record 2 of K-0 shows order.create order:K-1/,
  ],
  [
    'a batch that settled over a held row',
    (found) => {
      batchOf(found).summary.state = 'settled';
    },
    /b_1 is settled, not delivering/,
  ],
  [
    'a request too many',
    (found) => {
      batchOf(found).summary.requests = 4;
    },
    /b_1 has 4 requests for 3 orders/,
  ],
  [
    'a hold that nothing explains',
    (found) => {
      at(at(found.sendings, 2).attempts, 0).effect = 'refused';
    },
    /b_1\/5\/1 is held, yet nothing was unclear about its create: .*refused/,
  ],
  [
    'an interrupted create that nobody looked up',
    (found) => {
      Object.assign(at(at(found.sendings, 0).attempts, 0), INTERRUPTED);
    },
    /unclear what the create of b_1\/1\/1 did, yet nobody looked it up/,
  ],
];

describe('orders after kills', () => {
  it('are found whole when everything held', () => {
    expect(orderViolations(evidence())).toEqual([]);
  });

  it.each(PLANTED)('are seen to have %s', (_, plant, sentence) => {
    const found = evidence();
    plant(found);
    expect(said(orderViolations(found)).join('\n')).toMatch(sentence);
  });
});
