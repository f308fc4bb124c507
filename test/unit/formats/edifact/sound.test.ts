/** A message that is taken for sound is what a closer look finds, and a closer look finds nothing wrong and nothing to note. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenInterchange } from '../../../../src/formats/edifact/checkpoint.ts';
import { LEVEL_A } from '../../../../src/formats/edifact/delimiters.ts';
import { validateMessage } from '../../../../src/formats/edifact/envelope.ts';
import { EDIFACT_LIMITS, type EdifactLimits } from '../../../../src/formats/edifact/limits.ts';
import { readMessage, WellFormedMessages } from '../../../../src/formats/edifact/message.ts';
import { type Dividers, SegmentScanner } from '../../../../src/formats/edifact/scan.ts';
import { SegmentTable, SliceSearches } from '../../../../src/formats/segments/list.ts';
import { DEFAULT_POLICY } from '../../../../src/formats/segments/parts.ts';
import { dividedSegment } from '../../../../src/formats/segments/segment.ts';
import { draws } from '../../../draws.ts';
import { editedTexts } from '../segments/edited.ts';

const PLAIN: Dividers = { ...LEVEL_A, repetition: '' };
const REPEATING: Dividers = { ...LEVEL_A, repetition: '*' };
const UNRELEASED: Dividers = { ...PLAIN, release: '' };
const BYTE_BASE = 1_000;
const LINE = 7;

interface Given {
  dividers?: Dividers;
  limits?: Partial<EdifactLimits>;
  atEnd?: boolean;
}

const scannerOf = (text: string, { dividers = PLAIN, limits = {}, atEnd = true }: Given): SegmentScanner =>
  new SegmentScanner(
    { text, bytes: Buffer.from(text, 'latin1'), byteBase: BYTE_BASE, atEnd, searches: new SliceSearches(text) },
    dividers,
    { ...EDIFACT_LIMITS, ...limits }.segmentBytesMax,
  );

function soundMessage(text: string, given: Given = {}) {
  const table = new SegmentTable(text.length);
  const limits = { ...EDIFACT_LIMITS, ...given.limits };
  const found = new WellFormedMessages(scannerOf(text, given), table, limits).from(0, LINE);
  if (found === null) {
    expect(table.count).toBe(0);
    return null;
  }
  const { id, segments, at, line } = found;
  const all = Array.from({ length: segments.length }, (_, index) => dividedSegment(segments.segmentAt(index)));
  expect(all.map((_, index) => segments.byteToAt(index))).toEqual(all.map(({ byteTo }) => byteTo));
  return { id, segments: all, at, line, problems: [], notes: [], isMessage: true };
}

function openInterchange(dividers: Dividers): OpenInterchange {
  const header = { tag: 'UNB', elements: [['UNOC', '3']], number: 0, line: 1, byteFrom: 0, byteTo: 20 };
  const counted = { sets: 0, messages: 0, groups: 0, group: null };
  const problems = { problems: [], moreProblems: 0, broken: null };
  return { header, isBare: false, reference: '1', syntax: 'UNOC', dividers, ...counted, ...problems };
}

function closerLook(text: string, given: Given = {}) {
  const limits = { ...EDIFACT_LIMITS, ...given.limits };
  const scanner = scannerOf(text, given);
  scanner.next(0, LINE);
  const { from, line } = scanner;
  const read = readMessage(scanner, limits, { at: from, line });
  if (read.outcome !== 'message') return null;
  const { id, segments, problems, notes, isMessage } = validateMessage(read, {
    open: openInterchange(given.dividers ?? PLAIN),
    policy: DEFAULT_POLICY,
    fallback: 'windows-1252',
    problemsMax: limits.messageProblemsMax,
    units: '',
    hasNul: false,
    byteTo: BYTE_BASE + read.at,
    line: read.line,
  });
  return { id, segments: segments.map(dividedSegment), at: read.at, line: read.line, problems, notes, isMessage };
}

const segments = (reference: string): string[] => [
  `UNH+${reference}+IFTSTA:D:96A:UN`,
  'BGM+23+X1',
  'DTM+137:202603010830:203',
  'UNS+D',
  'CNI+1+L1001',
  'STS+1+31',
  'LOC+7+HOU:139:6:HOUSTON',
  `UNT+8+${reference}`,
];
const messageText = (units: readonly string[], behind = "'"): string => units.map((each) => each + behind).join('');
const MESSAGE = messageText(segments('M1'));
const NEXT = messageText(segments('M2'));

describe('a message without anything uncommon', () => {
  it.each<[string, string, Given]>([
    ['one behind the other', MESSAGE + NEXT, {}],
    ['on lines of their own', messageText(segments('M1'), "'\n") + NEXT, {}],
    ['on lines that end in CR LF, behind blanks', `\r\n  ${messageText(segments('M1'), "'\r\n")}${NEXT}`, {}],
    ['with repeated elements', MESSAGE.replace('HOUSTON', 'A*B'), { dividers: REPEATING }],
    ['where nothing is released', MESSAGE.replace('HOUSTON', 'HOU?STON'), { dividers: UNRELEASED }],
    ['with elements behind its type', MESSAGE.replace(':UN', ':UN+X'), {}],
    ['whose type has no components', MESSAGE.replace('IFTSTA:D:96A:UN', 'IFTSTA'), {}],
    [
      'of more segments than a text of its length should have',
      messageText(['UNH+1+X', ...Array(90).fill('FTX+'), 'UNT+92+1']),
      {},
    ],
    ['before UNZ', `${MESSAGE}UNZ+1+1'`, {}],
    ['where the slice ends', MESSAGE, { atEnd: false }],
  ])('is taken: %s', (_, text, given) => {
    const found = soundMessage(text, given);
    expect(found).not.toBeNull();
    expect(found).toEqual(closerLook(text, given));
  });

  it('is taken behind one of another kind', () => {
    const text = MESSAGE + NEXT.replace('IFTSTA', 'IFTMIN');
    const messages = new WellFormedMessages(scannerOf(text, {}), new SegmentTable(text.length), EDIFACT_LIMITS);
    const first = messages.from(0, LINE);
    const second = messages.from(first?.at ?? 0, LINE);
    expect([first?.id, second?.id, second?.segments.segmentAt(0).elements[0]]).toEqual(['IFTSTA', 'IFTMIN', 'M2']);
  });
});

describe('a message that wants a closer look', () => {
  it.each<[string, string, Given]>([
    ['it ends behind the slice', MESSAGE.slice(0, -1), {}],
    ['its count differs', MESSAGE.replace('UNT+8', 'UNT+9'), {}],
    ['its count is no number', MESSAGE.replace('UNT+8', 'UNT+ 8'), {}],
    ['its trailer has another reference', MESSAGE.replace('UNT+8+M1', 'UNT+8+M2'), {}],
    ['its header goes on where the reference of the trailer ends', MESSAGE.replace('UNH+M1', 'UNH+M11'), {}],
    ['it has no reference', MESSAGE.replaceAll('+M1', '+'), {}],
    ['its reference is blank', MESSAGE.replaceAll('+M1', '+ '), {}],
    ['its reference has components', MESSAGE.replaceAll('+M1', '+M:1'), {}],
    ['it has no type', MESSAGE.replace('IFTSTA', ''), {}],
    ['its type is blank', MESSAGE.replace('IFTSTA', ' '), {}],
    ['its header ends behind the reference', MESSAGE.replace('+IFTSTA:D:96A:UN', ''), {}],
    ['its trailer says more', MESSAGE.replace('UNT+8+M1', 'UNT+8+M1+'), {}],
    ['a segment is empty', MESSAGE.replace("UNS+D'", "UNS+D''"), {}],
    ['a tag is none', MESSAGE.replace('LOC', 'loc'), {}],
    ['a tag is too short', MESSAGE.replace('LOC', 'LO'), {}],
    ['a tag counts repetitions', MESSAGE.replace('LOC', 'LOC:1'), {}],
    ['a segment is wrapped', MESSAGE.replace('HOUSTON', 'HOU\nSTON'), {}],
    ['a segment is wrapped at CR', MESSAGE.replace('HOUSTON', 'HOU\rSTON'), {}],
    ['something is released', MESSAGE.replace('HOUSTON', "O?'HARE"), {}],
    ['UNH stands where UNT should', MESSAGE.replace('UNT+8', 'UNH+8'), {}],
    ['UNZ stands where UNT should', MESSAGE.replace('UNT+8', 'UNZ+8'), {}],
    ['UNB stands where UNT should', MESSAGE.replace('UNT+8', 'UNB+8'), {}],
    ['it begins with no UNH', MESSAGE.slice(MESSAGE.indexOf('BGM')), {}],
    ['a segment is too long', MESSAGE, { limits: { segmentBytesMax: 20 } }],
    ['it is too long', MESSAGE, { limits: { messageBytesMax: MESSAGE.length - 1 } }],
    ['it has too many segments', MESSAGE, { limits: { messageSegmentsMax: 7 } }],
  ])('is not taken: %s', (_, text, given) => {
    expect(soundMessage(text, given)).toBeNull();
  });

  it('is not taken for sound, whatever stands in it', () => {
    const put = [
      "'",
      '+',
      ':',
      '?',
      '*',
      '\n',
      '\r',
      ' ',
      'UNT+8+M1',
      'UNH+',
      "UNZ+1+1'",
      'UNB+',
      '0',
      'x',
      "''",
      'UNS',
    ];
    const texts = [
      MESSAGE + NEXT,
      messageText(segments('M1'), "'\n") + NEXT,
      messageText(segments('UNH'), "'\r\n") + NEXT,
    ];
    const dividers = fc.constantFrom(PLAIN, PLAIN, REPEATING, UNRELEASED);
    let taken = 0;
    fc.assert(
      fc.property(editedTexts(texts, put), dividers, fc.boolean(), (edited, those, atEnd) => {
        const given = { dividers: those, atEnd };
        const found = soundMessage(edited, given);
        if (found === null) return;
        taken += 1;
        expect(found).toEqual(closerLook(edited, given));
      }),
      { numRuns: draws(3_000) },
    );
    expect(taken).toBeGreaterThan(draws(3_000) / 10);
  });
});
