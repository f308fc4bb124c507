/** Compiles what a record becomes: its plans, chosen by a switch or one after the other, into one total function. */
import type { Cells, RecordShape } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import { compileCondition } from '../document/condition.ts';
import {
  type DocumentParts,
  type Plan,
  type PlannedField,
  plannedChange,
  plannedFields,
  plannedOrder,
  specOf,
} from '../document/document-parts.ts';
import { GROUP_ROWS, ORDER_REF_MEMBER, type OrderMembers } from '../document/order-spec.ts';
import { type EventFieldName, type EventKind, isOrderKind } from '../document/targets.ts';
import { ELEMENTS_MAX, RECORD_PROBLEMS_MAX } from '../limits.ts';
import {
  loadSubject,
  type MappedRecord,
  type MappedRequest,
  type OrderKind,
  orderSubject,
  type RecordMapper,
} from '../request.ts';
import { compileScac } from '../values/checked.ts';
import type { IndexOf } from '../values/origin.ts';
import { elementsOf, type FieldContext, inElement, type PathStyle, type ReadValue, refuse } from '../values/text.ts';
import type { TimeDefaults } from '../values/time.ts';
import { compileLoadMilestoneEvent, compileMilestone, compileTrace, type EventScope } from './events.ts';
import { compileChange, compileOrder, type ListScope, type TreeScope } from './order.ts';

/* Where the nodes of an order are read: the record, the rows of its group, and the arrays inside, nested. */

/** A problem of one row of a group; the caller, which knows the rows' positions, adds the position. */
export interface RowProblem extends Problem {
  row?: number;
}

function treeScope(parts: DocumentParts, shape: RecordShape, context: FieldContext): TreeScope {
  const times = { zone: parts.zone, zoneContext: context, clockChanges: parts.clockChanges };
  const record = elementScope(shape, context, times, parts.source?.format === 'xml' ? 'xml' : 'json');
  if (parts.group === undefined) return record;
  // The rows of the group come before the arrays of its first row, and a row has all columns itself.
  return {
    ...record,
    list(each) {
      if (each === GROUP_ROWS) {
        const locate = ([row = 0]: readonly number[], problem: Problem): RowProblem => ({ ...problem, row });
        return { index: 0, scope: record, joins: false, place: locate };
      }
      const inner = record.list(each);
      return { ...inner, index: inner.index + 1 };
    },
  };
}

function elementScope(shape: RecordShape, context: FieldContext, times: TimeDefaults, style: PathStyle): TreeScope {
  return {
    context,
    times,
    list(each) {
      const index = shape.lists.findIndex(({ path }) => path === each);
      const element = shape.lists[index]?.shape ?? { paths: [], lists: [] };
      const { zoneContext } = times;
      const shifted = { ...zoneContext, indexOf: shiftedBy(element.paths.length, zoneContext.indexOf) };
      const within = elementsOf(context.within, each, style);
      const inner = { ...context, indexOf: indexIn(element.paths), within };
      return {
        index,
        scope: elementScope(element, inner, { ...times, zoneContext: shifted }, style),
        joins: true,
        place: (at, problem) => inElement(within, at, problem),
      };
    },
  };
}

/** Index of a record's column when an element's cells precede it. */
const shiftedBy =
  (width: number, indexOf: IndexOf): IndexOf =>
  (column) => {
    const index = indexOf(column);
    return index === undefined ? undefined : index + width;
  };

function indexIn(paths: readonly string[]): IndexOf {
  const indexes = new Map(paths.map((path, index) => [path.trim(), index]));
  return (column) => indexes.get(column.trim());
}

/* Compiles one plan: a record's request of that kind, or one request per element of an array. */

/** Adds problems to `errors`. @returns the requests without one. */
type ReadPlan = (cells: Cells, errors: Problem[]) => readonly MappedRequest[];

function compilePlan(parts: DocumentParts, plan: Plan, shape: RecordShape, context: FieldContext): ReadPlan {
  const { target } = plan;
  if (target === undefined) throw new Error('a plan without a target: the document was not checked');
  const scope = treeScope(parts, shape, context);
  const list = plan.each === undefined ? undefined : scope.list(plan.each);
  if (isOrderKind(target)) {
    const read = compileOrderRequest(parts, plan, target, list?.scope ?? scope);
    return list === undefined ? asOne(read) : forEach(list, plan, read);
  }
  // Own fields are read in the element, shared ones in the record: both are in one row of cells, the element's first.
  const own = list?.scope ?? scope;
  const shared = own.times.zoneContext;
  const event = compileEvent(target, eventScope(parts, { ...plan, target }, own.context, shared));
  const read: ReadOne = (cells, errors) => event(cells.fields, errors);
  return list === undefined ? asOne(read) : forEach(list, plan, read);
}

type ReadOne = (cells: Cells, errors: Problem[]) => MappedRequest | undefined;

const asOne =
  (read: ReadOne): ReadPlan =>
  (cells, errors) => {
    const before = errors.length;
    const request = read(cells, errors);
    return request === undefined || errors.length > before ? [] : [request];
  };

function forEach(list: ListScope, { each = '', required }: Plan, read: ReadOne): ReadPlan {
  return (cells, errors) => {
    const items = cells.lists[list.index] ?? [];
    const elements = items.length;
    const place = { columns: [each], target: each };
    if (elements === 0 && required) refuse({ code: 'elements_missing' }, place, errors);
    if (elements > ELEMENTS_MAX) {
      refuse({ code: 'array_too_long', elements, elementsMax: ELEMENTS_MAX }, place, errors);
      return [];
    }
    return items.flatMap((item, at) => {
      const wrongs: Problem[] = [];
      const request = read({ fields: [...item.fields, ...cells.fields], lists: item.lists }, wrongs);
      for (const problem of wrongs) errors.push(list.place(item.at ?? [at], problem));
      return request === undefined || wrongs.length > 0 ? [] : [request];
    });
  };
}

/** A cancellation carries only the reference, even if it shares the order with other requests. */
function sentOrder(parts: DocumentParts, plan: Plan, target: OrderKind): OrderMembers {
  const { order = {} } = plannedOrder(parts.shared, plan);
  if (target !== 'order.cancel') return order;
  return Object.fromEntries(Object.entries(order).filter(([name]) => name === ORDER_REF_MEMBER));
}

function compileOrderRequest(parts: DocumentParts, plan: Plan, target: OrderKind, scope: TreeScope): ReadOne {
  const order = sentOrder(parts, plan, target);
  switch (target) {
    case 'order.create':
    case 'order.cancel': {
      const read = compileOrder(order, scope);
      return (cells, errors) => {
        const body = read(cells, errors);
        return body && { kind: target, subject: orderSubject(body.orderRef), body };
      };
    }
    case 'order.update':
    case 'order.upsert': {
      const { change = {}, isOwn } = plannedChange(parts.shared, plan);
      const refContext = isOwn ? scope.context : scope.times.zoneContext;
      const read = compileChange(order, { kind: target, change, source: parts.source, refContext }, scope);
      return (cells, errors) => {
        const body = read(cells, errors);
        return body && { kind: target, subject: orderSubject(body.orderRef), body };
      };
    }
  }
}

function eventScope(
  parts: DocumentParts,
  plan: Plan & { target: EventKind },
  own: FieldContext,
  shared: FieldContext,
): EventScope {
  const planned = new Map(plannedFields(parts.shared, plan).map((field) => [field.name, field]));
  return {
    target: plan.target,
    spec: <Name extends EventFieldName>(name: Name) => {
      const field = planned.get(name) as PlannedField<Name> | undefined;
      return field === undefined ? undefined : specOf(parts.shared, plan, field);
    },
    context: (name) => (planned.get(name)?.isOwn === true ? own : shared),
    times: { zone: parts.zone, zoneContext: shared, clockChanges: parts.clockChanges },
  };
}

function compileEvent(target: EventKind, scope: EventScope): ReadValue<MappedRequest> {
  switch (target) {
    case 'milestone': {
      const read = compileMilestone(scope);
      return (fields, errors) => {
        const body = read(fields, errors);
        return body && { kind: 'milestone', subject: loadSubject(body.loadNumber), body };
      };
    }
    case 'trace': {
      const read = compileTrace(scope);
      return (fields, errors) => {
        const body = read(fields, errors);
        return body && { kind: 'trace', subject: loadSubject(body.loadNumber), body };
      };
    }
    case 'loadMilestoneEvent': {
      const read = compileLoadMilestoneEvent(scope);
      return (fields, errors) => {
        const body = read(fields, errors);
        return body && { kind: 'loadMilestoneEvent', subject: loadSubject(body.load_id), body };
      };
    }
  }
}

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
      for (const request of read(cells, errors)) requests.push(request);
      isWhole ||= isOrder && errors.length > before;
    }
    if (asked === 0 && errors.length === 0) return skipped();
    const before = errors.length;
    const scac = readScac?.(fields, errors);
    isWhole ||= errors.length > before;
    const sent = isWhole && errors.length > 0 ? [] : requests;
    if (sent.length === 0 && errors.length === 0) return skipped(); // an array without elements
    if (scac !== undefined) for (const request of sent) request.scac = scac;
    return { requests: sent, errors: reportOf(errors, isGroup), skipped: false };
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
    refuse({ code: 'record_kind_unknown', value, known }, { columns: [column], target: 'target' }, errors);
    return [];
  };
}

/**
 * Fields shared by several requests are read for each, but their problems are reported once. The problems of a group
 * are those of many records, separated later.
 */
function reportOf(errors: readonly Problem[], isGroup: boolean): Problem[] {
  if (errors.length === 0) return [];
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
