/** Rows that were not delivered come back corrected: each replaces the row it comes from, and nothing arrives twice. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { statusFile, statusRow } from '../csv-files.ts';
import { manyOrders, orderFile } from '../order-files.ts';
import { aPartner, type Partner } from '../partners.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

let upstream: UpstreamDouble;
beforeEach(() => {
  upstream = upstreamAnswers(200);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

let files = 0;
/** Load numbers of its own each time: an object that fell asleep in an earlier test outlives its `reset`. */
const unique = (): string => {
  files += 1;
  return `C${files}`;
};

async function uploaded(partner: Partner, file: string, query: Record<string, string> = {}): Promise<BatchSummary> {
  const { batchId } = await partner.receipt(file, query);
  return partner.reaches(batchId, 'settled');
}

const corrections = async (partner: Partner, batchId: string): Promise<string> =>
  (await partner.fetch(`/v1/batches/${batchId}/corrections`)).text();

describe('the rows to correct', () => {
  it('are the rows that were not delivered, with their place and why, in the file’s own form', async () => {
    const partner = await aPartner();
    const load = unique();
    const file = statusFile(statusRow(load), statusRow(load, { Stop: 'two', City: '=1+1' }));
    const { batchId } = await uploaded(partner, file);
    const text = await corrections(partner, batchId);
    const [header = '', row = '', ...more] = text.trimEnd().split('\r\n');
    expect(header.startsWith('"Load #","Status"')).toBe(true); // text() takes the byte-order mark away
    expect(header.endsWith('"_batch","_record","_code","_column","_problem","_fix"')).toBe(true);
    expect(row).toContain(`"'=1+1"`);
    expect(row).toContain(`"${batchId}","2","not_a_whole_number","Stop"`);
    expect(more).toEqual([]);
  });

  it('go out when they come back, and the delivered ones beside them do not', async () => {
    const partner = await aPartner();
    const load = unique();
    const first = await uploaded(partner, statusFile(statusRow(load), statusRow(load, { Stop: 'two', City: '=1+1' })));
    const corrected = (await corrections(partner, first.batchId)).replace('"two"', '"2"');
    const second = await uploaded(partner, corrected);
    expect(second).toMatchObject({ rows: 1, rowStates: { delivered: 1 } });
    expect(upstream.left.map(({ body }) => JSON.parse(body))).toMatchObject([
      { stopsequenceNumber: 1, eventCity: 'Joliet' },
      { stopsequenceNumber: 2, eventCity: '=1+1' }, // what was written before it for spreadsheets is taken away again
    ]);
    const [row] = await partner.rows(second.batchId);
    expect(row).toMatchObject({ replaces: `${first.batchId}/2` });
  });

  it('come from the whole report too: what was delivered before is a duplicate', async () => {
    const partner = await aPartner();
    const load = unique();
    const first = await uploaded(partner, statusFile(statusRow(load), statusRow(load, { Stop: 'two' })));
    const report = await (await partner.fetch(`/v1/batches/${first.batchId}/report.csv`)).text();
    const second = await uploaded(partner, report.replace('"two"', '"2"'));
    expect(second).toMatchObject({ rows: 2, rowStates: { delivered: 1, duplicate: 1 } });
    expect(upstream.left).toHaveLength(2);
    const again = await (await partner.fetch(`/v1/batches/${second.batchId}/report.csv`)).text();
    expect(again.split('\r\n')[0]?.match(/"_batch"/g)).toHaveLength(1);
  });

  it('are delivered once, however often a correction of the same row is sent', async () => {
    const partner = await aPartner();
    const load = unique();
    const first = await uploaded(partner, statusFile(statusRow(load, { Stop: 'two' })));
    const text = await corrections(partner, first.batchId);
    const once = await uploaded(partner, text.replace('"two"', '"2"'));
    const twice = await uploaded(partner, text.replace('"two"', '"3"'));
    expect([once.rowStates, twice.rowStates]).toEqual([{ delivered: 1 }, { duplicate: 1 }]);
    expect(upstream.left).toHaveLength(1);
  });

  it('may be wrong again: the correction of a correction goes out', async () => {
    const partner = await aPartner();
    const load = unique();
    const first = await uploaded(partner, statusFile(statusRow(load, { Stop: 'two' })));
    const ofFirst = await corrections(partner, first.batchId); // once a correction is delivered, nothing is left in it
    const second = await uploaded(partner, ofFirst.replace('"two"', '"three"'));
    expect(second.rowStates).toEqual({ invalid: 1 });
    const third = await uploaded(partner, (await corrections(partner, second.batchId)).replace('"three"', '"3"'));
    expect(third.rowStates).toEqual({ delivered: 1 });
    const late = await uploaded(partner, ofFirst.replace('"two"', '"4"'));
    expect(late.rowStates).toEqual({ duplicate: 1 });
  });

  it('never overtake a row that is still on its way', async () => {
    const partner = await aPartner();
    const load = unique();
    upstream.answer(503);
    const { batchId } = await partner.receipt(statusFile(statusRow(load)));
    await vi.waitFor(async () => expect((await partner.summary(batchId)).requestStates).toEqual({ unknown: 1 }));
    const report = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
    const second = await uploaded(partner, report);
    const [row] = await partner.rows(second.batchId);
    expect(row?.errors).toMatchObject([{ code: 'replaced_row_open' }]);
  });

  it('of another partner are no rows of this one', async () => {
    const partner = await aPartner();
    const other = await aPartner();
    const first = await uploaded(other, statusFile(statusRow(unique(), { Stop: 'two' })));
    const stolen = (await corrections(other, first.batchId)).replace('"two"', '"2"');
    const second = await uploaded(partner, stolen);
    const [row] = await partner.rows(second.batchId);
    expect(row?.errors).toMatchObject([{ code: 'replaced_row_unknown' }]);
    expect(upstream.left).toEqual([]);
  });

  it('are judged and not replaced by a dry run', async () => {
    const partner = await aPartner();
    const load = unique();
    const first = await uploaded(partner, statusFile(statusRow(load, { Stop: 'two' })));
    const corrected = (await corrections(partner, first.batchId)).replace('"two"', '"2"');
    expect((await uploaded(partner, corrected, { dryRun: 'true' })).rowStates).toEqual({ valid: 1 });
    expect((await uploaded(partner, corrected)).rowStates).toEqual({ delivered: 1 });
  });

  it('are not sent again by a retry of the batch they came from', async () => {
    const partner = await aPartner();
    const load = unique();
    upstream.answer(() => Response.json({ error: { code: 'no' } }, { status: 400 }));
    const first = await uploaded(partner, statusFile(statusRow(load)));
    upstream.answer(200);
    const second = await uploaded(partner, await corrections(partner, first.batchId));
    expect(second.rowStates).toEqual({ delivered: 1 });
    const retry = await partner.fetch(`/v1/batches/${first.batchId}/retry`, { method: 'POST' });
    expect([retry.status, ((await retry.json()) as { code: string }).code]).toEqual([409, 'nothing_to_retry']);
    expect(upstream.left).toHaveLength(2);
  });

  it('hold whole orders', async () => {
    const partner = await aPartner();
    const name = unique();
    const [a1, a2, b1] = manyOrders(2, 2, 0, name);
    if (!a1 || !a2 || !b1) throw new Error('no lines');
    upstream.answer(() => Response.json({ id: '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10' }, { status: 201 }));
    const file = orderFile(a1, { ...a2, quantity: 'two' }, b1);
    const first = await uploaded(partner, file, { mapping: 'orders-csv' });
    const corrected = (await corrections(partner, first.batchId)).replace('"two"', '"2"');
    expect(corrected.trimEnd().split('\r\n')).toHaveLength(3);
    const second = await uploaded(partner, corrected, { mapping: 'orders-csv' });
    expect(second).toMatchObject({ rows: 2, rowStates: { delivered: 2 }, requests: 1 });
    expect(JSON.parse(upstream.left.at(-1)?.body ?? '')).toMatchObject({
      orderRef: `${name}-0`,
      skus: [{}, { quantity: 2 }],
    });
  });

  it.each([
    ['its second row first, and then its first', (rows: string[]) => [rows.toReversed(), rows]],
    ['its first row first, and then its second', (rows: string[]) => [rows, rows.toReversed()]],
  ])('send an order of several rows once, though they name %s', async (_, inOrders) => {
    const partner = await aPartner();
    const [a1, a2] = manyOrders(1, 2, 0, unique());
    if (!a1 || !a2) throw new Error('no lines');
    upstream.answer(() => Response.json({ id: '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f11' }, { status: 201 }));
    const first = await uploaded(partner, orderFile(a1, { ...a2, quantity: 'two' }), { mapping: 'orders-csv' });
    const corrected = (await corrections(partner, first.batchId)).replace('"two"', '"2"');
    const [header = '', ...rows] = corrected.trimEnd().split('\r\n');
    const sent = async (lines: string[] = []) =>
      uploaded(partner, `${[header, ...lines].join('\r\n')}\r\n`, { mapping: 'orders-csv' });
    const [one, other] = inOrders(rows);
    expect(await sent(one)).toMatchObject({ rowStates: { delivered: 2 }, requests: 1 });
    const before = upstream.left.length;
    expect([(await sent(other)).rowStates, upstream.left.length]).toEqual([{ duplicate: 2 }, before]);
  });

  it('keep the form of JSON records', async () => {
    const partner = await aPartner();
    const load = unique();
    const event = (code: string) =>
      `{"load":{"number":"${load}"},"status":{"code":"${code}"},"occurredAt":"2026-03-02T08:15:00-06:00", "own": 1.50}`;
    const mapping = { mapping: 'carrier-events-json' };
    const first = await uploaded(partner, `{"events":[${event('X3')},${event('??')}]}`, mapping);
    const text = await corrections(partner, first.batchId);
    expect(JSON.parse(text)).toMatchObject({ events: [{ _batch: first.batchId, _record: 2, own: 1.5 }] });
    expect(text).toContain('"own": 1.50');
    const second = await uploaded(partner, text.replace('??', 'X1'), mapping);
    expect(second.rowStates).toEqual({ delivered: 1 });
    expect(await corrections(partner, second.batchId)).toBe('{"events":[\n\n]}\n');
  });
});
