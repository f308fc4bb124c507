/** Judges the first bytes of a file: byte-order mark, UTF-16, and formats that are taken for JSON by mistake. Pure. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { looksLike } from '../magic.ts';
import type { JsonFileProblem } from './problems.ts';

const UTF_8_MARK = [0xef, 0xbb, 0xbf];

/** JSON begins with an ASCII character, so in UTF-16 a NUL byte is one of the first two (RFC 4627, 3). */
const UTF_16_STARTS = [
  ['utf-16le', (first: number, second: number) => (first === 0xff && second === 0xfe) || (first !== 0 && second === 0)],
  ['utf-16be', (first: number, second: number) => (first === 0xfe && second === 0xff) || (first === 0 && second !== 0)],
] as const;

/** @returns the length of the byte-order mark to pass over, or why the file is not read */
export function sniffStart(start: Uint8Array): Result<number, JsonFileProblem> {
  const look = looksLike(start);
  if (look !== null && look !== 'json') return err({ code: 'not_json', looksLike: look });
  const [first, second] = start;
  if (first === undefined || second === undefined) return ok(0);
  const utf16 = UTF_16_STARTS.find(([, begins]) => begins(first, second));
  if (utf16 !== undefined) {
    const hex = [first, second].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    return err({ code: 'encoding_disagrees', found: utf16[0], byte: 0, hex });
  }
  return ok(UTF_8_MARK.every((byte, at) => start[at] === byte) ? UTF_8_MARK.length : 0);
}
