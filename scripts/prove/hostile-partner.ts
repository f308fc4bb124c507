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

/** What answers came, by status. */
export type Answers = Map<number, number>;

export interface HostilePlan {
  baseUrl: string;
  key: string;
  newLoads: number;
  poisonRows: number;
  isOver: () => boolean;
}

export async function beHostile(plan: HostilePlan): Promise<Answers> {
  const answers: Answers = new Map();
  const call = async (path: string, init: RequestInit = {}, key = plan.key): Promise<void> => {
    const headers = { Authorization: `Bearer ${key}`, 'CF-Connecting-IP': ADDRESS, ...init.headers };
    try {
      const answer = await fetch(plan.baseUrl + path, { ...init, headers, signal: AbortSignal.timeout(20_000) });
      await answer.arrayBuffer();
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
    } catch {
      answers.set(0, (answers.get(0) ?? 0) + 1);
    }
  };
  const put = (scac: string, body: BodyInit, mapping = 'carrier-status-csv') =>
    call(`/v1/batches?mapping=${mapping}&scac=${scac}`, { method: 'PUT', body });
  await put('DEMO', rowsFile('HOSTILE-NEW', plan.newLoads));
  await put('DEMO', rowsFile(`HOSTILE-${POISON}`, plan.poisonRows));
  for (const scac of REFUSED_SCACS) await put(scac, rowsFile(`HOSTILE-${scac}`, 50));
  const slow = Array.from({ length: 20 }, () => dripping(plan));
  let at = 0;
  const kinds: [perSecond: number, send: () => Promise<void>][] = [
    [30, () => call('/v1/batches?limit=100')],
    [10, () => put('DEMO', rowsFile(`HOSTILE-${at++}`, 20))],
    [5, () => call('/v1/mappings/carrier-status-csv/preview', { method: 'POST', body: PREVIEWED })],
    [5, () => put('DEMO', MALFORMED[at++ % MALFORMED.length] ?? '', at % 2 === 0 ? 'xlsx-status' : 'xml-status')],
    [10, () => call('/v1/batches', {}, `tl_test_${'0'.repeat(16)}_${String(at++).padStart(64, '0')}`)],
    [
      2,
      () =>
        call('/v1/batches?mapping=carrier-status-csv&scac=DEMO', {
          method: 'PUT',
          body: oversized(),
          duplex: 'half',
        } as RequestInit),
    ],
  ];
  await Promise.all(kinds.map(([perSecond, send]) => paced(perSecond, send, plan.isOver)));
  for (const socket of slow) socket.destroy();
  return answers;
}

/** Does not wait for answers: whoever floods does not either. */
async function paced(perSecond: number, send: () => Promise<void>, isOver: () => boolean): Promise<void> {
  const open = new Set<Promise<void>>();
  for (let dueMs = Date.now(); !isOver(); dueMs += 1_000 / perSecond) {
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
function dripping({ baseUrl, key, isOver }: HostilePlan) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `PUT /v1/batches?mapping=carrier-status-csv&scac=DEMO HTTP/1.1\r\nHost: bridge\r\nAuthorization: Bearer ${key}\r\nContent-Length: 100000\r\n\r\n`,
  );
  const timer = setInterval(() => {
    if (isOver() || socket.destroyed) clearInterval(timer);
    else socket.write('x');
  }, 500);
  return socket;
}
