/**
 * What an Order object stores of its order: incarnations with the upstream's id, and the documents it accepted. SQL
 * only.
 */

import type { CountedDelta, DeltaLine } from '../../delivery/orders/merge.ts';
import type { OrderPlan, OrderSituation } from '../../delivery/orders/plan.ts';
import type { KnownIds } from '../../delivery/orders/reconcile.ts';
import type { Incarnation } from '../../delivery/orders/step.ts';
import { isDocument, type OrderDocument } from '../../upstream/contracts/order-difference.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';

/* Documents of an order that operators stated, with who did and why: append-only. SQL only. */

/**
 * All documents of an order by `seq` and `base`, except those that were refused after all: accepted ones by the
 * operation that made them, stated ones after it.
 */
export const DOCUMENTS = `(
  SELECT seq, 0 AS base, incarnation, order_id, document, scac, accepted_at_ms FROM accepted WHERE seq NOT IN (SELECT seq FROM refused_operation)
  UNION ALL SELECT after_seq, number, incarnation, order_id, document, '', loaded_at_ms FROM loaded_base
)`;

type LoadedBase = {
  number: number;
  after_seq: number;
  incarnation: number;
  order_id: string;
  document: string;
  loaded_at_ms: number;
  /** Id of the operator's key; `author` is its holder's name. */
  key_id: string;
  author: string;
  why: string;
  diff: string | null;
};

class BaseStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  load({
    incarnation,
    order_id,
    document,
    loaded_at_ms,
    key_id,
    author,
    why,
    diff,
  }: Omit<LoadedBase, 'number' | 'after_seq'>): void {
    this.#sql.exec(
      `INSERT INTO loaded_base (after_seq, incarnation, order_id, document, loaded_at_ms, key_id, author, why, diff)
       VALUES ((SELECT coalesce(max(seq), 0) FROM request), ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[incarnation, order_id, document, loaded_at_ms, key_id, author, why, diff],
    );
  }

  /** Oldest first. */
  all(): LoadedBase[] {
    return this.#sql.exec<LoadedBase>('SELECT * FROM loaded_base ORDER BY number').toArray();
  }

  /** When the last one was loaded; null: none ever was. */
  lastMs(): number | null {
    return this.#sql.exec<{ ms: number | null }>('SELECT max(loaded_at_ms) AS ms FROM loaded_base').one().ms;
  }
}

/** `seq` is the operation that made it; `document` the exact body. */
export type AcceptedOrder = {
  seq: number;
  incarnation: number;
  order_id: string;
  document: string;
  scac: string;
  accepted_at_ms: number;
};

/** `base`: 0 where it was accepted; otherwise an operator stated it after the operation `seq`, and its SCAC is ''. */
export type UnmergedOrder = AcceptedOrder & { base: number };

const LATEST = `SELECT max(incarnation) FROM ${DOCUMENTS}`;

function documentIn(text: string): OrderDocument {
  const document: unknown = JSON.parse(text);
  if (!isDocument(document)) throw new Error('an accepted order that is no object');
  return document;
}

export class OrderStore {
  readonly #sql: SqlStorage;

  readonly #bases: BaseStore;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#bases = new BaseStore(sql);
  }

  accept({ seq, incarnation, order_id, document, scac, accepted_at_ms }: AcceptedOrder): void {
    const sql = 'INSERT INTO accepted VALUES (?, ?, ?, ?, ?, ?)';
    this.#sql.exec(sql, seq, incarnation, order_id, document, scac, accepted_at_ms);
  }

  /** It was accepted, and then not done: its results are removed. Idempotent. */
  refuse(seq: number): void {
    this.#sql.exec('INSERT OR IGNORE INTO refused_operation VALUES (?)', seq);
    this.#sql.exec('DELETE FROM ended WHERE seq = ?', seq);
  }

  /** The order as it is upstream; null while there is none, and after its cancel. */
  accepted(): UnmergedOrder | null {
    const sql = `SELECT * FROM ${DOCUMENTS} WHERE incarnation = (${LATEST}) AND incarnation NOT IN (SELECT incarnation FROM ended)
                 ORDER BY seq DESC, base DESC LIMIT 1`;
    return this.#sql.exec<UnmergedOrder>(sql).toArray()[0] ?? null;
  }

  /** The document the order was created with; null where `accepted` is. */
  created(): UnmergedOrder | null {
    const sql = `SELECT * FROM ${DOCUMENTS} WHERE incarnation = (${LATEST}) AND incarnation NOT IN (SELECT incarnation FROM ended)
                 ORDER BY seq, base LIMIT 1`;
    return this.#sql.exec<UnmergedOrder>(sql).toArray()[0] ?? null;
  }

  /**
   * When the order turned out to exist although no answer had shown its creation; null: an answer had, or it was
   * stated.
   */
  foundAtMs(): number | null {
    const first = this.created();
    if (first === null || first.base > 0) return null;
    const sql = 'SELECT had_unknown FROM request WHERE seq = ?';
    const wasUnclear = this.#sql.exec<{ had_unknown: number }>(sql, first.seq).toArray()[0]?.had_unknown === 1;
    return wasUnclear ? first.accepted_at_ms : null;
  }

  /** When an operator last stated what it is; null: never. */
  statedMs = (): number | null => this.#bases.lastMs();

  /** A person says what it is upstream: from here on changes are merged with that. */
  state(base: Omit<LoadedBase, 'number' | 'after_seq'>): void {
    this.#bases.load(base);
  }

  /** The situation of the order for the operation `seq`: what the operations before it made. */
  current(seq: number): OrderSituation {
    const live = this.accepted();
    if (live !== null) {
      const { incarnation, order_id: orderId, seq: by, base } = live;
      const isDoubtful = base > 0 || this.#gaveUpAmbiguous(by, seq); // what a person says, no answer has shown
      return { order: 'live', incarnation, orderId, document: documentIn(live.document), seq: by, isDoubtful };
    }
    const sql = `SELECT seq FROM ended WHERE incarnation = (${LATEST})`;
    const end = this.#sql.exec<{ seq: number }>(sql).toArray()[0];
    const createEnded = this.#createEnded(end?.seq ?? 0, seq);
    return end === undefined ? { order: 'none', createEnded } : { order: 'cancelled', bySeq: end.seq, createEnded };
  }

  /** Whether an operation between the two may have been applied. */
  #gaveUpAmbiguous(after: number, before: number): boolean {
    const sql = `SELECT 1 FROM request WHERE seq > ? AND seq < ? AND state = 'dead' AND outcome = 'unknown' LIMIT 1`;
    return this.#sql.exec(sql, after, before).toArray().length > 0;
  }

  /** Whether a create between the two ended without making the order. An upsert of a part never makes one. */
  #createEnded(after: number, before: number): boolean {
    const sql = `SELECT 1 FROM request WHERE seq > ? AND seq < ? AND kind IN ('order.create', 'order.upsert')
                   AND state IN ('rejected', 'dead', 'cancelled') AND reason IS NOT 'base_unknown' LIMIT 1`;
    return this.#sql.exec(sql, after, before).toArray().length > 0;
  }

  /** null while no order was ever created. */
  latest(): Incarnation | null {
    const sql = `SELECT incarnation AS number, EXISTS (SELECT 1 FROM ended WHERE ended.incarnation = accepted.incarnation) AS ended
                 FROM ${DOCUMENTS} AS accepted WHERE incarnation = (${LATEST}) LIMIT 1`;
    const row = this.#sql.exec<{ number: number; ended: number }>(sql).toArray()[0];
    return row === undefined ? null : { number: row.number, hasEnded: row.ended === 1 };
  }

  /** The cancel of the latest incarnation was accepted. Idempotent. @param seq of the cancel. */
  end(seq: number, endedAtMs: number): void {
    const sql = `INSERT OR IGNORE INTO ended SELECT max(incarnation), ?, ? FROM ${DOCUMENTS} HAVING max(incarnation) IS NOT NULL`;
    this.#sql.exec(sql, seq, endedAtMs);
  }

  /** Ids listed under the reference before the create `seq` was sent; ours are left out. */
  noteForeign(seq: number, orderIds: readonly string[]): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO foreign_order SELECT value, ? FROM json_each(?)
       WHERE value NOT IN (SELECT lower(order_id) FROM ${DOCUMENTS})`,
      seq,
      JSON.stringify(orderIds),
    );
  }

  /** In lower case. */
  knownIds(): KnownIds {
    const ids = (sql: string): Set<string> =>
      new Set(
        this.#sql
          .exec<{ id: string }>(sql)
          .toArray()
          .map(({ id }) => id),
      );
    return {
      ours: ids(`SELECT lower(order_id) AS id FROM ${DOCUMENTS} UNION SELECT lower(order_id) FROM accepted`),
      before: ids('SELECT order_id AS id FROM foreign_order'),
    };
  }
}

/* The ids under which an order was made upstream, over all its incarnations. SQL only. */

export interface NamedIds {
  ours: string[];
  /** Ids that existed under the reference before it was made: another's. */
  before: string[];
  /** What is to make it has not ended: it may have an id that is not known yet. */
  isBeingMade: boolean;
  /** It was created once and nobody has named its id. */
  hasUnnamed: boolean;
}

/** What is needed to query the upstream for an order's tracks, and to tell its own from those of others. */
export interface TrackTerms extends NamedIds {
  /** Ids under which polls of its feed brought it. */
  polled: string[];
  /** As `earlierIds`. */
  earlier: string[];
  /** Of its last operation; null: it has none. */
  scac: string | null;
  /** The answer mapping of its feed; null: it could not be loaded. */
  mapping: AnswerMapping | null;
  /** A feed reports it, or has. */
  isFollowed: boolean;
}

export const NOTHING_NAMED: NamedIds = { ours: [], before: [], isBeingMade: false, hasUnnamed: false };

export function namedIds(sql: SqlStorage, order: Pick<OrderStore, 'knownIds'>): NamedIds {
  const { ours, before } = order.knownIds();
  const making = `SELECT 1 FROM request WHERE kind IN ('order.create', 'order.upsert')
                    AND state IN ('queued', 'sending', 'waiting', 'unknown', 'held') LIMIT 1`;
  return {
    ours: [...ours].filter((id) => id !== ''),
    before: [...before],
    isBeingMade: sql.exec(making).toArray().length > 0,
    hasUnnamed: ours.has(''),
  };
}

/**
 * Ids, in lower case, of orders made under the reference before the current one: of earlier incarnations, and of
 * creates that were refused after all. None where there is no order, or nobody has named its id.
 */
export function earlierIds(sql: SqlStorage, order: Pick<OrderStore, 'accepted' | 'knownIds'>): string[] {
  const standing = order.accepted();
  if (standing === null || standing.order_id === '') return [];
  const own = sql
    .exec<{ id: string }>(`SELECT lower(order_id) AS id FROM ${DOCUMENTS} WHERE incarnation = ?`, standing.incarnation)
    .toArray();
  const earlier = order.knownIds().ours.difference(new Set(own.map(({ id }) => id)));
  return [...earlier].filter((id) => id !== '');
}

/*
 * What each operation of an order does, planned once at its first step; and the differences that were counted. SQL
 * only.
 */

/** An operation that is sent. */
type SentPlan = Extract<OrderPlan, { does: 'create' | 'update' | 'cancel' }>;

export type StoredOperation = {
  seq: number;
  does: SentPlan['does'];
  /** NULL for a create: known when it is accepted. */
  incarnation: number | null;
  order_id: string | null;
  /** Sent byte for byte on every try; '' for a cancel. */
  body: string;
  /** What the order becomes when it is accepted; NULL for a cancel. */
  document: string | null;
  /** JSON: the differences to count. */
  lines: string | null;
};

export class PlanStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  of(seq: number): StoredOperation | null {
    return this.#sql.exec<StoredOperation>('SELECT * FROM operation WHERE seq = ?', seq).toArray()[0] ?? null;
  }

  /** The first plan is kept. */
  keep(seq: number, plan: SentPlan): void {
    const row = {
      incarnation: 'incarnation' in plan ? plan.incarnation : null,
      orderId: 'orderId' in plan ? plan.orderId : null,
      body: 'body' in plan ? plan.body : '',
      document: 'document' in plan ? plan.document : null,
      lines: 'lines' in plan ? JSON.stringify(plan.lines) : null,
    };
    this.#sql.exec(
      'INSERT OR IGNORE INTO operation (seq, does, incarnation, order_id, body, document, lines) VALUES (?, ?, ?, ?, ?, ?, ?)',
      seq,
      plan.does,
      row.incarnation,
      row.orderId,
      row.body,
      row.document,
      row.lines,
    );
    if (plan.does === 'update') {
      this.#sql.exec('UPDATE request SET diff = ? WHERE seq = ?', JSON.stringify(plan.shown), seq);
    }
  }

  counted(incarnation: number, line: string): CountedDelta | undefined {
    const sql = 'SELECT amount, seq FROM counted_delta WHERE incarnation = ? AND line = ?';
    return this.#sql.exec<{ amount: number; seq: number }>(sql, incarnation, line).toArray()[0];
  }

  /** The operation was accepted, and made or changed this incarnation of the order. Idempotent. */
  count({ seq, lines }: StoredOperation, incarnation: number): void {
    const sql = 'INSERT OR IGNORE INTO counted_delta (incarnation, line, amount, seq) VALUES (?, ?, ?, ?)';
    for (const { line, amount } of JSON.parse(lines ?? '[]') as DeltaLine[]) {
      this.#sql.exec(sql, incarnation, line, amount, seq);
    }
  }

  /** It was not done after all. */
  uncount(seq: number): void {
    this.#sql.exec('DELETE FROM counted_delta WHERE seq = ?', seq);
  }

  /**
   * Later operations that were never sent are planned again: their plans counted on what this one would make of the
   * order.
   */
  forgetBehind(seq: number): void {
    const sql = `DELETE FROM operation WHERE seq > ? AND seq NOT IN (SELECT seq FROM attempt WHERE purpose = 'send') RETURNING seq`;
    for (const { seq: behind } of this.#sql.exec<{ seq: number }>(sql, seq).toArray()) {
      this.#sql.exec('UPDATE request SET diff = NULL WHERE seq = ?', behind);
    }
  }

  /**
   * The latest time at which an update of an incarnation without a clear answer may have been sent; null where all were
   * clear.
   */
  lastAmbiguousMs(incarnation: number): number | null {
    const sql = `SELECT max(started_at_ms + coalesce(latency_ms, 0)) AS at FROM operation JOIN attempt USING (seq)
                 WHERE operation.incarnation = ? AND operation.does = 'update' AND attempt.purpose = 'send' AND attempt.effect = 'unknown'`;
    return this.#sql.exec<{ at: number | null }>(sql, incarnation).one().at;
  }
}
