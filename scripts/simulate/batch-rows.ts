/** Rows and messages of a batch as a new instance of it would find them, and all outcomes that it ever stored. */
import type { StoredBatchRequest, StoredRecord, Tally } from '../../src/batch/core/row.ts';
import { BatchStore } from '../../src/batch/store/batch-store.ts';
import type { MessageEntry } from '../../src/batch/store/message-store.ts';
import { hasEnded, requestAt, type StoredOutcome, unpackOutcomes } from '../../src/batch/store/slice.ts';
import type { BatchStorage } from '../../src/batch/store/stored-values.ts';
import type { ObjectDatabase } from './sql.ts';
import type { Home } from './world.ts';

interface BatchRows {
  records: StoredRecord[];
  requests: StoredBatchRequest[];
  tally: Tally;
  /** Requests delivered, by the sum of all minutes. */
  deliveredByMinute: number;
  /** Rows and requests that are found as undelivered. */
  undelivered: { record: number; request: number; state: string }[];
}

/** Read anew only where something was written since: to be looked at, not to be changed. */
export function rowsOf(database: ObjectDatabase): BatchRows {
  const found = known.get(database);
  if (found?.changes === database.changes) return found.rows;
  const rows = readRows(database);
  known.set(database, { changes: database.changes, rows });
  return rows;
}

const known = new WeakMap<ObjectDatabase, { changes: number; rows: BatchRows }>();

function readRows(database: ObjectDatabase): BatchRows {
  const exec = (text: string, ...bindings: never[]) => database.exec(text, bindings);
  const transactionSync = <T>(run: () => T): T => database.transaction(run);
  const store = new BatchStore({ sql: { exec }, transactionSync } as unknown as BatchStorage);
  const records = store.records(0, Number.POSITIVE_INFINITY, null);
  return {
    records,
    requests: store.requestsOf(records.map(({ record }) => record)),
    tally: store.tally(),
    deliveredByMinute: store.minutes().points.reduce((sum, [, delivered]) => sum + delivered, 0),
    undelivered: database.read('SELECT record, request, state FROM letter ORDER BY record, request'),
  };
}

/** Where a trigger copies every outcome that is stored. */
export const WRITTEN_OUTCOMES = 'written_outcomes';

/** I4: a final state of a generation stands. @returns what was changed. */
export function changedFinals(database: ObjectDatabase): string[] {
  if (!database.tables.includes(WRITTEN_OUTCOMES)) return [];
  const ended = new Map<string, StoredOutcome>();
  const changed: string[] = [];
  const written = database.read<{ outcomes: string }>(`SELECT outcomes FROM ${WRITTEN_OUTCOMES} ORDER BY seq`);
  for (const { outcomes } of written) {
    for (const outcome of unpackOutcomes(outcomes)) {
      if (outcome.revision < 0) continue; // its next generation begins
      const at = `${requestAt(outcome)}~${outcome.generation}`;
      const before = ended.get(at);
      if (before !== undefined && before.state !== outcome.state)
        changed.push(`${at} was ${before.state} and became ${outcome.state}`);
      if (hasEnded(outcome) && outcome.state !== 'coalesced') ended.set(at, outcome);
    }
  }
  return changed;
}

interface KeptMessage {
  message: number;
  upload_id: string;
  records_before: number | null;
  records: number | null;
  /** Its rows are known, or it was found to be unreadable. */
  isRead: boolean;
}

/** @returns those that the batch has, in the order of their rows. */
export function messagesOf(home: Home | undefined): KeptMessage[] {
  if (home === undefined) return [];
  const rows = home.database.read<{ message: number; upload_id: string }>('SELECT message, upload_id FROM message');
  const pages = home.database.read<{ json: string }>('SELECT json FROM message_page ORDER BY page');
  const entries = [
    ...(keptOf<MessageEntry[]>(home, 'messages') ?? []),
    ...pages.flatMap(({ json }) => JSON.parse(json) as MessageEntry[]),
  ];
  const read = new Map(entries.map((entry) => [entry.message, entry]));
  return rows
    .map((row) => {
      const { recordsBefore = null, records = null } = read.get(row.message) ?? {};
      return { ...row, records_before: recordsBefore, records, isRead: read.has(row.message) };
    })
    .sort((one, other) => (one.records_before ?? 0) - (other.records_before ?? 0) || one.message - other.message);
}

/** The ticket is a row of its own; all other values are one. */
export function keptOf<T>(home: Home | undefined, name: string): T | undefined {
  const rows = home?.database.read<{ name: string; json: string }>('SELECT name, json FROM kept') ?? [];
  const own = rows.find((row) => row.name === name);
  if (own !== undefined) return JSON.parse(own.json) as T;
  const state = rows.find((row) => row.name === 'state');
  return state === undefined ? undefined : (JSON.parse(state.json) as Record<string, T>)[name];
}
