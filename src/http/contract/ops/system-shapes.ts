/** What is answered to operators about channels, feeds, webhooks, alerts, figures and the audit. */
import * as z from 'zod';
import { type AlertCode as AlertName, RUNBOOK } from '../../ops/views/runbook.ts';
import { list, Time } from '../route.ts';
import { Environment, Next } from '../shapes.ts';

const AuditEntry = z.strictObject({
  id: z.number(),
  at: Time,
  environment: Environment.nullable(),
  actor: z.string(),
  action: z.string(),
  about: z.string(),
  why: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

const Scope = z.string();

const OpenedBy = z.enum([
  'channel_refused',
  'credentials_refused',
  'failures',
  'not_onboarded',
  'redirects',
  'scacs_parked',
]);

const Failure = z.strictObject({ at: Time, subject: z.string(), status: z.number().nullable(), detail: z.string() });

const Breaker = z.strictObject({
  scope: Scope,
  state: z.enum(['half_open', 'open']),
  why: OpenedBy,
  since: Time,
  nextProbe: z.string(),
  probing: z.boolean(),
  probesPassed: z.number(),
  lastFailure: Failure.nullable(),
});

const Release = z.strictObject({
  at: Time,
  keyId: z.string(),
  author: z.string(),
  reason: z.string(),
  scope: Scope,
  before: Breaker,
});

const AuthMethod = z.enum(['key', 'key+bearer']);

const OtherUpdates = z.enum(['refuse', 'send']);

const ChannelSetup = z.strictObject({
  baseUrl: z.string(),
  tokenEndpoint: z.enum(['oauth', 'plain']),
  auth: z.strictObject({
    events: AuthMethod,
    fleet: AuthMethod,
    loadMilestoneEvents: AuthMethod,
    locations: AuthMethod,
    orders: AuthMethod,
  }),
  scacs: list(z.string()),
  customerNumber: z.string().nullable(),
  probe: z.enum(['locations', 'none']),
  fleet: z.enum(['look-ups', 'off', 'shown']),
  orderPreCheck: z.boolean(),
  otherUpdates: OtherUpdates,
});

const ChannelHealth = z.strictObject({
  name: z.string(),
  state: z.string(),
  detail: z.exactOptional(z.string()),
  bucket: z.exactOptional(
    z.strictObject({ ratePerSecond: z.number(), burst: z.number(), permitsLeft: z.number(), permitsOut: z.number() }),
  ),
  auth: z.exactOptional(Breaker.nullable()),
  breakers: z.exactOptional(list(Breaker)),
  parkedScacs: z.exactOptional(list(Breaker)),
  failingReads: z.exactOptional(
    list(
      z.strictObject({
        api: z.enum(['fleet', 'locations']),
        since: Time,
        last: z.string(),
        status: z.number().nullable(),
        detail: z.string(),
      }),
    ),
  ),
  token: z.exactOptional(z.strictObject({ fingerprint: z.string(), obtainedAt: Time, expiresAt: Time }).nullable()),
  releases: z.exactOptional(list(Release)),
});

const ChannelLine = ChannelHealth.extend({ setup: ChannelSetup });

const ChannelTestState = z.enum(['credentials_refused', 'failing', 'not_allowed', 'ok', 'token_failed', 'unreachable']);

const FeedState = z.enum(['gap', 'late', 'ok', 'starting', 'trouble', 'unreachable']);

const SkippedEntry = z.strictObject({
  index: z.number(),
  code: z.enum([
    'code_missing',
    'entry_unreadable',
    'no_object',
    'order_id_foreign',
    'order_ref_foreign',
    'order_ref_missing',
    'time_missing',
    'time_unreadable',
  ]),
  entry: z.string().describe('The beginning of the entry as JSON.'),
});

const LostWhy = z.enum([
  'cut',
  'interrupted',
  'no_answer',
  'not_stored',
  'redirected',
  'server_error',
  'too_long',
  'unreadable',
]);

const Gap = z.strictObject({
  poll: z.number(),
  why: LostWhy,
  since: Time.nullable().describe('Since when changes may be missing.'),
  lostAt: Time.nullable(),
  closedAt: Time.nullable(),
  closedBy: z.enum(['nothing_known', 'operator', 'repair', 'reread']).nullable(),
});

const PollState = z.enum(['asking', 'lost', 'read', 'refused', 'stored']);

const Poll = z.strictObject({
  poll: z.number(),
  state: PollState,
  startedAt: Time.nullable(),
  status: z.number().nullable(),
  detail: z.string().nullable(),
  bytes: z.number().nullable(),
  sha256: z.string().nullable(),
  entries: z.number(),
  news: z.number(),
  unfit: z.number(),
  unfitSamples: z.unknown(),
  answerMapping: z.number().nullable(),
});

const FeedLine = z.strictObject({
  partnerId: z.string(),
  clientId: z.string(),
  channel: z.string(),
  scac: z.string(),
  pollMinutes: z.number(),
  pollSeconds: z
    .number()
    .describe('What that takes here: less than the minutes where waits are shortened, as in a demo.'),
  repairsPerMinute: z.number(),
  partner: z.string(),
  state: FeedState,
  detail: z.exactOptional(z.string()),
  cursor: z.exactOptional(
    z
      .strictObject({ poll: z.number(), at: Time.nullable() })
      .nullable()
      .describe('The last poll whose answer is in the log.'),
  ),
  nextPoll: z.exactOptional(z.string().nullable()),
  trouble: z.exactOptional(z.strictObject({ at: Time.nullable(), detail: z.string() }).nullable()),
  lastEvent: z.exactOptional(z.number()),
  answerMapping: z.exactOptional(z.number()),
  orders: z.exactOptional(z.strictObject({ open: z.number() })),
  repair: z.exactOptional(
    z.strictObject({
      left: z.number(),
      failing: z.number(),
      unfit: z.number(),
      unfitSamples: list(SkippedEntry),
      failures: list(z.strictObject({ orderRef: z.string(), failure: z.string(), tries: z.number() })),
    }),
  ),
  gaps: z.exactOptional(z.strictObject({ open: z.number(), closed: z.number(), shown: list(Gap) })),
  unread: z.exactOptional(
    z
      .strictObject({ waiting: z.number(), unreadable: z.number() })
      .describe('Answers that are stored but not in the log: they can be read once the answer mapping fits.'),
  ),
  polls: z.exactOptional(list(Poll)),
  links: z.exactOptional(z.strictObject({ poll: z.string(), repair: z.string() })),
});

const AlertCode = z.enum(Object.keys(RUNBOOK) as [AlertName, ...AlertName[]]);

const Alert = z.strictObject({
  code: AlertCode,
  about: z.string(),
  part: z.string().nullable().describe('What of it: a SCAC, a webhook, a key; null: all of it.'),
  since: Time.nullable(),
  means: z.string(),
  detail: z.string(),
  fix: z.string(),
  links: z
    .strictObject({ api: z.string(), console: z.string().nullable() })
    .describe('Where to look: in the API, and on a page of the console.'),
});

const NOT_DELIVERED =
  'Rows not delivered now, of the batches received then: without those corrected since. The other counts are of what ended then.';

const DELIVERED_ROWS =
  'Rows delivered now, of the batches received then. `delivered` counts requests, which may be of several rows.';

const MetricsSums = z.strictObject({
  deliveredShare: z.number().nullable().describe('Of what ended; null: nothing did.'),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  name: z.string(),
  delivered: z.number(),
  refused: z.number(),
  invalid: z.number(),
  deliveredRows: z.number().describe(DELIVERED_ROWS),
  notDelivered: z.number().describe(NOT_DELIVERED),
  dollars: z.number(),
});

export const AuditPage = z.strictObject({ environment: Environment, entries: list(AuditEntry), next: Next });

export const Released = z.strictObject({
  environment: Environment,
  channel: z.string(),
  scope: z.string(),
  released: z.boolean(),
  before: Breaker.nullable(),
});

export const ChannelList = z.strictObject({ environment: Environment, channels: list(ChannelLine) });

export const ChannelWhole = ChannelLine.extend({ environment: Environment });

export const ChannelTested = z.strictObject({
  state: ChannelTestState,
  token: z.strictObject({
    obtained: z.boolean(),
    code: z.enum(['token_refused', 'token_unreachable', 'token_unreadable']).nullable(),
    detail: z.string(),
  }),
  call: z.strictObject({ asked: z.string(), status: z.number().nullable(), detail: z.string() }).nullable(),
  environment: Environment,
  channel: z.string(),
});

export const AgreedFeed = z.strictObject({
  partnerId: z.string(),
  clientId: z.string(),
  channel: z.string(),
  scac: z.string(),
  pollMinutes: z.number(),
  repairsPerMinute: z.number(),
  environment: Environment,
  partner: z.string(),
  edition: z.number(),
  changedBy: z.string().nullable(),
  changedAt: Time.nullable(),
  note: z.string(),
});

export const FeedWhole = FeedLine.extend({ environment: Environment });

export const FeedList = z.strictObject({ environment: Environment, feeds: list(FeedLine) });

export const Health = z.strictObject({
  environment: Environment,
  channels: list(ChannelHealth),
  feeds: list(
    z.strictObject({
      partner: z.string(),
      state: FeedState,
      lastPoll: z.string().nullable(),
      openGaps: z.number().nullable(),
      unreadable: z.number().nullable(),
      trouble: z.string().nullable(),
    }),
  ).nullable(),
  webhooks: list(
    z.strictObject({
      partner: z.string(),
      id: z.string(),
      state: z.enum(['disabled', 'failing']),
      failingSince: z.string().nullable(),
      disabledReason: z.string().nullable(),
      disabledAt: Time.nullable(),
      waiting: z.number(),
    }),
  )
    .nullable()
    .describe('Only those that accept nothing, or were switched off for that.'),
});

export const Alerts = z.strictObject({ environment: Environment, alerts: list(Alert) });

export const Metrics = z.strictObject({
  environment: Environment,
  from: z.string(),
  to: z.string(),
  stepMinutes: z.number(),
  by: z.enum(['channel', 'partner']).nullable(),
  total: z.strictObject({
    delivered: z.number(),
    refused: z.number(),
    invalid: z.number(),
    deliveredRows: z.number().describe(DELIVERED_ROWS),
    notDelivered: z.number().describe(NOT_DELIVERED),
    dollars: z.number(),
    deliveredShare: z.number().nullable().describe('Of what ended; null: nothing did.'),
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
  }),
  points: list(
    z.strictObject({
      delivered: z.number(),
      refused: z.number(),
      invalid: z.number(),
      deliveredRows: z.number().describe(DELIVERED_ROWS),
      notDelivered: z.number().describe(NOT_DELIVERED),
      dollars: z.number(),
      deliveredShare: z.number().nullable().describe('Of what ended; null: nothing did.'),
      p50Ms: z.number().nullable(),
      p95Ms: z.number().nullable(),
      at: Time,
    }),
  ),
  names: list(MetricsSums),
});

export const Layers = z.strictObject({
  environment: Environment,
  state: z.enum(['ok', 'failing']).describe('`failing`: at least one is.'),
  layers: list(
    z.strictObject({
      channel: z.string().nullable().describe('null: it is of all channels.'),
      layer: z.enum(['cache', 'database', 'files', 'objects', 'token']),
      state: z.enum(['ok', 'failing']),
      tookMs: z.number().nullable(),
      detail: z.string().nullable(),
    }),
  ),
});
