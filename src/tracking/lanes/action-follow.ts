/** Asks what became of the last operation of an order id, where the answer to it did not say: twice at most. What that decides is `delivery/orders/action.ts`. */
import { actionInAnswer, actionInStatus, statusEffect } from '../../delivery/orders/action.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { ACTION_ASKS_AFTER_MS, TOKEN_PAUSE_MS } from '../../kernel/limits.ts';
import { orderActionStatus } from '../../upstream/endpoints.ts';
import type { Seen } from '../store/subject-rows.ts';
import type { SubjectStore } from '../store/subject-store.ts';
import type { StoredRequest } from '../store/subject-tables.ts';
import type { Sending } from './subject-lane.ts';

const OPEN = `SELECT * FROM followed WHERE NOT EXISTS (
    SELECT 1 FROM operation JOIN request USING (seq)
    WHERE operation.seq > followed.seq AND lower(operation.order_id) = lower(followed.order_id) AND request.attempts > 0
  )`;

type Does = 'create' | 'update' | 'cancel';
type FollowedRow = { seq: number; order_id: string; does: Does; at_ms: number };

export class ActionFollow {
  readonly #sql: SqlStorage;
  readonly #store: SubjectStore;

  constructor(sql: SqlStorage, store: SubjectStore) {
    this.#sql = sql;
    this.#store = store;
  }

  /** An operation was taken. */
  taken(seq: number, { orderId, does }: { orderId: string; does: Does }, seen: Seen, clock: Clock): void {
    const said = actionInAnswer(seen.observation);
    if (said.code !== null) this.#store.noteAction(seq, said.code);
    if (said.isDecided || orderId === '') return;
    const atMs = clock.nowMs() + scaledMs(ACTION_ASKS_AFTER_MS[0], clock);
    this.#sql.exec('INSERT OR IGNORE INTO followed VALUES (?, ?, ?, ?)', seq, orderId, does, atMs);
  }

  /** The one that is asked about next: each last one of its order id, for the upstream tells of the most recent one. */
  next(): FollowedRow | null {
    return this.#sql.exec<FollowedRow>(`${OPEN} ORDER BY at_ms LIMIT 1`).toArray()[0] ?? null;
  }

  /** When it is asked whether the order is cancelled at all; null: that is known. */
  cancelAskedAtMs(): number | null {
    const sql = `SELECT max(at_ms) AS ms FROM (${OPEN}) WHERE does = 'cancel'`;
    return this.#sql.exec<{ ms: number | null }>(sql).one().ms;
  }

  sending({ seq, order_id: id }: FollowedRow): Sending {
    const request = this.#store.bySeq(seq);
    return {
      purpose: 'status',
      request,
      body: '',
      carries: null,
      shows: statusEffect,
      post: (port, channel) => orderActionStatus(port, channel, { scac: request.scac, id }),
    };
  }

  /** Nothing can be asked any more. */
  drop(seq: number): void {
    this.#sql.exec('DELETE FROM followed WHERE seq = ?', seq);
  }

  /** @returns whether it turns out that it was not done. */
  judge({ seq }: StoredRequest, seen: Seen, clock: Clock): boolean {
    const [row] = this.#sql.exec<FollowedRow>('SELECT * FROM followed WHERE seq = ?', seq).toArray();
    if (row === undefined) return false;
    if (seen.class.effect === 'not_sent' && seen.class.retry) {
      this.#askAt(seq, TOKEN_PAUSE_MS, clock);
      return false;
    }
    const said = actionInStatus(seen.observation, row.does);
    if (said !== null && said.code !== null) this.#store.noteAction(seq, said.code);
    const asks = this.#store.attemptsOf(seq).filter(({ purpose }) => purpose === 'status').length;
    const waitMs = ACTION_ASKS_AFTER_MS[asks];
    if (said?.isDecided === true || waitMs === undefined) this.drop(seq);
    else this.#askAt(seq, waitMs, clock);
    return said?.isRefused === true;
  }

  #askAt(seq: number, waitMs: number, clock: Clock): void {
    this.#sql.exec('UPDATE followed SET at_ms = ? WHERE seq = ?', clock.nowMs() + scaledMs(waitMs, clock), seq);
  }
}
