/**
 * What a Batch stores of replays that operators began: which requests, in which generation, are still to be chosen. SQL only:
 * nothing here decides.
 */
import type { StateReason } from '../../delivery/states.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import type { RequestKind } from '../../mapping/request.ts';
import type { LetterFilter, LetterMark, LetterState } from '../core/letters.ts';
import { ENDED, MAY_HAVE_ARRIVED, NOT_REPLACED } from './action-store.ts';
import { WANTED_LETTERS, wantedJson } from './letter-store.ts';

const IS_CHOSEN =
  'EXISTS (SELECT 1 FROM chosen WHERE (chosen.record, chosen.request) = (request.record, request.request))';

export type Replay = {
  action_id: string;
  begun_at_ms: number;
  requests: number;
  chosen: number;
  skipped: number;
  step: number;
};

/** A request that a replay may be about, with what is asked about it. */
export type ReplayCandidate = {
  record: number;
  request: number;
  generation: number;
  kind: RequestKind;
  state: LetterState;
  reason: StateReason | null;
  mayHaveArrived: number;
  isReplaced: number;
  isChosen: number;
};

/** `isDue`: it stands as it did when it was planned. */
export type ReplayItem = { record: number; request: number; generation: number; isDue: number };

export class ReplayStore {
  readonly #sql: SqlStorage;

  /** @param sql whose tables of actions and letters are there already. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Requests behind `after` that the filter names, in record order. */
  candidates(filter: LetterFilter, after: LetterMark, limit: number): ReplayCandidate[] {
    const sql = `SELECT record, request, generation, kind, followed AS state, reason, ${MAY_HAVE_ARRIVED} AS mayHaveArrived,
                   NOT (${NOT_REPLACED}) AS isReplaced, ${IS_CHOSEN} AS isChosen
                 FROM (${WANTED_LETTERS}) AS request ORDER BY record, request`;
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

  /** They get their next generation. */
  choose(items: readonly ReplayItem[]): void {
    const rows = items.map(({ record, request, generation }) => [record, request, generation + 1]);
    this.#sql.exec(
      `INSERT OR IGNORE INTO chosen (record, request, generation)
       SELECT value->>0, value->>1, value->>2 FROM json_each(?)`,
      JSON.stringify(rows),
    );
  }

  /** A step is done: its items are no longer to be chosen. */
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
