/** A place where a partner wants to be told, as it was agreed, and how it does. */
import { BATCH_NOTIFICATIONS, type Notification } from '../batch/core/batch-events.ts';
import { ORDER_NOTIFICATIONS } from '../feed/order-events.ts';
import { type PartnerScope, registerName } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { DisabledReason } from './schedule.ts';

/* Events that a target may ask for, and what is sent for one. */

export const WEBHOOK_EVENTS = [...BATCH_NOTIFICATIONS, ...ORDER_NOTIFICATIONS] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];
export type WebhookEvent = Notification<WebhookEventType>;

/** An event as it is kept and sent. */
export interface SentEvent {
  eventId: string;
  type: WebhookEventType;
  atMs: number;
  /** JSON, the same at every attempt. */
  body: string;
}

export const EVENT_ID_FORM = /^e_[0-9a-f]{32}$/;

/** Derived, so that a repeat is recognised here and by whoever receives it. */
export async function sentEvent(scope: PartnerScope, { type, key, atMs, data }: WebhookEvent): Promise<SentEvent> {
  const name = new TextEncoder().encode(JSON.stringify([registerName(scope), type, ...key]));
  return {
    eventId: `e_${(await sha256Hex(name)).slice(0, 32)}`,
    type,
    atMs,
    body: JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data }),
  };
}

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
export interface TargetState {
  id: string;
  /** Since when nothing has arrived that was tried; null: the last attempt arrived, or there was none. */
  failingSinceMs: number | null;
  /** Why it was switched off here; null: it was not, or was set anew since. */
  disabledReason: DisabledReason | null;
  disabledAtMs: number | null;
  /** Deliveries that are still to arrive. */
  waiting: number;
}

const DELIVERY_STATES = ['waiting', 'sending', 'delivered', 'given_up'] as const;
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
