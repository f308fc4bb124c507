/** What needs a person in an environment, told from how its parts stand. Pure; exhaustive over the codes. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { HELD_ALERT_MS, WEBHOOK_FAILING_ALERT_MS } from '../kernel/limits.ts';
import type { FailingWebhook } from '../ops/failing-webhooks.ts';
import type { ChannelHealth } from '../ops/gates.ts';
import type { HeldOfPartner } from '../ops/held.ts';
import type { FeedLine } from '../ops/order-feeds.ts';
import { feedState } from './feed-views.ts';

export type AlertCode =
  | 'channel_unreachable'
  | 'channel_stopped'
  | 'scac_parked'
  | 'reads_failing'
  | 'feed_unreachable'
  | 'feed_gap'
  | 'feed_trouble'
  | 'feed_late'
  | 'answers_unreadable'
  | 'entries_unfit'
  | 'webhook_disabled'
  | 'webhook_failing'
  | 'held_long';

/** @property about the channel or partner it is about. since null: it is not known since when. */
export interface Alert {
  code: AlertCode;
  about: string;
  since: string | null;
  detail: string;
  fix: string;
}

export interface AlertFacts {
  channels: readonly ChannelHealth[];
  feeds: readonly FeedLine[];
  webhooks: readonly FailingWebhook[];
  held: readonly HeldOfPartner[];
}

/** What to do, by code. */
const FIXES: Record<AlertCode, string> = {
  channel_unreachable:
    'Nothing of this channel is sent meanwhile. Where it goes on for minutes, look at the status of the platform.',
  channel_stopped:
    'GET /v1/ops/health says why. Mend the cause; one request at a time probes by itself, or release it.',
  scac_parked: 'Have the SCAC onboarded at the receiving system, then release it; else one request an hour tries.',
  reads_failing:
    'GET /v1/ops/health has the last answer. 401 or 403: have the key subscribed to that API. Files that look something up wait meanwhile.',
  feed_unreachable: 'Where it goes on for minutes, look at the status of the platform.',
  feed_gap:
    'Nothing, while the repair goes on. GET /v1/ops/feeds says which orders are asked for in vain; POST /v1/ops/feeds/{name}/skip ends the wait for one that is never answered.',
  feed_trouble: 'The feed says what kept it from asking. Mend that; it tries again by itself.',
  feed_late: 'Nothing: its wake-up is set again within a minute. Where it goes on, look at the log.',
  answers_unreadable: 'Correct how answers are read (/v1/ops/answer-mappings/order-status), then read these again.',
  entries_unfit: 'Look at the samples in GET /v1/ops/feeds; correct how answers are read, then read the poll again.',
  webhook_disabled: 'Have the partner mend its address, then PUT the webhook again; deliveries can be sent again.',
  webhook_failing: 'Ask the partner; GET …/webhooks/{id}/deliveries shows the last answers.',
  held_long: 'GET /v1/ops/letters?state=held lists them; each says what may be decided.',
};

export function alertsOf({ channels, feeds, webhooks, held }: AlertFacts, clock: Clock): Alert[] {
  const nowMs = clock.nowMs();
  return [
    ...channels.flatMap(channelAlerts),
    ...feeds.flatMap((line) => feedAlerts(line, nowMs)),
    ...webhooks.flatMap((target) => webhookAlerts(target, clock)),
    ...held
      .filter(({ oldestMs }) => nowMs - oldestMs >= scaledMs(HELD_ALERT_MS, clock))
      .map(({ partner, requests, oldestMs, batchId }) =>
        alert(
          'held_long',
          partner,
          oldestMs,
          `${counted(requests, 'request waits', 'requests wait')} for a decision, the oldest in batch ${batchId}`,
        ),
      ),
  ];
}

const alert = (code: AlertCode, about: string, sinceMs: number | null, detail: string): Alert => ({
  code,
  about,
  since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
  detail,
  fix: FIXES[code],
});

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

function channelAlerts(found: ChannelHealth): Alert[] {
  if (!found.reached) return [alert('channel_unreachable', found.channel, null, found.detail)];
  const { auth, breakers, parkedScacs, failingReads } = found.health;
  const open = auth === null ? breakers : [auth, ...breakers];
  return [
    ...open.map(({ scope, why, sinceMs }) => alert('channel_stopped', found.channel, sinceMs, `${scope}: ${why}`)),
    ...parkedScacs.map(({ scope, why, sinceMs }) => alert('scac_parked', found.channel, sinceMs, `${scope}: ${why}`)),
    ...failingReads.map(({ api, status, sinceMs }) =>
      alert('reads_failing', found.channel, sinceMs, `${api}: ${status === null ? 'no answer' : `status ${status}`}`),
    ),
  ];
}

function feedAlerts(line: FeedLine, nowMs: number): Alert[] {
  const { partner } = line.settings;
  if (!line.reached) return [alert('feed_unreachable', partner, null, line.detail)];
  const { status } = line;
  if (status === null) return [];
  const { gaps, orders, trouble, unread, polls, repairUnfit } = status;
  const alerts: Alert[] = [];
  if (gaps.open > 0) {
    const open = gaps.shown.filter(({ closed_at_ms }) => closed_at_ms === null);
    const sinceMs = open.length === 0 ? null : Math.min(...open.map(({ since_ms }) => since_ms));
    const left = `${counted(orders.due, 'order is', 'orders are')} still to be asked for, ${orders.failing} of them in vain so far`;
    alerts.push(alert('feed_gap', partner, sinceMs, `${counted(gaps.open, 'poll was', 'polls were')} lost; ${left}`));
  }
  if (trouble !== null) alerts.push(alert('feed_trouble', partner, trouble.atMs, trouble.detail));
  if (feedState(line, nowMs) === 'late')
    alerts.push(alert('feed_late', partner, status.nextPollMs, 'its next poll is overdue'));
  if (unread.unreadable > 0) {
    const detail = `${counted(unread.unreadable, 'stored answer', 'stored answers')} could not be read`;
    alerts.push(alert('answers_unreadable', partner, null, detail));
  }
  const unfit = repairUnfit.count + polls.reduce((sum, poll) => sum + poll.unfit, 0);
  if (unfit > 0) {
    const oldest = polls.findLast((poll) => poll.unfit > 0);
    const detail = `${counted(unfit, 'entry', 'entries')} of the latest answers did not fit, and ${unfit === 1 ? 'is' : 'are'} not in the log`;
    alerts.push(alert('entries_unfit', partner, oldest?.started_at_ms ?? null, detail));
  }
  return alerts;
}

function webhookAlerts(target: FailingWebhook, clock: Clock): Alert[] {
  const { partner, id, state, failingSinceMs, disabledAtMs, disabledReason, waiting } = target;
  if (state === 'disabled')
    return [alert('webhook_disabled', partner, disabledAtMs, `webhook ${id}: ${disabledReason ?? 'after failures'}`)];
  const isLong = failingSinceMs !== null && clock.nowMs() - failingSinceMs >= scaledMs(WEBHOOK_FAILING_ALERT_MS, clock);
  if (!isLong) return [];
  return [
    alert(
      'webhook_failing',
      partner,
      failingSinceMs,
      `webhook ${id} takes nothing; ${counted(waiting, 'event waits', 'events wait')}`,
    ),
  ];
}
