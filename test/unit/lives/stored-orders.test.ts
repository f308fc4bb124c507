/** What the harnesses read of orders and feeds, from SQLite files with the tables of the bridge. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storedFeeds, storedOrders } from '../../../scripts/local/stored-objects.ts';
import { FEED_TABLES } from '../../../src/feed/feed-tables.ts';
import type { PartnerScope } from '../../../src/kernel/names.ts';
import { OrderStore } from '../../../src/tracking/store/order-store.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { writeObject, writeOrder } from '../stored-file.ts';
import { aTaken } from '../tracking/samples.ts';

let persistTo: string;
beforeEach(() => {
  persistTo = mkdtempSync(join(tmpdir(), 'transload-stored-'));
});
afterEach(() => rmSync(persistTo, { recursive: true, force: true }));

const writeFeed = (text: string): string => writeObject(persistTo, { className: 'OrderFeed' }, (sql) => sql.exec(text));

it('reads the versions, plans and sendings of each order, and leaves out one that was never named', () => {
  writeOrder(persistTo, 'never', () => undefined);
  writeOrder(persistTo, 'a1', (tables) => {
    const store = new SubjectStore(tables);
    const order = new OrderStore(tables, store);
    store.identify({ environment: 'test', partner: 'p', orderRef: 'SO-1' } as PartnerScope);
    store.add([aTaken(1, { kind: 'order.create' }), aTaken(2, { kind: 'order.update' })]);
    tables.request.patch(1, { state: 'delivered' });
    order.accept({
      ...{ seq: 1, incarnation: 1, order_id: 'id-1', document: '{"v":1}', scac: 'DEMO', accepted_at_ms: 5 },
    });
    const plan = {
      seq: 2,
      does: 'update',
      incarnation: 1,
      order_id: 'id-1',
      body: '{"v":2}',
      document: '{"v":2}',
    } as const;
    tables.operation.put({ ...plan, lines: '[]' });
    for (const [purpose, startedAtMs] of [
      ['send', 10],
      ['status', 11],
    ] as const) {
      store.beginAttempt({
        ...{ seq: 2, purpose, startedAtMs, requestSha256: 'h', tokenFingerprint: null },
        ...{ possibleDuplicate: false, late: false, carries: null },
      });
    }
    tables.request.patch(2, { state: 'held' });
  });
  writeFeed(FEED_TABLES);
  expect(storedOrders(persistTo)).toEqual([
    {
      orderRef: 'SO-1',
      versions: [{ seq: 1, incarnation: 1, orderId: 'id-1', document: '{"v":1}' }],
      plans: [
        {
          seq: 2,
          does: 'update',
          orderId: 'id-1',
          body: '{"v":2}',
          attempts: [{ startedAtMs: 10, requestSha256: 'h' }],
        },
      ],
      operations: [
        { seq: 1, kind: 'order.create', state: 'delivered', reason: null },
        { seq: 2, kind: 'order.update', state: 'held', reason: null },
      ],
    },
  ]);
});

it('reads the polls and gaps of a feed', () => {
  writeFeed(
    `${FEED_TABLES}
     INSERT INTO feed (id, settings, mapping, began_at_ms, next_poll_ms) VALUES (1, '{}', '{}', 1, 5);
     INSERT INTO poll (state, started_at_ms, ended_at_ms) VALUES ('read', 1, 2), ('lost', 3, NULL);
     INSERT INTO gap VALUES (2, 'cut', 1, 4, 9, 'repair');`,
  );
  expect(storedFeeds(persistTo)).toEqual([
    {
      beganAtMs: 1,
      polls: [
        { pollNo: 1, state: 'read', startedAtMs: 1, endedAtMs: 2 },
        { pollNo: 2, state: 'lost', startedAtMs: 3, endedAtMs: null },
      ],
      gaps: [{ pollNo: 2, why: 'cut', closedBy: 'repair' }],
    },
  ]);
});
