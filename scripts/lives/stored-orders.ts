/** What Order and OrderFeed objects stored beyond their requests, read from their SQLite files while the bridge is down. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A document that the upstream accepted. @property seq of the operation that brought it about. */
export interface StoredVersion {
  seq: number;
  incarnation: number;
  orderId: string;
  document: string;
}

/** What an operation does, as decided at its first turn. @property body sent byte for byte; '' for a cancel. */
export interface StoredPlan {
  seq: number;
  does: 'create' | 'update' | 'cancel';
  orderId: string | null;
  body: string;
  /** Those that sent it. */
  attempts: { startedAtMs: number; requestSha256: string }[];
}

export interface StoredOrder {
  orderRef: string;
  versions: StoredVersion[];
  plans: StoredPlan[];
  /** Operations in hand-over order. */
  operations: { seq: number; kind: string; state: string; reason: string | null }[];
}

export interface StoredPoll {
  pollNo: number;
  state: string;
  startedAtMs: number;
  endedAtMs: number | null;
}

export interface StoredGap {
  pollNo: number;
  why: string;
  closedBy: string | null;
}

export interface StoredFeed {
  /** Polls are timed from then on. */
  beganAtMs: number;
  polls: StoredPoll[];
  gaps: StoredGap[];
}

/** @param persistTo the folder of `wrangler dev`. Orders that were never written are left out. */
export const storedOrders = (persistTo: string): StoredOrder[] =>
  objectFiles(persistTo, 'Order').flatMap((path) => reading(path, orderIn) ?? []);

export const storedFeeds = (persistTo: string): StoredFeed[] =>
  objectFiles(persistTo, 'OrderFeed').flatMap((path) => reading(path, feedIn) ?? []);

function objectFiles(persistTo: string, className: string): string[] {
  const root = join(persistTo, 'v3', 'do');
  if (!existsSync(root)) return [];
  const folder = new RegExp(`(^|[-/\\\\])${className}[/\\\\][^/\\\\]+$`);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sqlite') && folder.test(path) && !path.endsWith('metadata.sqlite'))
    .map((path) => join(root, path));
}

type StoreQuery = <T>(sql: string) => T[];

function reading<T>(path: string, read: (all: StoreQuery) => T | undefined): T | undefined {
  const database = new DatabaseSync(path); // not read-only: a killed process leaves a journal to roll back
  try {
    return read(<Row>(sql: string) => database.prepare(sql).all() as unknown as Row[]);
  } finally {
    database.close();
  }
}

const hasTable = (all: StoreQuery, name: string): boolean =>
  all(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${name}'`).length > 0;

function orderIn(all: StoreQuery): StoredOrder | undefined {
  if (!hasTable(all, 'identity') || !hasTable(all, 'operation')) return undefined;
  const [identity] = all<{ named: string }>('SELECT named FROM identity');
  if (identity === undefined) return undefined;
  const { orderRef } = JSON.parse(identity.named) as { orderRef: string };
  const sendingsOf = Map.groupBy(
    all<StoredPlan['attempts'][number] & { seq: number }>(
      `SELECT seq, started_at_ms AS startedAtMs, request_sha256 AS requestSha256 FROM attempt WHERE purpose = 'send' ORDER BY seq, attempt`,
    ),
    ({ seq }) => seq,
  );
  return {
    orderRef,
    versions: all<StoredVersion>('SELECT seq, incarnation, order_id AS orderId, document FROM accepted ORDER BY seq'),
    plans: all<Omit<StoredPlan, 'attempts'>>(
      'SELECT seq, does, order_id AS orderId, body FROM operation ORDER BY seq',
    ).map((plan) => ({ ...plan, attempts: sendingsOf.get(plan.seq) ?? [] })),
    operations: all<StoredOrder['operations'][number]>('SELECT seq, kind, state, reason FROM request ORDER BY seq'),
  };
}

function feedIn(all: StoreQuery): StoredFeed | undefined {
  if (!hasTable(all, 'poll')) return undefined;
  const [feed] = all<{ beganAtMs: number }>('SELECT began_at_ms AS beganAtMs FROM feed');
  if (feed === undefined) return undefined;
  return {
    ...feed,
    polls: all<StoredPoll>(
      'SELECT poll_no AS pollNo, state, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs FROM poll ORDER BY poll_no',
    ),
    gaps: all<StoredGap>('SELECT poll_no AS pollNo, why, closed_by AS closedBy FROM gap ORDER BY poll_no'),
  };
}
