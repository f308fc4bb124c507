/** Every check of orders that are changed while the bridge is killed is seen to fail on a violation planted in evidence that is otherwise whole. */

import { describe, expect, it } from 'vitest';
import { type StoredOrder, sha256 } from '../../../scripts/invariants/evidence.ts';
import { type ChangeEvidence, changeViolations, type OrderEnd } from '../../../scripts/invariants/orders.ts';
import { documentOf, livesOf, wantedOrder } from '../../../scripts/lives/order-lives.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { said } from './stored-samples.ts';

type Evidence = { -readonly [Part in keyof ChangeEvidence]: ChangeEvidence[Part] };
type Seen = ChangeEvidence['seen'][number];

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const PAIR = { partnerId: 'P', clientId: 'C' };
/** One order that is changed by both files and then cancelled, and one that nobody touches. */
const LIVES = livesOf({ name: 'K', orders: 2, changed: 0, cancelled: 0 }).map((life, index) =>
  index === 0 ? { ...life, changedBy: ['csv', 'x12'] as const, cancelledBy: 'csv' as const } : life,
);
const at = <T>(list: readonly T[], index: number): T => list[index] as T;

const write = (seq: number, method: 'PUT' | 'DELETE', body: string): Seen => ({
  seq,
  receivedAtMs: seq * 1_000,
  method,
  path: `/test/rcsc/order-requests/v1/${ID}`,
  body,
  applied: true,
  appliedAtMs: seq * 1_000,
});
const row = (record: number): BatchRow =>
  ({
    record,
    state: 'delivered',
    requests: [{ subject: 'order:K-0', reason: null, answer: '' }],
  }) as unknown as BatchRow;

function evidence(): Evidence {
  const bodies = ['{"version":2}', '{"version":3}', ''];
  const stored: StoredOrder = {
    orderRef: 'K-0',
    versions: [
      { seq: 1, incarnation: 1, orderId: ID, document: JSON.stringify({ ...documentOf(at(LIVES, 0)), ...PAIR }) },
    ],
    plans: bodies.map((body, index) => ({
      seq: index + 2,
      does: body === '' ? 'cancel' : 'update',
      orderId: ID,
      body,
      attempts: [{ startedAtMs: (index + 2) * 1_000 - 1, requestSha256: sha256(body) }],
    })),
    operations: [1, 2, 3, 4].map((seq) => ({ seq, kind: 'order.update', state: 'delivered', reason: null })),
  };
  const ends = LIVES.map((life, index): [string, OrderEnd] => {
    const { orderRef, changedBy, cancelledBy } = life;
    const document = { ...documentOf(life), ...PAIR };
    const id = index === 0 ? ID : ID.replace(/0$/, '1');
    const isLive = cancelledBy === null;
    const order = {
      id,
      environment: 'test' as const,
      account: 'demo',
      ...PAIR,
      scac: 'DEMO',
      orderRef,
      createdAtMs: 0,
      cancelledAtMs: isLive ? null : 4_000,
      actions: [],
      version: 1 + changedBy.length,
      document,
    };
    const shown = {
      orderRef,
      orderId: isLive ? id : null,
      document: isLive ? document : null,
      versions: [],
      operations: [],
      statuses: [],
    };
    const versions = [{ seq: 1, incarnation: 1, orderId: id, document: JSON.stringify(document) }];
    return [orderRef, { shown, versions, standing: [order] }];
  });
  return {
    wanted: LIVES.map((life) => wantedOrder(life, PAIR)),
    ends: new Map(ends),
    seen: [write(2, 'PUT', at(bodies, 0)), write(3, 'PUT', at(bodies, 1)), write(4, 'DELETE', '')],
    stored: [stored],
    batches: [
      {
        summary: { batchId: 'b_1' } as Evidence['batches'][0]['summary'],
        rows: [row(1), row(2)],
        orderRefs: ['K-0', 'K-0'],
      },
    ],
  };
}

const orderIn = (found: Evidence): StoredOrder => at(found.stored, 0);
const rowIn = (found: Evidence): BatchRow => at(at(found.batches, 0).rows, 1);

const PLANTED: [what: string, plant: (found: Evidence) => void, sentence: RegExp][] = [
  [
    'a write that nobody planned',
    (found) => {
      found.seen = [...found.seen, write(1, 'PUT', '{"version":9}')];
    },
    /^1 requests, 0 intents: PUT .*"version":9/,
  ],
  [
    'a write of another order',
    (found) => {
      found.seen = [...found.seen, { ...write(1, 'PUT', '{"version":2}'), path: '/test/rcsc/order-requests/v1/ff' }];
    },
    /^1 requests, 0 intents: PUT ff/,
  ],
  [
    'a repeat without an intent',
    (found) => {
      found.seen = [at(found.seen, 0), ...found.seen];
    },
    /2 requests, 1 intents: PUT .*"version":2/,
  ],
  [
    'a write before its intent',
    (found) => {
      Object.assign(at(at(orderIn(found).plans, 0).attempts, 0), { startedAtMs: 2_001 });
    },
    /journal 2 was received before its intent/,
  ],
  [
    'a try with other bytes',
    (found) => {
      Object.assign(at(at(orderIn(found).plans, 1).attempts, 0), { requestSha256: '0' });
    },
    /update 3 of K-0 was attempted with other bytes/,
  ],
  [
    'an older document behind a newer one',
    (found) => {
      Object.assign(at(found.seen, 0), { appliedAtMs: 3_500 });
    },
    /journal 2 overwrote K-0 with an older document/,
  ],
  [
    'an update behind the cancel',
    (found) => {
      Object.assign(at(found.seen, 2), { receivedAtMs: 2_100, appliedAtMs: 2_100 });
      Object.assign(at(at(orderIn(found).plans, 2).attempts, 0), { startedAtMs: 2_000 });
    },
    /journal 3 was sent after the cancel of K-0/,
  ],
  [
    'a row that is lost',
    (found) => {
      found.batches = found.batches.map((batch) => ({ ...batch, rows: batch.rows.slice(1) }));
    },
    /b_1 has 1 rows, 2 were uploaded[\s\S]*record 2 stands where 1 belongs/,
  ],
  [
    'a row that shows another order',
    (found) => {
      Object.assign(rowIn(found), { requests: [{ subject: 'order:K-9' }] });
    },
    /record 2 shows order:K-9 where K-0 belongs/,
  ],
  [
    'a row that was refused',
    (found) => {
      Object.assign(rowIn(found), { state: 'dead' });
    },
    /b_1: record 2 is dead/,
  ],
  [
    'another document upstream',
    (found) => {
      Object.assign(at(found.ends.get('K-1')?.standing ?? [], 0), { document: { orderRef: 'K-1' } });
    },
    /K-1 was accepted as [\s\S]*K-1 is .*asked for was/,
  ],
  [
    'a second order',
    (found) => {
      const end = found.ends.get('K-1');
      if (end) Object.assign(end, { standing: [...end.standing, ...end.standing] });
    },
    /K-1 stands 2 times upstream/,
  ],
];

describe('orders that are changed while the bridge is killed', () => {
  it('are found well kept when everything held, and when an intended repeat arrived', () => {
    const found = evidence();
    expect(changeViolations(found)).toEqual([]);
    const cancel = at(orderIn(found).plans, 2);
    cancel.attempts.push({ startedAtMs: 4_500, requestSha256: sha256('') });
    found.seen = [...found.seen, write(5, 'DELETE', '')];
    expect(changeViolations(found)).toEqual([]);
  });

  it('are left to a person where one of their operations is held', () => {
    const found = evidence();
    Object.assign(rowIn(found), { state: 'queued' });
    found.ends = new Map();
    expect(changeViolations(found)).toHaveLength(3);
    at(orderIn(found).operations, 1).state = 'held';
    expect(said(changeViolations(found))).toEqual(['K-1 stands 0 times upstream']);
  });

  it.each(PLANTED)('are seen to have %s', (_, plant, sentence) => {
    const found = evidence();
    plant(found);
    expect(said(changeViolations(found)).join('\n')).toMatch(sentence);
  });
});
