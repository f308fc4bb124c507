/**
 * How a fact about a file becomes a message, and what several formats say of a file. Each format has a table of its own
 * codes in its `problems.ts`; what a format shares stands here once, with the format's own nouns put in.
 */
import { ELSE_CONTACT, type Problem, quotePath, quoteValue } from '../kernel/problem.ts';
import type { Encoding } from './encoding.ts';
import { type FileLook, MAGIC_MESSAGES } from './magic.ts';

/** `path` and `value` are '' where they are absent: the whole record or file is at fault, or nothing was received. */
export interface Message {
  path?: string;
  value?: string;
  message: string;
  fix: string;
}

/** One message for each code of a union of facts: a new code does not compile until it has its own. */
export type MessagesOf<Fact extends { code: string }> = {
  readonly [Code in Fact['code']]: (fact: Fact & { code: Code }) => Message;
};

export const messageOf = <Fact extends { code: string }>(messages: MessagesOf<Fact>, fact: Fact): Message =>
  (messages[fact.code as Fact['code']] as (fact: Fact) => Message)(fact);

/** @returns what turns a fact into location, received value, what was expected, and how to fix it. */
export const describedBy =
  <Fact extends { code: string }>(messages: MessagesOf<Fact>) =>
  (fact: Fact): Problem => {
    const { path = '', value = '', message, fix } = messageOf(messages, fact);
    return { code: fact.code, path: quotePath(path), value: quoteValue(value), message, fix };
  };

export interface EmptyFile {
  code: 'empty_file';
  bytes: number;
}

/** @param lacks such as `it holds no JSON`. @param accepted a sentence about what is no empty file. */
export const emptyFile =
  (lacks: string, accepted = '') =>
  ({ bytes }: EmptyFile): Message => ({
    value: `${bytes} bytes`,
    message: `The file is empty: ${lacks}.`,
    fix: `Check the export and send the file again.${accepted}`,
  });

/** By its first bytes the file is of another format than `noun`. @param send what to send, such as `the rows as text`. */
export const otherFormat =
  (noun: string, send: string) =>
  ({ looksLike }: { looksLike: FileLook }): Message => ({
    value: looksLike,
    message: `The file is not ${noun}. It looks like ${MAGIC_MESSAGES[looksLike]}.`,
    fix: `Send ${send}, or choose the kind that this file is of.`,
  });

/** How the bytes contradict the declared encoding. */
export type EncodingEvidence = 'utf_8_sequences' | 'nul_bytes' | 'no_nul_bytes' | 'bad_sequence';

export interface EncodingDisagrees {
  code: 'encoding_disagrees';
  declared: Encoding;
  found: Encoding | null;
  evidence: EncodingEvidence;
  byte: number;
  hex: string;
}

export function encodingDisagrees({ declared, found, evidence, byte, hex }: EncodingDisagrees): Message {
  const seen = {
    utf_8_sequences: `its letters beyond ASCII are written as utf-8 writes them (${hex} at byte ${byte})`,
    nul_bytes: `the file has NUL bytes as ${found} has them, the first at byte ${byte}`,
    no_nul_bytes: 'the file has one byte per character',
    bad_sequence: `the header has bytes that are not ${declared} (${hex} at byte ${byte})`,
  }[evidence];
  return {
    value: found ?? hex,
    message: `Agreed is ${declared}, but ${seen}.`,
    fix: exportAs(declared),
  };
}

export const exportAs = (encoding: Encoding): string => `Export the file as ${encoding}. ${ELSE_CONTACT}`;

/** A NUL character, which would be invisible. */
export const withVisibleNul = (text: string): string => text.replaceAll('\0', '\\0');
