/** What can be fetched of a batch as a file: its reports and its exact bytes. Served to programs and, under the console, to browsers. */
import type { Context, Hono } from 'hono';
import { sourceKey } from '../kernel/names.ts';
import { findBatch, unknownBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';
import { corrections, reportCsv, reportJson } from './reports.ts';

/** @param path of the batch itself, with `:id`. */
export function addDownloads(routes: Hono<HttpBindings>, path: string): void {
  routes.get(`${path}/report.csv`, async (context) => {
    const batch = await findBatch(context);
    return batch ? reportCsv(context, batch) : unknownBatch(context);
  });
  routes.get(`${path}/report.json`, async (context) => {
    const batch = await findBatch(context);
    return batch ? reportJson(context, batch) : unknownBatch(context);
  });
  routes.get(`${path}/corrections`, async (context) => {
    const batch = await findBatch(context);
    return batch ? corrections(context, batch) : unknownBatch(context);
  });
  routes.get(`${path}/source`, source);
}

/** RFC 8187: `encodeURIComponent` leaves four characters that such a value may not hold. */
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The exact bytes, always as a download: what a partner sent is never shown as a page. */
async function source(context: Context<HttpBindings>): Promise<Response> {
  const batch = await findBatch(context);
  if (!batch) return unknownBatch(context);
  const { batchId, fileName, sha256 } = batch.summary;
  const stored = await context.env.FILES.get(sourceKey(context.get('principal'), batchId));
  if (!stored) return unknownBatch(context);
  return context.body(stored.body, 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(stored.size),
    'Content-Disposition': `attachment; filename*=UTF-8''${extendedValue(fileName ?? `${batchId}.txt`)}`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Repr-Digest': `sha-256=:${btoa(String.fromCharCode(...Uint8Array.fromHex(sha256)))}:`,
  });
}
