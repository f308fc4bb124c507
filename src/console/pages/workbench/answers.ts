/** What the API answers to the workbench: its page, and its script in the browser. Types only, as the rooms have them. */

import type { Problem } from '../../../kernel/problem.ts';
import type { ValueOrigin } from '../../../mapping/compile/value-origins.ts';
import type { JsonDifference } from '../../../mapping/document/canonical.ts';
import type { DocumentProblem } from '../../../mapping/document/problems.ts';
import type { MappedRequest } from '../../../mapping/request.ts';
import type { ShownDifference } from '../../parts/differences.tsx';
import type { ComparedCounts, DifferingRow } from '../../parts/differing-rows.tsx';

export interface TriedRecord {
  record: number;
  position: { line: number; byteFrom: number; byteTo: number; place?: string };
  columns: [name: string, cell: string][] | null;
  requests: MappedRequest[];
  errors: Problem[];
  skipped: boolean;
  group?: number;
}

/** The answer of `POST …/mappings/preview`. */
export interface TriedAnswer {
  mapping: { name: string; format: string; encoding: string; kinds: readonly string[]; uses: string[] } | null;
  problems: DocumentProblem[];
  codeLists: { list: string | null; problems: DocumentProblem[] }[];
  examples: { count: number; failed: JsonDifference[] } | null;
  origins: ValueOrigin[];
  preview: {
    counts: { records: number; mapped: number; requests: number; skipped: number; invalid: number };
    fileProblems: Problem[];
    authorFixes: { code: string; fix: string }[];
    records: TriedRecord[];
    stopped?: true;
  } | null;
}

/** The answer of `POST …/mappings/compare`. @property sha256 null: nothing is published under the name. */
export type ComparedAnswer =
  | { name: string; sha256: null }
  | {
      name: string;
      sha256: string;
      differences: ShownDifference[];
      differencesOmitted: number;
      sample: { counts: ComparedCounts; different: DifferingRow[]; stopped?: true } | null;
    };

/** What the workbench shows of `POST …/batches/{id}/rerun`. */
export interface RerunFound {
  different: DifferingRow[];
  counts: ComparedCounts;
}
