/**
 * What is suggested for a sample file: its format, its columns, what each field of a mapping could read, what has to be
 * asked, and the mapping as YAML. Plain JSON, so that pages, routes and commands show the same.
 */
import type { Json } from '../document/canonical.ts';
import type { CodeLists } from '../document/code-list.ts';
import type { DocumentProblem } from '../document/problems.ts';
import type { RequestKind } from '../request.ts';

/**
 * `sure`: the file itself shows it. `likely`: much speaks for it, nothing against it. `unsure`: somebody has to look;
 * the YAML says so beside the field.
 */
export type Confidence = 'sure' | 'likely' | 'unsure';

/** The value that decides. @property row number of the record, from 1; a header is not a record. */
export interface Evidence {
  row: number;
  column: string;
  value: string;
}

/** One thing found out about the format, such as its delimiter. */
export interface FormatFact {
  what: string;
  value: string;
  confidence: Confidence;
  /** A plain sentence. */
  reason: string;
}

export type ValueKind =
  | 'empty'
  | 'date'
  | 'time'
  | 'date and time'
  | 'whole number'
  | 'number'
  | 'code'
  | 'text'
  /** Rows disagree. */
  | 'mixed';

/** A column of a table, a field of a line, a path in a tree or to an element of a segment. */
export interface ColumnSuggestion {
  /** As a mapping writes it. */
  name: string;
  /** Different values, in the order they are first met. */
  samples: string[];
  rows: number;
  /** Share of the rows in which it is empty, 0 to 1. */
  emptyShare: number;
  /** Different values; `distinctIsAll` false: there are more. */
  distinct: number;
  distinctIsAll: boolean;
  /** The commonest form: A for letters, 9 for digits, all else as it is, such as "AA999999". */
  pattern: string;
  kind: ValueKind;
  /** Fields that read it; none: nothing does. */
  usedFor: string[];
}

export interface FieldSuggestion {
  /** In the document, such as `fields.loadNumber` or `order.consignee.name`. */
  field: string;
  columns: string[];
  /** What the document says there: a column, or an object with functions. */
  spec: Json;
  confidence: Confidence;
  /** A plain sentence. */
  reason: string;
  evidence: Evidence | null;
  /** Somebody may know better: the answer that names another column, and columns that could be meant. */
  other?: { answerId: string; choices: readonly Choice[] };
}

export interface Choice {
  /** What `answers` names. */
  choice: string;
  /** What it means, in words. */
  says: string;
  /** More speaks for it than for the others. */
  isLikely: boolean;
}

/** What the file does not decide. It is open as long as `answer` is null; then the YAML lacks what depends on it. */
export interface Question {
  id: string;
  asks: string;
  /** Why the file does not decide it. */
  why: string;
  columns: readonly string[];
  evidence: readonly Evidence[];
  choices: readonly Choice[];
  /** What else may be answered: a name of a time zone, a column, any text; null: only a choice. */
  free: 'zone' | 'column' | 'text' | null;
  answer: string | null;
}

/**
 * A word of a column with codes. @property code null: nobody knows it yet. @property beside what another column says in
 * each of its rows, and in no other; null: none does.
 */
export interface CodeWord {
  word: string;
  rows: number;
  beside: string | null;
  code: string | null;
  confidence: Confidence;
  /** An answer with this id gives the word a code. */
  answerId: string;
}

/** A code list proposed for a column. */
export interface SuggestedCodeList {
  list: string;
  column: string;
  field: string;
  words: CodeWord[];
  /** Whether there are more words than are listed. */
  isCut: boolean;
  /** What can be sent, for whoever fills in the others. */
  codes: { code: string; means: string }[];
  /** The document of the list; words without a code stand in comments. Null: no word has a code yet. */
  yaml: string | null;
}

export interface Suggestion {
  /** Proposed name of the mapping. */
  name: string;
  /** The `source:` block. Null: the file cannot be read at all, and `format` says why. */
  source: Json | null;
  format: FormatFact[];
  /** Records read of the sample. */
  records: number;
  columns: ColumnSuggestion[];
  target: { kind: RequestKind | null; confidence: Confidence; reason: string };
  /** The shipped mapping that this one extends. */
  extends: string | null;
  fields: FieldSuggestion[];
  questions: Question[];
  codeLists: SuggestedCodeList[];
  /** The mapping; null: there is nothing to write yet. */
  yaml: string | null;
  /** Whether the YAML compiles and its example holds, with the proposed code lists. */
  isValid: boolean;
  /** What keeps it from being valid. */
  problems: DocumentProblem[];
  /** Answers that fit no question, as given. */
  unusedAnswers: string[];
}

/** The mappings and code lists that ship with the product: some suggestions extend or use them. */
export interface Shipped {
  documents: ReadonlyMap<string, string>;
  lists: CodeLists;
}

export interface SampleGiven {
  /** Its name is a hint, and names the mapping. */
  fileName?: string;
  /** Answers by the id of their question. */
  answers?: ReadonlyMap<string, string>;
  /** The bytes are the first part of a larger file: its last record may be cut off. */
  isPart?: boolean;
}
