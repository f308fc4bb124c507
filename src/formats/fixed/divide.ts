/** Where lines of a fixed-width file end: at line ends, or after so many characters. Pure; no answer depends on the slice. */

import { afterLineEnd, findLineEnd, isLineEnd } from '../csv/line-end.ts';
import type { TextCodec } from '../encoding.ts';
import type { FixedSource } from './declaration.ts';

/** Offsets in units. `to`: where the line ends without its line end; `next`: where the next one begins. */
export type Division =
  | { kind: 'line'; from: number; to: number; next: number }
  | { kind: 'more' }
  | { kind: 'overlong' };

/** Most units of one character: UTF-8 has four bytes (RFC 3629, 3). */
const CHARACTER_UNITS_MAX = 4;

export interface Dividing {
  text: string;
  atEnd: boolean;
  codec: TextCodec;
  lineUnitsMax: number;
}

/** @param at where a line begins; there is text behind it. */
export function divideLine(source: FixedSource, dividing: Dividing, at: number): Division {
  return source.lineEnds === 'none' && source.lineLength !== undefined
    ? lineOfLength(source.lineLength, dividing, at)
    : lineWithEnd(dividing, at);
}

function lineWithEnd({ text, atEnd, lineUnitsMax }: Dividing, from: number): Division {
  const limit = Math.min(text.length, from + lineUnitsMax + 1);
  const to = findLineEnd(text, from, limit);
  if (to > from + lineUnitsMax) return { kind: 'overlong' };
  if (to === text.length && !atEnd) return { kind: 'more' };
  const next = afterLineEnd(text, to, atEnd);
  return next === null ? { kind: 'more' } : { kind: 'line', from, to, next };
}

/** Line ends between lines, as some programs add one at the end of the file, are passed over. */
function lineOfLength(characters: number, { text, atEnd, codec }: Dividing, at: number): Division {
  let from = at;
  while (from < text.length && isLineEnd(text, from)) from++;
  if (from === text.length) return atEnd || from > at ? { kind: 'line', from, to: from, next: from } : { kind: 'more' };
  const limit = from + characters * CHARACTER_UNITS_MAX;
  let to = from;
  let begun = 0;
  for (; to < text.length && to < limit; to++) {
    if (goesOn(text.charCodeAt(to), codec)) continue;
    if (begun === characters) break;
    begun++;
  }
  const isWhole = to === limit || to < text.length || (begun === characters && !mayGoOn(codec));
  return isWhole || atEnd ? { kind: 'line', from, to, next: to } : { kind: 'more' };
}

const isUtf16 = ({ unitBytes }: TextCodec): boolean => unitBytes === 2;
const mayGoOn = (codec: TextCodec): boolean => codec.encoding === 'utf-8' || isUtf16(codec);

/** The unit belongs to a character that began before it: the second half of a pair, a continuation byte of UTF-8. */
function goesOn(unit: number, codec: TextCodec): boolean {
  if (isUtf16(codec)) return unit >= 0xdc00 && unit <= 0xdfff;
  return codec.encoding === 'utf-8' && unit >= 0x80 && unit <= 0xbf;
}
