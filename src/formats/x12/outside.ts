/** What stands outside of any interchange, and passing over it up to the next ISA. Pure. */
import type { TextCodec } from '../encoding.ts';
import type { EnvelopeProblem } from '../segments/segment.ts';
import type { StrayText } from './checkpoint.ts';
import { isBlank } from './delimiters.ts';
import { EXCERPT_BYTES, LOOKAHEAD_BYTES } from './limits.ts';
import { nextInterchange } from './opening.ts';
import type { Place } from './scan.ts';
import { shown } from './split.ts';
import { placeholder } from './tell.ts';
import { describeX12Problem } from './words.ts';

export interface Outside {
  text: string;
  atEnd: boolean;
  byteBase: number;
  fallback: TextCodec;
  /** What ends lines, as far as is known. */
  lineBreak: string;
}

/** @returns the next ISA behind `from`, or as far as there is none for sure; `found`: it is an ISA, or the end of the file */
export function passToIsa({ text, atEnd, lineBreak }: Outside, from: Place): { place: Place; found: boolean } {
  const isa = nextInterchange(text, from.at + 1);
  const isSure = isa !== -1 && (atEnd || isa + LOOKAHEAD_BYTES <= text.length);
  const to = isSure ? isa : atEnd ? text.length : Math.max(from.at, text.length - LOOKAHEAD_BYTES);
  const line = from.line + lineBreaksIn(text.slice(from.at, to), lineBreak);
  return { place: { at: to, line }, found: isSure || atEnd };
}

/** Text from `from` to `end`, without blanks at its end, that is reported; the first of it is kept to be shown. */
export function strayText(outside: Outside, known: StrayText | null, from: Place, end: number): StrayText {
  const { text, byteBase, fallback } = outside;
  let to = end;
  while (to > from.at && isBlank(text.charCodeAt(to - 1))) to--;
  const byteTo = byteBase + to;
  if (known !== null) return to === from.at ? known : { ...known, byteTo };
  const excerpt = text.slice(from.at, Math.min(to, from.at + EXCERPT_BYTES));
  return { byteFrom: byteBase + from.at, byteTo, line: from.line + 1, text: shown(excerpt, fallback) };
}

export function tellStray({ byteFrom, byteTo, line, text }: StrayText): EnvelopeProblem {
  const place = { ...placeholder(byteFrom, line), byteTo };
  return describeX12Problem({ code: 'text_outside_interchange', text, bytes: byteTo - byteFrom }, place);
}

export function lineBreaksIn(text: string, lineBreak: string): number {
  let lines = 0;
  for (let at = text.indexOf(lineBreak); at !== -1; at = text.indexOf(lineBreak, at + 1)) lines++;
  return lines;
}
