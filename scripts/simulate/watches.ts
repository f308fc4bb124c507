/** Invariants about what may never change once it is written, as triggers in the objects' own databases. */
import type { ObjectDatabase } from './sql.ts';

const FINAL = `('delivered', 'rejected', 'duplicate', 'cancelled', 'dead')`;

/** I23: an attempt that has its outcome stands. I4: so does a final state. */
const SUBJECT = `
CREATE TRIGGER IF NOT EXISTS attempt_stands BEFORE UPDATE ON attempt WHEN OLD.effect IS NOT NULL
  BEGIN SELECT breach('I23', 'attempt ' || OLD.attempt || ' of request ' || OLD.seq || ' was changed'); END;
CREATE TRIGGER IF NOT EXISTS attempt_stays BEFORE DELETE ON attempt
  BEGIN SELECT breach('I23', 'attempt ' || OLD.attempt || ' of request ' || OLD.seq || ' was deleted'); END;
CREATE TRIGGER IF NOT EXISTS final_stands BEFORE UPDATE OF state, outcome, status ON request WHEN OLD.state IN ${FINAL}
    AND (NEW.state, NEW.outcome, NEW.status) IS NOT (OLD.state, OLD.outcome, OLD.status)
  BEGIN SELECT breach('I4', OLD.key || ' was ' || OLD.state || ' and became ' || NEW.state); END;
CREATE TRIGGER IF NOT EXISTS request_stays BEFORE DELETE ON request
  BEGIN SELECT breach('I24', OLD.key || ' was deleted'); END;
`;
/** A row of the batch may only begin anew, as its next generation, which begins with revision -1; what earlier ones met stands (I24). */
const BATCH = `
CREATE TRIGGER IF NOT EXISTS final_stands BEFORE UPDATE ON request WHEN OLD.state IN ${FINAL}
    AND NEW.generation = OLD.generation AND OLD.revision >= 0 AND NEW.state <> OLD.state
  BEGIN SELECT breach('I4', OLD.record || '/' || OLD.request || ' was ' || OLD.state || ' and became ' || NEW.state); END;
CREATE TRIGGER IF NOT EXISTS record_stays BEFORE DELETE ON record
  BEGIN SELECT breach('I3', 'record ' || OLD.record || ' was deleted'); END;
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
  const isBatch = tables.has('kept') && tables.has('request') && tables.has('record');
  return (isSubject ? SUBJECT : '') + (isBatch ? BATCH : '') + (tables.has('earlier') ? EARLIER : '');
}
