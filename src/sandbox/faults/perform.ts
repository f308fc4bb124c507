/**
 * Turns a delivery into a real `Response`: waiting, dripping, cutting, dropping the connection.
 *
 * What a client sees of a dropped connection depends on what is in front of this Worker (measured):
 * - bare workerd: the connection closes before a byte of the answer. Node's fetch rejects (`UND_ERR_SOCKET`), a fetch
 *   in workerd throws "Network connection lost."
 * - `wrangler dev`: its proxy receives the drop. It answers a POST, PUT or DELETE with a 500 of its own that says
 *   "Network connection lost."; a GET it would silently send again, so with DEV_PROXY=1 a GET is cut after its headers
 *   instead. If those do not leave in time, on a busy machine, it still does: harnesses that count requests start bare
 *   workerd. It also reads every 400 to its end before passing it on, so a cut or garbled 400 arrives as a 500 of its own.
 * A cut body ends in an error for the client in both, after status and headers arrived.
 */
import type { Answer } from '../http.ts';
import type { Delivery } from './faults.ts';

/** Lets the headers and the kept bytes reach the wire before the connection ends; without it all of it is dropped. */
const FLUSH_MS = 30;
const PAD_CHUNK = new Uint8Array(64 * 1024).fill(0x20);
const NULL_BODY_STATUSES = [204, 205, 304];

export async function perform(delivery: Delivery, method: string, behindDevProxy: boolean): Promise<Response> {
  const { answer, manner } = delivery;
  if (delivery.waitMs > 0) await wait(delivery.waitMs);
  switch (manner.kind) {
    case 'whole':
      return respond(answer, NULL_BODY_STATUSES.includes(answer.status) ? null : answer.body);
    case 'reset':
      return respond(answer, behindDevProxy && method === 'GET' ? cutAfter(answer, 1) : dropped());
    case 'cut':
      return respond(answer, cutAfter(answer, manner.keepBytes));
    case 'drip':
      return respond(answer, dripped(answer, manner.chunkBytes, manner.everyMs));
    case 'padded':
      return respond(answer, padded(answer, manner.bodyBytes));
  }
}

function respond({ status, headers }: Answer, body: BodyInit | null): Response {
  // Manual: the bytes are sent unchanged, even if a fault says that they are gzip.
  return new Response(body, { status, headers, encodeBody: 'manual' });
}

function dropped(): ReadableStream {
  return new ReadableStream({
    pull(controller) {
      controller.error(new Error('connection dropped by a fault rule'));
    },
  });
}

function cutAfter(answer: Answer, keepBytes: number): ReadableStream {
  const kept = new TextEncoder().encode(answer.body).slice(0, Math.max(1, keepBytes));
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(kept);
      await wait(FLUSH_MS);
      controller.error(new Error('body cut by a fault rule'));
    },
  });
}

function dripped(answer: Answer, chunkBytes: number, everyMs: number): ReadableStream {
  const bytes = new TextEncoder().encode(answer.body);
  let sentBytes = 0;
  return new ReadableStream({
    async pull(controller) {
      await wait(everyMs);
      controller.enqueue(bytes.slice(sentBytes, sentBytes + chunkBytes));
      sentBytes += chunkBytes;
      if (sentBytes >= bytes.length) controller.close();
    },
  });
}

function padded(answer: Answer, bodyBytes: number): ReadableStream {
  const bytes = new TextEncoder().encode(answer.body);
  let leftBytes = Math.max(0, bodyBytes - bytes.length);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
    },
    pull(controller) {
      if (leftBytes === 0) return controller.close();
      const size = Math.min(leftBytes, PAD_CHUNK.length);
      leftBytes -= size;
      controller.enqueue(PAD_CHUNK.slice(0, size));
    },
  });
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
