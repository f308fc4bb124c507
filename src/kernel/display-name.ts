/** Names that partners give their files, as they are shown: for display only, never a path. Pure. */
import { FILE_NAME_CHARACTERS_MAX } from './limits.ts';

/** Controls and bidirectional marks out, folders dropped. @returns null when nothing is left. */
export function displayName(fileName: string | null): string | null {
  if (fileName === null) return null;
  const last = fileName.split(/[\\/]/).at(-1) ?? '';
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  // By characters, not by code units: half a character could not be written into a header later.
  const kept = [...clean].slice(0, FILE_NAME_CHARACTERS_MAX).join('');
  return kept === '' ? null : kept;
}
