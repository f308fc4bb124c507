/** How often a feed asked for changes, against what it may. Pure. */
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import type { JournalEntry } from '../local/stack.ts';
import type { StoredPoll } from './stored-orders.ts';

export interface PollEvidence {
  /** Polls are timed from then on. */
  beganAtMs: number;
  /** Every one it began, in its order. */
  polls: readonly StoredPoll[];
  /** When they were received, in ascending order. */
  receivedAtMs: readonly number[];
  /** Of real time. */
  intervalMs: number;
  /** The bridge was away for a part of the day. */
  wasKilled: boolean;
}

const POLLS_A_DAY = 48;

/** @returns one sentence per violation; none means that everything held. */
export function pollViolations(evidence: PollEvidence): string[] {
  const { polls } = evidence;
  return [
    ...oneAtATime(polls),
    ...polls.flatMap((poll, index) => inTimesOfTheirOwn(poll, polls[index - 1], evidence)),
    ...receivedAsBegun(evidence),
    ...receivedOnce(polls, evidence.receivedAtMs),
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

type PollTimes = Pick<PollEvidence, 'beganAtMs' | 'intervalMs'>;

/** Which of the times of polls one took: the nearest, counted from 0. */
const timeTaken = ({ startedAtMs }: StoredPoll, { beganAtMs, intervalMs }: PollTimes): number =>
  Math.round((startedAtMs - beganAtMs) / intervalMs);

function inTimesOfTheirOwn(poll: StoredPoll, before: StoredPoll | undefined, times: PollTimes): string[] {
  if (before === undefined || timeTaken(before, times) < timeTaken(poll, times)) return [];
  const waitMs = poll.startedAtMs - before.startedAtMs;
  return [`poll ${poll.pollNo} began ${waitMs} ms behind the one before; ${times.intervalMs} ms lie between two`];
}

/** A kill may meet a poll that was begun and not sent. */
function receivedAsBegun({ polls, receivedAtMs, wasKilled }: PollEvidence): string[] {
  const [received, begun] = [receivedAtMs.length, polls.length];
  if (received === begun || (wasKilled && received < begun)) return [];
  return [`${received} polls were received, ${begun} were begun`];
}

/**
 * What stands between bridge and receiving system may send a poll again whose answer was cut; the first one has taken the changes
 * then, and the answer to the second one is whole without them. As many polls that were begun and never sent would hide it.
 * @param receivedAtMs in any order.
 */
export function receivedOnce(polls: readonly StoredPoll[], receivedAtMs: readonly number[]): string[] {
  const received = Map.groupBy(receivedAtMs, (atMs) => polls.findLast(({ startedAtMs }) => startedAtMs <= atMs));
  return [...received].flatMap(([poll, timesMs]) => {
    if (poll === undefined) return [`${timesMs.length} polls were received before one was begun`];
    if (timesMs.length === 1) return [];
    const behindMs = timesMs.map((atMs) => atMs - poll.startedAtMs).join(' and ');
    return [`poll ${poll.pollNo} was received ${timesMs.length} times, ${behindMs} ms behind its beginning`];
  });
}

function asManyAsADayHas(evidence: PollEvidence): string[] {
  const seen = pollsInDay(evidence, evidence.intervalMs);
  const isWhole = evidence.wasKilled ? seen >= 1 && seen <= POLLS_A_DAY : seen === POLLS_A_DAY;
  return isWhole ? [] : [`${seen} polls in a day, not ${POLLS_A_DAY}`];
}

/** The day begins with the feed. */
export const pollsInDay = (
  { beganAtMs, polls }: Pick<PollEvidence, 'beganAtMs' | 'polls'>,
  intervalMs: number,
): number => polls.filter((poll) => timeTaken(poll, { beganAtMs, intervalMs }) < POLLS_A_DAY).length;

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
