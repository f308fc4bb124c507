/** Compiles what a record becomes: its plans, chosen by a switch or one after the other, into one total function. */
import type { Cells, RecordShape } from '../formats/record-reader.ts';
import type { Problem } from '../kernel/problem.ts';
import { compileScac } from './checked-value.ts';
import { compilePlan, type ReadPlan } from './compile-plan.ts';
import { compileCondition } from './condition.ts';
import type { DocumentParts } from './document-parts.ts';
import { describeFault } from './fault.ts';
import { RECORD_PROBLEMS_MAX } from './limits.ts';
import type { MappedRecord, MappedRequest, RecordMapper } from './request.ts';
import type { FieldContext } from './text-value.ts';

interface CompiledPlan {
  applies: ((fields: readonly string[]) => boolean) | undefined;
  read: ReadPlan;
}

export function compileMapper(parts: DocumentParts, shape: RecordShape, context: FieldContext): RecordMapper {
  const isSkipped = parts.skip === undefined ? undefined : compileCondition(parts.skip, context.indexOf);
  const readScac = parts.scac === undefined ? undefined : compileScac(parts.scac, context);
  const choose = compileChoice(parts, shape, context);
  const isGroup = parts.group !== undefined;
  return (fields, lists = []) => {
    if (isSkipped?.(fields)) return skipped();
    const errors: Problem[] = [];
    const plans = choose(fields, errors);
    if (plans === undefined) return skipped();
    const requests: MappedRequest[] = [];
    const cells: Cells = { fields, lists };
    let asked = 0;
    for (const { applies, read } of plans) {
      if (applies?.(fields) === false) continue;
      asked += 1;
      requests.push(...read(cells, errors));
    }
    if (asked === 0 && errors.length === 0) return skipped();
    const scac = readScac?.(fields, errors);
    if (errors.length > 0) return { requests: [], errors: toldOf(errors, isGroup), skipped: false };
    if (requests.length === 0) return skipped(); // an array without elements
    if (scac !== undefined) for (const request of requests) request.scac = scac;
    return { requests, errors, skipped: false };
  };
}

const skipped = (): MappedRecord => ({ requests: [], errors: [], skipped: true });

/** @returns undefined for a record that is left out. */
type Choose = (fields: readonly string[], errors: Problem[]) => readonly CompiledPlan[] | undefined;

function compileChoice(parts: DocumentParts, shape: RecordShape, context: FieldContext): Choose {
  const compiled = parts.plans.map((plan) => ({
    caseOf: plan.caseOf,
    applies: plan.when === undefined ? undefined : compileCondition(plan.when, context.indexOf),
    read: compilePlan(parts, plan, shape, context),
  }));
  if (parts.switch === undefined) return () => compiled;
  const { column, otherwise } = parts.switch;
  const index = context.indexOf(column);
  const cases = new Map(compiled.map((plan) => [plan.caseOf ?? '', [plan]]));
  const known = [...cases.keys()];
  return (fields, errors) => {
    const value = index === undefined ? '' : (fields[index] ?? '').trim();
    const found = cases.get(value);
    if (found !== undefined) return found;
    if (otherwise === 'skip') return undefined;
    errors.push(describeFault({ code: 'record_kind_unknown', value, known }, { columns: [column], target: 'target' }));
    return [];
  };
}

/**
 * Fields shared by several requests are read for each, and would be blamed for each. The problems of a group are those of
 * many records, told apart later.
 */
function toldOf(errors: readonly Problem[], isGroup: boolean): Problem[] {
  const known = new Map(errors.map((error) => [JSON.stringify(error), error]));
  const all = [...known.values()];
  return isGroup ? all : all.slice(0, RECORD_PROBLEMS_MAX);
}
