/**
 * What an order knows of its statuses, and what its feed was notified of.
 */
import type { RequestState } from '../../delivery/states.ts';
import type { OrderFeedKey } from '../../kernel/names.ts';
import type { OrderChange } from '../../mapping/request.ts';
import { orderFeedKeyIn } from '../../upstream/contracts/order-pair.ts';
import type { FeedNotification, Followed } from '../order-following.ts';
import { type DispatchedRequest, isOpen } from '../request.ts';
import type { SubjectStore } from './subject-store.ts';
import type { OrderStatusRow, OrderTables } from './subject-tables.ts';

/**
 * @property seq of the feed's log. @property place JSON. @property corrects the seq of an earlier one that is read
 * again.
 */
export interface NotifiedStatus {
  seq: number;
  hash: string;
  orderId: string | null;
  code: string;
  atMs: number;
  level: 'milestone' | 'detail';
  place: string;
  learnedAtMs: number;
  corrects: number | null;
}

/** @property corrected_by the seq of the one that replaces it: it was misread. */
export type StatusRow = Omit<OrderStatusRow, 'hash'> & { corrected_by: number | null };

export class OrderStatuses {
  readonly #tables: OrderTables;
  readonly #store: SubjectStore;

  constructor(tables: OrderTables, store: SubjectStore) {
    this.#tables = tables;
    this.#store = store;
  }

  /** Idempotent: a known status changes nothing. */
  take(statuses: readonly NotifiedStatus[]): void {
    const { order_status: rows } = this.#tables;
    for (const { seq, hash, orderId, code, atMs, level, place, learnedAtMs, corrects } of statuses) {
      if (rows.has(seq)) continue;
      const times = { at_ms: atMs, learned_at_ms: learnedAtMs };
      rows.put({ seq, hash, order_id: orderId, code, level, place, corrects, ...times });
    }
  }

  /** The latest ones, in the order in which they happened. */
  list = (limit: number): StatusRow[] => this.#inOrder().slice(-limit);

  #inOrder(): StatusRow[] {
    const rows = [...this.#tables.order_status.values()];
    const corrections = new Map<number, number>();
    for (const { seq, corrects } of rows) {
      if (corrects !== null) corrections.set(corrects, Math.max(seq, corrections.get(corrects) ?? 0));
    }
    return rows
      .map(({ hash: _, ...row }) => ({ ...row, corrected_by: corrections.get(row.seq) ?? null }))
      .sort((one, other) => one.at_ms - other.at_ms || one.seq - other.seq);
  }

  /**
   * As above, without corrected ones and those of orders that no longer exist. @param gone their ids, in lower case.
   */
  currentOnes(limit: number, level: 'milestone' | null, gone: readonly string[]): StatusRow[] {
    const current = this.#inOrder().filter(
      (row) =>
        row.corrected_by === null &&
        (level === null || row.level === level) &&
        (row.order_id === null || !gone.includes(row.order_id.toLowerCase())),
    );
    return current.slice(-limit);
  }

  /** The ids under which it was reported. */
  ids(): string[] {
    const ids = [...this.#tables.order_status.values()].flatMap(({ order_id }) => order_id ?? []);
    return [...new Set(ids)];
  }

  /** When the last one came; null: none ever did. */
  lastMs(): number | null {
    const times = [...this.#tables.order_status.values()].map(({ learned_at_ms }) => learned_at_ms);
    return times.length === 0 ? null : times.reduce((last, each) => Math.max(last, each));
  }

  /**
   * Reads what makes or changes an order until one says whose it is; each create is reported to its feed again. One that
   * is stored already, because a visit was repeated, is none.
   */
  follow(requests: readonly DispatchedRequest[], takenAtMs: number): void {
    for (const { key, kind, body } of requests) {
      if (kind === 'order.cancel' || this.#store.isKnown(key)) continue;
      const known = this.followed();
      if (known !== null && kind === 'order.update') continue;
      const pair = known?.pair ?? feedKeyOf(kind, body);
      if (pair === null) continue;
      this.#link(pair, takenAtMs);
    }
  }

  /** Somebody says that it exists: its feed is notified again. @param pair null: it is not known whose it is. */
  followStated(pair: OrderFeedKey | null, nowMs: number): void {
    const whose = this.followed()?.pair ?? pair;
    if (whose !== null) this.#link(whose, nowMs);
  }

  #link(pair: OrderFeedKey, takenAtMs: number): void {
    const { feed_link: links } = this.#tables;
    const known = links.get(1);
    if (known === undefined) {
      const never = { told: null, told_at_ms: 0, heard_at_ms: 0 };
      links.put({ id: 1, pair: JSON.stringify(pair), taken_at_ms: takenAtMs, since_ms: takenAtMs, ...never });
      return;
    }
    const since_ms = known.told === null ? known.since_ms : takenAtMs;
    links.patch(1, { taken_at_ms: takenAtMs, since_ms, told: null });
  }

  followed(): Followed | null {
    const link = this.#tables.feed_link.get(1);
    if (link === undefined) return null;
    const { pair, taken_at_ms, since_ms, told, heard_at_ms } = link;
    return {
      pair: JSON.parse(pair) as OrderFeedKey,
      takenAtMs: taken_at_ms,
      sinceMs: since_ms,
      told,
      heardAtMs: heard_at_ms,
    };
  }

  /** @returns the time of this notification, as its feed is to know it. */
  beginNotifying(nowMs: number): number {
    const { feed_link: links } = this.#tables;
    const told_at_ms = Math.max(nowMs, (links.get(1)?.told_at_ms ?? 0) + 1);
    return links.patch(1, { told_at_ms }).told_at_ms;
  }

  /** Unless the state changed meanwhile, or something else was reported. */
  noteNotified(
    state: 'open' | 'none',
    { takenAtMs, toldAtMs }: Pick<FeedNotification, 'takenAtMs' | 'toldAtMs'>,
  ): void {
    const { feed_link: links } = this.#tables;
    const link = links.get(1);
    if (link?.taken_at_ms === takenAtMs && link.told_at_ms === toldAtMs) {
      links.patch(1, { told: state, heard_at_ms: toldAtMs });
    }
  }

  /** There is no such feed (any more): it is tried like one that never answered. */
  noteUnheard(): void {
    const { feed_link: links } = this.#tables;
    if (links.has(1)) links.patch(1, { told: null });
  }

  /** `none`: every operation has ended, and none made an order or may have made one. */
  current(): 'open' | 'none' {
    const { accepted, loaded_base: bases, order_status: statuses } = this.#tables;
    if (accepted.size + bases.size + statuses.size > 0) return 'open';
    const mayHaveMade = [...this.#store.all()].some(
      ({ had_unknown, state }) => had_unknown === 1 || !MADE_NOTHING.has(state),
    );
    return mayHaveMade ? 'open' : 'none';
  }

  /** Something that may make the order is still to be sent or found. Nothing is sent after a held operation. */
  isBeingMade(): boolean {
    const requests = [...this.#store.all()];
    if (requests.some(({ state }) => state === 'held')) return false;
    return requests.some(({ kind, state }) => kind !== 'order.cancel' && isOpen(state));
  }
}

const MADE_NOTHING: ReadonlySet<RequestState> = new Set(['rejected', 'dead', 'cancelled', 'duplicate']);

/** A change has the members it sets in `order`, and beside it the key of its feed. */
function feedKeyOf(kind: DispatchedRequest['kind'], body: string): OrderFeedKey | null {
  if (kind === 'order.create') return orderFeedKeyIn(JSON.parse(body));
  const { order, pair } = JSON.parse(body) as OrderChange; // in the form its mapping produced
  return orderFeedKeyIn(order) ?? pair ?? null;
}
