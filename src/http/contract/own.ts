/** What a partner sees of its own setup: interchanges with their acknowledgments, webhooks, keys. */
import * as z from 'zod';
import { INTERCHANGES_PAGE_MAX } from '../../kernel/limits.ts';
import { PartnerKeyLine } from './ops/setup-shapes.ts';
import { Delivery, OwnWebhook } from './ops/webhook-shapes.ts';
import { DRY_RUN, pageOf, text } from './parameters.ts';
import { JSON_TYPE, json, jsonBody, list, open, type Routes, Time } from './route.ts';
import { BatchState, Environment, Next } from './shapes.ts';

const Interchange = z.strictObject({
  control: z.string().describe('The control number, without leading zeros.'),
  sender: z.string(),
  receiver: z.string(),
  receivedAt: Time,
  batchId: z.string(),
  fileName: z.string().nullable().describe('Of its file; null: it came without, or with others in one batch.'),
  message: z.number().nullable().describe('Its number in a batch that several messages share.'),
  state: BatchState.nullable(),
  rows: z.number().nullable().describe('Of its file; null: not known just now.'),
  refused: z.number().nullable(),
  links: z.strictObject({ self: z.string(), console: z.string(), acknowledgment: z.string() }),
});

const OwnKey = PartnerKeyLine.omit({ channel: true }).extend({
  isThisOne: z.boolean().describe('The key that this request came with.'),
  mayChange: z.boolean().describe('It can do no more than the key of this request.'),
});
const ChangedKey = OwnKey.extend({
  key: z.exactOptional(z.string()).describe('The key itself, shown this once.'),
  dryRun: z.exactOptional(z.boolean()),
  endsAt: z.exactOptional(Time).describe('When the old one ends.'),
  changed: z.exactOptional(z.boolean()),
});

const WHY = z.exactOptional(z.string()).describe('Why, for the audit.');
const KEY_REFUSALS = [400, 403, 404, 409, 413] as const;

export const OWN_ROUTES = {
  'GET /v1/interchanges': {
    who: 'partner',
    does: 'the X12 and EDIFACT interchanges that you sent in the last 30 days, newest first, each with its acknowledgment',
    query: { cursor: text('As `next` says.'), limit: pageOf(INTERCHANGES_PAGE_MAX, INTERCHANGES_PAGE_MAX) },
    answers: {
      200: json('A page of interchanges.', z.strictObject({ interchanges: list(Interchange), next: Next })),
    },
    refuses: [400],
  },
  'GET /v1/webhooks': {
    who: 'partner',
    does: 'where your system is notified, and how that goes',
    answers: { 200: json('All of them.', z.strictObject({ webhooks: list(OwnWebhook) })) },
  },
  'GET /v1/webhooks/{target}': {
    who: 'partner',
    does: 'one of them',
    answers: { 200: json('The webhook.', OwnWebhook) },
    refuses: [404],
  },
  'GET /v1/webhooks/{target}/deliveries': {
    who: 'partner',
    does: 'what was sent to it, newest first',
    query: { before: text('As `next` says.') },
    answers: {
      200: json('A page of deliveries.', z.strictObject({ id: z.string(), deliveries: list(Delivery), next: Next })),
    },
    refuses: [404],
  },
  'POST /v1/webhooks/{target}/rotate': {
    who: 'partner',
    does: 'makes a new signing secret, shown this once; the last three before it also sign for a day',
    answers: { 200: json('The webhook with its secret.', OwnWebhook) },
    refuses: [400, 404, 409],
  },
  'POST /v1/webhooks/{target}/deliveries/{event}/send-again': {
    who: 'partner',
    does: 'sends one event again',
    body: { media: { [JSON_TYPE]: open<object>('Nothing is needed.') }, isOptional: true },
    answers: { 200: json('It is sent.', z.strictObject({ id: z.string(), eventId: z.string() })) },
    refuses: [400, 404, 409],
  },
  'GET /v1/keys': {
    who: 'partner',
    does: 'your keys: state, end, last use. Never the keys themselves',
    answers: {
      200: json('Newest first.', z.strictObject({ environment: Environment, keys: list(OwnKey) })),
    },
  },
  'POST /v1/keys': {
    who: 'partner',
    does: 'makes a key like the one of this request, shown this once. Two work at most',
    body: jsonBody(z.strictObject({ why: WHY })),
    answers: { 201: json('The new key.', ChangedKey) },
    refuses: KEY_REFUSALS,
  },
  'POST /v1/keys/{keyId}/rotate': {
    who: 'partner',
    does: 'makes a key in the place of one, which works on for a while',
    query: { dryRun: DRY_RUN },
    body: jsonBody(z.strictObject({ overlapHours: z.exactOptional(z.int()), why: WHY })),
    answers: { 200: json('The plan.', ChangedKey), 201: json('The new key, shown this once.', ChangedKey) },
    refuses: KEY_REFUSALS,
  },
  'POST /v1/keys/{keyId}/revoke': {
    who: 'partner',
    does: 'ends a key at once, this one too',
    query: { dryRun: DRY_RUN },
    body: jsonBody(z.strictObject({ why: WHY })),
    answers: { 200: json('The key.', ChangedKey) },
    refuses: KEY_REFUSALS,
  },
} as const satisfies Routes;
