/** How often a feed asked for changes, against what it may. Pure. */
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import type { JournalEntry } from '../local/stack.ts';
import type { StoredPoll } from './stored-orders.ts';

export interface PollEvidence {
  /** Every one it began, in its order. */
  polls: readonly StoredPoll[];
  /** When they were received, in ascending order. */
  receivedAtMs: readonly number[];
  /** Of real time. */
  intervalMs: number;
  dayMs: number;
  /** How much later than it was armed an alarm may come: the machine's share of it. */
  alarmLateMs: number;
  /** The bridge was away for a part of the day. */
  wasKilled: boolean;
}

/** Spread of the time between two polls, as a share. */
const JITTER = 0.05;
/** A time is kept in whole milliseconds. */
const ROUNDED_MS = 1;

/** @returns one sentence per violation; none means that everything held. */
export function pollViolations(evidence: PollEvidence): string[] {
  const { polls } = evidence;
  return [
    ...oneAtATime(polls),
    ...polls.flatMap((poll, index) => behindTheOneBefore(poll, polls[index - 1], evidence.intervalMs)),
    ...receivedAsBegun(evidence),
    ...asManyAsADayHas(evidence),
  ];
}

/** One poller, however often it was killed: a poll begins when the one before is over. */
export const oneAtATime = (polls: readonly StoredPoll[]): string[] =>
  polls.flatMap((poll, index) => {
    const before = polls[index - 1];
    const isOver = before === undefined || (before.endedAtMs ?? Number.POSITIVE_INFINITY) <= poll.startedAtMs;
    return isOver ? [] : [`poll ${poll.pollNo} began while poll ${before.pollNo} was under way`];
  });

/** No sooner than its time. */
function behindTheOneBefore(poll: StoredPoll, before: StoredPoll | undefined, intervalMs: number): string[] {
  if (before === undefined) return [];
  const waitMs = poll.startedAtMs - before.startedAtMs;
  if (waitMs >= intervalMs * (1 - JITTER) - ROUNDED_MS) return [];
  return [`poll ${poll.pollNo} began ${waitMs} ms behind the one before; ${intervalMs} ms lie between two`];
}

/** A kill may meet a poll that was begun and not sent. */
function receivedAsBegun({ polls, receivedAtMs, wasKilled }: PollEvidence): string[] {
  const [received, begun] = [receivedAtMs.length, polls.length];
  if (received === begun || (wasKilled && received < begun)) return [];
  return [`${received} polls were received, ${begun} were begun`];
}

function asManyAsADayHas({ receivedAtMs, intervalMs, dayMs, alarmLateMs, wasKilled }: PollEvidence): string[] {
  const seen = pollsInDay(receivedAtMs, dayMs);
  const least = wasKilled ? 1 : Math.floor(dayMs / (intervalMs * (1 + JITTER) + alarmLateMs));
  const most = Math.ceil(dayMs / (intervalMs * (1 - JITTER))) + 1; // the first one is at its beginning
  return seen >= least && seen <= most ? [] : [`${seen} polls in a day, not ${least} to ${most}`];
}

/** The day begins with the first poll. */
export const pollsInDay = (receivedAtMs: readonly number[], dayMs: number): number =>
  receivedAtMs.filter((ms) => ms < (receivedAtMs[0] ?? 0) + dayMs).length;

/** What was asked of orders, by what it asked for. */
export function askedOf<Entry extends Pick<JournalEntry, 'method' | 'path' | 'query'>>(
  journal: readonly Entry[],
): { polls: Entry[]; repairs: Entry[]; questions: Entry[] } {
  const histories = journal.filter(({ path }) => path.endsWith(ENDPOINTS.orderHistory.path));
  return {
    polls: histories.filter(({ query }) => query.includes('partnerId=')),
    repairs: histories.filter(({ query }) => query.includes('orderRef=')),
    questions: journal.filter(({ method, path }) => method === 'GET' && path.endsWith('/statuses')),
  };
}
