/** What only a real socket shows: broken, endless and lying answers of the receiving system, and uploads of that kind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareDirectory } from '../../scripts/local/bridge.ts';
import { freePort, type RunningWorker } from '../../scripts/local/running.ts';
import { startWorker } from '../../scripts/local/start-worker.ts';
import type { BatchRow } from '../../src/batch/report/summary.ts';
import { answer, type OnWire, type WireUpstream, wireUpstream } from './wire-upstream.ts';

const SECRET = 'canary-secret-of-the-channel';
const GIBIBYTE = 1024 ** 3;
const MEBIBYTE = 1024 ** 2;

const say =
  (text: string) =>
  ({ socket }: OnWire) =>
    void socket.write(text);
/** Answers, then ends the connection as a broken line does. */
const sayAndBreak =
  (text: string) =>
  ({ socket }: OnWire) =>
    void socket.write(text, () => socket.destroy());

function endless({ socket }: OnWire): void {
  const block = Buffer.alloc(MEBIBYTE, 'x');
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${GIBIBYTE}\r\n\r\n`);
  let left = GIBIBYTE / MEBIBYTE;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(block)) {
        socket.once('drain', more);
        return;
      }
    }
  };
  more();
}

function drip({ socket }: OnWire): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
  const timer = setInterval(() => socket.write('x'), 250);
  socket.on('close', () => clearInterval(timer));
}

interface Wanted {
  state: string;
  status: number | null;
  answer?: RegExp;
}
const UNKNOWN: Wanted = { state: 'unknown', status: null };
const DELIVERED: Wanted = { state: 'delivered', status: 200 };

/** Of a milestone: the answer, and what stands in its row after the first sending. */
const ANSWERS: Record<string, [(request: OnWire) => void, Wanted]> = {
  reset: [({ socket }) => socket.resetAndDestroy(), UNKNOWN],
  fin: [({ socket }) => socket.end(), UNKNOWN],
  'junk-status-line': [sayAndBreak('SMTP hello\r\n\r\n'), UNKNOWN],
  'header-of-300-kb': [
    say(answer(200, [`X-Long: ${'x'.repeat(300 * 1024)}`], '{}')),
    { ...DELIVERED, answer: /^\{\}$/ },
  ],
  'header-of-8-mb': [say(answer(200, [`X-Long: ${'x'.repeat(8 * MEBIBYTE)}`], '{}')), UNKNOWN],
  'cut-body': [
    sayAndBreak('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly so much'),
    { ...DELIVERED, answer: /^only so much/ },
  ],
  'bad-chunk': [
    sayAndBreak('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\nZZZ\r\n'),
    { ...DELIVERED, answer: /^first|^$/ },
  ],
  'bad-gzip': [say(answer(200, ['Content-Encoding: gzip'], 'this is no gzip')), DELIVERED],
  html: [say(answer(200, ['Content-Type: text/html'], '<html>welcome</html>')), { ...DELIVERED, answer: /^<html>/ }],
  empty: [say(answer(200, [], '')), { ...DELIVERED, answer: /^$/ }],
  drip: [drip, { ...DELIVERED, answer: /^x{20,}$/ }],
  endless: [endless, { ...DELIVERED, answer: /^x{500,}$/ }],
};

/** Where redirects lead; `other` is a second host that must never hear of anything. */
const PLACES: Record<string, (self: number, other: number) => string> = {
  'same-host': (self) => `http://127.0.0.1:${self}/same-host-elsewhere`,
  'other-host': (_, other) => `http://127.0.0.1:${other}/steal`,
  plain: (_, other) => `http://localhost:${other}/steal`,
  loop: () => '',
  bad: () => 'ht!tp:// nowhere',
};
const REDIRECTS = [301, 302, 303, 307, 308].flatMap((status) =>
  Object.keys(PLACES).map((place) => ({ name: `r${status}-${place}`, status, place })),
);

/** Of a create: never sent a second time, whatever the wire does. */
const CREATES: Record<string, [(request: OnWire) => void, Wanted]> = {
  'create-cut': [
    sayAndBreak('HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n{"id":"0b6f2a53-6c1e'),
    { state: 'unknown', status: 201 },
  ],
  'create-bad-gzip': [say(answer(201, ['Content-Encoding: gzip'], 'no gzip')), { state: 'unknown', status: 201 }],
  'create-reset': [({ socket }) => socket.resetAndDestroy(), UNKNOWN],
  'create-fin': [({ socket }) => socket.end(), UNKNOWN],
};

const OTHER_ADDRESSES = ['refused', 'no-tls', 'no-such-name'] as const;
const NAMES = [
  ...Object.keys(ANSWERS),
  ...REDIRECTS.map(({ name }) => name),
  ...Object.keys(CREATES),
  ...OTHER_ADDRESSES,
];

let upstream: WireUpstream;
let other: WireUpstream;
let noTls: WireUpstream;
let bridge: RunningWorker;
let folder: string;
const keys = new Map<string, string>();

beforeAll(async () => {
  other = await wireUpstream({});
  noTls = await wireUpstream({}, (socket) => socket.end(answer(400, [], 'no TLS here')));
  const acts: Record<string, (request: OnWire) => void> = {};
  for (const [name, [act]] of [...Object.entries(ANSWERS), ...Object.entries(CREATES)]) acts[name] = act;
  for (const { name, status, place } of REDIRECTS) {
    acts[name] = ({ socket, head }) => {
      const to = PLACES[place]?.(upstream.port, other.port) || (/^\S+ (\S+)/.exec(head)?.[1] ?? '');
      socket.write(answer(status, [`Location: ${to}`], ''));
    };
  }
  upstream = await wireUpstream(acts);
  const closedPort = await freePort();
  const addresses: Record<string, string> = {
    refused: `http://127.0.0.1:${closedPort}/refused`,
    'no-tls': `https://127.0.0.1:${noTls.port}/no-tls`,
    // A label longer than a name may have: looked up nowhere, so that nothing leaves this machine.
    'no-such-name': `https://${'n'.repeat(64)}.invalid`,
  };
  const channels = NAMES.map((name) => ({
    name,
    environment: 'test',
    baseUrl: addresses[name] ?? `http://127.0.0.1:${upstream.port}/${name}`,
    scacs: ['DEMO'],
  }));
  const secret = { apiKey: SECRET, clientId: SECRET, clientSecret: SECRET };
  folder = mkdtempSync(join(tmpdir(), 'transload-wire-'));
  const persistTo = join(folder, 'bridge');
  const partners = NAMES.map((name) => ({
    partner: name,
    displayName: name,
    environment: 'test' as const,
    channel: name,
    scacs: ['DEMO'],
    mappings: null,
  }));
  for (const [at, { key }] of (await prepareDirectory(persistTo, partners)).entries()) keys.set(NAMES[at] ?? '', key);
  bridge = await startWorker({
    config: 'wrangler.toml',
    // In real time: a second sending is a minute away, and nothing but the first is seen here.
    vars: { TIME_SCALE: '1', CHANNELS: JSON.stringify(channels) },
    secrets: { CHANNEL_SECRETS: JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, secret]))) },
    persistTo,
    readyPath: '/healthz',
  });
});
afterAll(async () => {
  await bridge?.stop();
  await Promise.all([upstream?.stop(), other?.stop(), noTls?.stop()]);
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const MILESTONE =
  'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL\nW1,X3,NS,03/02/2026,08:15,CT,Joliet,IL,1,774411,BOL-1\n';
const ORDER =
  'Order No,Shipper,Service,Deliver On,Ship To,Street,City,State,ZIP,Phone,E-Mail,Instructions,PO Number,SKU,Item,Qty,Weight lb\n' +
  'W-1,acme,Threshold,2026-03-09,Consignee,12 Elm St,Joliet,IL,60431,,,,,S-1,,1,\n';

const as = (name: string) => ({ Authorization: `Bearer ${keys.get(name)}` });

/** Uploads one row over the channel of this name and waits for what its first sending comes to. */
async function sent(
  name: string,
  mapping = 'carrier-status-csv',
  file = MILESTONE,
): Promise<BatchRow['requests'][number]> {
  const address = `${bridge.baseUrl}/v1/batches?mapping=${mapping}`;
  const taken = await fetch(address, { method: 'PUT', headers: as(name), body: file });
  expect(taken.status).toBe(202);
  const { batchId } = (await taken.json()) as { batchId: string };
  for (const untilMs = Date.now() + 40_000; ; ) {
    const page = await fetch(`${bridge.baseUrl}/v1/batches/${batchId}/rows`, { headers: as(name) });
    const { rows } = (await page.json()) as { rows: BatchRow[] };
    const request = rows[0]?.requests[0];
    if (request && request.state !== 'queued' && request.state !== 'sending') return request;
    if (Date.now() > untilMs) throw new Error(`${name}: nothing became of ${JSON.stringify(rows)}`);
    await new Promise((wait) => setTimeout(wait, 50));
  }
}

const times = (name: string): number => upstream.received.get(name)?.length ?? 0;

describe.concurrent('a milestone that is answered by', () => {
  it.each(Object.entries(ANSWERS).map(([name, [, wanted]]) => ({ name, wanted })))(
    '$name is sent once and $wanted.state, with the status that came',
    async ({ name, wanted }) => {
      const { state, status, answer: said } = await sent(name);
      expect({ state, status }).toEqual({ state: wanted.state, status: wanted.status });
      if (wanted.answer) expect(said).toMatch(wanted.answer);
      expect(times(name)).toBe(1);
    },
  );
});

describe.concurrent('a milestone whose receiving system cannot be reached', () => {
  it.each(OTHER_ADDRESSES)(
    'because of %s may have arrived for all anybody knows: unknown, never rejected',
    async (name) => {
      expect(await sent(name)).toMatchObject({ state: 'unknown', status: null });
    },
  );
});

describe.concurrent('a redirect', () => {
  it.each(REDIRECTS)('$status to $place is not followed, and given up with its status', async ({ name, status }) => {
    expect(await sent(name)).toMatchObject({ state: 'dead', status, reason: 'redirected', outcome: 'not_applied' });
    expect(times(name)).toBe(1);
  });
});

describe.concurrent('a create that is answered by', () => {
  it.each(Object.entries(CREATES).map(([name, [, wanted]]) => ({ name, wanted })))(
    '$name is looked up and never sent again',
    async ({ name, wanted }) => {
      const { state, status } = await sent(name, 'orders-csv', ORDER);
      expect({ state, status }).toEqual(wanted);
      expect(upstream.received.get(name)?.filter(({ head }) => head.startsWith('POST'))).toHaveLength(1);
    },
  );
});

describe('once all of them have been sent', () => {
  it('little of a gibibyte has crossed the wire', () => {
    expect(upstream.written('endless')).toBeGreaterThan(0);
    expect(upstream.written('endless')).toBeLessThan(GIBIBYTE / 8);
  });

  it('no redirect has reached the host it leads to with anything', () => {
    expect(times('same-host-elsewhere')).toBe(0);
    expect(other.heard()).toBe('');
  });

  it('a system that speaks no TLS has heard something, and no secret', () => {
    expect(noTls.heard()).not.toBe('');
    expect(noTls.heard()).not.toContain(SECRET);
  });
});

/** Sends a request head, then what `feed` writes, and resolves with all that came back when the connection ends. */
function upload(
  name: string,
  head: readonly string[],
  feed: (write: (bytes: Buffer | string) => Promise<boolean>) => Promise<void>,
): Promise<string> {
  return new Promise((done) => {
    const socket = connect(bridge.port, '127.0.0.1');
    let came = '';
    const write = (bytes: Buffer | string): Promise<boolean> =>
      new Promise((written) => {
        if (socket.destroyed || came !== '') written(false);
        else socket.write(bytes, (failed) => written(!failed));
      });
    const over = (): void => {
      socket.destroy();
      done(came);
    };
    socket.on('data', (chunk) => {
      came += chunk;
      if (came.includes('\r\n\r\n')) setTimeout(over, 100);
    });
    socket.on('error', over);
    socket.on('close', over);
    const lines = [
      `PUT /v1/batches?mapping=carrier-status-csv HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${keys.get(name)}`,
    ];
    void write(`${[...lines, ...head].join('\r\n')}\r\n\r\n`).then(() => feed(write));
  });
}

const batchesOf = async (name: string): Promise<number> => {
  const page = await fetch(`${bridge.baseUrl}/v1/batches`, { headers: as(name) });
  return ((await page.json()) as { batches: unknown[] }).batches.length;
};

describe('an upload', () => {
  const name = 'empty';

  it('that comes a few bytes at a time is taken whole, and holds up nobody else', async () => {
    const bytes = MILESTONE.replaceAll('W1', 'SLOW');
    const slow = upload(name, [`Content-Length: ${bytes.length}`], async (write) => {
      for (let at = 0; at < bytes.length; at += 16) {
        await write(bytes.slice(at, at + 16));
        await new Promise((wait) => setTimeout(wait, 60));
      }
    });
    const startedMs = Date.now();
    expect(await batchesOf('html')).toBeGreaterThanOrEqual(0);
    expect(Date.now() - startedMs).toBeLessThan(500);
    expect(await slow).toContain('HTTP/1.1 202');
  });

  it('in chunks without an end is refused as too large, and becomes no batch', async () => {
    const before = await batchesOf(name);
    const chunk = Buffer.alloc(MEBIBYTE, 'x');
    const framed = Buffer.concat([Buffer.from(`${MEBIBYTE.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
    const came = await upload(name, ['Transfer-Encoding: chunked'], async (write) => {
      for (let written = 0; written < 200 && (await write(framed)); written += 1);
    });
    // The Worker answers 413 and reads no further; the development server before it may then refuse in its own way, or just end.
    expect(came).toMatch(/^(?:$|HTTP\/1\.1 [45]\d\d )/);
    expect(await batchesOf(name)).toBe(before);
  });
});
