/**
 * Merges a change into the last accepted order: the whole order to send, because the upstream replaces what it has
 * (seed 4.4), or why none is sent. Members that the documentation does not list as updatable (seed 2.8) are refused
 * here, unless the channel leaves that to the upstream. Pure.
 */

import { canonicalJson, type Json } from '../../mapping/document/canonical.ts';
import { ORDER_REF_MEMBER } from '../../mapping/document/order-spec.ts';
import { ORDER_CHARACTERS_MAX } from '../../mapping/limits.ts';
import type { EntryAction, KeyedListChange, ListChange, OrderChange } from '../../mapping/request.ts';
import { NOT_SHOWN, type OtherUpdates } from '../../upstream/contracts/not-shown.ts';
import {
  isDocument,
  isUpdatable,
  itemsByKey,
  type OrderDifference,
  type OrderDocument,
  orderDifferences,
} from '../../upstream/contracts/order-difference.ts';
import {
  deltaConflict,
  entryAmbiguous,
  entryToDelete,
  entryUnknown,
  type MergeRefusal,
  notUpdatable,
  quantityBelowZero,
  tooLarge,
  unitDiffers,
} from './merge-messages.ts';

/* Differences of quantities: each is counted once under its name, and the sum is a decimal. */

/** A counted difference: how much, and by which operation. */
export interface CountedDelta {
  amount: number;
  seq: number;
}

/**
 * A difference as this change counts it. `line` names it: the change, the list, the entry, and its number within the
 * entry.
 */
export interface DeltaLine {
  line: string;
  amount: number;
}

/** What the merge of one change records beside the document. */
interface Counting {
  changeRef: string | undefined;
  counted(line: string): CountedDelta | undefined;
  /** Those that this change counts. */
  lines: DeltaLine[];
  /** Operations that already counted what this change repeats. */
  repeats: Set<number>;
  refusals: MergeRefusal[];
}

/** @returns the entry with the difference added to its quantity. */
function counted(
  next: OrderDocument,
  existing: unknown,
  { amount, of, line, quantity }: { amount: number; of: string; line: readonly unknown[]; quantity: string },
  { changeRef = '', counted: earlier, lines, repeats, refusals }: Counting,
): unknown {
  const path = `${of}.${quantity}`;
  const name = JSON.stringify([changeRef, ...line]);
  const known = earlier(name);
  if (known !== undefined) {
    if (known.amount === amount) repeats.add(known.seq);
    else refusals.push(deltaConflict(path, changeRef, known.amount, amount));
    return next;
  }
  const before = isDocument(existing) ? existing[quantity] : undefined;
  if (typeof before !== 'number') {
    refusals.push(entryUnknown(of));
    return next;
  }
  const after = sum(before, amount);
  if (after < 0) refusals.push(quantityBelowZero(path, before, after));
  lines.push({ line: name, amount });
  return { ...next, [quantity]: after };
}

/** Exact decimals: 0.1 and 0.2 make 0.3. */
const sum = (one: number, other: number): number => Number((one + other).toPrecision(15));

/*
 * RFC 7396, except for lists with a rule: null removes a member, objects are merged, anything else replaces the old
 * value.
 */

/** @param list merges a list at a path below `document`; without it lists are replaced. */
function patched(
  document: OrderDocument,
  patch: OrderDocument,
  list?: (before: unknown, entries: readonly unknown[], path: readonly string[]) => unknown,
  path: readonly string[] = [],
): OrderDocument {
  const members = new Map(Object.entries(document));
  for (const [name, value] of Object.entries(patch)) {
    const at = [...path, name];
    const before = members.get(name);
    const next = isDocument(value)
      ? orNothing(patched(isDocument(before) ? before : {}, value, list, at))
      : Array.isArray(value) && list !== undefined
        ? list(before, value, at)
        : value;
    if (next === null || next === undefined) members.delete(name);
    else members.set(name, next);
  }
  return Object.fromEntries(members);
}

/** As in a mapped order: an empty object is left out. */
const orNothing = (document: OrderDocument): OrderDocument | undefined =>
  Object.keys(document).length === 0 ? undefined : document;

/* One entry of a change applied to that entry of the order: patched, counted, or set to nothing wanted. */

const { items: ITEMS } = NOT_SHOWN.orderUpdatable;

/** @returns undefined if nothing of it is left. */
function mergedEntry(
  existing: unknown,
  entry: OrderDocument,
  { of, line, rule, isWhole }: { of: string; line: readonly unknown[]; rule: KeyedListChange; isWhole: boolean },
  counting: Counting,
): unknown {
  const { key, quantity, by, action } = rule;
  const asked = action === undefined ? undefined : (entry[action] as EntryAction | undefined); // checked when mapped
  const members = without(entry, [by, action]);
  if (asked === 'DELETE') {
    if (quantity === undefined) return undefined;
    if (existing === undefined) {
      if (!isWhole) counting.refusals.push(entryToDelete(of));
      return undefined;
    }
    return isDocument(existing) ? { ...existing, [quantity]: ITEMS.takenOut } : existing;
  }
  const told = inUnitOf(existing, members, { of, unit: rule.unit }, counting);
  const amount = amountOf(entry, rule, asked);
  const rest = amount === undefined ? told : without(told, [quantity]);
  const next = patched(isDocument(existing) ? existing : {}, rest);
  if (amount !== undefined) return counted(next, existing, { amount, of, line, quantity: quantity ?? '' }, counting);
  const wanted = quantity === undefined ? undefined : next[quantity];
  if (typeof wanted === 'number' && wanted < 0)
    counting.refusals.push(quantityBelowZero(`${of}.${quantity}`, null, wanted));
  const isEmptied = Object.values(rest).includes(null) && Object.keys(next).every((name) => name === key);
  return isEmptied ? undefined : next;
}

/** A unit is no change of an entry: it says what its quantity is counted in; an entry without one takes it. */
function inUnitOf(
  existing: unknown,
  members: OrderDocument,
  { of, unit }: { of: string; unit: string | undefined },
  { refusals }: Counting,
): OrderDocument {
  const asked = unit === undefined ? undefined : members[unit];
  if (unit === undefined || typeof asked !== 'string' || !isDocument(existing)) return members;
  const before = existing[unit];
  if (before !== undefined && before !== asked) refusals.push(unitDiffers(`${of}.${unit}`, before, asked));
  return without(members, [unit]);
}

function amountOf(
  entry: OrderDocument,
  { by, quantity }: KeyedListChange,
  asked: EntryAction | undefined,
): number | undefined {
  const signed = by === undefined ? undefined : entry[by];
  if (typeof signed === 'number') return signed;
  const amount = quantity === undefined ? undefined : entry[quantity];
  if (typeof amount !== 'number') return undefined;
  return asked === 'MORE' ? amount : asked === 'LESS' ? -amount : undefined;
}

function without(entry: OrderDocument, names: readonly (string | undefined)[]): OrderDocument {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}

/* How a list of a change is combined with that of the order: added, replaced, or merged entry by entry. */

/** @returns undefined if nothing is left. @param isWhole the change has the whole list. */
function mergedList(
  before: unknown,
  entries: readonly unknown[],
  { path, rule, isWhole }: { path: string; rule: ListChange | undefined; isWhole: boolean },
  counting: Counting,
): readonly unknown[] | undefined {
  const ofOrder = Array.isArray(before) ? before : [];
  const takesPlace = isWhole || rule === 'replace';
  const keyed =
    typeof rule === 'object' ? rule : takesPlace && areItems(path, ofOrder, entries) ? ITEM_RULE : undefined;
  if (keyed !== undefined) {
    return orNoList(keyedList(ofOrder, entries, { path, rule: keyed, isWhole: takesPlace }, counting));
  }
  const written = entries.filter((entry) => entry !== null);
  if (rule !== 'add' || isWhole) return orNoList(written);
  // An entry that empties comes first: the ones beside it are added to nothing.
  return orNoList(added(written.length < entries.length ? [] : ofOrder, written));
}

/** Existing entries are not doubled, whatever the order of their members. */
function added(list: readonly unknown[], entries: readonly unknown[]): unknown[] {
  const textOf = (entry: unknown): string => canonicalJson(entry as Json); // mapped, or parsed
  const known = new Set(list.map(textOf));
  const all = [...list];
  for (const entry of entries) {
    const text = textOf(entry);
    if (known.has(text)) continue;
    known.add(text);
    all.push(entry);
  }
  return all;
}

/** If a document says nothing about the items of an order, they are matched as the receiving system does. */
const areItems = (path: string, ...lists: readonly (readonly unknown[])[]): boolean =>
  path === ITEMS.list && lists.every((list) => itemsByKey(list) !== undefined);

const ITEM_RULE: KeyedListChange = { key: ITEMS.key, quantity: ITEMS.quantity };

const orNoList = (list: readonly unknown[]): readonly unknown[] | undefined => (list.length === 0 ? undefined : list);

interface Keyed {
  path: string;
  rule: KeyedListChange;
  isWhole: boolean;
}

/** Entries keep their positions; new ones come after them. */
function keyedList(
  ofOrder: readonly unknown[],
  entries: readonly unknown[],
  { path, rule, isWhole }: Keyed,
  counting: Counting,
): readonly unknown[] {
  const keyOf = (entry: unknown): string | undefined =>
    isDocument(entry) && entry[rule.key] !== undefined ? String(entry[rule.key]) : undefined;
  const places = new Map<string, number[]>();
  for (const [index, entry] of ofOrder.entries()) {
    const key = keyOf(entry);
    if (key === undefined) continue;
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  const merged: unknown[] = [...ofOrder];
  const named = new Map<string, number>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (!isDocument(entry) || key === undefined) continue; // checked when mapped
    const of = `${path}[${key}]`;
    const occurrence = (named.get(key) ?? 0) + 1;
    named.set(key, occurrence);
    const found = places.get(key) ?? [];
    if (found.length > 1) {
      counting.refusals.push(entryAmbiguous(of));
      continue;
    }
    const [place = merged.length] = found;
    const at = { of, line: [path, key, occurrence], rule, isWhole };
    const next = mergedEntry(merged[place], entry, at, counting);
    if (place === merged.length && next === undefined) continue;
    merged[place] = next;
    if (found.length === 0) places.set(key, [place]);
  }
  const all = isWhole
    ? merged.map((entry) => (named.has(keyOf(entry) ?? '') ? entry : takenOut(entry, path, rule)))
    : merged;
  return all.filter((entry) => entry !== undefined);
}

/**
 * For an entry that is no longer in the whole list. Items of an order stay, with nothing wanted
 * (NOT_SHOWN.orderUpdatable).
 */
function takenOut(entry: unknown, path: string, { quantity }: KeyedListChange): unknown {
  if (path !== ITEMS.list || quantity === undefined || !isDocument(entry)) return undefined;
  return { ...entry, [quantity]: ITEMS.takenOut };
}

export type Merged =
  /** `lines`: the differences that this change counts. */
  | { outcome: 'document'; document: OrderDocument; differences: OrderDifference[]; lines: DeltaLine[] }
  /** Nothing changes. `repeats`: the operation that already counted this change, if any. */
  | { outcome: 'same'; repeats: number | null }
  | { outcome: 'refused'; refusal: MergeRefusal };

/**
 * @param counted the differences counted in this order before, by line name.
 * @param others what to do with members that the documentation does not list as updatable.
 */
export function mergeChange(
  base: OrderDocument,
  change: OrderChange,
  counted: (line: string) => CountedDelta | undefined,
  others: OtherUpdates = NOT_SHOWN.orderUpdatable.others,
): Merged {
  const counting = countingOf(change, counted);
  const document = applied(base, change, counting);
  const refused = refusalOf(document, counting);
  if (refused !== undefined) return refused;
  const differences = orderDifferences(base, document);
  const fixed = others === 'send' ? [] : differences.filter((difference) => !isUpdatable(difference));
  if (fixed.length > 0) return { outcome: 'refused', refusal: notUpdatable(fixed) };
  if (differences.length > 0) return { outcome: 'document', document, differences, lines: counting.lines };
  return { outcome: 'same', repeats: [...counting.repeats].at(-1) ?? null };
}

/** The order that a change creates if there is none. */
export function newOrder(change: OrderChange): Exclude<Merged, { outcome: 'same' }> {
  const counting = countingOf(change, () => undefined);
  const document = applied({ [ORDER_REF_MEMBER]: change.orderRef }, change, counting);
  return refusalOf(document, counting) ?? { outcome: 'document', document, differences: [], lines: counting.lines };
}

const countingOf = ({ changeRef }: OrderChange, counted: Counting['counted']): Counting => ({
  changeRef,
  counted,
  lines: [],
  repeats: new Set(),
  refusals: [],
});

function refusalOf(
  document: OrderDocument,
  { refusals }: Counting,
): { outcome: 'refused'; refusal: MergeRefusal } | undefined {
  const [first] = refusals;
  if (first !== undefined) return { outcome: 'refused', refusal: first };
  const characters = JSON.stringify(document).length;
  if (characters <= ORDER_CHARACTERS_MAX) return undefined;
  return { outcome: 'refused', refusal: tooLarge(characters, ORDER_CHARACTERS_MAX) };
}

function applied(base: OrderDocument, change: OrderChange, counting: Counting): OrderDocument {
  const { complete, lists } = change;
  const order: OrderDocument = Object.fromEntries(Object.entries(change.order));
  const merge = (before: unknown, entries: readonly unknown[], at: readonly string[]): unknown => {
    const path = at.join('.');
    return mergedList(before, entries, { path, rule: lists[path], isWhole: complete }, counting);
  };
  if (!complete) return patched(base, order, merge);
  // Updatable members are as in the file, and gone if the file has none; the others can only be repeated.
  const kept = Object.entries(base).filter(([name]) => !isReplaced(name));
  return patched(Object.fromEntries(kept), order, merge);
}

const isReplaced = (name: string): boolean => NOT_SHOWN.orderUpdatable.members.some((member) => member === name);
