/** What objects stored, read from their SQLite files while the bridge is down: the view from outside. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { JOURNAL } from '../../src/kernel/journal-table.ts';
import type { StoredAttempt as AttemptRow, StoredRequest as RequestRow } from '../../src/tracking/request.ts';
import { loadTables, orderTables } from '../../src/tracking/store/subject-tables.ts';
import type { StoredFeed, StoredOrder, StoredRequest, StoredSubject } from '../invariants/evidence.ts';

/** One file per object of the class. A run that kills looks every few milliseconds: no other class is listed. @param persistTo the folder of `wrangler dev`. */
export function objectFiles(persistTo: string, className: string): string[] {
  const root = join(persistTo, 'v3', 'do');
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((folder) => folder === className || folder.endsWith(`-${className}`))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((path) => path.endsWith('.sqlite') && !path.endsWith('metadata.sqlite'));
}

type StoreQuery = <Row>(sql: string, ...values: SQLInputValue[]) => Row[];

/** @param tables without which there is nothing to read. */
function objectsOf<T>(
  persistTo: string,
  className: string,
  tables: readonly string[],
  read: (all: StoreQuery, known: ReadonlySet<string>) => T | undefined,
): T[] {
  return objectFiles(persistTo, className).flatMap((path) => {
    const database = new DatabaseSync(path); // not read-only: a killed process leaves a journal to roll back
    const all: StoreQuery = <Row>(sql: string, ...values: SQLInputValue[]) =>
      database.prepare(sql).all(...values) as unknown as Row[];
    try {
      const known = new Set(all<{ name: string }>('SELECT name FROM sqlite_master').map(({ name }) => name));
      return tables.every((name) => known.has(name)) ? (read(all, known) ?? []) : [];
    } finally {
      database.close();
    }
  });
}

/** The journal of an object, as its class reads it. */
function sqlOf(all: StoreQuery): SqlStorage {
  const exec = (sql: string, ...values: SQLInputValue[]) => {
    const rows = all(sql, ...values);
    return { toArray: () => rows, [Symbol.iterator]: () => rows[Symbol.iterator]() };
  };
  return { exec } as unknown as SqlStorage;
}

const attemptsOf = (attempts: Iterable<AttemptRow>): Map<number, AttemptRow[]> =>
  Map.groupBy(attempts, ({ seq }) => seq);

/** Loads or orders that took a request. */
export const storedSubjects = (persistTo: string, className: 'Load' | 'Order'): StoredSubject[] =>
  objectsOf(persistTo, className, [JOURNAL], (all) => {
    const tables = className === 'Load' ? loadTables(sqlOf(all)) : orderTables(sqlOf(all));
    tables.journal.read();
    const attempts = attemptsOf(tables.attempt.values());
    const sets = 'trace_set' in tables ? [...tables.trace_set.values()] : [];
    return {
      requests: [...tables.request.values()].map((row) => requestOf(row, attempts.get(row.seq) ?? [])),
      sets: sets
        .sort((one, other) => one.set_no - other.set_no || one.part - other.part)
        .map(({ seq: lead, points, body }) => ({ lead, points, body })),
    };
  });

const requestOf = (row: RequestRow, attempts: readonly AttemptRow[]): StoredRequest => ({
  batchId: row.batch_id,
  record: row.record,
  request: row.request,
  seq: row.seq,
  lane: row.lane,
  kind: row.kind,
  body: row.body,
  state: row.state,
  reason: row.reason,
  intoSeq: row.into_seq,
  takenAtMs: row.taken_at_ms,
  possibleDuplicate: row.possible_duplicate === 1,
  late: row.late === 1,
  attempts: attempts.map((attempt) => ({
    purpose: attempt.purpose,
    startedAtMs: attempt.started_at_ms,
    effect: attempt.effect,
    status: attempt.status,
    detail: attempt.detail,
    latencyMs: attempt.latency_ms,
    requestSha256: attempt.request_sha256,
    tokenFingerprint: attempt.token_fingerprint,
    carries: attempt.carries === null ? null : (JSON.parse(attempt.carries) as number[]),
  })),
});

/** Orders that were never written are left out. */
export const storedOrders = (persistTo: string): StoredOrder[] =>
  objectsOf(persistTo, 'Order', [JOURNAL], (all) => {
    const tables = orderTables(sqlOf(all));
    tables.journal.read();
    const identity = tables.identity.get(1);
    if (identity === undefined) return undefined;
    const attempts = attemptsOf([...tables.attempt.values()].filter(({ purpose }) => purpose === 'send'));
    return {
      orderRef: (JSON.parse(identity.named) as { orderRef: string }).orderRef,
      versions: [...tables.accepted.values()].map(({ seq, incarnation, order_id: orderId, document }) => ({
        ...{ seq, incarnation, orderId, document },
      })),
      plans: [...tables.operation.values()].map(({ seq, does, order_id: orderId, body }) => ({
        ...{ seq, does, orderId, body },
        attempts: (attempts.get(seq) ?? []).map(({ started_at_ms: startedAtMs, request_sha256: requestSha256 }) => ({
          ...{ startedAtMs, requestSha256 },
        })),
      })),
      operations: [...tables.request.values()].map(({ seq, kind, state, reason }) => ({ seq, kind, state, reason })),
    };
  });

export const storedFeeds = (persistTo: string): StoredFeed[] =>
  objectsOf(persistTo, 'OrderFeed', ['poll'], (all) => {
    const [feed] = all<{ beganAtMs: number }>('SELECT began_at_ms AS beganAtMs FROM feed');
    if (feed === undefined) return undefined;
    return {
      ...feed,
      polls: all(
        'SELECT poll_no AS pollNo, state, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs FROM poll ORDER BY poll_no',
      ),
      gaps: all('SELECT poll_no AS pollNo, why, closed_by AS closedBy FROM gap ORDER BY poll_no'),
    };
  });
