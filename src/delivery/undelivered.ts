/** Kinds of request that are mapped and shown, but not sent: orders are created and, so far, not changed. */
import type { RequestKind } from '../mapping/request.ts';

export const UNDELIVERED_KINDS: ReadonlySet<RequestKind> = new Set(['order.update', 'order.cancel', 'order.upsert']);
