/** Rows that replace rows of earlier batches: what these batches answer, and what follows from it. */
import { describe, expect, it } from 'vitest';
import { type EarlierBatches, queryReplaced, type ReplacingRow } from '../../../src/batch/actions/replaced-rows.ts';
import { afterReplacing, classifyRow, type Replaced } from '../../../src/batch/core/replacing.ts';
import type { RowLocation } from '../../../src/batch/core/row.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import type { RecordState } from '../../../src/delivery/outcome.ts';
import { aMappedRow, aTicket, BATCH_ID } from './samples.ts';

const earlier = (letter: string): string => `b_01kjp00000000000000000000${letter}`;
const place = (letter: string, record: number): RowLocation => ({ batchId: earlier(letter), record });
const replacing = (record: number, { batchId, record: replaced }: RowLocation): MappedRow =>
  aMappedRow(record, 1, { replaces: { batch: batchId, record: String(replaced) } });

describe('a row that a later one would replace', () => {
  it.each<[state: RecordState | undefined, outcome: Replaced['outcome']]>([
    ['queued', 'open'],
    ['sending', 'open'],
    ['waiting', 'open'],
    ['unknown', 'open'],
    ['held', 'open'],
    ['coalesced', 'open'],
    ['delivered', 'delivered'],
    ['duplicate', 'delivered'],
    ['rejected', 'free'],
    ['dead', 'free'],
    ['cancelled', 'free'],
    ['invalid', 'free'],
    ['skipped', 'free'],
    [undefined, 'unknown'],
  ])('that is %s is %s', (state, outcome) => {
    expect(classifyRow(state, null, place('z', 1)).outcome).toBe(outcome);
  });

  it('names the one that replaced it first, unless that is the one that asks', () => {
    const by = place('y', 3);
    expect(classifyRow('invalid', by, place('z', 3))).toEqual({ outcome: 'replaced', by });
    expect(classifyRow('invalid', by, { ...by })).toEqual({ outcome: 'free' });
  });
});

/** @param answers by letter and number of the row that is asked about; a batch without one is not known. */
function batchesThat(answers: Record<string, Replaced>) {
  const calls: string[] = [];
  const batches: EarlierBatches = {
    register: { knows: async (batchId) => Object.keys(answers).some((key) => key.startsWith(batchId.at(-1) ?? '')) },
    batch: (batchId) => ({
      async classifyRows(asked: readonly ReplacingRow[]) {
        calls.push(`${batchId.at(-1)} ${asked.map(({ record }) => record).join()}`);
        return asked.map(({ record }) => answers[`${batchId.at(-1)}${record}`] ?? { outcome: 'unknown' });
      },
    }),
  };
  return { batches, calls };
}

describe('asking earlier batches', () => {
  it('takes one call for each of them, and none where no row replaces another', async () => {
    const { batches, calls } = batchesThat({ a1: { outcome: 'free' }, a2: { outcome: 'delivered' } });
    const rows = [
      replacing(1, place('a', 1)),
      replacing(2, place('a', 2)),
      replacing(3, place('q', 1)),
      aMappedRow(4, 1),
    ];
    expect(Object.fromEntries(await queryReplaced(rows, aTicket(), batches))).toEqual({
      1: { outcome: 'free', at: place('a', 1) },
      2: { outcome: 'delivered' },
      3: { outcome: 'unknown' },
    });
    expect(calls).toEqual(['a 1,2']);
  });

  it('goes on to the row that replaced it first, where there is one, and says which was the last', async () => {
    const { batches, calls } = batchesThat({
      a1: { outcome: 'replaced', by: place('c', 5) },
      c5: { outcome: 'free' },
    });
    const rows = [replacing(1, place('a', 1))];
    const answers = await queryReplaced(rows, aTicket(), batches);
    expect(answers.get(1)).toEqual({ outcome: 'free', at: place('c', 5) });
    expect(calls).toEqual(['a 1', 'c 5']);
    expect(afterReplacing(rows, answers)).toMatchObject([{ state: null, standsFor: place('c', 5) }]);
  });

  it('follows a chain of so many that replaced each other, and takes a longer one for a row that is not known', async () => {
    const chain = Array.from({ length: 21 }, (_, at) => [
      `a${at + 1}`,
      at === 20 ? { outcome: 'free' } : { outcome: 'replaced', by: place('a', at + 2) },
    ]);
    const { batches } = batchesThat(Object.fromEntries(chain));
    const rows = [replacing(1, place('a', 2)), replacing(2, place('a', 1))];
    const answers = await queryReplaced(rows, aTicket(), batches);
    expect(afterReplacing(rows, answers)).toMatchObject([
      { state: null, standsFor: place('a', 21) },
      { state: 'invalid', requests: [], problems: [{ code: 'replaced_row_unknown' }] },
    ]);
  });

  it('takes another row of its own batch for one that is not decided yet', async () => {
    const { batches } = batchesThat({ a1: { outcome: 'replaced', by: { batchId: BATCH_ID, record: 9 } } });
    const rows = [replacing(1, place('a', 1))];
    const answers = await queryReplaced(rows, aTicket(), batches);
    expect(answers.get(1)).toEqual({ outcome: 'open', state: 'queued' });
    expect(afterReplacing(rows, answers)).toMatchObject([
      { state: 'invalid', requests: [], problems: [{ code: 'replaced_row_open' }] },
    ]);
  });
});
