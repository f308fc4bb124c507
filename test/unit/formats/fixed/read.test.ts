import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type FixedCheckpoint, fixedStart } from '../../../../src/formats/fixed/checkpoint.ts';
import { describeFixedProblem } from '../../../../src/formats/fixed/problems.ts';
import { fixedNotes, fixedSlices } from '../../../../src/formats/fixed/reader.ts';
import { codesOf, declare, fieldsOf, LOADS, readWhole } from './reading.ts';

const FILE = ['LOADLD0001', 'STOP01', 'STATX3Joliet  ', 'STATAF', 'STOP02', 'STATX1 Toledo', 'TRLR0003', ''].join('\n');

describe('kinds of line', () => {
  it('give their own fields, those carried from lines above, and their name', () => {
    const read = readWhole(FILE);
    expect(read.columns).toEqual(['load', 'stop', 'code', 'city', 'recordKind']);
    expect(fieldsOf(read)).toEqual([
      ['LD0001', '1', 'X3', 'Joliet', 'S'],
      ['LD0001', '1', 'AF', '', 'S'],
      ['LD0001', '2', 'X1', ' Toledo', 'S'],
    ]);
    expect(read.endProblem).toBeNull();
  });

  it('end with the next carried line of the same kind, which also ends those declared behind it', () => {
    const read = readWhole('LOADLD0001\nSTOP01\nSTATX3\nLOADLD0002\nSTATX3\nTRLR0002\n');
    expect(fieldsOf(read).map(([load, stop]) => [load, stop])).toEqual([
      ['LD0001', '1'],
      ['LD0002', ''],
    ]);
  });

  it('are tried by how much they ask for: 9999 before 9, and what takes any line last', () => {
    const records = {
      any: { marker: '', fields: { rest: { at: 1, length: 9 } } },
      nine: { marker: '9', fields: { rest: { at: 1, length: 9 } } },
      filler: { marker: '9999', use: 'passed' },
      pair: {
        marker: [
          { at: 1, text: '9' },
          { at: 3, text: 'B' },
        ],
        fields: { rest: { at: 1, length: 9 } },
      },
    };
    const read = readWhole('9000\n9999\n9xB\nzzz\n', declare({ records }));
    expect(fieldsOf(read)).toEqual([
      ['9000', 'nine'],
      ['9xB', 'pair'],
      ['zzz', 'any'],
    ]);
  });

  it('are named where a line is of none, and what stands behind it is not given to the line above', () => {
    const read = readWhole(
      'LOADLD0001\nSTATX3\nLAODLD0002\nSTATAF\nSTOP01\nSTATX1\nLOADLD0003\nSTATX1\n',
      declare({ ...LOADS }),
    );
    expect(codesOf(read)).toEqual(['', 'unknown_record_kind', 'carried_line_unusable', 'carried_line_unusable', '']);
    expect(read.records[1]?.problems[0]).toMatchObject({ line: 3, text: 'LAODLD0002' });
    expect(read.records[2]?.problems[0]).toMatchObject({ line: 3, kind: null });
  });

  it('of which one cannot be read cost the lines below it, up to the next of its kind or above', () => {
    const read = readWhole('LOADLD0001\nSTOPx1\nSTATX3\nSTOP02\nSTATX3\nTRLR0002\n');
    expect(codesOf(read)).toEqual(['number_malformed', 'carried_line_unusable', '']);
    expect(read.records[1]?.problems[0]).toMatchObject({ line: 2, kind: 'STOP' });
    expect(read.endProblem).toBeNull();
  });

  it('take lines of nothing for no lines', () => {
    expect(codesOf(readWhole('\n   \nLOADLD0001\n\fSTATX3\n\nTRLR0001\n\u001a'))).toEqual(['unknown_record_kind']);
    expect(readWhole('\n  \r\n').problems).toEqual([{ code: 'empty_file', bytes: 5 }]);
    expect(readWhole('').problems).toEqual([{ code: 'empty_file', bytes: 0 }]);
  });
});

describe('a file of another kind', () => {
  it('has short words for each of its lines, however many kinds are declared', () => {
    const fields = { a: { at: 1, length: 2 } };
    const kinds = Array.from({ length: 60 }, (_, at) => [
      `KIND${at}`,
      { marker: { at: at + 1, text: `MARKER${at}` }, fields },
    ]);
    const { records } = readWhole('x\n', declare({ records: Object.fromEntries(kinds) }));
    const { message } = describeFixedProblem(records[0]!.problems[0]!);
    expect(message).toContain('"MARKER0", "MARKER1" at 2');
    expect(message).toContain('and 48 more');
    expect(message.length).toBeLessThan(400);
  });
});

describe('lines', () => {
  const one = (more: object = {}) =>
    declare({
      records: { row: { marker: '', fields: { a: { at: 1, length: 3 }, b: { at: 4, length: 2 } } } },
      ...more,
    });

  it.each(['\n', '\r\n', '\r'])('end at %j, the last one also without', (end) => {
    const read = readWhole(`abcde${end}fghij`, one());
    expect(fieldsOf(read)).toEqual([
      ['abc', 'de', 'row'],
      ['fgh', 'ij', 'row'],
    ]);
    expect(read.records.map(({ position }) => position)).toEqual([
      { record: 1, line: 1, byteFrom: 0, byteTo: 5 },
      { record: 2, line: 2, byteFrom: 5 + end.length, byteTo: 10 + end.length },
    ]);
  });

  it('follow each other without an end where that is declared, with or without one at the end of the file', () => {
    for (const file of ['abcdefghij', 'abcdefghij\r\n']) {
      const read = readWhole(file, one({ lineEnds: 'none', lineLength: 5 }));
      expect(fieldsOf(read)).toEqual([
        ['abc', 'de', 'row'],
        ['fgh', 'ij', 'row'],
      ]);
    }
  });

  it.each(['utf-8', 'utf-16le', 'utf-16be'] as const)(
    'count characters and not bytes, so that letters of several bytes shift no column: %s',
    (encoding) => {
      const text = 'ÄÖ𝄞de中文x!?';
      const utf16 = Buffer.from(text, 'utf16le');
      const file = encoding === 'utf-8' ? Buffer.from(text) : encoding === 'utf-16le' ? utf16 : utf16.swap16();
      const read = readWhole(file, one({ encoding, lineEnds: 'none', lineLength: 5 }));
      expect(fieldsOf(read)).toEqual([
        ['ÄÖ𝄞', 'de', 'row'],
        ['中文x', '!?', 'row'],
      ]);
    },
  );

  it('that are short are read as if blanks followed, with a note that counts them', () => {
    const read = readWhole('abcde\nab\n\nabcd\n', one({ lineLength: 5 }));
    expect(fieldsOf(read)[1]).toEqual(['ab', '', 'row']);
    expect(fixedNotes(read.checkpoint)).toEqual([expect.stringMatching(/^2 lines .* line 2: /)]);
    expect(fixedNotes(readWhole('abcde\nab\n', one()).checkpoint)).toEqual([]);
  });

  it('whose values are carried and that have no record below them are noted with the first of them', () => {
    const notesOf = (...lines: string[]): string[] =>
      fixedNotes(readWhole(`${lines.join('\n')}\n`, declare({ records: LOADS.records })).checkpoint);
    expect(notesOf('LOADLD0001', 'STOP01', 'STATX3', 'STOP02', 'TRLR0001')).toEqual([
      'Line 4 belongs to the records below it, and there are none: nothing came of it.',
    ]);
    expect(notesOf('LOADLD0001', 'STOP01', 'LOADLD0002', '', 'STATX3', 'TRLR0001', 'LOADLD0003')).toEqual([
      expect.stringMatching(/^3 lines .* line 1: /),
    ]);
    expect(notesOf('LOADLD0001', 'STATX3', 'STOP01', 'STATX1', 'LOADLD0002', 'STATX1', 'TRLR0003')).toEqual([]);
    expect(notesOf('LOADLD0001', 'what is this', 'TRLR0001')).toEqual([]);
    expect(notesOf('LOADLD0001', 'STOPxx', 'TRLR0000')).toEqual([]);
  });

  it('are noted alike wherever slices end, also from a checkpoint of an earlier release', () => {
    const file = 'LOADLD0001\nSTOP01\nSTATX3\nSTOP02\nLOADLD0002\nTRLR0001\n';
    const source = declare({ records: LOADS.records });
    const notes = fixedNotes(readWhole(file, source).checkpoint);
    expect(notes).toEqual([expect.stringMatching(/^2 lines .* line 4: /)]);
    for (const sliceBytes of [11, 18, 30])
      expect(fixedNotes(readWhole(file, source, { sliceBytes }).checkpoint)).toEqual(notes);
    const { unread: _, recordless: __, ...earlier } = readWhole(file, source).checkpoint;
    expect(fixedNotes(earlier as FixedCheckpoint)).toEqual([]);
  });

  it('that are short are errors where that is declared', () => {
    const read = readWhole('abcde\nab\n', one({ lineLength: 5, shortLines: 'reject' }));
    expect(read.records[1]?.problems).toEqual([
      { code: 'line_too_short', line: 2, kind: 'row', characters: 2, wanted: 5 },
    ]);
  });

  it('of which the last alone is short and has no end show that the file was cut', () => {
    expect(codesOf(readWhole('abcde\nabcde\nabc', one({ lineLength: 5 })))).toEqual(['', '', 'last_line_cut']);
    expect(codesOf(readWhole('abcde\nabcde\nabc\n', one({ lineLength: 5 })))).toEqual(['', '', '']);
    expect(codesOf(readWhole('abcde\nabc\nabc', one({ lineLength: 5 })))).toEqual(['', '', '']);
    expect(codesOf(readWhole('abc', one({ lineLength: 5 })))).toEqual(['']);
    expect(codesOf(readWhole('abcdeabc', one({ lineLength: 5, lineEnds: 'none' })))).toEqual(['', 'last_line_cut']);
  });

  it('that are long are errors, unless nothing but blanks stands behind the end', () => {
    const read = readWhole('abcdeX\nabcde   \n', one({ lineLength: 5 }));
    expect(read.records[0]?.problems).toEqual([
      { code: 'line_too_long', line: 1, kind: 'row', characters: 6, wanted: 5, surplus: 'X' },
    ]);
    expect(codesOf(read)[1]).toBe('');
  });

  it('longer than any line cost themselves, and lines behind them whose owner is then unknown', () => {
    const limits = { sniffBytes: 8, lineBytesMax: 30 };
    const read = readWhole(
      `LOADLD0001\nSTATX3\n${'x'.repeat(90)}\r\nSTATAF\nLOADLD0002\nSTATAF\nTRLR0004\n`,
      undefined,
      { limits },
    );
    expect(codesOf(read)).toEqual(['', 'line_too_large', 'carried_line_unusable', '']);
    expect(read.records[1]).toMatchObject({
      position: { line: 3, byteFrom: 18, byteTo: 108 },
      problems: [{ bytes: 90 }],
    });
    expect(read.records[2]?.position.line).toBe(4);
    expect(read.endProblem).toBeNull();
  });

  it('with a tab are errors, or have blanks up to the next tab stop', () => {
    const fields = { a: { at: 1, length: 4 }, b: { at: 5, length: 2 } };
    const records = { row: { marker: '', fields } };
    expect(readWhole('ab\tcd\n', declare({ records })).records[0]?.problems).toEqual([
      { code: 'tab_character', line: 1, field: { name: 'a', at: 1, length: 4 }, at: 3, text: 'ab\tc' },
    ]);
    expect(fieldsOf(readWhole('ab\tcd\n', declare({ records, tabStops: 4 })))).toEqual([['ab', 'cd', 'row']]);
  });

  it('of UTF-8 beyond the first KiB of a file of single bytes are errors: their columns have moved', () => {
    const source = declare({ ...LOADS, encoding: 'windows-1252' });
    const joliet = 'STATX3Joliet  ..IL..\n';
    const file = `LOADL00001          \n${joliet.repeat(60)}STATX3São Tomé..IL..\n${joliet}LOADÄ00002          \n${joliet}`;
    const read = readWhole(file, source);
    expect(codesOf(read).slice(59)).toEqual([
      ...['', 'bad_encoding line_too_long', '', 'bad_encoding', 'carried_line_unusable'],
    ]);
    expect(read.records[60]?.problems[0]).toMatchObject({
      ...{ line: 62, encoding: 'windows-1252', found: 'utf-8', field: { name: 'city' }, byte: 1_288, hex: 'c3 a3' },
    });
    const latin = readWhole(Buffer.from(file, 'latin1'), source);
    expect(codesOf(latin).join('')).toBe('');
  });

  it('with a NUL character or bytes of another encoding are errors with their place', () => {
    expect(codesOf(readWhole('abcde\nab\0de\nabcde\n', one()))).toEqual(['', 'nul_character', '']);
    const read = readWhole(Buffer.from('abcde\nab\xffde\n', 'latin1'), one());
    expect(read.records[1]?.problems[0]).toMatchObject({
      code: 'bad_encoding',
      field: { name: 'a' },
      byte: 8,
      hex: 'ff',
    });
  });
});

describe('a file', () => {
  it('begins with a byte-order mark that wins over the declaration', () => {
    const source = declare({
      encoding: 'windows-1252',
      records: { r: { marker: '', fields: { a: { at: 1, length: 2 } } } },
    });
    const read = readWhole('\ufeffÄb\n', source);
    expect(fieldsOf(read)).toEqual([['Äb', 'r']]);
    expect(read.checkpoint.encodingByMark).toBe('utf-8');
  });

  it.each([
    ['PK\u0003\u0004', 'not_fixed_width'],
    ['<?xml version="1.0"?><a/>', 'not_fixed_width'],
  ])('of another kind is refused: %j', (text, code) => {
    expect(readWhole(text).problems.map((problem) => problem.code)).toEqual([code]);
  });

  it('in UTF-8 is not read as windows-1252', () => {
    const source = declare({ ...LOADS, encoding: 'windows-1252' });
    expect(readWhole('LOADÄÖ\nSTATX3\n', source).problems).toMatchObject([
      { code: 'encoding_disagrees', found: 'utf-8' },
    ]);
  });
});

describe('a trailer', () => {
  it('ends what is carried: a record behind it has no load of an earlier part', () => {
    const file = 'LOADLD0001\nSTATX3\nTRLR0001\nSTATD1\nLOADLD0002\nSTATX1\nTRLR0002\n';
    for (const sliceBytes of [1, 7, 1000]) {
      expect(fieldsOf(readWhole(file, declare(LOADS), { sliceBytes })).map(([load, , code]) => [load, code])).toEqual([
        ['LD0001', 'X3'],
        ['', 'D1'],
        ['LD0002', 'X1'],
      ]);
    }
  });

  it('ends what it says, with what is carried inside it', () => {
    const records = { ...LOADS.records, T: { marker: 'TRLR', use: 'trailer', ends: 'STOP' } };
    const file = 'LOADLD0001\nSTOP01\nSTATX3\nTRLR\nSTATD1\n';
    expect(fieldsOf(readWhole(file, declare({ ...LOADS, records }))).map((fields) => fields.slice(0, 3))).toEqual([
      ['LD0001', '1', 'X3'],
      ['LD0001', '', 'D1'],
    ]);
  });

  it('ends the doubt whose records those below an unknown line are', () => {
    expect(codesOf(readWhole('LOADLD0001\nwhat\nSTATX3\nTRLR0002\nSTATX1\nTRLR0001\n'))).toEqual([
      'unknown_record_kind',
      'carried_line_unusable',
      '',
    ]);
  });

  it.each([
    [
      'LOADLD0001\nSTATX3\nTRLR0002\n',
      { code: 'trailer_count_differs', line: 3, kind: 'T', counted: 1, said: 2, of: 'records' },
    ],
    ['LOADLD0001\nSTATX3\nTRLR2  x\n', { code: 'trailer_count_unreadable', line: 3, kind: 'T', text: '2  x' }],
    ['LOADLD0001\nSTATX3\n', { code: 'trailer_missing', kinds: ['T'], records: 1 }],
    ['LOADLD0001\nSTATX3\nTRLR   1\nSTATX3\n', { code: 'trailer_missing', kinds: ['T'], records: 1 }],
    ['LOADLD0001\nSTATX3\nTRLR0001\n* the end\n', null],
    ['STATX3\nTRLR0001\nSTATX3\nSTATX3\nTRLR0002\n', null],
  ])('is held against what stands before it: %j', (file, fault) => {
    const read = readWhole(file);
    expect(read.endProblem).toEqual(fault);
    expect(codesOf(read).every((code) => code === '')).toBe(true);
  });

  describe('that counts lines of some kinds', () => {
    const source = (of: string[]) =>
      declare({
        records: {
          A: { use: 'passed' },
          H: { use: 'carried', fields: { h: { at: 2, length: 1 } } },
          Q: { fields: { q: { at: 2, length: 1 } } },
          R: { fields: { r: { at: 2, length: 1 } } },
          Z: { use: 'trailer', count: { at: 2, length: 2, of } },
        },
      });
    const faultOf = (file: string, of: string[], sliceBytes = 1_000) =>
      readWhole(file, source(of), { sliceBytes }).endProblem;

    it.each([1, 3, 1_000])('counts them and no others (slices of %i bytes)', (sliceBytes) => {
      const file = 'A\nH1\nQ1\nQ2\nR1\nZ02\n';
      expect(faultOf(file, ['Q'], sliceBytes)).toBeNull();
      expect(faultOf(file, ['Q', 'R', 'H', 'A', 'Z'], sliceBytes)).toEqual({
        code: 'trailer_count_differs',
        line: 6,
        kind: 'Z',
        counted: 6,
        said: 2,
        of: ['Q', 'R', 'H', 'A', 'Z'],
      });
    });

    it('counts anew behind each trailer', () => {
      expect(faultOf('Q1\nQ2\nZ02\nR1\nQ3\nZ01\n', ['Q'])).toBeNull();
      expect(faultOf('Q1\nQ2\nZ02\nR1\nQ3\nZ03\n', ['Q'])).toMatchObject({ line: 6, counted: 1, said: 3 });
    });

    it('takes a line of no known kind, which is told by itself, for one that may count', () => {
      for (const said of ['01', '02']) expect(faultOf(`Q1\nX1\nZ${said}\n`, ['Q'])).toBeNull();
      for (const said of ['00', '03']) expect(faultOf(`Q1\nX1\nZ${said}\n`, ['Q'])).toMatchObject({ counted: 1 });
    });

    it('goes on from where an earlier release stopped, which counted no kinds', () => {
      const { kindsInPart: _, ...stored } = fixedStart;
      const read = fixedSlices(source(['Q']))(stored as typeof fixedStart, Buffer.from('Q1\nZ01\n'), true);
      expect(read).toMatchObject({ outcome: 'records', endProblem: null });
    });
  });

  it('may count all lines, its own with them and blank ones not', () => {
    const records = {
      S: { fields: { a: { at: 1, length: 2 } } },
      T: { use: 'trailer', count: { at: 2, length: 2, of: 'lines' } },
    };
    expect(readWhole('S1\nS2\n\nT03\n', declare({ records })).endProblem).toBeNull();
    expect(readWhole('S1\nS2\n\nT02\n', declare({ records })).endProblem).toMatchObject({ counted: 3, said: 2 });
  });
});
