/** Documents of an order that operators stated, with who did and why: append-only. SQL only: nothing here decides. */

/** All documents of an order by `seq` and `base`, but for those of which it was heard later that they were refused: accepted ones by the operation that brought them about, stated ones behind it. */
export const DOCUMENTS = `(
  SELECT seq, 0 AS base, incarnation, order_id, document, scac, accepted_at_ms FROM accepted WHERE seq NOT IN (SELECT seq FROM refused_operation)
  UNION ALL SELECT after_seq, number, incarnation, order_id, document, '', loaded_at_ms FROM loaded_base
)`;

export type LoadedBase = {
  number: number;
  after_seq: number;
  incarnation: number;
  order_id: string;
  document: string;
  loaded_at_ms: number;
  /** Id of the operator's key; `author` is the name of its holder. */
  key_id: string;
  author: string;
  why: string;
  diff: string | null;
};

export class BaseStore {
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
