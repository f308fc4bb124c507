/** A slice of a file as text for the parser, and the way back from an offset in it to a byte and a line. Pure. */
import { hexOf } from '../csv/shape.ts';
import type { Encoding, TextCodec } from '../encoding.ts';

/** Bytes by which a character of several can be cut at the end of a slice. */
const CUT_UNITS_MAX = 3;
const LF = 0x0a;
const NON_ASCII = /[\u0080-\uffff]/;

/** @property offset in the text of the slice; lines: line feeds of the file before it. */
export interface SlicePlace {
  offset: number;
  byte: number;
  lines: number;
}

export class DecodedSlice {
  readonly text: string;
  /** Where the first sequence stands that is no text in this encoding, directly behind `text`; null: there is none. */
  readonly bad: { encoding: Encoding; hex: string } | null;
  private readonly codec: TextCodec;
  private readonly isOneToOne: boolean;

  constructor(codec: TextCodec, bytes: Uint8Array, atEnd: boolean) {
    const units = codec.toUnits(bytes, atEnd);
    const badAt = NON_ASCII.test(units) ? codec.badAt(units) : -1;
    // A longer slice will tell whether the last character is bad or only cut.
    const isCut = badAt !== -1 && !atEnd && badAt >= units.length - CUT_UNITS_MAX;
    this.codec = codec;
    this.text = codec.toText(badAt === -1 ? units : units.slice(0, badAt));
    this.bad = badAt === -1 || isCut ? null : { encoding: codec.encoding, hex: hexOf(units, badAt, codec) };
    this.isOneToOne = codec.encoding !== 'utf-8' || this.text.length === (badAt === -1 ? units.length : badAt);
  }

  /** @param known a place at or before the offset. */
  placeFrom(known: SlicePlace, offset: number): SlicePlace {
    const { text, codec, isOneToOne } = this;
    let { byte, lines } = known;
    for (let at = known.offset; at < offset; at++) {
      const unit = text.charCodeAt(at);
      if (unit === LF) lines++;
      byte += isOneToOne ? codec.unitBytes : utf8Bytes(unit);
    }
    return { offset, byte, lines };
  }
}

/** Bytes of a UTF-16 unit's share: the two halves of a pair have two of its four each (RFC 3629, 3). */
function utf8Bytes(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
}
