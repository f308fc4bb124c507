/**
 * Compiles a valid document and its code lists into a mapper: a pure, total function from a record to its requests.
 *
 * Binding to a file's columns comes first and finds every missing column, so that a renamed header is one problem of
 * the file, not one per row. The mapper reads cells by index and never throws.
 */
import { type Checkpoint, type RecordSource, readerOf, sheetReadingOf } from '../../formats/reader.ts';
import type { ReadRecord, RecordReader, RecordShape } from '../../formats/record-reader.ts';
import type { SheetReading } from '../../formats/xlsx/declaration.ts';
import { log, messageOf } from '../../kernel/log.ts';
import type { Position, Problem } from '../../kernel/problem.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { CodeLists } from '../document/code-list.ts';
import { type DeliveryRules, deliveryRules } from '../document/delivery-spec.ts';
import type { MappingDocument } from '../document/document.ts';
import { documentParts } from '../document/document-parts.ts';
import { compileGroup, type GroupReader } from '../groups/grouping.ts';
import { type EnrichmentRules, enrichmentRules, withLookedUp } from '../lookups/enrichment.ts';
import type { Answers, LookedUp } from '../lookups/lookup.ts';
import type { MappedRecord, RecordMapper, RequestKind } from '../request.ts';
import { locationPath } from '../values/fault.ts';
import { locationOf } from '../values/text.ts';
import { bindColumns, columnUses, recordShape } from './columns.ts';
import { compileMapper } from './mapper.ts';
import { sheetTimes } from './sheet-times.ts';

export interface CompiledMapping {
  name: string;
  description: string;
  source: RecordSource;
  /** What is read of each record: columns or paths, each once, and arrays. */
  shape: RecordShape;
  reader: RecordReader<Checkpoint>;
  /** How a workbook is read in place of its file, as text for the reader; null: the file is no table. */
  sheet: SheetReading | null;
  /** The kinds of request a record can become. */
  targets: readonly RequestKind[];
  /** Whether and how several records become one request. */
  group: MappingDocument['group'];
  /** Where it reads a record's SCAC, as problems name it; null: it reads none. */
  scacPath: string | null;
  /** Its delivery rules; null: the defaults. */
  delivery: DeliveryRules | null;
  /** What it looks up, and what it does if nobody answers; null: nothing. */
  enrichment: EnrichmentRules | null;
  /**
   * @param columns of the file, in order. @param answers to its lookups.
   * @returns the mapper, or one problem per missing column.
   */
  bind(columns: readonly string[], answers?: Answers): Result<BoundMapping, Problem[]>;
}

/** The same mapping with these answers, wherever it is bound. */
export const answered = (mapping: CompiledMapping, answers: Answers): CompiledMapping => ({
  ...mapping,
  bind: (columns) => mapping.bind(columns, answers),
});

/** A mapping bound to the columns of one file. */
export interface BoundMapping {
  map: RecordMapper;
  /** How rows are grouped; undefined: every record is separate. */
  group: GroupReader | undefined;
}

/** @param document as `checkMapping` returned it, with the lists it was checked against. */
export function compileMapping(document: MappingDocument, lists: CodeLists): CompiledMapping {
  const parts = documentParts(document);
  const uses = columnUses(parts);
  const shape = recordShape(uses);
  return {
    name: document.mapping,
    description: document.description,
    source: document.source,
    shape,
    reader: readerOf(document.source, shape),
    sheet: sheetReadingOf(document.source, sheetTimes(parts)),
    targets: [...new Set(parts.plans.flatMap(({ target }) => target ?? []))],
    group: document.group,
    scacPath: parts.scac === undefined ? null : locationPath(locationOf(parts.scac, 'scac', { within: '' })),
    delivery: deliveryRules(document.delivery),
    enrichment: enrichmentRules(document, parts),
    bind(columns, answers) {
      const bound = bindColumns(uses, columns);
      if (!bound.ok) return bound;
      const looked: LookedUp[] = [];
      const lookUps = answers && { answers, note: (what: LookedUp) => void looked.push(what) };
      const context = { indexOf: bound.value, lists, within: '', lookUps };
      return ok({
        map: withLookedUp(compileMapper(parts, shape, context), looked),
        group: parts.group === undefined ? undefined : compileGroup(parts, parts.group, context.indexOf),
      });
    },
  };
}

/* One mapped record with its position, and its line of JSON. Pure, except that a bug is logged. */

export interface LocatedRecord {
  position: Position;
  mapped: MappedRecord;
}

/** If a record could not be read, its reader's problem is its only error. */
export function mapRecord(mapper: RecordMapper, record: ReadRecord): LocatedRecord {
  const { position, problem, otherProblems = [] } = record;
  const mapped: MappedRecord =
    problem === undefined
      ? orFault(position, () => mapper(record.fields, record.lists), inError)
      : inError(problem, ...otherProblems);
  return { position, mapped };
}

const inError = (...errors: Problem[]): MappedRecord => ({ requests: [], errors, skipped: false });

/** A bug costs only the record that triggers it: if thrown on, it would stop the whole file at every try. */
export function orFault<Mapped>({ record }: Position, map: () => Mapped, failed: (problem: Problem) => Mapped): Mapped {
  try {
    return map();
  } catch (thrown) {
    log('error', 'mapping_failed', { detail: `record ${record}: ${messageOf(thrown)}` });
    return failed(MAPPING_FAILED);
  }
}

const MAPPING_FAILED: Problem = {
  code: 'mapping_failed',
  path: '',
  value: '',
  message: 'A fault of this service kept it from being mapped; nothing was sent for it.',
  fix: 'Nothing is known to be wrong here. Tell the operator, and send it again once that is mended.',
};

/** The record as one line of JSON without a line end: printed by the `map` command and expected by fixtures. */
export function recordLine({
  position: { record, ...position },
  mapped: { requests, errors, skipped, group, lookedUp },
}: LocatedRecord): string {
  const more = {
    ...(skipped ? { skipped } : {}),
    ...(group === undefined ? {} : { group }),
    ...(lookedUp === undefined ? {} : { lookedUp }),
  };
  return JSON.stringify({ record, position, requests, errors, ...more });
}
