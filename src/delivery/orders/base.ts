/**
 * The whole order, as an operator states it: a base for merging changes if no document was accepted here. Validated
 * like the body of a create, because it becomes one. Pure.
 */
import type { OrderFeedKey } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { ORDER_BASE_DEPTH_MAX, ORDER_CHARACTERS_MAX, ORDER_REF_CHARACTERS_MAX } from '../../mapping/limits.ts';
import { ORDER_ID_FORM } from '../../upstream/contracts/bodies.ts';
import { valueAt } from '../../upstream/contracts/json.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import { isDocument, isEqual, type OrderDocument } from '../../upstream/contracts/order-difference.ts';
import { withOrderFeedKey } from '../../upstream/contracts/order-pair.ts';

/** @property orderId null: not stated. */
export interface OrderBase {
  document: OrderDocument;
  orderId: string | null;
}

/**
 * @param pair order-feed key of the partner; null: it has none. @returns the base without its id, or what is wrong, as
 * text.
 */
export function orderBase(
  stated: { orderRef: string; document: unknown; orderId: string | null },
  pair: OrderFeedKey | null,
): Result<OrderBase, string> {
  const { orderRef, document } = stated;
  if (!isDocument(document)) return err('document must be an object: the whole order');
  if (orderRef.length > ORDER_REF_CHARACTERS_MAX)
    return err(`the reference has more than ${ORDER_REF_CHARACTERS_MAX} characters, so no mapping can name this order`);
  if (isDeeper(document, ORDER_BASE_DEPTH_MAX))
    return err(`document is nested deeper than ${ORDER_BASE_DEPTH_MAX} levels`);
  const characters = JSON.stringify(document).length;
  if (characters > ORDER_CHARACTERS_MAX)
    return err(`document has ${characters} characters; ${ORDER_CHARACTERS_MAX} are the most`);
  const refPath = NOT_SHOWN.orderRefPath.join('.');
  if (valueAt(document, NOT_SHOWN.orderRefPath) !== orderRef)
    return err(`document must have the reference of the address at ${refPath}`);
  const inside = valueAt(document, NOT_SHOWN.orderIdPath);
  const named = [stated.orderId ?? undefined, inside].filter((id) => id !== undefined && id !== null);
  if (!named.every((id) => typeof id === 'string' && ORDER_ID_FORM.test(id)))
    return err('the id of the order must have the form of a UUID, or be left out');
  if (inside !== undefined && stated.orderId !== null && inside !== stated.orderId)
    return err('orderId is not the id that stands in the document');
  const whole = without(document, NOT_SHOWN.orderIdPath);
  return ok({
    document: pair === null ? whole : withOrderFeedKey(whole, pair),
    orderId: stated.orderId ?? (typeof inside === 'string' ? inside : null),
  });
}

/** What is known of an order before a base is loaded. @property open operations that are not final. */
interface BaseFacts {
  open: number;
  known: { document: OrderDocument; orderId: string } | null;
}

type BasePlan =
  /** `orderId` '': not known. */
  | { verdict: 'load'; orderId: string }
  /** The stored document is the same. */
  | { verdict: 'same' }
  | { verdict: 'base_known' }
  /** An open operation would overwrite it. */
  | { verdict: 'order_busy' };

export function planBase({ open, known }: BaseFacts, base: OrderBase, replace: boolean): BasePlan {
  const orderId = base.orderId ?? known?.orderId ?? '';
  if (known !== null && known.orderId === orderId && isEqual(known.document, base.document)) return { verdict: 'same' };
  if (known !== null && !replace) return { verdict: 'base_known' };
  return open > 0 ? { verdict: 'order_busy' } : { verdict: 'load', orderId };
}

function without(document: OrderDocument, [name = '', ...rest]: readonly string[]): OrderDocument {
  if (!Object.hasOwn(document, name)) return document;
  const { [name]: inner, ...others } = document;
  if (rest.length === 0) return others;
  return isDocument(inner) ? { ...document, [name]: without(inner, rest) } : document;
}

/** Without recursion: the document may have any depth. */
function isDeeper(document: OrderDocument, levelsMax: number): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levelsMax) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}
