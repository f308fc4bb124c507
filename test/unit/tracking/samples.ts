/** A subject's storage and the requests that come to it, for the tests of this folder. */
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { Migrations } from '../../../src/kernel/migrate.ts';
import { requestKey } from '../../../src/kernel/names.ts';
import type { RowJournal } from '../../../src/kernel/row-journal.ts';
import { ActionFollow } from '../../../src/tracking/lanes/order-lookup.ts';
import type { EnqueuedRequest } from '../../../src/tracking/request.ts';
import { LoadJourney } from '../../../src/tracking/store/load-events.ts';
import { LOAD_MIGRATIONS, ORDER_MIGRATIONS } from '../../../src/tracking/store/migrations.ts';
import { OrderStatuses } from '../../../src/tracking/store/order-statuses.ts';
import { OrderStore, PlanStore } from '../../../src/tracking/store/order-store.ts';
import { SubjectStore } from '../../../src/tracking/store/subject-store.ts';
import { loadTables, orderTables } from '../../../src/tracking/store/subject-tables.ts';
import { TraceStore } from '../../../src/tracking/store/trace-store.ts';
import { storageOf } from '../object-storage.ts';
import { NOW_MS } from '../upstream/samples.ts';

export const sqlOf = (migrations: Migrations): SqlStorage => storageOf(new ObjectDatabase(() => ''), migrations).sql;

/** What a load makes over its storage. A second one over the same storage is the object after a restart. */
export function loadStored(sql = sqlOf(LOAD_MIGRATIONS)) {
  const tables = loadTables(sql);
  const store = new SubjectStore(tables);
  const traces = new TraceStore(tables, store);
  const journey = new LoadJourney(tables, store);
  tables.journal.read();
  return { sql, tables, store, traces, journey };
}

/** The same of an order. */
export function orderStored(sql = sqlOf(ORDER_MIGRATIONS)) {
  const tables = orderTables(sql);
  const store = new SubjectStore(tables);
  const order = new OrderStore(tables, store);
  const plans = new PlanStore(tables, store);
  const actions = new ActionFollow(tables, store);
  const statuses = new OrderStatuses(tables, store);
  tables.journal.read();
  return { sql, tables, store, order, plans, actions, statuses };
}

/** Each call of it is a commit of its own. */
export const committing = <T extends object>(journal: RowJournal, of: T): T =>
  new Proxy(of, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => journal.commit(() => member.apply(target, values) as unknown);
    },
  });

/** A milestone from a file, as its load takes it over. */
export function aTaken(record: number, more: Partial<EnqueuedRequest> = {}): EnqueuedRequest {
  const { batchId = 'b_1', request = 1, generation = 1 } = more;
  const first = requestKey(batchId, record, request);
  return {
    key: generation === 1 ? first : `${first}~${generation}`,
    batchId,
    record,
    request,
    generation,
    mayHaveArrived: false,
    kind: 'milestone',
    scac: 'DEMO',
    channel: 'main',
    body: JSON.stringify({ record }),
    acceptedAtMs: NOW_MS,
    live: false,
    forced: false,
    rules: null,
    lane: 'milestones',
    takenAtMs: NOW_MS,
    deadlineMs: NOW_MS + 3_600_000,
    loadWaitUntilMs: null,
    eventAtMs: null,
    businessKey: null,
    ...more,
  };
}
