/**
 * One slice of a batch's bytes → rows and requests. Pure: the object reads the bytes and stores what comes back.
 *
 * Replaying a slice gives the same rows under the same numbers, because records are numbered by the bytes.
 */
import type { Checkpoint } from '../formats/reader.ts';
import type { Position, Problem } from '../kernel/problem.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import { mapRecord, type PlacedRecord } from '../mapping/map-record.ts';
import type { MappedRecord, MappedRequest } from '../mapping/request.ts';

/** Who may send for whom, as the upload's key says. */
export interface ScacRule {
  scac: string | null;
  allowed: readonly string[];
}

export interface MappedRow {
  position: Position;
  /** Set when the record has no request. */
  state: 'invalid' | 'skipped' | null;
  problems: Problem[];
  requests: (MappedRequest & { scac: string })[];
}

export type SliceRun =
  /** `endProblem`: the file breaks off behind these rows, which stand. */
  | { outcome: 'rows'; rows: MappedRow[]; checkpoint: Checkpoint; finished: boolean; endProblem: Problem | null }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: Problem[] };

/**
 * @param slice `bytes` begin at `checkpoint.byte`; `atEnd` when they reach the end of the file.
 * @returns `more` when no whole record fits and a longer slice may help.
 */
export function runSlice(
  mapping: CompiledMapping,
  rule: ScacRule,
  slice: { bytes: Uint8Array; atEnd: boolean; checkpoint: Checkpoint },
): SliceRun {
  const read = mapping.reader.read(slice.checkpoint, slice.bytes, slice.atEnd);
  switch (read.outcome) {
    case 'more':
      return read;
    case 'unreadable':
      return read;
    case 'records': {
      const bound = mapping.bind(read.columns);
      if (!bound.ok) return { outcome: 'unreadable', problems: bound.error };
      const rows = read.records.map((record) => mappedRow(mapRecord(bound.value.map, record), rule));
      const { checkpoint, finished, endProblem } = read;
      return { outcome: 'rows', rows, checkpoint, finished, endProblem };
    }
  }
}

function mappedRow({ position, mapped }: PlacedRecord, rule: ScacRule): MappedRow {
  const { problems, requests } = withScac(mapped, rule);
  if (problems.length > 0) return { position, state: 'invalid', problems, requests: [] };
  return { position, state: requests.length === 0 ? 'skipped' : null, problems: [], requests };
}

/** What is wrong with a SCAC is said once, however many requests of the record share it. */
function withScac(mapped: MappedRecord, rule: ScacRule): { problems: Problem[]; requests: MappedRow['requests'] } {
  const placed = mapped.requests.map((request) => ({ ...request, scac: request.scac ?? rule.scac }));
  const scacs = new Set(placed.map(({ scac }) => scac));
  return {
    problems: [...mapped.errors, ...[...scacs].flatMap((scac) => scacProblems(scac, rule))],
    requests: placed.flatMap(({ scac, ...request }) => (scac === null ? [] : [{ ...request, scac }])),
  };
}

function scacProblems(scac: string | null, rule: ScacRule): Problem[] {
  if (scac === null) return [scacMissing(rule)];
  return rule.allowed.includes(scac) ? [] : [scacNotAllowed(scac, rule)];
}

const scacMissing = (rule: ScacRule): Problem => ({
  code: 'scac_missing',
  path: '',
  value: '',
  message: 'This record names no SCAC, and the upload named none.',
  fix: `Add scac=… to the upload address; your key may use ${rule.allowed.join(', ')}.`,
});

const scacNotAllowed = (scac: string, rule: ScacRule): Problem => ({
  code: 'scac_not_allowed',
  path: 'scac',
  value: scac,
  message: `Your key may not send for SCAC ${scac}.`,
  fix: `Use one of ${rule.allowed.join(', ')}, or ask the operator to add ${scac} to your key.`,
});
