/**
 * Checks the first bytes of a text against the declaration: byte-order mark, encoding, and whether it is text at all.
 * Pure.
 */
import { Buffer } from 'node:buffer';
import { err, ok, type Result } from '../kernel/result.ts';
import { badUtf8At, type Encoding, multibyteUtf8At, textCodec } from './encoding.ts';
import { type FileLook, looksLike } from './magic.ts';
import type { EncodingDisagrees, EncodingEvidence } from './problems.ts';
import { hexText } from './text-slice.ts';

type WideEncoding = 'utf-16le' | 'utf-16be';

interface ByteOrderMark {
  encoding: 'utf-8' | WideEncoding;
  bytes: number;
}

const BYTE_ORDER_MARKS = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** The one thing in a file that says what it is: it wins over any declaration. */
export function byteOrderMark(start: Uint8Array): ByteOrderMark | null {
  const mark = BYTE_ORDER_MARKS.find(([, bytes]) => bytes.every((byte, at) => start[at] === byte));
  return mark === undefined ? null : { encoding: mark[0], bytes: mark[1].length };
}

/** Of a format that begins with an ASCII character: in UTF-16 one of its two bytes is NUL (RFC 4627, 3; XML 1.0, F.1). */
export function wideEncoding([first, second]: Uint8Array): WideEncoding | null {
  if (first === undefined || second === undefined) return null;
  if (first !== 0 && second === 0) return 'utf-16le';
  return first === 0 && second !== 0 ? 'utf-16be' : null;
}

/** Share of NUL bytes from which a file counts as binary; a single one damages only its record. Our choice. */
const BINARY_NUL_SHARE = 0.01;
/** Share of control characters from which a file counts as binary; random bytes have a tenth of them. Our choice. */
const BINARY_CONTROL_SHARE = 0.02;
/** A few of them are a damaged cell, not a binary file. Our choice. */
const BINARY_CONTROLS_MIN = 8;
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a]);
/** In UTF-16 every Latin letter, digit and delimiter has a NUL byte on one side. Our choice. */
const UTF_16_NUL_SHARE = 0.3;
/** Bytes quoted as evidence: one UTF-16 unit. */
const SHOWN_BYTES = 2;
/** On the other side NUL bytes are rare. Our choice. */
const UTF_16_STRAY_SHARE = 0.05;

/** `encodingByMark`: the one that the byte-order mark names, where that is not the declared one. */
interface TextStart {
  markBytes: number;
  encodingByMark: Encoding | null;
}

/**
 * @param start the first bytes of the file, as many as are checked
 * @param otherFormat the code for a file that is no text in lines
 */
export function sniffStart<Code extends string>(
  start: Uint8Array,
  declared: Encoding,
  otherFormat: Code,
): Result<TextStart, { code: Code; looksLike: FileLook } | EncodingDisagrees> {
  const look = looksLike(start);
  if (look !== null) return err({ code: otherFormat, looksLike: look });
  const mark = byteOrderMark(start);
  if (mark !== null) {
    return ok({ markBytes: mark.bytes, encodingByMark: mark.encoding === declared ? null : mark.encoding });
  }
  const isWide = declared === 'utf-16le' || declared === 'utf-16be';
  const found = isWide ? sniffUtf16(start, declared) : sniffBytes(start, declared);
  if (found === 'binary') return err({ code: otherFormat, looksLike: found });
  return found === null ? ok({ markBytes: 0, encodingByMark: null }) : err(found);
}

function sniffUtf16(start: Uint8Array, declared: Encoding): EncodingDisagrees | null {
  const { guess, first } = countNuls(start);
  if (guess !== null && guess !== declared) return disagrees(start, declared, guess, 'nul_bytes', first);
  if (first !== -1 || start.length < 2) return null;
  const isUtf8 = badUtf8At(Buffer.from(start).toString('latin1')) === -1;
  return disagrees(start, declared, isUtf8 ? 'utf-8' : null, 'no_nul_bytes', 0);
}

function sniffBytes(start: Uint8Array, declared: Encoding): EncodingDisagrees | 'binary' | null {
  const { guess, first, count } = countNuls(start);
  if (guess !== null) return disagrees(start, declared, guess, 'nul_bytes', first);
  if (
    (count > 1 && count > start.length * BINARY_NUL_SHARE) ||
    controls(start) > Math.max(BINARY_CONTROLS_MIN, start.length * BINARY_CONTROL_SHARE)
  ) {
    return 'binary';
  }
  const utf8At =
    declared === 'utf-8' ? -1 : multibyteUtf8At(Buffer.from(start).toString('latin1'), textCodec(declared), true);
  return utf8At === -1 ? null : disagrees(start, declared, 'utf-8', 'utf_8_sequences', utf8At);
}

/**
 * Control characters that no text has: not tab, line feed, form feed, carriage return, nor the old end-of-file mark.
 */
function controls(start: Uint8Array): number {
  let count = 0;
  for (const byte of start) if (byte < 0x20 && !TEXT_CONTROLS.has(byte)) count += 1;
  return count;
}

function countNuls(start: Uint8Array): { guess: Encoding | null; first: number; count: number } {
  let even = 0;
  let odd = 0;
  start.forEach((byte, at) => {
    if (byte === 0) at % 2 === 0 ? even++ : odd++;
  });
  const pairs = start.length / 2;
  const many = pairs * UTF_16_NUL_SHARE;
  const few = pairs * UTF_16_STRAY_SHARE;
  const guess = odd > many && even <= few ? 'utf-16le' : even > many && odd <= few ? 'utf-16be' : null;
  return { guess, first: start.indexOf(0), count: even + odd };
}

function disagrees(
  start: Uint8Array,
  declared: Encoding,
  found: Encoding | null,
  evidence: EncodingEvidence,
  byte: number,
): EncodingDisagrees {
  const hex = hexText(start.subarray(byte, byte + SHOWN_BYTES));
  return { code: 'encoding_disagrees', declared, found, evidence, byte, hex };
}
