/**
 * What operators did with undelivered requests, newest first, in D1: who, why and what it was about. How far a bulk
 * action is, its own object says.
 */
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';

/** `replay`, `decisions`: over many requests, each with an object of its own; `decision`: about one request. */
export const ACTION_KINDS = ['replay', 'decisions', 'decision'] as const;
type ActionKind = (typeof ACTION_KINDS)[number];

/** @property about batch, record and request of a single decision; of many, what was decided. */
export interface ListedAction {
  actionId: string;
  environment: Environment;
  kind: ActionKind;
  /** null: of several partners. */
  partner: string | null;
  about: string;
  decision: string | null;
  requests: number;
  who: string;
  name: string;
  why: string;
  begunAtMs: number;
}

/** The position after one action of the list. */
export interface ActionCursor {
  begunAtMs: number;
  actionId: string;
}

interface ActionListQuery {
  environment: Environment;
  partner: string | null;
  kinds: readonly ActionKind[] | null;
  after: ActionCursor | null;
  limit: number;
}

export type ActionList = ReturnType<typeof actionList>;

const COLUMNS = `action_id AS actionId, environment, kind, partner, about, decision, requests, who, name, why,
  begun_at_ms AS begunAtMs`;

export const actionList = (database: D1Database) => ({
  /** The same action noted again changes nothing. */
  note: (action: ListedAction): Promise<Result<null, DirectoryUnavailable>> =>
    directoryReached<null, never>(async () => {
      const { environment, actionId, kind, partner, about, decision, requests, who, name, why, begunAtMs } = action;
      const sql = 'INSERT OR IGNORE INTO ops_action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
      const values = [environment, actionId, kind, partner, about, decision, requests, who, name, why, begunAtMs];
      await database
        .prepare(sql)
        .bind(...values)
        .run();
      return ok(null);
    }),
  list: ({ environment, partner, kinds, after, limit }: ActionListQuery) =>
    directoryReached<ListedAction[], never>(async () => {
      const sql = `SELECT ${COLUMNS} FROM ops_action WHERE environment = ?1
        AND (?2 IS NULL OR partner = ?2)
        AND (?3 IS NULL OR kind IN (SELECT value FROM json_each(?3)))
        AND (?4 IS NULL OR (begun_at_ms, action_id) < (?4, ?5))
        ORDER BY begun_at_ms DESC, action_id DESC LIMIT ?6`;
      const only = kinds === null ? null : JSON.stringify(kinds);
      const asked = database
        .prepare(sql)
        .bind(environment, partner, only, after?.begunAtMs ?? null, after?.actionId ?? null, limit);
      return ok((await asked.all<ListedAction>()).results);
    }),
});
