import { describe, expect, it } from 'vitest';
import { type Rerun, rerunLines } from '../../../scripts/transload/mapping/messages.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const made = (more: Partial<Rerun>): Rerun => ({
  batchId: 'b_1',
  partner: 'acme',
  environment: 'test',
  mapping: 'stops',
  from: A,
  to: A,
  different: [],
  counts: { rows: 3, same: 3, different: 0, apart: 0 },
  ...more,
});

describe('a batch made again, in words', () => {
  it('says under which version nothing differs, and that nothing was sent', () => {
    expect(rerunLines(made({}))).toBe(
      'b_1 under its own version aaaaaaaaaaaa of stops: 3 rows, 3 the same, 0 different.\nNothing was sent.\n',
    );
  });

  it('names each row that differs, with its line and both sides of each place', () => {
    const difference = { path: 'requests[0].body.eventCode', before: '"D1"', after: '"X1"' };
    const words = rerunLines(
      made({
        to: B,
        different: [{ record: 2, line: 3, differences: [difference], before: null, after: null }],
        counts: { rows: 3, same: 1, different: 1, apart: 1 },
      }),
    );
    expect(words.split('\n')).toEqual([
      'Row 2 (line 3)',
      '  requests[0].body.eventCode: "D1" -> "X1"',
      'b_1 under bbbbbbbbbbbb instead of aaaaaaaaaaaa of stops: 3 rows, 1 the same, 1 different.',
      '1 rows replace rows of an earlier batch and were not compared.',
      'Nothing was sent.',
      '',
    ]);
  });
});
