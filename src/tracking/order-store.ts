/** What an Order object holds of its order: the upstream's id and the document it accepted. SQL only: nothing here decides. */

const SCHEMA = `
CREATE TABLE IF NOT EXISTS accepted (
  seq INTEGER PRIMARY KEY, order_id TEXT NOT NULL, document TEXT NOT NULL, scac TEXT NOT NULL, accepted_at_ms INTEGER NOT NULL
);
`;

/** `seq` is the operation that brought it about; `document` the exact body. */
export type AcceptedOrder = {
  seq: number;
  order_id: string;
  document: string;
  scac: string;
  accepted_at_ms: number;
};

export class OrderStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  accept(accepted: AcceptedOrder): void {
    const { seq, order_id, document, scac, accepted_at_ms } = accepted;
    this.#sql.exec('INSERT INTO accepted VALUES (?, ?, ?, ?, ?)', seq, order_id, document, scac, accepted_at_ms);
  }

  /** The order as it stands upstream, null while there is none. */
  accepted(): AcceptedOrder | null {
    const sql = 'SELECT * FROM accepted ORDER BY seq DESC LIMIT 1';
    return this.#sql.exec<AcceptedOrder>(sql).toArray()[0] ?? null;
  }
}
