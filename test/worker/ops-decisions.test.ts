/** Decisions of operators about held requests: each kind, its audit entry, double clicks, and answers that come first. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { orderName } from '../../src/kernel/names.ts';
import {
  heldMilestone,
  heldOrder,
  letterAt,
  loadsFile,
  mixedAnswers,
  post,
  stands,
  unique,
  uploaded,
} from './letters.ts';
import { PATIENCE } from './loads.ts';
import { anOperator, type Operator } from './operators.ts';
import { orderFile } from './order-files.ts';
import { ORDER_ID } from './orders.ts';
import { aPartner, type Partner, problemOf, type Receipt } from './partners.ts';
import { type Answering, heldAnswer, upstreamAnswers } from './upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const WHY = 'asked the receiving system by phone';
const creates: Answering = () => Response.json({ id: ORDER_ID }, { status: 201 });

const decide = (
  operator: Operator,
  receipt: Receipt,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
) => post(operator, `${letterAt(receipt)}/decisions`, { why: WHY, ...body }, headers);

async function made(operator: Operator, receipt: Receipt, body: Record<string, unknown>): Promise<unknown> {
  const answer = await decide(operator, receipt, body);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
}

interface Shown {
  state: string;
  reason: string | null;
  outcome: string | null;
  version: string;
  decisions: string[];
  generations: { attempts: { effect: string }[]; possibleDuplicate: boolean }[];
  decided: Record<string, unknown>[];
}
const shown = (operator: Operator, receipt: Receipt): Promise<Shown> => operator.getJson<Shown>(letterAt(receipt));

const audit = (operator: Operator, decision: string, more: Record<string, unknown> = {}) => ({
  at: expect.stringMatching(/^\d{4}-.*Z$/),
  who: operator.keyId,
  name: 'Analyst',
  why: WHY,
  decision,
  orderId: null,
  outcome: null,
  before: {
    key: expect.stringMatching(/^b_\w+\/1\/1$/),
    state: 'held',
    reason: 'unknown_then_refused',
    revision: expect.any(Number),
    attempts: 2,
    status: 422,
  },
  ...more,
});

async function aHeldMilestone(): Promise<{
  partner: Partner;
  operator: Operator;
  receipt: Receipt;
  upstream: ReturnType<typeof mixedAnswers>;
}> {
  const upstream = mixedAnswers();
  const partner = await aPartner();
  const receipt = await heldMilestone(partner);
  return { partner, receipt, upstream, operator: await anOperator() };
}

async function aHeldOrder() {
  const upstream = upstreamAnswers(500);
  const partner = await aPartner();
  const held = await heldOrder(partner);
  const order = env.ORDER.getByName(orderName({ environment: 'test', partner: partner.name }, held.orderRef));
  return { ...held, order, partner, upstream, operator: await anOperator() };
}

describe('a held milestone', () => {
  it('that is sent again goes out once more, as it was, marked, and its batch settles', async () => {
    const { partner, receipt, upstream, operator } = await aHeldMilestone();
    const sent = upstream.left.length;
    upstream.answer(200);
    expect(await made(operator, receipt, { decision: 'send_again' })).toMatchObject({
      state: 'unknown',
      replayed: false,
      requests: 1,
    });
    await stands(partner, receipt.batchId, { delivered: 1 });
    await partner.reaches(receipt.batchId, 'settled');
    expect(upstream.left).toHaveLength(sent + 1);
    expect(upstream.left.at(-1)?.body).toBe(upstream.left[0]?.body);
    const after = await shown(operator, receipt);
    expect(after).toMatchObject({ state: 'delivered', decisions: [], decided: [audit(operator, 'send_again')] });
    expect(after.generations).toMatchObject([
      { possibleDuplicate: true, attempts: [{ effect: 'unknown' }, { effect: 'refused' }, { effect: 'applied' }] },
    ]);
  });

  it('that is marked delivered is so on the operator’s word, and nothing leaves', async () => {
    const { partner, receipt, upstream, operator } = await aHeldMilestone();
    const sent = upstream.left.length;
    expect(await made(operator, receipt, { decision: 'mark_delivered' })).toMatchObject({ state: 'delivered' });
    await partner.reaches(receipt.batchId, 'settled');
    expect((await partner.rows(receipt.batchId))[0]).toMatchObject({ state: 'delivered' });
    expect(await shown(operator, receipt)).toMatchObject({ decided: [audit(operator, 'mark_delivered')] });
    expect(upstream.left).toHaveLength(sent);
  });

  it.each(['not_applied', 'unknown'])('that is closed as %s is given up as that', async (outcome) => {
    const { partner, receipt, operator } = await aHeldMilestone();
    expect(await made(operator, receipt, { decision: 'close', outcome })).toMatchObject({ state: 'dead' });
    await partner.reaches(receipt.batchId, 'settled');
    expect(await shown(operator, receipt)).toMatchObject({
      state: 'dead',
      reason: 'closed',
      outcome,
      decided: [audit(operator, 'close', { outcome })],
    });
  });

  it('cannot be made an order, and a decision that is misspelt or without a reason is none', async () => {
    const { receipt, operator } = await aHeldMilestone();
    const cases: [Record<string, unknown>, string][] = [
      [{ decision: 'create_again' }, 'decision_not_open'],
      [{ decision: 'adopt_id', orderId: ORDER_ID }, 'decision_not_open'],
      [{ decision: 'send' }, 'body_invalid'],
      [{ decision: 'send_again', why: ' ' }, 'body_invalid'],
      [{ decision: 'close' }, 'body_invalid'],
      [{ decision: 'send_again', outcome: 'unknown' }, 'body_invalid'],
    ];
    for (const [body, code] of cases) {
      expect([body, (await problemOf(await decide(operator, receipt, body))).code]).toEqual([body, code]);
    }
    const nameless = await operator.fetch(`${letterAt(receipt)}/decisions`, {
      method: 'POST',
      body: JSON.stringify({ decision: 'send_again', why: WHY }),
    });
    expect(await problemOf(nameless)).toMatchObject({ status: 400, code: 'idempotency_key_required' });
    expect(await shown(operator, receipt)).toMatchObject({ state: 'held', decided: [] });
  });
});

describe('of two decisions', () => {
  it('under one key, also at once, one is made and the other is told of it; under another key the first one stands', async () => {
    const { partner, receipt, upstream, operator } = await aHeldMilestone();
    const sent = upstream.left.length;
    upstream.answer(200);
    const key = { 'Idempotency-Key': 'one-click' };
    const answers = await Promise.all([1, 2, 3].map(() => decide(operator, receipt, { decision: 'send_again' }, key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.filter((answer) => answer.headers.get('Idempotency-Replayed') === 'true')).toHaveLength(2);
    await stands(partner, receipt.batchId, { delivered: 1 });
    expect(upstream.left).toHaveLength(sent + 1);
    const late = await decide(operator, receipt, { decision: 'close', outcome: 'not_applied' });
    expect(await problemOf(late)).toMatchObject({ status: 409, code: 'not_held', state: 'delivered' });
    const reused = await decide(operator, receipt, { decision: 'mark_delivered' }, key);
    expect(await problemOf(reused)).toMatchObject({ status: 422, code: 'decision_id_reused' });
    expect((await shown(operator, receipt)).decided).toHaveLength(1);
  });

  it('that made on an older sight is refused with the version of now, and a dry run decides nothing', async () => {
    const { receipt, operator, upstream, partner } = await aHeldMilestone();
    const { version } = await shown(operator, receipt);
    const dry = await operator.fetch(`${letterAt(receipt)}/decisions?dryRun=true`, {
      method: 'POST',
      body: JSON.stringify({ decision: 'send_again', why: WHY }),
    });
    expect(await dry.json()).toMatchObject({ dryRun: true, state: 'unknown', version });
    expect(await shown(operator, receipt)).toMatchObject({ state: 'held', version, decided: [] });
    upstream.answer(422);
    const first = await decide(operator, receipt, { decision: 'send_again' }, { 'If-Match': `"${version}"` });
    expect(first.status).toBe(200);
    await vi.waitFor(
      async () => expect((await shown(operator, receipt)).generations[0]?.attempts).toHaveLength(3),
      PATIENCE,
    );
    await vi.waitFor(async () => expect((await shown(operator, receipt)).state).toBe('held'), PATIENCE);
    const second = await decide(
      operator,
      receipt,
      { decision: 'close', outcome: 'unknown' },
      { 'If-Match': `"${version}"` },
    );
    expect(await problemOf(second)).toMatchObject({ status: 412, code: 'moved_since' });
    await stands(partner, receipt.batchId, { held: 1 });
  });

  it('the answer that is awaited comes before either', async () => {
    const { partner, receipt, upstream, operator } = await aHeldMilestone();
    const held = heldAnswer();
    upstream.answer(held.answer);
    const sent = upstream.left.length;
    await made(operator, receipt, { decision: 'send_again' });
    await vi.waitFor(() => expect(upstream.left).toHaveLength(sent + 1), PATIENCE);
    const raced = await decide(operator, receipt, { decision: 'mark_delivered' });
    expect(await problemOf(raced)).toMatchObject({ status: 409, code: 'not_held', state: 'sending' });
    held.release(200);
    await stands(partner, receipt.batchId, { delivered: 1 });
    const late = await decide(operator, receipt, { decision: 'close', outcome: 'unknown' });
    expect(await problemOf(late)).toMatchObject({ code: 'not_held', state: 'delivered' });
  });
});

describe('a held create of an order', () => {
  it('that is created again goes out exactly once more, and keeps the id of its answer', async () => {
    const { partner, receipt, upstream, operator, order } = await aHeldOrder();
    upstream.answer(creates);
    await made(operator, receipt, { decision: 'create_again' });
    await partner.reaches(receipt.batchId, 'settled');
    expect(upstream.left).toHaveLength(2);
    expect(await order.accepted()).toMatchObject({ order_id: ORDER_ID });
    expect(await shown(operator, receipt)).toMatchObject({
      state: 'delivered',
      decided: [{ decision: 'create_again', who: operator.keyId, why: WHY }],
    });
  });

  it('whose approved resend is unclear too is not sent a third time', async () => {
    const { receipt, upstream, operator, partner } = await aHeldOrder();
    await made(operator, receipt, { decision: 'create_again' });
    await vi.waitFor(() => expect(upstream.left).toHaveLength(2), PATIENCE);
    await vi.waitFor(
      async () => expect((await shown(operator, receipt)).generations[0]?.attempts).toHaveLength(2),
      PATIENCE,
    );
    await vi.waitFor(async () => expect((await shown(operator, receipt)).state).toBe('held'), PATIENCE);
    expect(upstream.left).toHaveLength(2);
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
    expect(upstream.left).toHaveLength(1);
    expect((await shown(operator, receipt)).decided).toMatchObject([{ decision: 'adopt_id', orderId: ORDER_ID }]);
  });

  it('that is marked delivered without an id is never made a second time', async () => {
    const { orderRef, partner, receipt, upstream, operator } = await aHeldOrder();
    await made(operator, receipt, { decision: 'mark_delivered' });
    await partner.reaches(receipt.batchId, 'settled');
    await uploaded(partner, orderFile({ orderRef, sku: 'S2' }), { dead: 1 }, { mapping: 'orders-csv' });
    expect(upstream.left).toHaveLength(1);
  });

  it('that is closed lets the next operation of its order go on', async () => {
    const { orderRef, partner, receipt, upstream, operator } = await aHeldOrder();
    const later = await uploaded(partner, orderFile({ orderRef, sku: 'S2' }), { queued: 1 }, { mapping: 'orders-csv' });
    upstream.answer(creates);
    await made(operator, receipt, { decision: 'close', outcome: 'not_applied' });
    await stands(partner, later.batchId, { delivered: 1 });
    await stands(partner, receipt.batchId, { dead: 1 });
    expect(upstream.left).toHaveLength(2);
  });

  it('that was taken, but without an id, cannot be created again', async () => {
    upstreamAnswers(() => Response.json({ no: 'id' }, { status: 201 }));
    const { receipt } = await heldOrder(await aPartner());
    const operator = await anOperator();
    const refused = await decide(operator, receipt, { decision: 'create_again' });
    expect(await problemOf(refused)).toMatchObject({
      code: 'decision_not_open',
      open: ['adopt_id', 'mark_delivered', 'close'],
    });
  });
});

describe('a decision', () => {
  it('is nobody’s of another environment, partner or role', async () => {
    const { receipt, operator } = await aHeldMilestone();
    const body = { decision: 'close', outcome: 'unknown' };
    const viewer = await anOperator({ role: 'viewer' });
    expect((await decide(viewer, receipt, body)).status).toBe(403);
    const production = await anOperator({ environments: ['production'] });
    expect(await problemOf(await decide(production, receipt, body))).toMatchObject({ code: 'letter_unknown' });
    const other = await aPartner();
    const path = `${letterAt(receipt)}/decisions?partner=${other.name}`;
    expect(await problemOf(await post(operator, path, { ...body, why: WHY }))).toMatchObject({
      code: 'letter_unknown',
    });
    expect(await shown(operator, receipt)).toMatchObject({ state: 'held', decided: [] });
  });

  it('about a row that never became a request is refused', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const receipt = await uploaded(partner, loadsFile(unique(), 'invalid'), { invalid: 1 });
    const path = `${letterAt(receipt, 1, 0)}/decisions`;
    const answer = await post(await anOperator(), path, { decision: 'send_again', why: WHY });
    expect(await problemOf(answer)).toMatchObject({ status: 409, code: 'no_request' });
  });
});
