/** Compiles a change of an order: the tree as mapped, with what whoever merges it must know. */

import type { RecordSource } from '../../formats/reader.ts';
import type { Cells } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import { type ChangeSpec, changeRefFields, saysDifferences } from '../document/change-spec.ts';
import type { OrderMembers } from '../document/order-spec.ts';
import { CHANGE_REF_CHARACTERS_MAX } from '../limits.ts';
import { type ChangeKind, ENTRY_ACTIONS, type KeyedListChange, type ListChange, type OrderChange } from '../request.ts';
import { withTextLimits } from '../values/checked.ts';
import { describeFault, type FieldFault, type FieldPlace } from '../values/fault.ts';
import { compileText, type FieldContext, placeOf, type ReadValue } from '../values/text.ts';
import { compileOrder, type TreeScope } from './order.ts';
import { listsIn } from './order-lists.ts';

export interface ChangeParts {
  /** An update of an order says something about it; an order that may not exist yet can be a number alone. */
  kind: ChangeKind;
  change: ChangeSpec;
  source: RecordSource | undefined;
  /** Where its reference is read: the record, also where the order is that of an element in it. */
  refContext: FieldContext;
}

export function compileChange(
  order: OrderMembers,
  { kind, change, source, refContext }: ChangeParts,
  scope: TreeScope,
): (cells: Cells, errors: Problem[]) => OrderChange | undefined {
  const read = compileOrder(order, change.clear === undefined ? scope : { ...scope, clear: change.clear });
  const fields = changeRefFields(change, source);
  const refPlaces = fields.map((field) => placeOf(field, 'changeRef', refContext));
  const refPlace: FieldPlace = {
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
    if (kind === 'order.update' && Object.keys(members).length === 0)
      errors.push(describeFault({ code: 'change_empty' }, { columns: [], target: 'order' }));
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

/** Those that the tree has, in the order of their paths: what is told of a change does not depend on how a document is written. */
function declared(order: OrderMembers, { lists = {} }: ChangeSpec): Record<string, ListChange> {
  const known = listsIn(order);
  const paths = Object.keys(lists)
    .filter((path) => known.has(path))
    .sort();
  return Object.fromEntries(paths.flatMap((path) => (lists[path] === undefined ? [] : [[path, lists[path]]])));
}

/** What is wrong here is wrong whatever the order holds. */
function checkEntries(
  order: object,
  lists: Readonly<Record<string, ListChange>>,
  changeRef: string | undefined,
  refPlace: FieldPlace,
  errors: Problem[],
): void {
  let hasDifferences = false;
  for (const [path, list] of Object.entries(lists)) {
    if (typeof list === 'string' || !saysDifferences(list)) continue;
    for (const entry of entriesAt(order, path)) {
      const fault = entryFault(entry, list);
      if (fault !== undefined) errors.push(describeFault(fault, { columns: [], target: path }));
      hasDifferences ||= isDifference(entry, list);
    }
  }
  if (hasDifferences && changeRef === undefined)
    errors.push(describeFault({ code: 'delta_without_reference' }, refPlace));
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
