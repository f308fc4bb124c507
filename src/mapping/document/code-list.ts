/**
 * Code lists: a partner's words and the upstream's codes for them, one file per list in `mappings/code-lists/`.
 *
 * A list says nothing about a word it lacks; the field's `onMiss` does.
 */

import * as z from 'zod';
import { trimmed } from '../../kernel/text.ts';
import { DOCUMENT_TEXT_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../limits.ts';
import { nearest } from './nearest.ts';

/** Names of mappings and code lists: they become file names and URL parameters. */
export const NAME_FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;
export const documentName = z.string().max(NAME_CHARACTERS_MAX).regex(NAME_FORM);

const text = z.string().max(DOCUMENT_TEXT_CHARACTERS_MAX);

export const codeListDocument = z
  .strictObject({
    list: documentName.describe('Name of the list; the file is called the same.'),
    description: text.min(1).describe('What the list is, in one line.'),
    caseSensitive: z.boolean().optional().describe('true: upper and lower case differ. They do not otherwise.'),
    codes: z
      .record(text.min(1), text.min(1))
      .describe('Word in the file: code sent. Put codes made of digits in quotes.'),
    reverse: z
      .record(text, text.min(1))
      .optional()
      .describe('Code: the word it is translated back to, where several words lead to it.'),
    meanings: z.record(text, text.min(1)).optional().describe('Code sent: what it means, for people.'),
    unverified: z.array(text.min(1)).optional().describe('Words of `codes` whose meaning still has to be confirmed.'),
  })
  .meta({ title: 'Transload code list' });

export type CodeListDocument = z.infer<typeof codeListDocument>;

/** Nearest words suggested for one that is not in the list. */
const SUGGESTIONS_MAX = 3;

export class CodeList {
  readonly document: CodeListDocument;
  readonly #codes = new Map<string, string>();
  /** Words by their code, as the list writes them. */
  readonly #words = new Map<string, string[]>();

  constructor(document: CodeListDocument) {
    this.document = document;
    for (const [word, code] of Object.entries(document.codes)) {
      this.#codes.set(this.key(word), code).set(word, code);
      this.#words.set(code, [...(this.#words.get(code) ?? []), word]);
    }
    // A cell arrives trimmed, so a word with a mark of its own also matches without it; lists that have both keep both.
    for (const [word, code] of Object.entries(document.codes)) {
      const bare = this.key(trimmed(word));
      if (!this.#codes.has(bare)) this.#codes.set(bare, code);
    }
    for (const [code, word] of Object.entries(document.reverse ?? {})) this.#words.set(code, [word]);
  }

  get name(): string {
    return this.document.list;
  }

  /** Every code of any word, once. */
  codesInUse(): Iterable<string> {
    return this.#words.keys();
  }

  /**
   * Words are compared without blanks at the ends, with single blanks inside, and ignoring case unless the list says
   * otherwise.
   */
  key(word: string): string {
    const single = word.trim().replace(/\s+/g, ' ');
    return this.document.caseSensitive === true ? single : single.toUpperCase();
  }

  /** @returns the code for a word, or undefined: the caller decides about a miss. */
  find(word: string): string | undefined {
    return this.#codes.get(word) ?? this.#codes.get(this.key(word)); // as spelt in the list: the usual case, and cheap
  }

  /** @returns the word of a code, compared exactly; undefined if there is none, or more than one. */
  findWord(code: string): string | undefined {
    const words = this.#words.get(code);
    return words?.length === 1 ? words[0] : undefined;
  }

  /** Codes that several words lead to, without a word in `reverse` to decide. */
  ambiguousCodes(): string[] {
    return [...this.#words].flatMap(([code, words]) => (words.length > 1 ? [code] : []));
  }

  /** Similar codes of the list, best first. */
  nearestCodes(code: string): string[] {
    return nearest(code, this.#words.keys(), SUGGESTIONS_MAX);
  }

  /** The first words of the list, or its first codes. */
  first(codes: boolean, count: number): string[] {
    return (codes ? [...this.#words.keys()] : Object.keys(this.document.codes)).slice(0, count);
  }

  /** Similar words of the list, best first. */
  nearest(word: string): string[] {
    return nearest(word, Object.keys(this.document.codes), SUGGESTIONS_MAX);
  }
}

export type CodeLists = ReadonlyMap<string, CodeList>;
