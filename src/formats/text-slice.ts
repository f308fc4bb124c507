/** A slice of a text as units: its physical lines, and where an offset is in the file. Pure. */
import type { TextCodec } from './encoding.ts';

/** LF, CRLF and CR each end a line. */
export const LF = 0x0a;
export const CR = 0x0d;

export function isLineEnd(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === LF || unit === CR;
}

/** Offset of the next line end, or `limit` when there is none before it. */
export function findLineEnd(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && !isLineEnd(text, at)) at++;
  return at;
}

/**
 * Offset after the line end at `at`, or `at` itself at the end of the text.
 *
 * @param atEnd the text reaches the end of the file
 * @returns null when a CR ends the text and its LF may follow in the next slice
 */
export function afterLineEnd(text: string, at: number, atEnd: boolean): number | null {
  if (at >= text.length) return at;
  if (text.charCodeAt(at) === LF) return at + 1;
  if (at + 1 === text.length && !atEnd) return null;
  return text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
}

/** Characters at a fault that are shown with a problem. */
const EXCERPT_UNITS = 80;
/** What is left of a character of several units when the excerpt ends inside it. */
const CUT_CHARACTER = /\ufffd$/;
/** Units shown as evidence of a wrong encoding. */
const HEX_UNITS = 3;

export class TextSlice {
  readonly text: string;
  readonly codec: TextCodec;
  readonly atEnd: boolean;
  private readonly byteFrom: number;
  private readonly byteTo: number;
  private nul: boolean | undefined;

  /** @param byteFrom position in the file of the first of the bytes; `atEnd`: they reach the end of the file */
  constructor(codec: TextCodec, byteFrom: number, bytes: Uint8Array, atEnd: boolean) {
    this.codec = codec;
    this.atEnd = atEnd;
    this.byteFrom = byteFrom;
    this.byteTo = byteFrom + bytes.byteLength;
    this.text = codec.toUnits(bytes, atEnd);
  }

  get hasNul(): boolean {
    this.nul ??= this.text.includes('\0');
    return this.nul;
  }

  /** Position in the file of a unit; the end of the file when UTF-16 ends in half a unit. */
  byteAt(offset: number): number {
    return Math.min(this.byteFrom + offset * this.codec.unitBytes, this.byteTo);
  }

  /** The text at an offset, up to the end of its line. */
  excerpt(offset: number): string {
    const to = findLineEnd(this.text, offset, Math.min(offset + EXCERPT_UNITS, this.text.length));
    return this.codec.toText(this.text.slice(offset, to)).replace(CUT_CHARACTER, '');
  }

  /** Offset after the line end at `at`; null when it is not known, because the slice ends there. */
  nextLine(at: number): number | null {
    if (at === this.text.length && !this.atEnd) return null;
    return afterLineEnd(this.text, at, this.atEnd);
  }
}

/** The offending bytes: the first and the non-ASCII ones after it, at most three units. */
export function hexOf(units: string, at: number, { unitBytes }: Pick<TextCodec, 'unitBytes'>): string {
  const most = Math.min(at + HEX_UNITS, units.length);
  let to = at + 1;
  while (to < most && units.charCodeAt(to) >= 0x80) to++;
  return hexText(
    Array.from({ length: to - at }, (_, index) => units.charCodeAt(at + index)),
    unitBytes,
  );
}

/** @param width bytes of each number. */
export const hexText = (values: ArrayLike<number>, width = 1): string =>
  Array.from(values, (value) => value.toString(16).padStart(2 * width, '0')).join(' ');
