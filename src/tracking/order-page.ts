/**
 * One order as its partner sees it: the document upstream, its latest statuses, and, newest page first, its operations
 * with their answers and the versions they made.
 */
import { ORDER_ATTEMPTS_SHOWN_MAX, ORDER_PAGE_CHARACTERS_MAX, ORDER_STATUSES_SHOWN_MAX } from '../kernel/limits.ts';
import type { RequestKind } from '../mapping/request.ts';
import { isOpen, type StoredAttempt, type StoredRequest } from './request.ts';
import type { OrderStatuses, StatusRow } from './store/order-statuses.ts';
import { earlierIds, type OrderStore, type UnmergedOrder } from './store/order-store.ts';
import type { SubjectStore } from './store/subject-store.ts';
import type { AcceptedOrder, LoadedBase } from './store/subject-tables.ts';

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

/** An entry of the history, with the version it made; null: none. */
interface Entry extends OrderCursor {
  request: StoredRequest | null;
  version: VersionRow | null;
}
type VersionRow = Omit<OrderVersion, 'version'>;

export function orderPage(
  { store, order, statuses }: { store: SubjectStore; order: OrderStore; statuses: OrderStatuses },
  { before, limit }: OrderPageQuery,
): OrderPage {
  const history = entriesOf(store, order);
  const earlier = before === null ? history : history.filter((entry) => isBefore(entry, before));
  const shown = fitting(earlier.slice(-limit), store);
  const first = shown[0] ?? null;
  const versions = history.flatMap(({ version }) => version ?? []);
  const earlierVersions = first === null ? versions : versions.filter((version) => isBefore(version, first));
  const requests = [...store.all()];
  return {
    accepted: order.accepted(),
    counts: {
      versions: versions.length,
      operations: requests.length,
      open: requests.filter(({ state }) => isOpen(state)).length,
    },
    versions: shown
      .flatMap(({ version }) => version ?? [])
      .map((row, index) => ({ ...row, version: earlierVersions.length + index + 1 })),
    operations: shown.flatMap(({ request }) => (request === null ? [] : [operationOf(request, store)])),
    statuses: statuses.list(ORDER_STATUSES_SHOWN_MAX),
    latestStatus: statuses.currentOnes(1, null, earlierIds(order))[0] ?? null,
    next: first !== null && shown.length < earlier.length ? { seq: first.seq, base: first.base } : null,
  };
}

const isBefore = (one: OrderCursor, other: OrderCursor): boolean =>
  one.seq < other.seq || (one.seq === other.seq && one.base < other.base);

/** Operations, and stated documents; oldest first. */
function entriesOf(store: SubjectStore, order: OrderStore): Entry[] {
  const versions = new Map(order.documents().map(({ document: _, ...row }) => [`${row.seq}/${row.base}`, row]));
  const operations = [...store.all()].map((request): Entry => {
    const accepted = versions.get(`${request.seq}/0`);
    return { seq: request.seq, base: 0, request, version: accepted ? acceptedVersion(accepted, request) : null };
  });
  const stated = order.bases().map((base): Entry => {
    return { seq: base.after_seq, base: base.number, request: null, version: statedVersion(base) };
  });
  return [...operations, ...stated].sort((one, other) => (isBefore(one, other) ? -1 : 1));
}

const acceptedVersion = (row: Omit<UnmergedOrder, 'document'>, request: StoredRequest): VersionRow => {
  const { kind, batch_id, record, diff, uploaded_by } = request;
  return { ...row, kind, batch_id, record, diff, author: null, why: null, uploaded_by };
};

const statedVersion = (base: LoadedBase): VersionRow => {
  const { after_seq: seq, number, incarnation, order_id, loaded_at_ms: accepted_at_ms, diff, author, why } = base;
  const isNoRow = { batch_id: null, record: null, uploaded_by: null };
  return {
    seq,
    base: number,
    incarnation,
    order_id,
    scac: '',
    accepted_at_ms,
    kind: 'base',
    diff,
    author,
    why,
    ...isNoRow,
  };
};

/** The newest of them, as many as fit on a page; at least one. */
function fitting(entries: readonly Entry[], store: SubjectStore): Entry[] {
  const found: Entry[] = [];
  let left = ORDER_PAGE_CHARACTERS_MAX;
  for (const entry of entries.toReversed()) {
    if (left <= 0) break;
    found.unshift(entry);
    const attempts = entry.request === null ? [] : newestAttempts(entry.request, store);
    for (const { body, headers } of attempts) left -= (body?.length ?? 0) + (headers?.length ?? 0);
    left -= (entry.request?.diff?.length ?? 0) + (entry.version?.diff?.length ?? 0);
  }
  return found;
}

const newestAttempts = ({ seq }: StoredRequest, store: SubjectStore): StoredAttempt[] =>
  store.attemptsOf(seq).slice(-ORDER_ATTEMPTS_SHOWN_MAX);

const operationOf = (request: StoredRequest, store: SubjectStore): OrderOperation => ({
  request: Object.fromEntries(OPERATION_COLUMNS.map((column) => [column, request[column]])) as OperationRow,
  attempts: newestAttempts(request, store),
});
