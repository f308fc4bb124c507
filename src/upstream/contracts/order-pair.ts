/** Whose an order is, according to its document (NOT_SHOWN.orderPartnerIdPath, orderClientIdPath). Pure. */
import type { OrderFeedKey } from '../../kernel/names.ts';
import { valueAt } from './json.ts';
import { NOT_SHOWN } from './not-shown.ts';

/** @returns null unless the document names both. */
export function orderFeedKeyIn(document: unknown): OrderFeedKey | null {
  const partnerId = textAt(document, NOT_SHOWN.orderPartnerIdPath);
  const clientId = textAt(document, NOT_SHOWN.orderClientIdPath);
  return partnerId === null || clientId === null ? null : { partnerId, clientId };
}

/** @returns the document with the two ids if it names neither; ids that a mapping wrote are not changed. */
export function withOrderFeedKey<Document extends object>(document: Document, pair: OrderFeedKey): Document {
  const isNamed = [NOT_SHOWN.orderPartnerIdPath, NOT_SHOWN.orderClientIdPath].some(
    (path) => valueAt(document, path) !== undefined,
  );
  if (isNamed) return document;
  const first = put(document, NOT_SHOWN.orderPartnerIdPath, pair.partnerId);
  return put(first, NOT_SHOWN.orderClientIdPath, pair.clientId);
}

function textAt(document: unknown, path: readonly string[]): string | null {
  const value = valueAt(document, path);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** @returns a copy; a value that blocks the path is left as it is. */
function put<Document extends object>(document: Document, path: readonly string[], text: string): Document {
  const [name, ...rest] = path;
  if (name === undefined) return document;
  if (rest.length === 0) return { ...document, [name]: text };
  const inner = valueAt(document, [name]) ?? {};
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return document;
  return { ...document, [name]: put(inner, rest, text) };
}
