/** A suggestion, briefly: its YAML, what has to be answered, and what somebody has to look at. For commands. Pure. */
import type { Question, Suggestion } from './suggestion.ts';

export interface BriefSuggestion {
  name: string;
  yaml: string | null;
  /** Code lists to be stored beside it. */
  codeLists: { name: string; yaml: string }[];
  /** Questions without an answer. */
  open: Question[];
  /** A line for everything that is not sure. */
  unsure: string[];
  isValid: boolean;
}

export function briefSuggestion(suggestion: Suggestion): BriefSuggestion {
  const { name, yaml, codeLists, questions, format, target, fields, isValid } = suggestion;
  const isUnsure = ({ confidence }: { confidence: string }): boolean => confidence !== 'sure';
  return {
    name,
    yaml,
    codeLists: codeLists.flatMap((list) => (list.yaml === null ? [] : [{ name: list.list, yaml: list.yaml }])),
    open: questions.filter(({ answer }) => answer === null),
    unsure: [
      ...format
        .filter(isUnsure)
        .map(({ what, value, confidence, reason }) => `${what} ${value} (${confidence}): ${reason}`),
      ...[target]
        .filter(isUnsure)
        .map(({ kind, confidence, reason }) => `target ${kind ?? 'open'} (${confidence}): ${reason}`),
      ...fields
        .filter(isUnsure)
        .map(
          ({ field, columns, confidence, reason }) => `${field} from ${columns.join(', ')} (${confidence}): ${reason}`,
        ),
      ...codeLists.flatMap(({ list, words }) =>
        words.flatMap(({ word, code }) => (code === null ? [`${list}: "${word}" has no code yet`] : [])),
      ),
    ],
    isValid,
  };
}
