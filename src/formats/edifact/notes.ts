/** What a person should know of an EDIFACT file though nothing is wrong with it: each kind once, with its first place. */
import { quoteValue } from '../../kernel/problem.ts';
import type { CharsetChoice } from './charset.ts';

export type Note =
  | { kind: 'byte_order_mark' }
  | { kind: 'blanks_before' }
  | { kind: 'no_interchange' }
  | { kind: 'decimal_mark'; mark: string }
  | { kind: 'delimiters_kept'; line: number }
  | { kind: 'line_breaks_inside'; line: number }
  | { kind: 'empty_segment'; line: number }
  | { kind: 'last_terminator'; tag: string }
  | { kind: 'count_differs'; what: string; stated: string; found: number; place: string }
  | { kind: 'charset'; syntax: string; name: string; choice: CharsetChoice };

/** What makes two notes the same one. */
export type NoteKind = string;

export const noteKind = (note: Note): NoteKind => {
  if (note.kind === 'charset') return `charset ${note.syntax} ${note.name}`;
  return note.kind === 'count_differs' ? `count_differs ${note.what}` : note.kind;
};

export function noteWords(note: Note): string {
  switch (note.kind) {
    case 'byte_order_mark':
      return 'The file begins with the byte-order mark of utf-8, which was passed over.';
    case 'blanks_before':
      return 'Blanks or line breaks stand before the first interchange; they were passed over.';
    case 'no_interchange':
      return 'The file has messages without UNB: nothing in it says who sent it.';
    case 'decimal_mark':
      return `UNA says that the decimal mark is ${JSON.stringify(note.mark)}; numbers stay as they are written.`;
    case 'delimiters_kept':
      return `The interchange in line ${note.line} has no UNA and uses the delimiters of the one before it.`;
    case 'line_breaks_inside':
      return `Line breaks stand inside segments (the first in line ${note.line}); they were left out of the text.`;
    case 'empty_segment':
      return `Terminators without a segment (the first in line ${note.line}) were passed over.`;
    case 'last_terminator':
      return `The last segment, ${note.tag}, has no terminator; the file ends with it.`;
    case 'count_differs':
      return `A wrong count of ${note.what} was accepted, as the partner's settings allow: first ${note.place}, ${quoteValue(note.stated)} where ${note.found} were found.`;
    case 'charset':
      return charsetWords(note);
  }
}

function charsetWords({ syntax, name, choice }: Note & { kind: 'charset' }): string {
  const declared = syntax === '' ? 'no character set' : quoteValue(syntax);
  switch (choice) {
    case 'declared':
      return `Letters beyond ASCII were read as ${name}, as UNB declares with ${declared}.`;
    case 'utf_8':
      return `Letters beyond ASCII were read as utf-8, because they are written so; UNB declares ${declared}.`;
    case 'fallback':
      return `UNB declares ${declared}, which does not say how letters beyond ASCII are written; they were read as ${name}, as the mapping says.`;
  }
}
