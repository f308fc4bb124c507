import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { elementText } from '../../../../src/formats/segments/segment.ts';
import { codesOf, latin, problemsOf, readWhole, type WholeRead, wellFormedOf, written } from './reading.ts';

const UNB = "UNB+UNOC:3+SENDER+RECEIVER+260101:1200+77'";
const UNZ = "UNZ+1+77'";
/** A message of one segment between UNH and UNT. */
const message = (segment: string, reference = 'M1', type = 'IFTSTA'): string =>
  `UNH+${reference}+${type}:D:96A:UN'${segment}'UNT+3+${reference}'`;
const interchange = (segment: string, header = UNB): string => `${header}${message(segment)}${UNZ}`;

/** The one segment of the one message. */
function only(read: WholeRead): readonly (string | readonly string[])[] {
  expect(codesOf(read)).toEqual([]);
  expect(read.sets).toHaveLength(1);
  return read.sets[0]!.segments[1]!.elements;
}

describe('delimiters', () => {
  it('are the standard ones where no UNA stands', () => {
    expect(only(readWhole(interchange('NAD+CA+ABCD::92')))).toEqual(['CA', ['ABCD', '', '92']]);
  });

  it('are those of UNA, all six of them changed', () => {
    const file = "UNA^|,\\*$UNB|UNOC^3|S|R|260101^1200|77$UNH|1|IFTSTA^D$FTX|A\\|B^C\\$D'+:?$UNT|3|1$UNZ|1|77$";
    expect(only(readWhole(file))).toEqual([['A|B', "C$D'+:?"]]);
  });

  it.each([1, 5, 8])('cannot be told where the file ends after %d bytes of a UNA', (bytes) => {
    const text = interchange('NAD+CA');
    const read = readWhole(`${text}\n${"UNA:+.? '".slice(0, bytes)}`);
    expect(read.sets).toHaveLength(1);
    expect(read.endProblem?.code).toBe(bytes < 4 ? 'text_outside_interchange' : 'bad_delimiters');
    expect(read.checkpoint.byte).toBeLessThanOrEqual(text.length + 1 + bytes);
  });

  it('leave numbers as they are written and note a decimal comma', () => {
    const read = readWhole(`UNA:+,? '${interchange('MEA+WT+AAE+KGM:1.155,5')}`);
    expect(only(read)).toEqual(['WT', 'AAE', ['KGM', '1.155,5']]);
    expect(read.notes).toEqual(['UNA says that the decimal mark is ","; numbers stay as they are written.']);
  });

  it('are named by the UNA of each interchange', () => {
    const second = 'UNA.|,# ~UNB|UNOC.3|S|R|260101.1200|78~UNH|M2|IFTSTA.D~RFF|CN.4#.5~UNT|3|M2~UNZ|1|78~';
    const { sets } = readWhole(`${interchange('RFF+CN:4.5')}\n${second}\n${interchange('RFF+CN:4|5')}`);
    expect(sets.map(({ segments }) => segments[1]!.elements)).toEqual([
      [['CN', '4.5']],
      [['CN', '4.5']],
      [['CN', '4|5']],
    ]);
  });

  it('stay those of the interchange before where the next one visibly uses them without a UNA', () => {
    const one = 'UNB|UNOC:3|S|R|260101:1200|78~UNH|M2|IFTSTA:D~RFF|CN~UNT|3|M2~UNZ|1|78~';
    const read = readWhole(`UNA:|.? ~${one}\n${one}`);
    expect(codesOf(read)).toEqual([]);
    expect(read.sets).toHaveLength(2);
    expect(read.notes).toEqual(['The interchange in line 2 has no UNA and uses the delimiters of the one before it.']);
  });

  it('may be a line break as terminator, with blanks before it', () => {
    const file = `UNA:+.? \n${interchange('RFF+CN:42  ').replaceAll("'", '\r\n')}`;
    expect(only(readWhole(file))).toEqual([['CN', '42']]);
  });

  it('are the information separators of level B where one stands behind UNB', () => {
    const file = interchange('RFF+CN:it is').replaceAll('+', '\x1d').replaceAll(':', '\x1f').replaceAll("'", '\x1c');
    expect(only(readWhole(file))).toEqual([['CN', 'it is']]);
  });

  it('divide repetitions in syntax 4 only, of which the first is read', () => {
    expect(only(readWhole(interchange('COM+1:TE*2:FX+9', UNB.replace('UNOC:3', 'UNOC:4'))))).toEqual([
      ['1', 'TE'],
      '9',
    ]);
    expect(only(readWhole(interchange('COM+1:TE*2:FX+9')))).toEqual([['1', 'TE*2', 'FX'], '9']);
    expect(only(readWhole(`UNA:+.? '${interchange('COM+1*2', UNB.replace('UNOC:3', 'UNOC:4'))}`))).toEqual(['1*2']);
  });

  it.each([
    ["UNA:+.?'\n", 'short'],
    ["UNA::.? '", 'gives to another role too'],
    ["UNA:A.? '", 'a letter or digit'],
    ["UNA +.? '", 'blank'],
    ['UNA:+.? +', 'gives to another role too'],
  ])('refuse %j with the place', (una, why) => {
    const { unreadable } = readWhole(`${una}${interchange('BGM+1')}`);
    expect(unreadable).toMatchObject([{ code: 'bad_delimiters', path: 'UNA', at: { line: 1, byteFrom: 0 } }]);
    expect(unreadable[0]!.message).toContain(why);
  });

  it('cannot be known where something else stands behind UNB, which ends the reading and keeps what was read', () => {
    const sound = interchange('BGM+1');
    const read = readWhole(`${sound}\nUNB=UNOA=1`);
    expect(wellFormedOf(read)).toHaveLength(1);
    expect(read.endProblem).toMatchObject({
      code: 'delimiters_unknown',
      value: '=',
      at: { line: 2, byteFrom: sound.length + 1 },
    });
  });
});

describe('the release character', () => {
  it('makes data of every delimiter and of itself', () => {
    expect(only(readWhole(interchange("FTX+a?+b?:c?'d??+e")))).toEqual(["a+b:c'd?", 'e']);
  });

  it('stands before any character', () => {
    expect(only(readWhole(interchange('FTX+Dr?. Who?!')))).toEqual(['Dr. Who!']);
  });

  it('stands before the terminator more than once, and two of them release nothing', () => {
    expect(only(readWhole(interchange("FTX+?'?'??")))).toEqual(["''?"]);
  });

  it('releases what follows the line break at the end of a wrapped line', () => {
    expect(only(readWhole(interchange("FTX+it?\r\n's?\n+")))).toEqual(["it's+"]);
  });

  it('is no release character where UNA leaves it blank', () => {
    expect(only(readWhole(`UNA:+.  '${interchange('FTX+why?+b')}`))).toEqual(['why?', 'b']);
  });

  it('leaves the offset of a time in one component', () => {
    expect(only(readWhole(interchange('DTM+334:202601011200?+0100:203')))).toEqual([
      ['334', '202601011200+0100', '203'],
    ]);
  });
});

describe('blanks and line breaks', () => {
  it('stand before the interchange, behind a byte-order mark', () => {
    const read = readWhole(`\ufeff \r\n\t${interchange('BGM+1')}`);
    expect(only(read)).toEqual(['1']);
    expect(read.notes).toEqual([
      'The file begins with the byte-order mark of utf-8, which was passed over.',
      'Blanks or line breaks stand before the first interchange; they were passed over.',
    ]);
    expect(read.sets[0]!.segments[0]).toMatchObject({ line: 2, byteFrom: 49 });
  });

  it('stand behind every segment, and pad the file at its end', () => {
    const file = `${interchange('BGM+1').replaceAll("'", "'  \r\n\t ")}\n  \x1a\0\0`;
    expect(only(readWhole(file))).toEqual(['1']);
  });

  it('wrap the file at a column, also inside tags and numbers', () => {
    const plain = interchange("NAD+CN+++O?'NEIL GRÜN+STREET+CITY");
    const bytes = Buffer.from(plain);
    for (let column = 1; column < 90; column++) {
      const lines: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += column)
        lines.push(bytes.subarray(at, at + column), Buffer.from('\r\n'));
      const read = readWhole(Buffer.concat(lines).subarray(0, -2));
      // A tag at the start of the file is looked for as it stands.
      if (column < 4) continue;
      expect(only(read), String(column)).toEqual(['CN', '', '', "O'NEIL GRÜN", 'STREET', 'CITY']);
    }
  });

  it('inside a segment are left out of the text and noted once', () => {
    const read = readWhole(interchange('FTX+one\r\ntwo\nthree'));
    expect(only(read)).toEqual(['onetwothree']);
    expect(read.notes).toEqual([
      'Line breaks stand inside segments (the first in line 1); they were left out of the text.',
    ]);
  });

  it('count as lines of every segment', () => {
    const [set] = readWhole(interchange('FTX+a\nb').replaceAll("'", "'\n")).sets;
    expect(set!.segments.map(({ line }) => line)).toEqual([2, 3, 5]);
  });
});

describe('character sets', () => {
  const named = (id: string): string => UNB.replace('UNOC', id);
  const text = (file: Uint8Array): [unknown, readonly string[]] => {
    const read = readWhole(file);
    return [only(read)[0], read.notes];
  };

  it('are UTF-8 first, whatever UNB declares', () => {
    const [found, notes] = text(Buffer.from(interchange('FTX+Größe')));
    expect(found).toBe('Größe');
    expect(notes[0]).toBe('Letters beyond ASCII were read as utf-8, because they are written so; UNB declares UNOC.');
  });

  it.each([
    ['UNOC', '\xfc', 'ü', 'iso-8859-1'],
    ['unoc', '\xfc', 'ü', 'iso-8859-1'],
    ['UnoC', '\xfc', 'ü', 'iso-8859-1'],
    ['UNOD', '\xb3\xf3d\xbc', 'łódź', 'iso-8859-2'],
    ['UNOE', '\xb6', 'Ж', 'iso-8859-5'],
    ['UNOF', '\xd9', 'Ω', 'iso-8859-7'],
    ['UNOG', '\xa1', 'Ħ', 'iso-8859-3'],
    ['UNOH', '\xa1', 'Ą', 'iso-8859-4'],
    ['UNOI', '\xc8', 'ب', 'iso-8859-6'],
    ['UNOJ', '\xe0', 'א', 'iso-8859-8'],
    ['UNOK', '\xfd', 'ı', 'iso-8859-9'],
  ])('are then the one that %s declares', (id, bytes, wanted, name) => {
    const [found, notes] = text(latin(interchange(`FTX+${bytes}`, named(id))));
    expect(found).toBe(wanted);
    expect(notes[0]).toBe(`Letters beyond ASCII were read as ${name}, as UNB declares with ${id}.`);
  });

  it.each(['UNOA', 'UNOB', 'IATB', 'ANSI'])('are the fallback of the mapping where %s names none', (id) => {
    const [found, notes] = text(latin(interchange('FTX+\xfc', named(id))));
    expect(found).toBe('ü');
    expect(notes[0]).toContain(`UNB declares ${id}, which does not say`);
  });

  it('take another fallback of the mapping', () => {
    const file = latin(interchange('FTX+\xc6', named('IATB')));
    expect(only(readWhole(file, { source: { encoding: 'windows-1251' } }))).toEqual(['Ж']);
  });

  it('are told message by message', () => {
    const file = Buffer.concat([
      latin(`${UNB}${message('FTX+\xfc')}`),
      Buffer.from(message('FTX+ü', 'M2')),
      latin("UNZ+2+77'"),
    ]);
    const read = readWhole(file);
    expect(read.sets.map(({ segments }) => segments[1]!.elements[0])).toEqual(['ü', 'ü']);
    expect(read.notes).toHaveLength(2);
  });

  it('hold UTF-8 letters that a wrapped line divides', () => {
    expect(only(readWhole(latin(interchange('FTX+Gr\xc3\r\n\xbcn'))))).toEqual(['Grün']);
  });

  it('cost the message whose bytes are no text in the declared one, and name them', () => {
    const [problem] = problemsOf(readWhole(latin(interchange('FTX+a+b\xff', named('UNOY')))));
    expect(problem).toMatchObject({ code: 'bad_encoding', path: 'FTX-02', value: 'FF', standard: '0085 21' });
  });

  it.each([
    ['of eight bits', '\xfc', 'FC'],
    ['that are UTF-8', '\xc3\xbc', 'C3 BC'],
    ['of seven bits behind an escape', 'a\x1b$B5e', '1B 24 42 35 65'],
  ])('cost the message where UNOX leaves open what letters %s mean', (_about, bytes, hex) => {
    const read = readWhole(latin(interchange(`FTX+a+${bytes}`, named('unox'))));
    expect(problemsOf(read)).toMatchObject([
      { code: 'charset_not_read', path: 'FTX-02', value: hex, standard: '0085 21' },
    ]);
    expect(read.notes).toEqual([]);
  });

  it('under UNOX are read where they are ASCII', () => {
    const read = readWhole(interchange('FTX+a', named('UNOX')));
    expect([only(read), problemsOf(read)]).toEqual([['a'], []]);
  });

  it('read the names of the envelope too', () => {
    const { sets } = readWhole(interchange('BGM+1', UNB.replace('SENDER', 'GRÜN')));
    expect(elementText(sets[0]!.header[0]!, 2, null)).toBe('GRÜN');
  });
});

describe('a file that is no interchange', () => {
  it.each([
    ['STX=ANA:1+50001:A+50002:B+260101:1200+1', 'TRADACOMS'],
    ['ISA*00*          *00*', 'X12'],
    ['{"a": 1}', 'JSON'],
    ['<?xml version="1.0"?><a/>', 'XML'],
    ['UIB+UNOA:4+1', 'interactive'],
    ['MSH|^~\\&|A', 'HL7'],
    ['load,scac\n1,ABCD\n', 'other text'],
    ['BGM+220+1', 'other text'],
  ])('%j is named', (file, word) => {
    const { unreadable } = readWhole(`${file}'`);
    expect(unreadable).toMatchObject([{ code: 'not_edifact' }]);
    expect(unreadable[0]!.message).toContain(word);
  });

  it.each(['utf16le', 'utf-16le with mark'])('in %s is named', (kind) => {
    const file = Buffer.from(`${kind === 'utf16le' ? '' : '\ufeff'}${interchange('BGM+1')}`, 'utf16le');
    expect(readWhole(file).unreadable).toMatchObject([
      { code: 'encoding_disagrees', message: expect.stringContaining('UTF-16') },
    ]);
  });

  it.each(['', ' \r\n ', '\ufeff'])('%j is empty', (file) => {
    expect(readWhole(file).unreadable).toMatchObject([{ code: 'empty_file' }]);
  });

  it('of messages without UNB is refused, or taken with a note where the mapping says so', () => {
    const file = message('BGM+1');
    expect(readWhole(file).unreadable).toMatchObject([{ code: 'interchange_header_missing', path: 'UNB' }]);
    const read = readWhole(`UNA:+.? '\n${file}`, { source: { bare: 'accept' } });
    expect(only(read)).toEqual(['1']);
    expect(read.sets[0]).toMatchObject({ header: [], ref: { interchange: 1, group: 0, set: 1 } });
    expect(read.facts).toEqual([]);
    expect(read.notes).toEqual(['The file has messages without UNB: nothing in it says who sent it.']);
  });
});

it('finds segments in an order that no directory allows, and leaves judging that to the mapping', () => {
  const { sets } = readWhole(interchange("STS+1'RFF+CN:1'CNI+1'BGM+1").replace('UNT+3', 'UNT+6'));
  expect(sets[0]!.problems).toEqual([]);
  expect(sets[0]!.segments.map(written)).toEqual([
    'UNH+M1+IFTSTA:D:96A:UN',
    'STS+1',
    'RFF+CN:1',
    'CNI+1',
    'BGM+1',
    'UNT+6+M1',
  ]);
});
