/**
 * Sets and removes words in the YAML of a code list, keeping its comments and the order of its lines.
 * Words are matched as the list compares them. Notes about removed ones (meanings of codes without a word, unverified
 * words) are removed with them. Pure; the caller checks the result.
 */
import { parseDocument } from 'yaml';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { CodeList, CodeListDocument } from '../../mapping/document/code-list.ts';
import { didYouMean } from '../../mapping/document/nearest.ts';
import { type DocumentProblem, formatPath } from '../../mapping/document/problems.ts';

export interface CodeListEdit {
  set: ReadonlyMap<string, string>;
  remove: readonly string[];
}

/** `{ a: b }` and not `{a: b}`: the style of the file is kept. */
const PADDED = /[[{] /;

/**
 * @param list the checked form of `written`. @returns the edited YAML, or one problem for each word that cannot be
 * removed.
 */
export function editCodeList(written: string, list: CodeList, edit: CodeListEdit): Result<string, DocumentProblem[]> {
  const messages = new Map(Object.keys(list.document.codes).map((word) => [list.key(word), word]));
  const problems = [...unknownMessage(edit.remove, messages, list), ...doubtfulMessage(edit, list)];
  if (problems.length > 0) return err(problems);
  const yaml = parseDocument(written, { stringKeys: true, keepSourceTokens: false });
  for (const word of edit.remove) yaml.deleteIn(['codes', messages.get(list.key(word)) ?? word]);
  for (const [word, code] of edit.set) yaml.setIn(['codes', messages.get(list.key(word)) ?? word], code);
  const edited = yaml.toJS() as CodeListDocument;
  const sent = new Set(Object.values(edited.codes ?? {}));
  const meanings = Object.keys(edited.meanings ?? {});
  const orphans = meanings.filter((code) => !sent.has(code));
  for (const code of orphans) yaml.deleteIn(['meanings', code]);
  if (orphans.length > 0 && orphans.length === meanings.length) yaml.deleteIn(['meanings']);
  for (const [code, word] of Object.entries(edited.reverse ?? {})) {
    if (!Object.hasOwn(edited.codes ?? {}, word)) yaml.deleteIn(['reverse', code]);
  }
  const unverified = edited.unverified ?? [];
  // From the end, so that the other indexes stay valid.
  for (let index = unverified.length - 1; index >= 0; index -= 1) {
    if (!Object.hasOwn(edited.codes ?? {}, unverified[index] ?? '')) yaml.deleteIn(['unverified', index]);
  }
  return ok(yaml.toString({ lineWidth: 0, flowCollectionPadding: PADDED.test(written) }));
}

function unknownMessage(
  remove: readonly string[],
  messages: ReadonlyMap<string, string>,
  list: CodeList,
): DocumentProblem[] {
  return remove
    .filter((word) => !messages.has(list.key(word)))
    .map((word) => ({
      path: formatPath(['codes', word]),
      code: 'code_unknown',
      value: word,
      message: `The list has no word "${word}".${didYouMean(word, messages.values())}`,
      wanted: 'a word of the list',
    }));
}

/** A word that is both set and removed, or set twice: it is not clear which is meant. */
function doubtfulMessage({ set, remove }: CodeListEdit, list: CodeList): DocumentProblem[] {
  const known = new Set<string>();
  return [...remove, ...set.keys()].flatMap((word): DocumentProblem[] => {
    const isDouble = known.has(list.key(word));
    known.add(list.key(word));
    if (!isDouble) return [];
    const message = `"${word}" stands twice in this change (words are compared as the list compares them).`;
    return [{ path: formatPath(['codes', word]), code: 'code_twice', value: word, message, wanted: 'each word once' }];
  });
}
