/** Validates a whole code list: its form, words that compare as equal, and notes about codes it does not have. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { CodeList, type CodeListDocument, type CodeLists, codeListDocument } from '../document/code-list.ts';
import { didYouMean } from '../document/nearest.ts';
import { type DocumentProblem, type LocatedProblem, readForm } from '../document/problems.ts';
import { readYaml } from '../document/read-yaml.ts';
import { CODES_MAX, DOCUMENT_PROBLEMS_MAX } from '../limits.ts';
import { checkName, withTraps } from './check.ts';

/** @param name of the file, if there is one. */
export function checkCodeList(text: string, name?: string): Result<CodeList, DocumentProblem[]> {
  const yaml = readYaml(text);
  if (!yaml.ok) return yaml;
  return withTraps(checkCodeListValue(yaml.value.value, name), yaml.value);
}

/** As `checkCodeList`, for a list that is already parsed (a stored version). */
export function checkCodeListValue(value: unknown, name?: string): Result<CodeList, LocatedProblem[]> {
  const form = readForm(codeListDocument, value);
  if (!form.ok) return err(form.error.slice(0, DOCUMENT_PROBLEMS_MAX));
  const list = new CodeList(form.value);
  const problems = [...checkName(list.name, name, 'list'), ...checkMessage(list), ...checkRemarks(form.value)];
  return problems.length === 0 ? ok(list) : err(problems.slice(0, DOCUMENT_PROBLEMS_MAX));
}

/**
 * @param texts by name. @returns all lists, or the problems of all of them, each path beginning with the list's name.
 */
export function checkCodeLists(texts: ReadonlyMap<string, string>): Result<CodeLists, DocumentProblem[]> {
  const lists = new Map<string, CodeList>();
  const problems: DocumentProblem[] = [];
  for (const [name, text] of texts) {
    const checked = checkCodeList(text, name);
    if (checked.ok) lists.set(name, checked.value);
    else problems.push(...checked.error.map((problem) => ({ ...problem, path: `${name}: ${problem.path}` })));
  }
  return problems.length === 0 ? ok(lists) : err(problems);
}

function checkMessage(list: CodeList): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const known = new Map<string, string>();
  const words = Object.keys(list.document.codes);
  if (words.length === 0 || words.length > CODES_MAX) {
    const message = words.length === 0 ? 'The list is empty.' : 'The list has too many codes.';
    const value = `${words.length}`;
    problems.push({ at: ['codes'], code: 'too_many', value, message, wanted: `1 to ${CODES_MAX} codes` });
  }
  for (const word of words) {
    const first = known.get(list.key(word));
    if (first === undefined) known.set(list.key(word), word);
    else {
      const message = `"${word}" and "${first}" are compared as equal (blanks and, unless caseSensitive is true, upper and lower case).`;
      problems.push({ at: ['codes', word], code: 'code_twice', value: word, message, wanted: 'each word once' });
    }
  }
  return problems;
}

function checkRemarks({ codes, reverse = {}, meanings = {}, unverified = [] }: CodeListDocument): LocatedProblem[] {
  const sent = new Set(Object.values(codes));
  return [
    ...Object.entries(reverse)
      .filter(([code, word]) => !Object.hasOwn(codes, word) || codes[word] !== code)
      .map(([code, word]) =>
        unknown(['reverse', code], word, 'This word of the list does not lead to this code.', Object.keys(codes)),
      ),
    ...Object.keys(meanings)
      .filter((code) => !sent.has(code))
      .map((code) => unknown(['meanings', code], code, 'No word of the list leads to this code.', sent)),
    ...unverified.flatMap((word, index) => {
      if (Object.hasOwn(codes, word)) return [];
      return [unknown(['unverified', index], word, 'The list has no such word.', Object.keys(codes))];
    }),
  ];
}

const unknown = (at: (string | number)[], value: string, message: string, known: Iterable<string>): LocatedProblem => ({
  at,
  code: 'code_unknown',
  value,
  message: message + didYouMean(value, known),
  wanted: 'as spelt under codes',
});
