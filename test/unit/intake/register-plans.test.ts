/** What every claim does before it decides: it must not read all that a register keeps. */
import { expect, it } from 'vitest';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { forgetClaims } from '../../../src/intake/watch-batches.ts';
import { plansOf } from '../query-plans.ts';

it('forgets what has outlived its time along an index, however many claims are kept', () => {
  const plans = plansOf(REGISTER_MIGRATIONS, (sql) => forgetClaims(sql, 0, { nowMs: () => 0, timeScale: 1 }));
  expect(plans.map(({ plan }) => plan)).toEqual(
    ['claim', 'idempotency', 'interchange'].map((table) => [
      expect.stringMatching(`^SEARCH ${table} USING .*INDEX ${table}_age \\(claimed_at_ms<\\?\\)$`),
    ]),
  );
});
