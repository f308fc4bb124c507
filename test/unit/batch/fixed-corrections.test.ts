/** Lines that were not delivered, as a file that can be read again. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type FixedPort, fixedCorrections } from '../../../src/batch/report/corrections.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { declare, LOADS, readWhole } from '../formats/fixed/reading.ts';

async function corrected(files: readonly Uint8Array[], numbers: readonly number[], declared = declare(LOADS)) {
  const port: FixedPort = {
    files: files.map((bytes) => ({ source: bytesInMemory(bytes), problems: [] })),
    rows: async (after, limit) =>
      numbers
        .filter((record) => record > after)
        .slice(0, limit)
        .map((record) => ({ record, replacedBy: null }) as BatchRow),
  };
  const parts: Uint8Array[] = [];
  for await (const part of fixedCorrections(port, declared)) parts.push(part);
  return Buffer.concat(parts);
}

const FILE = ['LOADLD0001', 'STATX3Köln', 'STATAF', 'LOADLD0002', 'STOP01', 'STATX1', 'STATX2', 'TRLR0004', ''].join(
  '\r\n',
);

describe('corrections of a fixed-width file', () => {
  it('are the lines themselves, each below those it belongs to once, with a trailer that counts them', async () => {
    const bytes = Buffer.from(FILE);
    expect((await corrected([bytes], [1, 3, 4])).toString()).toBe(
      ['LOADLD0001', 'STATX3Köln', 'LOADLD0002', 'STOP01', 'STATX1', 'STATX2', 'TRLR0003', ''].join('\r\n'),
    );
    expect((await corrected([bytes], [2])).toString()).toBe(['LOADLD0001', 'STATAF', 'TRLR0001', ''].join('\r\n'));
  });

  it('have a trailer that counts what it counted: lines of some kinds, and those that are to be corrected into some', async () => {
    const records = {
      ...LOADS.records,
      T: { marker: 'TRLR', use: 'trailer', count: { at: 5, length: 4, of: ['LOAD'] } },
    };
    const declared = declare({ ...LOADS, records });
    const bytes = Buffer.from(FILE.replace('TRLR0004', 'TRLR0002'));
    expect(readWhole(bytes, declared).endProblem).toBeNull();
    const again = await corrected([bytes], [2, 4], declared);
    expect(again.toString()).toBe(
      ['LOADLD0001', 'STATAF', 'LOADLD0002', 'STOP01', 'STATX2', 'TRLR0002', ''].join('\r\n'),
    );
    expect(readWhole(again, declared).endProblem).toBeNull();
    const unknown = Buffer.from('LOADLD0001\nwhat\nTRLR0001\n');
    expect((await corrected([unknown], [1], declared)).toString()).toBe('LOADLD0001\nwhat\nTRLR0002\n');
  });

  it('can be sent as they are: nothing is wrong with the file', async () => {
    const again = readWhole(await corrected([Buffer.from(FILE)], [2, 4]));
    expect(again.endProblem).toBeNull();
    expect(again.records.map(({ fields }) => [fields[0], fields[2]])).toEqual([
      ['LD0001', 'AF'],
      ['LD0002', 'X2'],
    ]);
  });

  it('of a part behind a trailer stand behind it again, so that they take nothing from the part before', async () => {
    const file = 'LOADLD0001\nSTATX3\nSTATX4\nTRLR0002\nSTATX1\nTRLR0001\nLOADLD0002\nSTATD1\nTRLR0001\n';
    const bytes = await corrected([Buffer.from(file)], [1, 3]);
    expect(bytes.toString()).toBe('LOADLD0001\nSTATX3\nTRLR0001\nSTATX1\nTRLR0001\n');
    const { records, endProblem } = readWhole(bytes);
    expect([endProblem, ...records.map(({ fields }) => fields[0])]).toEqual([null, 'LD0001', '']);
    const uncounted = declare({ ...LOADS, records: { ...LOADS.records, T: { marker: 'TRLR', use: 'trailer' } } });
    expect((await corrected([Buffer.from(file)], [2, 3, 4], uncounted)).toString()).toBe(
      'LOADLD0001\nSTATX4\nTRLR0002\nSTATX1\nTRLR0001\nLOADLD0002\nSTATD1\n',
    );
  });

  it('keep the bytes, also those that cannot be read, the byte-order mark and the line ends', async () => {
    const file = Buffer.from('\ufeffLOADLD0001\rSTATX3K?ln\rSTATX1', 'utf8');
    file[file.indexOf('?')] = 0xff;
    const expected = Buffer.from('\ufeffLOADLD0001\rSTATX3K?ln\r');
    expected[expected.indexOf('?')] = 0xff;
    expect(await corrected([file], [1])).toEqual(expected);
  });

  it('end with a line end where the file does not, and nothing is asked of storage that stands behind the file', async () => {
    const bytes = Buffer.from('LOADLD0001\r\nSTATX3\r\nSTATX1');
    const asked: [number, number][] = [];
    const source = {
      ...bytesInMemory(bytes),
      read: (offset: number, length: number) => {
        asked.push([offset, length]);
        return bytesInMemory(bytes).read(offset, length);
      },
    };
    const rows = async (after: number) => (after < 2 ? [{ record: 2, replacedBy: null } as BatchRow] : []);
    const port: FixedPort = { files: [{ source, problems: [] }], rows };
    const parts = await Array.fromAsync(fixedCorrections(port, declare(LOADS)));
    expect(Buffer.concat(parts).toString()).toBe('LOADLD0001\r\nSTATX1\r\n');
    expect(asked.filter(([offset, length]) => offset + length > bytes.length)).toEqual([]);
  });

  it('have the line ends of the file, even if its last line, which has none, is the only one to be corrected', async () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const file = Buffer.from(['LOADLD0001', 'STATX3', 'STATX1'].join(end));
      expect((await corrected([file], [2])).toString()).toBe(['LOADLD0001', 'STATX1', ''].join(end));
    }
  });

  it('come from all files of an archive, whose records are counted through', async () => {
    const files = [Buffer.from(FILE), Buffer.from('LOADLD0009\nSTATX3\nTRLR   1\n')];
    expect((await corrected(files, [4, 5])).toString()).toBe(
      'LOADLD0002\r\nSTOP01\r\nSTATX2\r\nTRLR0001\r\nLOADLD0009\nSTATX3\nTRLR   1\n',
    );
  });

  it('of several files begin with one byte-order mark, that of the first of them', async () => {
    const [one, two] = [Buffer.from('\ufeffLOADLD0001\nSTATX3K\u00f6ln\n'), Buffer.from('\ufeffLOADLD0002\nSTATX1\n')];
    const bytes = await corrected([one, two], [1, 2]);
    expect(bytes.toString()).toBe('\ufeffLOADLD0001\nSTATX3K\u00f6ln\nLOADLD0002\nSTATX1\n');
    expect(readWhole(bytes).records.map(({ fields, problems }) => [fields[0], problems])).toEqual([
      ['LD0001', []],
      ['LD0002', []],
    ]);
    expect((await corrected([one, two], [2])).toString()).toBe('\ufeffLOADLD0002\nSTATX1\n');
    expect((await corrected([Buffer.from('STATX1\n'), two], [1, 2])).toString()).toBe('STATX1\nLOADLD0002\nSTATX1\n');
  });

  it('of files in several encodings are in the one that holds them all, which their mark names', async () => {
    const declared = declare({ ...LOADS, encoding: 'windows-1252' });
    const files = [
      Buffer.from('LOADLD0001\nSTATX3K\u00f6ln\nTRLR0001\n', 'latin1'),
      Buffer.from('\ufeffLOADLD0002\nSTATX1\u0141\u00f3d\u017a\n'),
      Buffer.from('\ufeffLOADLD0003\r\nSTATX2\u0141\r\nTRLR0001\r\n', 'utf16le'),
    ];
    const bytes = await corrected(files, [1, 2, 3], declared);
    expect(bytes.toString()).toBe(
      '\ufeffLOADLD0001\nSTATX3K\u00f6ln\nTRLR0001\nLOADLD0002\nSTATX1\u0141\u00f3d\u017a\nLOADLD0003\r\nSTATX2\u0141\r\nTRLR0001\r\n',
    );
    const { records } = readWhole(bytes, declared);
    expect(records.flatMap(({ problems }) => problems)).toEqual([]);
    const [single, wide] = [
      Buffer.from('STATX3K\u0081\u00f6n\n', 'latin1'),
      Buffer.from('\ufeffSTATX3K\ud80a\u00f6n\n', 'utf16le'),
    ];
    const again = readWhole(await corrected([single, wide], [1, 2], declared), declared);
    expect(again.records.map(({ fields, problems }) => [fields[3], problems.map(({ code }) => code)])).toEqual([
      ['K\ufffd\u00f6n', ['bad_encoding']],
      ['K\ufffd\u00f6n', ['bad_encoding']],
    ]);
  });

  it('follow each other without line ends where the file has none', async () => {
    const fields = { a: { at: 1, length: 3 } };
    const declared = declare({ lineEnds: 'none', lineLength: 3, records: { r: { marker: '', fields } } });
    expect((await corrected([Buffer.from('abcdefghi')], [1, 3], declared)).toString()).toBe('abcghi');
  });

  it('are nothing where nothing is to be corrected', async () => {
    expect(await corrected([Buffer.from(FILE)], [])).toHaveLength(0);
  });
});
