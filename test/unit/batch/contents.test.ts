import { describe, expect, it } from 'vitest';
import { afterSlice, contentInReading, fileOfRecord, mappingInReading } from '../../../src/batch/core/contents.ts';
import type { ArchiveFile, BatchProgress } from '../../../src/batch/core/progress.ts';
import type { SliceRun } from '../../../src/batch/core/run.ts';
import { summaryOf } from '../../../src/batch/report/summary.ts';
import { csvStart } from '../../../src/formats/csv/checkpoint.ts';
import { aMapping, aProblem, aTicket } from './samples.ts';

const file = (name: string, more: Partial<ArchiveFile> = {}): ArchiveFile => ({
  name,
  bytes: 100,
  recordsBefore: null,
  state: 'unread',
  ...more,
});
const FIRST = file('a.csv', { recordsBefore: 0, state: 'reading' });

const aProgress = (files: ArchiveFile[] | null, more: Partial<BatchProgress> = {}): BatchProgress => ({
  state: 'reading',
  checkpoint: null,
  content: files && { bytes: 300, files },
  readingFinished: false,
  handedOver: { record: 0, request: 0 },
  settledAtMs: null,
  problems: [],
  reported: false,
  ...more,
});

const rows = (
  record: number,
  finished: boolean,
  encodingByMark: 'utf-16le' | null = null,
): SliceRun & { outcome: 'rows' } => ({
  outcome: 'rows',
  rows: [],
  checkpoint: { ...csvStart, record, byte: 100, encodingByMark },
  finished,
  endProblem: null,
  columns: [],
  groups: { open: null, closedKeys: [], staged: [], marks: [] },
});
const unreadable = { outcome: 'unreadable' as const, problems: [aProblem({ code: 'not_csv' })] };
const NOW_MS = 7_000;
const states = (progress: BatchProgress) =>
  progress.content?.files?.map(({ state, recordsBefore }) => [state, recordsBefore]);

describe('an upload that is one file', () => {
  it('goes on where its slice ended, and is finished with it', () => {
    expect(afterSlice(aProgress(null), rows(3, false), NOW_MS)).toMatchObject({
      checkpoint: { record: 3 },
      readingFinished: false,
    });
    expect(afterSlice(aProgress(null), rows(3, true), NOW_MS)).toMatchObject({
      checkpoint: { record: 3 },
      readingFinished: true,
    });
  });

  it('is unreadable as a whole', () => {
    expect(afterSlice(aProgress(null), unreadable, NOW_MS)).toMatchObject({
      state: 'unreadable',
      settledAtMs: NOW_MS,
      problems: [{ code: 'not_csv' }],
    });
  });
});

describe('an archive', () => {
  it('goes from file to file, and numbers records through', () => {
    let progress = aProgress([FIRST, file('b.csv'), file('c.csv')]);
    expect(contentInReading(progress.content ?? null)).toEqual({ bytes: 100, file: 1 });
    progress = afterSlice(progress, rows(4, false), NOW_MS);
    expect(progress).toMatchObject({ checkpoint: { record: 4 }, readingFinished: false });
    progress = afterSlice(progress, rows(9, true), NOW_MS);
    expect(progress.checkpoint).toBeNull();
    expect(states(progress)).toEqual([
      ['read', 0],
      ['reading', 9],
      ['unread', null],
    ]);
    expect(contentInReading(progress.content ?? null)).toEqual({ bytes: 100, file: 2 });
    progress = afterSlice(progress, unreadable, NOW_MS);
    expect(progress).toMatchObject({
      state: 'reading',
      readingFinished: false,
      problems: [{ code: 'not_csv', file: 'b.csv' }],
    });
    progress = afterSlice(progress, rows(2, true), NOW_MS);
    expect(progress).toMatchObject({ state: 'reading', readingFinished: true, problems: [{ file: 'b.csv' }] });
    expect(states(progress)).toEqual([
      ['read', 0],
      ['unreadable', 9],
      ['read', 9],
    ]);
    expect([1, 9, 10, 11].map((record) => fileOfRecord(progress.content, record))).toEqual([
      'a.csv',
      'a.csv',
      'c.csv',
      'c.csv',
    ]);
  });

  it('is unreadable when none of its files can be read, whatever is wrong with each', () => {
    const first = afterSlice(aProgress([FIRST, file('b.csv')]), unreadable, NOW_MS);
    expect(first.state).toBe('reading');
    expect(afterSlice(first, unreadable, NOW_MS)).toMatchObject({
      state: 'unreadable',
      settledAtMs: NOW_MS,
      problems: [{ file: 'a.csv' }, { file: 'b.csv' }],
    });
  });

  it('keeps a file that breaks off as read, with its problem', () => {
    const ended = afterSlice(
      aProgress([FIRST]),
      { ...rows(2, true), endProblem: aProblem({ code: 'json_broken_from_here' }) },
      NOW_MS,
    );
    expect(ended).toMatchObject({
      readingFinished: true,
      problems: [{ code: 'json_broken_from_here', file: 'a.csv' }],
    });
    expect(states(ended)).toEqual([['read', 0]]);
  });

  it('places records behind those of the files before, without touching where reading goes on', () => {
    const mapping = aMapping();
    const { reader } = mappingInReading(mapping, {
      bytes: 1,
      files: [
        file('a.csv', { recordsBefore: 0, state: 'read' }),
        file('b.csv', { recordsBefore: 40, state: 'reading' }),
      ],
    });
    const read = reader.read(reader.start, new TextEncoder().encode('Load,Code,At\nL1,X3,now\nL2,X3\n'), true);
    expect(read).toMatchObject({
      checkpoint: { record: 2 },
      records: [
        { position: { record: 41, line: 2, file: 'b.csv' } },
        { position: { record: 42, line: 3, file: 'b.csv' } },
      ],
    });
  });

  it('places records on the sheet that the text was', () => {
    const { reader } = mappingInReading(aMapping(), { bytes: 1, sheet: 'Status' });
    const read = reader.read(reader.start, new TextEncoder().encode('Load,Code,At\nL1,X3,now\n'), true);
    expect(read).toMatchObject({ records: [{ position: { record: 1, line: 2, place: 'sheet "Status", row 2' } }] });
    expect(contentInReading({ bytes: 1, sheet: 'Status' })).toMatchObject({ bytes: 1 });
  });

  it('leaves the mapping of a single file as it is', () => {
    const mapping = aMapping();
    expect(mappingInReading(mapping, null)).toBe(mapping);
    expect(mappingInReading(mapping, { bytes: 1 })).toBe(mapping);
    expect(contentInReading({ bytes: 1 })).toEqual({ bytes: 1 });
    expect(contentInReading(null)).toBeNull();
    expect(fileOfRecord({ bytes: 1 }, 1)).toBeUndefined();
  });
});

describe('the summary of an archive', () => {
  const TALLY = { records: { delivered: 11 }, requests: {} };

  it('counts bytes and rows by file', () => {
    const files = [
      file('a.csv', { recordsBefore: 0, state: 'read' }),
      file('b.csv', { recordsBefore: 8, state: 'reading' }),
      file('c.csv'),
    ];
    const progress = aProgress(files, { checkpoint: { ...csvStart, byte: 40, record: 3 } });
    expect(summaryOf(aTicket(), progress, TALLY)).toMatchObject({
      bytesRead: 140,
      contentBytes: 300,
      files: [
        { name: 'a.csv', rows: 8, state: 'read' },
        { name: 'b.csv', rows: 3, state: 'reading' },
        { name: 'c.csv', rows: 0, state: 'unread' },
      ],
    });
  });

  it('says which files could not be read, and how one was read otherwise than declared', () => {
    const first = afterSlice(aProgress([FIRST, file('b.csv')]), rows(2, true, 'utf-16le'), NOW_MS);
    const { notes } = summaryOf(aTicket(), afterSlice(first, unreadable, NOW_MS), TALLY);
    expect(notes).toEqual([
      expect.stringMatching(/^1 of the 2 files.*b\.csv/),
      expect.stringMatching(/^a\.csv: .*utf-16le/),
    ]);
  });
});
