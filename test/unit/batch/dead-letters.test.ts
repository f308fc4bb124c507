/** What of batches did not arrive: which states those are, and how they are counted by what failed alike. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { DEAD_LETTER_STATES } from '../../../src/batch/core/dead-letters.ts';
import { CORRECTABLE } from '../../../src/batch/core/tally.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { DeadLetterStore } from '../../../src/batch/store/dead-letter-store.ts';
import { isFinal, REQUEST_STATES } from '../../../src/delivery/states.ts';
import { draws } from '../../draws.ts';
import { storageOf } from '../object-storage.ts';

it('are for a partner to correct where they are no matter of a person who decides', () => {
  expect([...CORRECTABLE].sort()).toEqual(DEAD_LETTER_STATES.filter((state) => state !== 'held').sort());
});

it('are what is held, and what ended without a delivery', () => {
  const isSent = (state: string) => state === 'delivered' || state === 'duplicate';
  const wanted = [...REQUEST_STATES, 'invalid' as const].filter(
    (state) => state === 'invalid' || state === 'held' || (isFinal(state) && !isSent(state)),
  );
  expect([...DEAD_LETTER_STATES].sort()).toEqual([...wanted].sort());
});

const letter = fc.record({
  record: fc.integer({ min: 1, max: 12 }),
  request: fc.nat(3),
  state: fc.constantFrom('invalid', 'held', 'rejected', 'cancelled'),
  issue: fc.constantFrom('["a"]', '["b"]', '["c"]'),
});
const mended = fc.record({ record: fc.integer({ min: 1, max: 12 }), isResolved: fc.boolean() });

it('are counted by issue as if each were looked at: rows once, without what was withdrawn or delivered since', () => {
  const letters = fc.uniqueArray(letter, { maxLength: 25, selector: ({ record, request }) => `${record}/${request}` });
  const replaced = fc.uniqueArray(mended, { maxLength: 4, selector: ({ record }) => record });
  fc.assert(
    fc.property(letters, replaced, (wanted, replacements) => {
      const storage = storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);
      const { sql } = storage;
      for (const { record, request, state, issue } of wanted)
        sql.exec(
          'INSERT INTO letter (record, request, state, generation, may_have_arrived, issue) VALUES (?, ?, ?, 1, 0, ?)',
          ...[record, request, state, issue],
        );
      for (const { record, isResolved } of replacements)
        sql.exec('INSERT INTO replacement VALUES (?, ?, ?)', record, '{}', isResolved ? '{}' : null);
      const resolved = new Set(replacements.flatMap(({ record, isResolved }) => (isResolved ? [record] : [])));
      const open = wanted.filter(({ record, state }) => state !== 'cancelled' && !resolved.has(record));
      const expected = [...Map.groupBy(open, ({ issue }) => issue)].map(([key, of]) => ({
        key,
        rows: new Set(of.map(({ record }) => record)).size,
        requests: of.filter(({ request }) => request > 0).length,
        held: of.filter(({ state }) => state === 'held').length,
      }));
      const found = new DeadLetterStore(sql, new BatchStore(storage)).issues(10);
      const counts = found.map(({ key, rows, requests, held }) => ({ key, rows, requests, held }));
      expect(counts.toSorted(byKey)).toEqual(expected.toSorted(byKey));
      expect(counts.map(({ rows }) => rows)).toEqual(counts.map(({ rows }) => rows).toSorted((a, b) => b - a));
    }),
    { numRuns: draws(100) },
  );
});

const byKey = (one: { key: string }, other: { key: string }): number => (one.key < other.key ? -1 : 1);
