/**
 * Long texts as they are stored: compressed, for they say the same again and again. What a database holds is paid for by the
 * month, and a batch is kept for two years. A text that was stored as it is, is read as it is.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export type StoredText = string | ArrayBuffer;

/** Shorter ones would fill as many pages of the database. Ours. */
const PLAIN_CHARACTERS_MAX = 2_000;
/** Of 9. Higher ones take several times as long, and win a tenth. */
const LEVEL = 3;

export function packedText(text: string): StoredText {
  if (text.length <= PLAIN_CHARACTERS_MAX) return text;
  const { buffer, byteOffset, byteLength } = deflateRawSync(text, { level: LEVEL });
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}

export const textIn = (stored: StoredText): string =>
  typeof stored === 'string' ? stored : inflateRawSync(stored).toString('utf8');
