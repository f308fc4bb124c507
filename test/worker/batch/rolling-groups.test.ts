/** Messages that share a batch under mappings whose rows depend on each other: groups never reach over two, positions leave with each. */
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BUNDLED_DOCUMENTS } from '../../../mappings/bundled.ts';
import type { MessagePart } from '../../../src/batch/core/progress.ts';
import { newBatchId } from '../../../src/kernel/ids.ts';
import { loadName, sourceKey } from '../../../src/kernel/names.ts';
import { aBatch, type BatchUnderTest } from '../batches.ts';
import { PATIENCE } from '../loads.ts';
import { manyOrders, orderFile, orderRow } from '../order-files.ts';
import { aPartner } from '../partners.ts';
import { windowPasses } from '../traces.ts';
import { upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ANYWHERE = (BUNDLED_DOCUMENTS.get('orders-csv') ?? '').replace('order: adjacent', 'order: anywhere');

/** A batch that several messages share, as its register makes it. */
async function sharedBatch(texts: readonly string[], document?: string): Promise<BatchUnderTest> {
  const wanted = { mapping: 'orders-csv', ...(document === undefined ? {} : { document }) };
  const batch = await aBatch(texts[0] ?? '', wanted);
  const birth = { ...batch.ticket, message: true as const };
  for (const [index, text] of texts.entries()) {
    const uploadId = index === 0 ? birth.batchId : newBatchId(Date.now());
    await env.FILES.put(sourceKey(birth, uploadId), text);
    const bytes = new TextEncoder().encode(text).byteLength;
    const part: MessagePart = {
      message: index + 1,
      uploadId,
      fileName: null,
      bytes,
      sha256: '',
      receivedAtMs: Date.now(),
    };
    expect(await batch.stub().append(part, birth)).toEqual({ outcome: 'taken', isFull: false });
  }
  return batch;
}

let made = 0;
const unique = (): string => {
  made += 1;
  return `RG${made}`;
};

let created = 0;
const creates = () => {
  created += 1;
  return Response.json({ id: `0b6f2a53-6c1e-4b0e-9f4e-${String(created).padStart(12, '0')}` }, { status: 201 });
};

describe('orders in messages that share a batch', () => {
  it('are read at once when their batch begins with them, though nothing comes after', async () => {
    const { left } = upstreamAnswers(creates);
    const batch = await sharedBatch([orderFile(...manyOrders(1, 2, 0, unique()))]);
    await batch.reaches('settled');
    expect(left).toHaveLength(1);
  });

  it.each([
    ['adjacent', undefined],
    ['anywhere', ANYWHERE],
  ])('are grouped within their message, and all of them are sent: %s', async (_, document) => {
    const { left } = upstreamAnswers(creates);
    const name = unique();
    const texts = ['A', 'B', 'C'].map((message) => orderFile(...manyOrders(3, 2, 0, `${name}${message}`)));
    const batch = await sharedBatch(texts, document);
    await batch.reaches('settled');
    expect(await batch.summary()).toMatchObject({ messages: 3, rows: 18, rowStates: { delivered: 18 }, requests: 9 });
    expect(left).toHaveLength(9);
    const rows = await batch.rows();
    expect(rows.map(({ record, group }) => [record, group])).toEqual(
      rows.map((_, index) => [index + 1, index % 2 === 0 ? null : index]),
    );
    expect(rows.map(({ position }) => position.file)).toEqual(
      rows.map((_, index) => `message ${Math.floor(index / 6) + 1}`),
    );
  });

  it('may name an order that an earlier message named: it is judged by the order, not as a broken group', async () => {
    upstreamAnswers(creates);
    const name = unique();
    const order = orderFile({ orderRef: name, sku: 'S1' }, { orderRef: name, sku: 'S2' });
    const batch = await sharedBatch([order, order, order]);
    await batch.reaches('settled');
    expect((await batch.summary())?.rowStates).toEqual({ delivered: 2, duplicate: 4 });
  });

  it('are not spoilt by a message that breaks off', async () => {
    upstreamAnswers(creates);
    const name = unique();
    const [header = ''] = orderFile().split('\n');
    const cut = `${header}\n${orderRow({ orderRef: `${name}X`, sku: 'S1' })}\n"${name}X`;
    const whole = (letter: string) => orderFile(...manyOrders(1, 2, 0, `${name}${letter}`));
    const batch = await sharedBatch([whole('A'), cut, whole('B')], ANYWHERE);
    await batch.reaches('settled');
    const states = (await batch.rows()).map(({ state, position }) => [position.file, state]);
    expect(states.filter(([file]) => file !== 'message 2')).toEqual([
      ['message 1', 'delivered'],
      ['message 1', 'delivered'],
      ['message 3', 'delivered'],
      ['message 3', 'delivered'],
    ]);
    expect(states.filter(([file]) => file === 'message 2').map(([, state]) => state)).not.toContain('delivered');
  });
});

describe('positions in messages that share a batch', () => {
  it('leave with each of them, also for a load that an earlier one named', async () => {
    const { left } = upstreamAnswers(200);
    const partner = await aPartner();
    const name = unique();
    const point = (load: string, second: number) =>
      JSON.stringify({ load, at: 1772465400 + second, position: [-88.1, 41.5], vehicle: {} });
    const send = (...lines: string[]) =>
      partner.fetch('/v1/messages?mapping=gps-pings-ndjson', { method: 'POST', body: `${lines.join('\n')}\n` });
    await send(point(`${name}B`, 1));
    await vi.waitFor(() => expect(left).toHaveLength(1), PATIENCE);
    const answer = await send(point(`${name}A`, 2), point(`${name}B`, 3));
    const { batchId } = await answer.json<{ batchId: string }>();
    const load = env.LOAD.getByName(loadName({ environment: 'test', partner: partner.name }, 'DEMO', `${name}B`));
    await vi.waitFor(async () => expect(await load.timeline()).toHaveLength(2), PATIENCE);
    await windowPasses(load);
    await vi.waitFor(() => expect(left).toHaveLength(3), PATIENCE);
    const settled = await partner.reaches(batchId, 'settled');
    expect([settled.messages, settled.rowStates]).toEqual([2, { delivered: 3 }]);
  });
});
