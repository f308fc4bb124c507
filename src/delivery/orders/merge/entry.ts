/** One entry of a change → what becomes of that entry of the order: patched, counted, or with nothing wanted of it. Pure. */
import type { EntryAction, KeyedListChange } from '../../../mapping/request.ts';
import { NOT_SHOWN } from '../../../upstream/contracts/not-shown.ts';
import { isDocument, type OrderDocument } from '../../../upstream/contracts/order-difference.ts';
import { type Counting, counted } from './counting.ts';
import { patched } from './patch.ts';
import { entryToDelete, quantityBelowZero, unitDiffers } from './refusal.ts';

const { items: ITEMS } = NOT_SHOWN.orderUpdatable;

/** @returns undefined where nothing of it is left. */
export function mergedEntry(
  existing: unknown,
  entry: OrderDocument,
  { of, line, rule, isWhole }: { of: string; line: readonly unknown[]; rule: KeyedListChange; isWhole: boolean },
  counting: Counting,
): unknown {
  const { key, quantity, by, action } = rule;
  const asked = action === undefined ? undefined : (entry[action] as EntryAction | undefined); // checked when it was mapped
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

/** A unit is no change of an entry: it says what its quantity is counted in, and an entry without one takes it as it is meant. */
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
