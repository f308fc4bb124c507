/**
 * Checks the start of a document before any parser sees it: byte-order mark, XML declaration, encoding, and whether
 * there is a DOCTYPE before the root. Pure.
 */
import { Buffer } from 'node:buffer';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type Encoding, multibyteUtf8At, textCodec } from '../encoding.ts';
import { looksLike } from '../magic.ts';
import { byteOrderMark, wideEncoding } from '../sniff.ts';
import { hexOf } from '../text-slice.ts';
import type { XmlSource } from './declaration.ts';
import type { XmlFileProblem } from './problems.ts';

interface XmlStart {
  encoding: Encoding;
  /** If it differs from the mapping's. */
  encodingByMark: Encoding | null;
  encodingByDeclaration: Encoding | null;
  markBytes: number;
}

/** Names in XML declarations (IANA character sets), in lower case. */
const ENCODING_NAMES = new Map<string, Encoding>([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['ascii', 'utf-8'],
  ['iso-8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
  ['iso-8859-15', 'iso-8859-15'],
  ['windows-1250', 'windows-1250'],
  ['windows-1251', 'windows-1251'],
  ['windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
]);
/** Such a name with bytes of another width is a leftover of the program that wrote the text. */
const WIDE_NAMES = new Set(['utf-16', 'utf-16le', 'utf-16be', 'ucs-2']);
const DECLARED = /^<\?xml\s[^?>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]{0,39})["']/;
const LOOKS_FINE = new Set([null, 'xml', 'html']);

/**
 * @param start the first bytes of the file, as many as are checked. @param bytes of the whole file if that is all of
 * it.
 */
export function sniffXml(start: Uint8Array, source: XmlSource): Result<XmlStart, XmlFileProblem> {
  const look = looksLike(start);
  if (!LOOKS_FINE.has(look)) return err({ code: 'not_xml', looksLike: look, text: '' });
  const mark = byteOrderMark(start);
  const encoding = mark?.encoding ?? wideEncoding(start);
  if (encoding !== null) {
    const markBytes = mark?.bytes ?? 0;
    const marked = begun(start, encoding, markBytes);
    if (!marked.ok) return marked;
    const other = encoding === source.encoding ? null : encoding;
    const [encodingByMark, encodingByDeclaration] = mark === null ? [null, other] : [other, null];
    return ok({ encoding, encodingByMark, encodingByDeclaration, markBytes });
  }
  const narrow = begun(start, 'iso-8859-1', 0);
  if (!narrow.ok) return narrow;
  const units = Buffer.from(start).toString('latin1');
  const declared = DECLARED.exec(units)?.[1]?.toLowerCase();
  const isSilent = declared === undefined || WIDE_NAMES.has(declared);
  const named = isSilent ? plain(source.encoding).encoding : ENCODING_NAMES.get(declared);
  if (named === undefined) return err({ code: 'encoding_unsupported', declared: declared ?? '' });
  const utf8At = named === 'utf-8' ? -1 : multibyteUtf8At(units, textCodec(named), true);
  if (utf8At !== -1) {
    return err({
      code: 'encoding_disagrees',
      encoding: named,
      line: null,
      hex: hexOf(units, utf8At, textCodec(named)),
    });
  }
  return ok({ ...plain(named), encodingByDeclaration: isSilent || named === source.encoding ? null : named });
}

/** A mapping that declares UTF-16 is wrong about a file whose first character has one byte. */
const plain = (encoding: Encoding): XmlStart => ({
  encoding: encoding === 'utf-16le' || encoding === 'utf-16be' ? 'utf-8' : encoding,
  encodingByMark: null,
  encodingByDeclaration: null,
  markBytes: 0,
});

function begun(start: Uint8Array, encoding: Encoding, markBytes: number): Result<null, XmlFileProblem> {
  const codec = textCodec(encoding);
  const text = codec.toText(codec.toUnits(start.subarray(markBytes), false)).trimStart();
  if (text === '') return err({ code: 'empty_file', bytes: start.length });
  return text.startsWith('<') ? ok(null) : err({ code: 'not_xml', looksLike: null, text: text.slice(0, 40) });
}

/** What is found outside the root element, besides blanks, comments and processing instructions. */
type Outside = { kind: 'doctype' | 'text' | 'element'; at: number } | { kind: 'nothing' } | { kind: 'more' };

/**
 * Skips what may come before or after the root element, without a parser. `more`: the text ends before it can be told.
 */
export function findOutside(text: string, from: number): Outside {
  let at = from;
  for (;;) {
    while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
    if (at === text.length) return { kind: 'nothing' };
    const end = PASSED.find(([begins]) => text.startsWith(begins, at))?.[1];
    if (end !== undefined) {
      const found = text.indexOf(end, at);
      if (found === -1) return { kind: 'more' };
      at = found + end.length;
      continue;
    }
    if (text[at] !== '<') return { kind: 'text', at };
    if (text.length - at < DOCTYPE.length && couldBecome(text.slice(at))) return { kind: 'more' };
    return { kind: text.slice(at, at + DOCTYPE.length).toUpperCase() === DOCTYPE ? 'doctype' : 'element', at };
  }
}

export const TEXT_OUTSIDE = 'text outside of the root element';
export const DOCTYPE = '<!DOCTYPE';
const PASSED = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const;

const couldBecome = (rest: string): boolean =>
  ['<?', '<!--', DOCTYPE].some((mark) => mark.startsWith(rest.toUpperCase()));

/**
 * Finds the first & that does not begin a reference, outside comments, CDATA and processing instructions: a parser
 * would look for its semicolon to the end of the file.
 *
 * @param isWhole nothing that could belong to it comes after the text: the file ends there, or a byte that is no text.
 * @returns null if there is none; `isCertain` false if the text ends before it can be told.
 */
export function strayAmpersand(
  text: string,
  isWhole: boolean,
  referenceMax: number,
): { at: number; isCertain: boolean } | null {
  let at = 0;
  let special = -2;
  for (;;) {
    const ampersand = text.indexOf('&', at);
    if (ampersand === -1) return null;
    if (special !== -1 && special < at) special = nextSpecial(text, at);
    if (special !== -1 && special < ampersand) {
      const end = SPECIAL.find(([begins]) => text.startsWith(begins, special))?.[1] ?? '>';
      const found = text.indexOf(end, special + 2);
      if (found === -1) return null;
      at = found + end.length;
      continue;
    }
    REFERENCE.lastIndex = ampersand;
    if (!REFERENCE.test(text)) {
      return { at: ampersand, isCertain: isWhole || text.length - ampersand >= referenceMax };
    }
    at = REFERENCE.lastIndex;
  }
}

const SPECIAL = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;
const MARKUP = /<[!?]/g;
/** Names of entities are checked by the parser, which knows five. */
const REFERENCE = /&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z_][\w.-]{0,31});/y;

function nextSpecial(text: string, from: number): number {
  MARKUP.lastIndex = from;
  return MARKUP.exec(text)?.index ?? -1;
}
