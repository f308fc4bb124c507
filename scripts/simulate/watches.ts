/** Invariants about what may never change once it is written, as triggers in the objects' own databases. */
import { WRITTEN_OUTCOMES } from './batch-rows.ts';
import type { ObjectDatabase } from './sql.ts';

const FINAL = `('delivered', 'rejected', 'duplicate', 'cancelled', 'dead')`;

/** All of an attempt but what is told of its answer. */
const ANSWERED = ['effect', 'status', 'headers', 'body', 'body_end', 'body_encoding', 'latency_ms', 'started_at_ms']
  .concat(['purpose', 'request_sha256', 'token_fingerprint', 'carries'])
  .join(', OLD.');

/**
 * I23: an attempt that has its outcome stands; of a 401 it may be added once why its token could not be renewed, which is
 * known only after it. I4: so does a final state.
 */
const SUBJECT = `
CREATE TRIGGER IF NOT EXISTS attempt_stands BEFORE UPDATE ON attempt WHEN OLD.effect IS NOT NULL AND NOT
    (OLD.status = 401 AND OLD.detail IS NULL AND (OLD.${ANSWERED}) IS (NEW.${ANSWERED.replaceAll('OLD.', 'NEW.')}))
  BEGIN SELECT breach('I23', 'attempt ' || OLD.attempt || ' of request ' || OLD.seq || ' was changed'); END;
CREATE TRIGGER IF NOT EXISTS attempt_stays BEFORE DELETE ON attempt
  BEGIN SELECT breach('I23', 'attempt ' || OLD.attempt || ' of request ' || OLD.seq || ' was deleted'); END;
CREATE TRIGGER IF NOT EXISTS final_stands BEFORE UPDATE OF state, outcome, status ON request WHEN OLD.state IN ${FINAL}
    AND (NEW.state, NEW.outcome, NEW.status) IS NOT (OLD.state, OLD.outcome, OLD.status)
  BEGIN SELECT breach('I4', OLD.key || ' was ' || OLD.state || ' and became ' || NEW.state); END;
CREATE TRIGGER IF NOT EXISTS request_stays BEFORE DELETE ON request
  BEGIN SELECT breach('I24', OLD.key || ' was deleted'); END;
`;
/** I3: rows stay. What is stored of their requests is copied, so that the end can tell whether a final state stood (I4). */
const BATCH = `
CREATE TABLE IF NOT EXISTS ${WRITTEN_OUTCOMES} (seq INTEGER PRIMARY KEY, outcomes TEXT NOT NULL);
CREATE TRIGGER IF NOT EXISTS outcomes_logged AFTER INSERT ON outcome_log
  BEGIN INSERT INTO ${WRITTEN_OUTCOMES} (outcomes) VALUES (NEW.outcomes); END;
CREATE TRIGGER IF NOT EXISTS outcomes_logged_again AFTER UPDATE ON outcome_log
  BEGIN INSERT INTO ${WRITTEN_OUTCOMES} (outcomes) VALUES (NEW.outcomes); END;
CREATE TRIGGER IF NOT EXISTS outcomes_written AFTER INSERT ON slice_outcomes
  BEGIN INSERT INTO ${WRITTEN_OUTCOMES} (outcomes) VALUES (NEW.outcomes); END;
CREATE TRIGGER IF NOT EXISTS outcomes_written_again AFTER UPDATE OF outcomes ON slice_outcomes
  BEGIN INSERT INTO ${WRITTEN_OUTCOMES} (outcomes) VALUES (NEW.outcomes); END;
CREATE TRIGGER IF NOT EXISTS slice_stays BEFORE DELETE ON slice
  BEGIN SELECT breach('I3', 'records ' || OLD.first || ' to ' || OLD.last || ' were deleted'); END;
`;
const EARLIER = `
CREATE TRIGGER IF NOT EXISTS earlier_stands BEFORE UPDATE ON earlier
  BEGIN SELECT breach('I24', 'generation ' || OLD.generation || ' of record ' || OLD.record || ' was changed'); END;
CREATE TRIGGER IF NOT EXISTS earlier_stays BEFORE DELETE ON earlier
  BEGIN SELECT breach('I24', 'generation ' || OLD.generation || ' of record ' || OLD.record || ' was deleted'); END;
`;

/** @returns the triggers for the tables there are by now. */
export function watchesOf(database: ObjectDatabase): string {
  const tables = new Set(database.tables);
  const isSubject = tables.has('attempt') && tables.has('request');
  const isBatch = tables.has('slice') && tables.has('slice_outcomes') && tables.has('outcome_log');
  return (isSubject ? SUBJECT : '') + (isBatch ? BATCH : '') + (tables.has('earlier') ? EARLIER : '');
}
