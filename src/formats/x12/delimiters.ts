/** The four delimiters of an interchange, which each ISA chooses for itself. Pure. */
import { utf8SequenceLength } from '../encoding.ts';

/**
 * Units of a slice, one for each byte: a character of several bytes has several.
 *
 * @property component null: ISA16 is absent; repetition null: the version or ISA11 has none; terminator a line feed
 * also covers CRLF; lineBreak what ends the file's lines.
 */
export interface X12Delimiters {
  element: string;
  component: string | null;
  repetition: string | null;
  terminator: string;
  lineBreak: '\n' | '\r';
}

/** Whether each is one unit. */
export const areUnits = ({ element, component, repetition, terminator }: X12Delimiters): boolean =>
  [element, component, repetition, terminator].every((each) => each === null || each.length === 1);

export type DelimiterRole = 'element' | 'component' | 'repetition' | 'terminator';

/** X12 ISA12: versions before this one have the standards id `U` in ISA11. */
const REPETITION_SINCE = 402;

export type DelimiterFault =
  | { code: 'delimiter_alphanumeric'; role: DelimiterRole; found: string }
  | { code: 'delimiter_blank'; role: DelimiterRole; found: string }
  | { code: 'delimiters_equal'; role: DelimiterRole; other: DelimiterRole; found: string };

/** What is wrong with the delimiters as a whole; null when all differ from text and from each other. */
export function delimiterFault(delimiters: X12Delimiters): DelimiterFault | null {
  const seen: [DelimiterRole, string][] = [];
  for (const role of ['element', 'component', 'repetition', 'terminator'] as const) {
    const found = delimiters[role];
    if (found === null) continue;
    const fault = characterFault(role, found);
    if (fault !== null) return fault;
    const twin = seen.find(([, other]) => other === found);
    if (twin !== undefined) return { code: 'delimiters_equal', role, other: twin[0], found };
    seen.push([role, found]);
  }
  return null;
}

/** Checked alone: if it is impossible, the others cannot be found. */
export const separatorFault = (separator: string): DelimiterFault | null => characterFault('element', separator);

function characterFault(role: DelimiterRole, found: string): DelimiterFault | null {
  const code = found.charCodeAt(0);
  if (isAlphanumeric(code)) return { code: 'delimiter_alphanumeric', role, found };
  const isLineEnd = role === 'terminator' && isBreak(code);
  return isBlank(code) && !isLineEnd ? { code: 'delimiter_blank', role, found } : null;
}

/** @param isa11 and `isa12` as written. Files that declare 00403 with `U` are common, so the character decides too. */
export function repetitionOf(isa11: string, isa12: string): string | null {
  if (!/^\d{5}$/.test(isa12) || Number(isa12) < REPETITION_SINCE) return null;
  const character = characterAt(isa11, 0);
  if (character === '' || isa11.length !== character.length) return null;
  const code = character.charCodeAt(0);
  return isAlphanumeric(code) || isBlank(code) ? null : character;
}

/** @returns the units of the character that begins there, in UTF-8 or else one byte; '' after the end. */
export const characterAt = (units: string, at: number): string =>
  units.slice(at, at + Math.max(1, utf8SequenceLength(units, at)));

export function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** Blank, tab, line breaks, vertical tab, form feed: what may come between segments. */
export const isBlank = (code: number): boolean => code <= 0x20 && (code === 0x20 || (code >= 0x09 && code <= 0x0d));

export const isBreak = (code: number): boolean => code === 0x0a || code === 0x0d;
