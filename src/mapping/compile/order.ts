/**
 * Compiles the tree of an order into one function of a record or of a group of rows.
 *
 * Empty values are left out, with the objects and lists that hold nothing else. The reference is always there.
 */

import type { RecordSource } from '../../formats/reader.ts';
import type { Cells } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import { compileCondition, type RecordTest } from '../document/condition.ts';
import { type NumberField, ownPatterns, type TextField, type TimeField } from '../document/field-spec.ts';
import {
  type ChangeSpec,
  changeRefFields,
  listsIn,
  longNode,
  ORDER_REF_MEMBER,
  type OrderMembers,
  type OrderNode,
  saysDifferences,
  shapeOf,
} from '../document/order-spec.ts';
import {
  CHANGE_REF_CHARACTERS_MAX,
  ORDER_CHARACTERS_MAX,
  ORDER_REF_CHARACTERS_MAX,
  ORDER_TEXT_CHARACTERS_MAX,
} from '../limits.ts';
import {
  type ChangeKind,
  ENTRY_ACTIONS,
  type KeyedListChange,
  type ListChange,
  type OrderChange,
  type OrderFields,
} from '../request.ts';
import { asRequired, compileNumber, withTextLimits } from '../values/checked.ts';
import { readsMoment } from '../values/date-time-pattern.ts';
import type { FieldFault, FieldLocation } from '../values/fault.ts';
import { compileOrigin } from '../values/origin.ts';
import {
  compileText,
  type FieldContext,
  locationOf,
  onlyWhen,
  pathWithin,
  type ReadValue,
  refuse,
} from '../values/text.ts';
import { compileMoment, compileTime, type TimeDefaults } from '../values/time.ts';

/** Where a node is read: the columns of the record or element around it, and the arrays inside. */
export interface TreeScope {
  context: FieldContext;
  times: TimeDefaults;
  /** The text that empties a member; absent: none does. */
  clear?: string;
  /** @returns the index of the array in `Cells.lists`, and how its elements are read. */
  list(each: string): ListScope;
}

export interface ListScope {
  index: number;
  scope: TreeScope;
  /** Whether the surrounding cells come after an element's own: the document's zone is read there. */
  joins: boolean;
  /** @param item its number, from 0; of nested arrays its number in each. */
  place(item: readonly number[], problem: Problem): Problem;
}

type ReadNode = (cells: Cells, errors: Problem[]) => unknown;

export function compileOrder(
  order: OrderMembers,
  scope: TreeScope,
): (cells: Cells, errors: Problem[]) => OrderFields | undefined {
  const readMembers = compileMembers(order, scope);
  return (cells, errors) => {
    const before = errors.length;
    const body = readMembers(cells, errors) as OrderFields | undefined; // its reference is a required text
    if (body === undefined || errors.length > before) return undefined;
    const characters = JSON.stringify(body).length;
    if (characters <= ORDER_CHARACTERS_MAX) return body;
    return wrong({ code: 'order_too_large', characters, charactersMax: ORDER_CHARACTERS_MAX }, 'order', errors);
  };
}

function compileMembers(members: OrderMembers, scope: TreeScope): ReadNode {
  const compiled = Object.entries(members)
    .sort(byName)
    .map(([name, written]) => {
      const node = longNode(written);
      return { name, read: name === ORDER_REF_MEMBER ? compileReference(node, scope) : compileNode(node, name, scope) };
    });
  return (cells, errors) => {
    const object: Record<string, unknown> = {};
    let isEmpty = true;
    for (const { name, read } of compiled) {
      const value = read(cells, errors);
      if (value === undefined) continue;
      object[name] = value;
      isEmpty = false;
    }
    return isEmpty ? undefined : object;
  };
}

/** The reference first, the others by name: a stored version does not keep the document's key order. */
const byName = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one === ORDER_REF_MEMBER ? -1 : other === ORDER_REF_MEMBER ? 1 : one < other ? -1 : 1;

/**
 * The reference names an object and is used in a query, so it is shorter than other texts and has nothing unprintable.
 */
function compileReference(node: OrderNode, scope: TreeScope): ReadNode {
  const { context } = scope;
  const field = node as TextField; // validated: a text without a condition
  const place = locationOf(node, ORDER_REF_MEMBER, context);
  const text = withTextLimits(compileText(field, place, context), ORDER_REF_CHARACTERS_MAX, place, 'name');
  return inCells(orCleared(node, asRequired(text, place), { place, isRequired: () => true }, scope));
}

const inCells =
  (read: ReadValue<unknown>): ReadNode =>
  (cells, errors) =>
    read(cells.fields, errors);

function compileNode(node: OrderNode, name: string, scope: TreeScope): ReadNode {
  const shape = shapeOf(node);
  const read = shape === 'leaf' ? compileLeaf(node, name, scope) : compileBranch(node, shape, name, scope);
  if (shape === 'leaf' || node.when === undefined) return read;
  const applies = compileCondition(node.when, scope.context.indexOf);
  return (cells, errors) => (applies(cells.fields) ? read(cells, errors) : undefined);
}

function compileBranch(node: OrderNode, shape: 'object' | 'list' | 'each', name: string, scope: TreeScope): ReadNode {
  const read = readBranch(node, shape, name, scope);
  const isRequired = demandOf(node, scope);
  if (isRequired === undefined) return read;
  const { within } = scope.context;
  const fault: FieldFault = {
    code: 'list_empty',
    ...(node.each === undefined ? {} : { of: pathWithin(within, node.each) }),
  };
  return (cells, errors) => {
    const before = errors.length;
    const value = read(cells, errors);
    if (value === undefined && errors.length === before && isRequired(cells.fields))
      wrong(fault, pathWithin(within, name), errors);
    return value;
  };
}

/** @returns when an empty value is an error: not if it is left out anyway; undefined if never. */
function demandOf({ required = false, when }: OrderNode, { context }: TreeScope): RecordTest | undefined {
  if (required === false) return undefined;
  const asked = [when, required === true ? undefined : required].filter((one) => one !== undefined);
  const tests = asked.map((one) => compileCondition(one, context.indexOf));
  return (fields) => tests.every((holds) => holds(fields));
}

function readBranch(node: OrderNode, shape: 'object' | 'list' | 'each', name: string, scope: TreeScope): ReadNode {
  switch (shape) {
    case 'object':
      return compileMembers(node.object ?? {}, scope);
    case 'list': {
      const items = (node.list ?? []).map((item) => compileNode(longNode(item), name, scope));
      return (cells, errors) => filled(items.map((item) => item(cells, errors)));
    }
    case 'each':
      return compileEach(node, node.each ?? '', name, scope);
  }
}

/** Problems of an element are located in it: by its row, or by its index in the array. */
function compileEach(node: OrderNode, each: string, name: string, scope: TreeScope): ReadNode {
  const outer = scope.list(each);
  const list = scope.clear === undefined ? outer : { ...outer, scope: { ...outer.scope, clear: scope.clear } };
  const readItem =
    node.object === undefined
      ? compileNode(longNode(node.item ?? {}), name, list.scope)
      : compileMembers(node.object, list.scope);
  return (cells, errors) => {
    const items = (cells.lists[list.index] ?? []).map((item, at) => {
      const wrongs: Problem[] = [];
      const read = list.joins ? { fields: [...item.fields, ...cells.fields], lists: item.lists } : item;
      const value = readItem(read, wrongs);
      for (const problem of wrongs) errors.push(list.place(item.at ?? [at], problem));
      return value;
    });
    return filled(node.flatten === true ? items.flat() : items);
  };
}

function filled(items: readonly unknown[]): unknown[] | undefined {
  const kept = items.filter((item) => item !== undefined);
  return kept.length === 0 ? undefined : kept;
}

function compileLeaf(node: OrderNode, name: string, scope: TreeScope): ReadNode {
  const place = locationOf(node, name, scope.context);
  const read = leafValue(node, name, scope);
  const isRequired = demandOf(node, scope);
  const readRequired = asRequired(read, place);
  const value: ReadValue<unknown> =
    isRequired === undefined ? read : (fields, errors) => (isRequired(fields) ? readRequired : read)(fields, errors);
  return inCells(orCleared(node, value, { place, isRequired }, scope));
}

/** If the cells hold the text that empties, the value is null, before anything else is made of them. */
function orCleared(
  node: OrderNode,
  read: ReadValue<unknown>,
  { place, isRequired }: { place: FieldLocation; isRequired: RecordTest | undefined },
  { clear, context }: TreeScope,
): ReadValue<unknown> {
  if (clear === undefined || node.const !== undefined) return read;
  const readText = compileOrigin(node, true, context.indexOf);
  const cleared: ReadValue<unknown> = (fields, errors) => {
    const text = readText(fields);
    if (text !== clear) return read(fields, errors);
    return isRequired?.(fields) === true ? refuse({ code: 'cannot_be_cleared', value: text }, place, errors) : null;
  };
  return onlyWhen(node.when, cleared, context);
}

/**
 * A node's keys are a superset of every field's; its `as` says which field it is, and the check validated the rest for
 * it.
 */
function leafValue(node: OrderNode, name: string, { context, times }: TreeScope): ReadValue<unknown> {
  const place = locationOf(node, name, context);
  switch (node.as ?? 'text') {
    case 'text':
      return withTextLimits(compileText(node as TextField, place, context), ORDER_TEXT_CHARACTERS_MAX, place, 'lines');
    case 'boolean':
      return withBoolean(compileText(node as TextField, place, context), (value, errors) =>
        refuse({ code: 'not_a_boolean', value }, place, errors),
      );
    case 'integer':
      return compileNumber(node as NumberField, { whole: true, minimum: undefined }, place, context);
    case 'number':
      return compileNumber(node as NumberField, { whole: false, minimum: undefined }, place, context);
    case 'time':
      return compileTime(node as TimeField, place, times, context);
    case 'dateTime':
      return compileMoment(node as TimeField, place, times, context);
    case 'date': {
      const read = compileMoment(dayField(node as TimeField), place, times, context);
      return (fields, errors) => read(fields, errors)?.slice(0, 'yyyy-mm-dd'.length);
    }
  }
}

/** A written day needs no zone, and no clock change may move it; only a moment needs one. */
const dayField = (field: TimeField): TimeField =>
  ownPatterns(field.parse).some(readsMoment) ? field : { ...field, zone: { const: 'UTC' } };

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0'].map((word) => [word, false] as const),
]);

function withBoolean(
  read: ReadValue<string>,
  refused: (value: string, errors: Problem[]) => undefined,
): ReadValue<boolean> {
  return (fields, errors) => {
    const value = read(fields, errors);
    if (value === undefined) return undefined;
    return BOOLEANS.get(value.toLowerCase()) ?? refused(value, errors);
  };
}

const wrong = (fault: FieldFault, target: string, errors: Problem[]): undefined =>
  refuse(fault, { columns: [], target }, errors);

/* Compiles a change of an order: the tree as mapped, with what the merge must know. */

interface ChangeParts {
  /** An update must say something about the order; an order that may not exist yet can be just a number. */
  kind: ChangeKind;
  change: ChangeSpec;
  source: RecordSource | undefined;
  /** Where its reference is read: the record, even if the order is that of an element. */
  refContext: FieldContext;
}

export function compileChange(
  order: OrderMembers,
  { kind, change, source, refContext }: ChangeParts,
  scope: TreeScope,
): (cells: Cells, errors: Problem[]) => OrderChange | undefined {
  const read = compileOrder(order, change.clear === undefined ? scope : { ...scope, clear: change.clear });
  const fields = changeRefFields(change, source);
  const refPlaces = fields.map((field) => locationOf(field, 'changeRef', refContext));
  const refPlace: FieldLocation = {
    columns: [...new Set(refPlaces.flatMap(({ columns }) => columns))],
    target: 'changeRef',
  };
  const readRefs = fields.map((field, index): ReadValue<string> => {
    const place = refPlaces[index] ?? refPlace;
    return withTextLimits(compileText(field, place, refContext), CHANGE_REF_CHARACTERS_MAX, place, 'name');
  });
  const complete = change.complete ?? false;
  const lists = declared(order, change);
  return (cells, errors) => {
    const before = errors.length;
    const body = read(cells, errors);
    const changeRef = firstFilled(readRefs, cells.fields, errors);
    if (body === undefined || errors.length > before) return undefined;
    const { orderRef, ...members } = body;
    if (kind === 'order.update' && Object.keys(members).length === 0) wrong({ code: 'change_empty' }, 'order', errors);
    checkEntries(members, lists, changeRef, refPlace, errors);
    if (errors.length > before) return undefined;
    return { orderRef, complete, ...(changeRef === undefined ? {} : { changeRef }), order: members, lists };
  };
}

function firstFilled(
  reads: readonly ReadValue<string>[],
  fields: readonly string[],
  errors: Problem[],
): string | undefined {
  for (const read of reads) {
    const value = read(fields, errors);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The lists that the tree has, sorted by path, so that a change does not depend on how the document is written. */
function declared(order: OrderMembers, { lists = {} }: ChangeSpec): Record<string, ListChange> {
  const known = listsIn(order);
  const paths = Object.keys(lists)
    .filter((path) => known.has(path))
    .sort();
  return Object.fromEntries(paths.flatMap((path) => (lists[path] === undefined ? [] : [[path, lists[path]]])));
}

/** Errors here are errors whatever the order holds. */
function checkEntries(
  order: object,
  lists: Readonly<Record<string, ListChange>>,
  changeRef: string | undefined,
  refPlace: FieldLocation,
  errors: Problem[],
): void {
  let hasDifferences = false;
  for (const [path, list] of Object.entries(lists)) {
    if (typeof list === 'string' || !saysDifferences(list)) continue;
    for (const entry of entriesAt(order, path)) {
      const fault = entryFault(entry, list);
      if (fault !== undefined) wrong(fault, path, errors);
      hasDifferences ||= isDifference(entry, list);
    }
  }
  if (hasDifferences && changeRef === undefined) refuse({ code: 'delta_without_reference' }, refPlace, errors);
}

type Entry = Readonly<Record<string, unknown>>;

function entryFault(entry: Entry, { key, quantity, by, action }: KeyedListChange): FieldFault | undefined {
  const value = String(entry[key]);
  const has = (name: string | undefined): boolean => name !== undefined && entry[name] !== undefined;
  if (has(by) && has(quantity)) return { code: 'quantity_twice', value };
  if (!has(action)) return undefined;
  const asked = String(entry[action ?? '']);
  if (!ENTRY_ACTIONS.some((known) => known === asked))
    return { code: 'action_unknown', value: asked, known: ENTRY_ACTIONS };
  return (asked === 'MORE' || asked === 'LESS') && !has(quantity) ? { code: 'quantity_missing', value } : undefined;
}

const isDifference = (entry: Entry, { by, action }: KeyedListChange): boolean =>
  (by !== undefined && entry[by] !== undefined) ||
  (action !== undefined && (entry[action] === 'MORE' || entry[action] === 'LESS'));

function entriesAt(order: object, path: string): Entry[] {
  let at: unknown = order;
  for (const name of path.split('.')) at = isObject(at) ? at[name] : undefined;
  return Array.isArray(at) ? at.filter(isObject) : [];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
