/** A page of a partner's log behind a cursor. */
import type { EventStore } from './event-store.ts';
import type { EventPage } from './feed-status.ts';

/** @param after null: from the oldest that is kept. @param scac under which the feed asks. */
export function pageAfter(events: EventStore, after: number | null, limit: number, scac: string): EventPage {
  const oldest = events.keptFrom();
  const last = events.last();
  if (after !== null && after < oldest) return { outcome: 'expired', oldest };
  if (after !== null && after > last) return { outcome: 'ahead', last };
  const rows = events.after(after ?? oldest, limit + 1);
  const page = rows.slice(0, limit);
  const next = page.at(-1)?.seq ?? after ?? oldest;
  return { outcome: 'page', events: page, next, hasMore: rows.length > limit, scac };
}
