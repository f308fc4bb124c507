/** How often a feed asks for changes, against what it may. Pure. */
import type { JournalEntry } from '../local/stack.ts';
import { breaks, type StoredPoll, seenAt, type Violation } from './evidence.ts';

/** @property beganAtMs polls are timed from then on. */
interface PollTimes {
  beganAtMs: number;
  intervalMs: number;
}

interface PollEvidence extends PollTimes {
  /** Every one it began, in its order. */
  polls: readonly StoredPoll[];
  /** When they were received, in ascending order. */
  receivedAtMs: readonly number[];
  /** The bridge was away for a part of the day. */
  wasKilled: boolean;
}

const I29 = breaks('I29');
/** The upstream's documentation counts them. */
const POLLS_A_DAY = 48;

/** @returns one per violation; none means that everything held. */
export function pollViolations(evidence: PollEvidence): Violation[] {
  const { polls, receivedAtMs } = evidence;
  return [
    ...oneAtATime(polls),
    ...polls.flatMap(({ pollNo, startedAtMs }, index) =>
      hasItsOwnTime(`poll ${pollNo}`, startedAtMs, polls[index - 1]?.startedAtMs ?? null, evidence),
    ),
    ...receivedAsBegun(evidence),
    ...receivedOnce(polls, receivedAtMs),
    ...asManyAsADayHas(evidence),
  ];
}

/** One poller, however often it was killed: a poll begins when the one before is over. */
export const oneAtATime = (polls: readonly StoredPoll[]): Violation[] =>
  polls.flatMap((poll, index) => {
    const before = polls[index - 1];
    const isOver = before === undefined || (before.endedAtMs ?? Number.POSITIVE_INFINITY) <= poll.startedAtMs;
    return isOver ? [] : [I29(`poll ${poll.pollNo} began while poll ${before.pollNo} was under way`)];
  });

/** Which of the times of polls one takes: the nearest, counted from 0. */
const timeTaken = (atMs: number, { beganAtMs, intervalMs }: PollTimes): number =>
  Math.round((atMs - beganAtMs) / intervalMs);

/** @param beforeMs when the one before began; null: there is none. */
export function hasItsOwnTime(poll: string, atMs: number, beforeMs: number | null, times: PollTimes): Violation[] {
  if (beforeMs === null || timeTaken(beforeMs, times) < timeTaken(atMs, times)) return [];
  return [
    I29(`${poll} began ${Math.round(atMs - beforeMs)} ms after the one before; ${times.intervalMs} ms lie between two`),
  ];
}

/** A kill may meet a poll that was begun and not sent. */
function receivedAsBegun({ polls, receivedAtMs, wasKilled }: PollEvidence): Violation[] {
  const [received, begun] = [receivedAtMs.length, polls.length];
  if (received === begun || (wasKilled && received < begun)) return [];
  return [I29(`${received} polls were received, ${begun} were begun`)];
}

/**
 * What stands between bridge and upstream may send a poll again whose answer was cut; the first one has taken the changes then,
 * and the answer to the second one is whole without them. As many polls that were begun and never sent would hide it.
 * @param receivedAtMs in any order.
 */
export function receivedOnce(polls: readonly StoredPoll[], receivedAtMs: readonly number[]): Violation[] {
  const received = Map.groupBy(receivedAtMs, (atMs) => polls.findLast(({ startedAtMs }) => startedAtMs <= atMs));
  return [...received].flatMap(([poll, timesMs]) => {
    if (poll === undefined) return [I29(`${timesMs.length} polls were received before one was begun`)];
    if (timesMs.length === 1) return [];
    const afterMs = timesMs.map((atMs) => atMs - poll.startedAtMs).join(' and ');
    return [I29(`poll ${poll.pollNo} was received ${timesMs.length} times, ${afterMs} ms after its beginning`)];
  });
}

function asManyAsADayHas(evidence: PollEvidence): Violation[] {
  const seen = pollsInDay(evidence);
  const isWhole = evidence.wasKilled ? seen >= 1 && seen <= POLLS_A_DAY : seen === POLLS_A_DAY;
  return isWhole ? [] : [I29(`${seen} polls in a day, not ${POLLS_A_DAY}`)];
}

/** The day begins with the feed. */
export const pollsInDay = ({ polls, ...times }: PollTimes & Pick<PollEvidence, 'polls'>): number =>
  polls.filter(({ startedAtMs }) => timeTaken(startedAtMs, times) < POLLS_A_DAY).length;

/** What was asked of orders, by what it asked for. */
export function askedOf<Entry extends Pick<JournalEntry, 'method' | 'path' | 'query'>>(
  journal: readonly Entry[],
): { polls: Entry[]; repairs: Entry[]; questions: Entry[] } {
  const histories = seenAt(journal, 'orderHistory');
  return {
    polls: histories.filter(({ query }) => query.includes('partnerId=')),
    repairs: histories.filter(({ query }) => query.includes('orderRef=')),
    questions: journal.filter(({ method, path }) => method === 'GET' && path.endsWith('/statuses')),
  };
}
