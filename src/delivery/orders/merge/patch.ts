/** RFC 7396 for what is no list of its own rule: null takes a member out, objects are merged, all else takes the place of what was there. Pure. */
import { isDocument, type OrderDocument } from '../../../upstream/contracts/order-difference.ts';

/** @param list merges a list at a path below `document`; without it lists take the place of what was there. */
export function patched(
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

/** As in a mapped order: what holds nothing is left out. */
const orNothing = (document: OrderDocument): OrderDocument | undefined =>
  Object.keys(document).length === 0 ? undefined : document;
