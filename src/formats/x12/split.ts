/** Divides found segments into elements and components, and units into text. Pure. */
import { Buffer } from 'node:buffer';
import { badUtf8At, type TextCodec, textCodec } from '../encoding.ts';
import type { Segment, SegmentElement } from '../segments/segment.ts';
import type { X12Delimiters } from './delimiters.ts';
import { EXCERPT_BYTES } from './limits.ts';
import { NOTES, readAsNote } from './notes.ts';
import type { FoundSegment } from './scan.ts';

const NON_ASCII = /[\x80-\xff]/;
const BREAKS = /[\r\n]+/g;

/** How a stretch of units becomes text; `codec` null: it is ASCII. */
export interface Reading {
  codec: TextCodec | null;
  note: string | null;
}

const ASCII: Reading = { codec: null, note: null };

/** UTF-8 where every sequence is well-formed, else the fallback: a set has one encoding. */
export function readingOf(units: string, fallback: TextCodec): Reading {
  if (!NON_ASCII.test(units)) return ASCII;
  if (badUtf8At(units) === -1) return { codec: textCodec('utf-8'), note: NOTES.read_as_utf_8 };
  return { codec: fallback, note: readAsNote(fallback.encoding) };
}

export const textOf = (units: string, { codec }: Reading): string => (codec === null ? units : codec.toText(units));

/** Units as a problem shows them, in whatever encoding. */
export const shown = (units: string, fallback: TextCodec): string =>
  textOf(units.slice(0, EXCERPT_BYTES), readingOf(units.slice(0, EXCERPT_BYTES), fallback));

export const hexOf = (units: string): string => Buffer.from(units, 'latin1').toString('hex');

/** Whether a line break inside a segment is no part of its text: it is wrapped there. */
export const breaksAreNoText = ({ terminator }: X12Delimiters): boolean => terminator !== '\n' && terminator !== '\r';

export interface SplitSeen {
  breaks: boolean;
  repeated: boolean;
}

/** @param byteBase position of the slice in the file; @param seen is set where something was left out */
export function splitSegment(
  text: string,
  found: FoundSegment,
  number: number,
  {
    delimiters,
    reading,
    byteBase,
    seen,
  }: { delimiters: X12Delimiters; reading: Reading; byteBase: number; seen: SplitSeen },
): Segment {
  let raw = text.slice(found.from, found.to);
  if (breaksAreNoText(delimiters) && (raw.includes('\n') || raw.includes('\r'))) {
    raw = raw.replace(BREAKS, '');
    seen.breaks = true;
  }
  const { element, component, repetition } = delimiters;
  const parts = raw.split(element);
  const tag = parts.shift() ?? '';
  const elements: SegmentElement[] = parts;
  if (repetition !== null && raw.includes(repetition)) {
    seen.repeated = true;
    for (let at = 0; at < parts.length; at++) {
      const cut = parts[at]?.indexOf(repetition) ?? -1;
      if (cut !== -1) elements[at] = parts[at]?.slice(0, cut) ?? '';
    }
  }
  if (component !== null && raw.includes(component)) {
    for (let at = 0; at < elements.length; at++) {
      const part = elements[at];
      if (typeof part === 'string' && part.includes(component)) elements[at] = part.split(component);
    }
  }
  const { codec } = reading;
  if (codec !== null) {
    for (let at = 0; at < elements.length; at++) {
      const part = elements[at] ?? '';
      elements[at] = typeof part === 'string' ? codec.toText(part) : part.map((piece) => codec.toText(piece));
    }
  }
  return { tag, elements, number, line: found.line, byteFrom: byteBase + found.from, byteTo: byteBase + found.end };
}
