/** A webhook target, as agreed with a partner, and its state. */

import { BATCH_NOTIFICATIONS, type Notification } from '../batch/core/batch-events.ts';
import { ORDER_NOTIFICATIONS } from '../feed/order-events.ts';
import { iso } from '../kernel/clock.ts';
import { type PartnerScope, registerName } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { DisabledReason } from './schedule.ts';

/* Events that a target may subscribe to, and what is sent for one. */

export const WEBHOOK_EVENTS = [...BATCH_NOTIFICATIONS, ...ORDER_NOTIFICATIONS] as const;
/** Of the operators' own webhook. */
export const OPERATOR_EVENTS = ['alert.raised', 'alert.cleared', 'alert.test'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number] | (typeof OPERATOR_EVENTS)[number];
export type WebhookEvent = Notification<WebhookEventType>;

/** An event as stored and sent. */
export interface SentEvent {
  eventId: string;
  type: WebhookEventType;
  atMs: number;
  /** JSON, the same at every attempt. */
  body: string;
}

export const EVENT_ID_FORM = /^e_[0-9a-f]{32}$/;

/** The id is derived, so that we and the receiver recognise a repeat. */
export const sentEvent = (scope: PartnerScope, { type, key, atMs, data }: WebhookEvent): SentEvent => ({
  eventId: `e_${sha256Hex(JSON.stringify([registerName(scope), type, ...key])).slice(0, 32)}`,
  type,
  atMs,
  body: JSON.stringify({ type, timestamp: iso(atMs), data }),
});

/** @property edition the target's revision, from 1; generation counts its keys. */
export interface WebhookTarget {
  id: string;
  edition: number;
  url: string;
  events: readonly WebhookEventType[];
  isEnabled: boolean;
  /** Deleted; stored so that an older revision that comes late does not bring it back. */
  isDeleted: boolean;
  generation: number;
  /** When the present key replaced another one; null: it is the first, or the previous one may no longer sign. */
  rotatedAtMs: number | null;
}

export const TARGET_ID_FORM = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** State of a target. */
export interface TargetState {
  id: string;
  /** Since when every attempt has failed; null: the last one succeeded, or there was none. */
  failingSinceMs: number | null;
  /** Why it was disabled automatically; null: it was not, or was changed since. */
  disabledReason: DisabledReason | null;
  disabledAtMs: number | null;
  /** Deliveries still to be made. */
  waiting: number;
}

export type DeliveryState = 'waiting' | 'sending' | 'delivered' | 'given_up';

/** One event for one target. */
export interface WebhookDelivery {
  seq: number;
  eventId: string;
  type: string;
  /** What the event is of: a batch, or an order; null: it is of the other. */
  batchId: string | null;
  orderRef: string | null;
  /** Of the operators' own: which alert, and about what. */
  alertCode: string | null;
  alertAbout: string | null;
  state: DeliveryState;
  toldAtMs: number;
  /** All attempts ever made. */
  attempts: number;
  /** When it is tried next; null: never automatically. */
  nextAtMs: number | null;
  lastAtMs: number | null;
  lastStatus: number | null;
  /** Beginning of the last answer, or why there was none. */
  lastDetail: string | null;
  /** Who last had it sent again, and when. */
  sentAgainBy: string | null;
  sentAgainAtMs: number | null;
}
