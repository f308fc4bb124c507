/** A slice of a file as units; converts an offset back to a byte position and to readable text. Pure. */

import { Buffer } from 'node:buffer';
import { err, ok, type Result } from '../../kernel/result.ts';
import { badUtf8At, type Encoding, type TextCodec } from '../encoding.ts';
import { looksLike } from '../magic.ts';
import type { EncodingEvidence, FileProblem } from '../problems.ts';

/** Physical lines: LF, CRLF and CR each end one. Pure. */
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

  /** The text at an offset, up to the end of its line. */
  excerpt(offset: number): string {
    const to = findLineEnd(this.text, offset, Math.min(offset + EXCERPT_UNITS, this.text.length));
    return this.codec.toText(this.text.slice(offset, to)).replace(CUT_CHARACTER, '');
  }
}

/*
 * Checks the first bytes of a file against the declaration: byte-order mark, encoding, and whether it is text at all.
 */

const BYTE_ORDER_MARKS: readonly [Encoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Share of NUL bytes from which a file counts as binary; a single one damages only its record. Our choice. */
const BINARY_NUL_SHARE = 0.01;
/** Share of control characters from which a file counts as binary; random bytes have a tenth of them. Our choice. */
const BINARY_CONTROL_SHARE = 0.02;
/** A few of them are a damaged cell, not a binary file. Our choice. */
const BINARY_CONTROLS_MIN = 8;
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a]);
/** Bytes of a character that the end of the checked bytes can cut off. */
const CUT_CHARACTER_BYTES_MAX = 3;
/** In UTF-16 every Latin letter, digit and delimiter has a NUL byte on one side. Our choice. */
const UTF_16_NUL_SHARE = 0.3;
/** Bytes quoted as evidence: one UTF-16 unit. */
const SHOWN_BYTES = 2;
/** On the other side NUL bytes are rare. Our choice. */
const UTF_16_STRAY_SHARE = 0.05;

/** The byte-order mark to skip and the encoding it names where that is not the declared one; or why the file is not read. */
type Sniffed = Result<{ markBytes: number; encodingByMark: Encoding | null }, FileProblem>;

const UNMARKED = { markBytes: 0, encodingByMark: null } as const;

/**
 * @param start the first bytes of the file, as many as are checked
 * @returns a byte-order mark wins over the declaration: it is the one thing in a file that says what it is
 */
export function sniffStart(start: Uint8Array, declared: Encoding): Sniffed {
  const look = looksLike(start);
  if (look !== null) return err({ code: 'not_csv', looksLike: look });
  const mark = BYTE_ORDER_MARKS.find(([, bytes]) => bytes.every((byte, at) => start[at] === byte));
  if (mark !== undefined) {
    const [encoding, bytes] = mark;
    return ok({ markBytes: bytes.length, encodingByMark: encoding === declared ? null : encoding });
  }
  return declared === 'utf-16le' || declared === 'utf-16be' ? sniffUtf16(start, declared) : sniffBytes(start, declared);
}

function sniffUtf16(start: Uint8Array, declared: Encoding): Sniffed {
  const { guess, first } = countNuls(start);
  if (guess !== null && guess !== declared) return disagrees(start, declared, guess, 'nul_bytes', first);
  if (first !== -1 || start.length < 2) return ok(UNMARKED);
  const isUtf8 = badUtf8At(Buffer.from(start).toString('latin1')) === -1;
  return disagrees(start, declared, isUtf8 ? 'utf-8' : null, 'no_nul_bytes', 0);
}

function sniffBytes(start: Uint8Array, declared: Encoding): Sniffed {
  const { guess, first, count } = countNuls(start);
  if (guess !== null) return disagrees(start, declared, guess, 'nul_bytes', first);
  if (
    (count > 1 && count > start.length * BINARY_NUL_SHARE) ||
    controls(start) > Math.max(BINARY_CONTROLS_MIN, start.length * BINARY_CONTROL_SHARE)
  ) {
    return err({ code: 'not_csv', looksLike: 'binary' });
  }
  const utf8At = declared === 'utf-8' ? -1 : multibyteUtf8At(start);
  return utf8At === -1 ? ok(UNMARKED) : disagrees(start, declared, 'utf-8', 'utf_8_sequences', utf8At);
}

/**
 * Control characters that no text has: not tab, line feed, form feed, carriage return, nor the old end-of-file mark.
 */
function controls(start: Uint8Array): number {
  let count = 0;
  for (const byte of start) if (byte < 0x20 && !TEXT_CONTROLS.has(byte)) count += 1;
  return count;
}

/**
 * Where the first multi-byte UTF-8 sequence is, if all non-ASCII bytes form such sequences; else -1. Text in a one-byte
 * encoding practically never does, so a file that does but declares one would be read as garbage.
 */
function multibyteUtf8At(start: Uint8Array): number {
  const units = Buffer.from(start).toString('latin1');
  const first = units.search(/[\x80-\xff]/);
  if (first === -1) return -1;
  const bad = badUtf8At(units);
  const isCut = bad !== -1 && bad >= units.length - CUT_CHARACTER_BYTES_MAX && bad > first;
  return bad === -1 || isCut ? first : -1;
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
): Sniffed {
  const shown = start.subarray(byte, byte + SHOWN_BYTES);
  const hex = Array.from(shown, (value) => value.toString(16).padStart(2, '0')).join(' ');
  return err({ code: 'encoding_disagrees', declared, found, evidence, byte, hex });
}
