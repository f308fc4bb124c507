/** Finds where an interchange begins, and recognises a file that has none. Pure. */
import { Buffer } from 'node:buffer';
import type { TextCodec } from '../encoding.ts';
import { looksLike } from '../magic.ts';
import { pointAt } from '../segments/faults.ts';
import { countOf } from '../segments/list.ts';
import type { Place } from '../segments/scan.ts';
import type { EnvelopeProblem } from '../segments/segment.ts';
import type { StrayText } from './checkpoint.ts';
import { isAlphanumeric, isBlank } from './delimiters.ts';
import { EXCERPT_BYTES, ISA_WINDOW_BYTES, LOOKAHEAD_BYTES } from './limits.ts';
import { describeX12Problem } from './messages.ts';
import type { X12FileProblem } from './problems.ts';
import { opensIsa, shown } from './scan.ts';

const BOM = '\xef\xbb\xbf';
/** Ctrl-Z: systems that copy records end a file with it. */
const END_MARK = 0x1a;

interface Blanks {
  place: Place;
  /** In the order in which they are first met: the notes must not depend on where slices end. */
  met: ReadonlySet<'byte_order_mark' | 'blanks'>;
}

/**
 * Skips blanks, line breaks and byte-order marks. @param isInside of other text, which a mark then belongs to wherever
 * a slice ends.
 */
export function passBlanks(text: string, from: Place, lineBreak: '\n' | '\r', isInside: boolean): Blanks {
  const lineBreakCode = lineBreak.charCodeAt(0);
  let { at, line } = from;
  const met = new Set<'byte_order_mark' | 'blanks'>();
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === lineBreakCode) line++;
    if (isBlank(code) || code === END_MARK) met.add('blanks');
    else if (!isInside && text.startsWith(BOM, at)) {
      met.add('byte_order_mark');
      at += BOM.length - 1;
    } else break;
  }
  return { place: { at, line }, met };
}

/** Whether an interchange begins here, even one whose ISA chooses an impossible separator. */
export function beginsInterchange(text: string, at: number): boolean {
  if (!text.startsWith('ISA', at)) return false;
  return opensIsa(text, at) || (at + 6 < text.length && text.charCodeAt(at + 3) === text.charCodeAt(at + 6));
}

/** @returns offset of the next ISA after `from`, if other text comes before it; -1 when there is none in the text */
function nextInterchange(text: string, from: number): number {
  let at = text.indexOf('ISA', from);
  while (at !== -1 && !isLikelyIsa(text, at)) at = text.indexOf('ISA', at + 1);
  return at;
}

/** A separator after ISA and after ISA01, and no letter before. */
function isLikelyIsa(text: string, at: number): boolean {
  if (!opensIsa(text, at) || text.charCodeAt(at + 3) !== text.charCodeAt(at + 6)) return false;
  return at === 0 || !isAlphanumeric(text.charCodeAt(at - 1));
}

/** What the file is, when its first text is not an ISA; null when an ISA follows soon. */
export function fileProblem(text: string, locate: Place, byte: number): X12FileProblem | null {
  const window = text.slice(locate.at, locate.at + ISA_WINDOW_BYTES);
  const nul = window.indexOf('\0');
  if (nul !== -1 && nul < 4) return { code: 'encoding_disagrees', byte: byte + nul, hex: hex(window.slice(0, 4)) };
  const look = looksLike(Buffer.from(window, 'latin1'));
  if (look !== null && look !== 'x12') return { code: 'not_x12', looksLike: look };
  if (nextInterchange(window, 0) !== -1) return null;
  const [firstLine = ''] = window.slice(0, EXCERPT_BYTES).split(/[\r\n]/, 1);
  return { code: 'no_interchange', text: firstLine, byte, line: locate.line + 1 };
}

const hex = (units: string): string => Buffer.from(units, 'latin1').toString('hex');

/* Text outside any interchange, and skipping it up to the next ISA. */

export interface Outside {
  text: string;
  atEnd: boolean;
  byteBase: number;
  fallback: TextCodec;
  /** What ends lines, as far as is known. */
  lineBreak: string;
}

/**
 * @returns the next ISA after `from`, or as far as there is certainly none; `found`: it is an ISA, or the end of the
 * file
 */
export function passToIsa({ text, atEnd, lineBreak }: Outside, from: Place): { place: Place; found: boolean } {
  const isa = nextInterchange(text, from.at + 1);
  const isSure = isa !== -1 && (atEnd || isa + LOOKAHEAD_BYTES <= text.length);
  const to = isSure ? isa : atEnd ? text.length : Math.max(from.at, text.length - LOOKAHEAD_BYTES);
  const line = from.line + countOf(text, lineBreak, from.at, to);
  return { place: { at: to, line }, found: isSure || atEnd };
}

/** Text from `from` to `end`, without trailing blanks, that is reported; the first of it is stored to be shown. */
export function strayText(outside: Outside, known: StrayText | null, from: Place, end: number): StrayText {
  const { text, byteBase, fallback } = outside;
  let to = end;
  while (to > from.at && isBlank(text.charCodeAt(to - 1))) to--;
  const byteTo = byteBase + to;
  if (known !== null) return to === from.at ? known : { ...known, byteTo };
  const excerpt = text.slice(from.at, Math.min(to, from.at + EXCERPT_BYTES));
  return { byteFrom: byteBase + from.at, byteTo, line: from.line + 1, text: shown(excerpt, fallback) };
}

export function reportStray({ byteFrom, byteTo, line, text }: StrayText): EnvelopeProblem {
  const locate = { ...pointAt(byteFrom, line), byteTo };
  return describeX12Problem({ code: 'text_outside_interchange', text, bytes: byteTo - byteFrom }, locate);
}
