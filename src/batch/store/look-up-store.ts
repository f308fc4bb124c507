/** What a batch looked up, and what it was answered: its requests can be made again from this, whatever is true by then. SQL only. */
import type { LookUp, LookUpAnswer } from '../../mapping/lookups/look-up.ts';
import { lookUpKey } from '../../mapping/lookups/look-up.ts';

export interface RecordedLookUp {
  asked: LookUp;
  answer: LookUpAnswer;
}

export class LookUpStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** @param message of a batch that messages share: each has answers of its own; 0: the batch is of one upload. */
  answer(message: number, key: string): LookUpAnswer | undefined {
    const sql = 'SELECT answer FROM look_up WHERE message = ? AND key = ?';
    const row = this.#sql.exec<{ answer: string }>(sql, message, key).toArray()[0];
    return row && (JSON.parse(row.answer) as LookUpAnswer);
  }

  /** The first answer stands. */
  keep(message: number, { asked, answer }: RecordedLookUp): void {
    const sql = 'INSERT OR IGNORE INTO look_up (message, key, asked, answer) VALUES (?, ?, ?, ?)';
    this.#sql.exec(sql, message, lookUpKey(asked), JSON.stringify(asked), JSON.stringify(answer));
  }

  /** In the order of their keys. @param after the key of the last one before these. */
  recorded(message: number, after: string, limit: number): (RecordedLookUp & { key: string })[] {
    const sql = 'SELECT key, asked, answer FROM look_up WHERE message = ? AND key > ? ORDER BY key LIMIT ?';
    return this.#sql
      .exec<{ key: string; asked: string; answer: string }>(sql, message, after, limit)
      .toArray()
      .map(({ key, asked, answer }) => ({
        key,
        asked: JSON.parse(asked) as LookUp,
        answer: JSON.parse(answer) as LookUpAnswer,
      }));
  }
}
