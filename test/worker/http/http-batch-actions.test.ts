/** `/v1/batches/{id}/cancel` and `/retry` through the real Worker: who may, what is answered, and what becomes of the claim. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { Load } from '../../../src/tracking/load.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { PATIENCE } from '../loads.ts';
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

let made = 0;
const aFile = (rows: number): string => {
  made += 1;
  return statusFile(...statusRows(rows, 1, `HA${made}-`));
};
const post = (partner: Partner, path: string): Promise<Response> => partner.fetch(path, { method: 'POST' });
const loadsDown = () => vi.spyOn(Load.prototype, 'visit').mockRejectedValue(new Error('planned: no load answers'));
const rowsRead = (partner: Partner, batchId: string, rows: number) =>
  vi.waitFor(async () => expect((await partner.summary(batchId)).rows).toBe(rows), PATIENCE);

describe('POST …/cancel', () => {
  it('answers 202 with what is withdrawn, what stays, and where to look', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt(aFile(3));
    await partner.reaches(batchId, 'delivering');
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    const answer = await post(partner, `${links.self}/cancel`);
    expect([answer.status, answer.headers.get('Location')]).toEqual([202, links.self]);
    expect(await answer.json()).toEqual({
      batchId,
      dryRun: false,
      cancelledAt: expect.stringMatching(/^\d{4}-.*Z$/),
      withdrawn: { rows: 3, requests: 3 },
      stays: {},
      restOfFile: false,
      notes: [expect.stringContaining('this moment')],
      links,
    });
    await vi.waitFor(async () => {
      expect((await partner.summary(batchId)).rowStates).toEqual({ queued: 1, cancelled: 2 });
    }, PATIENCE);
    held.release(200);
    const summary = await partner.reaches(batchId, 'settled');
    expect(summary).toMatchObject({ rowStates: { delivered: 1, cancelled: 2 }, cancelledAt: expect.any(String) });
    expect(summary.notes).toEqual([expect.stringContaining('Cancelled on request')]);
    const page = await (await partner.fetch(links.console)).text();
    expect(page).toMatch(/data-live="state">Cancelled</);
    expect(page).toContain('Cancelled on request');
  });

  it('with dryRun=true is a plan: 200, and nothing is withdrawn', async () => {
    const held = heldAnswer();
    upstreamAnswers(held.answer);
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt(aFile(3));
    await partner.reaches(batchId, 'delivering');
    const answer = await post(partner, `${links.self}/cancel?dryRun=true`);
    expect([answer.status, answer.headers.get('Location')]).toEqual([200, null]);
    expect(await answer.json()).toMatchObject({ dryRun: true, cancelledAt: null, withdrawn: { rows: 3, requests: 3 } });
    held.release(200);
    expect(await partner.reaches(batchId, 'settled')).toMatchObject({ rowStates: { delivered: 3 }, cancelledAt: null });
  });

  it.each([
    ['dryrun=true', 'parameter_unknown'],
    ['dryRun=yes', 'parameter_invalid'],
    ['dryRun=', 'parameter_invalid'],
  ])('with %s is refused, and nothing is withdrawn', async (query, code) => {
    const held = heldAnswer();
    upstreamAnswers(held.answer);
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt(aFile(2));
    const answer = await post(partner, `${links.self}/cancel?${query}`);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([400, code]);
    held.release(200);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 2 });
  });

  it('of a batch that has settled, or could not be read, is 409 and says what to do', async () => {
    upstreamAnswers(200);
    const partner = await aPartner();
    const settled = await partner.receipt(aFile(1));
    await partner.reaches(settled.batchId, 'settled');
    const unreadable = await partner.receipt('%PDF-1.7 not a table');
    await partner.reaches(unreadable.batchId, 'unreadable');
    for (const [receipt, code] of [
      [settled, 'batch_settled'],
      [unreadable, 'batch_unreadable'],
    ] as const) {
      const answer = await post(partner, `${receipt.links.self}/cancel`);
      expect(answer.status).toBe(409);
      expect(await problemOf(answer)).toMatchObject({ code, fix: expect.stringMatching(/\S/) });
    }
  });

  it('of another partner is not there, nor is that of the other environment, nor one without a key', async () => {
    const held = heldAnswer();
    upstreamAnswers(held.answer);
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt(aFile(2));
    const others = [await aPartner(), await aPartner({ partner: partner.name, environment: 'production' })];
    for (const other of others) {
      const answer = await post(other, `${links.self}/cancel`);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([404, 'batch_unknown']);
    }
    const nobody = await partner.fetch(`${links.self}/cancel`, {
      method: 'POST',
      headers: { Authorization: 'Bearer x' },
    });
    expect(nobody.status).toBe(401);
    expect((await partner.fetch(`${links.self}/cancel`)).status).toBe(405);
    held.release(200);
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 2 });
  });
});

describe('POST …/retry', () => {
  async function refused(rows = 2): Promise<{ partner: Partner; receipt: Receipt }> {
    upstreamAnswers(422);
    const partner = await aPartner();
    const receipt = await partner.receipt(aFile(rows));
    await partner.reaches(receipt.batchId, 'settled');
    await listed(partner, 'settled');
    return { partner, receipt };
  }

  it('answers 202 with what is sent again, and the rows tell of both generations', async () => {
    const { partner, receipt } = await refused();
    const { batchId, links } = receipt;
    const held = heldAnswer();
    const { answer } = upstreamAnswers(held.answer);
    const retried = await post(partner, `${links.self}/retry`);
    expect([retried.status, retried.headers.get('Location')]).toEqual([202, links.self]);
    expect(await retried.json()).toEqual({
      batchId,
      dryRun: false,
      retriedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      retried: 2,
      states: { rejected: 2 },
      mayHaveArrived: 0,
      leftOut: {},
      notes: [],
      links,
    });
    await listed(partner, 'delivering');
    answer(200);
    held.release(200);
    await partner.reaches(batchId, 'settled');
    await listed(partner, 'settled');
    expect((await partner.rows(batchId))[1]?.requests[0]).toMatchObject({
      generation: 2,
      state: 'delivered',
      earlier: [
        { generation: 1, state: 'rejected', status: 422, answer: '{"code":422}', decidedAt: expect.any(String) },
      ],
    });
    const [header = '', first = ''] = (await (await partner.fetch(links.reportCsv)).text()).split('\r\n');
    const at = header.split(',').indexOf('"_generation"');
    expect(first.split(',')[at]).toBe('"2"');
    const page = await (await partner.fetch(`${links.console}?row=1`)).text();
    expect(page).toMatch(/Sent for the 1st time[\s\S]*422[\s\S]*Sent for the 2nd time[\s\S]*200/);
  });

  it('with dryRun=true is a plan: 200, and nothing is sent', async () => {
    const { partner, receipt } = await refused();
    const { left } = upstreamAnswers(200);
    const plan = await post(partner, `${receipt.links.self}/retry?dryRun=true&state=rejected,dead`);
    expect([plan.status, plan.headers.get('Location')]).toEqual([200, null]);
    expect(await plan.json()).toMatchObject({ dryRun: true, retriedAt: null, retried: 2, states: { rejected: 2 } });
    expect((await partner.summary(receipt.batchId)).state).toBe('settled');
    expect(left).toEqual([]);
  });

  it.each([
    ['state=delivered', 'parameter_invalid'],
    ['state=', 'parameter_invalid'],
    ['includeunknown=true', 'parameter_unknown'],
    ['includeUnknown=1', 'parameter_invalid'],
    ['dryRun=on', 'parameter_invalid'],
  ])('with %s is refused, and nothing is sent', async (query, code) => {
    const { partner, receipt } = await refused(1);
    const { left } = upstreamAnswers(200);
    const answer = await post(partner, `${receipt.links.self}/retry?${query}`);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([400, code]);
    expect((await partner.summary(receipt.batchId)).state).toBe('settled');
    expect(left).toEqual([]);
  });

  it('is 409 when nothing asked for can be sent again, and when nothing of the file could be read', async () => {
    const { partner, receipt } = await refused(1);
    const nothing = await post(partner, `${receipt.links.self}/retry?state=cancelled`);
    expect(nothing.status).toBe(409);
    expect(await problemOf(nothing)).toMatchObject({ code: 'nothing_to_retry', leftOut: {}, notes: [] });
    const unreadable = await partner.receipt('%PDF-1.7 not a table');
    await partner.reaches(unreadable.batchId, 'unreadable');
    const answer = await post(partner, `${unreadable.links.self}/retry`);
    expect([answer.status, (await problemOf(answer)).code]).toEqual([409, 'batch_unreadable']);
  });

  it('of another partner is not there', async () => {
    const { partner, receipt } = await refused(1);
    const { left } = upstreamAnswers(200);
    for (const other of [await aPartner(), await aPartner({ partner: partner.name, environment: 'production' })]) {
      const answer = await post(other, `${receipt.links.self}/retry`);
      expect([answer.status, (await problemOf(answer)).code]).toEqual([404, 'batch_unknown']);
    }
    expect((await partner.summary(receipt.batchId)).state).toBe('settled');
    expect(left).toEqual([]);
  });

  it('while the register is being told that the batch has settled leaves it open, and then settled', async () => {
    upstreamAnswers(422);
    const { closeBatch } = IntakeRegister.prototype;
    let isTold = false;
    const closing = vi.spyOn(IntakeRegister.prototype, 'closeBatch').mockImplementation(async function (
      this: IntakeRegister,
      ...close
    ) {
      await vi.waitFor(() => expect(isTold).toBe(true), PATIENCE);
      await closeBatch.apply(this, close);
    });
    const partner = await aPartner();
    const { batchId, links } = await partner.receipt(aFile(1));
    await partner.reaches(batchId, 'settled');
    await vi.waitFor(() => expect(closing).toHaveBeenCalled(), PATIENCE);
    const { left } = upstreamAnswers(200);
    expect((await post(partner, `${links.self}/retry`)).status).toBe(202);
    isTold = true;
    expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
    expect(left).toHaveLength(1);
    await vi.waitFor(() => expect(closing).toHaveBeenCalledTimes(2), PATIENCE);
    await listed(partner, 'settled');
  });
});

/** Waits until the list says so of the partner's newest batch. */
const listed = (partner: Partner, state: string): Promise<void> =>
  vi.waitFor(async () => {
    const { batches } = await partner.getJson<{ batches: { state: string }[] }>('/v1/batches');
    expect(batches[0]?.state).toBe(state);
  }, PATIENCE);

describe('the claim of a cancelled batch', () => {
  const headers = { 'Idempotency-Key': 'night-export' };
  const upload = async (partner: Partner, file: string): Promise<Receipt> =>
    (await partner.upload(file, {}, { headers })).json<Receipt>();

  it('is released when nothing of it was sent: the same file, with the same key, is new work', async () => {
    const { left } = upstreamAnswers(200);
    const down = loadsDown();
    const partner = await aPartner();
    const file = aFile(2);
    const first = await upload(partner, file);
    await rowsRead(partner, first.batchId, 2);
    expect((await post(partner, `${first.links.self}/cancel`)).status).toBe(202);
    expect(await upload(partner, file)).toMatchObject({ batchId: first.batchId, replayed: true });
    down.mockRestore();
    expect((await partner.reaches(first.batchId, 'settled')).rowStates).toEqual({ cancelled: 2 });
    const second = await vi.waitFor(async () => {
      const receipt = await upload(partner, file);
      expect(receipt.replayed).toBe(false);
      return receipt;
    }, PATIENCE);
    expect(second.batchId).not.toBe(first.batchId);
    await partner.reaches(second.batchId, 'settled');
    expect(left).toHaveLength(2);
  });

  it('stays when anything of it arrived', async () => {
    const held = heldAnswer();
    const { left } = upstreamAnswers(held.answer);
    const partner = await aPartner();
    const file = aFile(2);
    const first = await upload(partner, file);
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    await post(partner, `${first.links.self}/cancel`);
    await vi.waitFor(async () => {
      expect((await partner.summary(first.batchId)).rowStates).toEqual({ queued: 1, cancelled: 1 });
    }, PATIENCE);
    held.release(200);
    await partner.reaches(first.batchId, 'settled');
    await listed(partner, 'settled');
    expect(await upload(partner, file)).toMatchObject({ batchId: first.batchId, replayed: true });
  });

  /** Cancelled before anything of it was sent, and its end is known. */
  async function withdrawn(partner: Partner, file: string): Promise<Receipt> {
    const down = loadsDown();
    const receipt = await upload(partner, file);
    const rows = file.trimEnd().split('\n').length - 1;
    await rowsRead(partner, receipt.batchId, rows);
    await post(partner, `${receipt.links.self}/cancel`);
    down.mockRestore();
    await partner.reaches(receipt.batchId, 'settled');
    await listed(partner, 'settled');
    return receipt;
  }

  it('is taken back by a retry, which sends what was withdrawn', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const file = aFile(2);
    const first = await withdrawn(partner, file);
    const retried = await post(partner, `${first.links.self}/retry`);
    expect(await retried.json()).toMatchObject({ retried: 2, states: { cancelled: 2 } });
    expect(await upload(partner, file)).toMatchObject({ batchId: first.batchId, replayed: true });
    expect(await partner.reaches(first.batchId, 'settled')).toMatchObject({
      rowStates: { delivered: 2 },
      cancelledAt: null,
      notes: [],
    });
    expect(left).toHaveLength(2);
  });

  it('of a message cannot be taken back once that has come in again', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const send = (): Promise<Response> =>
      partner.fetch('/v1/messages?mapping=carrier-status-csv', { method: 'POST', body: file, headers });
    const file = aFile(1);
    const down = loadsDown();
    const first = await (await send()).json<Receipt>();
    await rowsRead(partner, first.batchId, 1);
    await post(partner, `/v1/batches/${first.batchId}/cancel`);
    down.mockRestore();
    await partner.reaches(first.batchId, 'settled');
    await listed(partner, 'settled');
    const second = await (await send()).json<Receipt>();
    expect(second.batchId).not.toBe(first.batchId);
    const answer = await post(partner, `/v1/batches/${first.batchId}/retry`);
    expect(await problemOf(answer)).toMatchObject({
      code: 'file_sent_again',
      detail: expect.stringContaining(second.batchId),
    });
    await partner.reaches(second.batchId, 'settled');
    expect(left).toHaveLength(1);
  });

  it('cannot be taken back once the file has come in again', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const file = aFile(2);
    const first = await withdrawn(partner, file);
    const second = await upload(partner, file);
    expect(second.replayed).toBe(false);
    const answer = await post(partner, `${first.links.self}/retry`);
    expect(answer.status).toBe(409);
    expect(await problemOf(answer)).toMatchObject({
      code: 'file_sent_again',
      detail: expect.stringContaining(second.batchId),
    });
    await partner.reaches(second.batchId, 'settled');
    expect((await partner.summary(first.batchId)).rowStates).toEqual({ cancelled: 2 });
    expect(left).toHaveLength(2);
  });
});
