/** One decision about many held requests: planned first, fixed as it was seen, made once for each, listed with who and why. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReplayAction } from '../../../src/batch/object/replay-action.ts';
import { actionName } from '../../../src/kernel/names.ts';
import {
  decide,
  heldMilestone,
  letterAt,
  loadsFile,
  mixedAnswers,
  post,
  stands,
  unique,
  uploaded,
} from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator, type Operator } from '../operators.ts';
import { aPartner, type Partner, problemOf, type Receipt } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const MANY = '/v1/ops/letters/decisions';

interface Plan {
  requests: number;
  leftOut: Record<string, number>;
  notes: string[];
  confirm: string;
}
interface Action {
  actionId: string;
  state: string;
  requests: number;
  decided: number;
  skipped: number;
  left: number;
  links: { self: string; requests: string; cancel: string };
}
interface Listed {
  actions: {
    action: string;
    name: string;
    why: string;
    state: string;
    partner: string;
    requests: number;
    done: number;
  }[];
  next: string | null;
}

const asked = (partner: Partner, more: Record<string, unknown> = {}) => ({
  decision: 'mark_delivered',
  partner: partner.name,
  why: 'they said all are there',
  ...more,
});

/** Held rows of one batch, each of a load of its own, once the index has them. */
async function held(partner: Partner, rows: number): Promise<Receipt> {
  const file = loadsFile(unique(), ...Array.from({ length: rows }, (_, row) => `${row}-held`));
  const receipt = await uploaded(partner, file, { held: rows });
  const listed = env.DIRECTORY.prepare('SELECT held FROM batch_index WHERE batch_id = ?').bind(receipt.batchId);
  await vi.waitFor(async () => expect(await listed.first()).toEqual({ held: rows }), PATIENCE);
  return receipt;
}

const planned = (operator: Operator, body: object): Promise<Plan> =>
  operator.done<Plan>('POST', `${MANY}?dryRun=true`, body);

async function begun(operator: Operator, body: object, headers: Record<string, string> = {}): Promise<Action> {
  const answer = await post(operator, MANY, body, headers);
  expect(answer.status, await answer.clone().text()).toBe(202);
  return answer.json<Action>();
}

const ends = (operator: Operator, { links }: Action, state = 'done'): Promise<Action> =>
  vi.waitFor(async () => {
    const found = await operator.getJson<Action>(links.self);
    expect(found.state).toBe(state);
    return found;
  }, PATIENCE);

describe('a decision about many', () => {
  it('is planned without deciding anything, needs its plan confirmed, and is made for each', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await held(partner, 3);
    const plan = await planned(operator, asked(partner));
    expect(plan).toMatchObject({ dryRun: true, requests: 3, leftOut: {}, kinds: { milestone: 3 } });
    expect(plan.notes.join()).toContain('nothing is sent');
    await stands(partner, batchId, { held: 3 });
    expect(await problemOf(await post(operator, MANY, asked(partner)))).toMatchObject({ code: 'confirm_required' });
    const action = await begun(operator, asked(partner, { confirm: plan.confirm }));
    expect(await ends(operator, action)).toMatchObject({ requests: 3, decided: 3, skipped: 0, left: 0 });
    await stands(partner, batchId, { delivered: 3 });
    const { requests } = await operator.getJson<{ requests: object[] }>(action.links.requests);
    expect(requests).toHaveLength(3);
    expect(requests[0]).toMatchObject({
      ...{ batchId, record: 1, request: 1, state: 'decided', now: 'delivered', problem: null },
    });
    const letter = await operator.getJson<{ decided: object[] }>(letterAt({ batchId } as Receipt));
    expect(letter.decided).toMatchObject([
      { decision: 'mark_delivered', name: 'Analyst', why: 'they said all are there' },
    ]);
  });

  it('that was clicked twice at once is one, also where the second one planned while the first was done', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await held(partner, 2);
    const plan = await planned(operator, asked(partner));
    const click = { 'Idempotency-Key': 'both' };
    const first = await begun(operator, asked(partner, { confirm: plan.confirm }), click);
    await ends(operator, first);
    await stands(partner, batchId, { delivered: 2 });
    vi.spyOn(ReplayAction.prototype, 'decisions').mockResolvedValueOnce(undefined); // it looked before the first began
    const second = await begun(operator, asked(partner, { confirm: plan.confirm }), click);
    expect(second.links.self).toBe(first.links.self);
  });

  it('is about the named ones alone, and says how many of them are not held', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await held(partner, 3);
    const other = await uploaded(partner, loadsFile(unique(), 'good'), { delivered: 1 });
    const requests = [`${batchId}/2/1`, `${other.batchId}/1/1`];
    const body = { decision: 'close', outcome: 'not_applied', requests, why: 'given up' };
    const plan = await planned(operator, body);
    expect(plan).toMatchObject({ requests: 1, leftOut: { not_held: 1 } });
    await ends(operator, await begun(operator, { ...body, confirm: plan.confirm }));
    await stands(partner, batchId, { held: 2, dead: 1 });
  });

  it('leaves alone what may not be decided so, and with nothing left is refused', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    await held(partner, 2);
    const body = asked(partner, { decision: 'create_again' });
    expect(await planned(operator, body)).toMatchObject({ requests: 0, leftOut: { decision_not_open: 2 } });
    expect(await problemOf(await post(operator, MANY, body))).toMatchObject({ status: 409, code: 'nothing_to_decide' });
    for (const wrong of [{ decision: 'adopt_id' }, { decision: 'close' }, { why: ' ' }, { requests: ['b_1/1/1'] }])
      expect(await problemOf(await post(operator, MANY, asked(partner, wrong)))).toMatchObject({
        code: 'body_invalid',
      });
  });

  it('is not made on another state than the plan showed, and skips what moves while it runs', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const receipt = await held(partner, 2);
    const plan = await planned(operator, asked(partner));
    expect((await decide(operator, receipt, { decision: 'close', outcome: 'unknown' })).status).toBe(200);
    await stands(partner, receipt.batchId, { held: 1, dead: 1 });
    const late = await post(operator, MANY, asked(partner, { confirm: plan.confirm }));
    expect(await problemOf(late)).toMatchObject({ status: 409, code: 'plan_changed' });
    // What the object is given is decided only in the version that was planned.
    const stub = env.REPLAY.getByName(actionName('test', `a_${'1'.repeat(32)}`));
    const item = { partner: partner.name, batchId: receipt.batchId, request: 1, scac: 'DEMO', version: '9.9' };
    const letters = await operator.getJson<{ letters: { record: number; subject: string }[] }>(
      '/v1/ops/letters?state=held',
    );
    const items = letters.letters.map(({ record, subject }) => ({ ...item, record, subject }));
    const by = { who: 'k', name: 'n', why: 'w', fingerprint: 'f', environment: 'test', partner: null } as const;
    await stub.beginDecisions(
      { ...by, actionId: `a_${'1'.repeat(32)}`, decision: 'mark_delivered', outcome: null, perSecond: 20 },
      items,
    );
    await vi.waitFor(async () => expect(await stub.decisions()).toMatchObject({ state: 'done', skipped: 1 }), PATIENCE);
    expect(await stub.decisionItems(0, 10)).toMatchObject([{ state: 'skipped', why: 'moved_since' }]);
  });

  it('under one key is one action, and under the same key with other content none', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    await held(partner, 2);
    const { confirm } = await planned(operator, asked(partner));
    const key = { 'Idempotency-Key': 'one-click' };
    const first = await begun(operator, asked(partner, { confirm }), key);
    const again = await begun(operator, asked(partner, { confirm }), key);
    expect(again.actionId).toBe(first.actionId);
    await ends(operator, first);
    const other = await post(operator, MANY, asked(partner, { confirm, why: 'another' }), key);
    expect(await problemOf(other)).toMatchObject({ status: 422, code: 'key_reused' });
  });

  it('sends again what is to be sent again, once each', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await held(partner, 2);
    const { left } = upstreamAnswers(200);
    const body = asked(partner, { decision: 'send_again' });
    const { confirm } = await planned(operator, body);
    await ends(operator, await begun(operator, { ...body, confirm }));
    await stands(partner, batchId, { delivered: 2 });
    expect(left).toHaveLength(2);
  });

  it('stops where it is, and what was not decided stays held', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await held(partner, 1);
    const { confirm } = await planned(operator, asked(partner));
    const action = await begun(operator, asked(partner, { confirm }));
    const stopped = await (await post(operator, action.links.cancel, {})).json<Action>();
    expect(['cancelled', 'done']).toContain(stopped.state);
    const end = await operator.getJson<Action>(action.links.self);
    await stands(partner, batchId, end.decided === 1 ? { delivered: 1 } : { held: 1 });
  });
});

describe('the list of actions', () => {
  it('has every single decision, also where one key names several, each once', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const { batchId } = await held(partner, 2);
    const body = { decision: 'mark_delivered', why: 'they said both are there' };
    const one = { 'Idempotency-Key': 'one for all' };
    for (const record of [1, 2, 2])
      expect((await post(operator, `/v1/ops/letters/${batchId}/${record}/1/decisions`, body, one)).status).toBe(200);
    const { actions } = await operator.getJson<{ actions: { record: number }[] }>('/v1/ops/actions');
    expect(actions.map(({ record }) => record).sort()).toEqual([1, 2]);
  });

  it('has each with who and why and how far it is, newest first, and leads on', async () => {
    mixedAnswers();
    const partner = await aPartner();
    const operator = await anOperator();
    const receipt = await heldMilestone(partner);
    await decide(operator, receipt, { decision: 'mark_delivered' });
    const bad = await uploaded(partner, loadsFile(unique(), 'x-bad'), { rejected: 1 });
    const replay = await post(operator, '/v1/ops/replays', {
      partner: partner.name,
      why: 'mended',
      batches: [bad.batchId],
    });
    expect(replay.status).toBe(202);
    const { actions } = await operator.getJson<Listed>('/v1/ops/actions');
    expect(actions).toMatchObject([
      { action: 'replay', name: 'Analyst', why: 'mended', partner: partner.name, requests: 1 },
      { action: 'decision', decision: 'mark_delivered', batchId: receipt.batchId, record: 1, state: 'done' },
    ]);
    const first = await operator.getJson<Listed>('/v1/ops/actions?limit=1');
    expect(first.actions).toHaveLength(1);
    const second = await operator.getJson<Listed>(first.next ?? '');
    expect(second.actions).toMatchObject([{ action: 'decision' }]);
    expect((await operator.getJson<Listed>('/v1/ops/actions?action=replay')).actions).toHaveLength(1);
    expect((await operator.getJson<Listed>('/v1/ops/actions?partner=nobody')).actions).toEqual([]);
    const elsewhere = await anOperator({ environments: ['production'] });
    expect((await elsewhere.getJson<Listed>('/v1/ops/actions')).actions).toEqual([]);
  });
});
