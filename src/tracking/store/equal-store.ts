/** A load's requests that say the same. SQL only: what becomes of the later one is `delivery/events/duplicates.ts`. */
import type { EqualRequest } from '../../delivery/events/duplicates.ts';
import type { RequestState } from '../../delivery/states.ts';

/** What never stands in the way of an equal one is not among them, so that thousands of refused ones are not read over and over. */
const IN_THE_WAY = `state NOT IN ('duplicate', 'rejected', 'cancelled')`;

type Outcome = 'not_applied' | 'unknown' | null;
type EqualRow = {
  seq: number;
  state: RequestState;
  outcome: Outcome;
  into_state: RequestState | null;
  into_outcome: Outcome;
};

export class EqualStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** In hand-over order, as they are asked for; none for a request that is sent whatever was sent before. */
  *earlierThan(seq: number): Iterable<EqualRequest> {
    const rows = this.#sql.exec<EqualRow>(
      `SELECT request.seq, request.state, request.outcome, lead.state AS into_state, lead.outcome AS into_outcome
       FROM request LEFT JOIN request AS lead ON lead.seq = request.into_seq
       WHERE request.business_key = (SELECT business_key FROM request WHERE seq = ?1 AND forced = 0)
         AND request.seq < ?1 AND request.${IN_THE_WAY}
       ORDER BY request.seq`,
      seq,
    );
    for (const { seq: earlier, state, outcome, into_state, into_outcome } of rows) {
      const into = into_state === null ? null : { state: into_state, outcome: into_outcome };
      yield { seq: earlier, state, outcome, into };
    }
  }

  /** It is passed over until that one is final. */
  waitFor(seq: number, earlier: number): void {
    this.#sql.exec('UPDATE request SET awaits_seq = ? WHERE seq = ?', earlier, seq);
  }

  /** The same may have arrived already. */
  doubt(seq: number): void {
    this.#sql.exec('UPDATE request SET had_unknown = 1, possible_duplicate = 1 WHERE seq = ?', seq);
  }
}
