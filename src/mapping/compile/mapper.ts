/** Compiles what a record becomes: its plans, chosen by a switch or one after the other, into one total function. */
import type { Cells, RecordShape } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import { compileCondition } from '../document/condition.ts';
import type { DocumentParts } from '../document/document-parts.ts';
import { isOrderKind } from '../document/targets.ts';
import { RECORD_PROBLEMS_MAX } from '../limits.ts';
import type { MappedRecord, MappedRequest, RecordMapper } from '../request.ts';
import { compileScac } from '../values/checked.ts';
import { describeFault } from '../values/fault.ts';
import type { FieldContext } from '../values/text.ts';
import { compilePlan, type ReadPlan } from './plan.ts';

interface CompiledPlan {
  isOrder: boolean;
  applies: ((fields: readonly string[]) => boolean) | undefined;
  read: ReadPlan;
}

export function compileMapper(parts: DocumentParts, shape: RecordShape, context: FieldContext): RecordMapper {
  const isSkipped = parts.skip === undefined ? undefined : compileCondition(parts.skip, context.indexOf);
  const readScac = parts.scac === undefined ? undefined : compileScac(parts.scac, context);
  const choose = compileChoice(parts, shape, context);
  const isGroup = parts.group !== undefined;
  const isolate = isGroup ? 'record' : parts.isolate;
  return (fields, lists = []) => {
    if (isSkipped?.(fields)) return skipped();
    const errors: Problem[] = [];
    const plans = choose(fields, errors);
    if (plans === undefined) return skipped();
    const requests: MappedRequest[] = [];
    const cells: Cells = { fields, lists };
    let asked = 0;
    let isWhole = isolate === 'record' || errors.length > 0;
    for (const { isOrder, applies, read } of plans) {
      if (applies?.(fields) === false) continue;
      asked += 1;
      const before = errors.length;
      requests.push(...read(cells, errors));
      isWhole ||= isOrder && errors.length > before;
    }
    if (asked === 0 && errors.length === 0) return skipped();
    const before = errors.length;
    const scac = readScac?.(fields, errors);
    isWhole ||= errors.length > before;
    const sent = isWhole && errors.length > 0 ? [] : requests;
    if (sent.length === 0 && errors.length === 0) return skipped(); // an array without elements
    if (scac !== undefined) for (const request of sent) request.scac = scac;
    return { requests: sent, errors: toldOf(errors, isGroup), skipped: false };
  };
}

const skipped = (): MappedRecord => ({ requests: [], errors: [], skipped: true });

/** @returns undefined for a record that is left out. */
type Choose = (fields: readonly string[], errors: Problem[]) => readonly CompiledPlan[] | undefined;

function compileChoice(parts: DocumentParts, shape: RecordShape, context: FieldContext): Choose {
  const compiled = parts.plans.map((plan) => ({
    caseOf: plan.caseOf,
    isOrder: plan.target !== undefined && isOrderKind(plan.target),
    applies: plan.when === undefined ? undefined : compileCondition(plan.when, context.indexOf),
    read: compilePlan(parts, plan, shape, context),
  }));
  if (parts.switch === undefined) return () => compiled;
  const { column, otherwise } = parts.switch;
  const index = context.indexOf(column);
  const cases = new Map(compiled.map((plan) => [plan.caseOf ?? '', [plan]]));
  const known = [...cases.keys()];
  return (fields, errors) => {
    const value = index === undefined ? '' : trimmed(fields[index] ?? '');
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
  if (isGroup || all.length <= RECORD_PROBLEMS_MAX) return all;
  const told = all.slice(0, RECORD_PROBLEMS_MAX - 1);
  return [...told, moreProblems(all.length - told.length)];
}

const moreProblems = (count: number): Problem => ({
  code: 'more_problems',
  path: '',
  value: `${count}`,
  message: `There are ${count} more problems in this record, which are not listed.`,
  fix: 'Correct those that are listed and send the record again; what was sent of it is not sent twice.',
});
