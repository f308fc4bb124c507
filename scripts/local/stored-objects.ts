/** What objects stored, read from their SQLite files while the bridge is down: the view from outside. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type {
  StoredAttempt,
  StoredFeed,
  StoredOrder,
  StoredPlan,
  StoredRequest,
  StoredSubject,
} from '../invariants/evidence.ts';

/** One file per object of the class. A run that kills looks every few milliseconds: no other class is listed. @param persistTo the folder of `wrangler dev`. */
export function objectFiles(persistTo: string, className: string): string[] {
  const root = join(persistTo, 'v3', 'do');
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((folder) => folder === className || folder.endsWith(`-${className}`))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((path) => path.endsWith('.sqlite') && !path.endsWith('metadata.sqlite'));
}

type StoreQuery = <Row>(sql: string) => Row[];

/** @param tables without which there is nothing to read. */
function objectsOf<T>(
  persistTo: string,
  className: string,
  tables: readonly string[],
  read: (all: StoreQuery, known: ReadonlySet<string>) => T | undefined,
): T[] {
  return objectFiles(persistTo, className).flatMap((path) => {
    const database = new DatabaseSync(path); // not read-only: a killed process leaves a journal to roll back
    const all: StoreQuery = <Row>(sql: string) => database.prepare(sql).all() as unknown as Row[];
    try {
      const known = new Set(all<{ name: string }>('SELECT name FROM sqlite_master').map(({ name }) => name));
      return tables.every((name) => known.has(name)) ? (read(all, known) ?? []) : [];
    } finally {
      database.close();
    }
  });
}

const ATTEMPTS = `SELECT seq, purpose, started_at_ms AS startedAtMs, effect, status, detail, latency_ms AS latencyMs,
  request_sha256 AS requestSha256, token_fingerprint AS tokenFingerprint, carries FROM attempt ORDER BY seq, attempt`;
const REQUESTS = `SELECT batch_id AS batchId, record, request, seq, lane, kind, body, state, reason, into_seq AS intoSeq,
  taken_at_ms AS takenAtMs, possible_duplicate AS possibleDuplicate, late FROM request ORDER BY seq`;
const SETS = 'SELECT seq AS lead, points, body FROM trace_set ORDER BY set_no, part';

type AttemptRow = Omit<StoredAttempt, 'carries'> & { seq: number; carries: string | null };
type RequestRow = Omit<StoredRequest, 'possibleDuplicate' | 'late' | 'attempts'> &
  Record<'possibleDuplicate' | 'late', number>;

/** Loads or orders that took a request. */
export const storedSubjects = (persistTo: string, className: 'Load' | 'Order'): StoredSubject[] =>
  objectsOf(persistTo, className, ['request', 'attempt'], (all, known) => {
    const attempts = Map.groupBy(all<AttemptRow>(ATTEMPTS), ({ seq }) => seq);
    return {
      requests: all<RequestRow>(REQUESTS).map((row) => ({
        ...row,
        possibleDuplicate: row.possibleDuplicate === 1,
        late: row.late === 1,
        attempts: (attempts.get(row.seq) ?? []).map(({ seq: _, carries, ...attempt }) => ({
          ...attempt,
          carries: carries === null ? null : (JSON.parse(carries) as number[]),
        })),
      })),
      sets: known.has('trace_set') ? all<StoredSubject['sets'][number]>(SETS) : [],
    };
  });

/** Orders that were never written are left out. */
export const storedOrders = (persistTo: string): StoredOrder[] =>
  objectsOf(persistTo, 'Order', ['identity', 'operation'], (all) => {
    const [identity] = all<{ named: string }>('SELECT named FROM identity');
    if (identity === undefined) return undefined;
    const sendings = Map.groupBy(
      all<AttemptRow>(ATTEMPTS).filter(({ purpose }) => purpose === 'send'),
      ({ seq }) => seq,
    );
    const plans = all<Omit<StoredPlan, 'attempts'>>(
      'SELECT seq, does, order_id AS orderId, body FROM operation ORDER BY seq',
    );
    return {
      orderRef: (JSON.parse(identity.named) as { orderRef: string }).orderRef,
      versions: all('SELECT seq, incarnation, order_id AS orderId, document FROM accepted ORDER BY seq'),
      plans: plans.map((plan) => ({
        ...plan,
        attempts: (sendings.get(plan.seq) ?? []).map(({ startedAtMs, requestSha256 }) => ({
          startedAtMs,
          requestSha256,
        })),
      })),
      operations: all('SELECT seq, kind, state, reason FROM request ORDER BY seq'),
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
