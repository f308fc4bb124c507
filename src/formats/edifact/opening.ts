/** The start of a file: skips a byte-order mark and blanks, and tells an interchange from everything else. */
import { looksLike } from '../magic.ts';
import { type Finding, pointAt } from '../segments/faults.ts';
import { countOf } from '../segments/list.ts';
import { dividedSegment, elementText, type Segment } from '../segments/segment.ts';
import type { OpenInterchange } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import {
  type Delimiters,
  delimitersOf,
  delimitersWithoutUna,
  LEVEL_A,
  repetitionSeparator,
  UNA_BYTES,
} from './delimiters.ts';
import { EXCERPT_BYTES } from './limits.ts';
import { describeFault, describeFileFault, type Fault, type FileFault, type OtherLook } from './problems.ts';
import {
  beginsInterchange,
  type Dividers,
  HEAD_LOOKED_AT_UNITS,
  HEAD_UNITS,
  headAt,
  isLineBreak,
  type ServiceTag,
} from './scan.ts';
import type { SliceReading } from './slice-reading.ts';
import { excerptAt, hexOf, shownUnits } from './text.ts';

const UTF_8_MARK = '\xef\xbb\xbf';
const BLANKS = ' \t\r\n';
const EXCERPT_UNITS = 40;

/** An interchange whose start is unmistakable, so that it can be found after other text. */
const INTERCHANGE = /UNA[^A-Za-z0-9\s]{2}[\x20-\x7e]{2}.{2}\s{0,8}UNB|UNB[^A-Za-z0-9\s][A-Za-z]{4}[^A-Za-z0-9\s]\d/;
/** With its byte-order mark, or recognised by the zeros between the letters of UNA, UNB and the like. */
const UTF_16 = /^(?:\xff\xfe|\xfe\xff|U\0N\0|\0U\0N)/;
const UTF_16_SHOWN_BYTES = 4;
/** A message without interchange. */
const MESSAGE = /^UN[HG][^A-Za-z0-9\s]/;

export type Opening =
  | { outcome: 'more' }
  /**
   * `at`: where reading continues; `isFound`: an interchange begins there; `garbageFrom`: other text runs from here up
   * to it.
   */
  | {
      outcome: 'opened';
      at: number;
      hasMark: boolean;
      hasBlanks: boolean;
      garbageFrom: number | null;
      isFound: boolean;
    }
  | { outcome: 'unreadable'; fault: FileFault };

interface Start {
  text: string;
  bytes: Uint8Array;
  /** Bytes of the file before the slice. */
  base: number;
  atEnd: boolean;
  sniffBytes: number;
}

export function readOpening({ text, bytes, base, atEnd, sniffBytes }: Start, bare: EdifactSource['bare']): Opening {
  if (base === 0 && text.length < UTF_8_MARK.length && !atEnd) return { outcome: 'more' };
  const hasMark = base === 0 && text.startsWith(UTF_8_MARK);
  const first = hasMark ? UTF_8_MARK.length : 0;
  let at = first;
  while (at < text.length && BLANKS.includes(text.charAt(at))) at++;
  const hasBlanks = at > first;
  if (at === text.length && atEnd) return { outcome: 'unreadable', fault: { code: 'empty_file', bytes: base + at } };
  const opened = { outcome: 'opened', at, hasMark, hasBlanks, garbageFrom: null, isFound: true } as const;
  if (text.length - at < sniffBytes && !atEnd) return at > 0 ? { ...opened, isFound: false } : { outcome: 'more' };
  if (beginsInterchange(headAt(text, at, false))) return opened;
  const window = text.slice(at, at + sniffBytes);
  const excerpt = shownUnits(window.slice(0, EXCERPT_UNITS));
  if (MESSAGE.test(window)) {
    if (bare === 'accept') return opened;
    return { outcome: 'unreadable', fault: { code: 'interchange_header_missing', text: excerpt } };
  }
  if (UTF_16.test(window)) {
    const hex = hexOf(window.slice(0, UTF_16_SHOWN_BYTES));
    return { outcome: 'unreadable', fault: { code: 'encoding_disagrees', hex } };
  }
  const look = otherLook(window, bytes.subarray(at, at + sniffBytes));
  const behind = look === null ? window.search(INTERCHANGE) : -1;
  if (behind === -1) {
    return { outcome: 'unreadable', fault: { code: 'not_edifact', looksLike: look ?? 'text', text: excerpt } };
  }
  return { ...opened, at: at + behind, garbageFrom: at };
}

const LOOKS: readonly [OtherLook, RegExp][] = [
  ['tradacoms', /^STX=/],
  ['interactive', /^UI[AB][^A-Za-z0-9]/],
  ['hl7', /^\s?(?:MSH|FHS|BHS)[^A-Za-z0-9\s]/],
];

/** @returns null if nothing rules out an interchange further on. */
function otherLook(window: string, bytes: Uint8Array): OtherLook | null {
  const found = LOOKS.find(([, pattern]) => pattern.test(window))?.[0];
  if (found !== undefined) return found;
  const look = looksLike(bytes);
  return look === 'edifact' ? null : look;
}

/*
 * Between interchanges: reads UNA and UNB, and skips text that belongs to none.
 *
 * Each step returns false when nothing whole is left in the slice.
 */

/** What pads a file between interchanges; the last two are written by mainframes and DOS. */
const PADDING = ' \t\r\n\0\x1a';

export function between(reading: SliceReading): boolean {
  const { state } = reading;
  const { text, atEnd, source } = reading.input;
  for (; reading.at < text.length && PADDING.includes(text.charAt(reading.at)); reading.at++) {
    if (text[reading.at] === '\n') reading.line++;
  }
  const { at } = reading;
  if (at >= text.length && atEnd) return finish(reading);
  const head = headAt(text, at, isLineBreak((state.una ?? LEVEL_A).terminator));
  if (head.length < HEAD_UNITS && text.length - at < HEAD_LOOKED_AT_UNITS && !atEnd) return false;
  if (beginsInterchange(head)) return head[2] === 'A' ? readUna(reading) : openInterchange(reading, head.charAt(3));
  if (state.una !== null || beginsMessage(reading, at)) {
    if (state.interchange > 0 || source.bare === 'accept') return openBare(reading);
    if (text.length - at < EXCERPT_BYTES && !atEnd) return false;
    reading.fileProblem = describeFileFault({ code: 'interchange_header_missing', text: excerptAt(text, at) });
    return false;
  }
  if (text.length - at < EXCERPT_BYTES && !atEnd) return false;
  state.garbage = { byteFrom: reading.byteAt(at), line: reading.line, text: excerptAt(text, at) };
  state.stage = 'garbage';
  return true;
}

function beginsMessage(reading: SliceReading, at: number): boolean {
  const { text } = reading.input;
  const tag = text.slice(at, at + 3);
  const { element } = reading.state.una ?? reading.state.delimiters ?? LEVEL_A;
  return (tag === 'UNH' || tag === 'UNG') && text[at + 3] === element;
}

function readUna(reading: SliceReading): boolean {
  const { text, atEnd } = reading.input;
  const una = text.slice(reading.at, reading.at + UNA_BYTES);
  if (una.length < UNA_BYTES && !atEnd) return false;
  const read = delimitersOf(una);
  if (!read.ok) return endWith(reading, { code: 'bad_delimiters', ...read.error }, 'UNA', reading.at + UNA_BYTES);
  reading.state.una = read.value;
  if (read.value.decimal !== LEVEL_A.decimal) reading.note({ kind: 'decimal_mark', mark: read.value.decimal });
  reading.at += UNA_BYTES;
  reading.line += countOf(una, '\n', 0, una.length);
  return true;
}

function openInterchange(reading: SliceReading, separator: string): boolean {
  const { state, at, line } = reading;
  const { text, limits, policy } = reading.input;
  const delimiters = state.una ?? delimitersWithoutUna(separator, state.delimiters);
  if (delimiters === null || delimiters.element !== separator) {
    return endWith(reading, { code: 'delimiters_unknown', separator }, 'UNB', at + HEAD_UNITS);
  }
  const scanner = reading.scannerOf({ ...delimiters, repetition: '' }, limits.envelopeSegmentBytesMax);
  const scan = scanner.segmentAt(at, line);
  if (scan === 'more') return false;
  if (scan !== 'segment') {
    const bytesMax = limits.envelopeSegmentBytesMax;
    const hasLineBreaks = [...text.slice(at, at + bytesMax).trimEnd()].some(isLineBreak);
    const { terminator } = delimiters;
    return endWith(
      reading,
      { code: 'header_unterminated', terminator, hasLineBreaks, bytesMax },
      'UNB',
      at + HEAD_UNITS,
    );
  }
  if (policy.broken === 'interchange' && state.judged === null && state.judging === null) {
    state.judging = { back: { ...state, byte: reading.byteAt(at), line }, fault: null };
  }
  if (state.una === null && delimiters !== LEVEL_A && state.delimiters === delimiters) {
    reading.note({ kind: 'delimiters_kept', line: line + 1 });
  }
  const faults = reading.endOf(scanner, 'UNB');
  const header = reading.textOf(dividedSegment(scanner.segment(0)), null);
  const repetition = repetitionSeparator(delimiters, elementText(header, 1, 2));
  state.delimiters = delimiters;
  open(reading, header, { ...delimiters, repetition }, faults);
  return reading.goOn(scanner);
}

/** Messages without UNB. */
function openBare(reading: SliceReading): boolean {
  const { state } = reading;
  const delimiters: Delimiters = state.una ?? state.delimiters ?? LEVEL_A;
  if (state.interchange === 0) reading.note({ kind: 'no_interchange' });
  state.delimiters = delimiters;
  open(reading, null, { ...delimiters, repetition: '' });
  reading.scanner = null;
  return true;
}

/** @param header null: messages without UNB. */
function open(
  { state, envelopes }: SliceReading,
  header: Segment | null,
  dividers: Dividers,
  faults: Fault[] = [],
): void {
  const isBare = header === null && state.interchange === 0;
  const [reference, syntax] = header === null ? ['', ''] : [elementText(header, 5, 1), elementText(header, 1, 1)];
  const opened: OpenInterchange = {
    ...{ header, isBare, reference: reference.trim(), syntax: syntax.trim(), dividers },
    ...{ sets: 0, messages: 0, groups: 0, group: null, problems: [], moreProblems: 0 },
    broken: state.judged?.fault ?? null,
  };
  const findings = faults.map((fault): Finding<Fault> => ({ fault, at: header ?? pointAt(0, 1) }));
  if (header !== null && opened.reference === '') {
    const fault = { code: 'element_missing', name: 'interchange control reference' } as const;
    findings.push({ fault, at: header, element: 5 });
  }
  const before = state.pending;
  Object.assign(state, { stage: 'inside', una: null, judged: null, garbage: null, pending: [] });
  envelopes.openInterchange(opened, findings, before);
}

export function passGarbage(reading: SliceReading): boolean {
  const { state, at } = reading;
  const { text, atEnd } = reading.input;
  const { garbage } = state;
  if (garbage === null) return false;
  // The first of it was checked before: only what follows can be something else.
  const isFirst = reading.byteAt(at) === garbage.byteFrom;
  let next = text.indexOf('UN', isFirst ? at + 1 : at);
  while (next !== -1 && !beginsInterchange(headAt(text, next, true)) && !beginsMessage(reading, next)) {
    next = text.indexOf('UN', next + 1);
  }
  const isOver = next !== -1 || atEnd;
  // A tag may begin in this slice and end in the next.
  const to = next !== -1 ? next : atEnd ? text.length : Math.max(at, text.length - HEAD_UNITS + 1);
  reading.passTo(to);
  if (!isOver) return false;
  const { byteFrom, line, text: shown } = garbage;
  const byteTo = reading.byteAt(to);
  const fault = { code: 'text_outside_interchange', text: shown, bytes: byteTo - byteFrom } as const;
  reading.addPending(describeFault(fault, { ...pointAt(byteFrom, line + 1), byteTo }));
  state.garbage = null;
  state.stage = 'between';
  return true;
}

function finish(reading: SliceReading): boolean {
  const { state } = reading;
  const isEmpty = state.interchange === 0 && state.pending.length === 0;
  if (isEmpty) reading.fileProblem = describeFileFault({ code: 'interchange_header_missing', text: '' });
  return reading.finish(state.pending[0] ?? null);
}

/** From here on nothing can be read. */
function endWith(reading: SliceReading, fault: Fault, tag: ServiceTag, to: number): boolean {
  const { at, line } = reading;
  const byteTo = reading.byteAt(Math.min(to, reading.input.text.length));
  return reading.finish(describeFault(fault, { ...pointAt(reading.byteAt(at), line + 1), tag, byteTo }));
}
