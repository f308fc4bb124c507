/**
 * The parts of a document that have the right form, wrong ones left out: its shared fields and its plans.
 *
 * A plan is one thing a record can become: a case of the switch, an entry of `requests`, or the document's own target.
 * Checking works on the parts, so that a misspelt key in one field does not hide an unknown code list in another; what is
 * compiled is made of the same parts, so that both mean the same.
 */
import type { z } from 'zod';
import { type RecordSource, recordSource } from '../../formats/reader.ts';
import { REQUEST_KINDS, type RequestKind } from '../request.ts';
import { type ChangeSpec, changeSpec } from './change-spec.ts';
import { type Condition, condition } from './condition.ts';
import { type ClockChanges, clockChanges, type GroupSpec, groupSpec, skipSpec } from './document.ts';
import type { DocumentPath } from './document-problem.ts';
import { type EventFieldName, type EventFields, eventFields } from './event-spec.ts';
import { columnName, type TextField, textField } from './field-spec.ts';
import { ORDER_REF_MEMBER, type OrderMembers, orderMembers } from './order-spec.ts';
import { targetFields } from './targets.ts';

export interface Filling {
  fields: EventFields;
  /** Fields the document fills, in whatever form: a field of wrong form is not also missing. */
  names: ReadonlySet<string>;
  /** The members of right form; undefined where there is no order, or one that has no members at all. */
  order: OrderMembers | undefined;
  /** Whether there is an order, in whatever form. */
  hasOrder: boolean;
  /** Whether it has its reference, in whatever form. */
  hasReference: boolean;
  /** How it changes an order that exists. */
  change: ChangeSpec | undefined;
  /** Whether it says that, in whatever form. */
  hasChange: boolean;
}

export interface Plan extends Filling {
  /** Undefined where its form is wrong. */
  target: RequestKind | undefined;
  /** Value of the switch's column; undefined: the plan is looked at for every record. */
  caseOf: string | undefined;
  when: Condition | undefined;
  /** Path of the array whose elements become a request each. */
  each: string | undefined;
  /** Whether there must be an element. */
  required: boolean;
  /** Where what is its own stands. */
  at: DocumentPath;
}

export interface DocumentParts {
  name: unknown;
  source: RecordSource | undefined;
  switch: { column: string; otherwise: 'reject' | 'skip' } | undefined;
  skip: Condition | undefined;
  scac: TextField | undefined;
  zone: TextField | undefined;
  /** Whether the document says anything about the zone, in whatever form. */
  hasZone: boolean;
  clockChanges: ClockChanges;
  group: GroupSpec | undefined;
  /** What an event in error withholds. */
  isolate: 'event' | 'record';
  /** Whether it says so, in whatever form. */
  hasIsolate: boolean;
  /** Whether rows come together, in whatever form the document says so. */
  hasGroup: boolean;
  hasRequests: boolean;
  /** What it asks of delivery, in whatever form. */
  deliveryKeys: readonly string[];
  /** Whether it says anything about look-ups as a whole, in whatever form. */
  hasEnrichment: boolean;
  shared: Filling;
  plans: Plan[];
}

export function documentParts(document: unknown): DocumentParts {
  const whole = members(document);
  return {
    name: whole.get('mapping'),
    source: part(recordSource, whole.get('source')),
    switch: switchOf(members(whole.get('target'))),
    skip: part(skipSpec, whole.get('skip'))?.when,
    scac: part(textField, whole.get('scac')),
    zone: part(textField, whole.get('zone')),
    hasZone: whole.has('zone'),
    clockChanges: part(clockChanges, whole.get('time')) ?? {},
    group: part(groupSpec, whole.get('group')),
    isolate: whole.get('isolate') === 'record' ? 'record' : 'event',
    hasIsolate: whole.has('isolate'),
    hasGroup: whole.has('group'),
    hasRequests: whole.has('requests'),
    deliveryKeys: [...members(whole.get('delivery')).keys()],
    hasEnrichment: whole.has('enrichment'),
    shared: filling(whole),
    plans: plansOf(whole),
  };
}

function switchOf(target: Members): DocumentParts['switch'] {
  const column = part(columnName, target.get('switch'));
  if (column === undefined) return undefined;
  return { column, otherwise: target.get('otherwise') === 'skip' ? 'skip' : 'reject' };
}

const NOTHING: Filling = {
  fields: {},
  names: new Set(),
  order: undefined,
  hasOrder: false,
  hasReference: false,
  change: undefined,
  hasChange: false,
};
const ALWAYS = { caseOf: undefined, when: undefined, each: undefined, required: false };

function plansOf(whole: Members): Plan[] {
  const target = whole.get('target');
  const own = kindOf(target);
  const requests = whole.get('requests');
  if (Array.isArray(requests)) {
    return requests.map((request, index) => {
      const parts = members(request);
      return {
        ...filling(parts),
        target: parts.has('target') ? kindOf(parts.get('target')) : own,
        caseOf: undefined,
        when: part(condition, parts.get('when')),
        each: part(columnName, parts.get('each')),
        required: parts.has('required'),
        at: ['requests', index],
      };
    });
  }
  if (own !== undefined) return [{ ...NOTHING, ...ALWAYS, target: own, at: [] }];
  return [...members(members(target).get('cases'))].map(([value, each]) => ({
    ...filling(members(each)),
    ...ALWAYS,
    target: kindOf(each) ?? kindOf(members(each).get('target')),
    caseOf: value,
    at: ['target', 'cases', value],
  }));
}

const kindOf = (value: unknown): RequestKind | undefined => REQUEST_KINDS.find((kind) => kind === value);

function filling(parts: Members): Filling {
  const given = members(parts.get('fields'));
  const order = parts.get('order');
  const valid = Object.entries(eventFields.shape).flatMap(([name, schema]) => {
    const value = part(schema, given.get(name));
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    // Each value has just passed the schema of its own key.
    fields: Object.fromEntries(valid) as EventFields,
    names: new Set(given.keys()),
    order: soundMembers(order),
    hasOrder: parts.has('order'),
    hasReference: members(order).has(ORDER_REF_MEMBER),
    change: part(changeSpec, parts.get('change')),
    hasChange: parts.has('change'),
  };
}

/** One member of wrong form must not hide what is wrong with the others. */
function soundMembers(order: unknown): OrderMembers | undefined {
  if (typeof order !== 'object' || order === null || Array.isArray(order)) return undefined;
  return Object.fromEntries(
    Object.entries(order).filter(([name, node]) => orderMembers.safeParse({ [name]: node }).success),
  );
}

/** A field as a plan uses it. */
export interface PlannedField<Name extends EventFieldName = EventFieldName> {
  name: Name;
  /** Read in the element of `each`, where the plan has one; shared fields are always the record's. */
  isOwn: boolean;
  at: DocumentPath;
}

/** The fields of a plan that its target has: the shared ones, with its own laid over them by name. */
export function plannedFields(shared: Filling, plan: Plan): PlannedField[] {
  if (plan.target === undefined) return [];
  return targetFields(plan.target).flatMap((field): PlannedField[] => {
    const name = field.name as EventFieldName; // a unit test holds the table and the form together
    if (plan.names.has(name)) return [{ name, isOwn: true, at: [...plan.at, 'fields', name] }];
    return shared.names.has(name) ? [{ name, isOwn: false, at: ['fields', name] }] : [];
  });
}

export const specOf = <Name extends EventFieldName>(
  shared: Filling,
  plan: Plan,
  { name, isOwn }: PlannedField<Name>,
): EventFields[Name] => (isOwn ? plan.fields[name] : shared.fields[name]);

/** @returns the order a plan sends, its own or the shared one, and where it stands. */
export function plannedOrder(shared: Filling, plan: Plan): { order: OrderMembers | undefined; at: DocumentPath } {
  return plan.hasOrder ? { order: plan.order, at: [...plan.at, 'order'] } : { order: shared.order, at: ['order'] };
}

/** How a plan changes an order, its own way or the shared one; undefined where that is of wrong form. */
export function plannedChange(
  shared: Filling,
  plan: Plan,
): { change: ChangeSpec | undefined; isOwn: boolean; at: DocumentPath } {
  return plan.hasChange
    ? { change: plan.change, isOwn: true, at: [...plan.at, 'change'] }
    : { change: shared.hasChange ? shared.change : {}, isOwn: false, at: ['change'] };
}

function part<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

type Members = ReadonlyMap<string, unknown>;

/** A Map, so that no key of the document can reach an object's prototype. */
function members(value: unknown): Members {
  return new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
}
