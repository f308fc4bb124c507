/** The sandbox's state in a few counts, for a test that asks "how many" before it asks "which". */
import type { SqlStore } from './sql-store.ts';

export function summarise({ sql, settings, timeScale, rules }: SqlStore): Record<string, unknown> {
  return {
    timeScale,
    settings,
    faultRules: rules.length,
    requests: sql
      .exec(
        `SELECT environment, method, path, status, applied, COUNT(*) AS count FROM (
          SELECT environment, method, status, applied, ${PATH_WITHOUT_IDS} AS path FROM journal
        ) GROUP BY environment, method, path, status, applied ORDER BY count DESC LIMIT 200`,
      )
      .toArray()
      .map((row) => ({ ...row, applied: row.applied === 1 })),
    tokensMinted: sql
      .exec(
        'SELECT environment, account, endpoint, COUNT(*) AS count FROM tokens GROUP BY environment, account, endpoint',
      )
      .toArray(),
    orders: sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM orders').one().count,
    lateEffects: sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM late_effects').one().count,
  };
}

/** Requests about single orders count together: `/v1/{id}` instead of one line per order. */
const ORDERS_PREFIX = "'%/rcsc/order-requests/v1/%'";
const PATH_WITHOUT_IDS = `CASE WHEN path LIKE ${ORDERS_PREFIX}
  THEN substr(path, 1, instr(path, '/rcsc/')) || 'rcsc/order-requests/v1/' ||
    CASE WHEN path LIKE '%/statuses' THEN '{id}/statuses' WHEN path LIKE '%/v1/' THEN '' ELSE '{id}' END
  ELSE path END`;
