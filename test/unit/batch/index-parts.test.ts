/** What the index has of a batch beside its row: what is written, what goes, when an issue resolves and comes back. */
import { describe, expect, it } from 'vitest';
import { type BatchIssue, causeOfProblem, issueIdOf } from '../../../src/batch/core/issue.ts';
import type { MinuteTotals } from '../../../src/batch/core/minutes.ts';
import { NO_MINUTES } from '../../../src/batch/core/minutes.ts';
import type { WrittenParts } from '../../../src/batch/core/progress.ts';
import { batchIndex, indexedBatch } from '../../../src/batch/steps/batch-index.ts';
import { changedParts } from '../../../src/batch/steps/index-parts.ts';
import { aDirectory } from '../directory-tables.ts';
import { aSummary } from './samples.ts';

const anIssue = (key: string, rows: number): BatchIssue => ({
  ...causeOfProblem({ code: 'code_unknown', path: 'Status', value: key, message: 'm', fix: 'f' }, key),
  ...{ id: issueIdOf(key), key, rows, requests: 0, held: 0 },
  examples: [{ record: 1, request: 0, line: 2, subject: null }],
});

/** Several batches that write to one index. */
function written() {
  const { database, read } = aDirectory();
  const index = batchIndex(database);
  const known = new Map<string, { revision: number; parts: WrittenParts | null | undefined }>();
  const write = async (batchId: string, issues: BatchIssue[], more: { minutes?: MinuteTotals; late?: true } = {}) => {
    const { revision, parts } = known.get(batchId) ?? { revision: 0, parts: null };
    const changed = changedParts({ issues, minutes: more.minutes ?? NO_MINUTES }, parts);
    const row = indexedBatch(aSummary({ batchId }), null, null, 'plain');
    const next = more.late ? revision - 1 : revision + 1;
    await index.write(row, { revision: next, written_at_ms: 1_000 * next }, changed);
    if (!more.late) known.set(batchId, { revision: next, parts: changed.all });
    return changed;
  };
  return {
    write,
    remove: (batchId: string) => index.remove('test', batchId, 99),
    forgetIssues: (...keys: string[]) => index.forgetIssues('test', keys.map(issueIdOf)),
    told: () => read(`SELECT key, about->>'code', about->>'message' FROM issue ORDER BY key`),
    /** Nobody knows what the index has of it. */
    forget: (batchId: string) => known.set(batchId, { revision: known.get(batchId)?.revision ?? 0, parts: undefined }),
    counts: () => read('SELECT batch_id, row_count FROM issue_batch ORDER BY batch_id, row_count'),
    issues: () => read('SELECT issue, resolved_at_ms IS NULL, reopened, decision FROM issue ORDER BY issue'),
    minutes: () => read('SELECT minute, delivered, refused, invalid, l0, l3 FROM minute_total ORDER BY minute'),
    run: (sql: string) => database.prepare(sql).bind().run(),
  };
}

const QQ = issueIdOf('QQ');

describe('the issues of a batch in the index', () => {
  it('are its own numbers, written again only where they changed', async () => {
    const { write, counts } = written();
    await write('b_1', [anIssue('QQ', 40), anIssue('ZZ', 3)]);
    expect((await write('b_1', [anIssue('QQ', 41), anIssue('ZZ', 3)])).issues.map(({ key }) => key)).toEqual(['QQ']);
    expect(counts()).toEqual([
      ['b_1', 3],
      ['b_1', 41],
    ]);
    expect(await write('b_1', [anIssue('QQ', 41), anIssue('ZZ', 3)])).toMatchObject({
      issues: [],
      leavesIssues: false,
    });
  });

  it('resolve when the last batch has no rows of it, and not before', async () => {
    const { write, issues, counts } = written();
    await write('b_1', [anIssue('QQ', 40)]);
    await write('b_2', [anIssue('QQ', 2)]);
    await write('b_1', []);
    expect([issues(), counts()]).toEqual([[[QQ, 1, 0, null]], [['b_2', 2]]]);
    await write('b_2', []);
    expect([issues(), counts()]).toEqual([[[QQ, 0, 0, null]], []]);
  });

  it('are forgotten when they were erased: whole, or what the first row of them said where other batches have them', async () => {
    const { write, forgetIssues, told } = written();
    await write('b_1', [anIssue('QQ', 1), anIssue('ZZ', 2), anIssue('AA', 3)]);
    await write('b_2', [anIssue('ZZ', 1)]);
    await write('b_1', [anIssue('AA', 3)]);
    await forgetIssues('QQ', 'ZZ');
    expect(told()).toEqual([
      ['AA', 'code_unknown', 'm'],
      ['ZZ', 'code_unknown', null],
    ]);
  });

  it('open again when they come back, and nothing that was said of them before counts', async () => {
    const { write, issues, run } = written();
    await write('b_1', [anIssue('QQ', 40)]);
    await run(`UPDATE issue SET decision = 'acknowledged'`);
    await write('b_2', [anIssue('QQ', 1)]);
    expect(issues()).toEqual([[QQ, 1, 0, 'acknowledged']]);
    await write('b_1', []);
    await write('b_2', []);
    await write('b_3', [anIssue('QQ', 1)]);
    expect(issues()).toEqual([[QQ, 1, 1, null]]);
  });

  it('resolve with the end of a batch’s life', async () => {
    const { write, remove, issues, counts } = written();
    await write('b_1', [anIssue('QQ', 40)]);
    await remove('b_1');
    expect([issues(), counts()]).toEqual([[[QQ, 0, 0, null]], []]);
  });

  it('that an earlier write brings late change nothing', async () => {
    const { write, counts } = written();
    await write('b_1', [anIssue('QQ', 40)]);
    await write('b_1', []);
    await write('b_1', [anIssue('QQ', 7), anIssue('ZZ', 7)], { late: true });
    expect(counts()).toEqual([]);
  });

  it('are written whole, and others go, where nobody knows what the index has', async () => {
    const { write, forget, counts, issues } = written();
    await write('b_1', [anIssue('QQ', 40), anIssue('ZZ', 1)]);
    forget('b_1');
    await write('b_1', [anIssue('ZZ', 1)]);
    expect(counts()).toEqual([['b_1', 1]]);
    expect(issues()).toContainEqual([QQ, 0, 0, null]);
  });
});

describe('the minutes of a batch in the index', () => {
  it('are set, and only those that changed', async () => {
    const { write, minutes } = written();
    await write('b_1', [], { minutes: { step: 1, points: [[60, 2, 1, 4, [1, 0, 0, 1]]] } });
    const next: MinuteTotals = {
      step: 1,
      points: [
        [60, 2, 1, 4, [1, 0, 0, 1]],
        [61, 1, 0, 0, [1]],
      ],
    };
    expect((await write('b_1', [], { minutes: next })).minutes).toHaveLength(1);
    expect(minutes()).toEqual([
      [60, 2, 1, 4, 1, 1],
      [61, 1, 0, 0, 1, 0],
    ]);
  });

  it('go where several have become one', async () => {
    const { write, minutes } = written();
    await write('b_1', [], {
      minutes: {
        step: 1,
        points: [
          [60, 1, 0],
          [61, 1, 0],
          [63, 1, 0],
        ],
      },
    });
    await write('b_2', [], { minutes: { step: 1, points: [[61, 5, 0]] } });
    await write('b_1', [], {
      minutes: {
        step: 2,
        points: [
          [60, 2, 0],
          [62, 1, 0],
        ],
      },
    });
    expect(minutes().map(([minute, delivered]) => [minute, delivered])).toEqual([
      [60, 2],
      [61, 5],
      [62, 1],
    ]);
  });
});
