/** What a Batch keeps of its watch over loads and orders. SQL only: nothing here decides. */
import type { BatchMark } from '../core/progress.ts';
import type { Poked, WatchedRequest, WatchPass } from '../core/watch.ts';

type WatchedRow = { [Key in Exclude<keyof WatchedRequest, 'poked'>]: WatchedRequest[Key] } & {
  [Key in keyof Poked]: Poked[Key] | null;
};

export class WatchStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  pass(): WatchPass | undefined {
    const row = this.#sql.exec<{ pass: string }>('SELECT pass FROM watch').toArray()[0];
    return row ? (JSON.parse(row.pass) as WatchPass) : undefined;
  }

  keepPass(pass: WatchPass): void {
    const sql = 'INSERT INTO watch (id, pass) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET pass = excluded.pass';
    this.#sql.exec(sql, JSON.stringify(pass));
  }

  /** Requests behind `after` up to `last`, in order. */
  requests(after: BatchMark, last: BatchMark, limit: number): WatchedRequest[] {
    const sql = `SELECT record, request, subject, scac, coalesce(iif(state = 'coalesced', into_state, NULL), state) AS state,
                   decided_at_ms AS toldAtMs, next_at_ms AS nextAtMs, pokes, at_ms AS atMs, quiet_until_ms AS quietUntilMs
                 FROM request LEFT JOIN poked USING (scac, subject)
                 WHERE (record, request) > (?, ?) AND (record, request) <= (?, ?) ORDER BY record, request LIMIT ?`;
    return this.#sql
      .exec<WatchedRow>(sql, after.record, after.request, last.record, last.request, limit)
      .toArray()
      .map(watched);
  }

  keepPoked({ scac, subject }: Pick<WatchedRequest, 'scac' | 'subject'>, { pokes, atMs, quietUntilMs }: Poked): void {
    const sql = 'INSERT OR REPLACE INTO poked (scac, subject, pokes, at_ms, quiet_until_ms) VALUES (?, ?, ?, ?, ?)';
    this.#sql.exec(sql, scac, subject, pokes, atMs, quietUntilMs);
  }

  /** The batch has ended: nobody is watched. */
  forget(): void {
    this.#sql.exec('DELETE FROM watch');
    this.#sql.exec('DELETE FROM poked');
  }
}

const watched = ({ pokes, atMs, quietUntilMs, ...request }: WatchedRow): WatchedRequest => ({
  ...request,
  poked: pokes === null || atMs === null || quietUntilMs === null ? null : { pokes, atMs, quietUntilMs },
});
