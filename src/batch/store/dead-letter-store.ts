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
import { type BatchIssue, causeOfProblem, causeOfRequest, type IssueCause, issueIdOf } from '../core/issue.ts';
import type { AlikeRows } from '../core/mapped-again.ts';
import type { RowLocation } from '../core/row.ts';
import { CORRECTABLE } from '../core/tally.ts';
import { ENDED, IS_CHOSEN, NOT_REPLACED } from './action-store.ts';
import type { BatchStore } from './batch-store.ts';

/** A row in whose place another was delivered needs no attention: shown only if requested by its location. */
const NEEDS_SOMEBODY = `(?3->>'places' IS NOT NULL OR NOT EXISTS
    (SELECT 1 FROM replacement WHERE replacement.record = letter.record AND replacement.resolved_by IS NOT NULL))`;

/** What matches a filter (?3) after (?1, ?2), at most ?4. Only rows that could not become requests have codes. */
const WANTED = `FROM letter WHERE (record, request) > (?1, ?2)
  AND state IN (SELECT value FROM json_each(?3->'states'))
  AND (?3->>'reasons' IS NULL OR reason IN (SELECT value FROM json_each(?3->'reasons')) OR EXISTS
    (SELECT 1 FROM json_each(codes) AS code WHERE code.value IN (SELECT value FROM json_each(?3->'reasons'))))
  AND (?3->>'statuses' IS NULL OR status IN (SELECT value FROM json_each(?3->'statuses')))
  AND (?3->>'kinds' IS NULL OR kind IN (SELECT value FROM json_each(?3->'kinds')))
  AND (?3->>'subjects' IS NULL OR subject IN (SELECT value FROM json_each(?3->'subjects')))
  AND (?3->>'places' IS NULL OR (record, request) IN
    (SELECT value->>'record', value->>'request' FROM json_each(?3->'places')))
  AND (?3->>'issues' IS NULL OR issue IN (SELECT value FROM json_each(?3->'issues')))
  AND ${NEEDS_SOMEBODY} ORDER BY record, request LIMIT ?4`;

/** Of an issue: what was withdrawn needs nobody, nor a row in whose place another was delivered. */
const NEEDS_ACTION = `state <> 'cancelled' AND NOT EXISTS
    (SELECT 1 FROM replacement WHERE replacement.record = letter.record AND replacement.resolved_by IS NOT NULL)`;

const IS_APART = `state IN ('cancelled', 'held')
    OR record IN (SELECT record FROM replacement WHERE resolved_by IS NOT NULL)`;

/**
 * All are counted in the index, and those that need nobody are taken away: few are, and to look at each would take most
 * of the time where many thousand rows failed. Only a row with several requests can be in an issue more than once.
 */
const ISSUE_COUNTS = `
  WITH apart AS MATERIALIZED (
    SELECT issue AS key, sum(isOver) AS over, sum(isOver AND request > 0) AS requestsOver,
           sum(NOT isOver AND state = 'held') AS held
    FROM (SELECT issue, request, state, NOT (${NEEDS_ACTION}) AS isOver FROM letter WHERE ${IS_APART}) GROUP BY +issue),
  counted AS MATERIALIZED (
    SELECT issue AS key, count(*) AS letters, sum(request > 0) AS requests, sum(request > 1) AS further,
           min(record) AS first
    FROM letter GROUP BY issue)
  SELECT counted.key AS key, requests - coalesce(requestsOver, 0) AS requests, coalesce(held, 0) AS held,
         CASE further WHEN 0 THEN letters - coalesce(over, 0)
         ELSE (SELECT count(DISTINCT record) FROM letter WHERE issue = counted.key AND ${NEEDS_ACTION}) END AS rows
  FROM counted LEFT JOIN apart ON apart.key = counted.key WHERE rows > 0 ORDER BY rows DESC, first LIMIT ?`;

/** Rows that are named with an issue. Ours: enough to recognise it by. */
const ISSUE_EXAMPLES = 3;

const wantedJson = ({ subject, ...filter }: DeadLetterFilter): string =>
  JSON.stringify({ ...filter, subjects: subject === null ? null : subjectsNamed(subject) });

type DeadLettersOf = Pick<DeadLetter, 'batchId' | 'fileName'>;
type FoundRow = { record: number; request: number; state: DeadLetterState };

type IssueCounts = Pick<BatchIssue, 'key' | 'rows' | 'requests' | 'held'>;

type ActionRow = { atMs: number; who: string; what: string; detail: string };

export class DeadLetterStore {
  readonly #sql: SqlStorage;
  readonly #store: BatchStore;

  constructor(sql: SqlStorage, store: BatchStore) {
    this.#sql = sql;
    this.#store = store;
  }

  /** Requests, and rows that could not become any, after `after` in record order. */
  page(of: DeadLettersOf, filter: DeadLetterFilter, after: DeadLetterCheckpoint, limit: number): DeadLetter[] {
    const sql = `SELECT record, request, state ${WANTED}`;
    return this.#sql
      .exec<FoundRow>(sql, after.record, after.request, wantedJson(filter), limit)
      .toArray()
      .map((found) => this.#deadLetter(of, found));
  }

  #deadLetter(of: DeadLettersOf, { record, request, state }: FoundRow): DeadLetter {
    const row = this.#store.row(record);
    const stored = request === 0 ? undefined : this.#store.request(record, request);
    return {
      record,
      request,
      line: row?.line ?? 0,
      state,
      reason: stored?.reason ?? null,
      outcome: stored?.outcome ?? null,
      kind: stored?.kind ?? null,
      subject: stored?.subject ?? null,
      scac: stored?.scac ?? null,
      generation: stored?.generation ?? 1,
      attempts: stored?.attempts ?? 0,
      status: stored?.status ?? null,
      answer: stored?.answer ?? null,
      ...of,
      possibleDuplicate: stored?.possible_duplicate === 1,
      problems: request === 0 && row?.problems ? (JSON.parse(row.problems) as Problem[]) : [],
      decidedAtMs: stored?.decided_at_ms ?? null,
      replacedBy: this.#store.replacedBy(record),
    };
  }

  /** Keys of the issues that rows are in. */
  issuesOf(records: Iterable<number>): string[] {
    const sql = 'SELECT DISTINCT issue FROM letter WHERE record IN (SELECT value FROM json_each(?))';
    return this.#sql
      .exec<{ issue: string }>(sql, JSON.stringify([...records]))
      .toArray()
      .map(({ issue }) => issue);
  }

  /** What failed alike, most rows first. What was withdrawn, or delivered in corrected form, needs nobody. */
  issues(limit: number): BatchIssue[] {
    return this.#sql
      .exec<IssueCounts>(ISSUE_COUNTS, limit)
      .toArray()
      .map((counts) => this.#issue(counts));
  }

  /**
   * Rows of an issue that may be mapped again, with the other rows of their groups, in order. What may have arrived, or is
   * on its way again, is only counted. @param limit rows looked at.
   */
  alikeRows(key: string, limit: number): Omit<AlikeRows, 'sender'> {
    const sql = `SELECT DISTINCT record FROM letter WHERE issue = ? AND ${NEEDS_ACTION} ORDER BY record LIMIT ?`;
    const found = this.#sql.exec<{ record: number }>(sql, key, limit + 1).toArray();
    const wanted = new Map<number, RowLocation | null>();
    let leftOut = 0;
    for (const { record } of found.slice(0, limit)) {
      const carrier = this.#store.row(this.#store.carrierOf(record));
      if (carrier === undefined || !this.#mayBeMappedAgain(carrier.record)) leftOut += 1;
      else {
        // What replaces a group is noted with one of its rows, and is in the place of all of them.
        const group = [carrier.record, ...carrier.members];
        const by = group.map((each) => this.#store.replacedBy(each)).find((each) => each !== null) ?? null;
        for (const each of group) wanted.set(each, by);
      }
    }
    const rows = [...wanted].sort(([one], [other]) => one - other);
    return {
      rows: rows.map(([record, replacedBy]) => ({ record, replacedBy })),
      leftOut,
      isCut: found.length > limit,
    };
  }

  #mayBeMappedAgain(record: number): boolean {
    const state = this.#store.recordState(record);
    if (state === undefined || !CORRECTABLE.includes(state)) return false;
    const sql = `SELECT EXISTS (SELECT 1 FROM letter WHERE record = ?1 AND may_have_arrived = 1)
                   OR EXISTS (SELECT 1 FROM chosen WHERE record = ?1) AS isOpen`;
    return this.#sql.exec<{ isOpen: number }>(sql, record).one().isOpen === 0;
  }

  #issue(counts: IssueCounts): BatchIssue {
    const sql = `SELECT record, request, state FROM letter WHERE issue = ? AND ${NEEDS_ACTION}
                 ORDER BY record, request LIMIT ?`;
    const found = this.#sql.exec<FoundRow>(sql, counts.key, ISSUE_EXAMPLES).toArray();
    const [first] = found;
    if (first === undefined) throw new Error('an issue has no rows');
    const examples = found.map(({ record, request }) => {
      const row = this.#store.row(record);
      const subject = row?.requests.find((each) => each.request === request)?.subject ?? null;
      return { record, request, line: row?.line ?? 0, subject };
    });
    return { ...this.#cause(first, counts.key), ...counts, id: issueIdOf(counts.key), examples };
  }

  #cause({ record, request, state }: FoundRow, key: string): IssueCause {
    const row = this.#store.row(record);
    const sent = row?.requests.find((each) => each.request === request);
    if (sent !== undefined)
      return causeOfRequest({ state, reason: sent.reason, status: sent.status, answer: sent.answer });
    const problems = row?.problems ?? this.#store.row(this.#store.carrierOf(record))?.problems ?? '[]';
    return causeOfProblem((JSON.parse(problems) as Problem[])[0], key);
  }

  /** Actions on the batch, newest first. */
  actions(limit: number): ActionRow[] {
    const sql = 'SELECT at_ms AS atMs, who, what, detail FROM action ORDER BY seq DESC LIMIT ?';
    return this.#sql.exec<ActionRow>(sql, limit).toArray();
  }
}

/*
 * Replays of a Batch that operators began: which requests, in which generation, are still to be chosen. SQL only:
 * nothing here decides.
 */

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

/** Items that an action has chosen are kept under this name, so that what became of them can be told; release 0.2 looks for none. */
const sentBy = (actionId: string): string => `${actionId}/sent`;

export class ReplayStore {
  readonly #sql: SqlStorage;

  /** @param sql which has the tables of actions and dead letters already. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Requests after `after` that match the filter, in record order. */
  candidates(filter: DeadLetterFilter, after: DeadLetterCheckpoint, limit: number): ReplayCandidate[] {
    const sql = `SELECT record, request, generation, kind, state, reason, may_have_arrived AS mayHaveArrived,
                   NOT (${NOT_REPLACED}) AS isReplaced, ${IS_CHOSEN} AS isChosen ${WANTED}`;
    const states = filter.states.filter((state) => state !== 'invalid'); // a row without requests cannot be sent again
    const wanted = wantedJson({ ...filter, states });
    return this.#sql.exec<ReplayCandidate>(sql, after.record, after.request, wanted, limit).toArray();
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
    const sql = `SELECT item.record, item.request, item.generation, EXISTS (SELECT 1 FROM letter
                   WHERE (record, request, generation) = (item.record, item.request, item.generation)
                     AND ${ENDED} AND ${NOT_REPLACED} AND NOT ${IS_CHOSEN}) AS isDue
                 FROM replay_item AS item WHERE action_id = ? ORDER BY item.record, item.request LIMIT ?`;
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

  /** A step is done: its items need not be chosen again. Those that were, are kept. */
  stepped(actionId: string, step: number, items: readonly ReplayItem[]): void {
    const { chosen = [], skipped = [] } = Object.groupBy(items, ({ isDue }) => (isDue === 1 ? 'chosen' : 'skipped'));
    const these = `WHERE action_id = ?1 AND (record, request) IN (SELECT value->>0, value->>1 FROM json_each(?2))`;
    const places = (of: readonly ReplayItem[]) => JSON.stringify(of.map(({ record, request }) => [record, request]));
    this.#sql.exec(`UPDATE replay_item SET action_id = ?3 ${these}`, actionId, places(chosen), sentBy(actionId));
    this.#sql.exec(`DELETE FROM replay_item ${these}`, actionId, places(skipped));
    const sql = 'UPDATE replay SET step = ?2, chosen = chosen + ?3, skipped = skipped + ?4 WHERE action_id = ?1';
    this.#sql.exec(sql, actionId, step, chosen.length, skipped.length);
  }

  /** The first ones that it chose, in record order, each in the generation that it was in before. */
  chosen(actionId: string, limit: number): Omit<ReplayItem, 'isDue'>[] {
    const sql =
      'SELECT record, request, generation FROM replay_item WHERE action_id = ? ORDER BY record, request LIMIT ?';
    return this.#sql.exec<Omit<ReplayItem, 'isDue'>>(sql, sentBy(actionId), limit).toArray();
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
