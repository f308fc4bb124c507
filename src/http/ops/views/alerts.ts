/** What needs a person in an environment, from the status of its parts. Pure; exhaustive over the codes. */
import { type Clock, DAY_MS, iso, isoOrNull, scaledMs } from '../../../kernel/clock.ts';
import { WEBHOOK_FAILING_ALERT_MS } from '../../../kernel/limits.ts';
import type { Environment } from '../../../kernel/names.ts';
import { KEY_ENDING_MS } from '../../../ops/directory/limits.ts';
import type { EndingKey } from '../../../ops/directory/partners.ts';
import type { FeedLine } from '../../../ops/feeds/order-feeds.ts';
import type { ChannelHealth } from '../../../ops/gates.ts';
import type { NeedOfPartner } from '../../../ops/index/batch-list.ts';
import type { FailingWebhook } from '../../../ops/webhooks/webhooks.ts';
import type { Breaker, OpenedBy } from '../../../upstream/gate/breaker.ts';
import {
  batchLinks,
  batchListPath,
  channelPagePath,
  feedPagePath,
  webhookPagePath,
  withParameters,
} from '../../edge/reader.ts';
import { feedState } from './feed.ts';

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
  | 'rows_held'
  | 'rows_refused'
  | 'files_unreadable'
  | 'batches_stuck'
  | 'keys_ending';

/** @property about the channel, partner or holder of a key concerned. since null: not known. */
export interface Alert {
  code: AlertCode;
  about: string;
  since: string | null;
  detail: string;
  fix: string;
  /** Where to look: in the API, and on a page of the console. */
  links: { api: string; console: string | null };
}

export interface AlertFacts {
  channels: readonly ChannelHealth[];
  feeds: readonly FeedLine[];
  webhooks: readonly FailingWebhook[];
  needs: readonly NeedOfPartner[];
  keys: readonly EndingKey[];
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
  rows_held: 'GET /v1/ops/letters?state=held lists them; each says what may be decided.',
  rows_refused:
    'Each row says what is wrong. Have the partner correct the rows and send those alone, or mend the cause and replay them.',
  files_unreadable: 'The page of the batch says why. Have the partner send the file again as it should be.',
  keys_ending:
    'Rotate it and hand the new one over: the old one works on for a day, or as long as you say. Revoke it if nobody uses it.',
  batches_stuck: 'The page of the batch and the log say why. It is tried again by itself.',
};

export function alertsOf(
  environment: Environment,
  { channels, feeds, webhooks, needs, keys }: AlertFacts,
  clock: Clock,
): Alert[] {
  const found = [
    ...channels.flatMap(channelAlerts),
    ...needs.map(needAlert),
    ...feeds.flatMap((line) => feedAlerts(line, clock.nowMs())),
    ...webhooks.flatMap((target) => webhookAlerts(target, clock)),
    ...keys.map((key) => keyAlert(key, clock.nowMs())),
  ];
  return found.map(({ code, about, sinceMs, detail, place: locate }) => ({
    code,
    about,
    since: isoOrNull(sinceMs),
    detail,
    fix: FIXES[code],
    links: linksOf(environment, about, locate),
  }));
}

/** What an alert links to. */
type Place =
  | { at: 'health' }
  | { at: 'feeds' }
  | { at: 'webhook'; id: string }
  | { at: 'keys'; holder: EndingKey['holder'] }
  /** @property only null: there are several. */
  | { at: 'batches'; need: NeedOfPartner['need']; only: string | null };

interface FoundAlert {
  code: AlertCode;
  about: string;
  sinceMs: number | null;
  detail: string;
  place: Place;
}

const alert = (code: AlertCode, about: string, sinceMs: number | null, detail: string, locate: Place): FoundAlert => ({
  ...{ code, about, sinceMs, detail, place: locate },
});

function linksOf(environment: Environment, about: string, locate: Place): Alert['links'] {
  switch (locate.at) {
    case 'health':
      return { api: withParameters('/v1/ops/health', { environment }), console: channelPagePath(environment, about) };
    case 'feeds':
      return {
        api: withParameters('/v1/ops/feeds', { environment }),
        console: feedPagePath({ environment, partner: about }),
      };
    case 'webhook': {
      const path = `/v1/ops/partners/${encodeURIComponent(about)}/webhooks/${encodeURIComponent(locate.id)}/deliveries`;
      return {
        api: withParameters(path, { environment }),
        console: webhookPagePath({ environment, partner: about }, locate.id),
      };
    }
    case 'keys': {
      const path = locate.holder === 'operator' ? '/operator-keys' : `/partners/${encodeURIComponent(about)}`;
      const ofKeys = locate.holder === 'operator' ? path : `${path}/keys`;
      return {
        api: withParameters(`/v1/ops${ofKeys}`, { environment }),
        console: withParameters(`/console${path}`, { environment }),
      };
    }
    case 'batches': {
      const asked = { environment, partner: about, needs: locate.need };
      const all = { api: withParameters('/v1/ops/batches', asked), console: batchListPath(asked) };
      if (locate.only === null) return all;
      const page = batchLinks({ environment, partner: about, isOps: true }, locate.only).console;
      return { ...all, console: locate.need === 'held' ? withParameters(page, { state: 'held' }) : page };
    }
  }
}

function needAlert({ partner, need, count, batches, oldestMs, batchId }: NeedOfPartner): FoundAlert {
  const locate: Place = { at: 'batches', need, only: batches === 1 ? batchId : null };
  const inBatches = batches === 1 ? `in batch ${batchId}` : `in ${counted(batches, 'batch', 'batches')}`;
  const said: Record<NeedOfPartner['need'], [AlertCode, string]> = {
    held: ['rows_held', `${counted(count, 'row waits', 'rows wait')} for a decision ${inBatches}`],
    refused: ['rows_refused', `${counted(count, 'row was', 'rows were')} not delivered ${inBatches}`],
    unreadable: [
      'files_unreadable',
      `${counted(count, 'file', 'files')} could not be read, ${batches === 1 ? '' : 'the newest '}batch ${batchId}`,
    ],
    trouble: [
      'batches_stuck',
      `${counted(count, 'batch does', 'batches do')} not get on: ${batches === 1 ? '' : 'the newest is '}${batchId}`,
    ],
  };
  const [code, detail] = said[need];
  return alert(code, partner, oldestMs, detail, locate);
}

/** One that was rotated needs nobody: its successor is there. */
function keyAlert({ holder, name, keyId, endsAtMs, lastUsedAt }: EndingKey, nowMs: number): FoundAlert {
  const days = Math.floor((endsAtMs - nowMs) / DAY_MS);
  const when = days === 0 ? 'within a day' : `in ${counted(days, 'day', 'days')}`;
  const used = lastUsedAt === null ? 'it was never used' : `last used ${lastUsedAt.slice(0, 10)}`;
  const whose = holder === 'operator' ? "operator's key" : 'key';
  const detail = `${whose} ${keyId} ends ${when}, on ${iso(endsAtMs).slice(0, 10)}; ${used}`;
  return alert('keys_ending', name, endsAtMs - KEY_ENDING_MS, detail, { at: 'keys', holder });
}

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

const HEALTH: Place = { at: 'health' };
const FEEDS: Place = { at: 'feeds' };

const STOP_MESSAGES: Record<OpenedBy, string> = {
  failures: 'the receiving system fails',
  redirects: 'the receiving system points to another address',
  credentials_refused: 'our credentials were refused',
  channel_refused: 'everything is refused',
  scacs_parked: 'every SCAC is refused',
  not_onboarded: 'the receiving system does not accept it yet',
};

/** `scac:ABCD`, `partner:acme`: what else is there is the channel as a whole. */
const STOPPED_PART = /^(?:scac|partner):(.+)$/;

const stopText = ({ scope, why, untilMs }: Breaker): string => {
  const part = STOPPED_PART.exec(scope)?.[1];
  return `${part === undefined ? '' : `${part}: `}${STOP_MESSAGES[why]}; next try ${iso(untilMs).slice(11, 16)} UTC`;
};

function channelAlerts(found: ChannelHealth): FoundAlert[] {
  if (!found.reached) return [alert('channel_unreachable', found.channel, null, found.detail, HEALTH)];
  const { auth, breakers, parkedScacs, failingReads } = found.health;
  const open = auth === null ? breakers : [auth, ...breakers];
  return [
    ...open.map((each) => alert('channel_stopped', found.channel, each.sinceMs, stopText(each), HEALTH)),
    ...parkedScacs.map((each) => alert('scac_parked', found.channel, each.sinceMs, stopText(each), HEALTH)),
    ...failingReads.map(({ api, status, sinceMs }) =>
      alert(
        'reads_failing',
        found.channel,
        sinceMs,
        `${api}: ${status === null ? 'no answer' : `status ${status}`}`,
        HEALTH,
      ),
    ),
  ];
}

function feedAlerts(line: FeedLine, nowMs: number): FoundAlert[] {
  const { partner } = line.settings;
  if (!line.reached) return [alert('feed_unreachable', partner, null, line.detail, FEEDS)];
  const { status } = line;
  if (status === null) return [];
  const { gaps, orders, trouble, unread, polls, repairUnfit } = status;
  const alerts: FoundAlert[] = [];
  if (gaps.open > 0) {
    const open = gaps.shown.filter(({ closed_at_ms }) => closed_at_ms === null);
    const sinceMs = open.length === 0 ? null : Math.min(...open.map(({ since_ms }) => since_ms));
    const left = `${counted(orders.due, 'order is', 'orders are')} still to be looked up, ${orders.failing} of them in vain so far`;
    alerts.push(
      alert('feed_gap', partner, sinceMs, `${counted(gaps.open, 'poll was', 'polls were')} lost; ${left}`, FEEDS),
    );
  }
  if (trouble !== null) alerts.push(alert('feed_trouble', partner, trouble.atMs, trouble.detail, FEEDS));
  if (feedState(line, nowMs) === 'late')
    alerts.push(alert('feed_late', partner, status.nextPollMs, 'its next poll is overdue', FEEDS));
  if (unread.unreadable > 0) {
    const detail = `${counted(unread.unreadable, 'stored answer', 'stored answers')} could not be read`;
    alerts.push(alert('answers_unreadable', partner, null, detail, FEEDS));
  }
  const unfit = repairUnfit.count + polls.reduce((sum, poll) => sum + poll.unfit, 0);
  if (unfit > 0) {
    const oldest = polls.findLast((poll) => poll.unfit > 0);
    const detail = `${counted(unfit, 'status', 'statuses')} of the latest answers ${unfit === 1 ? 'was' : 'were'} not understood, and ${unfit === 1 ? 'is' : 'are'} not recorded`;
    alerts.push(alert('entries_unfit', partner, oldest?.started_at_ms ?? null, detail, FEEDS));
  }
  return alerts;
}

function webhookAlerts(target: FailingWebhook, clock: Clock): FoundAlert[] {
  const { partner, id, state, failingSinceMs, disabledAtMs, disabledReason, waiting } = target;
  const locate: Place = { at: 'webhook', id };
  if (state === 'disabled') {
    const detail = `webhook ${id}: ${disabledReason === 'gone' ? 'its address is gone for good' : 'every delivery failed for too long'}`;
    return [alert('webhook_disabled', partner, disabledAtMs, detail, locate)];
  }
  const isLong = failingSinceMs !== null && clock.nowMs() - failingSinceMs >= scaledMs(WEBHOOK_FAILING_ALERT_MS, clock);
  if (!isLong) return [];
  return [
    alert(
      'webhook_failing',
      partner,
      failingSinceMs,
      `deliveries to webhook ${id} fail; ${counted(waiting, 'event waits', 'events wait')}`,
      locate,
    ),
  ];
}
