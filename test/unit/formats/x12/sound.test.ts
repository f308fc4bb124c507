/** A set that is taken for sound is what a closer look finds, and a closer look finds nothing wrong and nothing to note. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textCodec } from '../../../../src/formats/encoding.ts';
import { SegmentTable, SliceSearches } from '../../../../src/formats/segments/list.ts';
import { DEFAULT_POLICY } from '../../../../src/formats/segments/parts.ts';
import { dividedSegment } from '../../../../src/formats/segments/segment.ts';
import type { X12Delimiters } from '../../../../src/formats/x12/delimiters.ts';
import { X12_LIMITS, type X12Limits } from '../../../../src/formats/x12/limits.ts';
import { SegmentScanner } from '../../../../src/formats/x12/scan.ts';
import { buildSet, scanSet, WellFormedSets } from '../../../../src/formats/x12/set.ts';
import { draws } from '../../../draws.ts';
import { editedTexts } from '../segments/edited.ts';
import { isaText, status } from './samples.ts';

const TILDE: X12Delimiters = { element: '*', component: '>', repetition: '^', terminator: '~', lineBreak: '\n' };
const LINES: X12Delimiters = { ...TILDE, repetition: null, terminator: '\n' };
const RETURNS: X12Delimiters = { ...TILDE, lineBreak: '\r' };
const BYTE_BASE = 1_000;
const LINE = 7;

interface Given {
  delimiters?: X12Delimiters;
  limits?: Partial<X12Limits>;
  atEnd?: boolean;
}

const scannerOf = (text: string, { delimiters = TILDE, limits = {}, atEnd = true }: Given): SegmentScanner =>
  new SegmentScanner(
    { text, bytes: Buffer.from(text, 'latin1'), byteBase: BYTE_BASE, atEnd, searches: new SliceSearches(text) },
    delimiters,
    { ...X12_LIMITS, ...limits }.segmentBytesMax,
  );

function soundSet(text: string, given: Given = {}) {
  const { delimiters = TILDE, limits = {} } = given;
  const table = new SegmentTable(text.length);
  const found = new WellFormedSets(scannerOf(text, given), table, delimiters, { ...X12_LIMITS, ...limits }).from(
    0,
    LINE,
  );
  if (found === null) {
    expect(table.count).toBe(0);
    return null;
  }
  const { id, segments, at, line } = found;
  const all = Array.from({ length: segments.length }, (_, index) => dividedSegment(segments.segmentAt(index)));
  expect(all.map((_, index) => segments.byteToAt(index))).toEqual(all.map(({ byteTo }) => byteTo));
  return { id, segments: all, at, line, problems: [], noted: false };
}

function closerLook(text: string, given: Given = {}) {
  const { delimiters = TILDE } = given;
  const limits = { ...X12_LIMITS, ...given.limits };
  const scanner = scannerOf(text, given);
  const first = scanner.next(0, LINE, 1);
  const scanned = first.kind === 'segment' ? scanSet(scanner, first, limits) : null;
  if (scanned === null) return null;
  const slice = {
    text,
    byteBase: BYTE_BASE,
    fallback: textCodec('utf-8'),
    policy: DEFAULT_POLICY,
    limits,
  };
  const { set, reading, seen, excused } = buildSet({ slice, isPlain: true, inGroup: true, delimiters }, scanned);
  const { at, line } = scanned.next;
  const noted = reading.note !== null || seen.breaks || seen.repeated || excused !== null || scanner.emptyAt < at;
  return { id: set.id, segments: set.segments.map(dividedSegment), at, line, problems: set.problems, noted };
}

const setText = (segments: readonly string[], behind = '~'): string => segments.map((each) => each + behind).join('');
const SET = setText(status('0001'));
const NEXT = setText(status('0002'));

describe('a set without anything uncommon', () => {
  it.each<[string, string, Given]>([
    ['one behind the other', SET + NEXT, {}],
    ['on lines of their own', setText(status('0001'), '~\n') + NEXT, {}],
    ['on lines that end in CR LF, behind blanks', `\r\n  ${setText(status('0001'), '~\r\n')}${NEXT}`, {}],
    ['behind a form feed, a vertical tab between segments', `\f${setText(status('0001'), '~\v')}${NEXT}`, {}],
    ['ended by line breaks', setText(status('0001'), '\n'), { delimiters: LINES }],
    ['on lines that end in CR', setText(status('0001'), '~\r'), { delimiters: RETURNS }],
    ['with components', SET.replace('QN', 'QN>2>3'), {}],
    ['with elements behind its number', SET.replace('ST*214*0001', 'ST*214*0001*004010'), {}],
    [
      'of more segments than a text of its length should have',
      setText(['ST*214*1', ...Array(90).fill('LX*'), 'SE*92*1']),
      {},
    ],
    ['before an ISA', SET + isaText(), {}],
    ['where the slice ends far behind it', SET + NEXT, { atEnd: false }],
  ])('is taken: %s', (_, text, given) => {
    const found = soundSet(text, given);
    expect(found).not.toBeNull();
    expect(found).toEqual(closerLook(text, given));
  });

  it('is taken behind another one', () => {
    const sets = new WellFormedSets(scannerOf(SET + NEXT, {}), new SegmentTable(SET.length), TILDE, X12_LIMITS);
    const first = sets.from(0, LINE);
    const second = sets.from(first?.at ?? 0, LINE);
    expect([first, second].map((set) => set?.segments.segmentAt(0).elements)).toEqual([
      ['214', '0001'],
      ['214', '0002'],
    ]);
  });
});

describe('a set that wants a closer look', () => {
  it.each<[string, string, Given]>([
    ['it ends behind the slice', SET.slice(0, -1), {}],
    ['a form feed is before a terminator', SET.replace('QN~', 'QN\f~'), {}],
    ['a vertical tab is before a terminator', SET.replace('QN~', 'QN\v~'), {}],
    ['its count differs', SET.replace('SE*7', 'SE*8'), {}],
    ['its count is no number', SET.replace('SE*7', 'SE*+7'), {}],
    ['its trailer has another number', SET.replace('SE*7*0001', 'SE*7*0002'), {}],
    ['its trailer has the number without zeros', SET.replace('SE*7*0001', 'SE*7*1'), {}],
    ['its header goes on where the number of the trailer ends', SET.replace('ST*214*0001', 'ST*214*00011'), {}],
    ['it has no number', SET.replaceAll('*0001', '*'), {}],
    ['its number is blank', SET.replaceAll('*0001', '* '), {}],
    ['its id is no number', SET.replace('214', '2X4'), {}],
    ['its id is longer', SET.replace('214', '2145'), {}],
    ['its trailer says more', SET.replace('SE*7*0001', 'SE*7*0001*'), {}],
    ['a segment is empty', SET.replace('LX*1~', 'LX*1~~'), {}],
    ['a tag is none', SET.replace('LX*1', 'lx*1'), {}],
    ['a segment is a tag alone', SET.replace('LX*1', 'LX'), {}],
    ['a segment is wrapped', SET.replace('HOUSTON', 'HOU\nSTON'), {}],
    ['a segment is wrapped at CR', SET.replace('HOUSTON', 'HOU\rSTON'), {}],
    ['a blank stands before a terminator', SET.replace('QN~', 'QN ~'), {}],
    ['an element is repeated', SET.replace('QN', 'QN^BM'), {}],
    ['ST stands where SE should', SET.replace('SE*7*0001', 'ST*214*0001'), {}],
    ['GE stands where SE should', SET.replace('SE*7*0001', 'GE*1*1'), {}],
    ['it begins with no ST', SET.slice(SET.indexOf('B10')), {}],
    ['an ISA cuts it off', SET.replace('HOUSTON', isaText()), {}],
    ['an ISA may begin behind it', `${SET}ISA`, { atEnd: false }],
    ['a segment is too long', SET, { limits: { segmentBytesMax: 20 } }],
    ['it is too long', SET, { limits: { setBytesMax: SET.length - 1 } }],
    ['it has too many segments', SET, { limits: { setSegmentsMax: 6 } }],
  ])('is not taken: %s', (_, text, given) => {
    expect(soundSet(text, given)).toBeNull();
  });

  it('is not taken for sound, whatever stands in it', () => {
    const put = [
      '~',
      '*',
      '>',
      '^',
      '\n',
      '\r',
      ' ',
      'ISA*',
      'SE*7*0001~',
      'ST*',
      'GE*1*1~',
      '0',
      'x',
      '~~',
      isaText(),
    ];
    const texts = [SET + NEXT, setText(status('0001'), '~\n') + NEXT, setText(status('0001'), '~\r\n') + NEXT];
    const delimiters = fc.constantFrom(TILDE, TILDE, LINES, RETURNS);
    let taken = 0;
    fc.assert(
      fc.property(editedTexts(texts, put), delimiters, fc.boolean(), (edited, those, atEnd) => {
        const given = { delimiters: those, atEnd };
        const found = soundSet(edited, given);
        if (found === null) return;
        taken += 1;
        expect(found).toEqual(closerLook(edited, given));
      }),
      { numRuns: draws(3_000) },
    );
    expect(taken).toBeGreaterThan(draws(3_000) / 10);
  });
});
