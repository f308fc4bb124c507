/** What the harnesses read of orders and feeds, from SQLite files with the tables of the bridge. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storedFeeds, storedOrders } from '../../../scripts/local/stored-objects.ts';
import { FEED_TABLES } from '../../../src/feed/feed-tables.ts';
import { SUBJECT_TABLES } from '../../../src/tracking/store/migrations.ts';

let persistTo: string;
beforeEach(() => {
  persistTo = mkdtempSync(join(tmpdir(), 'transload-stored-'));
});
afterEach(() => rmSync(persistTo, { recursive: true, force: true }));

function write(folder: string, name: string, sql: string): void {
  const place = join(persistTo, 'v3', 'do', folder);
  mkdirSync(place, { recursive: true });
  const database = new DatabaseSync(join(place, `${name}.sqlite`));
  database.exec(sql);
  database.close();
}

it('reads the versions, plans and sendings of each order, and leaves out one that was never named', () => {
  const tables = `${SUBJECT_TABLES}
    CREATE TABLE accepted (seq INTEGER, incarnation INTEGER, order_id TEXT, document TEXT, scac TEXT, accepted_at_ms INTEGER);
    CREATE TABLE operation (seq INTEGER, does TEXT, incarnation INTEGER, order_id TEXT, body TEXT, document TEXT, lines TEXT);`;
  write('transload-Order', 'never', tables);
  write(
    'transload-Order',
    'a1',
    `${tables}
     INSERT INTO identity VALUES (1, '{"environment":"test","partner":"p","orderRef":"SO-1"}');
     INSERT INTO request (key, lane, batch_id, record, request, generation, kind, scac, channel, body, live, accepted_at_ms,
       taken_at_ms, deadline_ms, state) VALUES ('k1', 'operations', 'b_1', 1, 1, 1, 'order.create', 'DEMO', 'c', '{}', 0, 1, 1, 1, 'delivered'),
       ('k2', 'operations', 'b_2', 1, 1, 1, 'order.update', 'DEMO', 'c', '{}', 0, 1, 1, 1, 'held');
     INSERT INTO accepted VALUES (1, 1, 'id-1', '{"v":1}', 'DEMO', 5);
     INSERT INTO operation VALUES (2, 'update', 1, 'id-1', '{"v":2}', '{"v":2}', '[]');
     INSERT INTO attempt (seq, attempt, purpose, started_at_ms, request_sha256) VALUES (2, 1, 'send', 10, 'h'), (2, 2, 'status', 11, 'h');`,
  );
  write('transload-OrderFeed', 'f1', FEED_TABLES);
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
  write(
    'transload-OrderFeed',
    'f1',
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
