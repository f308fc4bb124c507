/** Every check of orders that live and are followed is seen to fail on a violation planted in evidence that is otherwise whole. */

import { describe, expect, it } from 'vitest';
import { noOneElsesOrders, orderIsAsWanted } from '../../../scripts/invariants/orders.ts';
import type { LoggedEvent, ShownOrder } from '../../../scripts/lives/followed-orders.ts';
import { eventsOf, type OrderEnds, statusViolations } from '../../../scripts/lives/order-ends.ts';
import { documentOf, livesOf, wantedOrder } from '../../../scripts/lives/order-lives.ts';
import type { SandboxOrder } from '../../../scripts/local/stack.ts';
import { said } from '../kill/stored-samples.ts';

type OrderEnd = NonNullable<ReturnType<OrderEnds['orders']['get']>>;

const OFFSETS_MS = [0, 10, 20, 30, 40, 50];
const PAIR = { partnerId: 'P', clientId: 'C' };
const LIVES = livesOf({ name: 'L', orders: 4, changed: 3, cancelled: 2 });
const idOf = (orderRef: string): string => `0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f1${orderRef.at(-1)}`;
const at = <T>(list: readonly T[], index: number): T => list[index] as T;

interface Evidence {
  ends: Map<string, { -readonly [Part in keyof OrderEnd]: OrderEnd[Part] }>;
  book: SandboxOrder[];
  log: LoggedEvent[];
}

/** Four orders: three changed, the last of them and the fourth cancelled; all their statuses in the log. */
function evidence(): Evidence {
  const book = LIVES.map((life): SandboxOrder => {
    const { orderRef, changedBy, cancelledBy } = life;
    const id = idOf(orderRef);
    const updates = changedBy.map((_, index) => ({ action: 'update' as const, atMs: 15 + index }));
    const cancelledAtMs = cancelledBy === null ? null : 35;
    return {
      id,
      environment: 'test',
      account: 'demo',
      ...PAIR,
      scac: 'DEMO',
      orderRef,
      createdAtMs: 0,
      cancelledAtMs,
      actions: [
        { action: 'create', atMs: 0 },
        ...updates,
        ...(cancelledAtMs === null ? [] : [{ action: 'cancel' as const, atMs: cancelledAtMs }]),
      ],
      version: 1 + updates.length,
      document: { ...documentOf(life), ...PAIR, ...(updates.length > 0 ? { id } : {}) },
    };
  });
  const log = eventsOf(book, OFFSETS_MS, Number.POSITIVE_INFINITY).map(({ orderRef, orderId, code, atMs }, index) => ({
    seq: index + 1,
    orderRef,
    orderId,
    code,
    at: new Date(atMs).toISOString(),
  }));
  const ends = book.map((order): [string, OrderEnd] => {
    const { orderRef, id, cancelledAtMs } = order;
    const { id: _, ...document } = order.document as Record<string, unknown>;
    const isLive = cancelledAtMs === null;
    const shown: ShownOrder = {
      orderRef,
      orderId: isLive ? id : null,
      document: isLive ? document : null,
      versions: [],
      operations: [],
      statuses: log.filter((event) => event.orderRef === orderRef),
    };
    const versions = [{ seq: 1, incarnation: 1, orderId: id, document: JSON.stringify(document) }];
    return [orderRef, { shown, versions, standing: [order] }];
  });
  return { ends: new Map(ends), book, log };
}

const WANTED = LIVES.map((life) => wantedOrder(life, PAIR));

const violationsIn = ({ ends, book, log }: Evidence): string[] => {
  const happened = eventsOf(book, OFFSETS_MS, Number.POSITIVE_INFINITY);
  const feed = { beganAtMs: 0, polls: [], gaps: [] };
  return said([
    ...WANTED.flatMap((wanted) => orderIsAsWanted(wanted, ends.get(wanted.orderRef), false)),
    ...noOneElsesOrders(WANTED, book),
    ...statusViolations({ orders: ends, book, log, feed, journal: [], happened, untilMs: Number.POSITIVE_INFINITY }),
  ]);
};

const endOf = (found: Evidence, orderRef: string) => found.ends.get(orderRef) as OrderEnd;
const orderOf = (found: Evidence, orderRef: string) => at(endOf(found, orderRef).standing, 0);
const standsElse = (found: Evidence, orderRef: string, more: Partial<SandboxOrder>): void => {
  Object.assign(orderOf(found, orderRef), more);
};

const PLANTED: [what: string, plant: (found: Evidence) => void, sentence: RegExp][] = [
  [
    'an order that stands twice upstream',
    (found) => {
      const end = found.ends.get('L-0');
      if (end) end.standing = [...end.standing, ...end.standing];
    },
    /L-0 stands 2 times upstream/,
  ],
  ['an order that is not there', (found) => found.ends.delete('L-1'), /L-1 stands 0 times upstream/],
  [
    'another document upstream than the one that is shown',
    (found) => standsElse(found, 'L-0', { document: { orderRef: 'L-0' } }),
    /L-0 was accepted as [\s\S]*L-0 shows [\s\S]*L-0 is .*asked for was/,
  ],
  [
    'a change that both have lost',
    (found) => {
      const { shown, versions } = endOf(found, 'L-0');
      const document = { ...documentOf({ ...at(LIVES, 0), changedBy: [] }), ...PAIR };
      standsElse(found, 'L-0', { document });
      Object.assign(shown, { document });
      Object.assign(at(versions, 0), { document: JSON.stringify(document) });
    },
    /^L-0 is .*555-0100.*asked for was .*555-L-0/,
  ],
  [
    'an order under another id',
    (found) => {
      Object.assign(at(endOf(found, 'L-0').versions, 0), { orderId: idOf('L-9') });
    },
    /L-0 is .*19 here and .*10 upstream/,
  ],
  ['a write too many', (found) => standsElse(found, 'L-1', { version: 3 }), /L-1 was written 3 times upstream, not 2/],
  [
    'a cancel that nobody asked for',
    (found) => standsElse(found, 'L-0', { cancelledAtMs: 60 }),
    /L-0 is cancelled upstream, and shows [\s\S]*L-0 is cancelled, which nobody asked for/,
  ],
  [
    'a cancel that was lost',
    (found) => standsElse(found, 'L-3', { cancelledAtMs: null }),
    /L-3 is not cancelled upstream, and shows null[\s\S]*L-3 is not cancelled, which/,
  ],
  [
    "somebody else's order",
    (found) => {
      found.book = [...found.book, { ...at(found.book, 0), orderRef: 'X-1' }];
    },
    /nobody asked for the order X-1/,
  ],
  ['a status that was lost', (found) => found.log.pop(), /cancelled at .* is not in the log/],
  [
    'a status that stands twice',
    (found) => found.log.push({ ...at(found.log, 0), seq: found.log.length + 1 }),
    /L-0 received at .* stands 2 times in the log/,
  ],
  [
    'a status of which the receiving system has two that look the same',
    (found) => {
      const order = orderOf(found, 'L-0');
      order.actions = order.actions.flatMap((each) => (each.action === 'update' ? [each, each] : [each]));
    },
    /^the status L-0 updated at .* happened 2 times upstream/,
  ],
  [
    'a status that never was',
    (found) => {
      at(found.log, 0).at = new Date(1).toISOString();
    },
    /the log has the status L-0 received at .*\.001Z/,
  ],
  ['a number left out', (found) => found.log.splice(1, 1), /entry 3 of the log comes after 1/],
  [
    'an order that has not heard',
    (found) => {
      endOf(found, 'L-0').shown.statuses.pop();
    },
    /L-0 shows the statuses/,
  ],
];

describe('orders that are changed, cancelled and followed', () => {
  it('are found well kept when everything held', () => {
    expect(violationsIn(evidence())).toEqual([]);
  });

  it.each(PLANTED)('are seen to have %s', (_, plant, sentence) => {
    const found = evidence();
    plant(found);
    expect(violationsIn(found).join('\n')).toMatch(sentence);
  });

  it('may be written more often where a kill met an answer, and never less often', () => {
    const found = evidence();
    standsElse(found, 'L-1', { version: 3 });
    expect(orderIsAsWanted(at(WANTED, 1), found.ends.get('L-1'), true)).toEqual([]);
    standsElse(found, 'L-1', { version: 1 });
    expect(orderIsAsWanted(at(WANTED, 1), found.ends.get('L-1'), true)).toHaveLength(1);
  });

  it('are changed by one file, the other or both, and cancelled whether they were changed or not', () => {
    const lives = livesOf({ name: 'L', orders: 100, changed: 30, cancelled: 10 });
    const changed = lives.filter(({ changedBy }) => changedBy.length > 0);
    const cancelled = lives.filter(({ cancelledBy }) => cancelledBy !== null);
    expect([changed.length, cancelled.length]).toEqual([30, 10]);
    expect(new Set(changed.map(({ changedBy }) => changedBy.join()))).toEqual(new Set(['csv', 'x12', 'csv,x12']));
    expect(cancelled.filter(({ changedBy }) => changedBy.length > 0)).toHaveLength(5);
    expect(new Set(cancelled.map(({ cancelledBy }) => cancelledBy))).toEqual(new Set(['csv', 'x12']));
  });
});
