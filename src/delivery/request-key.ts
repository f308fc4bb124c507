/**
 * A request that names itself, so that the receiver can recognise a repeat: the same key on every try and in every generation.
 *
 * Pure. What is compared as equal is the body as mapped, without it.
 */
import type { MilestoneFields, Reference, RequestKind, TraceFields } from '../mapping/request.ts';

export const REQUEST_KEY_REFERENCE = 'TRANSLOAD';

/** @param body as a mapping yields it. @returns it with the key among its references; unchanged where its kind has none. */
export function withRequestKey(kind: RequestKind, body: string, key: string): string {
  const named = (references: readonly Reference[] = []): Reference[] => [
    ...references,
    { name: REQUEST_KEY_REFERENCE, value: key },
  ];
  switch (kind) {
    case 'milestone': {
      const fields = JSON.parse(body) as MilestoneFields;
      return JSON.stringify({ ...fields, references: named(fields.references) });
    }
    case 'trace': {
      const fields = JSON.parse(body) as TraceFields;
      const traces = fields.traces.map((point) => ({ ...point, references: named(point.references) }));
      return JSON.stringify({ ...fields, traces });
    }
    case 'loadMilestoneEvent':
    case 'order.create':
    case 'order.update':
    case 'order.cancel':
    case 'order.upsert':
      return body;
  }
}
