/** A place where a partner wants to be told, as it was agreed, and how it does. */
import type { WebhookEventType } from './event.ts';
import type { DisabledReason } from './schedule.ts';

/** @property edition counts the changes of this target from 1; generation the keys it has had. */
export interface WebhookTarget {
  id: string;
  edition: number;
  url: string;
  events: readonly WebhookEventType[];
  isEnabled: boolean;
  /** It is no more; kept so that an older edition that comes late does not bring it back. */
  isDeleted: boolean;
  generation: number;
  /** When the present key replaced another one; null: it is the first, or the one before may sign no more. */
  rotatedAtMs: number | null;
}

export const TARGET_ID_FORM = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** How a target does. */
export interface TargetStanding {
  id: string;
  /** Since when nothing has arrived that was tried; null: the last attempt arrived, or there was none. */
  failingSinceMs: number | null;
  /** Why it was switched off here; null: it was not, or was set anew since. */
  disabledReason: DisabledReason | null;
  disabledAtMs: number | null;
  /** Deliveries that are still to arrive. */
  waiting: number;
}

export const DELIVERY_STATES = ['waiting', 'sending', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event for one target. */
export interface WebhookDelivery {
  seq: number;
  eventId: string;
  type: string;
  state: DeliveryState;
  toldAtMs: number;
  /** All attempts there were. */
  attempts: number;
  /** When it is tried next; null: never by itself. */
  nextAtMs: number | null;
  lastAtMs: number | null;
  lastStatus: number | null;
  /** The head of the last answer, or why there was none. */
  lastDetail: string | null;
  /** Who had it sent again last, and when. */
  sentAgainBy: string | null;
  sentAgainAtMs: number | null;
}
