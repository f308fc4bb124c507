/** Small documents for tests: a right one to start from, and short ways to a mapper or to the list of problems. */

import { stringify } from 'yaml';
import type { Problem } from '../../../src/kernel/problem.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { checkCodeLists } from '../../../src/mapping/check/code-list.ts';
import { type CompiledMapping, compileMapping } from '../../../src/mapping/compile/compile.ts';
import type { CodeLists } from '../../../src/mapping/document/code-list.ts';
import type { MappingDocument } from '../../../src/mapping/document/document.ts';
import type { DocumentProblem } from '../../../src/mapping/document/problems.ts';
import type { MappedRecord, MilestoneFields, RecordMapper } from '../../../src/mapping/request.ts';
import { milestoneOf } from '../../milestone-of.ts';

export type Loose = Record<string, unknown>;

/** Fills the required fields from the columns Load, Code and When, in UTC. */
export const RIGHT: Loose = {
  mapping: 'trial-csv',
  description: 'A trial.',
  source: { format: 'csv' },
  target: 'milestone',
  zone: { const: 'UTC' },
  fields: { loadNumber: 'Load', eventCode: 'Code', time: { from: 'When', parse: 'yyyy-MM-dd HH:mm' } },
  examples: [{ input: 'Load,Code,When\nL1,X1,2026-03-02 08:00\n', records: [] }],
};

export const LIST_TEXTS = new Map([
  [
    'words',
    stringify({
      list: 'words',
      description: 'Words.',
      codes: { 'Arrived pickup': 'X3', Departed: 'AF', '01': 'P1' },
      unverified: ['Departed'],
    }),
  ],
  [
    'exact',
    stringify({ list: 'exact', description: 'Case counts.', caseSensitive: true, codes: { a: 'LOW', A: 'HIGH' } }),
  ],
  [
    'zones',
    stringify({
      list: 'zones',
      description: 'Zones.',
      codes: { CT: 'America/Chicago', ET: 'America/New_York', CST: 'CST-06:00' },
    }),
  ],
]);

export const LISTS: CodeLists = sound(checkCodeLists(LIST_TEXTS));

function sound<T>(result: { ok: true; value: T } | { ok: false; error: DocumentProblem[] }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error, null, 1));
  return result.value;
}

export const textOf = (changes: Loose = {}): string => stringify({ ...RIGHT, ...changes });

/** The right document with other or further fields; undefined takes one away. */
export const withFields = (fields: Loose): Loose => {
  const all = { ...(RIGHT.fields as Loose), ...fields };
  return { fields: Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined)) };
};

export const documentOf = (changes: Loose = {}): MappingDocument => sound(checkMapping(textOf(changes), LISTS));
export const mappingOf = (changes: Loose = {}): CompiledMapping => compileMapping(documentOf(changes), LISTS);

export function problemsOf(changes: Loose | string): DocumentProblem[] {
  const checked = checkMapping(typeof changes === 'string' ? changes : textOf(changes), LISTS);
  return checked.ok ? [] : checked.error;
}

/** What is wrong where: `code path`. */
export const namesOf = (problems: readonly { code: string; path: string }[]): string[] =>
  problems.map(({ code, path }) => `${code} ${path}`);

export function mapperOf(changes: Loose, columns: readonly string[]): RecordMapper {
  const bound = mappingOf(changes).bind(columns);
  if (!bound.ok) throw new Error(JSON.stringify(bound.error));
  return bound.value.map;
}

/** Maps one record given as cells by column; Load, Code and When are filled unless given. */
export function mapCells(changes: Loose, cells: Record<string, string>): MappedRecord {
  const filled = { Load: 'L1', Code: 'X1', When: '2026-03-02 08:00', ...cells };
  return mapperOf(changes, Object.keys(filled))(Object.values(filled));
}

export function bodyOf(changes: Loose, cells: Record<string, string>): MilestoneFields {
  const { requests, errors } = mapCells(changes, cells);
  if (requests[0] === undefined) throw new Error(JSON.stringify(errors));
  return milestoneOf(requests[0]);
}

export const errorsOf = (changes: Loose, cells: Record<string, string>): Problem[] => mapCells(changes, cells).errors;
