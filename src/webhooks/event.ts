/** Events that a target may ask for, and what is sent for one. */
import { BATCH_NEWS, type NewsEvent } from '../batch/core/news-event.ts';
import { ORDER_NEWS } from '../feed/order-news.ts';
import { type PartnerScope, registerName } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';

export const WEBHOOK_EVENTS = [...BATCH_NEWS, ...ORDER_NEWS] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];
export type WebhookEvent = NewsEvent<WebhookEventType>;

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
