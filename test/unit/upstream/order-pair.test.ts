/** Whose an order is: read from its document, and written where the document does not say. */
import { describe, expect, it } from 'vitest';
import { type MappedRow, withOrderPairs } from '../../../src/batch/run.ts';
import { orderPairIn, withOrderPair } from '../../../src/upstream/contracts/order-pair.ts';

const PAIR = { partnerId: 'P', clientId: 'C' };

describe('the pair of an order', () => {
  it('is written where the document names neither id, and read back', () => {
    expect(withOrderPair({ orderRef: 'R' }, PAIR)).toEqual({ orderRef: 'R', partnerId: 'P', clientId: 'C' });
    expect(orderPairIn(withOrderPair({ orderRef: 'R' }, PAIR))).toEqual(PAIR);
  });

  it.each([{ partnerId: 'OWN', clientId: 'OWN' }, { partnerId: 'OWN' }, { clientId: 'OWN' }, { clientId: null }])(
    'is left as the mapping wrote it: %j',
    (own) => {
      expect(withOrderPair(own, PAIR)).toEqual(own);
    },
  );

  it.each([null, 'text', [], {}, { partnerId: 'P' }, { partnerId: 'P', clientId: '' }, { partnerId: 1, clientId: 2 }])(
    'is not read out of %j',
    (document) => {
      expect(orderPairIn(document)).toBeNull();
    },
  );

  it('stands in what makes or changes an order, and nowhere else', () => {
    const kinds = ['order.create', 'order.update', 'order.upsert', 'order.cancel', 'milestone'] as const;
    const isChange = (kind: string): boolean => kind === 'order.update' || kind === 'order.upsert';
    const rows = kinds.map(
      (kind) =>
        ({
          requests: [{ kind, subject: 's', scac: 'DEMO', body: isChange(kind) ? { order: {} } : {} }],
        }) as unknown as MappedRow,
    );
    const paired = withOrderPairs(rows, PAIR).map(({ requests }) => requests[0]?.body);
    expect(paired).toEqual([PAIR, { order: PAIR }, { order: PAIR }, {}, {}]);
    expect(withOrderPairs(rows, null)).toBe(rows);
  });
});
