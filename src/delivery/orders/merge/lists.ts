/** How a list of a change comes together with that of the order: added to it, in its place, or entry by entry. Pure. */
import { canonicalJson, type Json } from '../../../mapping/document/canonical.ts';
import type { KeyedListChange, ListChange } from '../../../mapping/request.ts';
import { NOT_SHOWN } from '../../../upstream/contracts/not-shown.ts';
import { isDocument, itemsByKey } from '../../../upstream/contracts/order-difference.ts';
import type { Counting } from './counting.ts';
import { mergedEntry } from './entry.ts';
import { entryAmbiguous } from './refusal.ts';

const { items: ITEMS } = NOT_SHOWN.orderUpdatable;

/** @returns undefined where nothing is left. @param isWhole the change holds the whole list. */
export function mergedList(
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
    return orNothing(keyedList(ofOrder, entries, { path, rule: keyed, isWhole: takesPlace }, counting));
  }
  const written = entries.filter((entry) => entry !== null);
  if (rule !== 'add' || isWhole) return orNothing(written);
  // An entry that empties comes first: what stands beside it is added to nothing.
  return orNothing(added(written.length < entries.length ? [] : ofOrder, written));
}

/** Entries that are there already are not doubled, in whatever order a document that was stated or made otherwise has their members. */
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

/** Where a document says nothing about the items of an order, they are told apart as the receiving system does. */
const areItems = (path: string, ...lists: readonly (readonly unknown[])[]): boolean =>
  path === ITEMS.list && lists.every((list) => itemsByKey(list) !== undefined);

const ITEM_RULE: KeyedListChange = { key: ITEMS.key, quantity: ITEMS.quantity };

const orNothing = (list: readonly unknown[]): readonly unknown[] | undefined => (list.length === 0 ? undefined : list);

interface Keyed {
  path: string;
  rule: KeyedListChange;
  isWhole: boolean;
}

/** Entries keep their places; new ones stand behind them. */
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
    if (!isDocument(entry) || key === undefined) continue; // checked when it was mapped
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

/** What is no part of the whole list any more. Items of an order stay, with nothing wanted of them (NOT_SHOWN.orderUpdatable). */
function takenOut(entry: unknown, path: string, { quantity }: KeyedListChange): unknown {
  if (path !== ITEMS.list || quantity === undefined || !isDocument(entry)) return undefined;
  return { ...entry, [quantity]: ITEMS.takenOut };
}
