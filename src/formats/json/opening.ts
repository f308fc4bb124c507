/** Checks the first bytes of a file: byte-order mark, UTF-16, and formats that are mistaken for JSON. Pure. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { looksLike } from '../magic.ts';
import { byteOrderMark, wideEncoding } from '../sniff.ts';
import { hexText } from '../text-slice.ts';
import type { JsonFileProblem } from './problems.ts';

/** @returns the length of the byte-order mark to skip, or why the file is not read */
export function sniffJson(start: Uint8Array): Result<number, JsonFileProblem> {
  const look = looksLike(start);
  if (look !== null && look !== 'json') return err({ code: 'not_json', looksLike: look });
  const mark = byteOrderMark(start);
  const encoding = mark?.encoding ?? wideEncoding(start);
  if (encoding === null || encoding === 'utf-8') return ok(mark?.bytes ?? 0);
  return err({ code: 'encoding_disagrees', found: encoding, byte: 0, hex: hexText(start.subarray(0, 2)) });
}
