/**
 * An order as it was accepted last, and a change → the whole order that is sent, or why none is. Pure.
 *
 * The receiving system takes complete orders (seed 4.4) and replaces what it has. So what a change does not speak of is taken from
 * the last accepted document. Whatever the documentation does not list as updatable (seed 2.8) is refused here, before anything is
 * sent, unless the channel leaves that to the receiving system.
 */

import { ORDER_REF_MEMBER } from '../../../mapping/document/order-spec.ts';
import { ORDER_CHARACTERS_MAX } from '../../../mapping/limits.ts';
import type { OrderChange } from '../../../mapping/request.ts';
import { NOT_SHOWN, type OtherUpdates } from '../../../upstream/contracts/not-shown.ts';
import {
  isUpdatable,
  type OrderDifference,
  type OrderDocument,
  orderDifferences,
} from '../../../upstream/contracts/order-difference.ts';
import type { CountedDelta, Counting, DeltaLine } from './counting.ts';
import { mergedList } from './lists.ts';
import { patched } from './patch.ts';
import { type MergeRefusal, notUpdatable, tooLarge } from './refusal.ts';

export type Merged =
  /** `lines`: the differences that this change counts. */
  | { outcome: 'document'; document: OrderDocument; differences: OrderDifference[]; lines: DeltaLine[] }
  /** Nothing changes. `repeats`: the operation that had counted what it says, if one had. */
  | { outcome: 'same'; repeats: number | null }
  | { outcome: 'refused'; refusal: MergeRefusal };

/**
 * @param counted the differences that were counted in this order before, by the line that names them.
 * @param others what becomes of a change of something that the documentation does not list as updatable.
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

/** The order that a change makes where there is none. */
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
  // What may change is as the file has it, and gone where the file has nothing; the rest can only be said again.
  const kept = Object.entries(base).filter(([name]) => !isReplaced(name));
  return patched(Object.fromEntries(kept), order, merge);
}

const isReplaced = (name: string): boolean => NOT_SHOWN.orderUpdatable.members.some((member) => member === name);
