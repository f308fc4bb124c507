/** What needs a person in an environment, from the status of its parts. Pure; exhaustive over the codes. */
import { type Clock, DAY_MS, iso, isoOrNull, MINUTE_MS, scaledMs } from '../../../kernel/clock.ts';
import { WEBHOOK_FAILING_ALERT_MS } from '../../../kernel/limits.ts';
import type { Environment } from '../../../kernel/names.ts';
import { KEY_ENDING_MS } from '../../../ops/directory/limits.ts';
import type { EndingKey } from '../../../ops/directory/partners.ts';
import type { FeedLine } from '../../../ops/feeds/order-feeds.ts';
import type { ChannelHealth } from '../../../ops/gates.ts';
import { type BacklogLine, MOVING_ROWS } from '../../../ops/index/backlog.ts';
import type { NeedOfPartner } from '../../../ops/index/batch-list.ts';
import { type FaultCount, faultKind } from '../../../ops/index/faults.ts';
import {
  ANSWERS_FAILED_ALERT,
  BACKLOG_ALERT_ROWS,
  BATCH_SILENT_ALERT_MS,
  FAULTS_ALERT_MS,
  ROWS_OLD_ALERT_MS,
  WAKE_UPS_FAILED_ALERT,
} from '../../../ops/index/limits.ts';
import type { SeenAlert } from '../../../ops/webhooks/raised-alerts.ts';
import type { FailingWebhook, FailingWebhooks } from '../../../ops/webhooks/webhooks.ts';
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
import { type AlertCode, RUNBOOK } from './runbook.ts';

export interface Alert extends SeenAlert {
  code: AlertCode;
}

export interface AlertFacts {
  channels: readonly ChannelHealth[];
  feeds: readonly FeedLine[];
  webhooks: FailingWebhooks;
  /** Of the operators' own: one, where it fails. */
  alertWebhook: readonly FailingWebhook[];
  needs: readonly NeedOfPartner[];
  keys: readonly EndingKey[];
  backlog: readonly BacklogLine[];
  /** Of the last `FAULTS_ALERT_MS`. */
  faults: readonly FaultCount[];
}

export function alertsOf(
  environment: Environment,
  { channels, feeds, webhooks, alertWebhook, needs, keys, backlog, faults }: AlertFacts,
  clock: Clock,
): Alert[] {
  const found = [
    ...channels.flatMap(channelAlerts),
    ...needs.map(needAlert),
    ...feeds.flatMap((line) => feedAlerts(line, clock.nowMs())),
    ...webhooks.failing.flatMap((target) => webhookAlerts(target, clock)),
    ...webhooks.unreached.map((partner) => alert('webhooks_unreachable', partner, null, NOTHING_KNOWN, WEBHOOKS)),
    ...alertWebhook.flatMap((target) => webhookAlerts(target, clock)).map(ofOperators),
    ...keys.map((key) => keyAlert(key, clock.nowMs())),
    ...backlogAlerts(backlog, clock),
    ...faultAlerts(faults),
  ];
  return found.map(({ code, about, part = null, sinceMs, detail, place: locate }) => ({
    ...{ code, about, part },
    since: isoOrNull(sinceMs),
    means: RUNBOOK[code].means,
    detail,
    fix: RUNBOOK[code].fix,
    links: linksOf(environment, about, locate),
  }));
}

/** What an alert links to. */
type Place =
  | { at: 'health' }
  | { at: 'bridge' }
  | { at: 'open'; batchId: string | null }
  | { at: 'feeds' }
  | { at: 'webhooks' }
  | { at: 'webhook'; id: string }
  | { at: 'alert-webhook' }
  | { at: 'keys'; holder: EndingKey['holder'] }
  /** @property only null: there are several. */
  | { at: 'batches'; need: NeedOfPartner['need']; only: string | null };

interface FoundAlert {
  code: AlertCode;
  about: string;
  part?: string;
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
    case 'bridge':
      return { api: withParameters('/v1/ops/health/layers', { environment }), console: null };
    case 'open': {
      const asked = { environment, ...(about === BRIDGE ? {} : { partner: about }), state: 'reading,delivering' };
      const all = { api: withParameters('/v1/ops/batches', asked), console: batchListPath(asked) };
      if (locate.batchId === null) return all;
      return { ...all, console: batchLinks({ environment, partner: about, isOps: true }, locate.batchId).console };
    }
    case 'feeds':
      return {
        api: withParameters('/v1/ops/feeds', { environment }),
        console: feedPagePath({ environment, partner: about }),
      };
    case 'webhooks':
      return {
        api: withParameters(`/v1/ops/partners/${encodeURIComponent(about)}/webhooks`, { environment }),
        console: withParameters('/console/webhooks', { environment, partner: about }),
      };
    case 'webhook': {
      const path = `/v1/ops/partners/${encodeURIComponent(about)}/webhooks/${encodeURIComponent(locate.id)}/deliveries`;
      return {
        api: withParameters(path, { environment }),
        console: webhookPagePath({ environment, partner: about }, locate.id),
      };
    }
    case 'alert-webhook':
      return {
        api: withParameters('/v1/ops/alert-webhook', { environment }),
        console: withParameters('/console/webhooks/alerts', { environment }),
      };
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
  return { ...alert('keys_ending', name, endsAtMs - KEY_ENDING_MS, detail, { at: 'keys', holder }), part: keyId };
}

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

const BRIDGE = 'bridge';

/** What is open for too long, says nothing, or is too much. */
function backlogAlerts(backlog: readonly BacklogLine[], clock: Clock): FoundAlert[] {
  const moving = backlog.filter(({ state }) => MOVING_ROWS.includes(state));
  const isPast = (ms: number, after: number): boolean => clock.nowMs() - ms >= scaledMs(after, clock);
  const ofPartners = [...Map.groupBy(backlog, ({ partner }) => partner)].flatMap(([partner, lines]) => {
    const own = moving.filter((line) => line.partner === partner);
    const found: FoundAlert[] = [];
    const old = oldestOf(own);
    if (old !== null && isPast(old.oldestMs, ROWS_OLD_ALERT_MS)) {
      const detail = `${counted(rowsOf(own), 'row', 'rows')} under way, the oldest in batch ${old.batchId}`;
      found.push(alert('rows_old', partner, old.oldestMs, detail, { at: 'open', batchId: old.batchId }));
    }
    const silentMs = Math.min(...lines.map(({ silentSinceMs }) => silentSinceMs ?? Number.POSITIVE_INFINITY));
    if (isPast(silentMs, BATCH_SILENT_ALERT_MS)) {
      const detail = 'a batch that reads its file, or has a call under way, says nothing new';
      found.push(alert('batches_silent', partner, silentMs, detail, { at: 'open', batchId: null }));
    }
    return found;
  });
  const all = rowsOf(moving);
  if (all < BACKLOG_ALERT_ROWS) return ofPartners;
  const sinceMs = oldestOf(moving)?.oldestMs ?? null;
  const detail = `${counted(all, 'row is', 'rows are')} under way`;
  return [...ofPartners, alert('backlog_large', BRIDGE, sinceMs, detail, { at: 'open', batchId: null })];
}

const rowsOf = (lines: readonly BacklogLine[]): number => lines.reduce((sum, { rows }) => sum + rows, 0);
const oldestOf = (lines: readonly BacklogLine[]): BacklogLine | null =>
  lines.reduce<BacklogLine | null>((one, each) => (one !== null && one.oldestMs <= each.oldestMs ? one : each), null);

function faultAlerts(faults: readonly FaultCount[]): FoundAlert[] {
  const minutes = FAULTS_ALERT_MS / MINUTE_MS;
  const of = (kind: ReturnType<typeof faultKind>, least: number, code: AlertCode, what: string): FoundAlert[] => {
    const own = faults.filter(({ event }) => faultKind(event) === kind);
    const count = own.reduce((sum, each) => sum + each.count, 0);
    if (count < least) return [];
    const named = own.map((each) => `${each.event} ${each.count}`).join(', ');
    return [alert(code, BRIDGE, null, `${count} ${what} in the last ${minutes} minutes: ${named}`, { at: 'bridge' })];
  };
  return [
    ...of('answer', ANSWERS_FAILED_ALERT, 'answers_failing', 'answers of 5xx'),
    ...of('wake_up', WAKE_UPS_FAILED_ALERT, 'wake_ups_failing', 'failed wake-ups'),
  ];
}

const HEALTH: Place = { at: 'health' };
const FEEDS: Place = { at: 'feeds' };
const WEBHOOKS: Place = { at: 'webhooks' };
const NOTHING_KNOWN = 'how its deliveries go is not known';

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
  const of = (code: AlertCode, part: string, sinceMs: number, detail: string): FoundAlert => ({
    ...alert(code, found.channel, sinceMs, detail, HEALTH),
    part,
  });
  return [
    ...open.map((each) => of('channel_stopped', each.scope, each.sinceMs, stopText(each))),
    ...parkedScacs.map((each) => of('scac_parked', each.scope, each.sinceMs, stopText(each))),
    ...failingReads.map(({ api, status, sinceMs }) =>
      of('reads_failing', api, sinceMs, `${api}: ${status === null ? 'no answer' : `status ${status}`}`),
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
    const silent = orders.failing === orders.due ? 'no answer yet' : `no answer yet for ${orders.failing} of them`;
    const left = `${counted(orders.due, 'order', 'orders')} still to look up${orders.failing === 0 ? '' : `, ${silent}`}`;
    alerts.push(alert('feed_gap', partner, sinceMs, `${counted(gaps.open, 'answer', 'answers')} lost; ${left}`, FEEDS));
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

/** The same of the operators' own webhook. */
const ofOperators = ({ sinceMs, detail }: FoundAlert): FoundAlert =>
  alert('alerts_not_sent', BRIDGE, sinceMs, detail, { at: 'alert-webhook' });

function webhookAlerts(target: FailingWebhook, clock: Clock): FoundAlert[] {
  const { partner, id, state, failingSinceMs, disabledAtMs, disabledReason, waiting } = target;
  const locate: Place = { at: 'webhook', id };
  if (state === 'disabled') {
    const detail = `webhook ${id}: ${disabledReason === 'gone' ? 'its address is gone for good' : 'every delivery failed for too long'}`;
    return [{ ...alert('webhook_disabled', partner, disabledAtMs, detail, locate), part: id }];
  }
  const isLong = failingSinceMs !== null && clock.nowMs() - failingSinceMs >= scaledMs(WEBHOOK_FAILING_ALERT_MS, clock);
  if (!isLong) return [];
  const detail = `webhook “${id}”: ${counted(waiting, 'event waits', 'events wait')}`;
  return [{ ...alert('webhook_failing', partner, failingSinceMs, detail, locate), part: id }];
}
