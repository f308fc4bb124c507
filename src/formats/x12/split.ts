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

/** How ASCII is read. */
export const ASCII: Reading = { codec: null, note: null };

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

/** What dividing segments of one stretch needs; `seen` is set where something was left out. */
export interface Split {
  text: string;
  delimiters: X12Delimiters;
  reading: Reading;
  byteBase: number;
  seen: SplitSeen;
  /** Null where the stretch holds none of them. */
  component: string | null;
  repetition: string | null;
}

/** @param units the stretch of the text that holds the segments */
export function splitOf(
  text: string,
  units: string,
  delimiters: X12Delimiters,
  reading: Reading,
  byteBase: number,
): Split {
  const component = within(units, delimiters.component);
  const repetition = within(units, delimiters.repetition);
  return { text, delimiters, reading, byteBase, seen: { breaks: false, repeated: false }, component, repetition };
}

const within = (units: string, separator: string | null): string | null =>
  separator !== null && units.includes(separator) ? separator : null;

/** Whether segments can stay as they were found, to be divided when they are asked: nothing is to be decoded or left out. */
export const isDividedLater = ({ delimiters, reading, component, repetition }: Split, isWrapped: boolean): boolean =>
  reading.codec === null &&
  repetition === null &&
  delimiters.element.length === 1 &&
  (component === null || component.length === 1) &&
  !(isWrapped && breaksAreNoText(delimiters));

/** Divided at once: a segment of an envelope is kept in checkpoints. */
export function divideSegment(found: FoundSegment, number: number, split: Split): Segment {
  const { text, delimiters, component, repetition, byteBase } = split;
  let { tag } = found;
  const from = found.from + tag.length + delimiters.element.length;
  let parts: string[] = [];
  if (found.broken && breaksAreNoText(delimiters)) {
    tag = tag.replace(BREAKS, '');
    split.seen.breaks = true;
    if (from <= found.to) parts = text.slice(from, found.to).replace(BREAKS, '').split(delimiters.element);
  } else if (from <= found.to) parts = text.slice(from, found.to).split(delimiters.element);
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

function elementOf(part: string, component: string | null, codec: TextCodec | null): SegmentElement {
  const toText = (units: string): string => (codec === null ? units : codec.toText(units));
  return component !== null && part.includes(component) ? part.split(component).map(toText) : toText(part);
}
