/**
 * Everything in a document that reads the record, in one list: each leaf with its place and the array it is read in.
 *
 * Checks, columns and code lists are found by going through the leaves, so none of them can forget a kind of field.
 */

import { readsMoment } from '../values/date-time-pattern.ts';
import { changeRefFields } from './change-spec.ts';
import type { Condition } from './condition.ts';
import { type DocumentParts, type Filling, plannedChange } from './document-parts.ts';
import type { DocumentPath } from './document-problem.ts';
import type { EventFieldName, EventFields } from './event-spec.ts';
import {
  type CoordinateField,
  type IntegerField,
  type NumberField,
  namedForm,
  ownPatterns,
  type TextField,
  type TimeField,
} from './field-spec.ts';
import { longNode, type OrderMembers, type OrderNode, shapeOf } from './order-spec.ts';
import { isChangeKind } from './targets.ts';

export type LeafField =
  | { kind: 'text'; field: TextField }
  | { kind: 'zone'; field: TextField }
  | { kind: 'number'; field: IntegerField | NumberField }
  | { kind: 'coordinate'; field: CoordinateField }
  /** `isDay`: only the day is used, and the text names it, so that no zone is needed. */
  | { kind: 'time'; field: TimeField; isDay: boolean }
  /** A condition on something that is no leaf itself. */
  | { kind: 'condition'; when: Condition };

/** @property scope paths of the arrays it stands in, outermost first; none: the record itself. */
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
    const { when, at } = plan;
    if (when !== undefined) leaves.push({ kind: 'condition', when, ...inRecord('requests', [...at, 'when']) });
    leaves.push(...fillingLeaves(plan, at, plan.each === undefined ? RECORD : [plan.each]));
  }
  return leaves;
}

/** Each once, wherever it is shared. */
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
  const place = { target: name, at, scope };
  const fields: EventFields = { [name]: spec };
  const { time, event_time, stopsequenceNumber, odometer, coordinate, temperature, references, ...texts } = fields;
  const [text] = Object.values(texts);
  return [
    ...(text === undefined ? [] : [{ kind: 'text', field: text, ...place } as const]),
    ...timeLeaves(time ?? event_time, place),
    ...[stopsequenceNumber, odometer].flatMap((field) =>
      field === undefined ? [] : [{ kind: 'number', field, ...place } as const],
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
  const place = (key: string) => ({ target: `temperature ${key}`, at: [...at, key], scope });
  return [
    { kind: 'number', field: value, ...place('value') },
    { kind: 'text', field: unitOfMeasure, ...place('unitOfMeasure') },
    ...timeLeaves(time, place('time')),
  ];
}

function timeLeaves(field: TimeField | undefined, place: Omit<Leaf, keyof LeafField | 'kind'>, isDay = false): Leaf[] {
  if (field === undefined) return [];
  const { target, at, scope } = place;
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
  const asks = (when: Condition, key: string): Leaf => ({ kind: 'condition', when, target, at: [...at, key], scope });
  const own: Leaf[] = [
    ...(shape === 'leaf' || node.when === undefined ? [] : [asks(node.when, 'when')]),
    ...(typeof node.required === 'object' ? [asks(node.required, 'required')] : []),
  ];
  const inner = node.each === undefined ? scope : [...scope, node.each];
  switch (shape) {
    case 'leaf':
      return [...own, ...leafOf(node, target, at, scope)];
    case 'list':
      return [
        ...own,
        ...(node.list ?? []).flatMap((each, index) =>
          nodeLeaves(longNode(each), target, [...at, 'list', index], scope),
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
  const place = { target, at, scope };
  switch (node.as ?? 'text') {
    case 'text':
    case 'boolean':
      return [{ kind: 'text', field: node as TextField, ...place }];
    case 'integer':
    case 'number':
      return [{ kind: 'number', field: node as NumberField, ...place }];
    case 'time':
    case 'dateTime':
      return node.parse === undefined ? [] : timeLeaves(node as TimeField, place);
    case 'date':
      return node.parse === undefined
        ? []
        : timeLeaves(node as TimeField, place, !ownPatterns(node.parse).some(readsMoment));
  }
}
