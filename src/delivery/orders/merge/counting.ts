/** Differences of quantities: each is counted once under its name, and what is counted comes out as a decimal. Pure. */
import { isDocument, type OrderDocument } from '../../../upstream/contracts/order-difference.ts';
import { deltaConflict, entryUnknown, type MergeRefusal, quantityBelowZero } from './refusal.ts';

/** A difference that was counted: by how much, and the operation that did it. */
export interface CountedDelta {
  amount: number;
  seq: number;
}

/** A difference as this change counts it. `line` names it: the change, the list, the entry, and which of several of the entry. */
export interface DeltaLine {
  line: string;
  amount: number;
}

/** What the merge of one change keeps beside the document. */
export interface Counting {
  changeRef: string | undefined;
  counted(line: string): CountedDelta | undefined;
  /** Those that this change counts. */
  lines: DeltaLine[];
  /** Operations that had counted what this change says again. */
  repeats: Set<number>;
  refusals: MergeRefusal[];
}

/** @returns the entry with what it counted in its quantity. */
export function counted(
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

/** Decimals as they were written: 0.1 and 0.2 make 0.3. */
const sum = (one: number, other: number): number => Number((one + other).toPrecision(15));
