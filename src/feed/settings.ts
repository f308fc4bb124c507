/** What a feed is told: whose it is, where it asks and how fast it repairs. */
import type { OrderPair, PartnerScope } from '../kernel/names.ts';
import type { AnswerMapping } from '../upstream/statuses/answer-mapping.ts';

/** @property edition counts from 1: a later one replaces an earlier one, never the other way round. */
export interface FeedSettings extends PartnerScope, OrderPair {
  channel: string;
  /** Under which carrier's SCAC it asks (seed 4.4: on every call of the order service). */
  scac: string;
  pollMinutes: number;
  repairsPerMinute: number;
  edition: number;
}

/** @property edition 0: nothing was ever set, and it is the usual one. */
export interface EditedMapping {
  edition: number;
  mapping: AnswerMapping;
}
