import { describe, expect, it } from 'vitest';
import { cellsUnder, type ReportRecord, reportColumns, reportParts } from '../../../src/batch/report/report.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import type { StoredBytes } from '../../../src/formats/slices.ts';
import { SLICE_BYTES } from '../../../src/kernel/limits.ts';
import { SHIPPED } from '../mapping/shipped.ts';
import { aMapping, aProblem, aRow } from './samples.ts';

const MAPPING = aMapping();

function storedBytes(text: string): StoredBytes & { reads: number[] } {
  const bytes = new TextEncoder().encode(text);
  const reads: number[] = [];
  return {
    bytes: bytes.length,
    reads,
    async read(offset, length) {
      reads.push(length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** A file of `records` rows of which the Batch knows the first `known`. */
async function report(records: number, known: number, cells = (record: number) => `L${record},X3,2026-03-02 08:15`) {
  const text = `Load,Code,At\n${Array.from({ length: records }, (_, index) => `${cells(index + 1)}\n`).join('')}`;
  const pages: [number, number][] = [];
  const source = storedBytes(text);
  const reported: ReportRecord[] = [];
  const rows = async (after: number, limit: number): Promise<BatchRow[]> => {
    pages.push([after, limit]);
    return Array.from({ length: Math.max(0, Math.min(limit, known - after)) }, (_, index) => aRow(after + index + 1));
  };
  const files = [{ source, problems: [] }];
  for await (const part of reportParts({ files, mapping: MAPPING, rows })) if ('row' in part) reported.push(part);
  return { reported, pages, source };
}

describe('reportParts', () => {
  it('joins each original record with what became of it, in input order', async () => {
    const { reported } = await report(3, 3);
    expect(reported.map(({ columns, fields, row }) => [columns.join(), fields[0], row.record])).toEqual([
      ['Load,Code,At', 'L1', 1],
      ['Load,Code,At', 'L2', 2],
      ['Load,Code,At', 'L3', 3],
    ]);
  });

  it('ends with the last row known, so that an early report is a part of the later one', async () => {
    const { reported, pages } = await report(10, 4);
    expect(reported.map(({ row }) => row.record)).toEqual([1, 2, 3, 4]);
    expect(pages).toEqual([[0, 500]]);
  });

  it('is empty for a batch that has no row yet', async () => {
    expect((await report(5, 0)).reported).toEqual([]);
  });

  it('is empty for a file that is only a header', async () => {
    expect((await report(0, 0)).reported).toEqual([]);
  });

  it('ends with the file when more rows are known than it holds', async () => {
    expect((await report(2, 9)).reported).toHaveLength(2);
  });

  it('keeps a record that could not be read in its place, with the cells that could', async () => {
    const { reported } = await report(3, 3, (record) => (record === 2 ? 'L2,X3' : `L${record},X3,now`));
    expect(reported.map(({ fields }) => fields.length)).toEqual([3, 2, 3]);
    expect(reported[1]).toMatchObject({ fields: ['L2', 'X3'], row: { record: 2 } });
  });

  it.each([
    [499, [[0, 500]]],
    [500, [[0, 500]]],
    [
      501,
      [
        [0, 500],
        [500, 500],
      ],
    ],
    [
      1_200,
      [
        [0, 500],
        [500, 500],
        [1_000, 500],
      ],
    ],
  ])('asks for %d rows page by page', async (records, wanted) => {
    const { reported, pages } = await report(records, records);
    expect(reported.map(({ row }) => row.record)).toEqual(Array.from({ length: records }, (_, index) => index + 1));
    expect(pages).toEqual(wanted);
  });

  it('reads a file longer than a slice in several, and loses nothing at their borders', async () => {
    const filler = 'x'.repeat(60_000);
    const { reported, source } = await report(40, 40, (record) => `L${record},${filler},now`);
    expect(source.bytes).toBeGreaterThan(2 * SLICE_BYTES);
    expect(source.reads.length).toBeGreaterThan(2);
    expect(reported.map(({ fields }) => fields[0])).toEqual(Array.from({ length: 40 }, (_, index) => `L${index + 1}`));
    expect(reported.every(({ fields }) => fields[1] === filler)).toBe(true);
  });

  it('stops asking for rows when the reader of the report goes away', async () => {
    const pages: number[] = [];
    const rows = async (after: number, limit: number): Promise<BatchRow[]> => {
      pages.push(after);
      return Array.from({ length: limit }, (_, index) => aRow(after + index + 1));
    };
    const source = storedBytes(`Load,Code,At\n${'L1,X3,now\n'.repeat(2_000)}`);
    const files = [{ source, problems: [] }];
    for await (const part of reportParts({ files, mapping: MAPPING, rows })) {
      if ('row' in part && part.row.record === 3) break;
    }
    expect(pages).toEqual([0]);
  });
});

describe('a report of several files', () => {
  const files = (...texts: (string | null)[]) =>
    texts.map((text, at) => ({
      source: storedBytes(text ?? 'PK'),
      problems: text === null ? [aProblem({ code: 'not_csv', file: `file-${at}` })] : [],
    }));
  const partsOf = async (known: number, ...texts: (string | null)[]) => {
    const rows = async (after: number, limit: number): Promise<BatchRow[]> =>
      Array.from({ length: Math.max(0, Math.min(limit, known - after)) }, (_, index) => aRow(after + index + 1));
    const seen: string[] = [];
    for await (const part of reportParts({ files: files(...texts), mapping: MAPPING, rows })) {
      seen.push('row' in part ? `${part.row.record} ${part.fields[0]}` : `unreadable ${part.problems[0]?.file}`);
    }
    return seen;
  };
  const A = 'Load,Code,At\nA1,X3,now\nA2,X3,now\n';
  const B = 'Load,Code,At\nB1,X3,now\n';

  it('goes through them in their order, and says in its place which one could not be read', async () => {
    expect(await partsOf(3, A, null, B)).toEqual(['1 A1', '2 A2', 'unreadable file-1', '3 B1']);
    expect(await partsOf(3, null, A, B, null)).toEqual([
      'unreadable file-0',
      '1 A1',
      '2 A2',
      '3 B1',
      'unreadable file-3',
    ]);
  });

  it('ends with the last row known, whichever file it stands in', async () => {
    expect(await partsOf(1, A, null, B)).toEqual(['1 A1']);
    expect(await partsOf(2, A, B)).toEqual(['1 A1', '2 A2']);
  });

  it('leaves out nothing where a file has a header and no rows', async () => {
    expect(await partsOf(2, 'Load,Code,At\n', A)).toEqual(['1 A1', '2 A2']);
  });
});

describe('cellsUnder', () => {
  it.each([
    [
      ['a', 'b'],
      ['a', 'b'],
      ['1', '2'],
      ['1', '2'],
    ],
    [
      ['a', 'b', 'c'],
      ['c', 'a'],
      ['1', '2'],
      ['2', '', '1'],
    ],
    [
      ['a', '', ''],
      ['', 'a', ''],
      ['1', '2', '3'],
      ['2', '1', '3'],
    ],
    [['a', 'b'], ['a', 'b'], ['1'], ['1', '']],
    [['a'], ['a'], ['1', 'left over'], ['1']],
    [['a', 'b'], [], [], ['', '']],
  ])('puts under %j the cells of a file with %j', (header, columns, fields, wanted) => {
    expect(cellsUnder(header)({ columns, fields })).toEqual(wanted);
  });

  it('follows the columns of each file in turn', () => {
    const cellsOf = cellsUnder(['a', 'b']);
    expect(cellsOf({ columns: ['a', 'b'], fields: ['1', '2'] })).toEqual(['1', '2']);
    expect(cellsOf({ columns: ['b', 'a'], fields: ['1', '2'] })).toEqual(['2', '1']);
  });
});

describe('reportColumns', () => {
  const none = () => Promise.reject(new Error('no row is needed for this'));
  const columnsOf = (text: string, source = storedBytes(text)) =>
    reportColumns({ files: [{ source, problems: [] }], mapping: MAPPING, rows: none });
  const columnsOfFiles = (...texts: string[]) =>
    reportColumns({
      files: texts.map((text) => ({ source: storedBytes(text), problems: [] })),
      mapping: MAPPING,
      rows: none,
    });

  it.each([
    ['has records', 'Load,Code,At\nL1,X3,now\n'],
    ['is only a header', 'Load,Code,At\n'],
    ['is only a header without a line end', 'Load,Code,At'],
    ['begins with a byte-order mark', '\ufeffLoad,Code,At\r\n'],
    ['holds records that cannot be read', 'Load,Code,At\nL1\n'],
  ])('are those of a file that %s', async (_what, text) => {
    expect(await columnsOf(text)).toEqual(['Load', 'Code', 'At']);
  });

  it('are those of each of its records', async () => {
    const { reported } = await report(3, 3);
    const columns = await columnsOf('Load,Code,At\nL1,X3,now\n');
    for (const record of reported) expect(record.columns).toEqual(columns);
  });

  it.each([
    ['is empty', ''],
    ['is no CSV', 'PK\u0003\u0004 spreadsheet'],
  ])('are none of a file that %s', async (_what, text) => {
    expect(await columnsOf(text)).toEqual([]);
  });

  it('two columns of one name cost nothing where nobody reads them, and the report shows both with their cells', async () => {
    const text = 'Load,Code,Notes,At,Notes\nL1,X3,one,2026-03-02 08:15,two\n';
    expect(await columnsOf(text)).toEqual(['Load', 'Code', 'Notes', 'At', 'Notes']);
    const port = {
      files: [{ source: storedBytes(text), problems: [] }],
      mapping: MAPPING,
      rows: async () => [aRow(1)],
    };
    const parts = await Array.fromAsync(reportParts(port));
    expect(parts).toMatchObject([{ fields: ['L1', 'X3', 'one', '2026-03-02 08:15', 'two'] }]);
  });
  it('are none where a column that the mapping reads stands twice', async () =>
    expect(await columnsOf('Load,Code,At,Load\nL1,X3,now,L2\n')).toEqual([]));

  it('are read from the first slice alone, however long the file is', async () => {
    const source = storedBytes(`Load,Code,At\n${'L1,X3,2026-03-02 08:15\n'.repeat(100_000)}`);
    expect(source.bytes).toBeGreaterThan(2 * SLICE_BYTES);
    expect(await columnsOf('', source)).toEqual(['Load', 'Code', 'At']);
    expect(source.reads).toHaveLength(1);
  });

  it('are those of all files in the order in which they are first met', async () => {
    expect(await columnsOfFiles('Load,Code,At\n', 'At,Note,Load,Code\n', 'Load,Code,At,Seal\n')).toEqual([
      'Load',
      'Code',
      'At',
      'Note',
      'Seal',
    ]);
  });

  it('has a name as often as the file that has it most often', async () => {
    expect(await columnsOfFiles('Load,Code,At,\n', ',Load,Code,At,\n')).toEqual(['Load', 'Code', 'At', '', '']);
  });

  it('passes over a file that has none', async () => {
    expect(await columnsOfFiles('', 'Load,Code,At\n')).toEqual(['Load', 'Code', 'At']);
  });

  it('are those that the mapping names where the format has none, from the first file that can be read', async () => {
    const { mapping } = SHIPPED.get('carrier-events-json')!;
    const columns = (...texts: string[]) =>
      reportColumns({ files: texts.map((text) => ({ source: storedBytes(text), problems: [] })), mapping, rows: none });
    const own = await columns('{"events":[]}');
    expect(own.length).toBeGreaterThan(0);
    expect(await columns('no JSON', '{"events":[]}', '{"events":[]}')).toEqual(own);
  });
});
