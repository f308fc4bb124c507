/** Mistakes of feeds, and of what orders tell them. */
import type { PlantedBug } from './patches.ts';

export const FEED_BUGS: Readonly<Record<string, PlantedBug>> = {
  poll_begun_by_halves: {
    about: 'A poll is begun, and when the next one is due is not stored with it.',
    seed: 4_949,
    patches: [
      {
        in: 'PollSteps.poll',
        find: 'commit(() => {\n          pollNo = polls.beginPoll(startedAtMs);',
        replace: '(<T>(work: () => T): T => work())(() => {\n          pollNo = polls.beginPoll(startedAtMs);',
      },
    ],
  },
  poll_read_unstored: {
    about: 'The answer of a poll is read before it is stored.',
    seed: 9,
    patches: [
      {
        in: 'PollSteps.store',
        find: 'await env.FILES.put(key, bytes, { customMetadata, sha256 });',
        replace: 'void env.FILES.put(key, bytes, { customMetadata, sha256 }).catch(() => undefined);',
      },
    ],
  },
  poll_without_gap: {
    about: 'A poll that a dead process left behind counts as not handled.',
    seed: 1_289,
    patches: [
      {
        in: 'PollSteps.recover',
        find: `this.#lose(pollNo, 'interrupted', 'the bridge stopped before the answer was stored', clock);`,
        replace: `polls.refused(pollNo, null, 'the bridge stopped', clock.nowMs());`,
      },
    ],
  },
  two_pollers: {
    about: 'A wake-up does not wait for the poll that it makes.',
    seed: 9,
    patches: [
      {
        in: 'OrderFeed.take',
        find: 'return polling.poll(feed, clock);',
        replace: 'void polling.poll(feed, clock);\n        return scheduler.wait(1);',
      },
    ],
  },
  poll_intent_behind: {
    about: 'The next poll is set when the answer is there, not before the poll leaves.',
    seed: 19,
    patches: [
      {
        in: 'PollSteps.poll',
        find: 'polls.pollNotBefore(nextPollMs(feed, startedAtMs, clock, Math.random));',
        replace: '',
      },
      {
        in: 'PollSteps.keep',
        find: "return failpoint('poll_stored');",
        replace:
          "polls.pollNotBefore(nextPollMs(feed, clock.nowMs(), clock, Math.random));\n        return failpoint('poll_stored');",
      },
    ],
  },
  order_told_too_early: {
    about: 'An event counts as told before its order has confirmed it.',
    seed: 859,
    patches: [
      {
        in: 'notifyOrders',
        find: 'await order(orderRef).takeStatuses(',
        replace: 'events.notified(seqs);\n        await order(orderRef).takeStatuses(',
      },
    ],
  },
  status_shown_twice: {
    about: 'An order keeps a status as often as it is told of it.',
    seed: 9,
    patches: [
      { in: 'OrderStatuses.take', find: 'if (rows.has(seq)) continue;', replace: '' },
      { in: 'OrderStatuses.take', find: 'rows.put({ seq,', replace: 'rows.put({ seq: [...rows.values()].length + 1,' },
    ],
  },
  event_logged_twice: {
    about: 'What a poll and a repair both tell is in the log twice.',
    seed: 89,
    patches: [{ in: 'EventStore.learn', find: 'AND known.hash = value->>2', replace: 'AND known.hash IS NULL' }],
  },
  gap_closed_early: {
    about: 'A gap is closed when the first of its orders was asked for.',
    seed: 49,
    patches: [
      {
        in: 'OrderBook.repaired',
        find: 'failure = NULL WHERE order_ref = ?',
        replace: 'failure = NULL WHERE ? IS NOT NULL',
      },
    ],
  },
  unknown_believed: {
    about: 'An answer that an order is unknown ends its repair, whatever is known of it.',
    seed: 4_739,
    patches: [{ in: 'RepairSteps.repair', find: 'mustBeKnown(order, named, clock)', replace: 'false' }],
  },
  named_may_be_unknown: {
    about: 'An answer that an order is unknown ends its repair where nothing was learned of it, though it has an id.',
    seed: 137_449,
    patches: [{ in: 'mustBeKnown', find: ' || named.ours.length > 0 || named.hasUnnamed', replace: '' }],
  },
  late_poll_forgotten: {
    about: 'What a poll took that was handled after it was given up is never asked for.',
    seed: 3339,
    patches: [{ in: 'HANDLED_LATE_WHYS', find: `['interrupted', 'no_answer', 'server_error'];`, replace: '[];' }],
  },
  late_order_forgotten: {
    about: 'An order that its feed hears of behind a lost poll is not asked for.',
    seed: 339,
    patches: [
      {
        in: 'OrderFeed.register',
        find: 'const lateMs = isLate ? takenUntilMs : null;',
        replace: 'const lateMs = null;',
      },
    ],
  },
  feed_not_told: {
    about: 'An order that dies before its feed has heard of it says no more.',
    seed: 679,
    patches: [
      {
        in: 'Order.wakeToNotify',
        find: 'if (againMs != null) await this.parts.subject.wakeAt(againMs);',
        replace: '',
      },
    ],
  },
  young_order_given_up: {
    about: 'An order that is not listed yet counts as one of which nothing was lost.',
    seed: 679,
    patches: [
      {
        in: 'RepairSteps.repaired',
        find: 'if (isUnsure && isYoung(',
        replace: 'if (order.tries > 9 && isYoung(',
      },
    ],
  },
  order_in_the_making_given_up: {
    about: 'Where an order is being made anew, the one before it is enough.',
    seed: 3_283_809,
    patches: [{ in: 'isWhole', find: 'if (isBeingMade) return false;', replace: '' }],
  },
  lost_alarm_of_a_feed: {
    about: 'A feed that is begun anew does not see that its alarm was lost.',
    seed: 629,
    patches: [
      {
        in: 'OrderFeed.begin',
        find: "await this.#wakeWithin(Math.max(Date.now(), Math.min(...dueMs.filter((atMs) => typeof atMs === 'number'))));",
        replace: 'if (feed === undefined) await this.#wakeWithin(Date.now());',
      },
    ],
  },
};
