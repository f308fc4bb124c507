import { describe, expect, it } from 'vitest';
import type { ArchiveFile, BatchProgress, StoredMessage } from '../../../src/batch/core/progress.ts';
import type { EarlierRow, StoredRecord } from '../../../src/batch/core/row.ts';
import { rowOf, type SharedSummary, summaryOf } from '../../../src/batch/report/summary.ts';
import { csvStart as START } from '../../../src/formats/csv/checkpoint.ts';
import { aBody, aProblem, aStoredRequest, aTicket, BATCH_ID, RECEIVED_MS } from './samples.ts';

const PROGRESS: BatchProgress = {
  state: 'delivering',
  checkpoint: { ...START, byte: 640 },
  readingFinished: false,
  handedOver: { record: 0, request: 0 },
  settledAtMs: null,
  problems: [],
  reported: false,
};
const TALLY = { records: { delivered: 3, invalid: 1 }, requests: { delivered: 3, queued: 2 } };

const record = (more: Partial<StoredRecord> = {}): StoredRecord => ({
  record: 4,
  line: 6,
  byte_from: 100,
  byte_to: 180,
  state: 'delivered',
  problems: null,
  group_record: null,
  replaces: null,
  resolved_by: null,
  looked_up: null,
  place: null,
  ...more,
});

describe('summaryOf', () => {
  it('tells what came in, and when, as the receipt did', () => {
    expect(summaryOf(aTicket(), PROGRESS, TALLY)).toMatchObject({
      batchId: BATCH_ID,
      environment: 'test',
      partner: 'acme',
      mapping: 'stops',
      fileName: 'events.csv',
      bytes: 1_000,
      sha256: 'cd'.repeat(32),
      receivedAt: '2026-03-02T08:00:00.000Z',
      dryRun: false,
    });
  });

  it('says with which key it came, where that is known', () => {
    expect(summaryOf(aTicket({ uploadedBy: 'k_1' }), PROGRESS, TALLY)).toMatchObject({ uploadedBy: 'k_1' });
    const { uploadedBy: _, ...others } = aTicket();
    expect(summaryOf(others, PROGRESS, TALLY)).toMatchObject({ uploadedBy: null });
  });

  it('says in which format it is read, where that is known', () => {
    expect(summaryOf(aTicket({ format: 'xlsx' }), PROGRESS, TALLY).format).toBe('xlsx');
    expect(summaryOf(aTicket(), PROGRESS, TALLY).format).toBeNull();
  });

  it('names the files of an archive that could not be read, unless none of them could', () => {
    const file = (name: string, state: ArchiveFile['state']): ArchiveFile => ({
      name,
      bytes: 9,
      recordsBefore: 0,
      state,
    });
    const notesOf = (state: BatchProgress['state'], ...files: ArchiveFile[]) =>
      summaryOf(aTicket(), { ...PROGRESS, state, content: { bytes: 27, files } }, TALLY).notes;
    expect(notesOf('delivering', file('a.csv', 'read'), file('b.csv', 'unreadable'), file('c.csv', 'unread'))).toEqual([
      expect.stringContaining('1 of the 3 files of the archive could not be read (b.csv);'),
    ]);
    expect(notesOf('delivering', file('a.csv', 'read'))).toEqual([]);
    expect(notesOf('unreadable', file('a.csv', 'unreadable'))).toEqual([]);
  });

  it('of messages names the first that could not be read, and says that there are more', () => {
    const faulty = [1, 4].map((message) => ({
      message,
      state: 'unreadable',
      problems: [],
    })) as unknown as StoredMessage[];
    const notesOf = (unreadable: number) =>
      summaryOf(aTicket({ message: true }), PROGRESS, TALLY, {
        shared: { messages: 9, bytes: 90, bytesRead: 90, unreadable, faulty } as unknown as SharedSummary,
      }).notes.join(' ');
    expect(notesOf(2)).toContain('2 of its messages could not be read (1, 4);');
    expect(notesOf(3)).toContain('3 of its messages could not be read (1, 4 …);');
    expect(notesOf(0)).not.toContain('could not be read');
    expect(notesOf(0)).toContain('Messages of 2026-03-02 (UTC) share this batch');
  });

  it('adds the counts up', () => {
    expect(summaryOf(aTicket(), PROGRESS, TALLY)).toMatchObject({
      state: 'delivering',
      rows: 4,
      rowStates: { delivered: 3, invalid: 1 },
      requests: 5,
      requestStates: { delivered: 3, queued: 2 },
    });
  });

  it('tells how far it was read, and the whole file when reading is finished', () => {
    expect(summaryOf(aTicket(), PROGRESS, TALLY).bytesRead).toBe(640);
    expect(summaryOf(aTicket(), { ...PROGRESS, readingFinished: true }, TALLY).bytesRead).toBe(1_000);
  });

  it('tells when it settled, or that it has not', () => {
    expect(summaryOf(aTicket(), PROGRESS, TALLY).settledAt).toBeNull();
    const settled = { ...PROGRESS, settledAtMs: RECEIVED_MS + 9_000 };
    expect(summaryOf(aTicket(), settled, TALLY).settledAt).toBe('2026-03-02T08:00:09.000Z');
  });

  it('says why a file could not be read', () => {
    const unreadable = { ...PROGRESS, state: 'unreadable' as const, problems: [aProblem({ code: 'empty_file' })] };
    expect(summaryOf(aTicket(), unreadable, { records: {}, requests: {} })).toMatchObject({
      state: 'unreadable',
      rows: 0,
      problems: [{ code: 'empty_file' }],
    });
  });

  it('notes that a byte-order mark won over the declared encoding', () => {
    expect(summaryOf(aTicket(), PROGRESS, TALLY).notes).toEqual([]);
    const marked = { ...PROGRESS, checkpoint: { ...START, encodingByMark: 'utf-16le' as const } };
    expect(summaryOf(aTicket(), marked, TALLY).notes).toEqual([expect.stringContaining('mark of utf-16le')]);
  });

  it('shows neither the channel nor what the key may do', () => {
    const shown = JSON.stringify(
      summaryOf(aTicket({ channel: 'canary-channel', allowedScacs: ['CNRY'] }), PROGRESS, TALLY),
    );
    expect(shown).not.toMatch(/canary|CNRY/);
  });
});

describe('rowOf', () => {
  it('tells where the record stands and what is wrong with it', () => {
    const problems = [aProblem(), aProblem({ code: 'bad_date', path: 'At' })];
    expect(rowOf(record({ state: 'invalid', problems: JSON.stringify(problems) }), [])).toEqual({
      record: 4,
      position: { record: 4, line: 6, byteFrom: 100, byteTo: 180 },
      state: 'invalid',
      errors: problems,
      group: null,
      replaces: null,
      replacedBy: null,
      lookedUp: [],
      requests: [],
    });
  });

  it('tells of each request what was sent and what came back', () => {
    const stored = aStoredRequest(4, 1, {
      state: 'unknown',
      reason: 'interrupted',
      attempts: 2,
      status: 502,
      answer: 'bad gateway',
      possible_duplicate: 1,
      late: 1,
      next_at_ms: RECEIVED_MS,
      decided_at_ms: RECEIVED_MS - 60_000,
    });
    expect(rowOf(record(), [stored]).requests).toEqual([
      {
        request: 1,
        generation: 1,
        earlier: [],
        kind: 'milestone',
        subject: 'load:L1',
        scac: 'ABCD',
        state: 'unknown',
        reason: 'interrupted',
        outcome: null,
        evidence: null,
        attempts: 2,
        status: 502,
        answer: 'bad gateway',
        possibleDuplicate: true,
        late: true,
        into: null,
        intoState: null,
        nextAt: '2026-03-02T08:00:00.000Z',
        decidedAt: '2026-03-02T07:59:00.000Z',
        diff: null,
        action: null,
        warnings: [],
        body: aBody(),
      },
    ]);
  });

  it('tells of a request that was sent again what its earlier generations met', () => {
    const met = { record: 4, reason: null, attempts: 1, answer: 'no', decided_at_ms: RECEIVED_MS };
    const earlier: EarlierRow[] = [
      { ...met, request: 1, generation: 1, state: 'dead', outcome: 'unknown', status: null },
      { ...met, request: 1, generation: 2, state: 'rejected', outcome: null, status: 422 },
      { ...met, request: 2, generation: 1, state: 'rejected', outcome: null, status: 400 },
    ];
    const row = rowOf(record(), [aStoredRequest(4, 1, { generation: 3 }), aStoredRequest(4, 2)], { earlier });
    const decidedAt = '2026-03-02T08:00:00.000Z';
    const told = { reason: null, attempts: 1, answer: 'no', decidedAt };
    expect(row.requests.map(({ generation, earlier }) => [generation, earlier])).toEqual([
      [
        3,
        [
          { ...told, generation: 1, state: 'dead', outcome: 'unknown', status: null },
          { ...told, generation: 2, state: 'rejected', outcome: null, status: 422 },
        ],
      ],
      [1, [{ ...told, generation: 1, state: 'rejected', outcome: null, status: 400 }]],
    ]);
  });

  it('says of a dead request whether it may have been applied', () => {
    const stored = aStoredRequest(4, 1, { state: 'dead', outcome: 'unknown', reason: 'deadline' });
    expect(rowOf(record({ state: 'dead' }), [stored]).requests[0]).toMatchObject({
      outcome: 'unknown',
      reason: 'deadline',
    });
  });
});
