/**
 * What the API answers to the workbench: its page, and its script in the browser. Written down here, since the contract brings
 * types of the runtime along, which a browser does not have; that they agree is seen where the page hands answers on.
 */

import type { Problem } from '../../../kernel/problem.ts';
import type { ValueOrigin } from '../../../mapping/compile/value-origins.ts';
import type { JsonDifference } from '../../../mapping/document/canonical.ts';
import type { DocumentProblem } from '../../../mapping/document/problems.ts';
import type { MappedRequest } from '../../../mapping/request.ts';
import type { ShownDifference } from '../../parts/differences.tsx';
import type { ComparedCounts, DifferingRow } from '../../parts/differing-rows.tsx';

export interface FailedExample extends JsonDifference {
  about: string | null;
}

export interface TriedRecord {
  record: number;
  position: { line: number; byteFrom: number; byteTo: number; place?: string };
  columns: readonly (readonly [name: string, cell: string])[] | null;
  requests: readonly { kind: MappedRequest['kind']; subject: string; body: object }[];
  errors: readonly Problem[];
  skipped: boolean;
  group?: number;
}

/** The answer of `POST …/mappings/preview`. */
export interface TriedAnswer {
  mapping: { name: string; format: string; encoding: string; kinds: readonly string[]; uses: readonly string[] } | null;
  problems: readonly DocumentProblem[];
  codeLists: readonly { list: string | null; problems: readonly DocumentProblem[] }[];
  examples: { count: number; failed: readonly FailedExample[] } | null;
  origins: readonly ValueOrigin[];
  preview: {
    counts: { records: number; mapped: number; requests: number; skipped: number; invalid: number };
    fileProblems: readonly Problem[];
    authorFixes: readonly { code: string; fix: string }[];
    records: readonly TriedRecord[];
    stopped?: true;
  } | null;
}

/** The answer of `POST …/mappings/compare`. @property sha256 null: nothing is published under the name. */
export type ComparedAnswer =
  | { name: string; sha256: null }
  | {
      name: string;
      sha256: string;
      differences: readonly ShownDifference[];
      differencesOmitted: number;
      sample: { counts: ComparedCounts; different: readonly DifferingRow[]; stopped?: true } | null;
    };

/** What the workbench shows of `POST …/batches/{id}/rerun`. */
export interface RerunFound {
  different: readonly DifferingRow[];
  counts: ComparedCounts;
}
