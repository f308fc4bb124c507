/**
 * A fixed sequence of calls against a stack that has just started, and what each was answered: every route, every
 * fixture, every role.
 *
 * What a call is answered depends on the calls before it alone: waits end when a batch has ended, never by the clock.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '../local/stack.ts';

export type Role = 'nobody' | 'carrier' | 'shipper' | 'operator' | 'viewer';

interface Call {
  role: Role;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

export interface Exchange extends Call {
  status: number;
  answerHeaders: [string, string][];
  answer: string;
}

interface Fixture {
  mapping: string;
  name: string;
  file: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** By which key each mapping's files are sent: orders and plain milestones need a channel with a token. */
const SHIPPER_MAPPINGS =
  /^(?:orders|order-changes|x12-(?:204|850|860|940)|edifact-iftmin|load-milestones|carrier-events|carrier-status-semicolon)/;
const ENDED = ['settled', 'unreadable', 'cancelled'];
const WAIT_MS_MAX = 120_000;
const JSON_BODY = { 'content-type': 'application/json' };
const PAGE = { accept: 'text/html' };

export function fixturesIn(folder: string): Fixture[] {
  const folders = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !['samples', 'stored', 'unseen'].includes(entry.name),
  );
  return folders
    .map(({ name }) => name)
    .sort()
    .flatMap((mapping) =>
      readdirSync(join(folder, mapping))
        .sort()
        .flatMap((name) => {
          const input = readdirSync(join(folder, mapping, name)).find((file) => file.startsWith('input.'));
          if (input === undefined) return [];
          return [
            { mapping, name, file: input, bytes: new Uint8Array(readFileSync(join(folder, mapping, name, input))) },
          ];
        }),
    );
}

const senderOf = ({ mapping }: Fixture): 'carrier' | 'shipper' =>
  SHIPPER_MAPPINGS.test(mapping) ? 'shipper' : 'carrier';

export class Driver {
  readonly exchanges: Exchange[] = [];
  readonly #stack: Stack;
  readonly #keys: ReadonlyMap<Role, string>;
  /** With what the pages are opened: a cookie. A role without one opens them with its key, as earlier releases did. */
  readonly #sessions: ReadonlyMap<Role, string>;

  constructor(stack: Stack, keys: ReadonlyMap<Role, string>, sessions: ReadonlyMap<Role, string>) {
    this.#stack = stack;
    this.#keys = keys;
    this.#sessions = sessions;
  }

  async call(call: Call): Promise<Exchange> {
    const exchange = await this.#fetch(call);
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Sends every fixture as its partner would, one after the other, and reads all that is told of it. */
  async fixtures(fixtures: readonly Fixture[], said: (text: string) => void): Promise<Map<string, string>> {
    const batches = new Map<string, string>();
    for (const fixture of fixtures) {
      said(`${fixture.mapping}/${fixture.name}`);
      const batchId = await this.#send(fixture);
      if (batchId !== null) batches.set(`${fixture.mapping}/${fixture.name}`, batchId);
    }
    return batches;
  }

  async #send(fixture: Fixture): Promise<string | null> {
    const role = senderOf(fixture);
    const query = `mapping=${fixture.mapping}&fileName=${fixture.file}`;
    await this.call({ role, method: 'POST', path: `/v1/mappings/${fixture.mapping}/preview`, body: fixture.bytes });
    const sent = await this.call({
      role,
      method: 'PUT',
      path: `/v1/batches?${query}&scac=${scacOf(role)}`,
      body: fixture.bytes,
    });
    const { batchId = null } = JSON.parse(sent.answer) as { batchId?: string };
    if (batchId === null) return null;
    await this.#ended(role, batchId);
    const of = `/v1/batches/${batchId}`;
    for (const part of [
      '',
      '/rows?limit=1000',
      '/report.csv',
      '/report.json',
      '/corrections',
      '/source',
      '/acknowledgment',
    ]) {
      await this.call({ role, method: 'GET', path: of + part });
    }
    await this.call({ role, method: 'GET', path: `/console/batches/${batchId}`, headers: PAGE });
    for (const other of others(role)) await this.call({ role: other, method: 'GET', path: of });
    await this.call({ role, method: 'PUT', path: `/v1/batches?${query}&scac=${scacOf(role)}`, body: fixture.bytes });
    return batchId;
  }

  async #ended(role: Role, batchId: string): Promise<void> {
    for (const untilMs = Date.now() + WAIT_MS_MAX; ; ) {
      const { answer } = await this.#fetch({ role, method: 'GET', path: `/v1/batches/${batchId}` });
      const { state = '', rowStates = {} } = JSON.parse(answer) as {
        state?: string;
        rowStates?: Record<string, number>;
      };
      const onlyHeld = state === 'delivering' && Object.keys(rowStates).every((each) => !OPEN.has(each));
      if (ENDED.includes(state) || onlyHeld) return;
      if (Date.now() > untilMs) throw new Error(`Batch ${batchId} did not end: ${answer}`);
      await new Promise((wait) => setTimeout(wait, 100));
    }
  }

  async #fetch(call: Call): Promise<Exchange> {
    const key = this.#keys.get(call.role);
    const session = call.path.startsWith('/console') ? this.#sessions.get(call.role) : undefined;
    const signedIn = session === undefined ? basic(key) : { cookie: session };
    const answer = await fetch(this.#stack.bridge.baseUrl + call.path, {
      method: call.method,
      redirect: 'manual',
      headers: { ...signedIn, ...call.headers },
      ...(call.body === undefined ? {} : { body: call.body }),
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return { ...call, status: answer.status, answerHeaders: [...answer.headers].sort(), answer: textOf(bytes) };
  }
}

const basic = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Basic ${btoa(`any:${key}`)}` };

const OPEN = new Set(['queued', 'sending', 'waiting', 'unknown', 'reading']);
const scacOf = (role: Role): string => (role === 'shipper' ? 'ACME' : 'DEMO');
const others = (role: Role): Role[] =>
  (['nobody', 'carrier', 'shipper', 'operator', 'viewer'] as const).filter((each) => each !== role);

/** Bytes that are no UTF-8 are shown a character per byte. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

const WEBHOOK = { url: 'https://hooks.example.com/in', events: ['batch.settled'], note: 'for the record' };
const FEED = {
  partnerId: 'P-1',
  clientId: 'C-1',
  channel: 'sandbox-test-bearer',
  scac: 'ACME',
  note: 'for the record',
};

/** Calls of every route, as every role; ids are of batches that the fixtures made. */
export function routeCalls(batches: ReadonlyMap<string, string>): Call[] {
  const batch = batches.get('carrier-status-csv/mixed') ?? 'none';
  const orders = batches.get('orders-csv/clean') ?? 'none';
  const message = `/v1/messages/${batch}/1`;
  const gets: string[] = [
    '/',
    '/console',
    '/healthz',
    '/console/live.js',
    ...['', '/progress', '/report.csv', '/report.json', '/corrections', '/source', '/acknowledgment'].map(
      (part) => `/console/batches/${batch}${part}`,
    ),
    '/console/loads/LD482001',
    '/console/loads/LD482001/events.csv',
    '/console/loads/NONE',
    '/console/orders',
    '/console/orders/SO-1',
    '/console',
    '/console/feeds',
    '/console/feeds/acme-freight',
    '/console/orders/acme-freight/SO-1',
    '/console/webhooks',
    '/console/partners/acme-freight/envelopes',
    '/console/answer-mappings',
    '/v1/batches',
    '/v1/batches?limit=2',
    ...[
      '',
      '/rows',
      '/rows?state=invalid',
      '/report.csv',
      '/report.json',
      '/corrections',
      '/source',
      '/acknowledgment',
    ].map((part) => `/v1/batches/${batch}${part}`),
    `/v1/batches/${orders}`,
    '/v1/batches/b_00000000000000000000000000',
    '/v1/batches/nothing',
    message,
    `${message}/rows`,
    `${message}/source`,
    `${message}/acknowledgment`,
    '/v1/loads/LD482001',
    '/v1/loads/LD482001?scac=DEMO',
    '/v1/loads/NONE',
    '/v1/orders',
    '/v1/orders/SO-1',
    '/v1/orders/NONE',
    '/v1/orders/SO-1/tracks',
    '/v1/order-events',
    '/v1/order-events.csv',
    '/v1/order-events.edi',
    '/v1/vehicles',
    '/v1/vehicles.csv',
    '/v1/vehicles/700001',
    '/v1/vehicles/none',
    '/v1/service-history?vehicleNumber=700001',
    '/v1/service-history.csv?vehicleNumber=700001',
    '/v1/locations?state=TX',
    '/v1/locations.csv?state=TX',
    '/v1/locations/L100',
    '/v1/mappings',
    '/v1/mappings/carrier-status-csv',
    '/v1/mappings/nothing',
    '/v1/mappings/x12-214/sample',
    ...[
      'actions/a_00000000000000000000000000000000',
      'alerts',
      'answer-mappings/order-status',
      'batches',
      `batches/${batch}`,
      `batches/${batch}/look-ups`,
      `batches/${batch}/rerun`,
      'code-lists',
      'code-lists/carrier-status',
      'code-lists/carrier-status/history',
      'feeds',
      'health',
      'letters',
      `letters/${batch}/0/0`,
      'mappings',
      'mappings/carrier-status-csv',
      'mappings/carrier-status-csv/diff',
      'mappings/carrier-status-csv/history',
      'orders/acme-freight/SO-1',
      'partners/acme-freight/envelopes',
      'partners/acme-freight/feed',
      'partners/acme-freight/webhooks',
      'partners/acme-freight/webhooks/one',
      'partners/acme-freight/webhooks/one/deliveries',
    ].map((path) => `/v1/ops/${path}?environment=test`),
  ];
  const roles: readonly Role[] = ['nobody', 'carrier', 'shipper', 'viewer', 'operator'];
  const write = (method: string, path: string, body: unknown): Call[] =>
    roles.map((role) => ({ role, method, path, headers: JSON_BODY, body: JSON.stringify(body) }));
  const why = { why: 'for the record' };
  const note = { note: 'for the record' };
  const partner = '/v1/ops/partners/acme-freight';
  return [
    ...gets.flatMap((path) =>
      roles.map((role) => ({ role, method: 'GET', path, headers: path.startsWith('/console') ? PAGE : {} })),
    ),
    ...write('PUT', `${partner}/webhooks/one?environment=test`, WEBHOOK),
    ...write('POST', `${partner}/webhooks/one/rotate?environment=test`, note),
    ...write('POST', `${partner}/webhooks/one/deliveries/none/send-again?environment=test`, why),
    ...write('DELETE', `${partner}/webhooks/one?environment=test&note=done`, why),
    ...write('PUT', `${partner}/envelopes?environment=test`, { rules: {}, note: 'for the record' }),
    ...write('PUT', `${partner}/feed?environment=test`, FEED),
    ...['poll', 'repair'].flatMap((act) => write('POST', `/v1/ops/feeds/acme-freight/${act}?environment=test`, why)),
    ...write('POST', '/v1/ops/feeds/acme-freight/skip?environment=test', { orderRef: 'SO-1', ...why }),
    ...write('POST', '/v1/ops/feeds/acme-freight/polls/99/reread?environment=test', why),
    ...write('PUT', '/v1/ops/answer-mappings/order-status?environment=test', { mapping: {}, note: 'for the record' }),
    ...write('PUT', '/v1/ops/orders/acme-freight/SO-1/base?environment=test', { document: {}, ...why }),
    ...write('PUT', '/v1/ops/mappings/carrier-status-csv?environment=test', {
      document: 'mapping: x',
      note: 'for the record',
    }),
    ...write('PUT', '/v1/ops/code-lists/carrier-status?environment=test', {
      document: 'list: x',
      note: 'for the record',
    }),
    ...write('PATCH', '/v1/ops/code-lists/carrier-status?environment=test', { entries: {}, note: 'for the record' }),
    ...write('POST', '/v1/ops/mappings/carrier-status-csv/rollback?environment=test', { to: '0'.repeat(64), ...note }),
    ...write('POST', '/v1/ops/code-lists/carrier-status/rollback?environment=test', { to: '0'.repeat(64), ...note }),
    ...write('POST', '/v1/ops/channels/sandbox-test/release?environment=test', {
      scope: 'auth',
      reason: 'for the record',
    }),
    ...write('POST', `/v1/ops/letters/${batch}/0/0/decisions?environment=test`, { decision: 'close', ...why }),
    ...write('POST', '/v1/ops/replays?environment=test&dryRun=true', {
      partner: 'demo-carrier',
      batches: [batch],
      ...why,
    }),
    ...write('POST', '/v1/ops/actions/a_00000000000000000000000000000000/cancel?environment=test', why),
    ...write('POST', `/v1/batches/${batch}/cancel?dryRun=true`, {}),
    ...write('POST', `/v1/batches/${batch}/retry?dryRun=true`, {}),
    ...write('POST', '/v1/batches?mapping=nothing', {}),
    ...write('POST', '/v1/batches/file.csv?mapping=nothing', {}),
    ...write('PUT', '/v1/batches/file.csv?mapping=nothing', {}),
    ...write('POST', '/v1/messages?mapping=carrier-events-json', {}),
  ];
}
