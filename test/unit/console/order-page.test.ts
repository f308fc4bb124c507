/** Pages of orders and feeds: what a person reads in each case, and that nothing of a file becomes markup. */
import { describe, expect, it } from 'vitest';
import { feedsPage } from '../../../src/console/feeds-page.tsx';
import { FEED_MESSAGES, orderPhase, PHASE_MESSAGES } from '../../../src/console/messages.ts';
import { orderPage } from '../../../src/console/order-page.tsx';
import { ordersPage } from '../../../src/console/orders-page.tsx';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import type { OrderView } from '../../../src/http/views/order.ts';
import { BATCH_ID } from '../batch/samples.ts';
import {
  aFeedsPage,
  aFeedView,
  aGap,
  anOperation,
  anOrderPage,
  anOrdersPage,
  anOrderView,
  aPoll,
  aStatus,
  aVersion,
  feedNotReached,
  feedStarting,
  NO_ORDER,
  ORDER_ID,
} from '../http/orders.ts';

const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
const pageOf = (more: Partial<OrderView>, partner: string | null = null): string =>
  orderPage(anOrderPage({ order: anOrderView(more), partner }));
const EVIL = '<img src=x onerror=alert(1)>';

describe('every page of orders and feeds', () => {
  const pages = {
    'an order': orderPage(anOrderPage()),
    'an order of which nothing is known': orderPage(anOrderPage({ order: NO_ORDER })),
    orders: ordersPage(anOrdersPage()),
    'no orders': ordersPage(anOrdersPage({ recent: [], isFollowed: false, asked: 'SO-9' })),
    feeds: feedsPage(aFeedsPage({ feeds: [aFeedView(), feedStarting(), feedNotReached('timeout')] })),
    'no feeds': feedsPage(aFeedsPage({ feeds: [] })),
  };
  it.each(Object.entries(pages))('is a whole document without script or holes: %s', (_, html) => {
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).not.toMatch(/<script|\son\w+=|javascript:|style="/);
    expect(textOf(html)).not.toMatch(/\[object|undefined|null|NaN|Invalid/);
  });

  it('leads a partner to orders, and an operator to feeds and orders of the same environment', () => {
    expect(orderPage(anOrderPage())).toContain('<a href="/console/orders">Orders</a>');
    const ops = orderPage(anOrderPage({ partner: 'acme' }));
    expect(ops).toContain('href="/console/ops/feeds?environment=test"');
    expect(ops).toContain('href="/console/ops/orders?environment=test"');
  });
});

describe('the page of an order', () => {
  it('says where it stands as a whole', () => {
    const open = anOperation({ state: 'waiting', nextAt: '2026-03-09T08:00:00.000Z' });
    expect(orderPhase(anOrderView())).toBe('stands');
    expect(orderPhase(anOrderView({ document: null }))).toBe('cancelled');
    expect(orderPhase({ ...NO_ORDER, counts: { versions: 0, operations: 2, open: 1 } })).toBe('under_way');
    expect(orderPhase({ ...NO_ORDER, statuses: [aStatus(1)] })).toBe('heard_of');
    expect(orderPhase({ ...NO_ORDER, counts: { versions: 0, operations: 2, open: 0 } })).toBe('none');
    const text = textOf(pageOf({ operations: [open] }));
    expect(text).toContain('since 2026-03-09 07:00:02 UTC · again at 2026-03-09 08:00:00 UTC');
    expect(textOf(pageOf({ document: null }))).toContain(PHASE_MESSAGES.cancelled.meaning);
  });

  it('shows id, document, latest status and who it belongs to', () => {
    const text = textOf(pageOf({ pair: { partnerId: 'P-1', clientId: 'C-1' } }));
    for (const fact of [ORDER_ID, '"shipperCode": "S1"', 'P-1 / C-1', 'Latest status received']) {
      expect(text).toContain(fact);
    }
  });

  it('names what the API names as latest, and not the last of the list, which may have been read wrongly or be of an earlier order', () => {
    const statuses = [aStatus(1), aStatus(2, { code: 'delivered', correctedBy: 1 }), aStatus(3, { code: 'cancelled' })];
    const text = textOf(pageOf({ statuses, latestStatus: 'received', latestStatusAt: aStatus(1).at }));
    expect(text).toContain('Latest status received That was 2026-03-09 08:01:00 UTC Versions');
    const none = textOf(pageOf({ statuses, latestStatus: null, latestStatusAt: null }));
    expect(none).toContain('cancelled');
    expect(none).not.toContain('Latest status');
    expect(none).not.toContain('That was');
  });

  it('shows each operation with its state, answers, the row it came from and what it changed', () => {
    const update = anOperation({
      kind: 'order.update',
      state: 'dead',
      reason: 'base_unknown',
      outcome: 'unknown',
      status: 404,
      generation: 2,
      changes: [{ path: 'consignee.phone', before: '555-0100', after: '555-0199' }],
      action: 'scheduled',
    });
    const html = pageOf({ operations: [anOperation(), update] });
    const text = textOf(html);
    for (const fact of [
      'New order',
      ROW_MESSAGES.delivered.label,
      'sent 2026-03-09 07:00:01 UTC',
      'Change',
      ROW_MESSAGES.dead.label,
      REASON_MESSAGES.base_unknown,
      'It may have arrived.',
      'consignee.phone: "555-0100" → "555-0199"',
      'The receiving system says: scheduled',
      'generation 2',
    ]) {
      expect(text).toContain(fact);
    }
    expect(html).toContain(`href="/console/batches/${BATCH_ID}?state=all&amp;after=6"`);
  });

  it('shows versions, the newest first, with what each changed and who stated it', () => {
    const stated = aVersion({
      version: 2,
      kind: 'base',
      batchId: null,
      record: null,
      stated: { by: 'Analyst', why: 'sent by mail' },
      orderId: null,
      incarnation: 2,
      changes: [{ path: 'shipperCode', before: 'S1', after: 'S2' }],
    });
    const text = textOf(pageOf({ versions: [aVersion(), stated] }, 'acme'));
    expect(text.indexOf('Version 2')).toBeLessThan(text.indexOf('Version 1'));
    for (const fact of ['By Analyst: sent by mail', 'order 2 of this number', 'shipperCode: "S1" → "S2"']) {
      expect(text).toContain(fact);
    }
  });

  it('shows what became of it, the latest first, with places, and what was read wrongly', () => {
    const statuses = [
      aStatus(1),
      aStatus(2, { code: 'wrong', correctedBy: 3 }),
      aStatus(3, { code: 'delivered', corrects: 2, place: { city: 'Joliet', state: 'IL' }, level: 'detail' }),
    ];
    const text = textOf(pageOf({ statuses }));
    expect(text.indexOf('delivered · Joliet, IL')).toBeLessThan(text.indexOf('wrong'));
    expect(text).toContain('It was read wrongly: event 3 stands in its place.');
    expect(text).toContain('event 3 of the log · learned 2026-03-09 12:00:00 UTC · a detail');
  });

  it('shows the latest of a thousand statuses, and all on request', () => {
    const statuses = Array.from({ length: 1_000 }, (_, index) => aStatus(index + 1, { code: `step-${index + 1}` }));
    const short = orderPage(anOrderPage({ order: anOrderView({ statuses }) }));
    expect(short.match(/of the log/g)).toHaveLength(50);
    expect(short).toContain('step-1000');
    expect(short).not.toContain('step-950<');
    expect(short).toContain('<a href="/console/orders/SO-1?statuses=all">All 1,000 of them</a>');
    const whole = orderPage(anOrderPage({ order: anOrderView({ statuses }), isWhole: true }));
    expect(whole.match(/of the log/g)).toHaveLength(1_000);
    expect(whole).not.toContain('statuses=all');
    const ops = orderPage(anOrderPage({ order: anOrderView({ statuses }), partner: 'acme' }));
    expect(ops).toContain('href="/console/ops/orders/acme/SO-1?environment=test&amp;statuses=all"');
  });

  it('leads to earlier operations and versions where there are any, and back to the latest', () => {
    const next = '/console/orders/SO-1?cursor=7%7E0&limit=50';
    expect(pageOf({})).not.toContain('Earlier ones');
    expect(pageOf({ next })).toContain('<a href="/console/orders/SO-1?cursor=7%7E0&amp;limit=50">Earlier ones</a>');
    expect(pageOf({ next })).not.toContain('The latest operations');
    const last = orderPage(anOrderPage({ isLatest: false, partner: 'acme' }));
    expect(last).toContain(
      '<a href="/console/ops/orders/acme/SO-1?environment=test">The latest operations and versions</a>',
    );
    expect(last).not.toContain('Earlier ones');
  });

  it('shows the head of a long answer', () => {
    const [attempt] = anOperation().attempts;
    if (attempt === undefined) throw new Error('no attempt');
    const html = pageOf({ operations: [anOperation({ attempts: [{ ...attempt, answer: 'x'.repeat(60_000) }] })] });
    expect(html.length).toBeLessThan(12_000);
  });

  it('links its batches for operators, too', () => {
    expect(pageOf({}, 'acme')).toContain('href="/console/batches/');
    expect(textOf(pageOf({}, 'acme'))).toContain('Partner acme');
  });

  it('shows what a file or an answer says as text', () => {
    const [attempt] = anOperation().attempts;
    const html = orderPage(
      anOrderPage({
        partner: EVIL,
        order: anOrderView({
          orderRef: EVIL,
          orderId: EVIL,
          document: { [EVIL]: EVIL },
          pair: { partnerId: EVIL, clientId: EVIL },
          versions: [
            aVersion({ stated: { by: EVIL, why: EVIL }, changes: [{ path: EVIL, before: EVIL, after: EVIL }] }),
          ],
          operations: [anOperation({ action: EVIL, attempts: attempt ? [{ ...attempt, answer: EVIL }] : [] })],
          statuses: [aStatus(1, { code: EVIL, place: { city: EVIL } })],
        }),
      }),
    );
    expect(html).not.toContain('<img');
    expect(html.match(/&lt;img/g)?.length).toBeGreaterThan(12);
  });
});

describe('the list of orders', () => {
  it('has each with its state, latest status and page', () => {
    const html = ordersPage(anOrdersPage());
    expect(html).toContain('<a href="/console/orders/SO-1">SO-1</a>');
    expect(textOf(html)).toContain('Open SO-1 · received');
    expect(html).toContain('action="/console/orders"');
  });

  it('says what was looked for in vain, and why there is no list', () => {
    const text = textOf(ordersPage(anOrdersPage({ asked: EVIL, recent: [], isFollowed: false })));
    expect(text).toContain(`There is no order ${EVIL} of yours here`);
    expect(text).toContain('No feed follows these orders');
    expect(textOf(ordersPage(anOrdersPage({ recent: [] })))).toContain('No order is known to the feed yet.');
  });

  it('of an operator asks whose, and leads to the order of that partner', () => {
    const ops = { partner: 'acme', partners: ['acme', 'other'], environments: ['test', 'production'] as const };
    const html = ordersPage(anOrdersPage({ ops }));
    expect(html).toContain('<option value="acme" selected="">');
    expect(html).toContain('href="/console/ops/orders/acme/SO-1?environment=test"');
    expect(html).toContain('href="/console/ops/orders?environment=production"');
    expect(ordersPage(anOrdersPage({ ops: { ...ops, partner: '' } }))).not.toContain('Heard of last');
  });
});

describe('the page of feeds', () => {
  it('tells of each how it stands, when it polls next, and how far its log is', () => {
    const text = textOf(feedsPage(aFeedsPage()));
    for (const fact of [
      'acme',
      FEED_MESSAGES.ok.meaning,
      'Next poll 2026-03-09 12:30:00 UTC',
      'poll 12, 2026-03-09 12:00:00 UTC',
      'Last event of the log 1,234',
      'The last poll',
      'Open orders 56',
      '40 entries, 3 of them news',
      '12,345 bytes',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('tells of gaps, open and closed, why, and how far the repair is', () => {
    const gaps = {
      open: 1,
      closed: 2,
      shown: [
        aGap(),
        aGap({ poll: 9, why: 'unreadable', closedAt: '2026-03-09T10:00:00.000Z', closedBy: 'reread' }),
        aGap({ poll: 8, why: 'interrupted', closedAt: '2026-03-09T09:00:00.000Z', closedBy: 'repair' }),
      ],
    };
    const failures = [{ orderRef: 'SO-9', failure: 'status 500', tries: 3 }];
    const repair = { left: 40, failing: 1, unfit: 0, unfitSamples: [], failures };
    const html = feedsPage(aFeedsPage({ feeds: [aFeedView({ state: 'gap', gaps, repair })] }));
    const text = textOf(html);
    for (const fact of [
      'Open : no answer came',
      'changes since 2026-03-09 11:00:00 UTC may be missing',
      'by reading the answer again',
      'by asking for every order it may concern',
      '40 orders left, 1 of them asked for in vain so far',
      'SO-9: status 500 (3 times)',
    ]) {
      expect(text).toContain(fact);
    }
    expect(html).toContain('<details open="">');
  });

  it('tells of answers that could not be read, entries that did not fit, and what keeps it from asking', () => {
    const feed = aFeedView({
      unread: { waiting: 1, unreadable: 2 },
      trouble: { at: '2026-03-09T12:01:00.000Z', detail: 'poll 13 was refused: status 401' },
      polls: [aPoll({ unfit: 7 }), aPoll({ state: 'lost', detail: 'no list under "events"', status: 200 })],
    });
    const text = textOf(feedsPage(aFeedsPage({ feeds: [feed] })));
    for (const fact of [
      'Answers not in the log 3',
      '2 stored answers could not be read',
      'poll 13 was refused: status 401',
      '7 entries did not fit',
      'Lost : no list under "events"',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('offers to poll and to repair to whoever may, with a reason', () => {
    const html = feedsPage(aFeedsPage());
    expect(html).toContain('method="post" action="/console/ops/feeds/acme/poll?environment=test"');
    expect(html).toContain('formaction="/console/ops/feeds/acme/repair?environment=test"');
    expect(html).toMatch(/<input name="why" required/);
    expect(feedsPage(aFeedsPage({ mayAct: false }))).not.toContain('<form');
    expect(feedsPage(aFeedsPage({ feeds: [feedNotReached('timeout')] }))).not.toContain('<form');
  });

  it('says what was just asked for', () => {
    const text = textOf(feedsPage(aFeedsPage({ done: { action: 'poll', partner: 'acme' } })));
    expect(text).toContain('acme: The next poll is made now');
  });
});
