/** What an Order object holds of its order: incarnations with the upstream's id and the document it accepted. SQL only: nothing here decides. */
import type { Incarnation } from '../delivery/incarnations.ts';
import type { KnownIds } from '../delivery/reconcile.ts';

/** `ended`: the cancel that ended an incarnation was accepted. `foreign`: ids that stood under the reference before a create was sent. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS accepted (
  seq INTEGER PRIMARY KEY, incarnation INTEGER NOT NULL, order_id TEXT NOT NULL, document TEXT NOT NULL, scac TEXT NOT NULL,
  accepted_at_ms INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS ended (incarnation INTEGER PRIMARY KEY, seq INTEGER NOT NULL, ended_at_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS foreign_order (order_id TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
`;

/** `seq` is the operation that brought it about; `document` the exact body. */
export type AcceptedOrder = {
  seq: number;
  incarnation: number;
  order_id: string;
  document: string;
  scac: string;
  accepted_at_ms: number;
};

const LATEST = 'SELECT max(incarnation) FROM accepted';

export class OrderStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  accept({ seq, incarnation, order_id, document, scac, accepted_at_ms }: AcceptedOrder): void {
    const sql = 'INSERT INTO accepted VALUES (?, ?, ?, ?, ?, ?)';
    this.#sql.exec(sql, seq, incarnation, order_id, document, scac, accepted_at_ms);
  }

  /** The order as it stands upstream; null while there is none, and behind its cancel. */
  accepted(): AcceptedOrder | null {
    const sql = `SELECT * FROM accepted WHERE incarnation = (${LATEST}) AND incarnation NOT IN (SELECT incarnation FROM ended)
                 ORDER BY seq DESC LIMIT 1`;
    return this.#sql.exec<AcceptedOrder>(sql).toArray()[0] ?? null;
  }

  /** null while no order has come into being. */
  latest(): Incarnation | null {
    const sql = `SELECT incarnation AS number, EXISTS (SELECT 1 FROM ended WHERE ended.incarnation = accepted.incarnation) AS ended
                 FROM accepted WHERE incarnation = (${LATEST}) LIMIT 1`;
    const row = this.#sql.exec<{ number: number; ended: number }>(sql).toArray()[0];
    return row === undefined ? null : { number: row.number, hasEnded: row.ended === 1 };
  }

  /** The cancel of the latest incarnation was accepted. Idempotent. @param seq of the cancel. */
  end(seq: number, endedAtMs: number): void {
    const sql = `INSERT OR IGNORE INTO ended SELECT max(incarnation), ?, ? FROM accepted HAVING max(incarnation) IS NOT NULL`;
    this.#sql.exec(sql, seq, endedAtMs);
  }

  /** Listed under the reference before the create `seq` was sent; those that are ours are left out. */
  noteForeign(seq: number, orderIds: readonly string[]): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO foreign_order SELECT value, ? FROM json_each(?)
       WHERE value NOT IN (SELECT lower(order_id) FROM accepted)`,
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
      ours: ids('SELECT lower(order_id) AS id FROM accepted'),
      before: ids('SELECT order_id AS id FROM foreign_order'),
    };
  }
}
