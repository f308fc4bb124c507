/** What the index has of a batch beside its row: what is written, what goes, when an issue resolves and comes back. */
import { describe, expect, it } from 'vitest';
import { type BatchIssue, causeOfProblem, issueIdOf } from '../../../src/batch/core/issue.ts';
import type { MinutePoint, MinuteTotals } from '../../../src/batch/core/minutes.ts';
import { NO_MINUTES } from '../../../src/batch/core/minutes.ts';
import type { WrittenParts } from '../../../src/batch/core/progress.ts';
import { batchIndex, indexedBatch } from '../../../src/batch/steps/batch-index.ts';
import { changedParts } from '../../../src/batch/steps/index-parts.ts';
import { HOUR_MS } from '../../../src/kernel/clock.ts';
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
    forms: () => read(`SELECT about->>'form' FROM issue`),
    issues: () => read('SELECT issue, resolved_at_ms IS NULL, reopened, decision FROM issue ORDER BY issue'),
    minutes: () => read('SELECT minute, delivered, refused, invalid, l0, l3 FROM minute_total ORDER BY minute'),
    channels: () => read('SELECT DISTINCT partner, channel FROM minute_total'),
    run: (sql: string) => database.prepare(sql).bind().run(),
  };
}

const QQ = issueIdOf('QQ');

describe('what of a batch is written again', () => {
  const point = (minute: number, delivered: number, refused: number, invalid?: number): MinutePoint =>
    invalid === undefined ? [minute, delivered, refused] : [minute, delivered, refused, invalid];
  const again = (before: MinutePoint, now: MinutePoint) => {
    const { all } = changedParts({ issues: [], minutes: { step: 1, points: [before] } }, null);
    return changedParts({ issues: [], minutes: { step: 1, points: [now] } }, all).minutes.length;
  };

  it('is each minute in which anything came, whatever that was', () => {
    expect(again(point(60, 2, 1, 4), point(60, 2, 1, 4))).toBe(0);
    expect(again(point(60, 2, 1), point(60, 2, 1, 0))).toBe(0);
    expect(again(point(60, 2, 1), point(60, 2, 1, 1))).toBe(1);
    expect(again(point(60, 2, 1), point(60, 3, 2))).toBe(1);
    expect(again(point(60, 2, 1, 1), point(60, 3, 1, 2))).toBe(1);
  });

  it('is without minutes that go, unless these are pairs by now, or nobody knows what was written', () => {
    const leaves = (step: number, written: WrittenParts | null | undefined) =>
      changedParts({ issues: [], minutes: { step, points: [] } }, written).leavesMinutes;
    const of = (step: number): WrittenParts => ({ issues: {}, minutes: {}, step });
    expect([leaves(1, null), leaves(1, of(1)), leaves(2, of(2)), leaves(1, undefined)]).toEqual(Array(4).fill(false));
    expect([leaves(2, null), leaves(2, of(1)), leaves(2, undefined)]).toEqual([true, true, true]);
  });
});

describe('an issue of a batch', () => {
  const NOW = 5_000;
  async function seen(summary: Parameters<typeof aSummary>[0]) {
    const { database, read } = aDirectory();
    const row = indexedBatch(aSummary({ receivedAt: at(1_000), ...summary }), null, null, 'plain');
    const changed = changedParts({ issues: [anIssue('QQ', 1)], minutes: NO_MINUTES }, null);
    await batchIndex(database).write(row, { revision: 1, written_at_ms: NOW }, changed);
    return read('SELECT first_seen_ms, last_seen_ms FROM issue_batch')[0];
  }
  const at = (ms: number) => new Date(ms).toISOString();

  it('was seen from when its file came until its end, or until now', async () => {
    expect(await seen({ settledAt: at(3_000) })).toEqual([1_000, 3_000]);
    expect(await seen({ settledAt: null })).toEqual([1_000, NOW]);
    expect(await seen({ receivedAt: at(4_000), settledAt: at(3_000) })).toEqual([3_000, 3_000]);
  });

  it('of messages was seen with the latest of them: they come all day', async () => {
    expect(await seen({ messages: 2, settledAt: at(3_000) })).toEqual([3_000, 3_000]);
    expect(await seen({ messages: 2, settledAt: null })).toEqual([NOW, NOW]);
  });

  it('says in which form it is described', async () => {
    const { write, forms } = written();
    await write('b_1', [anIssue('QQ', 1)]);
    expect(forms()).toEqual([[1]]);
  });
});

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

  it('are nothing of what did not come, and belong to its partner and channel', async () => {
    const { write, minutes, channels } = written();
    await write('b_1', [], { minutes: { step: 1, points: [[60, 1, 0]] } });
    expect([minutes(), channels()]).toEqual([[[60, 1, 0, 0, 0, 0]], [['acme', 'plain']]]);
  });

  it('are left as they are once they may be part of an hour', async () => {
    const { database, read } = aDirectory();
    const keptMs = 100 * HOUR_MS;
    const index = batchIndex(database, keptMs);
    const points: MinuteTotals['points'] = [119, 120, 121].map((minute) => [minute, 1, 0]);
    const changed = changedParts({ issues: [], minutes: { step: 1, points } }, null);
    const row = indexedBatch(aSummary(), null, null, 'plain');
    await index.write(row, { revision: 1, written_at_ms: keptMs + HOUR_MS }, changed);
    expect(read('SELECT minute FROM minute_total ORDER BY minute')).toEqual([[120], [121]]);
  });
});
