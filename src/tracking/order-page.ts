/**
 * One order as its partner sees it: the document upstream, its latest statuses, and, newest page first, its operations
 * with their answers and the versions they made. SQL only.
 */
import { ORDER_ATTEMPTS_SHOWN_MAX, ORDER_PAGE_CHARACTERS_MAX, ORDER_STATUSES_SHOWN_MAX } from '../kernel/limits.ts';
import type { RequestKind } from '../mapping/request.ts';
import { OPEN_STATES, type StoredAttempt, type StoredRequest } from './request.ts';
import type { OrderStatuses, StatusRow } from './store/order-statuses.ts';
import { type AcceptedOrder, earlierIds, type OrderStore } from './store/order-store.ts';

/** An operation (`base` 0), or a document stated after it. A page begins here; the next one ends before it. */
export type OrderCursor = { seq: number; base: number };

export interface OrderPageQuery {
  before: OrderCursor | null;
  limit: number;
}

/** A version of the order, without its document: accepted, with the row that made it, or stated, with who did. */
export type OrderVersion = OrderCursor & {
  /** Counts from 1, over all incarnations. */
  version: number;
  incarnation: number;
  order_id: string;
  scac: string;
  accepted_at_ms: number;
  kind: RequestKind | 'base';
  batch_id: string | null;
  record: number | null;
  /** JSON: what it changed; null for a create, or for a document stated for an unknown order. */
  diff: string | null;
  author: string | null;
  why: string | null;
  /** Id of the partner's key its row came with; null: not known, or it was stated. */
  uploaded_by: string | null;
};

const OPERATION_COLUMNS = [
  ...(['seq', 'kind', 'batch_id', 'record', 'request', 'generation', 'scac', 'state', 'reason', 'outcome'] as const),
  ...(['evidence', 'status', 'accepted_at_ms', 'uploaded_by', 'at_ms', 'decided_at_ms', 'diff', 'action'] as const),
];
type OperationRow = Pick<StoredRequest, (typeof OPERATION_COLUMNS)[number]>;

export interface OrderOperation {
  request: OperationRow;
  /** The newest of them, oldest first. */
  attempts: StoredAttempt[];
}

/** For the whole order. */
type OrderCounts = { versions: number; operations: number; open: number };

export interface OrderPage {
  accepted: AcceptedOrder | null;
  counts: OrderCounts;
  /** Oldest first; over all incarnations. */
  versions: OrderVersion[];
  /** Oldest first. */
  operations: OrderOperation[];
  /** Including corrected ones, and those of earlier orders under the same reference. */
  statuses: StatusRow[];
  /** The latest one that is valid, of the current order; null: none. */
  latestStatus: StatusRow | null;
  /** Where the earlier entries begin; null: there are none. */
  next: OrderCursor | null;
}

/** Every entry of the history: operations, and stated documents. */
const PLACES = '(SELECT seq, 0 AS base FROM request UNION ALL SELECT after_seq, number FROM loaded_base)';
/** The entries that made a version. */
const VERSIONS = `(SELECT seq, 0 AS base FROM accepted WHERE seq NOT IN (SELECT seq FROM refused_operation)
  UNION ALL SELECT after_seq, number FROM loaded_base)`;
const END: OrderCursor = { seq: Number.MAX_SAFE_INTEGER, base: 0 };

export function orderPage(
  sql: SqlStorage,
  { order, statuses }: { order: OrderStore; statuses: OrderStatuses },
  { before, limit }: OrderPageQuery,
): OrderPage {
  const { seq, base } = before ?? END;
  const places = sql
    .exec<OrderCursor>(
      `SELECT seq, base FROM ${PLACES} WHERE (seq, base) < (?, ?) ORDER BY seq DESC, base DESC LIMIT ?`,
      ...[seq, base, limit + 1],
    )
    .toArray();
  const page = locationsOf(sql, places.slice(0, limit));
  const first = page.places.at(-1) ?? END;
  const versionsBefore = countOf(sql, `SELECT count(*) AS count FROM ${VERSIONS} WHERE (seq, base) < (?, ?)`, first);
  return {
    accepted: order.accepted(),
    counts: sql
      .exec<OrderCounts>(
        `SELECT (SELECT count(*) FROM ${VERSIONS}) AS versions, count(*) AS operations,
           coalesce(sum(state IN ${OPEN_STATES}), 0) AS open FROM request`,
      )
      .one(),
    versions: page.versions.reverse().map((row, index) => ({ ...row, version: versionsBefore + index + 1 })),
    operations: page.operations.reverse(),
    statuses: statuses.list(ORDER_STATUSES_SHOWN_MAX),
    latestStatus: statuses.currentOnes(1, null, earlierIds(sql, order))[0] ?? null,
    next: page.places.length < places.length ? first : null,
  };
}

type VersionRow = Omit<OrderVersion, 'version'>;

/** Newest first, as many as fit; at least one. */
function locationsOf(sql: SqlStorage, all: readonly OrderCursor[]) {
  const found = { places: [] as OrderCursor[], operations: [] as OrderOperation[], versions: [] as VersionRow[] };
  let left = ORDER_PAGE_CHARACTERS_MAX;
  for (const place of all) {
    if (left <= 0) break;
    const operation = place.base === 0 ? operationAt(sql, place.seq) : undefined;
    const version = versionAt(sql, place);
    found.places.push(place);
    if (operation !== undefined) found.operations.push(operation);
    if (version !== undefined) found.versions.push(version);
    for (const { body, headers } of operation?.attempts ?? []) left -= (body?.length ?? 0) + (headers?.length ?? 0);
    left -= (operation?.request.diff?.length ?? 0) + (version?.diff?.length ?? 0);
  }
  return found;
}

function operationAt(sql: SqlStorage, seq: number): OrderOperation {
  const request = sql
    .exec<OperationRow>(`SELECT ${OPERATION_COLUMNS.join(', ')} FROM request WHERE seq = ?`, seq)
    .one();
  const newest = 'SELECT * FROM attempt WHERE seq = ? ORDER BY attempt DESC LIMIT ?';
  return { request, attempts: sql.exec<StoredAttempt>(newest, seq, ORDER_ATTEMPTS_SHOWN_MAX).toArray().reverse() };
}

function versionAt(sql: SqlStorage, { seq, base }: OrderCursor): VersionRow | undefined {
  const accepted = `SELECT seq, 0 AS base, incarnation, order_id, accepted.scac, accepted.accepted_at_ms, kind, batch_id, record, diff,
      NULL AS author, NULL AS why, uploaded_by FROM accepted JOIN request USING (seq)
    WHERE seq = ? AND seq NOT IN (SELECT seq FROM refused_operation)`;
  const stated = `SELECT after_seq AS seq, number AS base, incarnation, order_id, '' AS scac, loaded_at_ms AS accepted_at_ms,
      'base' AS kind, NULL AS batch_id, NULL AS record, diff, author, why, NULL AS uploaded_by FROM loaded_base WHERE number = ?`;
  return sql.exec<VersionRow>(base === 0 ? accepted : stated, base === 0 ? seq : base).toArray()[0];
}

const countOf = (sql: SqlStorage, query: string, { seq, base }: OrderCursor): number =>
  sql.exec<{ count: number }>(query, seq, base).one().count;

/**
 * Whether anything was ever written for the order. Checked without creating its tables, so that a made-up name leaves
 * nothing.
 */
export function isWritten(sql: SqlStorage): boolean {
  const tables = sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'identity'`).toArray();
  return tables.length > 0 && sql.exec('SELECT 1 FROM identity').toArray().length > 0;
}
