/** Decisions of operators about held creates: one more create at most, an id that is adopted, and what waits behind them. */

import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHECKS_AFTER_MS } from '../../../src/kernel/limits.ts';
import { orderName } from '../../../src/kernel/names.ts';
import type { DecisionRequest } from '../../../src/tracking/decisions.ts';
import { createsIn, decide, heldOrder, made, shown, stands, unclearCreates, uploaded, WHY } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { orderFile } from '../order-files.ts';
import { anOrder, creates, lists, ORDER_ID, ordersAnswer } from '../orders.ts';
import { aPartner, problemOf } from '../partners.ts';
import { change, patchAll } from '../rows.ts';
import { answerTo } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

async function aHeldOrder() {
  const upstream = unclearCreates();
  const partner = await aPartner();
  const held = await heldOrder(partner);
  const order = env.ORDER.getByName(orderName({ environment: 'test', partner: partner.name }, held.orderRef));
  return { ...held, order, partner, upstream, operator: await anOperator() };
}

describe('a create that no look-up has found', () => {
  const TWO_HOURS_MS = 2 * 60 * 60_000;
  const asked: DecisionRequest = {
    id: 'click-1',
    place: { batchId: 'b_1', record: 1, request: 1 },
    who: 'key-1',
    name: 'Analyst',
    why: WHY,
    decision: 'create_again',
    seen: null,
    orderId: null,
    outcome: null,
    dryRun: false,
  };

  it('and that is created again without a clear answer is looked up from the beginning, and adopted when it is found late', async () => {
    let isThere = false;
    const upstream = ordersAnswer([500], [(left, signal) => answerTo(isThere ? lists({}) : lists(), left, signal)]);
    const order = anOrder();
    await order.dispatch(order.create(1));
    await order.reaches('unknown');
    for (let checks = 0; checks < CHECKS_AFTER_MS.length; checks += 1) await order.timePasses(TWO_HOURS_MS);
    await order.reaches('held');
    expect((await order.timeline())[0]?.request.reason).toBe('not_found');
    expect(await order.stub().decide(asked)).toMatchObject({ ok: true, value: { state: 'queued' } });
    await vi.waitFor(async () => {
      const attempts = (await order.timeline())[0]?.attempts ?? [];
      const resent = attempts.findLastIndex(({ purpose }) => purpose === 'send');
      expect(resent).toBeGreaterThan(0);
      expect(attempts.slice(resent + 1).filter(({ effect }) => effect === 'answered')).toHaveLength(1);
    }, PATIENCE);
    await order.timePasses(TWO_HOURS_MS);
    await order.reaches('unknown'); // what was looked up before the second create does not count
    isThere = true;
    await order.timePasses(TWO_HOURS_MS);
    await order.reaches('delivered');
    expect(createsIn(upstream)).toHaveLength(2);
  });
});

describe('a held create of an order', () => {
  it('that is created again goes out exactly once more, and keeps the id of its answer', async () => {
    const { partner, receipt, upstream, operator, order } = await aHeldOrder();
    upstream.answer(creates);
    await made(operator, receipt, { decision: 'create_again' });
    await partner.reaches(receipt.batchId, 'settled');
    expect(createsIn(upstream)).toHaveLength(2);
    expect(await order.accepted()).toMatchObject({ order_id: ORDER_ID });
    expect(await shown(operator, receipt)).toMatchObject({
      state: 'delivered',
      decided: [{ decision: 'create_again', who: operator.keyId, why: WHY }],
    });
  });

  it('whose approved resend is unclear too is not sent a third time', async () => {
    const { receipt, upstream, operator, partner } = await aHeldOrder();
    await made(operator, receipt, { decision: 'create_again' });
    await vi.waitFor(() => expect(createsIn(upstream)).toHaveLength(2), PATIENCE);
    await vi.waitFor(
      async () => expect((await shown(operator, receipt)).generations[0]?.attempts).toHaveLength(4),
      PATIENCE,
    );
    await vi.waitFor(async () => expect((await shown(operator, receipt)).state).toBe('held'), PATIENCE);
    expect(createsIn(upstream)).toHaveLength(2);
    await stands(partner, receipt.batchId, { held: 1 });
  });

  it('whose id is adopted is delivered under it; the same order in a later file is a duplicate, other content is refused', async () => {
    const { orderRef, partner, receipt, upstream, operator, order } = await aHeldOrder();
    const bad = await decide(operator, receipt, { decision: 'adopt_id', orderId: '..' });
    expect(await problemOf(bad)).toMatchObject({ status: 422, code: 'order_id_wanted' });
    await made(operator, receipt, { decision: 'adopt_id', orderId: ORDER_ID });
    await partner.reaches(receipt.batchId, 'settled');
    expect(await order.accepted()).toMatchObject({ order_id: ORDER_ID });
    const rows = { mapping: 'orders-csv' };
    await uploaded(partner, `${orderFile({ orderRef, sku: 'S1' })}\n`, { duplicate: 1 }, rows);
    await uploaded(partner, orderFile({ orderRef, sku: 'S2' }), { dead: 1 }, rows);
    expect(createsIn(upstream)).toHaveLength(1);
    expect((await shown(operator, receipt)).decided).toMatchObject([{ decision: 'adopt_id', orderId: ORDER_ID }]);
  });

  it('that is marked delivered without an id is never made a second time', async () => {
    const { orderRef, partner, receipt, upstream, operator } = await aHeldOrder();
    await made(operator, receipt, { decision: 'mark_delivered' });
    await partner.reaches(receipt.batchId, 'settled');
    await uploaded(partner, orderFile({ orderRef, sku: 'S2' }), { dead: 1 }, { mapping: 'orders-csv' });
    expect(createsIn(upstream)).toHaveLength(1);
  });

  it('that is closed lets the next operation of its order go on', async () => {
    const { orderRef, partner, receipt, upstream, operator } = await aHeldOrder();
    const later = await uploaded(partner, orderFile({ orderRef, sku: 'S2' }), { queued: 1 }, { mapping: 'orders-csv' });
    upstream.answer(creates);
    await made(operator, receipt, { decision: 'close', outcome: 'not_applied' });
    await stands(partner, later.batchId, { delivered: 1 });
    await stands(partner, receipt.batchId, { dead: 1 });
    expect(createsIn(upstream)).toHaveLength(2);
  });

  it('that was taken, but without an id, cannot be created again', async () => {
    const { receipt, operator, order } = await aHeldOrder();
    await change(order, ({ request }) => patchAll(request, { reason: 'order_id_missing' }));
    const refused = await decide(operator, receipt, { decision: 'create_again' });
    expect(await problemOf(refused)).toMatchObject({
      code: 'decision_not_open',
      open: ['adopt_id', 'mark_delivered', 'close'],
    });
  });
});
