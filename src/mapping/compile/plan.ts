/** Compiles one plan: the request of its kind that a record becomes, or one request per element of an array. */
import type { Cells, RecordShape } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import {
  type DocumentParts,
  type Plan,
  type PlannedField,
  plannedChange,
  plannedFields,
  plannedOrder,
  specOf,
} from '../document/document-parts.ts';
import type { EventFieldName } from '../document/event-spec.ts';
import { ORDER_REF_MEMBER, type OrderMembers } from '../document/order-spec.ts';
import { type EventKind, isOrderKind } from '../document/targets.ts';
import { ELEMENTS_MAX } from '../limits.ts';
import { loadSubject, type MappedRequest, type OrderKind, orderSubject } from '../request.ts';
import { describeFault } from '../values/fault.ts';
import type { FieldContext, ReadValue } from '../values/text.ts';
import type { EventScope } from './event-values.ts';
import { compileLoadMilestoneEvent } from './load-milestone-event.ts';
import { compileMilestone } from './milestone.ts';
import { compileOrder, type ListScope, type TreeScope } from './order.ts';
import { compileChange } from './order-change.ts';
import { compileTrace } from './trace.ts';
import { treeScope } from './tree-scope.ts';

/** Adds to `errors` what is wrong. @returns the requests in which nothing is. */
export type ReadPlan = (cells: Cells, errors: Problem[]) => readonly MappedRequest[];

export function compilePlan(parts: DocumentParts, plan: Plan, shape: RecordShape, context: FieldContext): ReadPlan {
  const { target } = plan;
  if (target === undefined) throw new Error('a plan without a target: the document was not checked');
  const scope = treeScope(parts, shape, context);
  const list = plan.each === undefined ? undefined : scope.list(plan.each);
  if (isOrderKind(target)) {
    const read = compileOrderRequest(parts, plan, target, list?.scope ?? scope);
    return list === undefined ? asOne(read) : forEach(list, plan, read);
  }
  // Own fields are read in the element, shared ones in the record: both stand in one row of cells, the element's first.
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
    if (elements === 0 && required) {
      errors.push(describeFault({ code: 'elements_missing' }, { columns: [each], target: each }));
      return [];
    }
    if (elements > ELEMENTS_MAX) {
      const fault = { code: 'array_too_long', elements, elementsMax: ELEMENTS_MAX } as const;
      errors.push(describeFault(fault, { columns: [each], target: each }));
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

/** A cancellation carries nothing but the reference, also where it shares the order with other requests. */
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
