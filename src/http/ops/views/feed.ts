/** Feeds, their polls and gaps → the API's shapes. Pure. */

import type { FeedSettings } from '../../../feed/feed-status.ts';
import type { GapRow, PollRow } from '../../../feed/feed-tables.ts';
import { isoOrNull } from '../../../kernel/clock.ts';
import type { AgreedFeed, FeedLine } from '../../../ops/feeds/order-feeds.ts';

const settingsMessage = ({ partnerId, clientId, channel, scac, pollMinutes, repairsPerMinute }: FeedSettings) => ({
  partnerId,
  clientId,
  channel,
  scac,
  pollMinutes,
  repairsPerMinute,
});

export const agreedFeed = ({ settings, history }: AgreedFeed) => ({
  environment: settings.environment,
  partner: settings.partner,
  edition: settings.edition,
  ...settingsMessage(settings),
  changedBy: history?.changedBy ?? null,
  changedAt: history?.changedAt ?? null,
  note: history?.note ?? '',
});

/**
 * `gap`: changes may be missing until the repair has ended. `trouble`: it could not poll. `late`: its alarm was lost,
 * or it is at work; the cron arms it again. `starting`: it was set and has not begun.
 */
export type FeedState = 'ok' | 'gap' | 'trouble' | 'late' | 'starting' | 'unreachable';

/** A feed whose poll is overdue by this, in real ms, is late. */
const LATE_MS = 60_000;

export function feedState(line: FeedLine, nowMs: number): FeedState {
  if (!line.reached) return 'unreachable';
  if (line.status === null) return 'starting';
  if (line.status.gaps.open > 0) return 'gap';
  if (line.status.trouble !== null) return 'trouble';
  return line.status.nextPollMs < nowMs - LATE_MS ? 'late' : 'ok';
}

/** One line of the health of an environment. */
export const feedHealth = (line: FeedLine, nowMs: number) => ({
  partner: line.settings.partner,
  state: feedState(line, nowMs),
  lastPoll: isoOrNull(lastRead(line)?.started_at_ms ?? null),
  openGaps: line.reached ? (line.status?.gaps.open ?? null) : null,
  unreadable: line.reached ? (line.status?.unread.unreadable ?? null) : null,
  trouble: line.reached ? (line.status?.trouble?.detail ?? null) : line.detail,
});

/** @param timeScale how many times as fast as its clock a deployment works: a demo, or a test. */
export function feedView(line: FeedLine, nowMs: number, timeScale: number) {
  const { settings } = line;
  const head = {
    partner: settings.partner,
    ...settingsMessage(settings),
    pollSeconds: (settings.pollMinutes * 60) / timeScale,
    state: feedState(line, nowMs),
  };
  if (!line.reached) return { ...head, detail: line.detail };
  const { status } = line;
  if (status === null) return head;
  const cursor = lastRead(line);
  return {
    ...head,
    /** The last poll whose answer is in the log. */
    cursor: cursor === undefined ? null : { poll: cursor.poll_no, at: isoOrNull(cursor.started_at_ms) },
    nextPoll: isoOrNull(status.nextPollMs),
    trouble: status.trouble && { at: isoOrNull(status.trouble.atMs), detail: status.trouble.detail },
    lastEvent: status.lastSeq,
    answerMapping: status.mappingEdition,
    orders: { open: status.orders.open },
    repair: {
      left: status.orders.due,
      failing: status.orders.failing,
      unfit: status.repairUnfit.count,
      unfitSamples: status.repairUnfit.samples,
      failures: status.failures.map(({ order_ref, failure, tries }) => ({ orderRef: order_ref, failure, tries })),
    },
    gaps: { open: status.gaps.open, closed: status.gaps.closed, shown: status.gaps.shown.map(gapView) },
    /** Answers that are stored but not in the log: they can be read once the answer mapping fits. */
    unread: status.unread,
    polls: status.polls.map(pollView),
    links: {
      poll: `/v1/ops/feeds/${encodeURIComponent(settings.partner)}/poll`,
      repair: `/v1/ops/feeds/${encodeURIComponent(settings.partner)}/repair`,
    },
  };
}

const lastRead = (line: FeedLine): PollRow | undefined =>
  line.reached ? line.status?.polls.find(({ state }) => state === 'read') : undefined;

export const gapView = ({ poll_no, why, since_ms, lost_at_ms, closed_at_ms, closed_by }: GapRow) => ({
  poll: poll_no,
  why,
  /** Since when changes may be missing. */
  since: isoOrNull(since_ms),
  lostAt: isoOrNull(lost_at_ms),
  closedAt: isoOrNull(closed_at_ms),
  closedBy: closed_by,
});

const pollView = (poll: PollRow) => ({
  poll: poll.poll_no,
  state: poll.state,
  startedAt: isoOrNull(poll.started_at_ms),
  status: poll.status,
  detail: poll.detail,
  bytes: poll.bytes,
  sha256: poll.sha256,
  entries: poll.entries,
  news: poll.news,
  unfit: poll.unfit,
  unfitSamples: JSON.parse(poll.samples) as unknown,
  answerMapping: poll.mapping_edition,
});
