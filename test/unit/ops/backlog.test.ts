/** What is under way: rows of open batches by partner and state; what has ended, and dry runs, are left out. */
import { expect, it } from 'vitest';
import { backlogIn } from '../../../src/ops/index/backlog.ts';
import { aDirectory } from '../directory-tables.ts';

it('sums open batches alone, and knows which of them should not be silent', async () => {
  const { database } = aDirectory();
  const batch = (
    id: string,
    partner: string,
    state: string,
    rows: Record<string, number>,
    more: [number, number | null, number],
  ) => {
    const [receivedMs, settledMs, isDryRun] = more;
    const values = ['test', id, partner, 'm', 's', null, null, null, 1, isDryRun, receivedMs, settledMs, state, 0, 9];
    const rest = [JSON.stringify(rows), 0, 0, null, 0, receivedMs + 1, 1];
    const columns =
      'environment, batch_id, partner, mapping, mapping_sha256, scac, file_name, messages, bytes, is_dry_run, received_at_ms, settled_at_ms, state, is_cancelled, row_count, row_states, held, refused, trouble, needs_somebody, written_at_ms, revision';
    const all = [...values, ...rest];
    return database
      .prepare(`INSERT INTO batch_index (${columns}) VALUES (${all.map(() => '?').join(', ')})`)
      .bind(...all)
      .run();
  };
  await batch('b_2', 'acme', 'delivering', { unknown: 2, delivered: 5, invalid: 0 }, [20, null, 0]);
  await batch('b_1', 'acme', 'delivering', { unknown: 1, sending: 1 }, [10, null, 0]);
  await batch('b_3', 'other', 'reading', { delivered: 4 }, [30, null, 0]);
  await batch('b_4', 'acme', 'settled', { delivered: 7 }, [1, 40, 0]);
  await batch('b_5', 'acme', 'reading', { valid: 7 }, [1, null, 1]);
  const found = await backlogIn(database).read('test');
  expect(found.ok && found.value.map((line) => Object.values(line))).toEqual([
    ['acme', 'delivered', 5, 1, 20, 'b_2', null],
    ['acme', 'sending', 1, 1, 10, 'b_1', 11],
    ['acme', 'unknown', 3, 2, 10, 'b_1', null],
    ['other', 'delivered', 4, 1, 30, 'b_3', 31],
  ]);
});
