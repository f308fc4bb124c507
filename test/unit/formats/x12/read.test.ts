import { describe, expect, it } from 'vitest';
import { bytesOf, codesOf, outline, problemsOf, readX12, wellFormedSets, written } from './reading.ts';
import { interchange, isaText, SAMPLES, status, TWO_SETS } from './samples.ts';

const cutOut = (text: string, { byteFrom, byteTo }: { byteFrom: number; byteTo: number }): string =>
  Buffer.from(bytesOf(text).subarray(byteFrom, byteTo)).toString('utf8');

describe('a sound file', () => {
  const read = readX12(TWO_SETS);

  it('is an interchange, a group, its sets and their ends, in the order of the file', () => {
    expect(outline(read)).toBe('igssGI');
    expect(read.facts).toMatchObject([
      { kind: 'interchange', ref: { interchange: 1, group: 0, set: 0 }, header: { tag: 'ISA', number: 0, line: 1 } },
      { kind: 'group', ref: { interchange: 1, group: 1, set: 0 }, header: { tag: 'GS', number: 0, line: 2 } },
      { kind: 'group_end', ref: { interchange: 1, group: 1, set: 0 }, counted: 2, stated: '2' },
      { kind: 'interchange_end', ref: { interchange: 1, group: 0, set: 0 }, counted: 1 },
    ]);
  });

  it('has in each set the segments from ST to SE, numbered from 1, with ISA and GS around them', () => {
    expect(read.sets.map(({ id, ref }) => [id, ref])).toEqual([
      ['214', { interchange: 1, group: 1, set: 1 }],
      ['214', { interchange: 1, group: 1, set: 2 }],
    ]);
    const [set] = read.sets;
    expect(set?.header.map(({ tag }) => tag)).toEqual(['ISA', 'GS']);
    expect(set?.segments.map(({ tag, number }) => `${tag} ${number}`)).toEqual([
      'ST 1',
      'B10 2',
      'L11 3',
      'LX 4',
      'AT7 5',
      'MS1 6',
      'SE 7',
    ]);
  });

  it('has in ISA the texts of its elements with their blanks', () => {
    expect(read.facts[0]).toMatchObject({ header: { elements: { 5: 'CARRIER        ', 12: '000000905', 15: '>' } } });
  });

  it.each(Object.entries(SAMPLES))('cut out by its positions gives each segment back: %s', (_, text) => {
    for (const { header, segments } of readX12(text).sets) {
      for (const { tag, byteFrom, byteTo } of [...header, ...segments]) {
        expect(cutOut(text, { byteFrom, byteTo }).startsWith(tag)).toBe(true);
        expect(cutOut(text, { byteFrom: byteTo, byteTo: byteTo + 40 })).toMatch(/^\s*(?:[A-Z][A-Z0-9]|$)/);
      }
    }
  });
});

describe('sets of one group', () => {
  const three = (second: string[]): string => interchange({ sets: [status('1'), second, status('3')] });
  const [ST = '', B10 = '', ...rest] = status('2');

  it.each([
    ['no SE', [ST, B10], 'trailer_missing', 'AK502 2', null],
    ['a wrong count', [ST, B10, 'SE*4*2'], 'count_differs', 'AK502 4', 'SE'],
    ['a count that has components', [ST, B10, 'SE*3>1*2'], 'count_invalid', 'AK502 4', 'SE'],
    ['a control number in SE that has components', [ST, B10, 'SE*3*2>1'], 'control_number_differs', 'AK502 3', 'SE'],
    ['a count that is no number', [ST, B10, 'SE*three*2'], 'count_invalid', 'AK502 4', 'SE'],
    ['no count', [ST, B10, 'SE**2'], 'count_invalid', 'AK502 4', 'SE'],
    ['another control number in SE', [ST, B10, 'SE*3*7'], 'control_number_differs', 'AK502 3', 'SE'],
    ['no control number in SE', [ST, B10, 'SE*3'], 'control_number_differs', 'AK502 3', 'SE'],
    ['no control number', ['ST*214', B10, 'SE*3'], 'control_number_invalid', 'AK502 7', 'ST'],
    ['no id', ['ST**2', B10, 'SE*3*2'], 'set_id_invalid', 'AK502 6', 'ST'],
    ['a tag of four characters', [ST, 'B100*X', 'SE*3*2'], 'segment_tag_invalid', 'AK304 1', 'B100'],
    ['a tag in small letters', [ST, 'b10*X', 'SE*3*2'], 'segment_tag_invalid', 'AK304 1', 'b10'],
    ['no tag', [ST, '*X', 'SE*3*2'], 'segment_tag_invalid', 'AK304 1', ''],
  ])('are judged alone; the second has %s', (_, second, code, standard, tag) => {
    const read = readX12(three(second));
    expect(outline(read)).toBe('igsxsGI');
    expect(read.sets[1]?.problems).toMatchObject([{ code, standard, segment: tag === null ? null : { tag } }]);
    expect(codesOf(read)).toEqual([code]);
  });

  it('keep what could be read of a broken one', () => {
    expect(readX12(three([ST, B10])).sets[1]?.segments.map(({ tag }) => tag)).toEqual(['ST', 'B10']);
  });

  it('without an ST are one broken set up to their SE', () => {
    const read = readX12(three([B10, ...rest]));
    expect(outline(read)).toBe('igsxsGI');
    expect(read.sets[1]).toMatchObject({ id: '', problems: [{ code: 'header_missing' }, { code: 'count_differs' }] });
  });

  it('that run into each other are both broken, and the third is not', () => {
    const text = interchange({ sets: [status('1'), status('2'), status('3')], behind: '' }).replace(
      'SE*7*1~ST',
      'SE*7*1ST',
    );
    expect(outline(readX12(text))).toBe('igxxsGI');
  });

  it('compare control numbers as numbers and say them as they are written', () => {
    expect(codesOf(readX12(three(['ST*214*0002', B10, 'SE*03*2'])))).toEqual([]);
    expect(codesOf(readX12(three(['ST*214 * 0002', B10, 'SE* 3 *2 '])))).toEqual([]);
    const read = readX12(three(['ST*214*0002', B10, 'SE*3*03']));
    expect(read.sets[1]?.problems[0]?.message).toContain('SE02 is "03", but ST02 is "0002"');
  });

  it('say where a terminator is lost, when a line shows it', () => {
    const text = TWO_SETS.replace('L1001*ABCD~\n', 'L1001*ABCD\n');
    const read = readX12(text, { policy: { counts: 'lenient' } });
    expect(read.sets[0]?.problems).toMatchObject([
      { code: 'terminator_missing', value: 'L11', segment: { tag: 'B10', number: 2 }, at: { line: 4 } },
      { code: 'count_differs' },
    ]);
    expect(outline(read)).toBe('igxsGI');
  });

  it('tell no more problems than the limit, and how many more there are', () => {
    const read = readX12(three([ST, ...Array(30).fill('x*1'), 'SE*32*2']));
    expect(read.sets[1]?.problems).toHaveLength(21);
    expect(read.sets[1]?.problems[20]).toMatchObject({ code: 'more_problems', value: '10' });
  });
});

describe('envelopes', () => {
  const change = (from: string, to: string): ReturnType<typeof readX12> => readX12(TWO_SETS.replace(from, to));
  it.each([
    ['GE says another number of sets', 'GE*2', 'GE*3', 'count_differs', 'AK905 5'],
    ['GE has another control number', '2*77~', '2*78~', 'control_number_differs', 'AK905 4'],
    ['GE is missing', 'GE*2*77~\n', '', 'trailer_missing', 'AK905 3'],
    ['IEA says another number of groups', 'IEA*1', 'IEA*2', 'count_differs', 'TA1 021'],
    ['IEA has another control number', '1*000000905', '1*000000906', 'control_number_differs', 'TA1 001'],
    ['IEA is missing', 'IEA*1*000000905~\n', '', 'trailer_missing', 'TA1 023'],
    ['GS06 is no number', '*77*X', '*A7*X', 'control_number_invalid', 'AK905 6'],
    ['GS is too short', '*X*004010', '', 'group_header_incomplete', 'AK905 6'],
    ['a segment stands behind the last SE', 'GE*2', 'N9*X~\nGE*2', 'unexpected_segment', 'AK304 2'],
  ])('%s: the sets stay sound', (_, from, to, code, standard) => {
    const read = change(from, to);
    expect(outline(read)).toBe('igssGI');
    expect(problemsOf(read)[0]).toMatchObject({ code, standard });
  });

  it('counted: what stands in them, whatever the trailer says', () => {
    const ends = change('GE*2', 'GE*9').facts.filter((fact) => 'counted' in fact);
    expect(ends.map((fact) => 'counted' in fact && fact.counted)).toEqual([2, 1]);
  });

  it('without GS leave their sets broken', () => {
    const read = readX12(TWO_SETS.replace(/GS\*.*\n/, ''));
    expect(outline(read)).toBe('ixxI');
    expect(read.sets[0]).toMatchObject({
      ref: { group: 0 },
      header: [{ tag: 'ISA' }],
      problems: [{ code: 'header_missing', path: 'GS' }],
    });
  });

  it('without GS number their sets in the interchange', () => {
    expect(readX12(TWO_SETS.replace(/GS\*.*\n/, '')).sets.map(({ ref }) => ref.set)).toEqual([1, 2]);
  });

  it('with lenient counts have notes in the place of problems', () => {
    const text = TWO_SETS.replace('GE*2', 'GE*9').replace('IEA*1', 'IEA*9').replace('SE*7*0001', 'SE*9*0001');
    const read = readX12(text, { policy: { counts: 'lenient' } });
    expect(problemsOf(read)).toEqual([]);
    expect(read.notes).toHaveLength(3);
    expect(read.notes[0]).toContain('SE01 says "9", but the transaction set has 7 segments');
  });

  it('cut off by the next ISA cost the set that was cut, and the next interchange is whole', () => {
    for (const behind of ['\n', '']) {
      const text = interchange({ behind });
      const read = readX12(text.slice(0, text.indexOf('AT7*X1') + 9) + text);
      expect(outline(read)).toBe('igxGIigssGI');
    }
  });
});

describe('where a broken set costs its interchange', () => {
  const broken = TWO_SETS.replace('SE*7*0002', 'SE*8*0002');
  const policy = { broken: 'interchange' } as const;

  it('every set of a broken one has a problem that names the fault', () => {
    const read = readX12(broken, { policy });
    expect(outline(read)).toBe('igxxGI');
    expect(read.sets[0]?.problems).toMatchObject([{ code: 'interchange_broken', standard: '' }]);
    expect(read.sets[0]?.problems[0]?.message).toContain('SE01 says "8"');
    expect(read.sets[1]?.problems).toMatchObject([{ code: 'count_differs' }]);
  });

  it('other interchanges of the file are taken', () => {
    expect(outline(readX12(TWO_SETS + broken + TWO_SETS, { policy }))).toBe('igssGIigxxGIigssGI');
  });

  it('a fault of a trailer is one too', () => {
    for (const [from, to] of [
      ['GE*2', 'GE*3'],
      ['IEA*1*000000905~\n', ''],
      ['GE*2*77~\n', ''],
    ] as const) {
      expect(outline(readX12(TWO_SETS.replace(from, to), { policy }))).toBe('igxxGI');
    }
  });

  it('text before ISA is none', () => {
    const read = readX12(`${TWO_SETS}---\n${TWO_SETS}`, { policy });
    expect(outline(read)).toBe('igssGIigssGI');
    expect(codesOf(read)).toEqual(['text_outside_interchange']);
  });

  it('sound ones read as under the other policy', () => {
    for (const text of Object.values(SAMPLES)) expect(readX12(text, { policy }).parts).toEqual(readX12(text).parts);
  });
});

describe('what is too large', () => {
  const limits = { segmentBytesMax: 200, setBytesMax: 600, setSegmentsMax: 12, problemsMax: 5 };
  const three = (second: string[]): ReturnType<typeof readX12> =>
    readX12(interchange({ sets: [status('1'), second, status('3')] }), { limits });

  it('a set of too many segments costs itself alone', () => {
    const read = three(['ST*214*2', ...Array(20).fill('L11*X'), 'SE*22*2']);
    expect(outline(read)).toBe('igsxsGI');
    expect(read.sets[1]).toMatchObject({
      segments: [{ tag: 'ST' }],
      problems: [{ code: 'set_segments_too_many', standard: 'AK502 5' }],
    });
  });

  it('a set of too many bytes costs itself alone', () => {
    const read = three(['ST*214*2', ...Array(6).fill(`K1*${'x'.repeat(150)}`), 'SE*8*2']);
    expect(outline(read)).toBe('igsxsGI');
    expect(codesOf(read)).toEqual(['set_too_large']);
  });

  it('a segment of too many bytes costs its set alone, and is named', () => {
    const read = three(['ST*214*2', 'B10*A', `K1*${'x'.repeat(1_000)}`, 'SE*4*2']);
    expect(outline(read)).toBe('igsxsGI');
    expect(read.sets[1]?.problems).toMatchObject([
      { code: 'segment_too_large', segment: { tag: 'K1', number: 3 }, at: { line: 12 } },
    ]);
  });

  it('without an SE goes on at the next ST', () => {
    const read = three(['ST*214*2', ...Array(20).fill('L11*X')]);
    expect(outline(read)).toBe('igsxsGI');
  });

  it('is passed over to the same place wherever slices end, and an ISA ends it', () => {
    const text = interchange({
      terminator: '\n',
      behind: '',
      sets: [['ST*214*1', 'K1*'.padEnd(400, 'x'), 'SE*3*1'], status('2')],
    });
    const whole = readX12(text + text, { limits });
    expect(outline(whole)).toBe('igxsGIigxsGI');
    for (let sliceBytes = 400; sliceBytes < 600; sliceBytes += 7) {
      expect(readX12(text + text, { limits, sliceBytes })).toEqual(whole);
    }
  });

  it('and is the last of the file ends with it', () => {
    const text = TWO_SETS.slice(0, TWO_SETS.indexOf('SE*7*0002')) + 'K1*'.padEnd(5_000, 'x');
    expect(outline(readX12(text, { limits }))).toBe('igsxGI');
  });

  it('a segment outside of sets is passed over and named', () => {
    const read = readX12(TWO_SETS.replace('GS*', `${'N9*'.padEnd(900, 'y')}~\nGS*`), { limits });
    expect(outline(read)).toBe('igssGI');
    expect(codesOf(read)).toEqual(['segment_too_large']);
  });

  it('files without any delimiter are read in linear time', () => {
    const startMs = performance.now();
    readX12(isaText() + 'x'.repeat(4_000_000), { sliceBytes: 262_144 });
    readX12(`${isaText()}${'A~'.repeat(300_000)}`, { sliceBytes: 262_144 });
    readX12(`${isaText()}GS*${'ISA*'.repeat(300_000)}`, { sliceBytes: 262_144 });
    readX12('ISA'.repeat(300_000), { sliceBytes: 262_144 });
    readX12(`${TWO_SETS}${'ISA*'.repeat(300_000)}`, { sliceBytes: 262_144 });
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
});

describe('a file that is no X12', () => {
  it.each([
    ['empty', '', 'empty_file'],
    ['blank', ' \r\n\n', 'empty_file'],
    ['JSON', '{"a":1}', 'not_x12'],
    ['XML', '<?xml version="1.0"?><a/>', 'not_x12'],
    ['EDIFACT', "UNB+UNOA:1+A+B+260301:0830+1'", 'not_x12'],
    ['a ZIP archive', 'PK\x03\x04....', 'not_x12'],
    ['CSV', 'load;status\n1;X1\n', 'no_interchange'],
    ['X12 without its ISA', TWO_SETS.slice(TWO_SETS.indexOf('GS*')), 'no_interchange'],
    ['a word that begins with ISA', 'ISABELLA*X~', 'no_interchange'],
  ])('is unreadable: %s', (_, text, code) => {
    expect(readX12(text).unreadable).toMatchObject([{ code }]);
    expect(readX12(text, { sliceBytes: 3 }).unreadable).toMatchObject([{ code }]);
  });

  it('is unreadable: UTF-16, with and without its mark', () => {
    for (const mark of ['\ufeff', '']) {
      expect(readX12(Buffer.from(mark + TWO_SETS, 'utf16le')).unreadable).toMatchObject([
        { code: 'encoding_disagrees' },
      ]);
    }
  });
});

it('no problem holds more of the file than a person reads', () => {
  const long = 'X'.repeat(30_000);
  for (const text of [
    TWO_SETS.replace('GS*', `${long}~\nGS*`),
    TWO_SETS.replace('LX*1', long),
    TWO_SETS.replace('ST*214*0001', long),
  ]) {
    const read = readX12(text.replace('SE*7*0002', `SE*${long}*${long}`));
    expect(problemsOf(read).length).toBeGreaterThan(1);
    expect(JSON.stringify(problemsOf(read)).length).toBeLessThan(700 * problemsOf(read).length);
  }
});

it('what is wrong with an envelope whose sound sets were taken is never told to be sent whole again', () => {
  const cut = TWO_SETS.slice(0, TWO_SETS.indexOf('MS1', TWO_SETS.indexOf('ST*214*0002')));
  const wrong = TWO_SETS.replace('GE*2', 'GE*3').replace('IEA*1*000000905', 'IEA*1*000000906');
  for (const [text, codes] of [
    [cut, ['trailer_missing', 'trailer_missing', 'trailer_missing']],
    [wrong, ['count_differs', 'control_number_differs']],
    [TWO_SETS.replace('GE*2', 'GE*x'), ['count_invalid']],
  ] as const) {
    const read = readX12(text);
    expect(wellFormedSets(read).length).toBeGreaterThan(0);
    expect(codesOf(read)).toEqual(codes);
    for (const { fix } of problemsOf(read)) {
      expect(fix).toContain('send only the refused and the missing ones, in an interchange with a new control number.');
      expect(fix).not.toMatch(/again whole|file whole/);
    }
  }
});

it('every problem says what to do', () => {
  const read = readX12(`${TWO_SETS.replace('SE*7*0001', 'SE*1*9').replace('GE*2', 'GE*3')}x`);
  for (const { message, fix } of problemsOf(read))
    expect([message.length, fix.length].every((length) => length > 20)).toBe(true);
  expect(wellFormedSets(read).map(written)).toEqual([status('0002').join('~')]);
});
