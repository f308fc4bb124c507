/** What can be fetched of a batch as a file: its reports and its exact bytes. Served to programs and, under the console, to browsers. */
import type { Context, Hono } from 'hono';
import { sourceKey } from '../../kernel/names.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import { problem } from '../edge/problem.ts';
import { batchLinks, messageLinks } from '../edge/reader.ts';
import { acknowledgment } from './acknowledgment.ts';
import { type FoundBatch, findBatch, unknownBatch } from './batch-lookup.ts';
import { corrections, reportCsv, reportJson } from './reports.ts';

/** @param path of the batch itself, with `:id`. */
export function addDownloads(routes: Hono<HttpBindings>, path: string): void {
  const files = { 'report.csv': reportCsv, 'report.json': reportJson, corrections, source, acknowledgment };
  for (const [file, download] of Object.entries(files)) {
    routes.get(`${path}/${file}`, async (context) => {
      const batch = await findBatch(context);
      if (!batch) return unknownBatch(context);
      const { batchId, bytesDeletedAt } = batch.summary;
      if (bytesDeletedAt === null) return download(context, batch);
      return bytesExpired(context, bytesDeletedAt, batchLinks(context.get('reader'), batchId).rows);
    });
  }
}

/** Every one of them is made of the bytes. */
export const bytesExpired = (context: Context<HttpBindings>, deletedAt: string, rows: string): Response =>
  problem(context, {
    status: 410,
    code: 'bytes_expired',
    title: 'The file is kept no longer',
    detail: `The bytes of the file were deleted on ${deletedAt}: they are kept for 90 days after its last row was decided, and reports are made of them.`,
    fix: `GET ${rows} still lists every row with what became of it.`,
  });

/** RFC 8187: `encodeURIComponent` leaves four characters that such a value may not hold. */
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The exact bytes, always as a download: what a partner sent is never shown as a page. */
async function source(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { batchId, fileName, sha256 } = batch.summary;
  if (sha256 === null) return sourceApart(context, batchId);
  return storedSourceOf(context, { uploadId: batchId, fileName, sha256 });
}

/** Messages are stored one by one. */
const sourceApart = (context: Context<HttpBindings>, batchId: string): Response =>
  problem(context, {
    status: 404,
    code: 'source_not_offered',
    title: 'No file of this batch',
    detail: 'This batch is shared by several messages; the bytes of each are kept by themselves.',
    fix: `GET ${messageLinks(context.get('reader'), batchId, 1).source} gives that of the first one.`,
  });

/** @param upload what was sent at once: a file, or a message. */
export async function storedSourceOf(
  context: Context<HttpBindings>,
  { uploadId, fileName, sha256 }: { uploadId: string; fileName: string | null; sha256: string },
): Promise<Response> {
  const stored = await context.env.FILES.get(sourceKey(context.get('reader'), uploadId));
  if (!stored) return unknownBatch(context);
  return context.body(stored.body, 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(stored.size),
    'Content-Disposition': `attachment; filename*=UTF-8''${extendedValue(fileName ?? `${uploadId}.txt`)}`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Repr-Digest': `sha-256=:${btoa(String.fromCharCode(...Uint8Array.fromHex(sha256)))}:`,
  });
}
