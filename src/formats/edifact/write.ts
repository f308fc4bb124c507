/** EDIFACT as it is written: segments under the default delimiters, with the release character where a text holds one (ISO 9735-1 §8). */
const DELIMITER = /[?+:']/g;
/** The character set we name, UNOC, is Latin-1; other letters have no way into it. */
const UNWRITABLE = /[^\x20-\x7e\xa0-\xff]/g;

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
