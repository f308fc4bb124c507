/** Under which ids an order was made upstream, over all its incarnations. SQL only. */
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import { DOCUMENTS } from './base-store.ts';
import type { OrderStore } from './order-store.ts';

export interface NamedIds {
  ours: string[];
  /** They stood under the reference before it was made: another's. */
  before: string[];
  /** What is to make it has not ended: it may have an id that is not known yet. */
  isBeingMade: boolean;
  /** It came into being once and nobody has named its id. */
  hasUnnamed: boolean;
}

/** What is needed to ask the upstream for an order's tracks, and to know its own among those of others. */
export interface TrackTerms extends NamedIds {
  /** Ids under which its feed brought it. */
  polled: string[];
  /** As `earlierIds`. */
  earlier: string[];
  /** Of its last operation; null: it has none. */
  scac: string | null;
  /** As its feed reads; null: that could not be asked for. */
  mapping: AnswerMapping | null;
  /** A feed tells of it, or has. */
  isFollowed: boolean;
}

export const NOTHING_NAMED: NamedIds = { ours: [], before: [], isBeingMade: false, hasUnnamed: false };

export function namedIds(sql: SqlStorage, order: Pick<OrderStore, 'knownIds'>): NamedIds {
  const { ours, before } = order.knownIds();
  const making = `SELECT 1 FROM request WHERE kind IN ('order.create', 'order.upsert')
                    AND state IN ('queued', 'sending', 'waiting', 'unknown', 'held') LIMIT 1`;
  return {
    ours: [...ours].filter((id) => id !== ''),
    before: [...before],
    isBeingMade: sql.exec(making).toArray().length > 0,
    hasUnnamed: ours.has(''),
  };
}

/**
 * Ids, in small letters, of orders that were made under the reference before the one that stands: of earlier incarnations, and of
 * creates that were refused after all. None where no order stands, or nobody has named its id.
 */
export function earlierIds(sql: SqlStorage, order: Pick<OrderStore, 'accepted' | 'knownIds'>): string[] {
  const standing = order.accepted();
  if (standing === null || standing.order_id === '') return [];
  const own = sql
    .exec<{ id: string }>(`SELECT lower(order_id) AS id FROM ${DOCUMENTS} WHERE incarnation = ?`, standing.incarnation)
    .toArray();
  const earlier = order.knownIds().ours.difference(new Set(own.map(({ id }) => id)));
  return [...earlier].filter((id) => id !== '');
}
