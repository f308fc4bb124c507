/**
 * Writes EDIFACT: segments with the default delimiters, and the release character before each of them in a text (ISO
 * 9735-1 §8).
 */
import { Buffer } from 'node:buffer';
import { badUtf8At } from '../encoding.ts';
import { type WrittenElement, withoutEmptyEnd } from '../segments/write.ts';
import { isAscii } from './text.ts';

const DELIMITER = /[?+:']/g;
/** Control characters, and halves of letters. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/gu;

/** What UNB can declare for what we write: Latin-1, or UTF-8. */
export type WrittenSyntax = 'UNOC' | 'UNOY';

/**
 * Latin-1 if it has all the letters. Some readers take whatever is valid UTF-8 for UTF-8, whatever UNB says, so a line
 * of Latin-1 that could be both is not written in it.
 */
export function syntaxFor(lines: readonly string[]): WrittenSyntax {
  const isLatin = lines.every((line) => LATIN_1.test(line) && (isAscii(line) || badUtf8At(line) !== -1));
  return isLatin ? 'UNOC' : 'UNOY';
}

const LATIN_1 = /^[\n\x20-\x7e\xa0-\xff]*$/;

/** @param text of an interchange that declares this set, or a part of it. */
export const edifactBytesIn = (text: string, syntax: WrittenSyntax): Uint8Array<ArrayBuffer> =>
  Buffer.from(text, syntax === 'UNOC' ? 'latin1' : 'utf8');

/** @returns the segment with its terminator and a line end; trailing empty elements and components are left out. */
export function edifactSegment(tag: string, elements: readonly WrittenElement[]): string {
  const texts = elements.map((each) =>
    typeof each === 'string' ? released(each) : withoutEmptyEnd(each.map(released)).join(':'),
  );
  return `${[tag, ...withoutEmptyEnd(texts)].join('+')}'\n`;
}

const released = (text: string): string => text.replaceAll(UNWRITABLE, ' ').trim().replaceAll(DELIMITER, '?$&');
