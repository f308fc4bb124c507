/** Rows of a load or an order as its living object has them: a test changes them as the object does, in a commit. */
import { runInDurableObject } from 'cloudflare:test';
import type { Rows } from '../../src/kernel/row-journal.ts';
import type { Load } from '../../src/tracking/load.ts';
import type { Order } from '../../src/tracking/order.ts';
import type { StoredRequest } from '../../src/tracking/request.ts';
import type { OrderStore } from '../../src/tracking/store/order-store.ts';
import type { LoadTables, OrderTables, SubjectTables } from '../../src/tracking/store/subject-tables.ts';

type TablesOf<T> = T extends Load ? LoadTables : T extends Order ? OrderTables : SubjectTables;

interface Parts<T> {
  store: { tables: TablesOf<T> };
  /** Of an order. */
  order: OrderStore;
}
const partsOf = <T extends object>(instance: T): Parts<T> => (instance as unknown as { parts: Parts<T> }).parts;

export const tablesOf = <T extends object>(instance: T): TablesOf<T> => partsOf(instance).store.tables;

export const change = <T extends Load | Order, R>(
  stub: DurableObjectStub<T>,
  run: (tables: TablesOf<T>, parts: Parts<T>) => R,
): Promise<R> =>
  runInDurableObject(stub, (instance) => {
    const parts = partsOf(instance as unknown as T);
    const { tables } = parts.store;
    return tables.journal.commit(() => run(tables, parts));
  });

/** Gives rows other values. @param which all, unless it says so. */
export function patchAll<R extends object>(
  rows: Rows<R>,
  to: Partial<R> | ((row: R) => Partial<R>),
  which: (row: R) => boolean = () => true,
): void {
  for (const row of [...rows.values()].filter(which)) {
    rows.patch(rows.form.keyOf(row), typeof to === 'function' ? to(row) : to);
  }
}

/** Gives requests of a load or an order other values. */
export type Becomes = (
  to: Partial<StoredRequest> | ((request: StoredRequest) => Partial<StoredRequest>),
  which?: (request: StoredRequest) => boolean,
) => Promise<void>;

export const becomes =
  <T extends Load | Order>(stub: () => DurableObjectStub<T>): Becomes =>
  (to, which) =>
    change(stub(), ({ request }) => patchAll(request, to, which));

/** Attempts that were answered so, after those there are. */
export function addAttempts(
  { request, attempt }: SubjectTables,
  seq: number,
  attempts: readonly { effect: string | null; startedAtMs?: number; status?: number; body?: string }[],
): void {
  const { attempts: before } = request.get(seq) ?? { attempts: 0 };
  attempt.putAll(
    attempts.map(({ effect, startedAtMs = 0, status = null, body = null }, index) => ({
      ...{ seq, attempt: before + index + 1, purpose: 'send', started_at_ms: startedAtMs, request_sha256: 'x' },
      ...{ token_fingerprint: null, carries: null, effect, status, headers: null, body, body_end: null },
      ...{ body_encoding: null, detail: null, latency_ms: null },
    })),
  );
  request.patch(seq, { attempts: before + attempts.length });
}
