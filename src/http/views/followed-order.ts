/** What a feed knows of one order → the API's shape. Pure. */
import type { FollowedOrder } from '../../feed/feed-status.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import type { Answered } from '../contract/contract.ts';
import { gapView } from '../ops/views/feed.ts';

export type FollowedOrderView = Answered<'GET /v1/orders/{ref}/feed'>;

export const followedOrderView = (
  orderRef: string,
  { booked, lastPoll, nextPollMs, trouble, gaps }: FollowedOrder,
) => ({
  orderRef,
  /** null: the feed does not know the order. */
  state: booked?.state ?? null,
  registeredAt: isoOrNull(booked?.registeredAtMs ?? null),
  learnedAt: isoOrNull(booked?.learnedAtMs ?? null),
  /** The last poll whose answer is in the log: what happened later is not known yet. */
  cursor: lastPoll && { poll: lastPoll.pollNo, at: isoOrNull(lastPoll.atMs) },
  nextPoll: isoOrNull(nextPollMs),
  trouble: trouble && { at: isoOrNull(trouble.atMs), detail: trouble.detail },
  /** It is to be asked for alone; null: it is not. */
  repair:
    booked?.due === true ? { tries: booked.tries, failure: booked.failure, nextAt: isoOrNull(booked.retryAtMs) } : null,
  /** Lost polls that may have cost a status of this order. */
  gaps: gaps.map(gapView),
});
