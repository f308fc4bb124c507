/** Files that change orders, from upload to report: three columns are enough, and every row says what it changed or why not. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stands, unique, uploaded } from '../dead-letters.ts';
import { PATIENCE } from '../loads.ts';
import { orderFile } from '../order-files.ts';
import { keepsOrders } from '../orders.ts';
import { aPartner, type Partner, type Receipt } from '../partners.ts';
import type { Answering } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const CHANGES = { mapping: 'order-changes-csv' };
/** The cells of one column of the report, by row. */
async function columnOf(partner: Partner, batchId: string, name: string): Promise<string[]> {
  const text = await (await partner.fetch(`/v1/batches/${batchId}/report.csv`)).text();
  const [header = [], ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = '']) => cell.replaceAll('""', '"')));
  const at = header.indexOf(name);
  return rows.map((cells) => cells[at] ?? '');
}

it('change what they write, and the report shows it; what cannot be changed says what it was', async () => {
  const { kept, calls } = keepsOrders();
  const partner = await aPartner();
  const orderRef = unique();
  await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { delivered: 1 }, { mapping: 'orders-csv' });
  const created = structuredClone(kept[0]?.document);
  const file = [
    'Order No,Action,Phone,Deliver On,SKU,Qty,Qty Change,Change No',
    `${orderRef},CHANGE,555-0199,,,,,`,
    `${orderRef},CHANGE,,,SOFA-3,,+3,C-1`,
    `${orderRef},CHANGE,555-0199,,,,,`,
    `${orderRef},CHANGE,,2030-01-01,,,,`,
    `${orderRef},CANCEL,,,,,,`,
    '',
  ].join('\n');
  const receipt = await uploaded(partner, file, { delivered: 3, duplicate: 1, dead: 1 }, CHANGES);
  expect(calls()).toBe('POST PUT PUT DELETE');
  expect(kept[0]).toMatchObject({ isCancelled: true, document: { consignee: { phone: '555-0199' } } });
  const { consignee, skus, ...others } = created as { consignee: object; skus: [{ quantity: number }] };
  expect(kept[0]?.document).toEqual({
    ...others,
    consignee: { ...consignee, phone: '555-0199' },
    skus: [{ ...skus[0], quantity: skus[0].quantity + 3 }],
  });
  const { quantity } = skus[0];
  expect(await columnOf(partner, receipt.batchId, '_change')).toEqual([
    'consignee.phone: nothing → "555-0199"',
    `skus[SOFA-3].quantity: ${quantity} → ${quantity + 3}`,
    '',
    '',
    '',
  ]);
  expect((await columnOf(partner, receipt.batchId, '_code'))[3]).toBe('not_updatable');
  expect((await columnOf(partner, receipt.batchId, '_problem'))[3]).toContain('→ "2030-01-01"');
  const report = (await (await partner.fetch(`/v1/batches/${receipt.batchId}/report.json`)).json()) as {
    rows: { requests: { diff: unknown }[] }[];
  };
  expect(report.rows[0]?.requests[0]?.diff).toEqual([{ path: 'consignee.phone', after: '555-0199' }]);
});

/** @param lines of an 860 that changes the order, under a number of its own. */
const x12Change = (orderRef: string, control: number, number: number, lines: readonly string[]): string =>
  [
    `ISA*00*${' '.repeat(10)}*00*${' '.repeat(10)}*02*${'DEMO'.padEnd(15)}*ZZ*${'TRANSLOAD'.padEnd(15)}*260302*1500*U*00401*${String(control).padStart(9, '0')}*0*T*>`,
    `GS*PC*DEMO*TRANSLOAD*20260302*1500*${control}*X*004010`,
    'ST*860*0001',
    `BCH*04*SA*${orderRef}**${number}*20260303`,
    ...lines,
    `SE*${lines.length + 3}*0001`,
    `GE*1*${control}`,
    `IEA*1*${String(control).padStart(9, '0')}`,
    '',
  ].join('~\n');

it('of X12, with numbers and units of lines, change orders that came by CSV, and count once in a corrected interchange', async () => {
  const { kept } = keepsOrders();
  const partner = await aPartner();
  const orderRef = unique();
  await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { delivered: 1 }, { mapping: 'orders-csv' });
  const quantity = () => (kept[0]?.document.skus as { quantity: number }[] | undefined)?.[0]?.quantity ?? 0;
  const before = quantity();
  const more = ['POC*1*QI*5**EA***VN*SOFA-3', 'PID*F****Sofa'];
  const x12 = { mapping: 'x12-860' };
  await uploaded(partner, x12Change(orderRef, 1, 1, more), { delivered: 1 }, x12);
  await uploaded(partner, x12Change(orderRef, 2, 1, more), { duplicate: 1 }, x12);
  expect(quantity()).toBe(before + 5);
  const gone = await uploaded(partner, x12Change(orderRef, 3, 2, ['POC*2*DI******VN*RUG-4']), { dead: 1 }, x12);
  expect(await columnOf(partner, gone.batchId, '_code')).toEqual(['entry_unknown']);
});

it('of differences, corrected and uploaded again, change quantities once', async () => {
  const { kept } = keepsOrders();
  const partner = await aPartner();
  const orderRef = unique();
  await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { delivered: 1 }, { mapping: 'orders-csv' });
  const quantity = () => (kept[0]?.document.skus as { quantity: number }[] | undefined)?.[0]?.quantity ?? 0;
  const before = quantity();
  const rows = (second: string) =>
    `Order No,Action,SKU,Qty Change,Change No\n${orderRef},CHANGE,SOFA-3,+3,C-1\n${orderRef},CHANGE,SOFA-3,${second}\n`;
  await uploaded(partner, rows('1,'), { delivered: 1, invalid: 1 }, CHANGES);
  await uploaded(partner, rows('1,C-2'), { delivered: 1, duplicate: 1 }, CHANGES);
  expect(quantity()).toBe(before + 4);
});

it('of an order that is not known here are dead with a way out, and go out once the order is there and the batch is retried', async () => {
  const { kept } = keepsOrders();
  const partner = await aPartner();
  const orderRef = unique();
  const file = `Order No,Action,Phone\n${orderRef},CHANGE,555-0199\n`;
  const { batchId, links } = await uploaded(partner, file, { dead: 1 }, CHANGES);
  expect(await columnOf(partner, batchId, '_code')).toEqual(['base_unknown']);
  await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { delivered: 1 }, { mapping: 'orders-csv' });
  await partner.fetch(`${links.self}/retry`, { method: 'POST' });
  expect((await partner.reaches(batchId, 'settled')).rowStates).toEqual({ delivered: 1 });
  expect(kept[0]?.document).toMatchObject({ consignee: { phone: '555-0199' } });
});

describe('an operation that was refused afterwards', () => {
  const taken: Answering = () => Response.json({ code: 'accepted' }, { status: 202 });
  const says =
    (action: string, code: string): Answering =>
    () =>
      Response.json({ action, code });
  /** Uploads what the receiving system takes and then refuses. */
  const refused = async (partner: Partner, file: string, word: string, query: Record<string, string>) => {
    const receipt = await uploaded(partner, file, { delivered: 1 }, query);
    await vi.waitFor(async () => expect(await columnOf(partner, receipt.batchId, '_action')).toEqual([word]), PATIENCE);
    expect(await columnOf(partner, receipt.batchId, '_state')).toEqual(['delivered']);
    return receipt;
  };

  it('says so in the report; its row corrected is a duplicate, and the same row in a new file is applied, once', async () => {
    const { kept, calls } = keepsOrders({ PUT: [taken, 'well'], GET: [says('update', 'rejected')] });
    const partner = await aPartner();
    const orderRef = unique();
    await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { delivered: 1 }, { mapping: 'orders-csv' });
    const quantity = () => (kept[0]?.document.skus as { quantity: number }[] | undefined)?.[0]?.quantity ?? 0;
    const before = quantity();
    const header = 'Order No,Action,SKU,Qty Change,Change No,Phone';
    const row = `${orderRef},CHANGE,SOFA-3,+3,C-1,`;
    const { links } = await refused(partner, `${header}\n${row}\n`, 'rejected', CHANGES);
    expect(quantity()).toBe(before);
    const report = await (await partner.fetch(links.reportCsv)).text();
    expect((await (await partner.fetch(links.corrections)).text()).trimEnd().split('\r\n')).toHaveLength(1);
    const corrected = await uploaded(partner, report, { duplicate: 1 }, CHANGES);
    const columns = (await (await partner.fetch(corrected.links.reportCsv)).text()).split('\r\n')[0];
    expect(columns?.match(/"_action"/g)).toHaveLength(1);
    expect(calls()).toBe('POST PUT GET');
    const anew = await uploaded(partner, `${header}\n${row}\n${row}\n`, { delivered: 1, duplicate: 1 }, CHANGES);
    expect(await columnOf(partner, anew.batchId, '_action')).toEqual(['', '']);
    expect(quantity()).toBe(before + 3);
    expect(calls()).toBe('POST PUT GET PUT');
  });

  it('is applied by the same file, where that is forced', async () => {
    const { kept } = keepsOrders({ PUT: [taken, 'well'], GET: [says('update', 'rejected')] });
    const partner = await aPartner();
    const orderRef = unique();
    await uploaded(partner, orderFile({ orderRef, sku: 'SOFA-3' }), { delivered: 1 }, { mapping: 'orders-csv' });
    const file = `Order No,Action,Phone\n${orderRef},CHANGE,555-0199\n`;
    const { batchId } = await refused(partner, file, 'rejected', CHANGES);
    expect(await partner.receipt(file, CHANGES)).toMatchObject({ batchId, replayed: true });
    const headers = { 'Idempotency-Key': unique() };
    const forced = await (await partner.upload(file, { ...CHANGES, force: 'true' }, { headers })).json<Receipt>();
    await stands(partner, forced.batchId, { delivered: 1 });
    expect(kept[0]?.document).toMatchObject({ consignee: { phone: '555-0199' } });
  });

  it('and is a cancellation, or a new order, is done by a new file as well', async () => {
    const made: Answering = () => Response.json({ id: crypto.randomUUID(), code: 'processing' }, { status: 202 });
    const { kept, calls } = keepsOrders({
      POST: [made, 'well'],
      DELETE: [taken, 'well'],
      GET: [says('create', 'declined'), says('cancel', 'refused')],
    });
    const partner = await aPartner();
    const orderRef = unique();
    const order = orderFile({ orderRef, sku: 'SOFA-3' });
    await refused(partner, order, 'declined', { mapping: 'orders-csv' });
    await uploaded(partner, `${order}\n`, { delivered: 1 }, { mapping: 'orders-csv' });
    const cancel = `Order No,Action\n${orderRef},CANCEL\n`;
    await refused(partner, cancel, 'refused', CHANGES);
    await uploaded(partner, `${cancel}\n`, { delivered: 1 }, CHANGES);
    expect(kept).toMatchObject([{ isCancelled: true }]);
    expect(calls()).toBe('POST GET POST DELETE GET DELETE');
  });
});
