import { describe, expect, it } from 'vitest';
import { csvStart } from '../../../../src/formats/csv/checkpoint.ts';
import { csvSlices } from '../../../../src/formats/csv/reader.ts';
import { bytesOf, cutOut, declare, fieldsOf, problemsOf, readWhole } from './reading.ts';

describe('cells', () => {
  it('reads rows under the names of the header', () => {
    const read = readWhole('Load #,City\n123,Joliet\n456,Chicago\n');
    expect(read.columns).toEqual(['Load #', 'City']);
    expect(fieldsOf(read)).toEqual([
      ['123', 'Joliet'],
      ['456', 'Chicago'],
    ]);
    expect(problemsOf(read)).toEqual([undefined, undefined]);
  });

  it('reads a quoted delimiter as part of the cell', () => {
    expect(fieldsOf(readWhole('a,b\n"x,y",z\n'))).toEqual([['x,y', 'z']]);
  });

  it('reads a quoted line break as part of the cell, as it is written', () => {
    expect(fieldsOf(readWhole('a,b\n"x\r\ny\nz",1\n'))).toEqual([['x\r\ny\nz', '1']]);
  });

  it('reads two quotes inside a quoted cell as one', () => {
    expect(fieldsOf(readWhole('a,b\n"say ""yes""",""""\n'))).toEqual([['say "yes"', '"']]);
  });

  it('reads empty cells, quoted or not, as empty text', () => {
    expect(fieldsOf(readWhole('a,b,c\n,"",\n'))).toEqual([['', '', '']]);
  });

  it('keeps blanks around cells', () => {
    expect(fieldsOf(readWhole('a,b\n x ,"\ty "\n'))).toEqual([[' x ', '\ty ']]);
  });

  it('reads cells that are numbers, formulas or property names as text', () => {
    const read = readWhole('__proto__,constructor\n007,=1+1\n');
    expect(read.columns).toEqual(['__proto__', 'constructor']);
    expect(fieldsOf(read)).toEqual([['007', '=1+1']]);
  });
});

describe('declared dialects', () => {
  it.each([
    [';', 'a;b\n1,5;2\n', ['1,5', '2']],
    ['\t', 'a\tb\n1\t2\n', ['1', '2']],
    ['|', 'a|b\n1|2\n', ['1', '2']],
    ['||', 'a||b\n1|x||2\n', ['1|x', '2']],
    ['~^~', 'a~^~b\n1~^2~^~"~^~"\n', ['1~^2', '~^~']],
    ['§', 'a§b\nä§ü\n', ['ä', 'ü']],
  ])('cuts at the delimiter %j', (delimiter, text, cells) => {
    expect(fieldsOf(readWhole(text, declare({ delimiter })))).toEqual([cells]);
  });

  it('reads quotes as text where quoting is off', () => {
    expect(fieldsOf(readWhole('a,b\n"x,12" pipe\n', declare({ quote: '' })))).toEqual([['"x', '12" pipe']]);
  });

  it('reads another quote', () => {
    expect(fieldsOf(readWhole("a,b\n'it''s','\"'\n", declare({ quote: "'" })))).toEqual([["it's", '"']]);
  });

  it('passes over comment lines, quotes in them included', () => {
    const read = readWhole('# made by hand\na,b\n#"1,2\n3,4\n', declare({ comment: '#' }));
    expect(fieldsOf(read)).toEqual([['3', '4']]);
    expect(read.records[0]!.position.line).toBe(4);
  });

  it('takes a comment mark inside a line as text', () => {
    expect(fieldsOf(readWhole('a,b\n1,#2\n', declare({ comment: '#' })))).toEqual([['1', '#2']]);
  });

  it('drops blanks around cells and their quotes where trim is declared', () => {
    const read = readWhole('a, b\n x y ,\t"p, q" \n', declare({ trim: true }));
    expect(fieldsOf(read)).toEqual([['x y', 'p, q']]);
  });

  it('keeps a tab that is the delimiter where trim is declared', () => {
    const read = readWhole('a\tb\tc\n 1 \t\t "2"\n', declare({ trim: true, delimiter: '\t' }));
    expect(fieldsOf(read)).toEqual([['1', '', '2']]);
  });
});

describe('lines', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('ends records at %s', (_, end) => {
    const read = readWhole(['a,b', '1,2', '3,4', ''].join(end));
    expect(fieldsOf(read)).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(read.records.map((record) => record.position.line)).toEqual([2, 3]);
    expect(read.checkpoint.line).toBe(3);
  });

  it('reads mixed line ends and a last line without one', () => {
    const read = readWhole('a,b\r\n1,2\n3,4\r5,6');
    expect(fieldsOf(read)).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ]);
  });

  it('counts blank lines and lines of blanks, but makes no records of them', () => {
    const read = readWhole('\n\na,b\n\r\n1,2\n \t \n\n3,4\n\n');
    expect(read.records.map(({ position }) => [position.record, position.line])).toEqual([
      [1, 5],
      [2, 8],
    ]);
  });

  it('counts the line breaks inside cells', () => {
    const read = readWhole('"a\nb",c\n"1\r\n2\r3\n4",x\n5,y\n');
    expect(read.records.map((record) => record.position.line)).toEqual([3, 7]);
    expect(read.checkpoint.line).toBe(7);
  });

  it('reads a quoted empty cell alone on its line as a record', () => {
    expect(fieldsOf(readWhole('a\n""\n'))).toEqual([['']]);
  });
});

describe('positions', () => {
  it('names the bytes of a record without its line end', () => {
    const file = bytesOf('a,b\r\n1,"x\r\ny"\r\n3,ü\r\n');
    const { records } = readWhole(file);
    expect(records.map(({ position }) => position)).toEqual([
      { record: 1, line: 2, byteFrom: 5, byteTo: 13 },
      { record: 2, line: 4, byteFrom: 15, byteTo: 19 },
    ]);
    expect(records.map((record) => cutOut(file, record))).toEqual(['1,"x\r\ny"', '3,ü']);
  });

  it('counts the byte-order mark', () => {
    const read = readWhole('\ufeffa,b\n1,2\n');
    expect(read.columns).toEqual(['a', 'b']);
    expect(read.records[0]!.position).toMatchObject({ byteFrom: 7, byteTo: 10 });
  });

  it('ends its checkpoint at the end of the file', () => {
    expect(readWhole('a\n1\n2').checkpoint).toEqual({
      byte: 5,
      line: 3,
      record: 2,
      columns: ['a'],
      encodingByMark: null,
      overlong: null,
    });
  });
});

describe('slices', () => {
  it('asks for more while the header is not whole', () => {
    expect(csvSlices(declare())(csvStart, bytesOf('Load'), false)).toEqual({ outcome: 'more' });
  });

  it('asks for more when no record ends in the slice', () => {
    const checkpoint = { ...csvStart, byte: 4, line: 1, columns: ['a', 'b'] };
    expect(csvSlices(declare())(checkpoint, bytesOf('1,"x\n'), false)).toEqual({ outcome: 'more' });
    expect(csvSlices(declare())(checkpoint, bytesOf(''), false)).toEqual({ outcome: 'more' });
  });

  it('yields the whole records of a slice and points at the first one that is not', () => {
    const checkpoint = { ...csvStart, byte: 4, line: 1, columns: ['a', 'b'] };
    const read = csvSlices(declare())(checkpoint, bytesOf('1,2\n3,4\n5,'), false);
    expect(read).toMatchObject({ outcome: 'records', finished: false, checkpoint: { byte: 12, line: 3, record: 2 } });
  });

  it('waits for the LF that may follow a CR', () => {
    const checkpoint = { ...csvStart, byte: 4, line: 1, columns: ['a', 'b'] };
    expect(csvSlices(declare())(checkpoint, bytesOf('1,2\r'), false)).toEqual({ outcome: 'more' });
    const read = csvSlices(declare())(checkpoint, bytesOf('1,2\r\n'), false);
    expect(read).toMatchObject({ outcome: 'records', checkpoint: { byte: 9, line: 2 } });
  });

  it('waits for the rest of a delimiter that a slice cuts', () => {
    const source = declare({ delimiter: '~^~' });
    const whole = readWhole('a~^~b\n"1"~^~"2"\n3~^~4\n', source);
    expect(problemsOf(whole)).toEqual([undefined, undefined]);
    const checkpoint = { ...csvStart, byte: 6, line: 1, columns: ['a', 'b'] };
    for (const cut of ['"1"', '"1"~', '"1"~^~"2', '"1\n2"', '"1\n2"~', '"1\n2"~^']) {
      expect(csvSlices(source)(checkpoint, bytesOf(cut), false)).toEqual({ outcome: 'more' });
    }
  });

  it('names the same cell of an overlong row wherever a slice cuts a delimiter', () => {
    const limits = { sniffBytes: 4, recordBytesMax: 20, cellBytesMax: 20, columnsMax: 9 };
    for (let length = 15; length < 25; length++) {
      const text = `a,,b\n1,,2\n${'x'.repeat(length)},,,,,,,,,,,,y\n1,,2\n`;
      const source = declare({ delimiter: ',,' });
      const whole = readWhole(text, source, { limits });
      expect(problemsOf(whole)).toEqual([undefined, 'record_too_large', undefined]);
      for (let sliceBytes = 1; sliceBytes < 40; sliceBytes++) {
        expect(readWhole(text, source, { limits, sliceBytes })).toEqual(whole);
      }
    }
  });

  it('moves on over a slice of blank lines without records', () => {
    const checkpoint = { ...csvStart, byte: 4, line: 1, columns: ['a', 'b'] };
    const read = csvSlices(declare())(checkpoint, bytesOf('\n\n1,'), false);
    expect(read).toMatchObject({ outcome: 'records', records: [], checkpoint: { byte: 6, line: 3, record: 0 } });
  });

  it('finishes when the slice is empty and the file has ended', () => {
    const checkpoint = { ...csvStart, byte: 8, line: 2, record: 1, columns: ['a'] };
    const read = csvSlices(declare())(checkpoint, new Uint8Array(), true);
    expect(read).toEqual({
      outcome: 'records',
      columns: ['a'],
      records: [],
      checkpoint,
      finished: true,
      endProblem: null,
    });
  });

  it('does not change the bytes it is given', () => {
    for (const encoding of ['utf-8', 'utf-16be', 'windows-1251']) {
      const bytes = Uint8Array.from({ length: 2_000 }, (_, at) => (at % 7 === 0 ? 10 : 65 + (at % 60)));
      const before = bytes.slice();
      csvSlices(declare({ encoding }))(csvStart, bytes, true);
      expect(bytes).toEqual(before);
    }
  });
});
