/** What the API says of a document that is tried, as the workbench shows it: its page, and its script in the browser. Types only. */

export interface DocumentProblem {
  path: string;
  code: string;
  value?: string;
  message: string;
  wanted: string;
  line?: number;
  column?: number;
}

export interface FileProblem {
  code: string;
  path: string;
  value: string;
  message: string;
  fix: string;
}

export interface ShownRequest {
  kind: string;
  subject: string;
  body: unknown;
}

export interface TriedRecord {
  record: number;
  position: { line: number; byteFrom: number; byteTo: number; place?: string };
  columns: [name: string, cell: string][] | null;
  requests: ShownRequest[];
  errors: FileProblem[];
  skipped: boolean;
  group?: number;
}

export interface ValueOrigin {
  kinds: string[];
  member: string[];
  at: string;
  line?: number;
  columns: string[];
}

/** The answer of `POST …/mappings/preview`. */
export interface TriedAnswer {
  mapping: { name: string; format: string; encoding: string; kinds: readonly string[]; uses: string[] } | null;
  problems: DocumentProblem[];
  codeLists: { list: string | null; problems: DocumentProblem[] }[];
  examples: { count: number; failed: { path: string; wanted: string; received: string }[] } | null;
  origins: ValueOrigin[];
  preview: {
    counts: { records: number; mapped: number; requests: number; skipped: number; invalid: number };
    fileProblems: FileProblem[];
    authorFixes: { code: string; fix: string }[];
    records: TriedRecord[];
    stopped?: true;
  } | null;
}

export type Confidence = 'sure' | 'likely' | 'unsure';

export interface Evidence {
  row: number;
  column: string;
  value: string;
}

export interface Question {
  id: string;
  asks: string;
  why: string;
  columns: readonly string[];
  evidence: readonly Evidence[];
  choices: readonly { choice: string; says: string; isLikely: boolean }[];
  free: 'zone' | 'column' | 'text' | null;
  answer: string | null;
}

/** The answer of `POST …/mappings/suggest`. */
export interface SuggestedAnswer {
  name: string;
  format: { what: string; value: string; confidence: Confidence; reason: string }[];
  records: number;
  target: { kind: string | null; confidence: Confidence; reason: string };
  extends: string | null;
  fields: {
    field: string;
    columns: string[];
    confidence: Confidence;
    reason: string;
    evidence: Evidence | null;
  }[];
  columns: { name: string; samples: string[]; usedFor: string[] }[];
  questions: Question[];
  codeLists: {
    list: string;
    column: string;
    field: string;
    words: { word: string; rows: number; code: string | null; confidence: Confidence; answerId: string }[];
    isCut: boolean;
    yaml: string | null;
  }[];
  yaml: string | null;
  isValid: boolean;
  problems: DocumentProblem[];
}
