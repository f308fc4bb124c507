/**
 * The well-formed parts of a document: its shared fields and its plans, each one thing a record can become. Checks and
 * compilation both use them, so that both agree and a misspelt key in one field does not hide an unknown code list in
 * another.
 */
import type * as z from 'zod';
import { type RecordSource, recordSource } from '../../formats/reader.ts';
import { REQUEST_KINDS, type RequestKind } from '../request.ts';
import { readsMoment } from '../values/date-time-pattern.ts';
import { type Condition, condition } from './condition.ts';
import { type ClockChanges, clockChanges, type GroupSpec, groupSpec, skipSpec } from './document.ts';
import {
  type CoordinateField,
  columnName,
  type IntegerField,
  type NumberField,
  namedForm,
  ownPatterns,
  type TextField,
  type TimeField,
  textField,
} from './field-spec.ts';
import {
  type ChangeSpec,
  changeRefFields,
  changeSpec,
  longNode,
  ORDER_REF_MEMBER,
  type OrderMembers,
  type OrderNode,
  orderMembers,
  shapeOf,
} from './order-spec.ts';
import type { DocumentPath } from './problems.ts';
import { type EventFieldName, type EventFields, eventFields, isChangeKind, targetFields } from './targets.ts';

export interface Filling {
  fields: EventFields;
  /** Fields that the document fills, well-formed or not: a malformed field is not also missing. */
  names: ReadonlySet<string>;
  /** The well-formed members; undefined if there is no order, or one without any members. */
  order: OrderMembers | undefined;
  /** Whether there is an order, well-formed or not. */
  hasOrder: boolean;
  /** Whether it has its reference, well-formed or not. */
  hasReference: boolean;
  /** How it changes an existing order. */
  change: ChangeSpec | undefined;
  /** Whether it says so, well-formed or not. */
  hasChange: boolean;
}

export interface Plan extends Filling {
  /** Undefined if malformed. */
  target: RequestKind | undefined;
  /** Value of the switch's column; undefined: the plan applies to every record. */
  caseOf: string | undefined;
  when: Condition | undefined;
  /** Path of the array whose elements each become a request. */
  each: string | undefined;
  /** Whether at least one element is required. */
  required: boolean;
  /** Path of the plan's own part. */
  at: DocumentPath;
}

export interface DocumentParts {
  name: unknown;
  source: RecordSource | undefined;
  switch: { column: string; otherwise: 'reject' | 'skip' } | undefined;
  skip: Condition | undefined;
  scac: TextField | undefined;
  zone: TextField | undefined;
  /** Whether the document says anything about the zone, well-formed or not. */
  hasZone: boolean;
  clockChanges: ClockChanges;
  group: GroupSpec | undefined;
  /** What an event in error blocks. */
  isolate: 'event' | 'record';
  /** Whether it says so, well-formed or not. */
  hasIsolate: boolean;
  /** Whether the document groups rows, well-formed or not. */
  hasGroup: boolean;
  hasRequests: boolean;
  /** Its keys about delivery, well-formed or not. */
  deliveryKeys: readonly string[];
  /** Whether it has rules for all lookups, well-formed or not. */
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
    // Each value has just passed the schema of its key.
    fields: Object.fromEntries(valid) as EventFields,
    names: new Set(given.keys()),
    order: wellFormedMembers(order),
    hasOrder: parts.has('order'),
    hasReference: members(order).has(ORDER_REF_MEMBER),
    change: part(changeSpec, parts.get('change')),
    hasChange: parts.has('change'),
  };
}

/** One malformed member must not hide problems of the others. */
function wellFormedMembers(order: unknown): OrderMembers | undefined {
  if (typeof order !== 'object' || order === null || Array.isArray(order)) return undefined;
  return Object.fromEntries(
    Object.entries(order).filter(([name, node]) => orderMembers.safeParse({ [name]: node }).success),
  );
}

/** A field as a plan uses it. */
export interface PlannedField<Name extends EventFieldName = EventFieldName> {
  name: Name;
  /** Read in the element of `each`, if the plan has one; shared fields are always read in the record. */
  isOwn: boolean;
  at: DocumentPath;
}

/** The fields of a plan that its target has: shared ones, overridden by its own with the same name. */
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

/** @returns the order that a plan sends, its own or the shared one, and its path. */
export function plannedOrder(shared: Filling, plan: Plan): { order: OrderMembers | undefined; at: DocumentPath } {
  return plan.hasOrder ? { order: plan.order, at: [...plan.at, 'order'] } : { order: shared.order, at: ['order'] };
}

/** How a plan changes an order, its own rule or the shared one; undefined if malformed. */
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

/*
 * Everything in a document that reads the record, in one list: each leaf with its location and the array it is read in.
 *
 * Checks, columns and code lists all use the leaves, so none of them can forget a kind of field.
 */

type LeafField =
  | { kind: 'text'; field: TextField }
  | { kind: 'zone'; field: TextField }
  | { kind: 'number'; field: IntegerField | NumberField }
  | { kind: 'coordinate'; field: CoordinateField }
  /** `isDay`: only the day is used, and the text has it, so no zone is needed. */
  | { kind: 'time'; field: TimeField; isDay: boolean }
  /** A condition on something that is no leaf itself. @property each the array beside it, in whose elements it is not asked. */
  | { kind: 'condition'; when: Condition; each?: string | undefined };

/** @property scope paths of the arrays around it, outermost first; none: the record itself. */
export type Leaf = LeafField & { target: string; at: DocumentPath; scope: readonly string[] };

const RECORD: readonly string[] = [];

export function leavesOf(parts: DocumentParts): Leaf[] {
  const leaves: Leaf[] = [];
  if (parts.skip !== undefined)
    leaves.push({ kind: 'condition', when: parts.skip, ...inRecord('skip', ['skip', 'when']) });
  if (parts.scac !== undefined) leaves.push({ kind: 'text', field: parts.scac, ...inRecord('scac', ['scac']) });
  if (parts.zone !== undefined) leaves.push({ kind: 'zone', field: parts.zone, ...inRecord('time', ['zone']) });
  leaves.push(...fillingLeaves(parts.shared, [], RECORD));
  leaves.push(...changeRefLeaves(parts));
  for (const plan of parts.plans) {
    const { when, each, at } = plan;
    if (when !== undefined) leaves.push({ kind: 'condition', when, each, ...inRecord('requests', [...at, 'when']) });
    leaves.push(...fillingLeaves(plan, at, plan.each === undefined ? RECORD : [plan.each]));
  }
  return leaves;
}

/** Each once, even if shared. */
function changeRefLeaves(parts: DocumentParts): Leaf[] {
  const leaves = parts.plans
    .filter(({ target }) => isChangeKind(target))
    .flatMap((plan): [string, Leaf][] => {
      const { change, isOwn, at } = plannedChange(parts.shared, plan);
      const scope = isOwn && plan.each !== undefined ? [plan.each] : RECORD;
      return changeRefFields(change ?? {}, parts.source).map((field, index) => [
        JSON.stringify([at, index]),
        { kind: 'text', field, target: 'changeRef', at: [...at, 'changeRef'], scope },
      ]);
    });
  return [...new Map(leaves).values()];
}

const inRecord = (target: string, at: DocumentPath) => ({ target, at, scope: RECORD });

function fillingLeaves({ fields, order }: Filling, at: DocumentPath, scope: readonly string[]): Leaf[] {
  const names = Object.keys(fields) as EventFieldName[];
  return [
    ...names.flatMap((name) => fieldLeaves(name, fields[name], [...at, 'fields', name], scope)),
    ...memberLeaves(order ?? {}, [...at, 'order'], scope),
  ];
}

function fieldLeaves<Name extends EventFieldName>(
  name: Name,
  spec: EventFields[Name],
  at: DocumentPath,
  scope: readonly string[],
): Leaf[] {
  if (spec === undefined) return [];
  const locate = { target: name, at, scope };
  const fields: EventFields = { [name]: spec };
  const { time, event_time, stopsequenceNumber, odometer, coordinate, temperature, references, ...texts } = fields;
  const [text] = Object.values(texts);
  return [
    ...(text === undefined ? [] : [{ kind: 'text', field: text, ...locate } as const]),
    ...timeLeaves(time ?? event_time, locate),
    ...[stopsequenceNumber, odometer].flatMap((field) =>
      field === undefined ? [] : [{ kind: 'number', field, ...locate } as const],
    ),
    ...(['latitude', 'longitude'] as const).flatMap((axis) =>
      coordinate === undefined
        ? []
        : [{ kind: 'coordinate', field: coordinate[axis], target: axis, at: [...at, axis], scope } as const],
    ),
    ...(temperature === undefined ? [] : temperatureLeaves(temperature, at, scope)),
    ...(references ?? []).map(
      (each, index): Leaf => ({
        kind: 'text',
        field: each.value,
        target: `reference ${each.name}`,
        at: [...at, index, 'value'],
        scope,
      }),
    ),
  ];
}

function temperatureLeaves(
  { value, unitOfMeasure, time }: NonNullable<EventFields['temperature']>,
  at: DocumentPath,
  scope: readonly string[],
): Leaf[] {
  const locate = (key: string) => ({ target: `temperature ${key}`, at: [...at, key], scope });
  return [
    { kind: 'number', field: value, ...locate('value') },
    { kind: 'text', field: unitOfMeasure, ...locate('unitOfMeasure') },
    ...timeLeaves(time, locate('time')),
  ];
}

function timeLeaves(field: TimeField | undefined, locate: Omit<Leaf, keyof LeafField | 'kind'>, isDay = false): Leaf[] {
  if (field === undefined) return [];
  const { target, at, scope } = locate;
  const form = namedForm(field.parse);
  return [
    { kind: 'time', field, isDay, target, at, scope },
    ...(form === undefined
      ? []
      : [{ kind: 'text', field: form, target: `form of ${target}`, at: [...at, 'parse'], scope } as const]),
    ...(field.zone === undefined
      ? []
      : [{ kind: 'zone', field: field.zone, target: 'time', at: [...at, 'zone'], scope } as const]),
  ];
}

function memberLeaves(members: OrderMembers, at: DocumentPath, scope: readonly string[]): Leaf[] {
  return Object.entries(members).flatMap(([name, node]) => nodeLeaves(longNode(node), name, [...at, name], scope));
}

function nodeLeaves(node: OrderNode, target: string, at: DocumentPath, scope: readonly string[]): Leaf[] {
  const shape = shapeOf(node);
  const { each } = node;
  const asks = (when: Condition, key: string): Leaf => ({
    kind: 'condition',
    when,
    each,
    target,
    at: [...at, key],
    scope,
  });
  const own: Leaf[] = [
    ...(shape === 'leaf' || node.when === undefined ? [] : [asks(node.when, 'when')]),
    ...(typeof node.required === 'object' ? [asks(node.required, 'required')] : []),
  ];
  const inner = each === undefined ? scope : [...scope, each];
  switch (shape) {
    case 'leaf':
      return [...own, ...leafOf(node, target, at, scope)];
    case 'list':
      return [
        ...own,
        ...(node.list ?? []).flatMap((item, index) =>
          nodeLeaves(longNode(item), target, [...at, 'list', index], scope),
        ),
      ];
    case 'object':
      return [...own, ...memberLeaves(node.object ?? {}, [...at, 'object'], scope)];
    case 'each':
      return [
        ...own,
        ...memberLeaves(node.object ?? {}, [...at, 'object'], inner),
        ...(node.item === undefined ? [] : nodeLeaves(longNode(node.item), target, [...at, 'item'], inner)),
      ];
  }
}

/** A node's keys are a superset of every field's; its `as` says which field it is. */
function leafOf(node: OrderNode, target: string, at: DocumentPath, scope: readonly string[]): Leaf[] {
  const locate = { target, at, scope };
  switch (node.as ?? 'text') {
    case 'text':
    case 'boolean':
      return [{ kind: 'text', field: node as TextField, ...locate }];
    case 'integer':
    case 'number':
      return [{ kind: 'number', field: node as NumberField, ...locate }];
    case 'time':
    case 'dateTime':
      return node.parse === undefined ? [] : timeLeaves(node as TimeField, locate);
    case 'date':
      return node.parse === undefined
        ? []
        : timeLeaves(node as TimeField, locate, !ownPatterns(node.parse).some(readsMoment));
  }
}
