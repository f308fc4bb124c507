/**
 * The functions a field can apply to its text, in the one order in which they are applied.
 *
 * A closed set: a mapping can reach nothing but what stands here. Every function is total and leaves an empty text empty.
 */
import type { TextFunctions } from '../document/field-spec.ts';

export type TextFunction = (text: string) => string;

/** The order of this list is the order of application (docs/mappings.md). One entry may stand for several calls. */
const IN_ORDER: readonly ((options: TextFunctions) => TextFunction[])[] = [
  ({ substring }) => (substring === undefined ? [] : [cut(substring.from, substring.length)]),
  ({ replace = [] }) => replace.map((each) => (text) => text.replaceAll(each.find, () => each.with)),
  // Cutting and replacing can leave blanks at the ends; padding comes later, so blanks it adds stay.
  ({ trim = true, substring, replace }) =>
    trim && (substring ?? replace) !== undefined ? [(text) => text.trim()] : [],
  ({ upper = false }) => (upper ? [(text) => text.toUpperCase()] : []),
  ({ lower = false }) => (lower ? [(text) => text.toLowerCase()] : []),
  ({ pad }) => (pad === undefined ? [] : [fill(pad)]),
];

/** @returns the functions a field asks for, to be applied one after the other. */
export function textFunctions(options: TextFunctions): TextFunction[] {
  return IN_ORDER.flatMap((compile) => compile(options));
}

/** Characters outside the 16-bit range take two units; only texts that hold such need the slow way. */
const WIDE = /[\ud800-\udfff]/;

/** @param from first character, counted from 1; negative counts from the end. */
function cut(from: number, length = Number.MAX_SAFE_INTEGER): TextFunction {
  return (text) => {
    const characters = WIDE.test(text) ? Array.from(text) : text;
    const start = from > 0 ? from - 1 : Math.max(0, characters.length + from);
    const kept = characters.slice(start, start + length);
    return typeof kept === 'string' ? kept : kept.join('');
  };
}

function fill(pad: { to: number; with: string; side: 'left' | 'right' }): TextFunction {
  return (text) => {
    if (text === '') return '';
    // padStart counts 16-bit units; a wide character is one character to a reader.
    const to = WIDE.test(text) ? pad.to + text.length - Array.from(text).length : pad.to;
    return pad.side === 'left' ? text.padStart(to, pad.with) : text.padEnd(to, pad.with);
  };
}
