/**
 * Turns a checked document and its code lists into a mapper: a pure, total function from a record to its requests.
 *
 * Binding to a file's columns comes first and finds every missing column at once, so that a renamed header is one
 * problem of the file and not one of each row. The mapper reads cells by index and never throws.
 */
import { type RecordReader, type RecordSource, readerOf } from '../formats/reader.ts';
import type { Problem } from '../kernel/problem.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { bindColumns } from './bind-columns.ts';
import { compileScac } from './checked-value.ts';
import type { CodeLists } from './code-list.ts';
import { columnUses, readingOf } from './columns.ts';
import { compileCondition } from './condition.ts';
import { type MappingDocument, type RequestSpec, requestsOf } from './document.ts';
import { compileMilestone } from './milestone.ts';
import { loadSubject, type MappedRecord, type MappedRequest, type RecordMapper, type RequestKind } from './request.ts';
import type { FieldContext, ReadValue } from './text-value.ts';

export interface CompiledMapping {
  name: string;
  description: string;
  source: RecordSource;
  /** The columns or paths it reads, each once. */
  paths: readonly string[];
  reader: RecordReader;
  target: RequestKind;
  /** @param columns of the file, in order. @returns the mapper, or one problem per column that the file lacks. */
  bind(columns: readonly string[]): Result<RecordMapper, Problem[]>;
}

/** @param document as `checkMapping` returned it, with the lists it was checked against. */
export function compileMapping(document: MappingDocument, lists: CodeLists): CompiledMapping {
  const uses = columnUses(readingOf(document));
  const paths = [...new Set(uses.map(({ column }) => column))];
  return {
    name: document.mapping,
    description: document.description,
    source: document.source,
    paths,
    reader: readerOf(document.source, paths),
    target: document.target,
    bind(columns) {
      const bound = bindColumns(uses, columns);
      return bound.ok ? ok(compileMapper(document, { indexOf: bound.value, lists })) : err(bound.error);
    },
  };
}

type ReadRequest = ReadValue<MappedRequest>;

function compileMapper(document: MappingDocument, context: FieldContext): RecordMapper {
  const isSkipped = document.skip === undefined ? undefined : compileCondition(document.skip.when, context.indexOf);
  const readScac = document.scac === undefined ? undefined : compileScac(document.scac, context);
  const requests = requestsOf(document).map((request) => ({
    applies: request.when === undefined ? undefined : compileCondition(request.when, context.indexOf),
    read: compileRequest(request, document, context),
  }));
  return (fields) => {
    if (isSkipped?.(fields)) return skipped();
    const errors: Problem[] = [];
    const found: MappedRequest[] = [];
    let asked = 0;
    for (const { applies, read } of requests) {
      if (applies?.(fields) === false) continue;
      asked += 1;
      const request = read(fields, errors);
      if (request !== undefined) found.push(request);
    }
    if (asked === 0) return skipped();
    const scac = readScac?.(fields, errors);
    if (errors.length > 0) return { requests: [], errors: asked > 1 ? withoutRepeats(errors) : errors, skipped: false };
    if (scac !== undefined) for (const request of found) request.scac = scac;
    return { requests: found, errors, skipped: false };
  };
}

const skipped = (): MappedRecord => ({ requests: [], errors: [], skipped: true });

function compileRequest(request: RequestSpec, document: MappingDocument, context: FieldContext): ReadRequest {
  const times = { zone: document.zone, clockChanges: document.time ?? {} };
  const readBody = compileMilestone(request.fields, times, context);
  return (fields, errors) => {
    const body = readBody(fields, errors);
    return body === undefined ? undefined : { kind: 'milestone', subject: loadSubject(body.loadNumber), body };
  };
}

/** Fields shared by several requests are read for each, and would be blamed for each. */
function withoutRepeats(errors: readonly Problem[]): Problem[] {
  const known = new Map(errors.map((error) => [JSON.stringify([error.code, error.path, error.message]), error]));
  return [...known.values()];
}
