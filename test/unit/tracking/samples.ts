/** A subject's storage and the requests that come to it, for the tests of this folder. */
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { Migrations } from '../../../src/kernel/migrate.ts';
import { requestKey } from '../../../src/kernel/names.ts';
import type { EnqueuedRequest } from '../../../src/tracking/request.ts';
import { storageOf } from '../object-storage.ts';
import { NOW_MS } from '../upstream/samples.ts';

export const sqlOf = (migrations: Migrations): SqlStorage => storageOf(new ObjectDatabase(() => ''), migrations).sql;

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
