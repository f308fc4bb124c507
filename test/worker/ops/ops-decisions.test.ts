/** Decisions of operators about held requests: their audit entries, double clicks, and answers that come first. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  decide,
  heldMilestone,
  letterAt,
  loadsFile,
  made,
  mixedAnswers,
  post,
  shown,
  stands,
  unique,
  uploaded,
  WHY,
} from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { ORDER_ID } from '../orders.ts';
import { aPartner, type Partner, problemOf, type Receipt } from '../partners.ts';
import { heldAnswer } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

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
