/** A mapping while it is being put together: its keys in order, what each was decided by, what is still open. */

import type { Json } from '../document/canonical.ts';
import type { CodeLists } from '../document/code-list.ts';
import { calledColumn } from '../values/element-names.ts';
import type { JsonObject, SampleArray } from './formats/sample.ts';
import type { Match, Matches } from './match.ts';
import type { Shape } from './shape.ts';
import type { Confidence, Evidence, FieldSuggestion, Question, SuggestedCodeList } from './suggestion.ts';
import { type Entry, entry, yamlFlow } from './yaml.ts';

/** What parts of a document share while they are drafted. */
export interface Drafting {
  shapes: readonly Shape[];
  matches: Matches;
  answers: ReadonlyMap<string, string>;
  lists: CodeLists;
  /** Name of the mapping; proposed lists are called after it. */
  name: string;
  fields: FieldSuggestion[];
  questions: Question[];
  codeLists: SuggestedCodeList[];
  /** The array that holds the lines of an order. */
  lines?: Pick<SampleArray, 'each' | 'isAlways'> | null;
}

interface Decided {
  columns: readonly string[];
  spec: Json;
  confidence: Confidence;
  reason: string;
  evidence?: Evidence | null;
}

/** Notes the decision, and returns its key. What is not sure says so beside the field. */
export function decidedEntry(drafting: Drafting, field: string, decided: Decided): Entry {
  const { columns, spec, confidence, reason, evidence = null } = decided;
  drafting.fields.push({ field, columns: [...columns], spec, confidence, reason, evidence });
  return entry(field.split('.').at(-1) ?? field, spec, noteOf(confidence, reason));
}

export const noteOf = (confidence: Confidence, reason: string): string | null =>
  confidence === 'sure' ? null : `${confidence}: ${reason}`;

/** Notes the question; in the document stands what it asks, with a line for each choice. */
export function openEntry(drafting: Drafting, key: string, question: Question, lines: readonly Json[] = []): Entry {
  drafting.questions.push(question);
  const choices = lines.map((line) => ({ key, line }));
  return {
    key,
    value: undefined,
    comments: [`open: ${question.asks} ${question.why}`, ...choices.map(({ line }) => `  ${key}: ${yamlFlow(line)}`)],
    note: null,
  };
}

/** What is copied as it is. */
export function copied(
  drafting: Drafting,
  field: string,
  { shape, confidence, reason }: Match,
  functions: JsonObject = {},
): Entry {
  const { name, inElement: path = name } = shape.column;
  const spec: Json = Object.keys(functions).length === 0 ? path : { from: path, ...functions };
  return decidedEntry(drafting, field, { columns: [name], spec, confidence, reason });
}

/** The less certain of two. */
export const lesser = (one: Confidence, other: Confidence): Confidence => {
  const order: readonly Confidence[] = ['unsure', 'likely', 'sure'];
  return order[Math.min(order.indexOf(one), order.indexOf(other))] ?? 'unsure';
};

/** A question whose answer is a column. */
export function columnQuestion(
  drafting: Drafting,
  asked: Pick<Question, 'id' | 'asks' | 'why'>,
  candidates: readonly Shape[],
): Question {
  return {
    ...asked,
    columns: candidates.map(({ column }) => column.name),
    evidence: [],
    choices: candidates.map((shape) => ({
      choice: shape.column.name,
      says: `${calledColumn(shape.column.name)}, such as ${[...shape.counts.keys()].slice(0, 2).join(', ')}`,
      isLikely: false,
    })),
    free: 'column',
    answer: drafting.answers.get(asked.id) ?? null,
  };
}

export const shapeNamed = ({ shapes }: Drafting, name: string): Shape | undefined =>
  shapes.find(({ column }) => column.name === name);
