/** One fact for each habit of real senders that readers trip over. */
import { describe, expect, it } from 'vitest';
import { elementText } from '../../../../src/formats/segments/segment.ts';
import { bytesOf, codesOf, outline, problemsOf, readX12, wellFormedSets, written } from './reading.ts';
import { interchange, isaText, status, TWO_SETS } from './samples.ts';

const clean = written(readX12(TWO_SETS).sets[0]!);
/** The same sets as of the plain file, whatever the delimiters. */
const readsAsPlain = (text: string | Uint8Array): void => {
  const read = readX12(text);
  expect(problemsOf(read)).toEqual([]);
  expect(read.sets.map(written)).toEqual(readX12(TWO_SETS).sets.map(written));
};
const withIsa = (isa: string): string => isa + TWO_SETS.slice(TWO_SETS.indexOf('GS*') - 1);

describe('terminators', () => {
  it.each(['~', '$', '-', '!', "'", '\x1c', '\n', '\r\n', '\r', '¶', '§'])('%j ends segments', (terminator) => {
    readsAsPlain(interchange({ terminator, behind: '' }));
    if (!/[\r\n]/.test(terminator)) readsAsPlain(interchange({ terminator, behind: '\r\n' }));
  });

  it('a byte of no UTF-8 ends segments', () => {
    readsAsPlain(Uint8Array.from(bytesOf(TWO_SETS)).map((byte) => (byte === 0x7e ? 0xb6 : byte)));
  });

  it('blanks before the terminator are no part of the text', () => {
    readsAsPlain(TWO_SETS.replaceAll('~', ' ~'));
    readsAsPlain(interchange({ terminator: ' \n', behind: '' }));
  });

  it('blanks and tabs before a tag are no part of it', () => {
    readsAsPlain(TWO_SETS.replaceAll('~\n', '~\n\t   '));
  });

  it('two terminators in a row are one, with a note', () => {
    readsAsPlain(TWO_SETS.replace('~\nLX', '~~\nLX'));
    expect(readX12(TWO_SETS.replace('~\nLX', '~~\nLX')).notes).toHaveLength(1);
  });

  it('the last one may be absent, with a note', () => {
    readsAsPlain(TWO_SETS.slice(0, -2));
    expect(readX12(TWO_SETS.slice(0, -2)).notes).toEqual(['The last segment of the file has no terminator.']);
  });
});

describe('separators', () => {
  it.each(['|', '^', '~', '\x1d', '§'])('%j separates elements', (element) => {
    readsAsPlain(interchange({ element, terminator: "'" }));
  });

  it.each(['^', '>', '{', '<', ':', '\x1f'])('%j separates components', (component) => {
    const read = readX12(interchange({ component, sets: [['ST*214*1', 'SV*HC>99213>25*100', 'SE*3*1']] }));
    expect(read.sets[0]?.segments[1]?.elements).toEqual([['HC', '99213', '25'], '100']);
  });

  it('at the end of a segment they add empty elements, and nothing is wrong', () => {
    const read = readX12(TWO_SETS.replaceAll(/(?<=\n(?:L11|SE|GE|IEA)[^~]*)~/g, '**~'));
    expect(outline(read)).toBe('igssGI');
    expect(elementText(read.sets[0]!.segments[2]!, 3, null)).toBe('');
  });

  it('an element of components that are all empty is text no longer', () => {
    const read = readX12(interchange({ sets: [['ST*214*1', 'SV*>>', 'SE*3*1']] }));
    expect(elementText(read.sets[0]!.segments[1]!, 1, null)).toBe('');
  });
});

describe('the repetition separator', () => {
  const repeated = (eleven: string, version: string): string => {
    const read = readX12(interchange({ eleven, version, sets: [['ST*271*1', 'EB*1^2^3*x', 'SE*3*1']] }));
    return elementText(read.sets[0]!.segments[1]!, 1, null);
  };

  it('is ISA11 from 00402 on, and the first of the repeated is read', () => expect(repeated('^', '00501')).toBe('1'));
  it('is none in 00401, whatever ISA11 holds', () => expect(repeated('^', '00401')).toBe('1^2^3'));
  it('is none where a newer version holds U', () => {
    const read = readX12(interchange({ eleven: 'U', version: '00403', sets: [['ST*214*1', 'N1*SUPPLY*U', 'SE*3*1']] }));
    expect(written(read.sets[0]!)).toContain('N1*SUPPLY*U');
  });
  it('may be a tilde', () => {
    const file = interchange({
      eleven: '~',
      version: '00501',
      terminator: '!',
      sets: [['ST*271*1', 'EB*1~2', 'SE*3*1']],
    });
    expect(elementText(readX12(file).sets[0]!.segments[1]!, 1, null)).toBe('1');
  });
  it('that equals another delimiter is refused', () => {
    expect(codesOf(readX12(interchange({ eleven: '>', version: '00501' })))).toEqual(['delimiters_equal']);
  });
});

describe('the width of ISA', () => {
  const unpadded = withIsa('ISA*00**00**ZZ*CARRIER*ZZ*SHIPPER*260301*0830*U*00401*000000905*0*P*>~');

  it('need not hold, with a note', () => {
    readsAsPlain(unpadded);
    expect(readX12(unpadded).notes).toHaveLength(1);
  });

  it('must hold where the partner is strict, and the first element at fault is named', () => {
    const read = readX12(unpadded, { policy: { width: 'strict' } });
    expect(read.facts[0]?.problems).toMatchObject([
      { code: 'isa_width', path: 'ISA02', element: 2, standard: 'TA1 022' },
    ]);
    expect(read.sets.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ['interchange_broken'],
      ['interchange_broken'],
    ]);
  });

  it('of one interchange refuses no other', () => {
    const read = readX12(`${unpadded}\n${withIsa(isaText())}`, { policy: { width: 'strict' } });
    expect(read.sets.map(({ problems }) => problems.length)).toEqual([1, 1, 0, 0]);
  });

  it.each([105, 107])('is not trusted: ISA of %d bytes', (bytes) => {
    const isa = isaText().replace('SHIPPER        *', `${'SHIPPER'.padEnd(bytes - 91)}*`);
    expect(isa).toHaveLength(bytes);
    readsAsPlain(withIsa(isa));
  });
});

describe('the end of ISA', () => {
  it('without ISA16 has no components and loses nothing', () => {
    const text = withIsa(isaText({ component: '' }));
    readsAsPlain(text);
    expect(readX12(text).notes[0]).toContain('ISA16');
  });

  it('without ISA16 on one line is told by the segment behind it', () => {
    readsAsPlain(interchange({ component: '', behind: '' }));
  });

  it('with ISA16 twice is read as with one', () => {
    readsAsPlain(withIsa(isaText({ component: '::' })));
    for (const terminator of ['\n', '\r\n', '\r']) {
      const text = interchange({ component: '::', terminator, behind: '' });
      readsAsPlain(text);
      expect(readX12(text).notes[0]).toContain('ISA16');
    }
  });

  it('without its terminator is told by the segment behind it, with a note', () => {
    readsAsPlain(withIsa(isaText({ terminator: '' })));
    readsAsPlain(interchange({ behind: '' }).replace('>~', '>'));
    expect(readX12(withIsa(isaText({ terminator: '' }))).notes[0]).toContain('no segment terminator');
  });

  it('without either is told by the segment behind it', () =>
    readsAsPlain(withIsa(isaText({ component: '', terminator: '' }))));

  it('of other characters is refused, and what they are is shown', () => {
    const read = readX12(withIsa(isaText({ component: '{}', terminator: '{}' })));
    expect(outline(read)).toBe('iI');
    expect(problemsOf(read)).toMatchObject([
      { code: 'isa_end_unclear', standard: 'TA1 004', at: { line: 1, byteFrom: 0 } },
    ]);
  });

  it('is told whatever stands behind it', () => {
    const read = readX12(TWO_SETS.replace('GS*', 'S*'));
    expect(outline(read)).toBe('ixxI');
    expect(codesOf(read)).not.toContain('isa_end_unclear');
  });

  it('with an element too many is refused', () => {
    expect(codesOf(readX12(withIsa(isaText({ component: ':*EXTRA' }))))).toEqual(['isa_end_unclear']);
  });
});

describe('delimiters that cannot be told from text', () => {
  it.each([
    ['component', { component: 'A' }, 'delimiter_alphanumeric', 'TA1 027'],
    ['terminator', { terminator: '7' }, 'delimiter_alphanumeric', 'TA1 004'],
    ['component and terminator', { component: '#', terminator: '#' }, 'delimiters_equal', 'TA1 004'],
    ['element and component', { component: '*' }, 'isa_end_unclear', 'TA1 004'],
    ['element', { element: 'X' }, 'delimiter_alphanumeric', 'TA1 022'],
    ['element, a blank', { element: ' ' }, 'delimiter_blank', 'TA1 022'],
  ])('are refused with their place: %s', (_, choice, code, standard) => {
    const read = readX12(interchange(choice));
    expect(read.sets).toEqual([]);
    expect(problemsOf(read)[0]).toMatchObject({ code, standard, at: { line: 1, byteFrom: 0 } });
  });

  it('cost their own interchange alone', () => {
    const read = readX12(`${interchange({ component: '#', terminator: '#' })}${TWO_SETS}`);
    expect(outline(read)).toBe('iIigssGI');
  });

  it('are looked for in 16 separators: an ISA with fewer is refused', () => {
    const read = readX12(TWO_SETS.replace('*U*00401', ''));
    expect(problemsOf(read)).toMatchObject([{ code: 'isa_incomplete', value: '14 elements' }]);
  });
});

describe('what stands before and around ISA', () => {
  it.each(['\ufeff', '  ', '\r\n\r\n', '\ufeff\n ', '\n'.repeat(3000)])('%j is passed over with a note', (before) => {
    readsAsPlain(before + TWO_SETS);
    expect(readX12(before + TWO_SETS).notes.length).toBeGreaterThan(0);
  });

  it('a byte-order mark between two interchanges is passed over', () => {
    expect(outline(readX12(`${TWO_SETS}\ufeff${TWO_SETS}`))).toBe('igssGIigssGI');
  });

  it('a line break inside ISA is no part of it', () => {
    const text = TWO_SETS.replace('*260301*', '\n*260301*');
    readsAsPlain(text);
    expect(readX12(text).notes[0]).toContain('inside an ISA');
    expect(readX12(text).sets[0]?.segments[0]).toMatchObject({ line: 4 });
  });

  it('other text before it is a problem with its place', () => {
    const read = readX12(`From: edi@carrier\n\n${TWO_SETS}`);
    expect(outline(read)).toBe('igssGI');
    expect(problemsOf(read)).toMatchObject([
      { code: 'text_outside_interchange', value: 'From: edi@carrier', at: { byteFrom: 0, byteTo: 17 } },
    ]);
  });

  it('other text between and behind interchanges is a problem with its place', () => {
    const read = readX12(`${TWO_SETS}--- 2 ---\n${TWO_SETS}end of file\n`);
    const bytes = TWO_SETS.length;
    expect(problemsOf(read)).toMatchObject([
      { code: 'text_outside_interchange', at: { byteFrom: bytes, byteTo: bytes + 9 } },
      { code: 'text_outside_interchange', value: 'end of file', at: { byteFrom: 2 * bytes + 10 } },
    ]);
    expect(read.endProblem?.code).toBe('text_outside_interchange');
    expect(wellFormedSets(read)).toHaveLength(4);
  });

  it('Ctrl-Z and NUL-free padding behind the last IEA are passed over', () => readsAsPlain(`${TWO_SETS}\x1a\n  `));
});

describe('lines', () => {
  it('wrapped at 80 columns are joined, inside segments too', () => {
    const wrapped = interchange({ behind: '' }).replaceAll(/.{80}/g, '$&\r\n');
    readsAsPlain(wrapped);
    expect(readX12(wrapped).notes).toContain('Line breaks stand inside segments; they were removed.');
  });

  it.each(['', '\n', '\r\n', '\r'])('end in %j', (behind) => readsAsPlain(interchange({ behind })));

  it.each(['\n', '\r\n', '\r'])('are counted whether they end in %j', (behind) => {
    const lines = readX12(interchange({ behind })).sets.flatMap(({ segments }) => segments.map(({ line }) => line));
    expect(lines).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });
});

it('lines are counted on from one interchange to the next', () => {
  for (const behind of ['\n', '\r\n', '\r']) {
    const read = readX12(interchange({ behind }) + interchange({ behind }));
    expect(
      read.facts.filter(({ kind }) => kind === 'interchange').map((fact) => 'header' in fact && fact.header.line),
    ).toEqual([1, 19]);
  }
});

describe('several envelopes in a file', () => {
  it('two interchanges may carry the same control number', () => {
    expect(outline(readX12(TWO_SETS.repeat(2)))).toBe('igssGIigssGI');
  });

  it('each has its own delimiters', () => {
    const other = interchange({ element: '|', component: '^', terminator: '!', behind: '', control: '000000906' });
    const read = readX12(TWO_SETS + other + TWO_SETS);
    expect(outline(read)).toBe('igssGIigssGIigssGI');
    expect(read.sets.slice(2, 4).map(written)).toEqual(read.sets.slice(0, 2).map(written));
    expect(read.sets.map(({ ref }) => ref.interchange)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('TA1 may stand between ISA and GS, and alone', () => {
    const ta1 = 'TA1*000000900*260301*0830*A*000~';
    readsAsPlain(TWO_SETS.replace('GS*', `${ta1}\nGS*`));
    expect(outline(readX12(`${isaText()}${ta1}IEA*0*905~`))).toBe('iI');
  });
});

describe('the first terminator lost', () => {
  it('changes no set: ISA and GS are told apart', () => {
    for (const behind of ['\n', '', '\r\n']) readsAsPlain(interchange({ behind }).replace('>~', '>'));
  });
});

describe('letters beyond ASCII', () => {
  const named = (name: string): string => interchange({ sets: [['ST*214*1', `N1*CN*${name}`, 'SE*3*1']] });
  const nameOf = (file: string | Uint8Array, encoding?: 'windows-1250'): string =>
    elementText(readX12(file, encoding === undefined ? {} : { encoding }).sets[0]!.segments[1]!, 2, null);

  it('are UTF-8 where they can be', () => expect(nameOf(named('Łódź'))).toBe('Łódź'));
  it('are the declared encoding where they cannot', () => {
    const file = Buffer.from(named('Z\xfcrich'), 'latin1');
    expect(nameOf(file)).toBe('Zürich');
    expect(readX12(file).notes).toEqual(['Letters beyond ASCII that are not utf-8 were read as windows-1252.']);
    expect(nameOf(Buffer.from(named('\xa3\xf3d\x9f'), 'latin1'), 'windows-1250')).toBe('Łódź');
  });
  it('are judged set by set', () => {
    const both = interchange({
      sets: [
        ['ST*214*1', 'N1*CN*Zürich', 'SE*3*1'],
        ['ST*214*2', 'N1*CN*@', 'SE*3*2'],
      ],
    });
    const [before = '', behind = ''] = both.split('@');
    const read = readX12(Buffer.concat([bytesOf(before), Buffer.from([0xfc]), bytesOf(behind)]));
    expect(read.sets.map(({ segments }) => elementText(segments[1]!, 2, null))).toEqual(['Zürich', 'ü']);
  });
  it('that no encoding has, and NUL, break their set alone', () => {
    for (const [byte, code] of [
      [0x81, 'bad_encoding'],
      [0x00, 'nul_character'],
    ] as const) {
      const [before = '', behind = ''] = interchange({ sets: [['ST*214*1', 'N1*CN*@', 'SE*3*1'], status('2')] }).split(
        '@',
      );
      const read = readX12(Buffer.concat([bytesOf(before), Buffer.from([byte]), bytesOf(behind)]));
      expect(outline(read)).toBe('igxsGI');
      expect(problemsOf(read)).toMatchObject([
        { code, path: 'N102', element: 2, segment: { tag: 'N1', number: 2 }, standard: 'AK403 6' },
      ]);
      expect(problemsOf(read)[0]?.message).toContain('The segment N1 holds');
    }
  });
});

describe('segments of 214 that readers lose', () => {
  it.each([
    ['AT7***AA*NA*20260301*0830*ET', ['', '', 'AA', 'NA', '20260301', '0830', 'ET']],
    ['AT7*X3*NS***20260301*08301500*20', ['X3', 'NS', '', '', '20260301', '08301500', '20']],
    ['MS1****0951330*0294600*W*N', ['', '', '', '0951330', '0294600', 'W', 'N']],
    ['MS1****-95.225*29.766667*W*N', ['', '', '', '-95.225', '29.766667', 'W', 'N']],
  ])('%s keeps each element in its place', (segment, elements) => {
    const read = readX12(interchange({ sets: [['ST*214*1', segment, 'SE*3*1']] }));
    expect(read.sets[0]?.segments[1]?.elements).toEqual(elements);
  });
});

it('the plain file is what the others are compared with', () => {
  expect(clean).toBe(status('0001').join('~'));
});
