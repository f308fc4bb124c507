/** What is answered about loads and orders; the same for partners and operators. */
import * as z from 'zod';
import { countsBy, list, Time } from './route.ts';
import {
  Applied,
  Attempt,
  Difference,
  Environment,
  Evidence,
  Next,
  Notes,
  RequestKind,
  RequestLocation,
  RequestState,
  RowLinks,
  StateReason,
  Warning,
} from './shapes.ts';

const RowLocation = RequestLocation.extend({ links: RowLinks });

const LoadEvent = z
  .strictObject({
    kind: RequestKind,
    what: z.string().nullable(),
    time: z.string().nullable(),
    stop: z.number().nullable(),
    place: z.string().nullable(),
    position: z.strictObject({ latitude: z.number(), longitude: z.number() }).nullable(),
    state: RequestState,
    reason: StateReason.nullable(),
    outcome: Applied.nullable(),
    evidence: Evidence.nullable(),
    status: z.number().nullable(),
    answer: z.string().nullable(),
    attempts: z.number(),
    tries: list(
      z.strictObject({
        attempt: z.number(),
        startedAt: Time.nullable(),
        effect: z.string().nullable(),
        status: z.number().nullable(),
        answer: z.string().describe('Its head, or why there is none.'),
        latencyMs: z.number().nullable(),
      }),
    ).describe('The newest of them, oldest first.'),
    late: z.boolean(),
    possibleDuplicate: z.boolean(),
    warnings: list(Warning),
    from: RowLocation.extend({ generation: z.number() }),
    into: RowLocation.extend({ state: RequestState.nullable() })
      .nullable()
      .describe('The request it travels in (coalesced) or repeats (duplicate), and the state of that one.'),
    receivedAt: Time.nullable(),
    sentAt: Time.nullable(),
    nextAt: Time.nullable(),
    waitsForLoadUntil: Time.nullable().describe('Tried again until then: the receiving system does not know its load.'),
    decidedAt: Time.nullable(),
    deadline: Time.nullable(),
    body: z.unknown().describe('As mapped.'),
  })
  .meta({ id: 'LoadEvent' });

export const Load = z
  .strictObject({
    loadNumber: z.string(),
    scac: z.string(),
    environment: Environment,
    order: z.enum(['event', 'sent']),
    counts: z
      .strictObject({
        events: z.number(),
        milestones: z.number(),
        positions: z.number(),
        states: countsBy(RequestState),
        late: z.number(),
        possibleDuplicates: z.number(),
        warned: z.number(),
        waitingForLoad: z.number(),
        firstEventAt: Time.nullable(),
        lastEventAt: Time.nullable(),
      })
      .nullable()
      .describe('Of the whole load; null on any page but the first.'),
    notes: Notes,
    events: list(LoadEvent),
    next: Next,
    links: z.strictObject({ self: z.string(), csv: z.string(), console: z.string(), otherOrder: z.string() }),
  })
  .meta({ id: 'Load' });

/* Orders. */

const OrderFeedKey = z.strictObject({ partnerId: z.string(), clientId: z.string() });

const StatusPlace = z.strictObject({
  city: z.exactOptional(z.string()),
  state: z.exactOptional(z.string()),
  postalCode: z.exactOptional(z.string()),
  country: z.exactOptional(z.string()),
});

const StatusLevel = z.enum(['detail', 'milestone']);

const ORDER_VERSION = {
  version: z.number(),
  kind: z.union([RequestKind, z.literal('base')]).describe('`base`: an operator stated it.'),
  batchId: z.string().nullable(),
  record: z.number().nullable(),
  changes: list(Difference).nullable(),
  operation: z.number().nullable(),
  incarnation: z.number(),
  orderId: z.string().nullable(),
  scac: z.string().nullable(),
  acceptedAt: Time.nullable(),
  uploadedBy: z.string().nullable(),
  stated: z.strictObject({ by: z.string(), why: z.string().nullable() }).nullable(),
  links: z.exactOptional(RowLinks.nullable()),
} as const;

const ORDER_OPERATION = {
  operation: z.number(),
  kind: RequestKind,
  batchId: z.string(),
  record: z.number(),
  request: z.number(),
  generation: z.number(),
  scac: z.string(),
  state: RequestState,
  reason: StateReason.nullable(),
  outcome: Applied.nullable(),
  evidence: Evidence.nullable(),
  status: z.number().nullable(),
  acceptedAt: Time.nullable(),
  uploadedBy: z.string().nullable(),
  nextAt: Time.nullable(),
  decidedAt: Time.nullable(),
  changes: list(Difference).nullable().describe('What it changes of the order; null: not known, or nothing.'),
  action: z.string().nullable().describe("The receiving system's word for it."),
  attempts: list(Attempt.extend({ startedAt: Time.nullable(), requestSha256: z.string() })),
  links: z.exactOptional(RowLinks),
} as const;

export const ORDER = {
  orderRef: z.string(),
  orderId: z.string().nullable().describe("The receiving system's id; null while there is none."),
  incarnation: z.number().nullable(),
  document: z.unknown().describe('As it was accepted last.'),
  pair: OrderFeedKey.nullable(),
  latestStatus: z.string().nullable().describe('Code of the latest valid status; null: none.'),
  latestStatusAt: Time.nullable(),
  counts: z.strictObject({ versions: z.number(), operations: z.number(), open: z.number() }),
  versions: list(z.strictObject(ORDER_VERSION)),
  operations: list(z.strictObject(ORDER_OPERATION)),
  statuses: list(
    z.strictObject({
      seq: z.number(),
      code: z.string(),
      at: Time.nullable(),
      level: StatusLevel,
      place: StatusPlace,
      orderId: z.string().nullable(),
      learnedAt: Time.nullable(),
      corrects: z.number().nullable(),
      correctedBy: z.number().nullable().describe('Seq of the status that replaces it: this one was misread.'),
    }),
  ),
  next: z.string().nullable().describe('Address of earlier operations and versions; null: there are none.'),
} as const;

export const Order = z.strictObject(ORDER).meta({ id: 'Order' });

export const FEED_OF_ORDER = {
  orderRef: z.string(),
  state: z.enum(['final', 'none', 'open']).nullable().describe('null: the feed does not know the order.'),
  registeredAt: Time.nullable(),
  learnedAt: Time.nullable(),
  cursor: z
    .strictObject({ poll: z.number(), at: Time.nullable() })
    .nullable()
    .describe('The last poll whose answer is in the log: what happened later is not known yet.'),
  nextPoll: Time.nullable(),
  trouble: z.strictObject({ at: Time.nullable(), detail: z.string() }).nullable(),
  repair: z
    .strictObject({ tries: z.number(), failure: z.string().nullable(), nextAt: Time.nullable() })
    .nullable()
    .describe('It is to be asked for alone; null: it is not.'),
  gaps: list(
    z.strictObject({
      poll: z.number(),
      why: z.enum([
        'cut',
        'interrupted',
        'no_answer',
        'not_stored',
        'redirected',
        'server_error',
        'too_long',
        'unreadable',
      ]),
      since: Time.nullable().describe('Since when changes may be missing.'),
      lostAt: Time.nullable(),
      closedAt: Time.nullable(),
      closedBy: z.enum(['nothing_known', 'operator', 'repair', 'reread']).nullable(),
    }),
  ).describe('Lost polls that may have cost a status of this order.'),
} as const;

export const FeedOfOrder = z.strictObject(FEED_OF_ORDER);

export const Tracks = z
  .strictObject({
    orderRef: z.string(),
    source: z.enum(['feed', 'upstream']),
    asOf: z.string().nullable(),
    tracks: list(
      z.strictObject({
        code: z.string(),
        at: Time.nullable(),
        place: StatusPlace,
        orderId: z.string().nullable(),
      }),
    ),
    trouble: z
      .strictObject({
        code: z.enum(['upstream_down', 'upstream_refused', 'upstream_unreadable']),
        status: z.number().nullable(),
        detail: z.string(),
      })
      .nullable()
      .describe("Why the receiving system's answer is not shown."),
  })
  .meta({ id: 'Tracks' });

export const OrderList = z.strictObject({
  followed: z.boolean().describe('A feed learns what becomes of them.'),
  orders: list(
    z.strictObject({
      orderRef: z.string(),
      state: z.enum(['final', 'none', 'open']).nullable(),
      latestStatus: z.string().nullable(),
      heardAt: Time.nullable(),
      sent: z
        .strictObject({ state: RequestState, receivedAt: Time.nullable(), batchId: z.string(), record: z.number() })
        .nullable(),
      links: z.record(z.string(), z.string()),
    }),
  ),
  next: Next,
});

export const OrderEvents = z.strictObject({
  events: list(
    z.strictObject({
      seq: z.number(),
      orderRef: z.string(),
      orderId: z.string().nullable(),
      code: z.string(),
      at: Time,
      level: StatusLevel,
      place: StatusPlace,
      learnedAt: Time,
      corrects: z.number().nullable().describe('Seq of an earlier event that was misread; this one replaces it.'),
    }),
  ),
  next: z.string().describe('The `after` of the next call.'),
  more: z.boolean().describe('There are more already.'),
});
