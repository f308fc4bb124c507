/** Corrections close: what was delivered in the place of a row is known where that row stands, and it needs nobody any more. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { batchName } from '../../../src/kernel/names.ts';
import { asRelease01 } from '../../old-batch.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import type { LetterPage } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { anOperator } from '../operators.ts';
import { manyOrders, orderFile } from '../order-files.ts';
import { aPartner, type Partner } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

let files = 0;
/** Load numbers of its own each time: an object that fell asleep in an earlier test outlives its `reset`. */
const unique = (): string => {
  files += 1;
  return `CC${files}`;
};

async function uploaded(partner: Partner, file: string, query: Record<string, string> = {}): Promise<BatchSummary> {
  const { batchId } = await partner.receipt(file, query);
  return partner.reaches(batchId, 'settled');
}

const corrections = async (partner: Partner, batchId: string): Promise<string> =>
  (await partner.fetch(`/v1/batches/${batchId}/corrections`)).text();
const linesOf = (text: string): string[] => text.trimEnd().split('\r\n').slice(1);
const stubOf = (partner: Partner, batchId: string) =>
  env.BATCH.getByName(batchName({ environment: 'test', partner: partner.name }, batchId));
const resolves = (partner: Partner, batchId: string, resolved: number): Promise<BatchSummary> =>
  vi.waitFor(async () => {
    const summary = await partner.summary(batchId);
    expect(summary.resolved).toBe(resolved);
    return summary;
  }, PATIENCE);
const place = (batchId: string, record: number) => ({
  batchId,
  record,
  link: `/v1/batches/${batchId}/rows?after=${record - 1}&limit=1`,
});
const replacedBy = async (partner: Partner, batchId: string) =>
  (await partner.rows(batchId)).map((row) => row.replacedBy);

/** A file of a good row and a wrong one, and what is to be corrected of it. */
async function aWrongRow(partner: Partner) {
  const load = unique();
  const first = await uploaded(partner, statusFile(statusRow(load), statusRow(load, { Stop: 'two' })));
  return { batchId: first.batchId, toCorrect: await corrections(partner, first.batchId) };
}

describe('once a corrected row is delivered', () => {
  it('the original shows replacedBy, leaves the corrections, and its batch counts it as resolved', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    expect(await partner.summary(batchId)).toMatchObject({ resolved: 0, resolvedStates: {} });
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    expect(await resolves(partner, batchId, 1)).toMatchObject({
      rowStates: { delivered: 1, invalid: 1 },
      resolvedStates: { invalid: 1 },
    });
    expect(await replacedBy(partner, batchId)).toEqual([null, place(second.batchId, 1)]);
    expect(linesOf(await corrections(partner, batchId))).toEqual([]);
    const { rows } = await partner.getJson<{ rows: { replaces: string }[] }>(place(second.batchId, 1).link);
    expect(rows).toMatchObject([{ record: 1, replaces: `${batchId}/2` }]);
  });

  it('both reports of the original name it', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await resolves(partner, batchId, 1);
    const [header = '', , row = ''] = (await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text()).split(
      '\r\n',
    );
    expect(header.endsWith(',"_replaced_by"')).toBe(true);
    expect(row.endsWith(`,"${second.batchId}/1"`)).toBe(true);
    const report = await partner.getJson<{ rows: object[] }>(`/v1/batches/${batchId}/report.json`);
    expect(report.rows).toMatchObject([{ replacedBy: null }, { replacedBy: place(second.batchId, 1) }]);
  });

  it('the page of the original says so, and offers nothing to correct', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const page = async (query = '') => (await partner.fetch(`/console/batches/${batchId}${query}`)).text();
    expect(await page()).toContain('not delivered</a>');
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await resolves(partner, batchId, 1);
    expect(await page()).not.toContain('not delivered</a>');
    expect(await page()).toContain('<h2>Rows</h2>');
    expect(await page('?row=2')).toContain(`href="/console/batches/${second.batchId}?row=1"`);
  });

  it('the original needs nobody: it is no letter any more, and is still found by its place', async () => {
    const [partner, operator] = [await aPartner(), await anOperator()];
    upstream.answer(() => Response.json({ error: { code: 'no' } }, { status: 400 }));
    const load = unique();
    const first = await uploaded(partner, statusFile(statusRow(load), statusRow(load, { Stop: 'two' })));
    const letters = async () =>
      (await operator.getJson<LetterPage>(`/v1/ops/letters?partner=${partner.name}&batch=${first.batchId}`)).letters;
    expect(await letters()).toMatchObject([{ state: 'rejected' }, { state: 'invalid' }]);
    upstream.answer(200);
    await uploaded(partner, (await corrections(partner, first.batchId)).replace('"two"', '"2"'));
    expect(await resolves(partner, first.batchId, 2)).toMatchObject({ resolvedStates: { rejected: 1, invalid: 1 } });
    expect(await letters()).toEqual([]);
    for (const at of ['1/1', '2/0']) {
      const letter = await operator.getJson(`/v1/ops/letters/${first.batchId}/${at}?partner=${partner.name}`);
      expect(letter, at).toMatchObject({ replacedBy: { batchId: expect.any(String) } });
    }
  });

  it('an order counts as resolved as a whole, though a line of it was left out', async () => {
    const partner = await aPartner();
    const [a1, a2, a3] = manyOrders(1, 3, 0, unique());
    if (!a1 || !a2 || !a3) throw new Error('no lines');
    upstream.answer(() => Response.json({ id: '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f11' }, { status: 201 }));
    const first = await uploaded(partner, orderFile(a1, { ...a2, quantity: 'two' }, a3), { mapping: 'orders-csv' });
    const lines = (await corrections(partner, first.batchId)).replace('"two"', '"2"').trimEnd().split('\r\n');
    const second = await uploaded(partner, `${lines.slice(0, 3).join('\r\n')}\r\n`, { mapping: 'orders-csv' });
    expect(second.rowStates).toEqual({ delivered: 2 });
    expect(await resolves(partner, first.batchId, 3)).toMatchObject({ resolvedStates: { invalid: 3 } });
    expect(linesOf(await corrections(partner, first.batchId))).toEqual([]);
  });

  it('lines of two orders that are one in the corrected file are all resolved', async () => {
    const partner = await aPartner();
    const [a1, b1] = manyOrders(2, 1, 0, unique());
    if (!a1 || !b1) throw new Error('no lines');
    upstream.answer(() => Response.json({ id: '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f12' }, { status: 201 }));
    const wrong = { quantity: 'two' };
    const first = await uploaded(partner, orderFile({ ...a1, ...wrong }, { ...b1, ...wrong }), {
      mapping: 'orders-csv',
    });
    const joined = (await corrections(partner, first.batchId))
      .replaceAll('"two"', '"2"')
      .replaceAll(b1.orderRef, a1.orderRef);
    const second = await uploaded(partner, joined.replaceAll('order 1', 'order 0'), { mapping: 'orders-csv' });
    expect(second).toMatchObject({ rowStates: { delivered: 2 }, requests: 1 });
    await resolves(partner, first.batchId, 2);
    expect(await replacedBy(partner, first.batchId)).toEqual([place(second.batchId, 1), place(second.batchId, 2)]);
  });
});

describe('a correction that is not delivered', () => {
  it('leaves the original open: it was wrong again', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    expect((await uploaded(partner, toCorrect.replace('"two"', '"three"'))).rowStates).toEqual({ invalid: 1 });
    expect(await stubOf(partner, batchId).summary()).toMatchObject({ resolved: 0 });
    expect(linesOf(await corrections(partner, batchId))).toHaveLength(1);
  });

  it('leaves the original open until a retry delivers it', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    upstream.answer(() => Response.json({ error: { code: 'no' } }, { status: 400 }));
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    expect(second.rowStates).toEqual({ rejected: 1 });
    expect(await partner.summary(batchId)).toMatchObject({ resolved: 0 });
    expect(linesOf(await corrections(partner, batchId))).toHaveLength(1);
    upstream.answer(200);
    const init = { method: 'POST', headers: { 'Idempotency-Key': 'again' } };
    expect((await partner.fetch(`/v1/batches/${second.batchId}/retry`, init)).status).toBeLessThan(300);
    await resolves(partner, batchId, 1);
  });

  it('of a dry run leaves the original open', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    await uploaded(partner, toCorrect.replace('"two"', '"2"'), { dryRun: 'true' });
    expect(await partner.summary(batchId)).toMatchObject({ resolved: 0 });
  });
});

describe('of several corrections of a row', () => {
  it('the delivered one counts: a chain resolves every row of it by the last', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const second = await uploaded(partner, toCorrect.replace('"two"', '"three"'));
    const third = await uploaded(partner, (await corrections(partner, second.batchId)).replace('"three"', '"3"'));
    expect(third.rowStates).toEqual({ delivered: 1 });
    await resolves(partner, batchId, 1);
    await resolves(partner, second.batchId, 1);
    expect(await replacedBy(partner, batchId)).toEqual([null, place(third.batchId, 1)]);
    expect(await replacedBy(partner, second.batchId)).toEqual([place(third.batchId, 1)]);
  });

  it('the delivered one counts, also where both come from the corrections of the original', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const wrong = await uploaded(partner, toCorrect.replace('"two"', '"three"'));
    const right = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await resolves(partner, batchId, 1);
    await resolves(partner, wrong.batchId, 1);
    expect(await replacedBy(partner, batchId)).toEqual([null, place(right.batchId, 1)]);
  });

  it('the first that was delivered stays: the same row once more is a duplicate', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await resolves(partner, batchId, 1);
    const report = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
    const late = await uploaded(partner, report.replace('"two"', '"4"'));
    expect(late.rowStates).toEqual({ duplicate: 2 });
    expect(await replacedBy(partner, batchId)).toEqual([null, place(second.batchId, 1)]);
  });
});

describe('telling the original', () => {
  it('survives a restart between the delivery and the telling', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const resolve = vi.spyOn(Batch.prototype, 'resolveRows').mockRejectedValue(new Error('planned: not reached'));
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await vi.waitFor(() => expect(resolve).toHaveBeenCalled(), PATIENCE);
    expect(await partner.summary(batchId)).toMatchObject({ resolved: 0 });
    await runInDurableObject(stubOf(partner, second.batchId), (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(stubOf(partner, second.batchId));
    resolve.mockRestore();
    await stubOf(partner, second.batchId).watch(); // as its register does: it has not heard of the end
    await resolves(partner, batchId, 1);
  });

  it('twice changes nothing', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await resolves(partner, batchId, 1);
    const told = [{ record: 2, by: { batchId: second.batchId, record: 1 } }];
    const late = [{ record: 2, by: { batchId: second.batchId, record: 9 } }];
    for (const rows of [told, late, told]) await stubOf(partner, batchId).resolveRows(rows);
    expect(await partner.summary(batchId)).toMatchObject({ resolved: 1 });
    expect(await replacedBy(partner, batchId)).toEqual([null, place(second.batchId, 1)]);
  });

  it('takes one call per batch, not one per row', async () => {
    const partner = await aPartner();
    const load = unique();
    const rows = Array.from({ length: 30 }, (_, index) => statusRow(load, { Stop: `no ${index}` }));
    const first = await uploaded(partner, statusFile(...rows));
    const corrected = (await corrections(partner, first.batchId)).replaceAll('"no ', '"');
    const resolve = vi.spyOn(Batch.prototype, 'resolveRows');
    await uploaded(partner, corrected);
    await resolves(partner, first.batchId, 30);
    expect(resolve.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it('says nothing of rows that were delivered, are not there, or are on their way', async () => {
    const partner = await aPartner();
    const { batchId } = await aWrongRow(partner);
    const by = { batchId: `b_${'0'.repeat(26)}`, record: 1 };
    await stubOf(partner, batchId).resolveRows([1, 3].map((record) => ({ record, by })));
    expect(await partner.summary(batchId)).toMatchObject({ resolved: 0 });
    expect(await replacedBy(partner, batchId)).toEqual([null, null]);
  });

  it('of a batch that is gone is no error, and nothing is tried again', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const resolve = vi.spyOn(Batch.prototype, 'resolveRows').mockRejectedValue(new Error('planned: not reached'));
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await vi.waitFor(() => expect(resolve).toHaveBeenCalled(), PATIENCE);
    vi.spyOn(IntakeRegister.prototype, 'knows').mockResolvedValue(false);
    resolve.mockClear();
    await evictDurableObject(stubOf(partner, second.batchId));
    await stubOf(partner, second.batchId).watch();
    const claims = () =>
      runInDurableObject(stubOf(partner, second.batchId), (_, { storage }) =>
        storage.sql.exec('SELECT * FROM claim').toArray(),
      );
    await vi.waitFor(async () => expect(await claims()).toEqual([]), PATIENCE);
    expect(resolve).not.toHaveBeenCalled();
    expect(await stubOf(partner, batchId).summary()).toMatchObject({ resolved: 0 });
  });

  it('reaches no batch of another partner, whatever a file names', async () => {
    const [owner, other] = [await aPartner(), await aPartner()];
    const { batchId, toCorrect } = await aWrongRow(owner);
    const stolen = await uploaded(other, toCorrect.replace('"two"', '"2"'));
    const [row] = await other.rows(stolen.batchId);
    expect(row?.errors).toMatchObject([{ code: 'replaced_row_unknown' }]);
    expect(await owner.summary(batchId)).toMatchObject({ resolved: 0 });
    expect(linesOf(await corrections(owner, batchId))).toHaveLength(1);
  });
});

describe('corrections of release 0.1', () => {
  it('that were delivered resolve their originals at the next wake-up', async () => {
    const partner = await aPartner();
    const { batchId, toCorrect } = await aWrongRow(partner);
    const resolve = vi.spyOn(Batch.prototype, 'resolveRows').mockRejectedValue(new Error('planned: not reached'));
    const second = await uploaded(partner, toCorrect.replace('"two"', '"2"'));
    await vi.waitFor(() => expect(resolve).toHaveBeenCalled(), PATIENCE);
    // As that release had stored it.
    await runInDurableObject(stubOf(partner, second.batchId), (_, { storage }) => asRelease01(storage));
    resolve.mockRestore();
    await evictDurableObject(stubOf(partner, second.batchId));
    await stubOf(partner, second.batchId).watch();
    await resolves(partner, batchId, 1);
    expect(await replacedBy(partner, batchId)).toEqual([null, place(second.batchId, 1)]);
  });
});
