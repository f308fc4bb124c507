/** What a person may decide about a held request. Pure. */
import type { RequestKind } from '../mapping/request.ts';
import type { RequestState, StateReason } from './states.ts';

export const DECISIONS = ['send_again', 'create_again', 'adopt_id', 'mark_delivered', 'close'] as const;
/**
 * `send_again`: the same bytes; it may then arrive twice. `create_again`: a second order may come into being. `adopt_id`: the
 * order exists, under an id that was looked up. `mark_delivered`: it arrived. `close`: given up, whatever came of it.
 */
export type Decision = (typeof DECISIONS)[number];

const AGAIN: readonly Decision[] = ['send_again', 'mark_delivered', 'close'];
const CREATE: readonly Decision[] = ['create_again', 'adopt_id', 'mark_delivered', 'close'];
/** The order was taken: creating it again would make a second one for certain. */
const TAKEN: readonly Decision[] = CREATE.filter((decision) => decision !== 'create_again');

/** @param kind what it went out as: of an `order.upsert` that became an update, `order.update`. */
export function decisionsFor(kind: RequestKind, state: RequestState, reason: StateReason | null): readonly Decision[] {
  if (state !== 'held') return [];
  switch (kind) {
    case 'milestone':
    case 'loadMilestoneEvent':
    case 'trace':
    case 'order.update':
    case 'order.cancel':
      return AGAIN;
    case 'order.create':
    case 'order.upsert':
      return reason === 'order_id_missing' ? TAKEN : CREATE;
  }
}
