/** Whose an order is: read from its document, and written where the document does not say. */
import { describe, expect, it, vi } from 'vitest';
import { type MappedRow, withOrderFeedKeys } from '../../../src/batch/core/run.ts';
import { type OrderSituation, planChange } from '../../../src/delivery/orders/plan.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import { orderFeedKeyIn, withOrderFeedKey } from '../../../src/upstream/contracts/order-pair.ts';

const PAIR = { partnerId: 'P', clientId: 'C' };

describe('the pair of an order', () => {
  it('is written where the document names neither id, and read back', () => {
    expect(withOrderFeedKey({ orderRef: 'R' }, PAIR)).toEqual({ orderRef: 'R', partnerId: 'P', clientId: 'C' });
    expect(orderFeedKeyIn(withOrderFeedKey({ orderRef: 'R' }, PAIR))).toEqual(PAIR);
  });

  it.each([{ partnerId: 'OWN', clientId: 'OWN' }, { partnerId: 'OWN' }, { clientId: 'OWN' }, { clientId: null }])(
    'is left as the mapping wrote it: %j',
    (own) => {
      expect(withOrderFeedKey(own, PAIR)).toEqual(own);
    },
  );

  it.each([null, 'text', [], {}, { partnerId: 'P' }, { partnerId: 'P', clientId: '' }, { partnerId: 1, clientId: 2 }])(
    'is not read out of %j',
    (document) => {
      expect(orderFeedKeyIn(document)).toBeNull();
    },
  );

  it('is written and read where the paths lead, should the service say that they are longer', () => {
    const paths = [
      vi.spyOn(NOT_SHOWN, 'orderPartnerIdPath', 'get').mockReturnValue(['owner', 'partnerId'] as never),
      vi.spyOn(NOT_SHOWN, 'orderClientIdPath', 'get').mockReturnValue(['owner', 'clientId'] as never),
    ];
    try {
      const written = withOrderFeedKey({ orderRef: 'R', owner: { name: 'N' } }, PAIR);
      expect(written).toEqual({ orderRef: 'R', owner: { name: 'N', ...PAIR } });
      expect(orderFeedKeyIn(written)).toEqual(PAIR);
      expect(withOrderFeedKey({ orderRef: 'R' }, PAIR)).toEqual({ orderRef: 'R', owner: PAIR });
      expect(withOrderFeedKey({ owner: 'N' }, PAIR)).toEqual({ owner: 'N' });
    } finally {
      for (const path of paths) path.mockRestore();
    }
  });

  it('stands in what makes an order, beside what changes one, and nowhere else', () => {
    const kinds = ['order.create', 'order.update', 'order.upsert', 'order.cancel', 'milestone'] as const;
    const isChange = (kind: string): boolean => kind === 'order.update' || kind === 'order.upsert';
    const rows = kinds.map(
      (kind) =>
        ({
          requests: [{ kind, subject: 's', scac: 'DEMO', body: isChange(kind) ? { order: {} } : {} }],
        }) as unknown as MappedRow,
    );
    const paired = withOrderFeedKeys(rows, PAIR).map(({ requests }) => requests[0]?.body);
    expect(paired).toEqual([PAIR, { order: {}, pair: PAIR }, { order: {}, pair: PAIR }, {}, {}]);
    expect(withOrderFeedKeys(rows, null)).toBe(rows);
  });
});

describe('a change, beside which stands whose the order is', () => {
  const change = { orderRef: 'R', complete: true, order: { comments: 'x' }, lists: {}, pair: PAIR };
  const live = (document: object): OrderSituation => ({
    order: 'live',
    incarnation: 1,
    orderId: 'id-1',
    document: { orderRef: 'R', ...document },
    seq: 1,
    isDoubtful: false,
  });
  const planned = (standing: OrderSituation) => {
    const plan = planChange('order.upsert', change, standing, () => undefined);
    return 'document' in plan ? { does: plan.does, document: JSON.parse(plan.document) as unknown } : plan;
  };

  it('says it in an order that begins with it', () => {
    const made = { does: 'create', document: { orderRef: 'R', comments: 'x', ...PAIR } };
    expect(planned({ order: 'none', createEnded: false })).toEqual(made);
  });

  it.each([{}, { partnerId: 'other', clientId: 'C' }, { partnerId: 'P-0' }])(
    'changes nothing of that in an order that stands with %j',
    (document) => {
      const plan = planned(live({ ...document, consignee: { phone: '1' } }));
      expect(plan).not.toMatchObject({ does: 'end' });
      if ('document' in plan) expect(plan.document).toMatchObject(document);
    },
  );
});
