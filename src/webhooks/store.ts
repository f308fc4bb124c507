/** Tables of a partner's webhooks: targets, events and deliveries. SQL only: nothing here decides. */

import type { Migrations } from '../kernel/migrate.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { Attempted, DisabledReason } from './schedule.ts';
import type {
  DeliveryState,
  SentEvent,
  TargetState,
  WebhookDelivery,
  WebhookEventType,
  WebhookTarget,
} from './target.ts';

/** Events may be sent to the target. */
const IS_LIVE = 'is_deleted = 0 AND is_enabled = 1 AND disabled_reason IS NULL';

type TargetRow = {
  id: string;
  edition: number;
  url: string;
  events: string;
  is_enabled: number;
  is_deleted: number;
  generation: number;
  rotated_at_ms: number | null;
  failing_since_ms: number | null;
};

/** Deliveries of a target that are still to be made. */
const WAITING = 'FROM delivery WHERE target_id = ? AND due_ms IS NOT NULL';

const DELIVERY = `seq, event_id AS eventId, type, body ->> '$.data.batchId' AS batchId,
  body ->> '$.data.orderRef' AS orderRef,
  CASE WHEN type LIKE 'alert.%' THEN body ->> '$.data.code' END AS alertCode,
  CASE WHEN type LIKE 'alert.%' THEN body ->> '$.data.about' END AS alertAbout, state, told_at_ms AS toldAtMs, attempts, due_ms AS nextAtMs,
  last_at_ms AS lastAtMs, last_status AS lastStatus, last_detail AS lastDetail,
  again_by AS sentAgainBy, again_at_ms AS sentAgainAtMs`;

export type DueDelivery = {
  seq: number;
  eventId: string;
  body: string;
  roundAttempts: number;
};

export class WebhookStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  scope = (): PartnerScope | undefined =>
    this.#sql.exec<Pick<PartnerScope, keyof PartnerScope>>('SELECT environment, partner FROM scope').toArray()[0];

  keepScope({ environment, partner }: PartnerScope): void {
    this.#sql.exec('INSERT OR IGNORE INTO scope VALUES (1, ?, ?)', environment, partner);
  }

  /** @returns the revision known, 0: none. */
  edition = (id: string): number => this.#value<number>('SELECT edition AS value FROM target WHERE id = ?', id) ?? 0;

  /** Stores a new revision: its failures are forgotten. One that was switched off stays so where its secret alone is new. */
  writeTarget(target: WebhookTarget): void {
    const stays = `SELECT disabled_reason, disabled_at_ms FROM target
                   WHERE id = ? AND edition = ? AND generation < ? AND url = ? AND is_deleted = 0`;
    const [off] = this.#sql
      .exec<{ disabled_reason: string | null; disabled_at_ms: number | null }>(
        stays,
        target.id,
        target.edition - 1, // between others it may have been set, which switches it on
        target.generation,
        target.url,
      )
      .toArray();
    this.#sql.exec(
      'INSERT OR REPLACE INTO target VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)',
      target.id,
      target.edition,
      target.url,
      JSON.stringify(target.events),
      Number(target.isEnabled),
      Number(target.isDeleted),
      target.generation,
      target.rotatedAtMs,
      off?.disabled_reason ?? null,
      off?.disabled_at_ms ?? null,
    );
  }

  /** Those that events may be sent to. */
  liveTargets(): (WebhookTarget & Pick<TargetState, 'failingSinceMs'>)[] {
    const rows = this.#sql.exec<TargetRow>(`SELECT * FROM target WHERE ${IS_LIVE} ORDER BY id`).toArray();
    return rows.map((row) => ({
      id: row.id,
      edition: row.edition,
      url: row.url,
      events: JSON.parse(row.events) as WebhookEventType[],
      isEnabled: row.is_enabled === 1,
      isDeleted: row.is_deleted === 1,
      generation: row.generation,
      rotatedAtMs: row.rotated_at_ms,
      failingSinceMs: row.failing_since_ms,
    }));
  }

  current(): TargetState[] {
    const sql = `SELECT id, failing_since_ms AS failingSinceMs, disabled_reason AS disabledReason,
                   disabled_at_ms AS disabledAtMs,
                   (SELECT count(*) FROM delivery WHERE target_id = id AND due_ms IS NOT NULL) AS waiting
                 FROM target WHERE is_deleted = 0 ORDER BY id`;
    return this.#sql.exec<Pick<TargetState, keyof TargetState>>(sql).toArray();
  }

  /** A known event is not changed. */
  addEvent({ eventId, type, body }: SentEvent, targetIds: readonly string[], nowMs: number): void {
    this.#sql.exec('INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?)', eventId, type, nowMs, body);
    const sql = 'INSERT OR IGNORE INTO delivery (event_id, target_id, due_ms) VALUES (?, ?, ?)';
    for (const targetId of targetIds) this.#sql.exec(sql, eventId, targetId, nowMs);
  }

  isKnown = (eventId: string): boolean =>
    this.#value('SELECT 1 AS value FROM event WHERE event_id = ?', eventId) !== undefined;

  due(targetId: string, nowMs: number): DueDelivery | undefined {
    const sql = `SELECT seq, event_id AS eventId, body, round_attempts AS roundAttempts
                 FROM delivery JOIN event USING (event_id)
                 WHERE target_id = ? AND due_ms <= ? ORDER BY due_ms, seq LIMIT 1`;
    return this.#sql.exec<DueDelivery>(sql, targetId, nowMs).toArray()[0];
  }

  /** When the next delivery of a target is due; null: none waits. */
  nextDueMs = (targetId: string): number | null =>
    this.#value<number>(`SELECT min(due_ms) AS value ${WAITING}`, targetId) ?? null;

  /** When a delivery under way counts as lost. */
  silentMs = (targetId: string): number | null =>
    this.#value<number>(`SELECT min(due_ms) AS value ${WAITING} AND state = 'sending'`, targetId) ?? null;

  /** Before anything is sent. @param againMs when it is due again if no result becomes known. */
  writeIntent(seq: number, nowMs: number, againMs: number): void {
    const sql = `UPDATE delivery SET state = 'sending', attempts = attempts + 1, round_attempts = round_attempts + 1,
                 due_ms = ?3, last_at_ms = ?2, last_status = NULL, last_detail = NULL WHERE seq = ?1`;
    this.#sql.exec(sql, seq, nowMs, againMs);
  }

  /** @param dueMs null: it has ended. */
  writeAttempted(seq: number, attempted: Attempted, state: DeliveryState, dueMs: number | null): void {
    const status = attempted.outcome === 'answered' ? attempted.status : null;
    const detail = attempted.outcome === 'answered' ? attempted.detail : `${attempted.code}: ${attempted.detail}`;
    const sql = 'UPDATE delivery SET state = ?, due_ms = ?, last_status = ?, last_detail = ? WHERE seq = ?';
    this.#sql.exec(sql, state, dueMs, status, detail, seq);
  }

  /** Its schedule begins again, at once. */
  beginRound(seq: number, nowMs: number): void {
    this.#sql.exec(`UPDATE delivery SET state = 'waiting', round_attempts = 0, due_ms = ? WHERE seq = ?`, nowMs, seq);
  }

  stateOf = (seq: number): DeliveryState | undefined =>
    this.#value<DeliveryState>('SELECT state AS value FROM delivery WHERE seq = ?', seq);

  failingSinceMs = (targetId: string): number | null =>
    this.#value<number>('SELECT failing_since_ms AS value FROM target WHERE id = ?', targetId) ?? null;

  writeHealth(targetId: string, failingSinceMs: number | null): void {
    this.#sql.exec('UPDATE target SET failing_since_ms = ? WHERE id = ?', failingSinceMs, targetId);
  }

  /** @param edition the revision meant: a target changed since stays enabled. */
  disable(targetId: string, edition: number, reason: DisabledReason, nowMs: number): void {
    const sql = 'UPDATE target SET disabled_reason = ?3, disabled_at_ms = ?4 WHERE id = ?1 AND edition = ?2';
    this.#sql.exec(sql, targetId, edition, reason, nowMs);
  }

  /** Gives up what waits for disabled targets. Deliveries under way go on. */
  giveUpUnsendable(): void {
    const off = `target_id NOT IN (SELECT id FROM target WHERE ${IS_LIVE})`;
    this.#sql.exec(`UPDATE delivery SET state = 'given_up', due_ms = NULL WHERE due_ms IS NOT NULL AND ${off}`);
  }

  /** Deletes everything sent to deleted targets. */
  forgetDeleted(): void {
    this.#sql.exec('DELETE FROM delivery WHERE target_id IN (SELECT id FROM target WHERE is_deleted = 1)');
  }

  /** @returns false when there is no such delivery. */
  sendAgain(targetId: string, eventId: string, who: string, nowMs: number): boolean {
    const sql = `UPDATE delivery SET state = 'waiting', round_attempts = 0, due_ms = ?4, again_by = ?3, again_at_ms = ?4
                 WHERE target_id = ?1 AND event_id = ?2 RETURNING seq`;
    return this.#sql.exec(sql, targetId, eventId, who, nowMs).toArray().length > 0;
  }

  /** Newest first, after one of them. */
  deliveries(targetId: string, before: number | null, limit: number): WebhookDelivery[] {
    const sql = `SELECT ${DELIVERY} FROM delivery JOIN event USING (event_id)
                 WHERE target_id = ?1 AND (?2 IS NULL OR seq < ?2) ORDER BY seq DESC LIMIT ?3`;
    return this.#sql.exec<Pick<WebhookDelivery, keyof WebhookDelivery>>(sql, targetId, before, limit).toArray();
  }

  /** Deletes events published before a moment, with their deliveries. @returns whether there may be more. */
  forget(beforeMs: number, limit: number): boolean {
    const old = 'SELECT event_id FROM event WHERE told_at_ms < ? ORDER BY told_at_ms LIMIT ?';
    this.#sql.exec(`DELETE FROM delivery WHERE event_id IN (${old})`, beforeMs, limit);
    const gone = this.#sql.exec(`DELETE FROM event WHERE event_id IN (${old}) RETURNING event_id`, beforeMs, limit);
    return gone.toArray().length === limit;
  }

  /** When the oldest event was published. */
  oldestMs = (): number | null => this.#value<number>('SELECT min(told_at_ms) AS value FROM event') ?? null;

  /** @returns the column `value` of the first row; undefined: there is no row, or nothing in it. */
  #value<Value extends SqlStorageValue>(sql: string, ...bound: SqlStorageValue[]): Value | undefined {
    return this.#sql.exec<{ value: Value | null }>(sql, ...bound).toArray()[0]?.value ?? undefined;
  }
}

/* Tables of Webhooks, step by step. A released step is never changed; add a new one below it. */

/** `round_attempts`: since it was published or sent again; the schedule counts these. */
const TABLES = `
CREATE TABLE IF NOT EXISTS scope (id INTEGER PRIMARY KEY CHECK (id = 1), environment TEXT NOT NULL, partner TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS target (
  id TEXT PRIMARY KEY, edition INTEGER NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL, is_enabled INTEGER NOT NULL,
  is_deleted INTEGER NOT NULL, generation INTEGER NOT NULL, rotated_at_ms INTEGER,
  failing_since_ms INTEGER, disabled_reason TEXT, disabled_at_ms INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS event (
  event_id TEXT PRIMARY KEY, type TEXT NOT NULL, told_at_ms INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS event_by_age ON event (told_at_ms);
CREATE TABLE IF NOT EXISTS delivery (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL, target_id TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting',
  attempts INTEGER NOT NULL DEFAULT 0, round_attempts INTEGER NOT NULL DEFAULT 0, due_ms INTEGER,
  last_at_ms INTEGER, last_status INTEGER, last_detail TEXT, again_by TEXT, again_at_ms INTEGER, UNIQUE (event_id, target_id)
);
CREATE INDEX IF NOT EXISTS open_delivery ON delivery (target_id, due_ms, seq) WHERE due_ms IS NOT NULL;
CREATE INDEX IF NOT EXISTS delivery_of_target ON delivery (target_id, seq);
`;

export const WEBHOOK_MIGRATIONS: Migrations = {
  of: 'Webhooks',
  steps: [{ number: 1, run: (sql) => sql.exec(TABLES) }],
};
