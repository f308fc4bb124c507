/** What is wrong in a mapping document or a code list, for its author: all of it at once, each with its place and the wanted form. */
import { quoteValue } from '../../kernel/problem.ts';

export type DocumentProblemCode =
  | 'too_large' // the document as a whole
  | 'yaml_syntax' // not readable as YAML; nothing below it was looked at
  | 'yaml_not_supported' // readable, but with tags, too many aliases or a key no document may hold
  | 'duplicate_key'
  | 'wrong_form' // another kind of value is wanted here
  | 'key_missing'
  | 'unknown_key'
  | 'unknown_field' // the target has no such field
  | 'field_missing' // the target requires it, and the document does not fill it
  | 'name_differs' // the name inside is not the file's
  | 'origin_invalid' // not exactly one of from, firstOf, template, const
  | 'template_invalid'
  | 'keys_exclude' // keys that make no sense together
  | 'no_effect' // a key that can never change anything
  | 'condition_invalid'
  | 'path_invalid' // a path into a JSON record
  | 'pattern_invalid' // a time pattern or a regular expression
  | 'unit_unknown' // no such unit, or two that measure different things
  | 'zone_unknown'
  | 'zone_missing' // a local time without a zone
  | 'code_list_unknown'
  | 'base_unknown' // `extends` names no document that can be extended
  | 'column_unknown' // not among the columns the document declares
  | 'value_too_long'
  | 'code_twice' // two words of a code list that are compared as equal
  | 'code_unknown' // a word or code that the list itself does not hold
  | 'too_many';

/** @property path like `requests[0].fields.time`, list places counted from 0; line and column count from 1, when known. */
export interface DocumentProblem {
  path: string;
  code: DocumentProblemCode;
  value?: string;
  message: string;
  wanted: string;
  line?: number;
  column?: number;
}

export type DocumentPath = readonly (string | number)[];

const PLAIN_KEY = /^[\w-]+$/;

export function formatPath(path: DocumentPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!PLAIN_KEY.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** A problem before its place in the text is known. */
export interface PlacedProblem extends Omit<DocumentProblem, 'path' | 'line' | 'column'> {
  at: DocumentPath;
}

/** @returns one line for a terminal or a log: `line 12:3 fields.time.parse: … Wanted: …` */
export function problemLine(problem: DocumentProblem): string {
  const place = problem.line === undefined ? '' : `line ${problem.line}:${problem.column ?? 1} `;
  const value = problem.value === undefined ? '' : ` (received: ${quoteValue(problem.value)})`;
  return `${place}${problem.path === '' ? '' : `${problem.path}: `}${problem.message}${value} Wanted: ${problem.wanted}`;
}
