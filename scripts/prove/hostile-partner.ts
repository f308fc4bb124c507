/** One partner that does all it can to be in everybody's way, at a pace that one machine can make. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pause } from '../local/client.ts';

/** Loads of rows that the receiving system answers with 500, by what stands in their number. */
export const POISON = 'POISON';
/** Carriers for which it answers 403. */
export const REFUSED_SCACS = ['ACME', 'CSCT', 'ABCD'] as const;
const ADDRESS = '192.0.2.66';

const HEAD = 'Load #,Status,Reason,Event Date,Event Time,TZ,City,State,Stop,Pro Number,BOL';
/** Rows of loads of their own. */
export const rowsFile = (prefix: string, rows: number): string =>
  `${[HEAD, ...Array.from({ length: rows }, (_, at) => `${prefix}-${at},X3,NS,03/02/2026,08:15,CT,Joliet,IL,1,774411,B1`)].join('\n')}\n`;

/** What it was answered. */
export interface Answers {
  /** By what was sent: how often each status came; 0: none did. */
  counts: Map<string, Map<number, number>>;
  /** Refusals that do not say what they should: why, and when to come again. */
  unsaid: Set<string>;
}

/** @property keys all of one partner. */
export interface HostilePlan {
  baseUrl: string;
  keys: readonly string[];
  newLoads: number;
  poisonRows: number;
  untilMs: number;
}

type Call = (what: string, path: string, init?: RequestInit, key?: string) => Promise<void>;

export async function beHostile(plan: HostilePlan): Promise<Answers> {
  const answers: Answers = { counts: new Map(), unsaid: new Set() };
  const call = caller(plan, answers);
  const put = (what: string, scac: string, body: BodyInit, mapping = 'carrier-status-csv'): Promise<void> =>
    call(what, `/v1/batches?mapping=${mapping}&scac=${scac}`, { method: 'PUT', body, duplex: 'half' } as RequestInit);
  await put('new loads', 'DEMO', rowsFile('HOSTILE-NEW', plan.newLoads));
  await put('poison', 'DEMO', rowsFile(`HOSTILE-${POISON}`, plan.poisonRows));
  for (const scac of REFUSED_SCACS) await put('refused SCACs', scac, rowsFile(`HOSTILE-${scac}`, REFUSED_ROWS));
  const slow = Array.from({ length: SLOW_UPLOADS }, () => dripping(plan));
  let at = 0;
  const kinds: [perSecond: number, send: () => Promise<void>][] = [
    [30, () => call('lists', '/v1/batches?limit=100')],
    [10, () => put('files', 'DEMO', rowsFile(`HOSTILE-${at++}`, 20))],
    [5, () => call('previews', '/v1/mappings/carrier-status-csv/preview', { method: 'POST', body: PREVIEWED })],
    [
      5,
      () =>
        put('malformed', 'DEMO', MALFORMED[at++ % MALFORMED.length] ?? '', at % 2 === 0 ? 'xlsx-status' : 'xml-status'),
    ],
    [10, () => call('wrong keys', '/v1/batches', {}, wrongKey(plan.keys, at++))],
    [2, () => put('oversized', 'DEMO', oversized())],
  ];
  await Promise.all(kinds.map(([perSecond, send]) => paced(perSecond, send, plan.untilMs)));
  for (const socket of slow) socket.destroy();
  return answers;
}

/** The id of a right one, so that it is looked for, and another secret. */
const wrongKey = ([key = '']: readonly string[], at: number): string =>
  `${key.slice(0, key.lastIndexOf('_'))}_${String(at).padStart(64, '0')}`;

const REFUSED_ROWS = 50;
const SLOW_UPLOADS = 20;
const ANSWER_MS_MAX = 20_000;

/** Its keys take turns. */
function caller({ baseUrl, keys }: HostilePlan, { counts, unsaid }: Answers): Call {
  let turn = 0;
  return async (what, path, init = {}, key = keys[turn++ % keys.length]) => {
    const headers = { Authorization: `Bearer ${key}`, 'CF-Connecting-IP': ADDRESS, ...init.headers };
    const of = counts.get(what) ?? new Map<number, number>();
    counts.set(what, of);
    let status = 0;
    try {
      const answer = await fetch(baseUrl + path, { ...init, headers, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
      const text = await answer.text();
      status = answer.status;
      const missing = missingIn(answer, text);
      if (missing !== undefined) unsaid.add(`${what} ${status} without ${missing}`);
    } catch {
      // Cut off, by itself or by the bridge: counted as no answer.
    }
    of.set(status, (of.get(status) ?? 0) + 1);
  };
}

/** @returns what a refusal should say and does not. */
function missingIn({ status, headers }: Response, text: string): string | undefined {
  if (status < 400) return undefined;
  if (!/"code": ?"\w+"/.test(text)) return 'a code';
  return (status === 429 || status === 503) && !headers.has('Retry-After') ? 'Retry-After' : undefined;
}

/** Does not wait for answers: whoever floods does not either. */
async function paced(perSecond: number, send: () => Promise<void>, untilMs: number): Promise<void> {
  const open = new Set<Promise<void>>();
  for (let dueMs = Date.now(); Date.now() < untilMs; dueMs += 1_000 / perSecond) {
    await pause(dueMs - Date.now());
    if (open.size >= perSecond * 5) continue;
    const sent: Promise<void> = send().finally(() => open.delete(sent));
    open.add(sent);
  }
  await Promise.all(open);
}

const PREVIEWED = rowsFile('PREVIEW', 100);
const MALFORMED: BodyInit[] = [
  Buffer.alloc(64 * 1024, 0xff),
  gzipSync(Buffer.alloc(8 * 1024 * 1024)),
  `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "${'x'.repeat(1_000)}">]><a>&b;</a>`,
  '<a>'.repeat(50_000),
  Buffer.from('PK\u0003\u0004 and no more of it'),
  `{"a":${'['.repeat(50_000)}`,
];

/** No length is said: it ends when it is cut off. */
const oversized = (): BodyInit => {
  const part = new Uint8Array(256 * 1024).fill(65);
  let left = 16; // MB of it are enough on one machine
  return new ReadableStream({
    pull: (controller) => {
      if (left-- > 0) controller.enqueue(part);
      else controller.error(new Error('gone'));
    },
  });
};

/** An upload that sends a byte now and then. */
function dripping({ baseUrl, keys, untilMs }: HostilePlan) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `PUT /v1/batches?mapping=carrier-status-csv&scac=DEMO HTTP/1.1\r\nHost: bridge\r\nAuthorization: Bearer ${keys[0] ?? ''}\r\nContent-Length: 100000\r\n\r\n`,
  );
  const timer = setInterval(() => {
    if (Date.now() >= untilMs || socket.destroyed) clearInterval(timer);
    else socket.write('x');
  }, 500);
  return socket;
}
