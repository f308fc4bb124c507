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

/** What dividing segments of one stretch needs. `byteBase`: position of the slice; `seen` is set where something was left out. */
export interface Split {
  delimiters: X12Delimiters;
  reading: Reading;
  byteBase: number;
  seen: SplitSeen;
  /** Null where the stretch holds none of them. */
  component: string | null;
  repetition: string | null;
}

export function splitOf(units: string, delimiters: X12Delimiters, reading: Reading, byteBase: number): Split {
  const { component, repetition } = delimiters;
  return {
    delimiters,
    reading,
    byteBase,
    seen: { breaks: false, repeated: false },
    component: component !== null && units.includes(component) ? component : null,
    repetition: repetition !== null && units.includes(repetition) ? repetition : null,
  };
}

export function splitSegment(text: string, found: FoundSegment, number: number, split: Split): Segment {
  const { delimiters, component, repetition, byteBase } = split;
  let { tag } = found;
  const from = found.from + tag.length + delimiters.element.length;
  const hasElements = found.from + tag.length < found.to;
  let parts: string[] = [];
  if (found.broken && breaksAreNoText(delimiters)) {
    tag = tag.replace(BREAKS, '');
    split.seen.breaks = true;
    if (hasElements) parts = text.slice(from, found.to).replace(BREAKS, '').split(delimiters.element);
  } else if (hasElements) parts = divided(text, from, found.to, delimiters.element);
  if (repetition !== null) {
    parts.forEach((part, at) => {
      const cut = part.indexOf(repetition);
      if (cut === -1) return;
      split.seen.repeated = true;
      parts[at] = part.slice(0, cut);
    });
  }
  const { codec } = split.reading;
  const elements =
    component !== null || codec !== null ? parts.map((part) => elementOf(part, component, codec)) : parts;
  return { tag, elements, number, line: found.line, byteFrom: byteBase + found.from, byteTo: byteBase + found.end };
}

/** What `split` gives of that part of the text, at a third of the cost: segments are short, and they are many. */
function divided(text: string, from: number, to: number, separator: string): string[] {
  if (separator.length !== 1) return text.slice(from, to).split(separator);
  const code = separator.charCodeAt(0);
  const parts: string[] = [];
  let begin = from;
  for (let at = from; at < to; at++) {
    if (text.charCodeAt(at) !== code) continue;
    parts.push(begin === at ? '' : text.slice(begin, at));
    begin = at + 1;
  }
  parts.push(begin >= to ? '' : text.slice(begin, to));
  return parts;
}

function elementOf(part: string, component: string | null, codec: TextCodec | null): SegmentElement {
  const toText = (units: string): string => (codec === null ? units : codec.toText(units));
  return component !== null && part.includes(component) ? part.split(component).map(toText) : toText(part);
}
