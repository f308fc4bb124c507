/** A slice of a file as units, and the way back from an offset to a byte position and to readable text. Pure. */
import type { TextCodec } from '../encoding.ts';
import { findLineEnd } from './line-end.ts';

/** Characters of a faulty cell that are shown with a problem. */
const EXCERPT_UNITS = 80;
/** What is left of a character of several units when the excerpt ends inside it. */
const CUT_CHARACTER = /\ufffd$/;

export class Slice {
  readonly text: string;
  readonly hasNul: boolean;
  private readonly codec: TextCodec;
  private readonly byteFrom: number;
  private readonly byteTo: number;

  /** @param byteFrom position in the file of the first of the bytes; `atEnd`: they reach the end of the file */
  constructor(codec: TextCodec, byteFrom: number, bytes: Uint8Array, atEnd: boolean) {
    this.codec = codec;
    this.byteFrom = byteFrom;
    this.byteTo = byteFrom + bytes.byteLength;
    this.text = codec.toUnits(bytes, atEnd);
    this.hasNul = this.text.includes('\0');
  }

  /** Position in the file of a unit; the end of the file when UTF-16 ends in half a unit. */
  byteAt(offset: number): number {
    return Math.min(this.byteFrom + offset * this.codec.unitBytes, this.byteTo);
  }

  /** What stands at an offset, up to the end of its line. */
  excerpt(offset: number): string {
    const to = findLineEnd(this.text, offset, Math.min(offset + EXCERPT_UNITS, this.text.length));
    return this.codec.toText(this.text.slice(offset, to)).replace(CUT_CHARACTER, '');
  }
}
