/** Replays of operators: planned first, confirmed where something may arrive twice, paced, over several batches, and stopped. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { StoredValues } from '../../../src/batch/store/stored-values.ts';
import { loadName } from '../../../src/kernel/names.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { heldMilestone, letterAt, loadsFile, mixedAnswers, post, stands, unique, uploaded } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf, type Receipt } from '../partners.ts';
import { heldAnswer, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const REPLAYS = '/v1/ops/replays';

interface Plan {
  requests: number;
  mayHaveArrived: number;
  leftOut: Record<string, number>;
  confirm: string;
  notes: string[];
  batches: { batchId: string; requests: number }[];
}
interface Action {
  actionId: string;
  state: string;
  requests: number;
  sentAgain: number;
  skipped: number;
  left: number;
  batches: {
    batchId: string;
    state: string;
    sentAgain: number;
    left: number;
    outcome: Record<string, number> | null;
    problem: { code: string } | null;
  }[];
  links: { self: string; cancel: string };
}

const asked = (partner: Partner, more: Record<string, unknown> = {}) => ({
  partner: partner.name,
  why: 'cause mended',
  ...more,
});

async function plan(operator: Operator, partner: Partner, more: Record<string, unknown> = {}): Promise<Plan> {
  return operator.done<Plan>('POST', `${REPLAYS}?dryRun=true`, asked(partner, more));
}

async function begun(
  operator: Operator,
  partner: Partner,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Action> {
  const answer = await post(operator, REPLAYS, asked(partner, more), headers);
  expect(answer.status, await answer.clone().text()).toBe(202);
  return answer.json<Action>();
}

const ends = (operator: Operator, { links }: Action, state = 'done'): Promise<Action> =>
  vi.waitFor(async () => {
    const found = await operator.getJson<Action>(links.self);
    expect(found.state).toBe(state);
    return found;
  }, PATIENCE);

/** A batch whose rows, each of a load of its own, were all refused. */
async function refused(partner: Partner, rows: number): Promise<Receipt> {
  const prefix = unique();
  upstreamAnswers(422);
  const file = statusFile(...Array.from({ length: rows }, (_, index) => statusRow(`${prefix}${index}`)));
  const receipt = await uploaded(partner, file, { rejected: rows });
  await partner.reaches(receipt.batchId, 'settled');
  return receipt;
}

describe('a plan', () => {
  it('says how many by state and kind, how long, what is left out and why, and sends nothing', async () => {
    const { left } = mixedAnswers();
    const partner = await aPartner();
    const file = loadsFile(unique(), 'good', '-held', '-bad', '-moved', 'invalid');
    const { batchId } = await uploaded(partner, file, { delivered: 1, held: 1, rejected: 1, dead: 1, invalid: 1 });
    const operator = await anOperator();
    const sent = left.length;
    const all = await plan(operator, partner, { perSecond: 1 });
    expect(all).toMatchObject({
      dryRun: true,
      requests: 2,
      states: { rejected: 1, dead: 1 },
      kinds: { milestone: 2 },
      mayHaveArrived: 0,
      leftOut: {},
      seconds: 2,
      batches: [{ batchId, requests: 2, examples: [{ record: 3, line: 4, place: null }, { record: 4 }] }],
      confirm: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const places = [2, 3, 4].map((record) => `${batchId}/${record}/1`);
    expect(await plan(operator, partner, { requests: places })).toMatchObject({ requests: 2, leftOut: { held: 1 } });
    expect(await plan(operator, partner, { reasons: ['redirected'] })).toMatchObject({
      requests: 1,
      states: { dead: 1 },
    });
    expect(await plan(operator, partner, { statuses: [422] })).toMatchObject({ requests: 1, states: { rejected: 1 } });
    expect(await plan(operator, partner, { kinds: ['trace'] })).toMatchObject({ requests: 0, batches: [] });
    expect(left).toHaveLength(sent);
    const nothing = await post(operator, REPLAYS, asked(partner, { kinds: ['trace'] }));
    expect(await problemOf(nothing)).toMatchObject({ status: 409, code: 'nothing_to_replay' });
  });

  it.each([
    [{ why: '' }, 'body_invalid'],
    [{ perSecond: 0 }, 'body_invalid'],
    [{ states: ['held'] }, 'body_invalid'],
    [{ requests: ['b_1/1/1'] }, 'body_invalid'],
    [{ batches: [`b_${'0'.repeat(26)}`] }, 'batch_unknown'],
    [{ partner: 'nobody' }, 'partner_unknown'],
    [{ dryrun: true }, 'body_invalid'],
  ])('asked with %o is refused', async (more, code) => {
    const partner = await aPartner();
    const answer = await post(await anOperator(), REPLAYS, asked(partner, more));
    expect((await problemOf(answer)).code).toBe(code);
  });

  it('knows no batch of another partner or environment', async () => {
    const owner = await aPartner();
    const { batchId } = await refused(owner, 1);
    const other = await aPartner();
    const operator = await anOperator({ environments: ['test', 'production'] });
    const elsewhere = await post(operator, `${REPLAYS}?environment=test`, asked(other, { batches: [batchId] }));
    expect(await problemOf(elsewhere)).toMatchObject({ status: 404, code: 'batch_unknown' });
    const there = await post(operator, `${REPLAYS}?environment=production`, asked(owner, { batches: [batchId] }));
    expect(await problemOf(there)).toMatchObject({ status: 404, code: 'partner_unknown' });
  });
});

describe('a replay', () => {
  it('over several batches sends everything once more as its next generation; earlier rows stay as they were', async () => {
    const partner = await aPartner();
    const receipts = [await refused(partner, 2), await refused(partner, 3)];
    const operator = await anOperator();
    const [first] = await partner.rows(receipts[0]?.batchId ?? '');
    const subject = first?.requests[0]?.subject.slice('load:'.length) ?? '';
    const load = env.LOAD.getByName(loadName({ environment: 'test', partner: partner.name }, 'DEMO', subject));
    const before = await load.timeline();
    const { left } = upstreamAnswers(200);
    const action = await begun(operator, partner);
    expect(action).toMatchObject({
      state: 'running',
      requests: 5,
      includeUnknown: false,
      who: operator.keyId,
      name: 'Analyst',
      why: 'cause mended',
    });
    expect(await ends(operator, action)).toMatchObject({
      requests: 5,
      sentAgain: 5,
      skipped: 0,
      left: 0,
      seconds: null,
    });
    for (const { batchId } of receipts)
      expect((await partner.reaches(batchId, 'settled')).rowStates).not.toHaveProperty('rejected');
    expect(left).toHaveLength(5);
    expect((await operator.getJson<Action>(action.links.self)).batches.map(({ outcome }) => outcome)).toEqual([
      { delivered: 2 },
      { delivered: 3 },
    ]);
    const after = await load.timeline();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.map(({ request: { generation, state } }) => [generation, state])).toEqual([
      [1, 'rejected'],
      [2, 'delivered'],
    ]);
    expect(await operator.getJson(letterAt(receipts[0] as Receipt))).toMatchObject({
      state: 'delivered',
      generation: 2,
      generations: [
        { state: 'rejected', attempts: [{ status: 422 }] },
        { state: 'delivered', attempts: [{ status: 200 }] },
      ],
      batchActions: [
        {
          who: operator.keyId,
          what: 'replay',
          detail: { actionId: action.actionId, why: 'cause mended', requests: 2 },
        },
      ],
    });
  });

  it('that is clicked three times at once, and once more later, makes one generation', async () => {
    const partner = await aPartner();
    const { batchId } = await refused(partner, 2);
    const { left } = upstreamAnswers(200);
    const operator = await anOperator();
    const key = { 'Idempotency-Key': 'one click' };
    const clicks = await Promise.all([1, 2, 3].map(() => begun(operator, partner, {}, key)));
    expect(new Set(clicks.map(({ actionId }) => actionId)).size).toBe(1);
    await ends(operator, clicks[0] as Action);
    expect((await begun(operator, partner, {}, key)).actionId).toBe(clicks[0]?.actionId);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 2 });
    expect(left).toHaveLength(2);
    const other = await post(operator, REPLAYS, asked(partner, { why: 'another' }), key);
    expect(await problemOf(other)).toMatchObject({ status: 422, code: 'key_reused' });
  });

  it('of requests that end badly again takes each of them once, and leaves alone what the partner has retried meanwhile', async () => {
    const partner = await aPartner();
    const { batchId, links } = await refused(partner, 3);
    const operator = await anOperator();
    const looked = await plan(operator, partner);
    const { left } = upstreamAnswers(422);
    const done = await ends(operator, await begun(operator, partner, { confirm: looked.confirm }));
    expect(done).toMatchObject({ sentAgain: 3, left: 0 });
    await vi.waitFor(() => expect(left).toHaveLength(3), PATIENCE);
    await stands(partner, batchId, { rejected: 3 });
    expect(await operator.getJson(done.links.self)).toMatchObject({ batches: [{ outcome: { rejected: 3 } }] });
    const stale = await post(operator, REPLAYS, asked(partner, { confirm: looked.confirm }));
    expect(await problemOf(stale)).toMatchObject({ status: 409, code: 'plan_changed', plan: { requests: 3 } });
    await partner.reaches(batchId, 'settled');
    const { answer } = upstreamAnswers(200);
    const fixed = vi.spyOn(Batch.prototype, 'stepReplay');
    const { stepReplay } = Object.getPrototypeOf(Batch.prototype) as Pick<Batch, 'stepReplay'>;
    fixed.mockImplementationOnce(async function (this: Batch, ...step) {
      expect((await partner.fetch(`${links.self}/retry`, { method: 'POST' })).status).toBe(202);
      return stepReplay.apply(this, step);
    });
    answer(200);
    const raced = await ends(operator, await begun(operator, partner));
    expect(raced).toMatchObject({ sentAgain: 0, skipped: 3, left: 0 });
    await stands(partner, batchId, { delivered: 3 });
    expect((await partner.rows(batchId)).map(({ requests }) => requests[0]?.generation)).toEqual([3, 3, 3]);
  });

  it('of what may have arrived is begun only with the token of the plan that says so', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const receipt = await heldMilestone(partner);
    const operator = await anOperator();
    const close = { decision: 'close', outcome: 'unknown', why: 'nobody knows' };
    expect((await post(operator, `${letterAt(receipt)}/decisions`, close)).status).toBe(200);
    await stands(partner, receipt.batchId, { dead: 1 });
    expect(await plan(operator, partner)).toMatchObject({ requests: 0, leftOut: { may_have_arrived: 1 } });
    const both = { includeUnknown: true };
    const looked = await plan(operator, partner, both);
    expect(looked).toMatchObject({
      requests: 1,
      mayHaveArrived: 1,
      notes: [expect.any(String), expect.stringContaining('may arrive twice')],
    });
    const { left } = upstreamAnswers(200);
    const blind = await post(operator, REPLAYS, asked(partner, both));
    expect(await problemOf(blind)).toMatchObject({
      status: 409,
      code: 'confirm_required',
      plan: { mayHaveArrived: 1, confirm: looked.confirm },
    });
    const wrong = await post(operator, REPLAYS, asked(partner, { ...both, confirm: '0'.repeat(64) }));
    expect(await problemOf(wrong)).toMatchObject({ code: 'plan_changed' });
    expect(left).toEqual([]);
    await ends(operator, await begun(operator, partner, { ...both, confirm: looked.confirm }));
    await stands(partner, receipt.batchId, { delivered: 1 });
    expect((await partner.rows(receipt.batchId))[0]?.requests[0]).toMatchObject({
      generation: 2,
      possibleDuplicate: true,
    });
    expect(left).toHaveLength(1);
  });

  it('hands over no more than so many a second, shows how far it is, and stops where it is cancelled', async () => {
    const partner = await aPartner();
    const receipts = [await refused(partner, 3), await refused(partner, 2)];
    const { left } = upstreamAnswers(200);
    const operator = await anOperator();
    const steps: number[] = [];
    const { stepReplay } = Object.getPrototypeOf(Batch.prototype) as Pick<Batch, 'stepReplay'>;
    let isHeld = true;
    vi.spyOn(Batch.prototype, 'stepReplay').mockImplementation(async function (this: Batch, ...step) {
      steps.push(step[2]);
      if (steps.length === 2) await vi.waitFor(() => expect(isHeld).toBe(false), PATIENCE);
      return stepReplay.apply(this, step);
    });
    const action = await begun(operator, partner, { perSecond: 1 });
    await vi.waitFor(() => expect(steps).toHaveLength(2), PATIENCE);
    expect(await operator.getJson(action.links.self)).toMatchObject({
      state: 'running',
      requests: 5,
      sentAgain: 1,
      left: 4,
      seconds: 4,
    });
    const cancelled = await operator.fetch(action.links.cancel, { method: 'POST' });
    expect(await cancelled.json()).toMatchObject({ state: 'cancelling', cancelledBy: { who: operator.keyId } });
    isHeld = false;
    const ended = await ends(operator, action, 'cancelled');
    expect(ended).toMatchObject({
      sentAgain: 2,
      left: 3,
      batches: [{ state: 'cancelled' }, { state: 'cancelled', sentAgain: 0, left: 2 }],
    });
    expect(steps).toEqual([1, 1]);
    await vi.waitFor(() => expect(left).toHaveLength(2), PATIENCE);
    const total = { delivered: 0, rejected: 0 };
    for (const { batchId } of receipts) {
      const { rowStates } = await partner.reaches(batchId, 'settled');
      total.delivered += rowStates.delivered ?? 0;
      total.rejected += rowStates.rejected ?? 0;
    }
    expect(total).toEqual({ delivered: 2, rejected: 3 });
    const { batches } = await operator.getJson<Action>(action.links.self);
    expect(batches.map(({ outcome }) => outcome)).toEqual([{ delivered: 2 }, null]);
  });

  it('leaves the rest of a batch alone that its partner cancels meanwhile', async () => {
    const partner = await aPartner();
    const receipt = await refused(partner, 3);
    const held = heldAnswer();
    upstreamAnswers(held.answer);
    const operator = await anOperator();
    const { stepReplay } = Object.getPrototypeOf(Batch.prototype) as Pick<Batch, 'stepReplay'>;
    let isFirst = true;
    vi.spyOn(Batch.prototype, 'stepReplay').mockImplementation(async function (this: Batch, ...step) {
      if (!isFirst) {
        expect((await partner.fetch(`${receipt.links.self}/cancel`, { method: 'POST' })).status).toBe(202);
      }
      isFirst = false;
      return stepReplay.apply(this, step);
    });
    const ended = await ends(operator, await begun(operator, partner, { perSecond: 1 }));
    expect(ended).toMatchObject({ sentAgain: 1, left: 2, batches: [{ state: 'cancelled', sentAgain: 1, left: 2 }] });
    held.release(200);
    await partner.reaches(receipt.batchId, 'settled');
    const { rowStates } = await partner.summary(receipt.batchId);
    expect(rowStates.rejected).toBe(2);
  });

  it('refuses a batch whose plan has changed before it was begun there', async () => {
    const partner = await aPartner();
    const receipt = await refused(partner, 2);
    upstreamAnswers(200);
    const operator = await anOperator();
    const { beginReplay } = Object.getPrototypeOf(Batch.prototype) as Pick<Batch, 'beginReplay'>;
    vi.spyOn(Batch.prototype, 'beginReplay').mockImplementationOnce(async function (this: Batch, ...begin) {
      await partner.fetch(`${receipt.links.self}/retry`, { method: 'POST' });
      return beginReplay.apply(this, begin);
    });
    const ended = await ends(operator, await begun(operator, partner));
    expect(ended).toMatchObject({ sentAgain: 0, batches: [{ state: 'refused', problem: { code: 'plan_changed' } }] });
    await stands(partner, receipt.batchId, { delivered: 2 });
  });

  it('of a batch whose life has ended since the plan says so, and ends', async () => {
    const partner = await aPartner();
    await refused(partner, 1);
    const operator = await anOperator();
    const { beginReplay } = Object.getPrototypeOf(Batch.prototype) as Pick<Batch, 'beginReplay'>;
    vi.spyOn(Batch.prototype, 'beginReplay').mockImplementationOnce(async function (this: Batch, ...begin) {
      vi.spyOn(StoredValues.prototype, 'get').mockReturnValue(undefined);
      return beginReplay.apply(this, begin);
    });
    const ended = await ends(operator, await begun(operator, partner));
    expect(ended).toMatchObject({ sentAgain: 0, batches: [{ state: 'refused', problem: { code: 'batch_gone' } }] });
  });

  it('goes on after its object has died at any step', async () => {
    const partner = await aPartner();
    const receipt = await refused(partner, 3);
    const { left } = upstreamAnswers(200);
    const operator = await anOperator();
    const { stepReplay } = Object.getPrototypeOf(Batch.prototype) as Pick<Batch, 'stepReplay'>;
    const steps: number[] = [];
    vi.spyOn(Batch.prototype, 'stepReplay').mockImplementation(async function (this: Batch, ...step) {
      const progress = await stepReplay.apply(this, step);
      steps.push(step[1]);
      if (steps.length === 2) throw new Error('planned: the answer of this step is lost');
      return progress;
    });
    const ended = await ends(operator, await begun(operator, partner, { perSecond: 1 }));
    expect(ended).toMatchObject({ requests: 3, sentAgain: 3, skipped: 0, left: 0 });
    expect(steps).toEqual([1, 2, 2, 3]);
    await stands(partner, receipt.batchId, { delivered: 3 });
    expect(left).toHaveLength(3);
  });
});

describe('an action', () => {
  it.each(['a_0', `a_${'0'.repeat(32)}`])(
    'that was never begun is unknown and leaves no trace: %s',
    async (actionId) => {
      const operator = await anOperator();
      for (const [path, method] of [
        [`/v1/ops/actions/${actionId}`, 'GET'],
        [`/v1/ops/actions/${actionId}/cancel`, 'POST'],
      ] as const) {
        expect(await problemOf(await operator.fetch(path, { method }))).toMatchObject({
          status: 404,
          code: 'action_unknown',
        });
      }
      const stub = env.REPLAY.getByName(JSON.stringify(['test', actionId]));
      expect(await runInDurableObject(stub, (_, state) => state.storage.list())).toEqual(new Map());
    },
  );

  it('of one environment is not there in another', async () => {
    const partner = await aPartner();
    await refused(partner, 1);
    upstreamAnswers(200);
    const operator = await anOperator({ environments: ['test', 'production'] });
    const answer = await post(operator, `${REPLAYS}?environment=test`, asked(partner));
    const { actionId } = await answer.json<Action>();
    expect((await operator.fetch(`/v1/ops/actions/${actionId}?environment=test`)).status).toBe(200);
    expect((await operator.fetch(`/v1/ops/actions/${actionId}?environment=production`)).status).toBe(404);
  });
});
