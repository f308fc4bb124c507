import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { bytesOf, type Declared, declare, fieldsOf, problemsOf, readWhole } from './reading.ts';

const problems = (input: string | Uint8Array, declared: Declared = {}) => readWhole(input, declare(declared)).problems;
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('a file without records', () => {
  it.each([
    ['no bytes', ''],
    ['a byte-order mark', '\ufeff'],
    ['blank lines', '\n \r\n\t\n'],
  ])('is empty when it holds %s', (_, text) => {
    expect(problems(text)).toMatchObject([{ code: 'empty_file', bytes: Buffer.byteLength(text) }]);
    expect(problems(text, { header: false, columns: ['a'] })).toMatchObject([{ code: 'empty_file' }]);
  });

  it('is empty when it holds comments', () => {
    expect(problems('#a\n#b', { comment: '#' })).toMatchObject([{ code: 'empty_file' }]);
  });

  it('is read when it holds a header', () => {
    expect(readWhole('a,b\r\n')).toMatchObject({ columns: ['a', 'b'], records: [], problems: [] });
  });
});

describe('a file that is not CSV', () => {
  it.each([
    ['zip', 'PK\x03\x04\x14\0\x06\0'],
    ['gzip', '\x1f\x8b\x08\0'],
    ['pdf', '%PDF-1.7\n'],
    ['old_excel', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
    ['html', '<!DOCTYPE html>\n<html>'],
    ['html', '\n<html lang="en">'],
    ['xml', '<?xml version="1.0"?>'],
    ['xml', '\xef\xbb\xbf<orders a="1">'],
    ['json', '{"a": 1}'],
    ['json', ' [ {"a": 1}, 2 ]'],
    ['json', '[]'],
    ['x12', 'ISA*00*          *00*          *ZZ*A'],
    ['edifact', "UNA:+.? 'UNB+UNOA:1+A+B"],
    ['edifact', 'UNB+UNOC:3+A+B'],
    ['binary', '\x7fELF\x02\x01\0\0\x01\x02\0\x03'],
  ])('is called %s', (looksLike, text) => {
    expect(problems(Buffer.from(text, 'latin1'))).toEqual([{ code: 'not_csv', looksLike }]);
  });

  it.each(['ISA,b\n1,2', '{a},b\n1,2', '[a],b\n1,2', '<5 kg,b\n1,2', 'PK,b\n1,2', 'UNB,UNOA\n1,2'])(
    'is not seen in the header %j',
    (text) => expect(problems(text)).toEqual([]),
  );

  it('is binary when its NUL bytes stand where no encoding has them', () => {
    expect(problems(Buffer.alloc(100))).toEqual([{ code: 'not_csv', looksLike: 'binary' }]);
  });

  it('is not seen in one NUL character', () => {
    expect(problemsOf(readWhole('a,b\n1,\0\n3,4\n'))).toEqual(['nul_character', undefined]);
  });
});

describe('the encoding', () => {
  const euro = 'Straße,€\nß,ł\n';

  it.each([
    ['utf-16le', utf16(`\ufeff${euro}`)],
    ['utf-16le', utf16(euro)],
    ['utf-16be', utf16(`\ufeff${euro}`).swap16()],
    ['utf-16be', utf16(euro).swap16()],
    ['utf-8', bytesOf(`\ufeff${euro}`)],
  ])('reads %s with and without a byte-order mark', (encoding, file) => {
    const read = readWhole(file, declare({ encoding }));
    expect([read.columns, ...fieldsOf(read)]).toEqual([
      ['Straße', '€'],
      ['ß', 'ł'],
    ]);
  });

  it.each([
    ['windows-1252', [0xdf, 0x80], ['ß', '€']],
    ['iso-8859-1', [0xdf, 0xe9], ['ß', 'é']],
    ['iso-8859-15', [0xdf, 0xa4], ['ß', '€']],
    ['windows-1250', [0xb3, 0xb9], ['ł', 'ą']],
    ['windows-1251', [0xc6, 0xe6], ['Ж', 'ж']],
  ])('reads %s', (encoding, [first = 0, second = 0], cells) => {
    const file = Buffer.from([...bytesOf('a,b\n'), first, 0x2c, second]);
    expect(fieldsOf(readWhole(file, declare({ encoding })))).toEqual([cells]);
  });

  it.each([
    ['utf-8', 'utf-16le', utf16('\ufeffa,b\n')],
    ['windows-1252', 'utf-16be', utf16('\ufeffa,b\n').swap16()],
    ['windows-1252', 'utf-8', bytesOf('\ufeffa,b\n')],
    ['utf-16le', 'utf-16be', utf16('\ufeffa,b\n').swap16()],
  ])('declared as %s gives way to a byte-order mark of %s, which is kept to be told', (declared, found, file) => {
    const read = readWhole(file, declare({ encoding: declared }));
    expect(read).toMatchObject({ columns: ['a', 'b'], problems: [], checkpoint: { encodingByMark: found } });
  });

  it('reads the rows after a disagreeing mark by the mark, also after a restart', () => {
    const file = bytesOf('\ufeffcity,load\nMünchen,1\nZürich,2\n');
    for (const sliceBytes of [7, 20, 1_000]) {
      const read = readWhole(file, declare({ encoding: 'windows-1252' }), { sliceBytes });
      expect(fieldsOf(read)).toEqual([
        ['München', '1'],
        ['Zürich', '2'],
      ]);
    }
  });

  it('keeps no mark that agrees with the declaration', () => {
    expect(readWhole('\ufeffa,b\n').checkpoint.encodingByMark).toBeNull();
  });

  it.each([
    ['utf-8', 'utf-16le', utf16('Load,City\n')],
    ['utf-8', 'utf-16be', utf16('Load,City\n').swap16()],
    ['utf-16be', 'utf-16le', utf16('Load,City\n')],
  ])('declared as %s does not agree with NUL bytes as %s has them', (declared, found, file) => {
    expect(problems(file, { encoding: declared })).toMatchObject([{ declared, found, evidence: 'nul_bytes' }]);
  });

  it('declared as UTF-16 does not agree with a file without NUL bytes', () => {
    expect(problems('Load,City\n', { encoding: 'utf-16le' })).toMatchObject([
      { code: 'encoding_disagrees', found: 'utf-8', evidence: 'no_nul_bytes' },
    ]);
  });

  it('does not agree when a column name cannot be decoded', () => {
    const file = Buffer.from('Load,Stra\xdfe\n1,2\n', 'latin1');
    expect(problems(file)).toEqual([
      { code: 'encoding_disagrees', declared: 'utf-8', found: null, evidence: 'bad_sequence', byte: 9, hex: 'df' },
    ]);
  });
});

describe('the delimiter', () => {
  it.each([
    [',', ';', 'a;b;c\n1;2;3\n', 3],
    [',', '\t', 'a\tb\n', 2],
    [';', ',', 'a,b\n1,2\n', 2],
    [',', '|', 'a|b|c;d\n', 3],
    [',', ';', '"a";"b"\n"1";"2"\n', 2],
    ['||', '|', 'a|b\n', 2],
  ])('declared as %j is found to be %j', (declared, found, text, columns) => {
    expect(problems(text, { delimiter: declared })).toMatchObject([
      { code: 'wrong_delimiter', declared, found, columns, line: 1 },
    ]);
  });

  it('is not doubted where it divides the header, or where nothing does', () => {
    expect(problems('a;b,c\n1,2\n')).toEqual([]);
    expect(problems('a\n1,2\n')).toEqual([]);
    expect(problems('"a;b"\n1\n')).toEqual([]);
  });

  it('is doubted in a file without header when its first row is one cell', () => {
    const declared = { header: false, columns: ['a', 'b'] };
    expect(problems('1;2\n3;4\n', declared)).toMatchObject([{ code: 'wrong_delimiter', found: ';', columns: 2 }]);
    expect(problems('1;2\n3;4\n', { header: false, columns: ['a'] })).toEqual([]);
    expect(problemsOf(readWhole('Report; May; 2\n3,4\n', declare(declared)))).toEqual(['ragged_row', undefined]);
  });

  it('is accepted from the line that names it to Excel', () => {
    const read = readWhole('sep=;\r\na;b\r\n1;2\r\n', declare({ delimiter: ';' }));
    expect([read.columns, read.records[0]!.position.line]).toEqual([['a', 'b'], 3]);
    expect(problems('sep=;')).toMatchObject([{ code: 'wrong_delimiter' }]);
    expect(problems('sep=;\r\na;b\r\n')).toMatchObject([{ code: 'wrong_delimiter', found: ';', columns: null }]);
  });
});

describe('the header', () => {
  it('may begin after lines to skip, whatever they hold', () => {
    const read = readWhole('Report "May\n\n;;;\na,b\n1,2\n', declare({ skipLines: 3 }));
    expect(read.columns).toEqual(['a', 'b']);
    expect(read.records[0]!.position.line).toBe(5);
  });

  it('gives names without the blanks around them', () => {
    expect(readWhole(' a ,"\u00a0b\t",c d\n').columns).toEqual(['a', 'b', 'c d']);
  });

  it('is refused when two columns have one name, and all such names are told', () => {
    expect(problems('a,b, a,c,b\n1,2,3,4,5\n')).toEqual([
      { code: 'duplicate_header', name: 'a', columns: [1, 3], line: 1 },
      { code: 'duplicate_header', name: 'b', columns: [2, 5], line: 1 },
    ]);
  });

  it('may leave several columns nameless', () => {
    expect(readWhole('a,,\n1,2,3\n').columns).toEqual(['a', '', '']);
  });

  it('tells names apart by case', () => {
    expect(problems('a,A\n1,2\n')).toEqual([]);
  });

  it.each([
    ['bad_quote', 'a,b"c\n1,2\n'],
    ['unclosed_quote', 'a,"b\n1,2\n'],
    ['too_many_columns', `${','.repeat(1_000)}\n`],
    ['too_many_columns', `${','.repeat(999_999)}\n1,2\n`],
    ['cell_too_large', `${'a'.repeat(70_000)},b\n`],
    ['header_too_large', 'a'.repeat(2_200_000)],
    ['header_too_large', `${'\n'.repeat(2_200_000)}a\n1\n`],
  ])('is refused as %s', (code, text) => {
    expect(problems(text)).toMatchObject([{ code }]);
  });

  it('may be missing where the columns are declared', () => {
    const read = readWhole('\n1,2\n3,4\n', declare({ header: false, columns: ['a', 'b'] }));
    expect(read.columns).toEqual(['a', 'b']);
    expect(read.records.map(({ position }) => [position.record, position.line])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  it('that is missing leaves the first row to be judged like any other', () => {
    const read = readWhole(
      `"1,${`${'x'.repeat(999)}\n`.repeat(2_200)}`,
      declare({ header: false, columns: ['a', 'b'] }),
    );
    expect(read.records[0]!.problem).toMatchObject({ code: 'unclosed_quote' });
  });
});

describe('bytes that contradict the declaration though any byte is a letter in it', () => {
  const file = Buffer.from('city,load\nMünchen,1\nZürich,2\n', 'utf8');

  it.each(['windows-1252', 'iso-8859-15', 'windows-1251'])(
    'are told when the file is UTF-8 and %s is declared',
    (encoding) => {
      expect(problems(file, { encoding })).toMatchObject([
        { code: 'encoding_disagrees', declared: encoding, found: 'utf-8', evidence: 'utf_8_sequences', byte: 11 },
      ]);
    },
  );

  it('are left alone when they are one-byte letters', () => {
    const read = readWhole(Buffer.from('city\nM\xfcnchen\n', 'latin1'), declare({ encoding: 'windows-1252' }));
    expect(fieldsOf(read)).toEqual([['München']]);
  });

  it('are noise when they hold control characters, however short the file is', () => {
    const noise = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7_919 + (index >> 3) * 104_729) % 256);
    expect(problems(noise)).toMatchObject([{ code: 'not_csv', looksLike: 'binary' }]);
  });
});
