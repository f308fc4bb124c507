/** Compiles one plan: the request of its kind that a record becomes, or one request per element of an array. */
import type { Cells, RecordShape } from '../formats/reader.ts';
import type { Problem } from '../kernel/problem.ts';
import {
  type DocumentParts,
  type Plan,
  type PlannedField,
  plannedFields,
  plannedOrder,
  specOf,
} from './document-parts.ts';
import type { EventFieldName } from './event-spec.ts';
import type { EventScope } from './event-values.ts';
import { compileLoadMilestoneEvent } from './load-milestone-event.ts';
import { compileMilestone } from './milestone.ts';
import { compileOrder } from './order.ts';
import { loadSubject, type MappedRequest, orderSubject } from './request.ts';
import { type EventKind, isOrderKind } from './targets.ts';
import type { FieldContext, ReadValue } from './text-value.ts';
import { compileTrace } from './trace.ts';
import { indexIn, inElement, shiftedBy, treeScope } from './tree-scope.ts';

/** Adds to `errors` what is wrong; what it returns then is not used. */
export type ReadPlan = (cells: Cells, errors: Problem[]) => readonly MappedRequest[];

export function compilePlan(parts: DocumentParts, plan: Plan, shape: RecordShape, context: FieldContext): ReadPlan {
  const { target } = plan;
  if (target === undefined) throw new Error('a plan without a target: the document was not checked');
  if (isOrderKind(target)) {
    const { order = {} } = plannedOrder(parts.shared, plan);
    const read = compileOrder(order, treeScope(parts, shape, context));
    return (cells, errors) => {
      const body = read(cells, errors);
      return body === undefined ? [] : [{ kind: target, subject: orderSubject(body.orderRef), body }];
    };
  }
  if (plan.each !== undefined) return compileEachElement(parts, { ...plan, each: plan.each, target }, shape, context);
  const read = compileEvent(target, eventScope(parts, { ...plan, target }, context, context));
  return (cells, errors) => {
    const request = read(cells.fields, errors);
    return request === undefined ? [] : [request];
  };
}

/** Own fields are read in the element, shared ones in the record: both stand in one row of cells, the element's first. */
function compileEachElement(
  parts: DocumentParts,
  plan: Plan & { each: string; target: EventKind },
  shape: RecordShape,
  context: FieldContext,
): ReadPlan {
  const index = shape.lists.findIndex(({ path }) => path === plan.each);
  const element = shape.lists[index]?.shape ?? { paths: [], lists: [] };
  const width = element.paths.length;
  const own = { ...context, indexOf: indexIn(element.paths) };
  const shared = { ...context, indexOf: shiftedBy(width, context.indexOf) };
  const read = compileEvent(plan.target, eventScope(parts, plan, own, shared));
  return (cells, errors) => {
    const requests: MappedRequest[] = [];
    for (const [at, item] of (cells.lists[index] ?? []).entries()) {
      const wrongs: Problem[] = [];
      const request = read([...item.fields, ...cells.fields], wrongs);
      for (const problem of wrongs) errors.push(inElement(plan.each, element.paths, at, problem));
      if (request !== undefined) requests.push(request);
    }
    return requests;
  };
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
