/** What needs a person: each thing that is not well is told once, with what to do, and nothing else is. */
import { describe, expect, it } from 'vitest';
import { ALERT_MESSAGES } from '../../../src/console/messages.ts';
import type { Page } from '../../../src/console/page.ts';
import { Alerts } from '../../../src/console/pages/home.tsx';
import type { FeedStatus } from '../../../src/feed/feed-status.ts';
import type { PollRow } from '../../../src/feed/feed-tables.ts';
import { type AlertFacts, alertsOf } from '../../../src/http/ops/views/alerts.ts';
import { DAY_MS } from '../../../src/kernel/clock.ts';
import { WEBHOOK_FAILING_ALERT_MS } from '../../../src/kernel/limits.ts';
import type { EndingKey } from '../../../src/ops/directory/partners.ts';
import type { FeedLine } from '../../../src/ops/feeds/order-feeds.ts';
import type { ChannelHealth } from '../../../src/ops/gates.ts';
import type { BacklogLine } from '../../../src/ops/index/backlog.ts';
import type { NeedOfPartner } from '../../../src/ops/index/batch-list.ts';
import {
  ANSWERS_FAILED_ALERT,
  BACKLOG_ALERT_ROWS,
  BATCH_SILENT_ALERT_MS,
  ROWS_OLD_ALERT_MS,
} from '../../../src/ops/index/limits.ts';
import type { Breaker } from '../../../src/upstream/gate/breaker.ts';

const NOW = Date.UTC(2026, 2, 9, 12);
const clock = { nowMs: () => NOW, timeScale: 1 };
const NOTHING: AlertFacts = {
  channels: [],
  feeds: [],
  webhooks: { failing: [], unreached: [] },
  alertWebhook: [],
  needs: [],
  keys: [],
  backlog: [],
  faults: [],
};
const codes = (facts: Partial<AlertFacts>): string[] =>
  alertsOf('test', { ...NOTHING, ...facts }, clock).map(({ code }) => code);

const aBreaker = (scope: Breaker['scope'], more: Partial<Breaker> = {}): Breaker => ({
  scope,
  state: 'open',
  why: 'failures',
  sinceMs: NOW - 1_000,
  untilMs: NOW + 1_000,
  openMs: 1_000,
  probe: null,
  successes: 0,
  lastFailure: null,
  solePartner: null,
  ...more,
});
const aChannel = (more: Partial<Extract<ChannelHealth, { reached: true }>['health']> = {}): ChannelHealth => ({
  channel: 'acme-test',
  reached: true,
  health: {
    channel: 'acme-test',
    ratePerSecond: 10,
    burst: 10,
    permitsLeft: 10,
    permitsOut: 0,
    breakers: [],
    auth: null,
    parkedScacs: [],
    failingReads: [],
    token: null,
    audit: [],
    ...more,
  },
});

const aPoll = (more: Partial<PollRow> = {}): PollRow => ({
  poll_no: 1,
  state: 'read',
  started_at_ms: NOW - 60_000,
  ended_at_ms: NOW - 59_000,
  not_before_ms: 0,
  status: 200,
  detail: null,
  key: 'k',
  sha256: 'a',
  bytes: 10,
  mapping_edition: 0,
  entries: 1,
  news: 1,
  unfit: 0,
  samples: '[]',
  ...more,
});
const settings = {
  environment: 'test',
  partner: 'acme',
  partnerId: 'P',
  clientId: 'C',
  channel: 'acme-test',
  scac: 'DEMO',
  pollMinutes: 30,
  repairsPerMinute: 60,
  edition: 1,
} as const;
const aFeed = (more: Partial<FeedStatus> = {}): FeedLine => ({
  settings,
  reached: true,
  status: {
    settings,
    mappingEdition: 0,
    nextPollMs: NOW + 60_000,
    trouble: null,
    repairUnfit: { count: 0, samples: [] },
    polls: [aPoll()],
    gaps: { open: 0, closed: 4, shown: [] },
    unread: { waiting: 0, unreadable: 0 },
    orders: { open: 3, due: 0, failing: 0 },
    failures: [],
    lastSeq: 9,
    ...more,
  },
});
const aWebhook = {
  partner: 'acme',
  id: 'main',
  state: 'failing',
  failingSinceMs: NOW - WEBHOOK_FAILING_ALERT_MS,
  disabledReason: null,
  disabledAtMs: null,
  waiting: 3,
} as const;
const held: NeedOfPartner = { partner: 'acme', need: 'held', count: 2, batches: 1, oldestMs: NOW - 1, batchId: 'b_1' };

describe('where all is well', () => {
  it('nothing is told', () => {
    const never: FeedLine = { settings, reached: true, status: null };
    const closed = aFeed({ gaps: { open: 0, closed: 9, shown: [] } });
    expect(codes({ channels: [aChannel()], feeds: [closed, never] })).toEqual([]);
  });

  it('nor is what has time: a webhook that failed a moment ago, an answer that is read now', () => {
    const feeds = [aFeed({ unread: { waiting: 1, unreadable: 0 } })];
    const webhooks = { failing: [{ ...aWebhook, failingSinceMs: NOW - WEBHOOK_FAILING_ALERT_MS + 1 }], unreached: [] };
    expect(codes({ feeds, webhooks })).toEqual([]);
  });
});

describe('what is not well', () => {
  it('of a channel: stopped, by its credentials too, parked SCACs, not reached', () => {
    const health = {
      auth: aBreaker('auth', { why: 'credentials_refused' }),
      breakers: [aBreaker('channel')],
      failingReads: [{ api: 'fleet' as const, sinceMs: 0, lastMs: 0, status: 503, detail: 'away' }],
      parkedScacs: [aBreaker('scac:DEMO', { why: 'not_onboarded' })],
    };
    const channels: ChannelHealth[] = [aChannel(health), { channel: 'gone', reached: false, detail: 'timeout' }];
    const alerts = alertsOf('test', { ...NOTHING, channels }, clock);
    expect(alerts.map(({ code, about, detail }) => [code, about, detail])).toEqual([
      ['channel_stopped', 'acme-test', expect.stringMatching(/^our credentials were refused; next try \d\d:\d\d UTC$/)],
      ['channel_stopped', 'acme-test', expect.stringMatching(/^the receiving system fails; next try/)],
      [
        'scac_parked',
        'acme-test',
        expect.stringMatching(/^DEMO: the receiving system does not accept it yet; next try/),
      ],
      ['reads_failing', 'acme-test', 'fleet: status 503'],
      ['channel_unreachable', 'gone', 'timeout'],
    ]);
    expect(alerts[0]?.since).toBe('2026-03-09T11:59:59.000Z');
  });

  it('of a feed: open gaps since the oldest of them, with how far the repair is', () => {
    const gap = (sinceMs: number, closedAtMs: number | null) => ({
      poll_no: 1,
      why: 'no_answer' as const,
      since_ms: sinceMs,
      lost_at_ms: NOW,
      closed_at_ms: closedAtMs,
      closed_by: null,
    });
    const gaps = { open: 2, closed: 1, shown: [gap(NOW - 1_000, null), gap(NOW - 5_000, null), gap(0, NOW)] };
    const [alert] = alertsOf(
      'test',
      { ...NOTHING, feeds: [aFeed({ gaps, orders: { open: 3, due: 1, failing: 1 } })] },
      clock,
    );
    expect(alert).toMatchObject({
      code: 'feed_gap',
      about: 'acme',
      since: '2026-03-09T11:59:55.000Z',
      detail: '2 answers lost; 1 order still to look up, no answer yet',
    });
  });

  it('of a feed: answers nobody can read, entries that did not fit, trouble, lateness, silence', () => {
    expect(codes({ feeds: [aFeed({ unread: { waiting: 0, unreadable: 1 } })] })).toEqual(['answers_unreadable']);
    expect(codes({ feeds: [aFeed({ polls: [aPoll({ unfit: 2 })] })] })).toEqual(['entries_unfit']);
    expect(codes({ feeds: [aFeed({ repairUnfit: { count: 1, samples: [] } })] })).toEqual(['entries_unfit']);
    expect(codes({ feeds: [aFeed({ trouble: { atMs: NOW, detail: 'status 401' } })] })).toEqual(['feed_trouble']);
    expect(codes({ feeds: [aFeed({ nextPollMs: NOW - 120_000 })] })).toEqual(['feed_late']);
    expect(codes({ feeds: [{ settings, reached: false, detail: 'timeout' }] })).toEqual(['feed_unreachable']);
  });

  it('of webhooks: switched off after failures, failing for an hour', () => {
    const off = { ...aWebhook, state: 'disabled', disabledReason: 'gone', disabledAtMs: NOW } as const;
    const webhooks = { failing: [aWebhook, off], unreached: ['other'] };
    expect(codes({ webhooks })).toEqual(['webhook_failing', 'webhook_disabled', 'webhooks_unreachable']);
  });

  it('of the webhook by which operators are told, as of any other, and leads to its page', () => {
    const off = { ...aWebhook, state: 'disabled' as const, disabledReason: 'gone', disabledAtMs: NOW };
    const young = { ...aWebhook, failingSinceMs: NOW - WEBHOOK_FAILING_ALERT_MS + 1 };
    expect(codes({ alertWebhook: [young] })).toEqual([]);
    expect(codes({ alertWebhook: [aWebhook] })).toEqual(['alerts_not_sent']);
    expect(alertsOf('test', { ...NOTHING, alertWebhook: [off] }, clock)).toMatchObject([
      { about: 'bridge', links: { console: '/console/webhooks/alerts?environment=test' } },
    ]);
  });

  it('of a webhook is told sooner on a clock that runs faster', () => {
    const fast = { nowMs: () => NOW, timeScale: 60 };
    const young = { ...aWebhook, failingSinceMs: NOW - WEBHOOK_FAILING_ALERT_MS / 60 };
    expect(alertsOf('test', { ...NOTHING, webhooks: { failing: [young], unreached: [] } }, fast)).toHaveLength(1);
  });

  it('of batches: rows held or not delivered, files that could not be read, what does not get on, at once, with a link to them', () => {
    const needs: NeedOfPartner[] = [
      held,
      { ...held, need: 'refused', count: 1_200, batches: 3 },
      { ...held, need: 'unreadable', count: 1 },
      { ...held, need: 'trouble', count: 2, batches: 2 },
    ];
    const alerts = alertsOf('test', { ...NOTHING, needs }, clock);
    expect(alerts.map(({ code, detail, links }) => [code, detail, links.console])).toEqual([
      ['rows_held', '2 rows wait for a decision in batch b_1', '/console/batches/b_1?state=held'],
      [
        'rows_refused',
        '1,200 rows were not delivered in 3 batches',
        '/console/batches?environment=test&partner=acme&needs=refused',
      ],
      ['files_unreadable', '1 file could not be read, batch b_1', '/console/batches/b_1'],
      [
        'batches_stuck',
        '2 batches do not get on: the newest is b_1',
        '/console/batches?environment=test&partner=acme&needs=trouble',
      ],
    ]);
    expect(alerts[1]?.links.api).toBe('/v1/ops/batches?environment=test&partner=acme&needs=refused');
  });

  it('of what is under way: a row of hours ago, a batch that says nothing, more than can be sent in an hour', () => {
    const line = (more: Partial<BacklogLine>): BacklogLine => ({
      ...{ partner: 'acme', state: 'waiting', rows: 2, batches: 1, oldestMs: NOW, batchId: 'b_1', silentSinceMs: null },
      ...more,
    });
    expect(codes({ backlog: [line({ oldestMs: NOW - ROWS_OLD_ALERT_MS + 1 })] })).toEqual([]);
    const old = [line({}), line({ state: 'unknown', oldestMs: NOW - ROWS_OLD_ALERT_MS, batchId: 'b_2' })];
    expect(alertsOf('test', { ...NOTHING, backlog: old }, clock)).toMatchObject([
      {
        code: 'rows_old',
        about: 'acme',
        detail: '4 rows under way, the oldest in batch b_2',
        links: { api: '/v1/ops/batches?environment=test&partner=acme&state=reading%2Cdelivering' },
      },
    ]);
    const silent = { state: 'delivered' as const, silentSinceMs: NOW - BATCH_SILENT_ALERT_MS }; // all that was read has ended
    expect(codes({ backlog: [line({}), line(silent)] })).toEqual(['batches_silent']);
    expect(codes({ backlog: [line({ silentSinceMs: NOW - BATCH_SILENT_ALERT_MS + 1 })] })).toEqual([]);
    const many = [line({ rows: BACKLOG_ALERT_ROWS - 1 }), line({ partner: 'other', rows: 1 })];
    expect(codes({ backlog: many })).toEqual(['backlog_large']);
    const heldLong = line({ state: 'held', oldestMs: 0, rows: BACKLOG_ALERT_ROWS });
    expect(codes({ backlog: [heldLong] })).toEqual([]); // a person is told of it as held
  });

  it('of the bridge itself: answers of 5xx and failed wake-ups, once there are several', () => {
    const few = { event: 'request_failed', count: ANSWERS_FAILED_ALERT - 1 };
    expect(codes({ faults: [few] })).toEqual([]);
    const faults = [few, { event: 'platform_unavailable', count: 1 }, { event: 'batch_wake_up_failed', count: 9 }];
    expect(alertsOf('test', { ...NOTHING, faults }, clock).map(({ code, detail }) => [code, detail])).toEqual([
      ['answers_failing', '5 answers of 5xx in the last 15 minutes: request_failed 4, platform_unavailable 1'],
      ['wake_ups_failing', '9 failed wake-ups in the last 15 minutes: batch_wake_up_failed 9'],
    ]);
  });

  it('has an address of the API that shows it, whatever it is', () => {
    const channels: ChannelHealth[] = [{ channel: 'gone', reached: false, detail: 'timeout' }];
    const feeds: FeedLine[] = [{ settings, reached: false, detail: 'timeout' }];
    const alerts = alertsOf(
      'test',
      { ...NOTHING, channels, feeds, webhooks: { failing: [aWebhook], unreached: [] } },
      clock,
    );
    expect(alerts.map(({ links }) => [links.api, links.console])).toEqual([
      ['/v1/ops/health?environment=test', '/console/channels/gone?environment=test'],
      ['/v1/ops/feeds?environment=test', '/console/feeds/acme?environment=test'],
      [
        '/v1/ops/partners/acme/webhooks/main/deliveries?environment=test',
        '/console/webhooks/acme/main?environment=test',
      ],
    ]);
  });
});

describe('the first page of an operator', () => {
  const page = { at: (path: string) => `/console${path}` } as Page;
  const shown = (facts: Partial<AlertFacts>, hasIssues = false): string =>
    String(Alerts({ page, alerts: alertsOf('test', { ...NOTHING, ...facts }, clock), hasIssues }));
  it('shows each thing that needs somebody with the button that leads there, as text', () => {
    const html = shown({ needs: [{ ...held, partner: '<img src=x onerror=alert(1)>', batchId: 'b_1' }] });
    expect(html).toContain(ALERT_MESSAGES.rows_held.label);
    expect(html).toContain('href="/console/holds"');
    expect(html).not.toContain('<img');
  });

  it('leads to the channel that has stopped', () => {
    expect(shown({ channels: [{ channel: 'gone', reached: false, detail: 'timeout' }] })).toContain(
      'href="/console/channels/gone"',
    );
  });

  it('says so where nothing does', () => {
    expect(shown({})).toContain('All clear');
    expect(shown({}, true)).not.toContain('All clear');
    expect(shown({}, true)).toContain('Rows that failed and are still open are among the issues.');
  });
});

describe('a key that ends soon', () => {
  const ending: EndingKey = {
    holder: 'partner',
    name: 'acme',
    keyId: '0123456789abcdef',
    endsAtMs: NOW + 5 * DAY_MS + 1,
    lastUsedAt: '2026-03-08T10:00:00.000Z',
  };
  const alertOf = (key: EndingKey) => alertsOf('test', { ...NOTHING, keys: [key] }, clock)[0];

  it('is told with its end, its last use, and the page where it is rotated', () => {
    expect(alertOf(ending)).toEqual({
      code: 'keys_ending',
      about: 'acme',
      part: '0123456789abcdef',
      means: expect.stringContaining('ends soon'),
      since: '2026-02-28T12:00:00.001Z',
      detail: 'key 0123456789abcdef ends in 5 days, on 2026-03-14; last used 2026-03-08',
      fix: expect.stringContaining('Renew it'),
      links: {
        api: '/v1/ops/partners/acme/keys?environment=test',
        console: '/console/partners/acme?environment=test',
      },
    });
  });

  it('of an operator leads to the keys of operators, and says when it was never used', () => {
    const own = alertOf({ ...ending, holder: 'operator', name: 'Night shift', endsAtMs: NOW + 1, lastUsedAt: null });
    expect(own).toMatchObject({
      about: 'Night shift',
      detail: "operator's key 0123456789abcdef ends within a day, on 2026-03-09; it was never used",
      links: { console: '/console/operator-keys?environment=test' },
    });
  });
});
