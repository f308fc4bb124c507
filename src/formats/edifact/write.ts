/** EDIFACT as it is written: segments under the default delimiters, with the release character where a text holds one (ISO 9735-1 §8). */
import { Buffer } from 'node:buffer';
import { badUtf8At } from '../encoding.ts';
import { isAscii } from './text.ts';

const DELIMITER = /[?+:']/g;
/** Control characters, and halves of letters. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/gu;

/** What UNB can declare of what we write: Latin-1, or UTF-8. */
export type WrittenSyntax = 'UNOC' | 'UNOY';

/**
 * Latin-1 where it has all the letters. Who reads files of unclear origin takes what is UTF-8 for that, whatever UNB says, so
 * that a line of Latin-1 which could be both is not written in it.
 */
export function syntaxFor(lines: readonly string[]): WrittenSyntax {
  const isLatin = lines.every((line) => LATIN_1.test(line) && (isAscii(line) || badUtf8At(line) !== -1));
  return isLatin ? 'UNOC' : 'UNOY';
}

const LATIN_1 = /^[\n\x20-\x7e\xa0-\xff]*$/;

/** @param text of an interchange that declares this set, or a part of it. */
export const edifactBytesIn = (text: string, syntax: WrittenSyntax): Uint8Array<ArrayBuffer> =>
  Buffer.from(text, syntax === 'UNOC' ? 'latin1' : 'utf8');

/** An element, or its components. */
export type WrittenEdifactElement = string | readonly string[];

/** @returns the segment with its terminator and a line end; what is empty at the end of an element or of the segment is left out. */
export function edifactSegment(tag: string, elements: readonly WrittenEdifactElement[]): string {
  const texts = elements.map((each) =>
    typeof each === 'string' ? released(each) : withoutEmptyEnd(each.map(released)).join(':'),
  );
  return `${[tag, ...withoutEmptyEnd(texts)].join('+')}'\n`;
}

const released = (text: string): string => text.replaceAll(UNWRITABLE, ' ').trim().replaceAll(DELIMITER, '?$&');

function withoutEmptyEnd(texts: readonly string[]): readonly string[] {
  const last = texts.findLastIndex((text) => text !== '');
  return texts.slice(0, last + 1);
}
