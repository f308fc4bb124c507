/** Views of orders and feeds for the tests of edge and console; each function takes what differs. */
import type { ShownFeed } from '../../../src/console/pages/connections/feeds.tsx';
import type { FollowedOrderView } from '../../../src/http/views/followed-order.ts';
import type { OrderView } from '../../../src/http/views/order.ts';
import { BATCH_ID } from '../batch/samples.ts';

export const ORDER_ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';

type Operation = OrderView['operations'][number];
type Version = OrderView['versions'][number];
type Status = OrderView['statuses'][number];

export const aStatus = (seq: number, more: Partial<Status> = {}): Status => ({
  seq,
  code: 'received',
  at: new Date(Date.UTC(2026, 2, 9, 8, seq)).toISOString(),
  level: 'milestone',
  place: {},
  orderId: ORDER_ID,
  learnedAt: '2026-03-09T12:00:00.000Z',
  corrects: null,
  correctedBy: null,
  ...more,
});

export const anOperation = (more: Partial<Operation> = {}): Operation => ({
  operation: 1,
  kind: 'order.create',
  batchId: BATCH_ID,
  record: 7,
  request: 1,
  generation: 1,
  scac: 'ABCD',
  state: 'delivered',
  reason: null,
  outcome: null,
  evidence: 'answer',
  status: 201,
  acceptedAt: '2026-03-09T07:00:00.000Z',
  uploadedBy: 'k1',
  nextAt: null,
  decidedAt: '2026-03-09T07:00:02.000Z',
  changes: null,
  action: null,
  attempts: [
    {
      attempt: 1,
      purpose: 'send',
      startedAt: '2026-03-09T07:00:01.000Z',
      requestSha256: 'a'.repeat(64),
      effect: 'applied',
      status: 201,
      headers: {},
      answer: '{"id":"x-1"}',
      answerEnd: 'whole',
      detail: null,
      latencyMs: 12,
    },
  ],
  ...more,
});

export const aVersion = (more: Partial<Version> = {}): Version => ({
  version: 1,
  kind: 'order.create',
  batchId: BATCH_ID,
  record: 7,
  changes: null,
  operation: 1,
  incarnation: 1,
  orderId: ORDER_ID,
  scac: 'ABCD',
  acceptedAt: '2026-03-09T07:00:02.000Z',
  uploadedBy: 'k1',
  stated: null,
  ...more,
});

export const anOrderView = (more: Partial<OrderView> = {}): OrderView => ({
  orderRef: 'SO-1',
  orderId: ORDER_ID,
  incarnation: 1,
  document: { orderRef: 'SO-1', shipperCode: 'S1' },
  pair: null,
  latestStatus: 'received',
  latestStatusAt: aStatus(1).at,
  counts: { versions: 1, operations: 1, open: 0 },
  versions: [aVersion()],
  operations: [anOperation()],
  statuses: [aStatus(1)],
  next: null,
  ...more,
});

export const NO_ORDER: OrderView = anOrderView({
  orderId: null,
  incarnation: null,
  document: null,
  latestStatus: null,
  latestStatusAt: null,
  counts: { versions: 0, operations: 0, open: 0 },
  versions: [],
  operations: [],
  statuses: [],
});

/** What a feed knows of an order. */
export const aFollowedOrder = (more: Partial<FollowedOrderView> = {}): FollowedOrderView => ({
  orderRef: 'SO-1',
  state: 'open',
  registeredAt: '2026-03-09T07:00:00.000Z',
  learnedAt: '2026-03-09T12:00:00.000Z',
  cursor: { poll: 12, at: '2026-03-09T12:00:00.000Z' },
  nextPoll: '2026-03-09T12:30:00.000Z',
  trouble: null,
  repair: null,
  gaps: [],
  ...more,
});

type WholeFeed = Omit<Required<ShownFeed>, 'detail'>;

const head = {
  partner: 'acme',
  partnerId: 'P-1',
  clientId: 'C-1',
  channel: 'acme-test',
  scac: 'ABCD',
  pollMinutes: 30,
  pollSeconds: 1_800,
  repairsPerMinute: 60,
  state: 'ok' as const,
};

export const aPoll = (more: Partial<WholeFeed['polls'][number]> = {}): WholeFeed['polls'][number] => ({
  poll: 12,
  state: 'read',
  startedAt: '2026-03-09T12:00:00.000Z',
  status: 200,
  detail: null,
  bytes: 12_345,
  sha256: 'a'.repeat(64),
  entries: 40,
  news: 3,
  unfit: 0,
  unfitSamples: [],
  answerMapping: 0,
  ...more,
});

export const aGap = (more: Partial<WholeFeed['gaps']['shown'][number]> = {}): WholeFeed['gaps']['shown'][number] => ({
  poll: 11,
  why: 'no_answer',
  since: '2026-03-09T11:00:00.000Z',
  lostAt: '2026-03-09T11:30:30.000Z',
  closedAt: null,
  closedBy: null,
  ...more,
});

export const aFeedView = (more: Partial<WholeFeed> = {}): WholeFeed => ({
  ...head,
  cursor: { poll: 12, at: '2026-03-09T12:00:00.000Z' },
  nextPoll: '2026-03-09T12:30:00.000Z',
  trouble: null,
  lastEvent: 1_234,
  answerMapping: 0,
  orders: { open: 56 },
  repair: { left: 0, failing: 0, unfit: 0, unfitSamples: [], failures: [] },
  gaps: { open: 0, closed: 0, shown: [] },
  unread: { waiting: 0, unreadable: 0 },
  polls: [aPoll()],
  links: { poll: '', repair: '' },
  ...more,
});

export const feedNotReached = (detail: string): ShownFeed => ({ ...head, state: 'unreachable', detail });
export const feedStarting = (): ShownFeed => ({ ...head, state: 'starting' });
