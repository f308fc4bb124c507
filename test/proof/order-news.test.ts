/**
 * News of orders over real HTTP, by the feed's own alarms on a clock that runs faster: a webhook is told of every event of the
 * log, under one name, also where it refuses some of them and the bridge is killed.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partnerClient } from '../../scripts/demo/partner.ts';
import { channelName } from '../../scripts/local/bridge.ts';
import { executeOnDirectory } from '../../scripts/local/directory.ts';
import { makeOpsKey } from '../../scripts/local/ops-keys.ts';
import type { NewPartnerKey } from '../../scripts/local/partner-keys.ts';
import { type JournalEntry, type Stack, startStack } from '../../scripts/local/stack.ts';
import { manyOrders, orderFile } from '../worker/order-files.ts';

/** A poll comes every 5 seconds, two hours of looking for an order take 20. */
const TIME_SCALE = 360;
const ORDERS = 30;
/** Of an order that nobody cancels (sandbox/order-life). */
const LIFE = ['received', 'scheduled', 'picked_up', 'at_terminal', 'out_for_delivery', 'delivered'];
const CHANNEL = channelName('test', 'key');

const partner = (name: string): NewPartnerKey => ({
  partner: name,
  displayName: name,
  environment: 'test',
  channel: CHANNEL,
  scacs: ['DEMO'],
  mappings: null,
});

interface LoggedEvent {
  seq: number;
  orderRef: string;
  code: string;
}

let stack: Stack;
let opsKey = '';
let receiver: Server;
/** By partner: the seq of every event that its webhook was told of, by the event's id; the same as often as it came. */
const hooked: Record<string, { id: string; seq: number }[]> = { whole: [] };

/** Takes every event, but for the first of each twenty, which has to come again. */
async function startReceiver(): Promise<void> {
  const refused = new Set<string>();
  receiver = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const { data } = JSON.parse(Buffer.concat(pieces).toString()) as { data: { seq: number } };
      const isRefused = data.seq % 20 === 0 && !refused.has(id);
      if (isRefused) refused.add(id);
      else hooked[request.url?.slice(1) ?? '']?.push({ id, seq: data.seq });
      response.writeHead(isRefused ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
}

async function hook(name: string): Promise<void> {
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}/${name}`;
  const body = JSON.stringify({ url, events: ['order.status'], note: 'a test' });
  await asOps(`/v1/ops/partners/${name}/webhooks/main`, { method: 'PUT', body });
}

/** Each event of the log was told, under a name that no other event has. */
async function isTold(name: string, log: readonly LoggedEvent[]): Promise<void> {
  const seqs = log.map(({ seq }) => seq);
  const told = () => hooked[name] ?? [];
  await until(
    async () => new Set(told().map(({ seq }) => seq)).size,
    (found) => found >= seqs.length,
    60_000,
  );
  expect([...new Set(told().map(({ seq }) => seq))].sort((one, other) => one - other)).toEqual(seqs);
  expect(new Set(told().map(({ id, seq }) => `${id} ${seq}`)).size).toBe(seqs.length);
}

beforeAll(async () => {
  await startReceiver();
  stack = await startStack({
    partners: [partner('whole')],
    timeScale: TIME_SCALE,
  });
  const { key, sql } = makeOpsKey({ name: 'Test', role: 'operator', environments: ['test'] });
  opsKey = key;
  await stack.bridge.stop();
  await executeOnDirectory({ persistTo: stack.persistTo }, sql);
  await stack.startBridge();
  const settings = { statusStepSeconds: 3, orderIndexDelaySeconds: 2 };
  const set = await fetch(`${stack.sandbox.baseUrl}/_sandbox/settings`, {
    method: 'PUT',
    body: JSON.stringify(settings),
  });
  expect(set.status).toBe(200);
});
afterAll(async () => {
  await stack?.stop();
  receiver?.close();
});

async function asOps<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(stack.bridge.baseUrl + path, { ...init, headers: { Authorization: `Bearer ${opsKey}` } });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

const follow = (name: string) =>
  asOps(`/v1/ops/partners/${name}/feed`, {
    method: 'PUT',
    body: JSON.stringify({
      partnerId: `P-${name}`,
      clientId: 'C',
      channel: CHANNEL,
      repairsPerMinute: 60,
      note: 'a test',
    }),
  });

async function orders(name: string, key: string): Promise<void> {
  const path = join(stack.persistTo, `${name}.csv`);
  writeFileSync(path, orderFile(...manyOrders(ORDERS, 1, 0, name)));
  const client = partnerClient(stack.bridge.baseUrl, key);
  const { batchId } = await client.upload(path, 'orders-csv');
  const ended = await client.watch(batchId, () => undefined);
  expect(ended.requestStates).toEqual({ delivered: ORDERS });
}

/** The whole log, page by page, as a partner reads it. */
async function logOf(key: string): Promise<LoggedEvent[]> {
  const log: LoggedEvent[] = [];
  for (let after = '0', more = true; more; ) {
    const answer = await fetch(`${stack.bridge.baseUrl}/v1/order-events?after=${after}&limit=50`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const page = (await answer.json()) as { events: LoggedEvent[]; next: string; more: boolean };
    log.push(...page.events);
    ({ next: after, more } = page);
  }
  return log;
}

async function until<T>(look: () => Promise<T>, holds: (found: T) => boolean, timeoutMs: number): Promise<T> {
  for (const untilMs = Date.now() + timeoutMs; ; ) {
    const found = await look();
    if (holds(found)) return found;
    if (Date.now() > untilMs) throw new Error(`not within ${timeoutMs} ms: ${JSON.stringify(found).slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

const expected = (name: string): string[] =>
  Array.from({ length: ORDERS }, (_, order) => LIFE.map((code) => `${name}-${order} ${code}`))
    .flat()
    .sort();
const told = (log: readonly LoggedEvent[]): string[] => log.map(({ orderRef, code }) => `${orderRef} ${code}`).sort();

const statusCalls = async (): Promise<{ polls: JournalEntry[]; singles: JournalEntry[] }> => {
  const asked = (await stack.journal()).filter(({ path }) => path.endsWith('/order-status/v1/orders'));
  return {
    polls: asked.filter(({ query }) => query.includes('partnerId=')),
    singles: asked.filter(({ query }) => query.includes('orderRef=')),
  };
};

it('a webhook is told of every event of every order under one name, and each order shows its own', async () => {
  const [key = ''] = stack.keys;
  await follow('whole');
  await hook('whole');
  await orders('whole', key);
  const log = await until(
    () => logOf(key),
    (found) => found.length >= ORDERS * LIFE.length,
    60_000,
  );
  expect(told(log)).toEqual(expected('whole'));
  expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: log.length }, (_, index) => index + 1));
  await stack.bridge.kill();
  await stack.startBridge();
  await isTold('whole', log);
  const { polls, singles } = await statusCalls();
  expect(singles).toEqual([]);
  expect(polls.every(({ query }) => new URLSearchParams(query).get('partnerId') === 'P-whole')).toBe(true);
  const waits = polls.slice(1).map(({ receivedAtMs }, index) => receivedAtMs - (polls[index]?.receivedAtMs ?? 0));
  expect(Math.min(...waits)).toBeGreaterThan(4_000); // 5 s less 5 %, and what a busy machine adds to the first of two
  for (const orderRef of ['whole-0', `whole-${ORDERS - 1}`]) {
    const headers = { Authorization: `Bearer ${key}` };
    const shown = await until(
      async () =>
        (await (await fetch(`${stack.bridge.baseUrl}/v1/orders/${orderRef}`, { headers })).json()) as {
          statuses: { code: string }[];
        },
      ({ statuses }) => statuses.length === LIFE.length,
      10_000,
    );
    expect(shown.statuses.map(({ code }) => code)).toEqual(LIFE);
  }
}, 120_000);
