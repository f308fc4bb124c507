/** What loads and orders store, number by number: rows of this form lie in objects for months, and later releases read them. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { JOURNAL, JOURNAL_TABLE } from '../../../src/kernel/journal-table.ts';
import { migrate } from '../../../src/kernel/migrate.ts';
import { LOAD_MIGRATIONS, ORDER_MIGRATIONS } from '../../../src/tracking/store/migrations.ts';
import { storageOn } from '../object-storage.ts';
import { loadStored, orderStored, sqlOf } from './samples.ts';

/** Columns and values of a row as they are stored, and the row. */
type Stored = [key: string | number, stored: readonly unknown[], row: object];
interface StoredTable {
  number: number;
  name: string;
  /** One that says no more than it must, and one that differs everywhere from what is not stored. */
  rows: readonly [Stored, ...Stored[]];
}

const SHARED: readonly StoredTable[] = [
  { number: 0, name: 'identity', rows: [[1, [1, '{}'], { id: 1, named: '{}' }]] },
  {
    number: 1,
    name: 'request',
    rows: [
      [
        1,
        [0, 1, 3, 'b_1', 4, 7, 8, 'ABCD', 9, 'main', 10, '{}', 14, 100, 16, 101, 17, 102],
        {
          ...{ seq: 1, key: 'b_1/7/1', lane: 'milestones', batch_id: 'b_1', record: 7, request: 1, generation: 1 },
          ...{ kind: 'milestone', scac: 'ABCD', channel: 'main', body: '{}', live: 0, forced: 0, business_key: null },
          ...{ accepted_at_ms: 100, uploaded_by: null, taken_at_ms: 101, deadline_ms: 102, hold_unclear: 0 },
          ...{ load_wait_until_ms: null, strict: 0, surprise_policy: null, surprises: null, event_at_ms: null },
          ...{ state: 'queued', into_seq: null, awaits_seq: null, reason: null, outcome: null, evidence: null },
          ...{ at_ms: null, first_tried_at_ms: null, tries: 0, attempts: 0, had_unknown: 0, possible_duplicate: 0 },
          ...{ late: 0, revision: 0, status: null, answer: '', decided_at_ms: 0, diff: null, action: null },
        },
      ],
      [
        2,
        [
          ...[0, 2, 2, 'operations', 3, 'b_2', 4, 8, 5, 3, 6, 2, 7, 'order.update', 8, 'EFGH', 9, 'other', 10, '[]'],
          ...[11, 1, 12, 1, 13, 'equal', 14, 200, 15, 'k1', 16, 201, 17, 202, 18, 1, 19, 203, 20, 1, 21, '{"a":1}'],
          ...[22, '[1]', 23, 204, 24, 'dead', 25, 1, 26, 1, 27, 'deadline', 28, 'unknown', 29, 'operator', 30, 205],
          ...[31, 206, 32, 4, 33, 5, 34, 1, 35, 1, 36, 1, 37, 6, 38, 422, 39, 'no', 40, 207, 41, '[2]', 42, 'done'],
        ],
        {
          ...{ seq: 2, key: 'b_2/8/3~2', lane: 'operations', batch_id: 'b_2', record: 8, request: 3, generation: 2 },
          ...{ kind: 'order.update', scac: 'EFGH', channel: 'other', body: '[]', live: 1, forced: 1 },
          ...{ business_key: 'equal', accepted_at_ms: 200, uploaded_by: 'k1', taken_at_ms: 201, deadline_ms: 202 },
          ...{ hold_unclear: 1, load_wait_until_ms: 203, strict: 1, surprise_policy: '{"a":1}', surprises: '[1]' },
          ...{ event_at_ms: 204, state: 'dead', into_seq: 1, awaits_seq: 1, reason: 'deadline', outcome: 'unknown' },
          ...{ evidence: 'operator', at_ms: 205, first_tried_at_ms: 206, tries: 4, attempts: 5, had_unknown: 1 },
          ...{ possible_duplicate: 1, late: 1, revision: 6, status: 422, answer: 'no', decided_at_ms: 207 },
          ...{ diff: '[2]', action: 'done' },
        },
      ],
    ],
  },
  {
    number: 2,
    name: 'attempt',
    rows: [
      [
        '1/1',
        [0, 1, 3, 100, 4, 'hash'],
        {
          ...{ seq: 1, attempt: 1, purpose: 'send', started_at_ms: 100, request_sha256: 'hash' },
          ...{ token_fingerprint: null, carries: null, effect: null, status: null, headers: null, body: null },
          ...{ body_end: null, body_encoding: null, detail: null, latency_ms: null },
        },
      ],
      [
        '1/2',
        [
          ...[0, 1, 1, 2, 2, 'check', 3, 101, 4, 'other', 5, 'token', 6, '[1]', 7, 'answered', 8, 200, 9, '{}'],
          ...[10, 'yes', 11, 'whole', 12, 'utf-8', 13, 'why', 14, 12],
        ],
        {
          ...{ seq: 1, attempt: 2, purpose: 'check', started_at_ms: 101, request_sha256: 'other' },
          ...{ token_fingerprint: 'token', carries: '[1]', effect: 'answered', status: 200, headers: '{}' },
          ...{ body: 'yes', body_end: 'whole', body_encoding: 'utf-8', detail: 'why', latency_ms: 12 },
        },
      ],
    ],
  },
  { number: 3, name: 'outbox', rows: [[2, [0, 2, 1, 6], { seq: 2, revision: 6 }]] },
  {
    number: 4,
    name: 'decision',
    rows: [
      [
        'd1',
        [0, 'd1', 1, 1, 2, 100, 3, 'k1', 4, 'Kim', 5, 'seen', 6, 'close', 9, '{"a":1}', 10, '{"a":2}'],
        {
          ...{ id: 'd1', seq: 1, at_ms: 100, who: 'k1', name: 'Kim', why: 'seen', decision: 'close' },
          ...{ order_id: null, outcome: null, before: '{"a":1}', after: '{"a":2}' },
        },
      ],
      [
        'd2',
        [0, 'd2', 1, 1, 2, 100, 3, 'k1', 4, 'Kim', 5, 'seen', 6, 'close', 7, 'id-1', 8, 'unknown', 9, '{}', 10, '{}'],
        {
          ...{ id: 'd2', seq: 1, at_ms: 100, who: 'k1', name: 'Kim', why: 'seen', decision: 'close' },
          ...{ order_id: 'id-1', outcome: 'unknown', before: '{}', after: '{}' },
        },
      ],
    ],
  },
];

const OF_LOADS: readonly StoredTable[] = [
  {
    number: 5,
    name: 'trace_set',
    rows: [
      [
        1,
        [0, 1, 1, 1, 3, 2, 5, '{}'],
        { ...{ seq: 1, set_no: 1, part: 0 }, ...{ points: 2, overflowed: 0, body: '{}' } },
      ],
      [
        2,
        [0, 2, 1, 1, 2, 3, 3, 2, 4, 1, 5, '[]'],
        { seq: 2, set_no: 1, part: 3, points: 2, overflowed: 1, body: '[]' },
      ],
    ],
  },
  { number: 6, name: 'released', rows: [['b_1', [0, 'b_1'], { batch_id: 'b_1' }]] },
  {
    number: 7,
    name: 'audited',
    rows: [
      [1, [0, 1], { seq: 1, known: 1 }],
      [2, [0, 2, 1, 2], { seq: 2, known: 2 }],
    ],
  },
  { number: 8, name: 'stop_met', rows: [[3, [0, 3], { stop: 3 }]] },
];

const OF_ORDERS: readonly StoredTable[] = [
  {
    number: 5,
    name: 'accepted',
    rows: [
      [
        1,
        [0, 1, 2, 'id-1', 3, '{}', 4, 'ABCD', 5, 100],
        { seq: 1, incarnation: 1, order_id: 'id-1', document: '{}', scac: 'ABCD', accepted_at_ms: 100 },
      ],
      [
        2,
        [0, 2, 1, 2, 2, 'id-2', 3, '{}', 4, 'ABCD', 5, 101],
        { seq: 2, incarnation: 2, order_id: 'id-2', document: '{}', scac: 'ABCD', accepted_at_ms: 101 },
      ],
    ],
  },
  { number: 6, name: 'refused_operation', rows: [[3, [0, 3], { seq: 3 }]] },
  { number: 7, name: 'ended', rows: [[1, [0, 1, 1, 2, 2, 100], { incarnation: 1, seq: 2, ended_at_ms: 100 }]] },
  { number: 8, name: 'foreign_order', rows: [['id-3', [0, 'id-3', 1, 1], { order_id: 'id-3', seq: 1 }]] },
  {
    number: 9,
    name: 'loaded_base',
    rows: [
      [
        1,
        [0, 1, 1, 2, 2, 1, 3, 'id-1', 4, '{}', 5, 100, 6, 'k1', 7, 'Kim', 8, 'seen'],
        {
          ...{ number: 1, after_seq: 2, incarnation: 1, order_id: 'id-1', document: '{}', loaded_at_ms: 100 },
          ...{ key_id: 'k1', author: 'Kim', why: 'seen', diff: null },
        },
      ],
      [
        2,
        [0, 2, 1, 2, 2, 1, 3, 'id-1', 4, '{}', 5, 101, 6, 'k1', 7, 'Kim', 8, 'seen', 9, '[]'],
        {
          ...{ number: 2, after_seq: 2, incarnation: 1, order_id: 'id-1', document: '{}', loaded_at_ms: 101 },
          ...{ key_id: 'k1', author: 'Kim', why: 'seen', diff: '[]' },
        },
      ],
    ],
  },
  {
    number: 10,
    name: 'operation',
    rows: [
      [
        1,
        [0, 1, 1, 'create'],
        { seq: 1, does: 'create', incarnation: null, order_id: null, body: '', document: null, lines: null },
      ],
      [
        2,
        [0, 2, 1, 'update', 2, 1, 3, 'id-1', 4, '{}', 5, '{"a":1}', 6, '[]'],
        { seq: 2, does: 'update', incarnation: 1, order_id: 'id-1', body: '{}', document: '{"a":1}', lines: '[]' },
      ],
    ],
  },
  {
    number: 11,
    name: 'counted_delta',
    rows: [['1/A', [0, 1, 1, 'A', 2, -2.5, 3, 2], { incarnation: 1, line: 'A', amount: -2.5, seq: 2 }]],
  },
  {
    number: 12,
    name: 'followed',
    rows: [[1, [0, 1, 1, 'id-1', 2, 'create', 3, 100], { seq: 1, order_id: 'id-1', does: 'create', at_ms: 100 }]],
  },
  {
    number: 13,
    name: 'order_status',
    rows: [
      [
        1,
        [0, 1, 1, 'h1', 3, 'received', 4, 100, 5, 'milestone', 6, '{}', 7, 101],
        {
          ...{ seq: 1, hash: 'h1', order_id: null, code: 'received', at_ms: 100, level: 'milestone', place: '{}' },
          ...{ learned_at_ms: 101, corrects: null },
        },
      ],
      [
        2,
        [0, 2, 1, 'h2', 2, 'id-1', 3, 'received', 4, 100, 5, 'detail', 6, '{}', 7, 102, 8, 1],
        {
          ...{ seq: 2, hash: 'h2', order_id: 'id-1', code: 'received', at_ms: 100, level: 'detail', place: '{}' },
          ...{ learned_at_ms: 102, corrects: 1 },
        },
      ],
    ],
  },
  {
    number: 14,
    name: 'feed_link',
    rows: [
      [
        1,
        [1, '{}', 2, 100, 3, 101],
        { id: 1, pair: '{}', taken_at_ms: 100, since_ms: 101, told: null, told_at_ms: 0, heard_at_ms: 0 },
      ],
    ],
  },
];

const WHOLE_LINK: StoredTable = {
  number: 14,
  name: 'feed_link',
  rows: [
    [
      1,
      [1, '{}', 2, 100, 3, 101, 4, 'open', 5, 102, 6, 103],
      { id: 1, pair: '{}', taken_at_ms: 100, since_ms: 101, told: 'open', told_at_ms: 102, heard_at_ms: 103 },
    ],
  ],
};

const PUT = 0;
const entryOf = (tables: readonly StoredTable[]): string =>
  JSON.stringify(tables.flatMap(({ number, rows }) => rows.map(([, stored]) => [number, PUT, ...stored])));

describe.each([
  { of: 'load', migrations: LOAD_MIGRATIONS, opened: loadStored, tables: [...SHARED, ...OF_LOADS] },
  { of: 'order', migrations: ORDER_MIGRATIONS, opened: orderStored, tables: [...SHARED, ...OF_ORDERS] },
  { of: 'order that its feed heard of', migrations: ORDER_MIGRATIONS, opened: orderStored, tables: [WHOLE_LINK] },
])('the rows of a stored $of', ({ migrations, opened, tables }) => {
  type Rows = { form: { name: string }; get(key: string | number): object; put(row: object): void };
  const rowsOf = (sql: SqlStorage): Rows[] => {
    const { journal: _, ...all } = opened(sql).tables;
    return Object.values(all) as unknown as Rows[];
  };

  it('are read as they were written, each under its key', () => {
    const sql = sqlOf(migrations);
    sql.exec(JOURNAL_TABLE);
    sql.exec(`INSERT INTO ${JOURNAL} (n, entry, version) VALUES (?, ?, ?)`, 1, entryOf(tables), 1);
    const read = rowsOf(sql);
    for (const { number, name, rows } of tables) {
      const table = read[number];
      expect(table?.form.name).toBe(name);
      expect(rows.map(([key]) => [key, table?.get(key)])).toEqual(rows.map(([key, , row]) => [key, row]));
    }
  });

  it('are written so that what is as ever takes no room', () => {
    const sql = sqlOf(migrations);
    const made = opened(sql);
    const { journal, ...all } = made.tables;
    const written = Object.values(all) as unknown as Rows[];
    journal.commit(() => {
      for (const { number, rows } of tables) for (const [, , row] of rows) written[number]?.put(row);
    });
    const stored = sql.exec<{ entry: string; version: number }>(`SELECT entry, version FROM ${JOURNAL}`).toArray();
    expect(stored).toEqual([{ entry: entryOf(tables), version: 1 }]);
  });
});

it.each([
  ['Load', LOAD_MIGRATIONS],
  ['Order', ORDER_MIGRATIONS],
])('what a later release wrote is not touched, and the error says what it is: %s', (name, migrations) => {
  const storage = storageOn(new ObjectDatabase(() => ''));
  storage.sql.exec(JOURNAL_TABLE);
  storage.sql.exec(`INSERT INTO ${JOURNAL} (n, entry, version) VALUES (?, ?, ?)`, 1, '[]', 2);
  expect(() => migrate(storage, migrations)).toThrow(`this ${name} is stored in version 2`);
});
