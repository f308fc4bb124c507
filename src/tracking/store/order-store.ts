/** What an Order object holds of its order: incarnations with the upstream's id and the documents it accepted. SQL only: nothing here decides. */
import type { Incarnation } from '../../delivery/orders/incarnations.ts';
import type { Standing } from '../../delivery/orders/plan.ts';
import type { KnownIds } from '../../delivery/orders/reconcile.ts';
import { isDocument, type OrderDocument } from '../../upstream/contracts/order-difference.ts';
import { BaseStore, DOCUMENTS, type LoadedBase } from './base-store.ts';

/** `seq` is the operation that brought it about; `document` the exact body. */
export type AcceptedOrder = {
  seq: number;
  incarnation: number;
  order_id: string;
  document: string;
  scac: string;
  accepted_at_ms: number;
};

/** `base`: 0 where it was accepted; else an operator stated it behind the operation `seq`, and its SCAC is ''. */
export type HeldOrder = AcceptedOrder & { base: number };

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

  /** It was taken, and then not done: what it brought about never was. Idempotent. */
  refuse(seq: number): void {
    this.#sql.exec('INSERT OR IGNORE INTO refused_operation VALUES (?)', seq);
    this.#sql.exec('DELETE FROM ended WHERE seq = ?', seq);
  }

  /** The order as it stands upstream; null while there is none, and behind its cancel. */
  accepted(): HeldOrder | null {
    const sql = `SELECT * FROM ${DOCUMENTS} WHERE incarnation = (${LATEST}) AND incarnation NOT IN (SELECT incarnation FROM ended)
                 ORDER BY seq DESC, base DESC LIMIT 1`;
    return this.#sql.exec<HeldOrder>(sql).toArray()[0] ?? null;
  }

  /** What the order came into being with; null where `accepted` is. */
  created(): HeldOrder | null {
    const sql = `SELECT * FROM ${DOCUMENTS} WHERE incarnation = (${LATEST}) AND incarnation NOT IN (SELECT incarnation FROM ended)
                 ORDER BY seq, base LIMIT 1`;
    return this.#sql.exec<HeldOrder>(sql).toArray()[0] ?? null;
  }

  /** When the order was found where no answer had shown that it came into being; null: one had, or it was stated. */
  foundAtMs(): number | null {
    const first = this.created();
    if (first === null || first.base > 0) return null;
    const sql = 'SELECT had_unknown FROM request WHERE seq = ?';
    const wasUnclear = this.#sql.exec<{ had_unknown: number }>(sql, first.seq).toArray()[0]?.had_unknown === 1;
    return wasUnclear ? first.accepted_at_ms : null;
  }

  /** When an operator last stated how it stands; null: nobody ever did. */
  statedMs = (): number | null => this.#bases.lastMs();

  /** A person says how it stands upstream: from here on changes are merged with that. */
  state(base: Omit<LoadedBase, 'number' | 'after_seq'>): void {
    this.#bases.load(base);
  }

  /** What an operation before which `seq` stands next finds. */
  standing(seq: number): Standing {
    const live = this.accepted();
    if (live !== null) {
      const { incarnation, order_id: orderId, seq: by, base } = live;
      const isDoubtful = base > 0 || this.#gaveUpUnclear(by, seq); // what a person says, no answer has shown
      return { order: 'live', incarnation, orderId, document: documentIn(live.document), seq: by, isDoubtful };
    }
    const sql = `SELECT seq FROM ended WHERE incarnation = (${LATEST})`;
    const end = this.#sql.exec<{ seq: number }>(sql).toArray()[0];
    const createEnded = this.#createEnded(end?.seq ?? 0, seq);
    return end === undefined ? { order: 'none', createEnded } : { order: 'cancelled', bySeq: end.seq, createEnded };
  }

  /** Whether an operation between the two may have been applied after all. */
  #gaveUpUnclear(after: number, before: number): boolean {
    const sql = `SELECT 1 FROM request WHERE seq > ? AND seq < ? AND state = 'dead' AND outcome = 'unknown' LIMIT 1`;
    return this.#sql.exec(sql, after, before).toArray().length > 0;
  }

  /** Whether one that was to make the order ended between the two, without making it. An upsert of a part never was to. */
  #createEnded(after: number, before: number): boolean {
    const sql = `SELECT 1 FROM request WHERE seq > ? AND seq < ? AND kind IN ('order.create', 'order.upsert')
                   AND state IN ('rejected', 'dead', 'cancelled') AND reason IS NOT 'base_unknown' LIMIT 1`;
    return this.#sql.exec(sql, after, before).toArray().length > 0;
  }

  /** null while no order has come into being. */
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

  /** Listed under the reference before the create `seq` was sent; those that are ours are left out. */
  noteForeign(seq: number, orderIds: readonly string[]): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO foreign_order SELECT value, ? FROM json_each(?)
       WHERE value NOT IN (SELECT lower(order_id) FROM ${DOCUMENTS})`,
      seq,
      JSON.stringify(orderIds),
    );
  }

  /** In small letters. */
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
