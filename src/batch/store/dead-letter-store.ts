import type { StateReason } from '../../delivery/states.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { RequestKind } from '../../mapping/request.ts';
import {
  type DeadLetter,
  type DeadLetterCheckpoint,
  type DeadLetterFilter,
  type DeadLetterState,
  subjectsNamed,
} from '../core/dead-letters.ts';
import type { RowLocation } from '../core/row.ts';
import { ENDED, FOLLOWED, MAY_HAVE_ARRIVED, NOT_REPLACED } from './action-store.ts';

/** Written as in the index, so that SQLite uses it: DEAD_LETTER_STATES. */
const IS_DEAD_LETTER = `${FOLLOWED} IN ('held', 'rejected', 'dead', 'cancelled')`;

/** A row in whose place another was delivered needs no attention: shown only if requested by its location. */
const NEEDS_SOMEBODY = `(?3->>'places' IS NOT NULL OR NOT EXISTS
    (SELECT 1 FROM record WHERE record.record = request.record AND record.resolved_by IS NOT NULL))`;

const WANTED = `${IS_DEAD_LETTER} AND ${FOLLOWED} IN (SELECT value FROM json_each(?3->'states'))
  AND (?3->>'reasons' IS NULL OR reason IN (SELECT value FROM json_each(?3->'reasons')))
  AND (?3->>'statuses' IS NULL OR status IN (SELECT value FROM json_each(?3->'statuses')))
  AND (?3->>'kinds' IS NULL OR kind IN (SELECT value FROM json_each(?3->'kinds')))
  AND (?3->>'subjects' IS NULL OR subject IN (SELECT value FROM json_each(?3->'subjects')))
  AND (?3->>'places' IS NULL OR (record, request) IN
    (SELECT value->>'record', value->>'request' FROM json_each(?3->'places')))
  AND ${NEEDS_SOMEBODY}`;

/** Requests after (?1, ?2) that match a filter (?3), at most ?4. `followed`: the state that counts for their row. */
const WANTED_DEAD_LETTERS = `SELECT *, ${FOLLOWED} AS followed FROM request
  WHERE (record, request) > (?1, ?2) AND ${WANTED} ORDER BY record, request LIMIT ?4`;

const wantedJson = ({ subject, ...filter }: DeadLetterFilter): string =>
  JSON.stringify({ ...filter, subjects: subject === null ? null : subjectsNamed(subject) });

/** Fields that are stored elsewhere or in another form. */
type KnownElsewhere = 'batchId' | 'possibleDuplicate' | 'problems' | 'decidedAtMs' | 'replacedBy';

type DeadLetterRow = Omit<DeadLetter, KnownElsewhere> & {
  possible_duplicate: number;
  problems: string | null;
  decided_at_ms: number | null;
  replaced_by: string | null;
};

type ActionRow = { atMs: number; who: string; what: string; detail: string };

export class DeadLetterStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Requests after `after`, in record order. */
  requests(filter: DeadLetterFilter, after: DeadLetterCheckpoint, limit: number): DeadLetterRow[] {
    const sql = `
      SELECT letter.record, request, line, followed AS state, reason, outcome, kind, subject, scac, generation, attempts, status,
        answer, possible_duplicate, NULL AS problems, decided_at_ms, replaced_by
      FROM (${WANTED_DEAD_LETTERS}) AS letter
      JOIN record ON record.record = letter.record ORDER BY letter.record, request`;
    return this.#sql.exec<DeadLetterRow>(sql, after.record, after.request, wantedJson(filter), limit).toArray();
  }

  /** Rows that could not become requests. */
  invalid(filter: DeadLetterFilter, after: DeadLetterCheckpoint, limit: number): DeadLetterRow[] {
    const { states, statuses, kinds, subject, reasons, places } = filter;
    const cannotBe = statuses !== null || kinds !== null || subject !== null || !states.includes('invalid');
    if (cannotBe) return [];
    const sql = `
      SELECT record, 0 AS request, line, 'invalid' AS state, NULL AS reason, NULL AS outcome, NULL AS kind, NULL AS subject,
        NULL AS scac, 1 AS generation, 0 AS attempts, NULL AS status, NULL AS answer, 0 AS possible_duplicate, problems,
        NULL AS decided_at_ms, replaced_by
      FROM record WHERE state = 'invalid' AND record >= ?1 AND (record, 0) > (?1, ?2)
        AND (?5 IS NULL OR EXISTS (SELECT 1 FROM json_each(problems) AS problem
               WHERE problem.value->>'code' IN (SELECT value FROM json_each(?5))))
        AND (?3 IS NULL OR (record, 0) IN (SELECT value->>'record', value->>'request' FROM json_each(?3)))
        AND (?3 IS NOT NULL OR resolved_by IS NULL)
      ORDER BY record LIMIT ?4`;
    const asked = (list: readonly unknown[] | null): string | null => (list === null ? null : JSON.stringify(list));
    return this.#sql
      .exec<DeadLetterRow>(sql, after.record, after.request, asked(places), limit, asked(reasons))
      .toArray();
  }

  /** Actions on the batch, newest first. */
  actions(limit: number): ActionRow[] {
    const sql = 'SELECT at_ms AS atMs, who, what, detail FROM action ORDER BY seq DESC LIMIT ?';
    return this.#sql.exec<ActionRow>(sql, limit).toArray();
  }
}

export function deadLetterOf(batchId: string, row: DeadLetterRow): DeadLetter {
  const { possible_duplicate, problems, decided_at_ms, replaced_by, ...told } = row;
  return {
    ...told,
    batchId,
    possibleDuplicate: possible_duplicate === 1,
    problems: problems === null ? [] : (JSON.parse(problems) as Problem[]),
    decidedAtMs: decided_at_ms,
    replacedBy: replaced_by === null ? null : (JSON.parse(replaced_by) as RowLocation),
  };
}

/*
 * Replays of a Batch that operators began: which requests, in which generation, are still to be chosen. SQL only:
 * nothing here decides.
 */

const IS_CHOSEN =
  'EXISTS (SELECT 1 FROM chosen WHERE (chosen.record, chosen.request) = (request.record, request.request))';

type Replay = {
  action_id: string;
  begun_at_ms: number;
  requests: number;
  chosen: number;
  skipped: number;
  step: number;
};

/** A request that a replay may include, with what decides on it. */
export type ReplayCandidate = {
  record: number;
  request: number;
  generation: number;
  kind: RequestKind;
  state: DeadLetterState;
  reason: StateReason | null;
  mayHaveArrived: number;
  isReplaced: number;
  isChosen: number;
};

/** `isDue`: unchanged since it was planned. */
type ReplayItem = { record: number; request: number; generation: number; isDue: number };

export class ReplayStore {
  readonly #sql: SqlStorage;

  /** @param sql which has the tables of actions and dead letters already. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Requests after `after` that match the filter, in record order. */
  candidates(filter: DeadLetterFilter, after: DeadLetterCheckpoint, limit: number): ReplayCandidate[] {
    const sql = `SELECT record, request, generation, kind, followed AS state, reason, ${MAY_HAVE_ARRIVED} AS mayHaveArrived,
                   NOT (${NOT_REPLACED}) AS isReplaced, ${IS_CHOSEN} AS isChosen
                 FROM (${WANTED_DEAD_LETTERS}) AS request ORDER BY record, request`;
    return this.#sql.exec<ReplayCandidate>(sql, after.record, after.request, wantedJson(filter), limit).toArray();
  }

  find(actionId: string): Replay | undefined {
    return this.#sql.exec<Replay>('SELECT * FROM replay WHERE action_id = ?', actionId).toArray()[0];
  }

  begin(actionId: string, begunAtMs: number): void {
    const sql = 'INSERT INTO replay (action_id, begun_at_ms, requests) VALUES (?, ?, 0)';
    this.#sql.exec(sql, actionId, begunAtMs);
  }

  add(actionId: string, items: readonly Pick<ReplayItem, 'record' | 'request' | 'generation'>[]): void {
    const texts = items.map(({ record, request, generation }) => JSON.stringify([record, request, generation]));
    for (const chunk of jsonArrays(texts)) {
      this.#sql.exec(
        `INSERT INTO replay_item (action_id, record, request, generation)
         SELECT ?1, value->>0, value->>1, value->>2 FROM json_each(?2)`,
        actionId,
        chunk,
      );
    }
    this.#sql.exec('UPDATE replay SET requests = requests + ? WHERE action_id = ?', items.length, actionId);
  }

  /** The next ones, in record order. */
  items(actionId: string, limit: number): ReplayItem[] {
    const sql = `SELECT item.record, item.request, item.generation,
                   (request.generation = item.generation AND ${ENDED} AND ${NOT_REPLACED} AND NOT ${IS_CHOSEN}) AS isDue
                 FROM (SELECT * FROM replay_item WHERE action_id = ? ORDER BY record, request LIMIT ?) AS item
                 JOIN request ON (request.record, request.request) = (item.record, item.request)
                 ORDER BY item.record, item.request`;
    return this.#sql.exec<ReplayItem>(sql, actionId, limit).toArray();
  }

  /** Chooses them for their next generation. */
  choose(items: readonly ReplayItem[]): void {
    const rows = items.map(({ record, request, generation }) => [record, request, generation + 1]);
    this.#sql.exec(
      `INSERT OR IGNORE INTO chosen (record, request, generation)
       SELECT value->>0, value->>1, value->>2 FROM json_each(?)`,
      JSON.stringify(rows),
    );
  }

  /** A step is done: its items need not be chosen again. */
  stepped(actionId: string, step: number, items: readonly ReplayItem[]): void {
    const places = JSON.stringify(items.map(({ record, request }) => [record, request]));
    this.#sql.exec(
      `DELETE FROM replay_item WHERE action_id = ?1
         AND (record, request) IN (SELECT value->>0, value->>1 FROM json_each(?2))`,
      actionId,
      places,
    );
    const chosen = items.filter(({ isDue }) => isDue === 1).length;
    const sql = 'UPDATE replay SET step = ?2, chosen = chosen + ?3, skipped = skipped + ?4 WHERE action_id = ?1';
    this.#sql.exec(sql, actionId, step, chosen, items.length - chosen);
  }

  left(actionId: string): number {
    const sql = 'SELECT count(*) AS items FROM replay_item WHERE action_id = ?';
    return this.#sql.exec<{ items: number }>(sql, actionId).one().items;
  }

  /** What was not chosen stays as it ended. */
  drop(actionId: string): void {
    this.#sql.exec('DELETE FROM replay_item WHERE action_id = ?', actionId);
  }
}
