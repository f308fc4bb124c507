/**
 * One HTTP request as plain values, so that everything that judges it is pure and the object can be called by RPC.
 *
 * Secrets are still in it; `masking.ts` takes them out before anything is kept.
 */

/** Longest request body that is read: 4 MiB. Our choice; upstream states no limit (seed 8). */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;

export interface Received {
  method: string;
  /** Without origin and query, as sent. */
  path: string;
  /** In the order sent, repeats kept. */
  query: [name: string, value: string][];
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Empty when the body was longer than BODY_BYTES_MAX; `bodyBytes` then says how much was read. */
  body: string;
  bodyBytes: number;
}

/** Reads a request to its end or to the cap, whichever comes first. */
export async function receive(request: Request): Promise<Received> {
  const url = new URL(request.url);
  const { text, bytes } = await readCapped(request.body);
  return {
    method: request.method,
    path: url.pathname,
    query: [...url.searchParams],
    headers: Object.fromEntries(request.headers),
    body: text,
    bodyBytes: bytes,
  };
}

async function readCapped(body: ReadableStream<Uint8Array> | null): Promise<{ text: string; bytes: number }> {
  if (body === null) return { text: '', bytes: 0 };
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) return { text: '', bytes }; // leaving the loop cancels the stream
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return { text: parts.join(''), bytes };
}

/** The value of a query parameter that may stand once; the last one wins. */
export function queryValue(received: Received, name: string): string | undefined {
  return received.query.findLast(([key]) => key === name)?.[1];
}
