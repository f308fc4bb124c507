import type { Problem } from '../../kernel/problem.ts';
import { type Letter, type LetterFilter, type LetterMark, subjectsNamed } from '../core/letters.ts';
import type { RowPlace } from '../core/row.ts';
import { FOLLOWED } from './action-store.ts';

/** Written as in the index, so that it is used: LETTER_STATES. */
const IS_LETTER = `${FOLLOWED} IN ('held', 'rejected', 'dead', 'cancelled')`;

/** A row in whose place another one was delivered needs nobody: it is shown only where it is asked for by its place. */
const NEEDS_SOMEBODY = `(?3->>'places' IS NOT NULL OR NOT EXISTS
    (SELECT 1 FROM record WHERE record.record = request.record AND record.resolved_by IS NOT NULL))`;

const WANTED = `${IS_LETTER} AND ${FOLLOWED} IN (SELECT value FROM json_each(?3->'states'))
  AND (?3->>'reasons' IS NULL OR reason IN (SELECT value FROM json_each(?3->'reasons')))
  AND (?3->>'statuses' IS NULL OR status IN (SELECT value FROM json_each(?3->'statuses')))
  AND (?3->>'kinds' IS NULL OR kind IN (SELECT value FROM json_each(?3->'kinds')))
  AND (?3->>'subjects' IS NULL OR subject IN (SELECT value FROM json_each(?3->'subjects')))
  AND (?3->>'places' IS NULL OR (record, request) IN
    (SELECT value->>'record', value->>'request' FROM json_each(?3->'places')))
  AND ${NEEDS_SOMEBODY}`;

/** Requests behind (?1, ?2) that a filter (?3) names, at most ?4. `followed`: the state their row folds from. */
export const WANTED_LETTERS = `SELECT *, ${FOLLOWED} AS followed FROM request
  WHERE (record, request) > (?1, ?2) AND ${WANTED} ORDER BY record, request LIMIT ?4`;

export const wantedJson = ({ subject, ...filter }: LetterFilter): string =>
  JSON.stringify({ ...filter, subjects: subject === null ? null : subjectsNamed(subject) });

/** What is stored otherwise than it is told. */
type ToldOtherwise = 'batchId' | 'possibleDuplicate' | 'problems' | 'decidedAtMs' | 'replacedBy';

export type LetterRow = Omit<Letter, ToldOtherwise> & {
  possible_duplicate: number;
  problems: string | null;
  decided_at_ms: number | null;
  replaced_by: string | null;
};

type ActionRow = { atMs: number; who: string; what: string; detail: string };

export class LetterStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Requests behind `after`, in record order. */
  requests(filter: LetterFilter, after: LetterMark, limit: number): LetterRow[] {
    const sql = `
      SELECT letter.record, request, line, followed AS state, reason, outcome, kind, subject, scac, generation, attempts, status,
        answer, possible_duplicate, NULL AS problems, decided_at_ms, replaced_by
      FROM (${WANTED_LETTERS}) AS letter
      JOIN record ON record.record = letter.record ORDER BY letter.record, request`;
    return this.#sql.exec<LetterRow>(sql, after.record, after.request, wantedJson(filter), limit).toArray();
  }

  /** Rows that could not become requests. */
  invalid(filter: LetterFilter, after: LetterMark, limit: number): LetterRow[] {
    const { states, statuses, kinds, subject, reasons, places } = filter;
    const cannotBe = statuses !== null || kinds !== null || subject !== null || !states.includes('invalid');
    if (cannotBe) return [];
    const sql = `
      SELECT record, 0 AS request, line, 'invalid' AS state, NULL AS reason, NULL AS outcome, NULL AS kind, NULL AS subject,
        NULL AS scac, 1 AS generation, 0 AS attempts, NULL AS status, NULL AS answer, 0 AS possible_duplicate, problems,
        NULL AS decided_at_ms, replaced_by
      FROM record WHERE state = 'invalid' AND record >= ?1 AND (record, 0) > (?1, ?2)
        AND (?5 IS NULL OR EXISTS (SELECT 1 FROM json_each(problems) AS problem
               WHERE problem.value->>'code' IN (SELECT value FROM json_each(?5))))
        AND (?3 IS NULL OR (record, 0) IN (SELECT value->>'record', value->>'request' FROM json_each(?3)))
        AND (?3 IS NOT NULL OR resolved_by IS NULL)
      ORDER BY record LIMIT ?4`;
    const asked = (list: readonly unknown[] | null): string | null => (list === null ? null : JSON.stringify(list));
    return this.#sql.exec<LetterRow>(sql, after.record, after.request, asked(places), limit, asked(reasons)).toArray();
  }

  /** What was asked of the batch, newest first. */
  actions(limit: number): ActionRow[] {
    const sql = 'SELECT at_ms AS atMs, who, what, detail FROM action ORDER BY seq DESC LIMIT ?';
    return this.#sql.exec<ActionRow>(sql, limit).toArray();
  }
}

export function letterOf(batchId: string, row: LetterRow): Letter {
  const { possible_duplicate, problems, decided_at_ms, replaced_by, ...told } = row;
  return {
    ...told,
    batchId,
    possibleDuplicate: possible_duplicate === 1,
    problems: problems === null ? [] : (JSON.parse(problems) as Problem[]),
    decidedAtMs: decided_at_ms,
    replacedBy: replaced_by === null ? null : (JSON.parse(replaced_by) as RowPlace),
  };
}
