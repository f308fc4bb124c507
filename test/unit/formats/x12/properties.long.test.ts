import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../../draws.ts';
import { bytesOf, codesOf, outline, problemsOf, readX12, type WholeRead, wellFormedSets, written } from './reading.ts';
import { interchange, isaText, SAMPLES, status, TWO_SETS } from './samples.ts';

const sound = Object.entries(SAMPLES);
/** Broken in ways that reading must survive, each with its neighbours. */
const BROKEN: [string, string][] = [
  ['no SE', TWO_SETS.replace('SE*7*0001~\n', '')],
  ['no ST', TWO_SETS.replace('ST*214*0002~\n', '')],
  ['no GE', TWO_SETS.replace('GE*2*77~\n', '')],
  ['no IEA before the next ISA', `${TWO_SETS.replace('IEA*1*000000905~\n', '')}${TWO_SETS}`],
  ['cut inside a segment before the next ISA', `${TWO_SETS.slice(0, 260)}${TWO_SETS}`],
  ['text between interchanges', `${TWO_SETS}-- page 2 --\n${TWO_SETS}the end\n`],
  ['an ISA that cannot be read', `${isaText({ component: 'A' })}\nGS*QM~\n${TWO_SETS}`],
  [
    'a set too large',
    interchange({
      sets: [status('1'), [...status('2').slice(0, 6), ...Array(40).fill('L11*X*BM'), 'SE*47*2'], status('3')],
    }),
  ],
  [
    'a segment too large',
    interchange({ sets: [status('1'), ['ST*214*2', `K1*${'x'.repeat(150)}`, 'SE*3*2'], status('3')] }),
  ],
];
const files = [...sound, ...BROKEN];
const limits = { segmentBytesMax: 120, setBytesMax: 300, setSegmentsMax: 30, problemsMax: 4 };

describe('slices', () => {
  it.each(files)('give the same parts wherever they end: %s', (_, text) => {
    for (const broken of ['set', 'interchange'] as const) {
      const options = { policy: { broken }, limits };
      const whole = readX12(text, options);
      for (const sliceBytes of [1, 7, 64, 333, 1_500]) {
        expect(readX12(text, { ...options, sliceBytes })).toEqual(whole);
      }
    }
  });

  it('give the same parts for texts of any kind between the delimiters', () => {
    const piece = fc.constantFrom(
      'ST*214*1',
      'SE*2*1',
      'GE*1*77',
      'IEA*1*905',
      'GS*QM*A*B*1*2*77*X*004010',
      'ISA*',
      'ISA',
      '~',
      '\n',
      '\r',
      '*',
      'é',
      'N1*X',
      isaText(),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 25 }),
        fc.integer({ min: 1, max: 200 }),
        fc.constantFrom('set', 'interchange'),
        (pieces, sliceBytes, broken) => {
          const text = isaText() + pieces.join('~');
          const options = { policy: { broken: broken as 'set' | 'interchange' }, limits };
          expect(readX12(text, { ...options, sliceBytes })).toEqual(readX12(text, options));
        },
      ),
      { numRuns: draws(300) },
    );
  });
});

describe('a byte-order mark inside text between interchanges', () => {
  it('belongs to that text wherever slices end', () => {
    const text = `${TWO_SETS}${'mail header '.repeat(120)}\ufeff\n${TWO_SETS}`;
    const whole = readX12(text);
    expect(whole.notes).toEqual([]);
    for (let sliceBytes = 500; sliceBytes < 2_500; sliceBytes++) {
      expect(readX12(text, { sliceBytes })).toEqual(whole);
    }
  });
});

describe('blanks and a byte-order mark before the first ISA', () => {
  it.each([`  \ufeff \n${TWO_SETS}`, `\ufeff \n${TWO_SETS}`, ` \n\ufeff${TWO_SETS}`])(
    'are noted in the order in which they stand, wherever slices end: %j',
    (text) => {
      const whole = readX12(text);
      expect(whole.notes).toHaveLength(2);
      for (let sliceBytes = 1; sliceBytes < 40; sliceBytes++) expect(readX12(text, { sliceBytes })).toEqual(whole);
    },
  );
});

describe('files with edits anywhere', () => {
  const edit = fc.record({
    at: fc.nat(3_000),
    removed: fc.oneof(fc.nat(3), fc.nat(200)),
    inserted: fc.constantFrom('', '~', '*', '>', '\n', 'ISA', 'ST*214*9~', 'SE*7*0001~', 'IEA*1*905~', '~~', '  '),
  });
  const file = fc
    .tuple(fc.constantFrom(...Object.values(SAMPLES)), fc.array(edit, { minLength: 1, maxLength: 5 }))
    .map(([text, edits]) =>
      edits.reduce((edited, { at, removed, inserted }) => {
        const place = at % (edited.length + 1);
        return edited.slice(0, place) + inserted + edited.slice(place + removed);
      }, text),
    );
  const policy = fc.record({
    broken: fc.constantFrom('set' as const, 'interchange' as const),
    counts: fc.constantFrom('strict' as const, 'lenient' as const),
    width: fc.constantFrom('tolerant' as const, 'strict' as const),
  });

  it('give the same parts wherever slices end, and each envelope that is opened is closed', () => {
    fc.assert(
      fc.property(
        file,
        policy,
        fc.integer({ min: 1, max: 1_500 }),
        fc.boolean(),
        (text, chosen, sliceBytes, isSmall) => {
          const options = { policy: chosen, limits: isSmall ? limits : {} };
          const whole = readX12(text, options);
          expect(readX12(text, { ...options, sliceBytes })).toEqual(whole);
          const shape = outline(whole).replaceAll(/[sx]/g, '');
          expect(shape).toMatch(/^(?:i(?:gG)*I)*$/);
          for (const { segments } of wellFormedSets(whole)) {
            expect([segments[0]?.tag, segments.at(-1)?.tag]).toEqual(['ST', 'SE']);
          }
        },
      ),
      { numRuns: draws(400) },
    );
  });
});

describe('sound files', () => {
  it.each(sound)('have no problem: %s', (_, text) => {
    const read = readX12(text);
    expect(problemsOf(read)).toEqual([]);
    expect(read.sets.length).toBeGreaterThan(0);
  });
});

const texts = (read: WholeRead): string[] => wellFormedSets(read).map((set) => `${set.id} ${written(set)}`);
const isLocated = (read: WholeRead): boolean =>
  problemsOf(read).every((problem) => !('at' in problem) || (problem.at.byteFrom >= 0 && problem.at.line >= 1));

/** Each place of the file at which a terminator of its interchange stands. */
function terminatorsOf(text: string, terminator: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(terminator); at !== -1; at = text.indexOf(terminator, at + 1)) places.push(at);
  return places;
}

const TERMINATED: [string, string, string][] = [
  ['line feeds behind terminators', TWO_SETS, '~'],
  ['one line', interchange({ behind: '' }), '~'],
  ['CRLF behind terminators', interchange({ behind: '\r\n' }), '~'],
  ['line feeds as terminators', interchange({ terminator: '\n', behind: '' }), '\n'],
  ['CRLF as terminator', interchange({ terminator: '\r\n', behind: '' }), '\r\n'],
  ['two groups and a TA1', SAMPLES['two groups and a TA1'] ?? '', '~'],
  ['two interchanges', `${TWO_SETS}${TWO_SETS}`, '~'],
  ['two interchanges on one line', interchange({ behind: '' }).repeat(2), '~'],
  ['a terminator of several bytes', SAMPLES['a terminator of several bytes'] ?? '', '¶'],
  ['no ISA16', interchange({ component: '' }), '~'],
  ['no ISA16, CRLF behind terminators', interchange({ component: '', behind: '\r\n' }), '~'],
  ['no ISA16, one line', interchange({ component: '', behind: '' }), '~'],
];

describe('a lost terminator', () => {
  it.each(TERMINATED)('gives a problem with its place, or the same sets: %s', (_, text, terminator) => {
    const before = texts(readX12(text));
    for (const at of terminatorsOf(text, terminator)) {
      const read = readX12(text.slice(0, at) + text.slice(at + terminator.length));
      expect(isLocated(read)).toBe(true);
      if (problemsOf(read).length === 0) expect(texts(read)).toEqual(before);
      // What is sound is one of the sets that were sent.
      for (const each of texts(read)) expect(before).toContain(each);
    }
  });

  it('never costs more than the set it stands in and its neighbour', () => {
    const text = interchange({ sets: ['1', '2', '3', '4'].map((control) => status(control)) });
    const ofSets = terminatorsOf(text, '~').slice(2, -2);
    for (const at of ofSets)
      expect(wellFormedSets(readX12(text.slice(0, at) + text.slice(at + 1))).length).toBeGreaterThanOrEqual(2);
  });
});

describe('a lost trailer', () => {
  it.each(TERMINATED)('gives a problem with its place, and the sound sets stay: %s', (_, text, terminator) => {
    const segments = text.split(terminator);
    const before = texts(readX12(text));
    segments.forEach((segment, index) => {
      if (!/^\s*(?:SE|GE|IEA)\*/.test(segment)) return;
      const read = readX12(segments.filter((_, other) => other !== index).join(terminator));
      expect(problemsOf(read).length).toBeGreaterThan(0);
      expect(isLocated(read)).toBe(true);
      const lost = segment.trim().startsWith('SE') ? 1 : 0;
      expect(texts(read)).toHaveLength(before.length - lost);
    });
  });
});

describe('a file cut anywhere', () => {
  it.each(sound)('gives whole sets or problems: %s', (_, text) => {
    const file = bytesOf(text);
    const before = texts(readX12(file));
    const interchangeOf2 = text.lastIndexOf('ISA') > 200 ? 2 : before.length;
    for (let to = 0; to < file.byteLength; to++) {
      const read = readX12(file.subarray(0, to));
      const cut = texts(read);
      expect(cut).toEqual(before.slice(0, cut.length));
      // Only blanks, the terminator of the last IEA, and an interchange as a whole may be missed without harm.
      if (codesOf(read).length === 0) expect([before.length, interchangeOf2]).toContain(cut.length);
      expect(isLocated(read)).toBe(true);
    }
  });
});

describe('mutations', () => {
  const segments = TWO_SETS.split('~');

  it('a lost element separator is a problem or leaves an element merged, and nothing else is touched', () => {
    const other = texts(readX12(TWO_SETS))[1];
    for (const at of terminatorsOf(TWO_SETS.slice(0, TWO_SETS.indexOf('ST*214*0002')), '*')) {
      const read = readX12(TWO_SETS.slice(0, at) + TWO_SETS.slice(at + 1));
      const isEnvelope = at < TWO_SETS.indexOf('ST*');
      if (isEnvelope) expect(codesOf(read).length).toBeGreaterThan(0);
      else expect(texts(read)).toContain(other);
    }
  });

  it('a lost segment is a problem', () => {
    segments.slice(0, -1).forEach((_, index) => {
      const read = readX12(segments.filter((_, other) => other !== index).join('~'));
      expect(codesOf(read).length).toBeGreaterThan(0);
    });
  });

  it('swapped segments are a problem where an envelope is touched, and never an exception', () => {
    for (let one = 0; one < segments.length - 1; one++) {
      for (let other = one + 1; other < segments.length - 1; other++) {
        const swapped = segments.map(
          (each, index) => segments[index === one ? other : index === other ? one : index] ?? each,
        );
        const read = readX12(swapped.join('~'));
        const isEnvelope = [one, other].some((index) => /^\s*(?:ISA|GS|GE|IEA)/.test(segments[index] ?? ''));
        if (isEnvelope) expect(codesOf(read).length).toBeGreaterThan(0);
      }
    }
  });

  it('any bytes are read to their end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(TWO_SETS.length), (bytes, at) => {
        const file = bytesOf(TWO_SETS);
        const mixed = new Uint8Array([...file.subarray(0, at), ...bytes, ...file.subarray(at)]);
        expect(() => readX12(mixed, { sliceBytes: 97 })).not.toThrow();
        expect(() => readX12(bytes)).not.toThrow();
      }),
    );
  });
});

it('an outline of sound files shows each part once and in order', () => {
  expect(outline(readX12(TWO_SETS))).toBe('igssGI');
  expect(outline(readX12(SAMPLES['two groups and a TA1'] ?? ''))).toBe('igsGgssGI');
});
