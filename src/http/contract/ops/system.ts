/** `/v1/ops`: channels, feeds, webhooks, alerts, figures and the audit. */
import * as z from 'zod';
import { text, whole } from '../parameters.ts';
import { file, open, type Routes } from '../route.ts';
import { Environment } from '../shapes.ts';
import { acts, ENVIRONMENT, IF_REVISION, look, NOTE, PAGE, WHY } from './routes.ts';
import {
  AgreedFeed,
  Alerts,
  AuditPage,
  ChannelList,
  ChannelTested,
  ChannelWhole,
  FeedList,
  FeedWhole,
  Health,
  Layers,
  Metrics,
  Released,
} from './system-shapes.ts';
import {
  AlertWebhookKnown,
  AlertWebhookWhole,
  AllWebhooks,
  Deliveries,
  WebhookEvent,
  WebhookList,
  WebhookSent,
  WebhookWhole,
} from './webhook-shapes.ts';

/** What an action of a feed answers with. */
const FeedAction = z.strictObject({ environment: Environment, partner: z.string() });

export const SYSTEM_ROUTES = {
  'GET /v1/ops/health': look('channels, breakers, parked SCACs, order feeds, failing webhooks', Health),
  'GET /v1/ops/health/layers': look('database, cache, files, objects and tokens, each asked now', Layers),
  'GET /v1/ops/alerts': look('what needs somebody; empty if nothing does', Alerts),
  'GET /v1/ops/audit': look('what operators did, newest first', AuditPage, {
    actor: text('Whose.'),
    action: text('Which.'),
    about: text('About what.'),
    from: text('Since: a day or a time.'),
    to: text('Before: a day or a time.'),
    ...PAGE,
  }),
  'GET /v1/ops/channels': look('every channel: its setup without secrets, its breakers, its token', ChannelList),
  'GET /v1/ops/channels/{name}': look('one of them', ChannelWhole),
  'POST /v1/ops/channels/{name}/test': acts({
    does: 'asks for a token, and for the locations where the channel may. Changes nothing',
    answer: ChannelTested,
    body: { why: WHY },
  }),
  'POST /v1/ops/channels/{name}/release': acts({
    does: 'closes a breaker at once',
    answer: Released,
    body: { scope: z.string().describe('`channel`, `auth`, `partner:NAME` or `scac:SCAC`.'), reason: NOTE },
  }),
  'GET /v1/ops/metrics': {
    ...look('what ended when, how long it took, what it cost', Metrics, {
      from: text('Since: a day or a time.'),
      to: text('Before: a day or a time.'),
      step: whole('In minutes.'),
      by: text('`partner` or `channel`.'),
    }),
    refuses: [400],
  },
  'GET /v1/ops/metrics/prometheus': {
    who: 'viewer',
    does: 'the same for a monitor that scrapes, with what is under way: the text format of Prometheus',
    query: ENVIRONMENT,
    answers: { 200: file('Counters begin at midnight UTC.', 'text/plain') },
    refuses: [404],
  },
  'GET /v1/ops/feeds': look('every order feed: state, polls, gaps, repairs', FeedList),
  'GET /v1/ops/feeds/{name}': look('the feed of one partner', FeedWhole),
  'POST /v1/ops/feeds/{name}/poll': acts({
    does: 'polls now',
    answer: FeedAction.extend({ polls: z.literal('now') }),
    body: { why: WHY },
  }),
  'POST /v1/ops/feeds/{name}/repair': acts({
    does: 'asks for every open order alone, or for `orderRefs`',
    answer: FeedAction.extend({ orders: z.number() }),
    body: { why: WHY, orderRefs: z.exactOptional(z.array(z.string())) },
  }),
  'POST /v1/ops/feeds/{name}/skip': acts({
    does: 'the repair waits no longer for an order',
    answer: FeedAction.extend({ orderRef: z.string() }),
    body: { orderRef: z.string(), why: WHY },
  }),
  'POST /v1/ops/feeds/{name}/polls/{poll}/reread': acts({
    does: 'reads a stored answer again',
    answer: FeedAction.extend({ poll: z.number(), entries: z.number(), news: z.number(), unfit: z.number() }),
    body: { why: WHY },
  }),
  'GET /v1/ops/partners/{name}/feed': look('the order feed of a partner', AgreedFeed),
  'PUT /v1/ops/partners/{name}/feed': acts({
    does: 'sets it',
    answer: AgreedFeed,
    body: {
      partnerId: z.string(),
      clientId: z.string(),
      channel: z.string(),
      scac: z.exactOptional(z.string().nullable()),
      pollMinutes: z.exactOptional(z.int()),
      repairsPerMinute: z.exactOptional(z.int()),
      note: NOTE,
    },
    headers: IF_REVISION,
  }),
  'GET /v1/ops/alert-webhook': look('where operators are told of alerts, and how that went', AlertWebhookKnown),
  'PUT /v1/ops/alert-webhook': acts({
    does: 'sets it; it is told of every alert that stands. Shows the secret once',
    answer: AlertWebhookWhole,
    body: { url: z.string(), enabled: z.exactOptional(z.boolean()), note: NOTE },
    headers: IF_REVISION,
    who: 'admin',
  }),
  'DELETE /v1/ops/alert-webhook': acts({
    does: 'deletes it and its deliveries',
    answer: AlertWebhookWhole,
    query: { note: text('Why, for the history.') },
    who: 'admin',
  }),
  'POST /v1/ops/alert-webhook/rotate': acts({
    does: 'makes a new secret; the last three before it also sign for a day',
    answer: AlertWebhookWhole,
    body: { note: NOTE },
    who: 'admin',
  }),
  'POST /v1/ops/alert-webhook/test': acts({
    does: 'sends an event that says that it is a test',
    answer: AlertWebhookWhole,
    body: { note: NOTE },
    who: 'admin',
  }),
  'GET /v1/ops/webhooks': look('the webhooks of all partners', AllWebhooks),
  'GET /v1/ops/partners/{name}/webhooks': look('the webhooks of a partner', WebhookList),
  'GET /v1/ops/partners/{name}/webhooks/{target}': look('one of them', WebhookWhole),
  'PUT /v1/ops/partners/{name}/webhooks/{target}': acts({
    does: 'sets it. Shows the secret once',
    answer: WebhookWhole,
    body: { url: z.string(), events: z.array(WebhookEvent), enabled: z.exactOptional(z.boolean()), note: NOTE },
    headers: IF_REVISION,
  }),
  'DELETE /v1/ops/partners/{name}/webhooks/{target}': acts({
    does: 'deletes it and its deliveries',
    answer: WebhookWhole,
    query: { note: text('Why, for the history.') },
  }),
  'POST /v1/ops/partners/{name}/webhooks/{target}/rotate': acts({
    does: 'makes a new secret; the last three before it also sign for a day',
    answer: WebhookWhole,
    body: { note: NOTE },
  }),
  'GET /v1/ops/partners/{name}/webhooks/{target}/deliveries': look('what was sent, newest first', Deliveries, {
    before: text('As `next` says.'),
  }),
  'POST /v1/ops/partners/{name}/webhooks/{target}/deliveries/{event}/send-again': {
    ...acts({ does: 'sends one again', answer: WebhookSent }),
    body: { media: { 'application/json': open<object>('Nothing is needed.') }, isOptional: true },
  },
} as const satisfies Routes;
