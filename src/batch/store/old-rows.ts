/**
 * Rows that release 0.1 stored, one by one, are brought into slices: in order, a bounded part per commit, so that a
 * batch killed in the middle goes on. Nothing reads or changes rows before all are there. The old tables stay as they
 * were.
 */
import type { StoredBatchRequest } from '../core/row.ts';
import { DISPATCH_CHARACTERS_MAX } from '../limits.ts';
import type { RowStore } from './row-store.ts';
import { type LongBody, longBodies, RANGE_RECORDS, type SliceRequest, type SliceRow } from './slice.ts';
import type { StoredValues } from './stored-values.ts';
import { undeliveredIn, writeUndelivered } from './undelivered.ts';

/** Records of one commit. Ours: some hundred milliseconds at most. */
const RECORDS_AT_ONCE = 4 * RANGE_RECORDS;

/** The records after `after` up to `last` are not in slices yet. */
interface OldRowsLeft {
  after: number;
  last: number;
}

/** @property follows 1: its state is that of the row that has the requests of its group. */
type OldRecord = Omit<SliceRow, 'members' | 'requests'> & {
  replaced_by: string | null;
  resolved_by: string | null;
  follows: number;
};

const RECORDS = `SELECT record, line, byte_from, byte_to, place, state, problems, group_record, replaces, looked_up,
    replaced_by, resolved_by, EXISTS (SELECT 1 FROM request WHERE request.record = record.group_record) AS follows
  FROM record WHERE record > ? ORDER BY record LIMIT ?`;

export class OldRows {
  readonly #sql: SqlStorage;
  readonly #values: StoredValues;
  readonly #rows: RowStore;
  #areLeft: boolean;

  constructor(sql: SqlStorage, values: StoredValues, rows: RowStore) {
    this.#sql = sql;
    this.#values = values;
    this.#rows = rows;
    this.#areLeft = this.#left() !== undefined;
  }

  /** Most batches never had any. */
  get areLeft(): boolean {
    return this.#areLeft;
  }

  #left(): OldRowsLeft | undefined {
    const left = this.#values.get<OldRowsLeft>('oldRows');
    return left !== undefined && left.after < left.last ? left : undefined;
  }

  /** All, or as many as there is time for: between two commits the API answers first. @returns whether none are left. */
  async move(untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (; this.#areLeft; await scheduler.wait(0)) {
      if (Date.now() > untilMs) return false;
      this.step();
    }
    return true;
  }

  /** The next ones; one commit. */
  step(): void {
    const left = this.#left();
    if (left === undefined) return;
    const { rows, replaced, bodies } = this.#read(left.after);
    const after = rows.at(-1)?.record ?? left.last;
    this.#values.commit(() => {
      this.#rows.addOld(rows, bodies);
      writeUndelivered(this.#sql, [], rows.flatMap(undeliveredIn));
      for (const { record, replaced_by, resolved_by } of replaced) {
        const sql = 'INSERT OR REPLACE INTO replacement (record, replaced_by, resolved_by) VALUES (?, ?, ?)';
        this.#sql.exec(sql, record, replaced_by, resolved_by);
      }
      this.#values.put('oldRows', { after, last: left.last } satisfies OldRowsLeft);
    });
    this.#areLeft = after < left.last;
  }

  #read(after: number): { rows: SliceRow[]; replaced: OldRecord[]; bodies: LongBody[] } {
    const records = this.#sql
      .exec<OldRecord & Record<string, SqlStorageValue>>(RECORDS, after, RECORDS_AT_ONCE)
      .toArray();
    const last = records.at(-1)?.record ?? after;
    const members = this.#members(after, last);
    const { requests, isCut } = this.#requests(after, last);
    const whole = isCut ? (requests.at(-1)?.record ?? last) : last;
    const byRecord = Map.groupBy(requests, ({ record }) => record);
    const bodies: LongBody[] = [];
    const taken = records.filter(({ record }) => record <= whole);
    const rows = taken.map(({ replaced_by: _, resolved_by: __, follows, ...record }): SliceRow => {
      const own = byRecord.get(record.record) ?? [];
      bodies.push(...longBodies(own));
      const state = own.length > 0 || follows === 1 ? 'queued' : record.state;
      return { ...record, state, members: members.get(record.record) ?? [], requests: own };
    });
    const isReplaced = (record: OldRecord): boolean => record.replaced_by !== null || record.resolved_by !== null;
    return { rows, replaced: taken.filter(isReplaced), bodies };
  }

  #members(after: number, last: number): Map<number, number[]> {
    const sql = `SELECT group_record AS carrier, record FROM record
                 WHERE group_record > ? AND group_record <= ? ORDER BY group_record, record`;
    const rows = this.#sql.exec<{ carrier: number; record: number }>(sql, after, last).toArray();
    const members = new Map<number, number[]>();
    for (const { carrier, record } of rows) members.set(carrier, [...(members.get(carrier) ?? []), record]);
    return members;
  }

  /** Whole records. `isCut`: not all of them, because their bodies are many. */
  #requests(after: number, last: number): { requests: SliceRequest[]; isCut: boolean } {
    const sql = 'SELECT * FROM request WHERE record > ? AND record <= ? ORDER BY record, request';
    const requests: SliceRequest[] = [];
    let characters = 0;
    for (const request of this.#sql.exec<StoredBatchRequest>(sql, after, last)) {
      const isNext = requests.at(-1)?.record !== request.record;
      if (isNext && characters > DISPATCH_CHARACTERS_MAX) return { requests, isCut: true };
      characters += request.body.length;
      requests.push(request);
    }
    return { requests, isCut: false };
  }
}
