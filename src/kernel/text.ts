/** Texts of cells: cut without cutting a character, and trimmed of invisible or unintended characters. */
import { FILE_NAME_CHARACTERS_MAX } from './limits.ts';

/** `the whole channel` → `The whole channel` */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** @returns the first `characters` UTF-16 units, one fewer if that would leave half a character. */
export function headOf(text: string, characters: number): string {
  const head = text.slice(0, characters);
  return head.isWellFormed() || !text.isWellFormed() ? head : head.slice(0, -1);
}

/**
 * U+200C and U+200D shape letters of scripts beyond Latin, Greek and Cyrillic, and emoji; next to anything else they
 * mean nothing.
 */
const JOINED = '[\\u0590-\\u1fff\\u2070-\\u{10ffff}]';
/**
 * Zero-width characters of any purpose: text direction, optional line breaks, byte order. They come with text copied
 * from web pages, and with dates that a system displays.
 */
const UNSEEN = `[\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]|(?<!${JOINED})[\\u200c\\u200d]|[\\u200c\\u200d](?!${JOINED})`;
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu');
/** Inside a word some programs show a soft hyphen and others do not; at its ends it means nothing. */
const UNSEEN_OR_SOFT_HYPHEN = new RegExp(`\\u00ad|${UNSEEN}`, 'u');
const BLANK_OR_SOFT_HYPHEN = /[\s\u00ad]/;
/** Any of those above, and more: nearly all texts have none, and need only this one check. */
const SUSPECT = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

const BLANK = 0x20;
const TILDE = 0x7e;
const APOSTROPHE = 0x27;
const EQUALS = 0x3d;

/**
 * The text of a cell without what does not belong to it: blanks around it, invisible characters, and the marks by which
 * a spreadsheet is told that digits are a text (`'00123`, `="00123"`). An apostrophe stays if the text has no
 * digit.
 */
export function trimmed(text: string): string {
  // Unlike the others it has no first unit: where units beyond a text's end are read, the engine reads all of them slowly.
  if (text === '') return text;
  const inner = isPlain(text) ? withoutBlanks(text) : SUSPECT.test(text) ? withoutUnseen(text) : text.trim();
  if (inner === '') return inner;
  const first = inner.charCodeAt(0);
  return first === APOSTROPHE || first === EQUALS ? unmarked(inner) : inner;
}

/**
 * Whether a text has only letters, digits, marks and blanks of ASCII. Of nearly all texts this is the only question: a
 * loop over a few units takes less time than a single one of the expressions above.
 */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < BLANK || unit > TILDE) return false;
  }
  return true;
}

/** Of a plain text that is not empty. */
const withoutBlanks = (text: string): string =>
  text.charCodeAt(0) === BLANK || text.charCodeAt(text.length - 1) === BLANK ? text.trim() : text;

function withoutUnseen(text: string): string {
  const seen = text.replace(ALL_UNSEEN, '');
  let [from, to] = [0, seen.length];
  while (from < to && BLANK_OR_SOFT_HYPHEN.test(seen.charAt(from))) from += 1;
  while (to > from && BLANK_OR_SOFT_HYPHEN.test(seen.charAt(to - 1))) to -= 1;
  return seen.slice(from, to);
}

function unmarked(text: string): string {
  if (/^'[^'\s]+$/.test(text) && /\d/.test(text)) return text.slice(1);
  return /^="([^"]*)"$/.exec(text)?.[1]?.trim() ?? text;
}

/** @returns the index of the first forbidden invisible character; -1 if there is none. */
export const unseenAt = (text: string): number => (SUSPECT.test(text) ? text.search(UNSEEN_OR_SOFT_HYPHEN) : -1);

/* Names that partners give their files, for display only, never used as a path. Pure. */

/** Removes control characters, bidirectional marks and folders. @returns null when nothing is left. */
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
