/**
 * The differences between two documents of one order, and whether an update may change each (seed 2.8; member names are
 * our choice, NOT_SHOWN.orderUpdatable). Items are matched by key; any other list is one value. Pure.
 */
import { NOT_SHOWN } from './not-shown.ts';

const { members: MEMBERS, items: ITEMS } = NOT_SHOWN.orderUpdatable;

export type OrderDocument = Readonly<Record<string, unknown>>;

/** Member names, outermost first; an item is one step. `before`, `after`: undefined if nothing is there. */
export interface OrderDifference {
  path: readonly OrderStep[];
  before: unknown;
  after: unknown;
}
type OrderStep = string | { item: string };

export const isDocument = (value: unknown): value is OrderDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In member order, those of `before` first; empty if the documents are equal. */
export function orderDifferences(before: OrderDocument, after: OrderDocument): OrderDifference[] {
  return membersDiffering(before, after, []);
}

function membersDiffering(before: OrderDocument, after: OrderDocument, path: readonly OrderStep[]): OrderDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => valuesDiffering(own(before, name), own(after, name), [...path, name]));
}

const own = (document: OrderDocument, name: string): unknown =>
  Object.hasOwn(document, name) ? document[name] : undefined;

function valuesDiffering(before: unknown, after: unknown, path: readonly OrderStep[]): OrderDifference[] {
  if (isEqual(before, after)) return [];
  if (isDocument(before) && isDocument(after)) return membersDiffering(before, after, path);
  const items = isItemList(path) ? [itemsByKey(before), itemsByKey(after)] : [];
  const [ours, theirs] = items;
  if (!ours || !theirs) return [{ path, before, after }];
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])];
  const differing = keys.flatMap((item) => valuesDiffering(ours.get(item), theirs.get(item), [...path, { item }]));
  return differing; // the same items in another order are equal
}

const isItemList = (path: readonly OrderStep[]): boolean => path.length === 1 && path[0] === ITEMS.list;

/** @returns undefined unless every item has a unique key. */
export function itemsByKey(list: unknown): Map<string, OrderDocument> | undefined {
  if (list === undefined) return new Map();
  if (!Array.isArray(list)) return undefined;
  const items = new Map<string, OrderDocument>();
  for (const item of list) {
    const key = isDocument(item) ? own(item, ITEMS.key) : undefined;
    if (!isDocument(item) || typeof key !== 'string' || items.has(key)) return undefined;
    items.set(key, item);
  }
  return items;
}

/** Equal as JSON, ignoring member order. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, index) => isEqual(entry, other[index]));
  }
  if (!isDocument(one) || !isDocument(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

/** seed 2.8 */
export function isUpdatable({ path, before, after }: OrderDifference): boolean {
  const [member, item, name, ...deeper] = path;
  if (MEMBERS.some((known) => known === member)) return true;
  if (member !== ITEMS.list || typeof item !== 'object' || name !== ITEMS.quantity || deeper.length > 0) return false;
  return typeof before === 'number' && typeof after === 'number';
}

/** `consignee.phone`, `skus[SOFA-3].quantity`. */
export const pathText = (path: readonly OrderStep[]): string =>
  path.reduce<string>((text, step) => {
    if (typeof step !== 'string') return `${text}[${step.item}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
