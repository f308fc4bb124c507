/** Shapes of what operators and partners are told of webhooks. */
import * as z from 'zod';
import { list, Time } from '../route.ts';
import { Environment, Next } from '../shapes.ts';

export const WebhookEvent = z.enum(['acknowledgment.ready', 'batch.held', 'batch.settled', 'order.status']);

const WebhookAction = z.enum(['change', 'delete', 'register', 'rotate']);

/** As its partner sees it. */
export const OwnWebhook = z.strictObject({
  id: z.string(),
  state: z.enum(['deleted', 'disabled', 'disabled_by_failure', 'enabled']),
  url: z.string(),
  events: list(WebhookEvent),
  enabled: z.boolean(),
  changedAt: Time,
  rotatedAt: Time.nullable(),
  failingSince: z.string().nullable(),
  disabledReason: z.enum(['failing', 'gone']).nullable(),
  disabledAt: Time.nullable(),
  waiting: z.number(),
  secret: z.exactOptional(z.string()),
  reached: z
    .exactOptional(z.boolean())
    .describe('false, after a change: whatever sends does not know it yet, and learns of it within minutes.'),
});

const WebhookShape = OwnWebhook.extend({
  edition: z.number(),
  action: WebhookAction,
  changedBy: z.string(),
  note: z.string(),
});

export const Delivery = z.strictObject({
  eventId: z.string(),
  type: z.string(),
  batchId: z.string().nullable().describe('The batch that the event is of; null: it is of an order.'),
  fileName: z.string().nullable(),
  orderRef: z.string().nullable().describe('The order that it is of; null: it is of a batch.'),
  state: z.enum(['delivered', 'given_up', 'sending', 'waiting']),
  toldAt: Time.nullable(),
  attempts: z.number(),
  nextAt: Time.nullable(),
  lastAt: Time.nullable(),
  lastStatus: z.number().nullable(),
  lastDetail: z.string().nullable(),
  sentAgainBy: z.string().nullable(),
  sentAgainAt: Time.nullable(),
});

export const WebhookList = z.strictObject({
  environment: Environment,
  partner: z.string(),
  webhooks: list(WebhookShape),
});

export const AllWebhooks = z.strictObject({
  environment: Environment,
  webhooks: list(z.strictObject({ ...WebhookShape.shape, partner: z.string(), reached: z.boolean() })),
});

/** There is one, of all events about alerts. */
const AlertWebhook = WebhookShape.omit({ id: true, events: true });

export const AlertWebhookKnown = z.strictObject({
  environment: Environment,
  webhook: AlertWebhook.nullable().describe('null: none is set.'),
  deliveries: list(
    Delivery.omit({ batchId: true, fileName: true, orderRef: true }).extend({
      code: z.string().nullable().describe('Which alert; null: none, it was a test.'),
      about: z.string().nullable(),
    }),
  ).describe('The latest, newest first.'),
});

export const AlertWebhookWhole = z.strictObject({ environment: Environment, webhook: AlertWebhook });

export const WebhookSent = z.strictObject({
  environment: Environment,
  partner: z.string(),
  id: z.string(),
  eventId: z.string(),
});

export const WebhookWhole = WebhookShape.extend({ environment: Environment, partner: z.string() });

export const Deliveries = z.strictObject({
  environment: Environment,
  partner: z.string(),
  id: z.string(),
  deliveries: list(Delivery),
  next: Next,
});
