/** Pages of orders and feeds: what a person reads in each case, and that nothing of a file or an answer becomes markup. */
import { describe, expect, it } from 'vitest';
import { FEED_MESSAGES, orderPhase, PHASE_MESSAGES } from '../../../src/console/messages.ts';
import { feedPages } from '../../../src/console/pages/connections/feeds.tsx';
import { orderPages } from '../../../src/console/pages/orders/order.tsx';
import { orderListPages } from '../../../src/console/pages/orders/orders.tsx';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import { RECENT_ORDERS_MAX } from '../../../src/feed/limits.ts';
import type { FollowedOrderView } from '../../../src/http/views/followed-order.ts';
import type { OrderView } from '../../../src/http/views/order.ts';
import type { OpsRole } from '../../../src/ops/directory/directory.ts';
import { BATCH_ID } from '../batch/samples.ts';
import {
  aFeedView,
  aFollowedOrder,
  aGap,
  anOperation,
  anOrderView,
  aPoll,
  aStatus,
  aVersion,
  feedNotReached,
  feedStarting,
  NO_ORDER,
  ORDER_ID,
} from '../http/orders.ts';
import { drawn, refusal, textOf } from './drawn.ts';

const EVIL = '<img src=x onerror=alert(1)>';

interface Around {
  feed?: FollowedOrderView | Response;
  query?: string;
  who?: OpsRole;
}

const draw = (order: OrderView, { feed = aFollowedOrder(), query = '', who }: Around = {}): Promise<string> => {
  const path = who === undefined ? `/v1/orders/${order.orderRef}` : `/v1/ops/orders/acme/${order.orderRef}`;
  const own = who === undefined ? '' : '/acme';
  return drawn(orderPages, {
    path: `/orders${own}/${encodeURIComponent(order.orderRef)}${query}`,
    answers: { [path]: order, [`${path}/feed`]: feed },
    ...(who === undefined ? {} : { who }),
  });
};
const pageOf = (more: Partial<OrderView>, around: Around = {}): Promise<string> => draw(anOrderView(more), around);

describe('a long list of orders', () => {
  const listOf = (count: number): Promise<string> => {
    const orders = Array.from({ length: count }, (_, at) => ({
      ...{ orderRef: `SO-${at}`, state: null, latestStatus: null, heardAt: null, sent: null },
    }));
    return drawn(orderListPages, {
      path: '/orders',
      answers: { '/v1/orders': { followed: true, orders, next: null } },
    });
  };

  it('says where there may be more than the last ones, and where these are', async () => {
    expect(textOf(await listOf(RECENT_ORDERS_MAX))).toContain(
      'These are the 50 heard of last. List all, by reference, to see the others.',
    );
    expect(textOf(await listOf(RECENT_ORDERS_MAX - 1))).not.toContain('heard of last. List all');
  });
});

describe('the page of an order', () => {
  it('has no script of its own and no holes, also of an order of which nothing is known', async () => {
    for (const order of [anOrderView(), NO_ORDER]) {
      const html = await draw(order);
      expect(html).not.toMatch(/\son\w+=|javascript:|style="/);
      expect(textOf(html)).not.toMatch(/\[object|undefined|null|NaN|Invalid/);
    }
  });

  it('says where it stands as a whole', async () => {
    expect(orderPhase(anOrderView())).toBe('stands');
    expect(orderPhase(anOrderView({ document: null }))).toBe('cancelled');
    expect(orderPhase({ ...NO_ORDER, counts: { versions: 0, operations: 2, open: 1 } })).toBe('under_way');
    expect(orderPhase({ ...NO_ORDER, statuses: [aStatus(1)] })).toBe('heard_of');
    expect(orderPhase({ ...NO_ORDER, counts: { versions: 0, operations: 2, open: 0 } })).toBe('none');
    const open = anOperation({ state: 'waiting', nextAt: '2026-03-09T08:00:00.000Z' });
    expect(await pageOf({ operations: [open] })).toContain('again <time datetime="2026-03-09T08:00:00.000Z"');
    expect(textOf(await pageOf({ document: null }))).toContain(PHASE_MESSAGES.cancelled.meaning);
  });

  it('shows id, document, latest status and who it belongs to', async () => {
    const html = await pageOf({ pair: { partnerId: 'P-1', clientId: 'C-1' } });
    expect(html).toContain(ORDER_ID);
    for (const fact of ['"shipperCode": "S1"', 'P-1 / C-1', 'Latest status received'])
      expect(textOf(html)).toContain(fact);
  });

  it('names what the API names as latest, and not the last of the list, which may have been read wrongly or be of an earlier order', async () => {
    const statuses = [aStatus(1), aStatus(2, { code: 'delivered', correctedBy: 1 }), aStatus(3, { code: 'cancelled' })];
    const html = await pageOf({ statuses, latestStatus: 'received', latestStatusAt: aStatus(1).at });
    expect(textOf(html)).toContain('Latest status received Status since');
    const none = textOf(await pageOf({ statuses, latestStatus: null, latestStatusAt: null }));
    expect(none).toContain('cancelled');
    expect(none).toContain('Latest status none yet');
    expect(none).not.toContain('Status since');
  });

  it('shows each operation with its state, answers, the row it came from and what it changed', async () => {
    const update = anOperation({
      ...{
        kind: 'order.update',
        state: 'dead',
        reason: 'base_unknown',
        outcome: 'unknown',
        status: 404,
        generation: 2,
      },
      changes: [
        { path: 'consignee.phone', before: '555-0100', after: '555-0199' },
        { path: 'comment', after: 'call first' },
        { path: 'gone', before: 1 },
      ],
      action: 'scheduled',
    });
    const html = await pageOf({ operations: [anOperation(), update] });
    const text = textOf(html);
    for (const fact of [
      'New order',
      ROW_MESSAGES.delivered.label,
      'sent 2026-03-09 07:00:01 UTC · status 201 · 12 ms {"id":"x-1"}',
      'Change',
      ROW_MESSAGES.dead.label,
      'The receiving system answered 201, without a reason in words.',
      REASON_MESSAGES.base_unknown,
      'It may have arrived.',
      '~ changed: consignee.phone "555-0100" → "555-0199"',
      '+ added: comment "call first"',
      '− removed: gone 1',
      'The receiving system says: scheduled',
      'sent 2 times',
    ]) {
      expect(text, fact).toContain(fact);
    }
    expect(html).toContain(`href="/console/batches/${BATCH_ID}?state=all&amp;after=6&amp;row=7"`);
  });

  it('shows versions, the newest first, with what each changed and who stated it', async () => {
    const stated = aVersion({
      ...{ version: 2, kind: 'base', batchId: null, record: null, orderId: null, incarnation: 2 },
      stated: { by: 'Analyst', why: 'sent by mail' },
      changes: [{ path: 'shipperCode', before: 'S1', after: 'S2' }],
    });
    const text = textOf(await pageOf({ versions: [aVersion(), stated] }, { who: 'viewer' }));
    expect(text.indexOf('Version 2')).toBeLessThan(text.indexOf('Version 1'));
    for (const fact of ['By Analyst: sent by mail', 'order 2 of this number', 'shipperCode "S1" → "S2"'])
      expect(text).toContain(fact);
  });

  it('shows what became of it, the latest first, with locations, and what was read wrongly', async () => {
    const statuses = [
      aStatus(1),
      aStatus(2, { code: 'wrong', correctedBy: 3 }),
      aStatus(3, { code: 'delivered', corrects: 2, place: { city: 'Joliet', state: 'IL' }, level: 'detail' }),
    ];
    const text = textOf(await pageOf({ statuses }));
    expect(text).toContain('delivered detail 2026-03-09 08:03:00 UTC Joliet, IL');
    expect(text.indexOf('Joliet, IL')).toBeLessThan(text.indexOf('wrong'));
    expect(text).toContain('It was read wrongly: event 3 took its place.');
  });

  it('shows the latest of a thousand statuses, and leads through the others', async () => {
    const statuses = Array.from({ length: 1_000 }, (_, index) => aStatus(index + 1, { code: `step-${index + 1}.` }));
    const short = await pageOf({ statuses });
    expect(short).toContain('step-1000.');
    expect(short).not.toContain('step-980.');
    expect(short).toContain('href="/console/orders/SO-1?earlier=20"');
    const next = await pageOf({ statuses }, { query: '?earlier=20', who: 'viewer' });
    expect(next).toContain('step-980.');
    expect(next).not.toContain('step-981.');
    expect(next).toContain('href="/console/orders/acme/SO-1?environment=test&amp;earlier=40"');
    expect(textOf(await pageOf({ statuses }, { query: '?earlier=990' }))).not.toMatch(/\d earlier/);
  });

  it('leads to earlier operations and versions where there are any, and back to the latest', async () => {
    const next = '/v1/orders/SO-1?cursor=7%7E0&limit=20';
    expect(await pageOf({})).not.toContain('Show earlier operations');
    expect(await pageOf({ next })).toContain('href="/console/orders/SO-1?cursor=7%7E0"');
    const last = await pageOf({}, { query: '?cursor=7~0', who: 'viewer' });
    expect(last).toContain('href="/console/orders/acme/SO-1?environment=test">Show the first</a>');
    expect(textOf(last)).not.toContain('Statuses, newest first');
  });

  it('shows the head of a long answer', async () => {
    const [attempt] = anOperation().attempts;
    if (attempt === undefined) throw new Error('no attempt');
    const html = await pageOf({
      operations: [anOperation({ attempts: [{ ...attempt, answer: 'x'.repeat(60_000) }] })],
    });
    expect(html.length).toBeLessThan(20_000);
  });

  it('says how far its statuses are known: the last poll, gaps, and what the repair asks for', async () => {
    const feed = aFollowedOrder({
      gaps: [aGap(), aGap({ poll: 9, closedAt: '2026-03-09T10:00:00.000Z', closedBy: 'reread' })],
      repair: { tries: 3, failure: 'status 500', nextAt: '2026-03-09T13:00:00.000Z' },
    });
    const text = textOf(await pageOf({}, { feed }));
    for (const fact of [
      '1 answer was lost. A status of this order may be missing',
      'The receiving system answered with an error (500) 3 times.',
      'Last asked',
      'no answer came',
      'by reading the answer again',
    ]) {
      expect(text, fact).toContain(fact);
    }
    expect(text).not.toContain('Stop looking');
    const again = [...text.matchAll(/[Aa]sked again\s*((?:in )?\d+ \w+(?: ago)?)/g)].map(([, when]) => when);
    expect(again).toHaveLength(2);
    expect(new Set(again).size, 'asked again').toBe(1);
    const ops = await pageOf({}, { feed, who: 'operator' });
    expect(ops).toContain('/console/do/feed-skip?environment=test&amp;partner=acme&amp;orderRef=SO-1');
    expect(textOf(await pageOf({}, { feed: refusal(404, 'no_feed') }))).toContain('No feed follows this order');
    expect(textOf(await pageOf({}, { feed: refusal(503, 'feed_unavailable') }))).toContain('It says feed_unavailable.');
  });

  it('offers what may be done to whoever may', async () => {
    const operator = await pageOf({}, { who: 'operator' });
    expect(operator).toContain('/console/do/load-base?environment=test&amp;partner=acme&amp;ref=SO-1');
    expect(operator).toContain('/console/do/feed-repair?environment=test&amp;partner=acme&amp;orderRefs=SO-1');
    for (const who of ['viewer', undefined] as const)
      expect(await pageOf({}, who === undefined ? {} : { who })).not.toContain('/console/do/');
  });

  it('says of what came last whether it was sent, and what to do', async () => {
    const unsent = anOperation({ state: 'dead', reason: 'order_exists', status: null, attempts: [] });
    const text = textOf(await pageOf({ operations: [anOperation(), unsent] }));
    for (const fact of ['The latest row, a new order, was not sent.', 'Not sent', 'Send it as a change of the order'])
      expect(text).toContain(fact);
    expect(text).not.toContain(ROW_MESSAGES.dead.label);
    const unclear = textOf(await pageOf({ operations: [{ ...unsent, outcome: 'unknown' }] }));
    expect(unclear).toContain('The latest row, a new order, was given up.');
  });

  it('asks for what an end consumer sees only on request', async () => {
    const path = '/v1/orders/SO-1';
    const tracks = { orderRef: 'SO-1', source: 'feed', asOf: null, tracks: [], trouble: null };
    const answers = { [path]: anOrderView(), [`${path}/feed`]: aFollowedOrder(), [`${path}/tracks`]: tracks };
    const before = await drawn(orderPages, { path: '/orders/SO-1', answers });
    expect(before).toContain('href="/console/orders/SO-1?tracks=show"');
    expect(textOf(await drawn(orderPages, { path: '/orders/SO-1?tracks=show', answers }))).toContain('From the feed');
  });

  it('goes to the order that bears a secondary reference', async () => {
    const answers = { '/v1/orders/PO-7': anOrderView() };
    expect(await drawn(orderPages, { path: '/orders/PO-7', answers })).toBe('to /console/orders/SO-1');
  });

  it('shows what a file or an answer says as text', async () => {
    const [attempt] = anOperation().attempts;
    const html = await draw(
      anOrderView({
        orderRef: EVIL,
        orderId: EVIL,
        document: { [EVIL]: EVIL },
        pair: { partnerId: EVIL, clientId: EVIL },
        versions: [aVersion({ stated: { by: EVIL, why: EVIL }, changes: [{ path: EVIL, before: EVIL, after: EVIL }] })],
        operations: [anOperation({ action: EVIL, attempts: attempt ? [{ ...attempt, answer: EVIL }] : [] })],
        statuses: [aStatus(1, { code: EVIL, place: { city: EVIL } })],
      }),
      {
        who: 'operator',
        feed: aFollowedOrder({
          trouble: { at: null, detail: EVIL },
          repair: { tries: 1, failure: EVIL, nextAt: null },
        }),
      },
    );
    expect(html).not.toContain('<img');
    expect(html.match(/&lt;img/g)?.length).toBeGreaterThan(14);
  });
});

describe('the list of orders', () => {
  const entry = (more: object = {}) => ({
    ...{ orderRef: 'SO-1', state: 'open', latestStatus: 'received', heardAt: '2026-03-09T12:00:00.000Z' },
    ...{ sent: null, links: {}, ...more },
  });
  const list = (orders: object[], isFollowed = true, query = ''): Promise<string> =>
    drawn(orderListPages, {
      path: `/orders${query}`,
      answers: { '/v1/orders': { followed: isFollowed, orders, next: null } },
    });

  it('has each with its state, latest status and page', async () => {
    const html = await list([entry()]);
    expect(html).toContain('<a href="/console/orders/SO-1">SO-1</a>');
    expect(textOf(html)).toContain('Open received');
    const sent = { state: 'rejected', receivedAt: null, batchId: BATCH_ID, record: 7 };
    const made = await list([entry({ state: null, latestStatus: null, heardAt: null, sent })], false);
    expect(made).toContain(`/console/batches/${BATCH_ID}?state=all&amp;after=6&amp;row=7">row 7 of its file</a>`);
    expect(textOf(made)).toContain(ROW_MESSAGES.rejected.label);
    expect(textOf(made)).toContain('No feed follows these orders');
  });

  it('says what was looked for in vain, and why there is no list', async () => {
    const text = textOf(await list([], false, `?ref=${encodeURIComponent(EVIL)}`));
    expect(text).toContain(`There is no order ${EVIL} of yours here`);
    expect(text).toContain('No order was sent yet.');
    expect(textOf(await list([]))).toContain('No order is known to the feed yet.');
  });

  it('leads to a load by its number, and to an order by its reference', async () => {
    expect(await list([], true, '?load=L%2F1')).toBe('to /console/loads/L%2F1');
    const answers = { '/v1/ops/orders/SO-1': { partner: 'acme', orderRef: 'SO-1' } };
    const found = await drawn(orderListPages, { path: '/orders?ref=SO-1', who: 'viewer', answers });
    expect(found).toBe('to /console/orders/acme/SO-1?environment=test');
  });

  it('of an operator asks whose order it is, where several have it', async () => {
    const among = ['acme', 'other'].map((partner) => ({ partner, links: { self: '' } }));
    const answers = { '/v1/ops/orders/SO-1': refusal(409, 'order_ambiguous', { among }) };
    const html = await drawn(orderListPages, { path: '/orders?ref=SO-1', who: 'viewer', answers });
    for (const { partner } of among) expect(html).toContain(`href="/console/orders/${partner}/SO-1?environment=test"`);
    const nobodys = await drawn(orderListPages, { path: '/orders', who: 'viewer', answers: {} });
    expect(textOf(nobodys)).toContain('Name a partner to see its orders.');
  });
});

describe('the page of a feed', () => {
  const feedOf = (feed: object, who: OpsRole = 'operator'): Promise<string> =>
    drawn(feedPages, { path: '/feeds/acme', who, answers: { '/v1/ops/feeds/acme': feed } });

  it('tells how it stands, when it polls next, and how far its log is', async () => {
    const text = textOf(await feedOf(aFeedView()));
    for (const fact of [
      'Feed of acme',
      'Polls every 30 minutes Last',
      FEED_MESSAGES.ok.meaning,
      'poll 12,',
      'Newest status change no. 1,234',
      'Open orders 56',
      'Poll 12 Read',
      '12.1 KB 40 3 0',
    ]) {
      expect(text, fact).toContain(fact);
    }
  });

  it('says how often it polls where waits are shortened', async () => {
    expect(textOf(await feedOf(aFeedView({ pollSeconds: 30 })))).toContain(
      'Polls every 30 s here, where waits are shortened; otherwise 30 minutes',
    );
  });

  it('tells of lost answers, open and made up for, why, and how far the repair is', async () => {
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
    const html = await feedOf(aFeedView({ state: 'gap', gaps, repair }));
    const text = textOf(html);
    for (const fact of [
      'Open no answer came',
      '2026-03-09 11:00:00 UTC',
      'by reading the answer again',
      'by looking up every order it may concern',
      '40 orders to look up, one by one',
      'has not answered for 1 of them so far',
      'SO-9 3 failed (500)',
    ]) {
      expect(text, fact).toContain(fact);
    }
    expect(html).toContain('/console/do/feed-skip?environment=test&amp;partner=acme&amp;orderRef=SO-9');
  });

  it('tells of answers that could not be read, statuses not understood, and what keeps it from asking', async () => {
    const feed = aFeedView({
      unread: { waiting: 1, unreadable: 2 },
      gaps: { open: 1, closed: 0, shown: [aGap({ poll: 11, why: 'unreadable' }), aGap({ poll: 10 })] },
      trouble: { at: '2026-03-09T12:01:00.000Z', detail: 'poll 13 was refused: status 401' },
      polls: [
        aPoll({ unfit: 7, unfitSamples: [{ why: EVIL }] }),
        aPoll({ poll: 11, state: 'lost', detail: 'no list under "events"', status: 200 }),
        aPoll({ poll: 10, state: 'lost', detail: 'cut', status: 200 }),
      ],
    });
    const html = await feedOf(feed);
    const text = textOf(html);
    for (const fact of [
      'Answers not read yet 3',
      '2 stored answers could not be read',
      'poll 13 was refused: status 401',
      '7 statuses of the latest answers were not understood',
      'no list under "events"',
    ]) {
      expect(text, fact).toContain(fact);
    }
    expect(html).not.toContain('<img');
    expect(html, 'what broke off cannot be read again').not.toContain('&amp;poll=10');
    for (const poll of [11, 12])
      expect(html).toContain(`/console/do/feed-reread?environment=test&amp;partner=acme&amp;poll=${poll}`);
  });

  it('offers to read an answer again whose poll is older than those that are shown', async () => {
    const gaps = {
      open: 2,
      closed: 1,
      shown: [
        aGap({ poll: 7, why: 'unreadable' }),
        aGap({ poll: 6 }),
        aGap({ poll: 5, why: 'unreadable', closedAt: '2026-03-09T10:00:00.000Z', closedBy: 'reread' }),
      ],
    };
    const feed = aFeedView({ unread: { waiting: 0, unreadable: 1 }, gaps });
    const read = (html: string) =>
      [...html.matchAll(/feed-reread\?environment=test&amp;partner=acme&amp;(poll=\d+)?/g)].map(
        ([, poll = '']) => poll,
      );
    expect(read(await feedOf(feed))).toEqual(['poll=7', '']);
    expect(read(await feedOf(feed, 'viewer'))).toEqual([]);
  });

  it('says where a list is cut', async () => {
    const many = <Row>(row: (number: number) => Row, count: number) =>
      Array.from({ length: count }, (_, at) => row(at));
    const failures = many((at) => ({ orderRef: `SO-${at}`, failure: 'status 500', tries: 3 }), 20);
    const parts = (polls: number, gaps: number, failing: number): object =>
      aFeedView({
        polls: many((at) => aPoll({ poll: 90 - at }), polls),
        gaps: { open: 1, closed: gaps - 1, shown: many((at) => aGap({ poll: 90 - at }), 20) },
        repair: { left: 40, failing, unfit: 0, unfitSamples: [], failures },
      });
    const cut = textOf(await feedOf(parts(20, 57, 33)));
    for (const line of ['20 of 57 are shown.', '20 of 33 are shown.', 'The 20 newest.']) expect(cut).toContain(line);
    expect(textOf(await feedOf(parts(19, 20, 20)))).not.toMatch(/are shown\.|newest\./);
  });

  it('offers its actions to whoever may act', async () => {
    const html = await feedOf(aFeedView());
    for (const action of ['feed-poll', 'feed-repair', 'set-feed']) expect(html).toContain(`/console/do/${action}?`);
    expect(await feedOf(aFeedView(), 'viewer')).not.toContain('/console/do/');
  });

  it('says so where there is none, where it begins, and where it does not answer', async () => {
    const none = await feedOf(refusal(404, 'no_feed'));
    expect(textOf(none)).toContain('No feed follows the orders of acme');
    expect(none).toContain('/console/do/set-feed?environment=test&amp;partner=acme');
    expect(textOf(await feedOf(feedStarting()))).toContain(FEED_MESSAGES.starting.meaning);
    expect(textOf(await feedOf(feedNotReached('timeout')))).toContain('timeout');
  });

  it('is one line of the list of all, whatever its state', async () => {
    const answers = { '/v1/ops/feeds': { feeds: [aFeedView(), feedStarting(), feedNotReached('timeout')] } };
    const html = await drawn(feedPages, { path: '/feeds', who: 'viewer', answers });
    for (const state of ['ok', 'starting', 'unreachable'] as const)
      expect(textOf(html)).toContain(FEED_MESSAGES[state].label);
    expect(html).toContain('<title>Order feeds – 1 needs attention – Transload</title>');
    const empty = await drawn(feedPages, {
      path: '/feeds',
      who: 'viewer',
      answers: { '/v1/ops/feeds': { feeds: [] } },
    });
    expect(textOf(empty)).toContain('No feed is set in this environment.');
  });
});
