import { describe, expect, it } from 'vitest';
import type { EnvelopeFact, EnvelopeProblem } from '../../../../src/formats/segments/segment.ts';
import { codesOf, problemsOf, readWhole, type WholeRead, wellFormedOf, written } from './reading.ts';

const UNB = "UNB+UNOC:3+SENDER+RECEIVER+260101:1200+77'\n";
const message = (reference: string, count = '3', closes = reference): string =>
  `UNH+${reference}+IFTSTA:D:96A:UN'\nBGM+${reference}'\nUNT+${count}+${closes}'\n`;
const THREE = [message('M1'), message('M2'), message('M3')].join('');
const file = (messages: string, unz = "UNZ+3+77'\n"): string => `${UNB}${messages}${unz}`;

const soundIn = (read: WholeRead): string[] =>
  wellFormedOf(read).map(({ segments }) => written(segments[0]!).split('+')[1]!);
const ends = (read: WholeRead, kind: EnvelopeFact['kind'] = 'interchange_end'): readonly EnvelopeProblem[] =>
  read.facts.find((fact) => fact.kind === kind)!.problems;

describe('a message', () => {
  it('with a wrong count is broken alone, with the place and the code of CONTRL', () => {
    const text = file(THREE.replace('UNT+3+M2', 'UNT+4+M2'));
    const read = readWhole(text);
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    const from = text.indexOf('UNT+4');
    expect(problemsOf(read)).toEqual([
      {
        code: 'count_differs',
        path: 'UNT-01',
        value: '4',
        message: 'The trailer counts 4, but 3 segments were found, UNH and UNT included.',
        fix: expect.stringContaining('ask the operator to take its counts as they are'),
        standard: '0085 29',
        at: { line: 7, byteFrom: from, byteTo: from + 9 },
        segment: { tag: 'UNT', number: 3 },
        element: 1,
      },
    ]);
  });

  it('with a wrong count is accepted with one note where the counts of the partner are lenient', () => {
    const read = readWhole(file(THREE.replaceAll('UNT+3', 'UNT+9'), "UNZ+9+77'"), { policy: { counts: 'lenient' } });
    expect(codesOf(read)).toEqual([]);
    expect(read.notes).toEqual([
      "A wrong count of segments was accepted, as the partner's settings allow: first UNB 77, UNH M1, 9 where 3 were found.",
      "A wrong count of messages was accepted, as the partner's settings allow: first UNB 77, UNZ, 9 where 3 were found.",
    ]);
  });

  it.each([
    ['UNT+x+M2', 'count_invalid', '0085 12'],
    ['UNT++M2', 'count_invalid', '0085 13'],
    ['UNT+3+M9', 'control_number_differs', '0085 28'],
    ['UNT+3', 'control_number_differs', '0085 28'],
  ])('that ends in %s is broken alone, also where counts are lenient', (trailer, code, standard) => {
    const read = readWhole(file(THREE.replace('UNT+3+M2', trailer)), { policy: { counts: 'lenient' } });
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    expect(problemsOf(read)).toMatchObject([{ code, standard, at: { line: 7 } }]);
  });

  it('may have its number padded with zeros in the trailer', () => {
    expect(codesOf(readWhole(file(message('7', '03', '0007'), "UNZ+0001+0077'")))).toEqual([]);
  });

  it('without UNT ends where the next one begins, which is sound', () => {
    const read = readWhole(file(THREE.replace("UNT+3+M2'\n", '')));
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    expect(problemsOf(read)).toMatchObject([
      { code: 'trailer_missing', path: 'UNT', value: 'UNH', standard: '0085 13', at: { line: 6 }, segment: null },
    ]);
    expect(ends(read)).toEqual([]);
  });

  it('without UNH is a set of no kind, and its neighbours are sound', () => {
    const read = readWhole(file(THREE.replace("UNH+M2+IFTSTA:D:96A:UN'\n", '')));
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    expect(read.sets[1]).toMatchObject({ id: '', problems: [{ code: 'header_missing', path: 'UNH' }] });
    expect(ends(read)).toEqual([]);
  });

  it('whose UNT has lost its terminator is broken, and the next one is sound', () => {
    for (const lineEnd of ['\n', '']) {
      const read = readWhole(file(THREE).replace("UNT+3+M1'", 'UNT+3+M1').replaceAll('\n', lineEnd));
      expect(soundIn(read)).toEqual(['M2', 'M3']);
      expect(problemsOf(read)).toMatchObject([{ code: 'terminator_missing', path: 'UNT', value: 'UNH' }]);
    }
  });

  it('that lost a terminator at a line end names the segment that looks like two, also where counts are lenient', () => {
    const text = file(THREE.replace("BGM+M2'", 'BGM+M2').replace('UNT+3+M2', "RFF+1'\nUNT+4+M2"));
    for (const counts of ['strict', 'lenient'] as const) {
      const read = readWhole(text, { policy: { counts } });
      expect(soundIn(read)).toEqual(['M1', 'M3']);
      expect(problemsOf(read)[0]).toMatchObject({
        code: 'terminator_missing',
        path: 'BGM',
        value: 'RFF',
        at: { line: 6 },
      });
    }
  });

  it.each([
    ['UNH', 'UNH-01', 'message reference number'],
    ['UNH+M2', 'UNH-02', 'message type'],
  ])('that opens with %s alone is broken', (header, path, name) => {
    const read = readWhole(file(THREE.replace('UNH+M2+IFTSTA:D:96A:UN', header)));
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    const problem = problemsOf(read).find((one) => one.path === path)!;
    expect(problem).toMatchObject({ code: 'element_missing', standard: '0085 13' });
    expect(problem.message).toContain(name);
  });

  it('with something else than a tag in it is broken', () => {
    const read = readWhole(file(THREE.replace('BGM+M2', 'bgm+M2')));
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    expect(problemsOf(read)).toMatchObject([{ code: 'segment_tag_invalid', value: 'bgm+M2', standard: '0085 12' }]);
  });

  it('with a NUL character in it is broken', () => {
    const read = readWhole(file(THREE.replace('BGM+M2', 'BGM+M\0')));
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    expect(problemsOf(read)).toMatchObject([{ code: 'nul_character', path: 'BGM-01', value: 'M\\0' }]);
  });

  it('passes over terminators that end nothing, with a note', () => {
    const read = readWhole(file(THREE.replace("BGM+M2'", "BGM+M2''\n'")));
    expect(codesOf(read)).toEqual([]);
    expect(read.notes).toEqual(['Terminators without a segment (the first in line 6) were passed over.']);
  });

  it('shows twenty of its problems and counts the others', () => {
    const read = readWhole(file(`UNH+M1+IFTSTA'${"?'".repeat(30).replaceAll('?', 'x')}UNT+32+M1'`, "UNZ+1+77'"));
    expect(read.sets[0]!.problems).toHaveLength(21);
    expect(read.sets[0]!.problems.at(-1)).toMatchObject({ code: 'more_problems', value: '10 more' });
  });
});

describe('an envelope', () => {
  it('with wrong counts and references at its end leaves its messages sound', () => {
    const read = readWhole(file(THREE, "UNZ+4+78'"));
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(ends(read)).toMatchObject([
      { code: 'count_differs', path: 'UNZ-01', standard: '0085 29' },
      { code: 'control_number_differs', path: 'UNZ-02', standard: '0085 28', value: '78' },
    ]);
  });

  it('without UNZ has an end with a problem where the file ends', () => {
    const read = readWhole(file(THREE, ''));
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(ends(read)).toMatchObject([{ code: 'trailer_missing', path: 'UNZ', segment: null, at: { line: 11 } }]);
  });

  it('without UNZ ends where the next one begins', () => {
    const read = readWhole(file(message('M1'), '') + file(message('M2'), "UNZ+1+77'"));
    expect(soundIn(read)).toEqual(['M1', 'M2']);
    expect(codesOf(read)).toEqual(['trailer_missing']);
    expect(read.sets.map(({ ref }) => ref.interchange)).toEqual([1, 2]);
  });

  it('without UNB leaves its messages without a sender: none is sound', () => {
    const read = readWhole(
      `${file(message('M1'), "UNZ+1+77'")}${message('M2')}UNZ+1+78'\n${file(message('M3'), "UNZ+1+77'")}`,
    );
    expect(soundIn(read)).toEqual(['M1', 'M3']);
    expect(read.sets[1]).toMatchObject({ header: [], problems: [{ code: 'header_missing', path: 'UNB' }] });
    expect(read.sets.map(({ ref }) => ref.interchange)).toEqual([1, 2, 3]);
  });

  it('without a reference has a problem of its own', () => {
    const read = readWhole(file(THREE).replace('+260101:1200+77', '+260101:1200').replace('UNZ+3+77', 'UNZ+3'));
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(read.facts[0]!.problems).toMatchObject([{ code: 'element_missing', path: 'UNB-05', standard: '0085 13' }]);
  });

  it('whose UNB has lost its terminator still opens its first message', () => {
    const read = readWhole(file(THREE).replace("+77'\nUNH", '+77UNH'));
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(read.facts[0]!.problems).toMatchObject([{ code: 'terminator_missing', path: 'UNB', value: 'UNH' }]);
  });

  it('whose UNB never ends cannot be read', () => {
    expect(readWhole(UNB.slice(0, -2)).unreadable).toMatchObject([{ code: 'header_unterminated', path: 'UNB' }]);
  });

  it('with text before or behind it names the bytes that were not read', () => {
    const read = readWhole(`To: us\n\n${file(THREE)}-- sent by mail`);
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(read.facts[0]!.problems).toMatchObject([
      { code: 'text_outside_interchange', value: 'To: us\n\n', at: { line: 1, byteFrom: 0, byteTo: 8 } },
    ]);
    expect(read.endProblem).toMatchObject({
      code: 'text_outside_interchange',
      value: '-- sent by mail',
      at: { line: 14 },
    });
  });

  it('may lack the terminator of its last segment', () => {
    const read = readWhole(file(THREE, 'UNZ+3+77'));
    expect(codesOf(read)).toEqual([]);
    expect(read.notes).toEqual(['The last segment, UNZ, has no terminator; the file ends with it.']);
  });
});

describe('groups', () => {
  const group = (number: string, messages: string, une: string): string =>
    `UNG+IFTSTA+S+R+260101:1200+${number}+UN+D:96A'\n${messages}${une}`;
  const TWO = group('G1', message('M1') + message('M2'), "UNE+2+G1'\n") + group('G2', message('M3'), "UNE+1+G2'\n");

  it('stand around their messages, and UNZ counts them', () => {
    const read = readWhole(file(TWO, "UNZ+2+77'"));
    expect(codesOf(read)).toEqual([]);
    expect(read.sets.map(({ ref }) => `${ref.group}/${ref.set}`)).toEqual(['1/1', '1/2', '2/1']);
    expect(read.sets[2]!.header.map(({ tag }) => tag)).toEqual(['UNB', 'UNG']);
    expect(read.facts.map(({ kind }) => kind)).toEqual([
      'interchange',
      'group',
      'group_end',
      'group',
      'group_end',
      'interchange_end',
    ]);
  });

  it('with a wrong count or reference leave their messages sound', () => {
    const read = readWhole(file(TWO.replace('UNE+2+G1', 'UNE+5+GX'), "UNZ+2+77'"));
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(ends(read, 'group_end').map(({ code, path }) => `${path} ${code}`)).toEqual([
      'UNE-01 count_differs',
      'UNE-02 control_number_differs',
    ]);
  });

  it('without UNE end where the next one begins', () => {
    const read = readWhole(file(TWO.replace("UNE+2+G1'\n", ''), "UNZ+2+77'"));
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(ends(read, 'group_end')).toMatchObject([{ code: 'trailer_missing', path: 'UNE', value: 'UNG' }]);
  });

  it('without UNG have a UNE that closes nothing', () => {
    const read = readWhole(file(TWO.replace(/UNG\+IFTSTA\+S\+R\+260101:1200\+G2.*\n/, ''), "UNZ+1+77'"));
    expect(soundIn(read)).toEqual(['M1', 'M2', 'M3']);
    expect(ends(read)).toMatchObject([{ code: 'header_missing', path: 'UNG' }]);
  });
});

describe('a policy that breaks whole interchanges', () => {
  const policy = { broken: 'interchange' } as const;

  it('refuses every message of the broken one, naming its fault, and leaves the others', () => {
    const read = readWhole(file(THREE.replace('UNT+3+M2', 'UNT+4+M2')) + file(message('M4'), "UNZ+1+77'"), { policy });
    expect(soundIn(read)).toEqual(['M4']);
    expect(read.sets.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ['interchange_broken'],
      ['count_differs'],
      ['interchange_broken'],
      [],
    ]);
    expect(read.sets[0]!.problems[0]).toMatchObject({
      message:
        'The interchange is refused as a whole: line 7: The trailer counts 4, but 3 segments were found, UNH and UNT included.',
      standard: '0085 29',
    });
  });

  it.each([
    ['a wrong UNZ', file(THREE, "UNZ+4+77'")],
    ['a missing UNZ', file(THREE, '')],
    ['a UNB without reference', file(THREE).replace('1200+77', '1200')],
    ['a segment outside messages', file(`${THREE}RFF+1'`)],
  ])('refuses every message for %s', (_, text) => {
    const read = readWhole(text, { policy });
    expect(read.sets.length).toBeGreaterThan(2);
    expect(soundIn(read)).toEqual([]);
  });

  it('does not blame an interchange for text before it, nor for counts that are accepted', () => {
    expect(soundIn(readWhole(`junk ${file(THREE)}`, { policy }))).toEqual(['M1', 'M2', 'M3']);
    const lenient = { ...policy, counts: 'lenient' } as const;
    expect(soundIn(readWhole(file(THREE, "UNZ+9+77'"), { policy: lenient }))).toEqual(['M1', 'M2', 'M3']);
  });
});

it('what is wrong with an envelope whose sound messages were taken is never told to be sent whole again', () => {
  const text = file(THREE);
  for (const [broken, codes] of [
    [text.slice(0, text.indexOf('BGM+M3') + 4), ['terminator_missing', 'trailer_missing', 'trailer_missing']],
    [text.replace('UNZ+3', 'UNZ+4'), ['count_differs']],
    [text.replace('UNZ+3', 'UNZ+x'), ['count_invalid']],
    [text.replace('UNZ+3+77', 'UNZ+3+78'), ['control_number_differs']],
    [text.replace("UNZ+3+77'\n", ''), ['trailer_missing']],
  ] as const) {
    const read = readWhole(broken);
    expect(soundIn(read)).toContain('M1');
    expect(codesOf(read)).toEqual(codes);
    for (const { fix } of problemsOf(read)) {
      expect(fix).toContain(
        'send only the refused and the missing ones, in an interchange with a new control reference.',
      );
      expect(fix).not.toMatch(/again whole|file whole/);
    }
  }
});
