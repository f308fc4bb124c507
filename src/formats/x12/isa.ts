/**
 * Reads an ISA: its elements and the delimiters it chooses, by walking its 16 separators instead of trusting its width.
 *
 * Senders get its end wrong: ISA16 absent or doubled, the terminator lost or a line break. The segment after it then
 * shows what ends segments. Pure; looks only at the window it is given.
 */

import type { TextCodec } from '../encoding.ts';
import type { Finding } from '../segments/faults.ts';
import type { EnvelopePolicy } from '../segments/parts.ts';
import type { Segment } from '../segments/segment.ts';
import {
  characterAt,
  delimiterFault,
  isAlphanumeric,
  isBlank,
  repetitionOf,
  separatorFault,
  type X12Delimiters,
} from './delimiters.ts';
import { validateHeader } from './envelopes.ts';
import { ISA_BYTES_MAX } from './limits.ts';
import { type IsaFault, NOTES, type NoteCode, type X12Problem } from './problems.ts';
import { readingOf, shown, textOf } from './scan.ts';

/** X12 ISA01 to ISA15, in characters. */
export const ISA_WIDTHS: readonly number[] = [2, 10, 2, 10, 2, 15, 2, 15, 6, 4, 1, 5, 9, 1, 1];
const SEPARATORS = 16;

/**
 * @property elements units, without line breaks; `ends` of each and `to` are offsets in the window, `to` after the
 * terminator.
 * @property delimiters null: they cannot be determined, and `fault` says why.
 */
interface IsaRead {
  elements: readonly string[];
  to: number;
  notes: NoteCode[];
  delimiters: X12Delimiters | null;
  fault: IsaFault | null;
}

/** What can follow an ISA, and how many elements it has. */
const NEXT_SEGMENTS: readonly [string, number][] = [
  ['GS', 8],
  ['TA1', 5],
  ['IEA', 2],
];
const ANY_TAG = /[A-Z][A-Z0-9]{1,2}$/;
const NEXT_TAG_IN_ISA = /[^A-Za-z0-9]\s*(?:GS|TA1|IEA)$/;
const BREAKS = /[\r\n]+/g;
const HAS_BREAK = /[\r\n]/;
const FIRST_BREAK = /\r\n|\n|\r/;
/** More characters than these between ISA16 and the next tag are not delimiters. */
const END_CHARACTERS_MAX = 8;

/** @param window bytes from `ISA` on: `ISA_WINDOW_BYTES` of them, or all up to the end of the file. */
function readIsa(window: string): IsaRead {
  const separator = characterAt(window, 3);
  const impossible = separatorFault(separator);
  if (impossible !== null) return { elements: [], to: 3, notes: [], delimiters: null, fault: impossible };
  const starts = walk(window, separator);
  const raw = starts.slice(1).map((start, index) => window.slice(starts[index], start - separator.length));
  const elements = raw.map((element) => element.replace(BREAKS, ''));
  const notes: NoteCode[] = raw.some((element) => HAS_BREAK.test(element)) ? ['break_in_isa'] : [];
  const refuse = (fault: IsaFault): IsaRead => ({ elements, to: 3, notes, delimiters: null, fault });
  const tailFrom = starts[SEPARATORS - 1];
  const short = raw.findIndex((element) => NEXT_TAG_IN_ISA.test(element));
  if (tailFrom === undefined) return refuse({ code: 'isa_incomplete', found: short === -1 ? raw.length : short + 1 });
  const tail = readTail(window, tailFrom, separator);
  if (tail === null || (short !== -1 && !tail.known)) {
    if (short !== -1) return refuse({ code: 'isa_incomplete', found: short + 1 });
    const [found = ''] = window.slice(tailFrom, tailFrom + END_CHARACTERS_MAX).split(FIRST_BREAK, 1);
    return refuse({ code: 'isa_end_unclear', found });
  }
  const { component, terminator } = tail;
  const delimiters: X12Delimiters = {
    element: separator,
    component,
    repetition: repetitionOf(elements[10] ?? '', elements[11] ?? ''),
    terminator,
    lineBreak: FIRST_BREAK.exec(window)?.[0] === '\r' ? '\r' : '\n',
  };
  const fault = delimiterFault(delimiters);
  if (fault !== null) return refuse(fault);
  notes.push(...tail.notes);
  return { elements: [...elements, component ?? ''], to: tail.to, notes, delimiters, fault: null };
}

/** @returns where ISA01 begins and the elements after it, 16 of them in a whole ISA */
function walk(window: string, separator: string): number[] {
  const starts: number[] = [];
  let at = 3;
  while (starts.length < SEPARATORS) {
    const found = window.indexOf(separator, at);
    if (found === -1 || found >= ISA_BYTES_MAX) break;
    at = found + separator.length;
    starts.push(at);
  }
  return starts;
}

interface Tail {
  component: string | null;
  terminator: string;
  to: number;
  notes: NoteCode[];
  /** A segment that can follow an ISA is next. */
  known: boolean;
}

/** The text between the last separator of ISA and the tag after it; null when it does not determine the delimiters. */
function readTail(window: string, from: number, separator: string): Tail | null {
  const next = window.indexOf(separator, from);
  const chunk = window.slice(from, next === -1 ? window.length : next);
  const known = next === -1 ? undefined : NEXT_SEGMENTS.find(([tag]) => chunk.endsWith(tag));
  const tagUnits = known?.[0].length ?? (next === -1 ? 0 : (ANY_TAG.exec(chunk)?.[0].length ?? 0));
  const body = chunk.slice(0, chunk.length - tagUnits);
  const characters = charactersOf(body);
  const [first, second, third] = characters;
  const bodyBreak = lineBreakIn(body);
  const tail = (component: string | null, terminator: string, to: number, notes: NoteCode[]): Tail => {
    return { component, terminator, to: from + to, notes, known: known !== undefined };
  };
  const behind = (character: Character): number => character.at + character.units.length;
  const shown = known === undefined ? null : endOfSegment(window, from + body.length, known[1], separator);
  const isBreakShown = shown === '\n' || shown === '\r';
  if (first !== undefined && second !== undefined) {
    // The same character twice cannot be two delimiters: lines end the segments after it, and so they end ISA.
    if (third === undefined && first.units === second.units && isBreakShown && bodyBreak !== null)
      return tail(first.units, shown, bodyBreak.to, ['isa16_doubled']);
    // A file may contain nothing but an ISA: more characters than two are then not a second segment.
    if (third === undefined)
      return tagUnits === 0 && next !== -1 ? null : tail(first.units, second.units, behind(second), []);
    // What follows is not a segment; it is reported when it is read as one.
    const isText = known === undefined && isAlphanumeric(third.units.charCodeAt(0));
    if (isText && first.units !== second.units) return tail(first.units, second.units, behind(second), []);
    if (characters.length === 3 && first.units === second.units) {
      return tail(first.units, third.units, behind(third), ['isa16_doubled']);
    }
    return null;
  }
  if (first === undefined) {
    if (shown !== null) return tail(null, shown, body.length, ['isa16_absent']);
    return bodyBreak === null ? null : tail(null, bodyBreak.terminator, bodyBreak.to, ['isa16_absent']);
  }
  if (shown === first.units || (shown === null && next === -1 && bodyBreak === null)) {
    return tail(null, first.units, behind(first), ['isa16_absent']);
  }
  if (isBreakShown && linesEndIn(window.slice(from + body.length), first.units)) {
    return tail(null, first.units, behind(first), ['isa16_absent']);
  }
  if (isBreakShown) return tail(first.units, shown, bodyBreak?.to ?? body.length, []);
  if (shown !== null) return tail(first.units, shown, body.length, ['isa_terminator_lost']);
  return bodyBreak === null ? null : tail(first.units, bodyBreak.terminator, bodyBreak.to, []);
}

interface Character {
  units: string;
  at: number;
}

function charactersOf(body: string): Character[] {
  const characters: Character[] = [];
  for (let at = 0; at < body.length && characters.length <= END_CHARACTERS_MAX; ) {
    const units = characterAt(body, at);
    if (!isBlank(body.charCodeAt(at))) characters.push({ units, at });
    at += units.length;
  }
  return characters;
}

function lineBreakIn(body: string): { terminator: '\n' | '\r'; to: number } | null {
  const found = FIRST_BREAK.exec(body);
  if (found === null) return null;
  return { terminator: found[0] === '\r' ? '\r' : '\n', to: found.index + found[0].length };
}

/**
 * Whether most of the lines end so: what ends lines then ends segments, even if one of them has lost its terminator.
 */
function linesEndIn(text: string, units: string): boolean {
  const lines = text.split(FIRST_BREAK).slice(0, -1);
  return lines.filter((line) => line.trimEnd().endsWith(units)).length * 2 >= lines.length;
}

/** Text of the last element of GS, TA1 and IEA: a version, a code, a number. */
const LAST_ELEMENT = /^[A-Za-z0-9]*[ \t]*/;

/** The character that ends the segment at `from`; null when it has more elements than it may have or its end is not in sight. */
function endOfSegment(window: string, from: number, elements: number, separator: string): string | null {
  let at = from;
  for (let element = 0; element < elements; element++) {
    const found = window.indexOf(separator, at);
    if (found === -1) return null;
    at = found + separator.length;
  }
  const next = window.indexOf(separator, at);
  const rest = window.slice(at, next === -1 ? window.length : next).replace(LAST_ELEMENT, '');
  if (rest === '') return null;
  const character = characterAt(rest, 0);
  if (character !== '\r') return character;
  return rest.startsWith('\r\n') ? '\n' : '\r';
}

/* An ISA as a segment: its texts, its faults and its notes. */

interface IsaSegment {
  header: Segment;
  delimiters: X12Delimiters | null;
  findings: Finding<X12Problem>[];
  notes: string[];
  /** Offset in the window after its terminator. */
  to: number;
}

interface IsaLocation {
  byte: number;
  line: number;
  fallback: TextCodec;
  width: EnvelopePolicy['width'];
}

/** @param window as for `readIsa` */
export function readIsaSegment(window: string, { byte, line, fallback, width }: IsaLocation): IsaSegment {
  const { elements, to, delimiters, fault, notes } = readIsa(window);
  const reading = readingOf(elements.join(''), fallback);
  const texts = elements.map((element) => textOf(element, reading));
  const header = { tag: 'ISA', elements: texts, number: 0, line, byteFrom: byte, byteTo: byte + to };
  const told = notes.map((note) => NOTES[note]);
  if (reading.note !== null) told.push(reading.note);
  const isa = { header, delimiters, notes: told, to };
  if (fault !== null) return { ...isa, findings: [{ fault: readable(fault, fallback), at: header }] };
  const findings = validateHeader('interchange', header);
  const off = ISA_WIDTHS.findIndex((wanted, index) => characters(texts[index]) !== wanted);
  if (off === -1) return { ...isa, findings };
  told.push(NOTES.isa_width);
  if (width === 'tolerant') return { ...isa, findings };
  const [text = '', wanted = 0] = [texts[off], ISA_WIDTHS[off]];
  const wrong = { code: 'isa_width', element: off + 1, wanted, found: characters(text), text } as const;
  return { ...isa, findings: [...findings, { fault: wrong, at: header }] };
}

const characters = (text = ''): number => [...text].length;

/** Delimiters of a fault as shown to a person. */
function readable(fault: IsaFault, fallback: TextCodec): IsaFault {
  return fault.code === 'isa_incomplete' ? fault : { ...fault, found: shown(fault.found, fallback) };
}
