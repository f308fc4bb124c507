/** Asks earlier batches about the rows that are to be replaced: one call per batch, a few hops where replacements replace each other. */
import { asksAbout, type FollowedReplaced, placeNamed, type Replaced } from '../core/replacing.ts';
import type { RowPlace } from '../core/row.ts';
import type { MappedRow } from '../core/run.ts';
import type { BatchTicket } from '../core/ticket.ts';

/** @property record of the batch that is asked; by the row that would replace it. */
export interface ReplacingRow {
  record: number;
  by: RowPlace;
}

export interface EarlierBatches {
  register: { knows(batchId: string): Promise<boolean> };
  batch(batchId: string): { judgeRows(asked: readonly ReplacingRow[], claim: boolean): Promise<Replaced[]> };
}

/** A correction of a correction of a correction …; nobody goes on for longer. Ours. */
const HOPS_MAX = 20;

/** @returns an answer by number of each row that asked. */
export async function askReplaced(
  rows: readonly MappedRow[],
  { batchId, dryRun }: BatchTicket,
  earlier: EarlierBatches,
): Promise<Map<number, FollowedReplaced>> {
  const answers = new Map<number, FollowedReplaced>();
  let asking = asksAbout(rows).flatMap((row) => {
    const place = placeNamed(row);
    if (place === undefined) answers.set(row.position.record, { outcome: 'unknown' });
    return place === undefined ? [] : [{ place, own: row.position.record }];
  });
  for (let hop = 0; asking.length > 0 && hop < HOPS_MAX; hop += 1) {
    const next: typeof asking = [];
    for (const [asked, group] of Map.groupBy(asking, ({ place }) => place.batchId)) {
      const found = await askBatch(asked, group, { batchId, dryRun }, earlier);
      for (const [index, { place, own }] of group.entries()) {
        const answer = found[index] ?? { outcome: 'unknown' };
        if (answer.outcome === 'replaced') next.push({ place: answer.by, own });
        else answers.set(own, answer.outcome === 'free' ? { outcome: 'free', at: place } : answer);
      }
    }
    asking = next;
  }
  return answers;
}

async function askBatch(
  asked: string,
  group: readonly { place: RowPlace; own: number }[],
  { batchId, dryRun }: Pick<BatchTicket, 'batchId' | 'dryRun'>,
  { register, batch }: EarlierBatches,
): Promise<readonly Replaced[]> {
  // Another row of this very batch was first: what becomes of it is not known yet.
  if (asked === batchId) return group.map((): Replaced => ({ outcome: 'open', state: 'queued' }));
  if (!(await register.knows(asked))) return [];
  const rows = group.map(({ place, own }) => ({ record: place.record, by: { batchId, record: own } }));
  return batch(asked).judgeRows(rows, !dryRun);
}
