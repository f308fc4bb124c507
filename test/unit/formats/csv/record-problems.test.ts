import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { CSV_SLICE_BYTES_ENOUGH } from '../../../../src/formats/csv/limits.ts';
import { type CsvProblem, describeCsvProblem } from '../../../../src/formats/csv/problems.ts';
import { bytesOf, cutOut, declare, fieldsOf, problemsOf, readWhole } from './reading.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

describe('rows of another width', () => {
  it('names the first column that a short row misses', () => {
    const read = readWhole('a,b,c\n1,2,3\n1\n4,5,6\n');
    expect(problemsOf(read)).toEqual([undefined, 'ragged_row', undefined]);
    expect(read.records[1]).toMatchObject({
      fields: ['1'],
      problem: { wanted: 3, found: 1, missing: { number: 2, name: 'b' } },
    });
  });

  it('names the first text that a long row has too much', () => {
    expect(readWhole('a,b\n1,2,,x\n').records[0]).toMatchObject({
      fields: ['1', '2', '', 'x'],
      problem: { code: 'ragged_row', wanted: 2, found: 4, missing: null, surplus: 'x' },
    });
  });

  it('accepts empty cells after the last column where every row has them', () => {
    const read = readWhole('a,b\n1,2,\n3,4, \n"5,000",6,\n');
    expect(problemsOf(read)).toEqual([undefined, undefined, undefined]);
    expect(fieldsOf(read)).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5,000', '6'],
    ]);
  });

  it('a row with one cell too many is not taken, shifted, because its last cell is empty', () => {
    const read = readWhole('PRO,BOL\n7,8\n1,234,\n"1,234",\n,,\n');
    expect(problemsOf(read)).toEqual([undefined, 'ragged_row', undefined, undefined]);
    expect(read.records[1]?.problem).toMatchObject({ wanted: 2, found: 3, missing: null, surplus: '' });
    const shown = describeCsvProblem(read.records[1]?.problem as CsvProblem);
    expect(shown).toMatchObject({ path: 'column 3', value: '3 cells' });
    expect(shown.message).toContain('a cell holds the delimiter without quotes');
  });

  it.each([
    ['one row alone', 'PRO,BOL\n1,234,\n', ['ragged_row']],
    ['the second row has no such cell', 'PRO,BOL\n1,234,\n5,6\n', ['ragged_row', undefined]],
    ['another row has more of them', 'a,b\n1,2,\n3,4,,\n', ['ragged_row', 'ragged_row']],
    ['the header ends with the delimiter, and a row has one more', 'a,b,\n1,2,\n1,234,5,\n', [undefined, 'ragged_row']],
    [
      'every row ends with it but a later one, which has a cell less or more',
      `a,b\n${'1,2,\n'.repeat(6)}1,234\n1,2,3,\n`,
      [...Array(6).fill(undefined), 'ragged_row', 'ragged_row'],
    ],
  ])('tells a delimiter at the end of rows from one in a cell: %s', (_, text, problems) => {
    for (const sliceBytes of [1, 7, 1_000]) {
      expect(problemsOf(readWhole(text, declare(), { sliceBytes }))).toEqual(problems);
    }
  });

  it('says of a row without the delimiter at its end that those before it have one', () => {
    const { problem } = readWhole(`a,b\n${'1,2,\n'.repeat(6)}1,234\n`).records[6] ?? {};
    expect(describeCsvProblem(problem as CsvProblem).message).toBe(
      'The row has 2 cells where 3 cells are wanted: the rows before it end with the delimiter, and this one does not.',
    );
  });

  it('fills up the nameless columns at the end of a header', () => {
    const read = readWhole('a,b,,\n1,2\n1\n');
    expect(read.columns).toEqual(['a', 'b', '', '']);
    expect(problemsOf(read)).toEqual([undefined, 'ragged_row']);
    expect(read.records[0]!.fields).toEqual(['1', '2', '', '']);
  });

  it('refuses a row of more than a thousand cells and keeps no more of them', () => {
    const read = readWhole(`a,b\n1,2\n${','.repeat(1_000_000)}\n3,4\n`);
    expect(problemsOf(read)).toEqual([undefined, 'too_many_columns', undefined]);
    expect(read.records[1]!.problem).toMatchObject({ found: 1_000_001, columnsMax: 1_000 });
    expect(read.records[1]!.fields.length).toBeLessThan(1_001);
  });

  it('reads a row of a thousand cells', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `c${at}`).join(',');
    expect(problemsOf(readWhole(`${names}\n${names}\n`))).toEqual([undefined]);
  });
});

describe('quotes', () => {
  it('loses one row to a quote that is never closed, and says where it opened', () => {
    const file = bytesOf('a,b\n1,2\n3,"4\n5,6\n7,8\n');
    const read = readWhole(file);
    expect(problemsOf(read)).toEqual([undefined, 'unclosed_quote', undefined, undefined]);
    const lost = read.records[1]!;
    expect(lost.problem).toMatchObject({ column: { number: 2, name: 'b' }, line: 3, byte: 10, text: '"4' });
    expect(lost.fields).toEqual(['3']);
    expect(cutOut(file, lost)).toBe('3,"4');
  });

  it('keeps the lines that a record had before its unclosed quote', () => {
    const file = bytesOf('a,b,c\n1,"x\ny","z\n4,5,6\n');
    const read = readWhole(file);
    expect(problemsOf(read)).toEqual(['unclosed_quote', undefined]);
    expect(read.records[0]).toMatchObject({ position: { line: 2 }, problem: { line: 3, column: { number: 3 } } });
    expect(read.records[1]!.position.line).toBe(4);
    expect(cutOut(file, read.records[0]!)).toBe('1,"x\ny","z');
  });

  it('loses one row to a stray quote that a later quoted cell seems to close', () => {
    const read = readWhole('a,b,c\n1,"2,3\n4,"5",6\n7,"8",9\n');
    expect(problemsOf(read)).toEqual(['bad_quote', undefined, undefined]);
    expect(fieldsOf(read).slice(1)).toEqual([
      ['4', '5', '6'],
      ['7', '8', '9'],
    ]);
  });

  it('refuses text after a closing quote', () => {
    expect(readWhole('a,b\n1,"2"x\n').records[0]).toMatchObject({
      problem: { code: 'bad_quote', found: 'text_after_quote', line: 2, byte: 6, column: { name: 'b' }, text: '"2"x' },
    });
  });

  it('refuses a blank after a closing quote unless trim is declared', () => {
    expect(problemsOf(readWhole('a,b\n"1" ,2\n'))).toEqual(['bad_quote']);
    expect(problemsOf(readWhole('a,b\n"1" ,2\n', declare({ trim: true })))).toEqual([undefined]);
  });

  it('refuses a quote in an unquoted cell', () => {
    expect(readWhole('a,b\n1,5\'10"\n3,4\n').records).toMatchObject([
      { problem: { code: 'bad_quote', found: 'quote_in_text', line: 2, byte: 10, column: { name: 'b' } } },
      { fields: ['3', '4'] },
    ]);
  });

  it('finds an unclosed quote within the longest record, not at the end of the file', () => {
    const rows = `1,${'2'.repeat(KIB)}\n`.repeat(4_000);
    const read = readWhole(`a,b\n1,"2\n${rows}"`, declare(), { sliceBytes: MIB });
    expect(read.records[0]!.problem).toMatchObject({ code: 'unclosed_quote', line: 2 });
    expect(read.records.length).toBe(4_002);
    expect(problemsOf(read).filter((code) => code !== undefined)).toEqual(['unclosed_quote', 'unclosed_quote']);
  });
});

describe('sizes', () => {
  it('refuses a row with a cell above 64 KiB, and no other', () => {
    const large = 'x'.repeat(64 * KIB + 1);
    const read = readWhole(`a,b\n1,2\n3,"${large}"\n5,6\n`);
    expect(problemsOf(read)).toEqual([undefined, 'cell_too_large', undefined]);
    expect(read.records[1]).toMatchObject({
      fields: ['3', ''],
      problem: { column: { number: 2, name: 'b' }, bytes: 64 * KIB + 1, bytesMax: 64 * KIB, byte: 10 },
    });
  });

  it('reads a cell of 64 KiB', () => {
    const large = 'x'.repeat(64 * KIB);
    expect(fieldsOf(readWhole(`a,b\n1,${large}\n`))).toEqual([['1', large]]);
  });

  it('measures a cell in bytes, also where characters have two', () => {
    const large = 'x'.repeat(40 * KIB);
    const utf16 = Buffer.from(`a,b\n1,${large}\n`, 'utf16le');
    const read = readWhole(utf16, declare({ encoding: 'utf-16le' }));
    expect(read.records[0]!.problem).toMatchObject({ code: 'cell_too_large', bytes: 80 * KIB });
  });

  it.each([
    ['unquoted', 'x'.repeat(5_000_000)],
    ['quoted', `"${'x'.repeat(5_000_000)}"`],
    ['unquoted, of 25 MB', 'x'.repeat(25_000_000)],
  ])('loses one row to a cell of megabytes: %s', (_, cell) => {
    const file = bytesOf(`a,b\r\n1,2\r\n3,${cell}\r\n5,6\r\n`);
    const read = readWhole(file, declare(), { sliceBytes: MIB });
    expect(problemsOf(read)).toEqual([undefined, 'record_too_large', undefined]);
    const [, lost, next] = read.records;
    expect(lost!.position).toEqual({ record: 2, line: 3, byteFrom: 10, byteTo: 12 + cell.length });
    expect(lost!.problem).toMatchObject({ bytes: cell.length + 2, column: { name: 'b' }, byte: 12 });
    expect(cutOut(file, next!)).toBe('5,6');
    expect(next!.position.line).toBe(4);
  });

  it('reads rows whose quoted cells span lines up to the longest record', () => {
    const cell = `"${'x\n'.repeat(30 * KIB)}"`;
    const row = Array.from({ length: 32 }, () => cell).join(',');
    const names = Array.from({ length: 32 }, (_, at) => `c${at}`).join(',');
    expect(problemsOf(readWhole(`${names}\n${row}\n${row}\n`))).toEqual([undefined, undefined]);
  });

  it('counts the lines of an overlong row', () => {
    const read = readWhole(`a,b\n"1\n2","${'x'.repeat(3_000_000)}"\n3,4\n`, declare(), { sliceBytes: MIB });
    expect(problemsOf(read)).toEqual(['record_too_large', undefined]);
    expect(read.records.map(({ position }) => position.line)).toEqual([2, 4]);
  });

  it('takes an overlong row at the end of the file, with or without a line end', () => {
    for (const end of ['', '\n']) {
      const read = readWhole(`a\n1\n${'x'.repeat(3_000_000)}${end}`, declare(), { sliceBytes: MIB });
      expect(problemsOf(read)).toEqual([undefined, 'record_too_large']);
      expect(read.checkpoint).toMatchObject({ line: 3, record: 2, overlong: null });
    }
  });

  it('never asks for more than the announced slice', () => {
    const limits = { sniffBytes: 8, recordBytesMax: 64, cellBytesMax: 32, columnsMax: 8 };
    const file = bytesOf(`a,b\n"${'x'.repeat(500)}\n1,2\n3,"${'y\n'.repeat(100)}`);
    expect(() => readWhole(file, declare(), { limits, sliceBytes: 128 })).not.toThrow();
    expect(CSV_SLICE_BYTES_ENOUGH).toBeLessThan(8 * MIB);
  });
});

describe('characters', () => {
  it('refuses a row with bytes that are not UTF-8, and names the first of them', () => {
    const file = Buffer.concat([bytesOf('a,b\n1,ü\n2,M'), Buffer.from([0xfc]), bytesOf('nchen\n3,4\n')]);
    const read = readWhole(file);
    expect(problemsOf(read)).toEqual([undefined, 'bad_encoding', undefined]);
    expect(read.records[1]).toMatchObject({
      fields: ['2', 'M\ufffdnchen'],
      problem: { column: { number: 2, name: 'b' }, encoding: 'utf-8', byte: 12, hex: 'fc' },
    });
  });

  it('accepts a replacement character that is written in the file', () => {
    expect(fieldsOf(readWhole('a,b\n1,\ufffd\n'))).toEqual([['1', '\ufffd']]);
  });

  it('refuses a row with a byte that the single-byte encoding leaves unassigned', () => {
    const file = Buffer.from('a,b\n1,\x80\n2,\x81\n', 'latin1');
    const read = readWhole(file, declare({ encoding: 'windows-1252' }));
    expect(fieldsOf(read)[0]).toEqual(['1', '€']);
    expect(read.records[1]!.problem).toMatchObject({ code: 'bad_encoding', hex: '81', byte: 10 });
  });

  describe('of UTF-8 beyond the first KiB of a file of single bytes', () => {
    const ASCII = `city,load\n${'Joliet,1\n'.repeat(200)}`;

    it.each(['windows-1252', 'iso-8859-1', 'iso-8859-15'])(
      'are refused with their row under %s, wherever a slice ends',
      (encoding) => {
        const file = bytesOf(`${ASCII}Joliet,2\nSão Paulo,"3"\nJoliet,Á\n`);
        for (const sliceBytes of [1_100, 100_000]) {
          const read = readWhole(file, declare({ encoding }), { sliceBytes });
          expect(problemsOf(read).slice(200)).toEqual([undefined, 'bad_encoding', 'bad_encoding']);
          expect(read.records[201]?.problem).toMatchObject({
            ...{ encoding, found: 'utf-8', column: { number: 1, name: 'city' }, byte: 1_820, hex: 'c3 a3' },
          });
          expect(read.records[202]?.problem).toMatchObject({ found: 'utf-8', column: { name: 'load' }, hex: 'c3 81' });
        }
      },
    );

    it('are told of a header below long lines, too', () => {
      const file = bytesOf(`${'above '.repeat(200)}\ncity,größe\n1,2\n`);
      expect(readWhole(file, declare({ encoding: 'windows-1252', skipLines: 1 })).problems).toMatchObject([
        { code: 'encoding_disagrees', found: 'utf-8', evidence: 'utf_8_sequences', hex: 'c3 b6 c3' },
      ]);
    });

    it.each(['M\xfcnchen', 'M\xfcnchen \xc3\xa9', 'CAF\xc9\xae', '\xabARRIV\xc9\xa0\xbb', 'Joliet'])(
      'are not what one-byte letters are: %j',
      (city) => {
        const file = Buffer.from(`${ASCII}${city},2\n`, 'latin1');
        expect(problemsOf(readWhole(file, declare({ encoding: 'windows-1252' }))).at(-1)).toBeUndefined();
      },
    );
  });

  it('refuses a row with half a surrogate pair, or a file that ends inside a character', () => {
    const encoding = 'utf-16le';
    const file = Buffer.concat([Buffer.from('a,b\n1,\ud83d\n2,x', 'utf16le'), Buffer.from([0x41])]);
    const read = readWhole(file, declare({ encoding }));
    expect(problemsOf(read)).toEqual(['bad_encoding', 'bad_encoding']);
    expect(read.records[0]!.problem).toMatchObject({ byte: 12, hex: 'd83d' });
    expect(read.records[1]!.position).toMatchObject({ byteFrom: 16, byteTo: file.byteLength });
  });

  it('refuses a row with a NUL character', () => {
    const read = readWhole(`a,b\n${'1,2\n'.repeat(300)}3,x\0y\n`);
    expect(read.records.at(-1)!.problem).toMatchObject({ code: 'nul_character', column: { name: 'b' }, byte: 1_207 });
    expect(problemsOf(read).filter((code) => code !== undefined)).toEqual(['nul_character']);
  });
});
