/**
 * The files of a batch that can be downloaded: its reports and its exact bytes. For programs and, under the console,
 * for browsers.
 */
import { Buffer } from 'node:buffer';
import type { Context, Hono } from 'hono';
import { CORRECTABLE } from '../../batch/core/tally.ts';
import { underPolicy } from '../../batch/envelopes/validate.ts';
import { pinnedMapping } from '../../batch/files/pinned.ts';
import { cellsAtFault } from '../../batch/report/corrected-rows.ts';
import { type CorrectionFile, type CorrectionRefusal, correctionFile } from '../../batch/report/correction-file.ts';
import { sheetCorrections } from '../../batch/report/corrections.ts';
import { cellsUnder, type ReportPort, reportColumns, reportParts } from '../../batch/report/report.ts';
import {
  BYTE_ORDER_MARK,
  headerLine,
  ownColumns,
  recordLine,
  unreadableLines,
  unreadableReport,
} from '../../batch/report/report-csv.ts';
import { isComment } from '../../formats/xlsx/declaration.ts';
import { writeWorkbook } from '../../formats/xlsx/write.ts';
import { CORRECTIONS_SHEET_ROWS_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { sourceKey } from '../../kernel/names.ts';
import { hex } from '../../kernel/secret.ts';
import type { HttpBindings } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';
import { rangeIn } from '../edge/query.ts';
import { batchLinks, messageLinks } from '../edge/reader.ts';
import { acknowledgment } from './acknowledgment.ts';
import { type BatchView, type FoundBatch, ofBatch, unknownBatch } from './batch-lookup.ts';
import { filesOf, type NamedFile, ownFiles, readAhead } from './stored-files.ts';

export const CSV = 'text/csv; charset=utf-8';

/** Of an answer that is saved as a file. */
export const fileHeaders = (contentType: string, fileName: string) => ({
  'Content-Type': contentType,
  'Content-Disposition': `attachment; filename="${fileName}"`,
});

/* A batch's report as a stream: a report of a million rows is never in memory. */

async function reportCsv(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { batchId, state } = batch.summary;
  const lines = async (): Promise<Lines> =>
    state === 'unreadable' ? [unreadableReport(batch.summary)] : csvLines(await portOf(context, batch), batchId);
  return sendMade(context, batch, { headers: fileHeaders(CSV, `${batchId}-report.csv`), ...(await madeOf(lines)) });
}

async function reportJson(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { summary } = batch;
  const lines = async (): Promise<Lines> =>
    summary.state === 'unreadable'
      ? [JSON.stringify({ batch: summary, rows: [] })]
      : jsonLines(await portOf(context, batch), batch);
  return sendMade(context, batch, { headers: { 'Content-Type': JSON_UTF8 }, ...(await madeOf(lines)) });
}

const JSON_UTF8 = 'application/json; charset=utf-8';

/** The rows to be corrected, as a file of the mapping's own kind. Without rows when there are none. */
async function corrections(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { batchId } = batch.summary;
  if (context.req.query('form')?.toLowerCase() === 'xlsx') return workbookCorrections(context, batch);
  const file = async () => {
    const port = await portOf(context, batch);
    return correctionFile({ ...port, rows: correctable(batch) }, batchId, port.mapping.source, true);
  };
  const first = await file();
  if (!first.ok) return correctionsNotOffered(context, batch, first.error);
  const { contentType, ending } = first.value;
  return sendMade(context, batch, {
    headers: fileHeaders(contentType, `${batchId}-corrections.${ending}`),
    blocks: correctionBlocks(first.value),
    again: async () => {
      const again = await file();
      return again.ok ? correctionBlocks(again.value) : byteBlocks([]);
    },
  });
}

const correctable =
  ({ stub }: FoundBatch) =>
  (after: number, limit: number) =>
    stub.rows(after, limit, CORRECTABLE);

const correctionBlocks = ({ text, bytes }: CorrectionFile): Blocks =>
  text === null ? byteBlocks(bytes) : textBlocks(text);

const correctionsNotOffered = (
  context: Context<HttpBindings>,
  batch: FoundBatch,
  refusal: CorrectionRefusal,
): Response =>
  refusal.why === 'segments' ? segmentsNotOffered(context, batch, refusal.format) : severalNotOffered(context);

/** With `form=xlsx`: a table as a workbook, whose wrong cells are marked. */
async function workbookCorrections(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { batchId } = batch.summary;
  const port = { ...(await portOf(context, batch)), rows: correctable(batch) };
  const { sheet } = port.mapping;
  if (sheet === null || !sheet.header) return workbookNotOffered(context);
  const rows = await sheetCorrections(port, batchId, CORRECTIONS_SHEET_ROWS_MAX, cellsAtFault);
  if (rows === null) return tooManyForWorkbook(context);
  if (rows.some(([first]) => first !== undefined && isComment(sheet, first.text))) return commentInWorkbook(context);
  const book = await writeWorkbook({ sheet: sheet.sheet, firstRow: sheet.headerRow, rows });
  return sendMade(context, batch, {
    headers: fileHeaders(XLSX, `${batchId}-corrections.xlsx`),
    blocks: byteBlocks([book]),
    again: async () => byteBlocks([book]),
  });
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const workbookNotOffered = (context: Context): Response =>
  problem(context, {
    status: 404,
    code: 'corrections_not_offered',
    title: 'No corrections as a workbook',
    detail: 'Only tables whose columns have names are given as a workbook.',
    fix: 'Leave out form=xlsx: the rows then come in the format of the file, where it allows that.',
  });

const tooManyForWorkbook = (context: Context): Response =>
  problem(context, {
    status: 413,
    code: 'corrections_too_many',
    title: 'Too many rows for a workbook',
    detail: `More than ${CORRECTIONS_SHEET_ROWS_MAX} rows are to be corrected.`,
    fix: 'Leave out form=xlsx: as CSV there is no limit. So many wrong rows mostly have one cause: see the issues of the batch.',
  });

/** Only its sender can give a set control numbers of its own; its cells are corrected under those that it came with. */
function segmentsNotOffered(context: Context<HttpBindings>, { summary }: FoundBatch, format: string): Response {
  const reader = context.get('reader');
  const isCorrectedHere = !reader.isOps && summary.messages === null && !summary.dryRun;
  const { self } = batchLinks(reader, summary.batchId);
  const send = isCorrectedHere
    ? `GET ${self}/correctable shows their rows as cells, and POST ${self}/corrections sends those that you correct, as the page of the batch does. Or send`
    : 'Send';
  return problem(context, {
    status: 404,
    code: 'corrections_not_offered',
    title: 'No file of corrections in this format',
    detail: `There is no file of corrections for sets of ${format.toUpperCase()}: their envelopes and control numbers are made by the system that sends them.`,
    fix: `${send} the sets that report.csv or the acknowledgment names again from that system, in an interchange with a control number of its own.`,
  });
}

/** Several documents cannot become one. */
const severalNotOffered = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'corrections_not_offered',
    title: 'No corrections of several XML documents',
    detail: 'The rows of this batch come from several XML documents, which cannot be written as one.',
    fix: 'Correct the records in the documents themselves: the rows and the report name file, line and byte of each. Send a document with the corrected records alone.',
  });

/** In CSV the cell is quoted; a workbook has no quotes, and its row would be passed over. */
const commentInWorkbook = (context: Context): Response =>
  problem(context, {
    status: 404,
    code: 'corrections_not_offered',
    title: 'No corrections as a workbook',
    detail: 'The first cell of a row begins as comments do: read from a workbook, the row would be taken for one.',
    fix: 'Leave out form=xlsx: in the file of corrections that cell is quoted.',
  });

type NamedPort = Omit<ReportPort, 'files'> & { files: readonly NamedFile[] };

/** As of the summary of the batch: rows that come later belong to a later report. */
async function portOf(context: Context<HttpBindings>, batch: FoundBatch): Promise<NamedPort> {
  const { stub, summary } = batch;
  return {
    files:
      summary.messages === null
        ? await filesOf(ownFiles(context), batch)
        : readAhead(await filesOf(ownFiles(context), batch)),
    mapping: underPolicy(await pinnedMapping(context.env.FILES, summary.mappingSha256), summary.envelopes),
    rows: (after, limit) => stub.rows(after, Math.max(0, Math.min(limit, summary.rows - after)), null),
  };
}

async function* csvLines(port: ReportPort, batchId: string): AsyncGenerator<string> {
  const columns = ownColumns(await reportColumns(port));
  const cellsOf = cellsUnder(columns);
  yield BYTE_ORDER_MARK + headerLine(columns);
  for await (const part of reportParts(port)) {
    if ('row' in part) yield recordLine(batchId, { columns, fields: cellsOf(part), row: part.row });
    else yield unreadableLines(batchId, columns, part.problems);
  }
}

async function* jsonLines(port: ReportPort, { summary }: FoundBatch): AsyncGenerator<string> {
  yield `{"batch":${JSON.stringify(summary)},"rows":[`;
  let between = '\n';
  for await (const part of reportParts(port)) {
    if (!('row' in part)) continue; // the batch's own problems say why
    const original = part.columns.map((name, index) => [name, part.fields[index] ?? '']);
    yield `${between}${JSON.stringify({ ...part.row, columns: original })}`;
    between = ',\n';
  }
  yield '\n]}\n';
}

/** Lines are sent in blocks: a chunk per line costs more than the line. */
const BLOCK_CHARACTERS = 64 * 1024;

type Lines = Iterable<string> | AsyncIterable<string>;
type Blocks = AsyncGenerator<Uint8Array>;

export const streamOf = (lines: Lines): ReadableStream<Uint8Array> => streamOfBlocks(textBlocks(lines));

async function* textBlocks(lines: Lines): Blocks {
  const encoder = new TextEncoder();
  let block = '';
  for await (const line of lines) {
    block += line;
    if (block.length < BLOCK_CHARACTERS) continue;
    yield encoder.encode(block);
    block = '';
  }
  if (block !== '') yield encoder.encode(block);
}

async function* byteBlocks(parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Blocks {
  let block: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    block.push(part);
    bytes += part.byteLength;
    if (bytes < BLOCK_CHARACTERS) continue;
    yield Buffer.concat(block);
    block = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(block);
}

function streamOfBlocks(blocks: Blocks): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await blocks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (thrown) {
        log('error', 'report_broken', { detail: messageOf(thrown) });
        controller.error(thrown); // a cut answer must look cut, not complete
      }
    },
  });
}

/*
 * A part of a file that is made while it is sent. It is made once more before that, to know where the part ends: only of
 * a batch that has settled, whose file is the same each time.
 */

/** @property again the same file from its beginning. */
interface MadeFile {
  headers: Record<string, string>;
  blocks: Blocks;
  again: () => Promise<Blocks>;
}

const madeOf = async (lines: () => Promise<Lines>): Promise<Omit<MadeFile, 'headers'>> => ({
  blocks: textBlocks(await lines()),
  again: async () => textBlocks(await lines()),
});

async function sendMade(
  context: Context<HttpBindings>,
  { summary }: FoundBatch,
  { headers, blocks, again }: MadeFile,
): Promise<Response> {
  if (summary.settledAt === null) return context.body(streamOfBlocks(blocks), 200, headers);
  const tag = await tagOf([context.req.path, context.req.query('form') ?? '', summary]);
  const all = { ...headers, 'Accept-Ranges': 'bytes', ETag: tag };
  const asked = context.req.header('Range');
  const isSame = (context.req.header('If-Range') ?? tag) === tag;
  if (asked === undefined || !isSame) return context.body(streamOfBlocks(blocks), 200, all);
  let size = 0;
  for await (const block of blocks) size += block.byteLength;
  const part = rangeIn(asked, size);
  if (part === 'none') return noSuchPart(context, size);
  const whole = await again();
  if (part === null) return context.body(streamOfBlocks(whole), 200, all);
  return context.body(streamOfBlocks(cutOut(whole, part)), 206, {
    ...all,
    'Content-Length': String(part.length),
    'Content-Range': contentRange(part, size),
  });
}

/** Whatever happens to a row of a settled batch, its summary tells: it is counted anew, or the batch settles again. */
async function tagOf(facts: readonly unknown[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(facts));
  return `"${hex(await crypto.subtle.digest('SHA-256', bytes))}"`;
}

type Part = { offset: number; length: number };

async function* cutOut(blocks: Blocks, { offset, length }: Part): Blocks {
  let at = 0;
  for await (const block of blocks) {
    const cut = block.subarray(Math.max(0, offset - at), Math.max(0, offset + length - at));
    at += block.byteLength;
    if (cut.byteLength > 0) yield cut;
    if (at >= offset + length) return;
  }
}

const contentRange = ({ offset, length }: Part, size: number): string =>
  `bytes ${offset}-${offset + length - 1}/${size}`;

/** @param path of the batch itself, with `:id`. */
export function addDownloads(routes: Hono<HttpBindings>, path: string): void {
  const files = { 'report.csv': reportCsv, 'report.json': reportJson, corrections, source, acknowledgment };
  for (const [file, download] of Object.entries(files)) {
    const view: BatchView = (context, batch) => {
      const { batchId, bytesDeletedAt } = batch.summary;
      if (bytesDeletedAt === null) return download(context, batch);
      return bytesExpired(context, bytesDeletedAt, batchLinks(context.get('reader'), batchId).rows);
    };
    routes.get(`${path}/${file}`, ofBatch(view));
  }
}

/** All downloads are made from the bytes. */
export const bytesExpired = (context: Context<HttpBindings>, deletedAt: string, rows: string): Response =>
  problem(context, {
    status: 410,
    code: 'bytes_expired',
    title: 'The file is kept no longer',
    detail: `The bytes of the file were deleted on ${deletedAt}: they are kept for 90 days after its last row was decided, unless something in it had to be erased before. Reports are made of them.`,
    fix: `GET ${rows} still lists every row with what became of it.`,
  });

/** RFC 8187: `encodeURIComponent` leaves four characters that such a value may not have. */
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
  const key = sourceKey(context.get('reader'), uploadId);
  const tag = `"${sha256}"`;
  const asked = context.req.header('Range');
  const isSame = (context.req.header('If-Range') ?? tag) === tag;
  const known = asked === undefined || !isSame ? null : await context.env.FILES.head(key);
  const part = known === null ? null : rangeIn(asked ?? '', known.size);
  if (part === 'none') return noSuchPart(context, known?.size ?? 0);
  const stored = await context.env.FILES.get(key, part === null ? {} : { range: part });
  if (!stored) return unknownBatch(context);
  const length = part?.length ?? stored.size;
  if (part !== null) {
    context.header('Content-Range', contentRange(part, stored.size));
  }
  return context.body(stored.body, part === null ? 200 : 206, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(length),
    'Accept-Ranges': 'bytes',
    ETag: tag,
    'Content-Disposition': `attachment; filename*=UTF-8''${extendedValue(fileName ?? `${uploadId}.txt`)}`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Repr-Digest': `sha-256=:${btoa(String.fromCharCode(...Uint8Array.fromHex(sha256)))}:`,
  });
}

const noSuchPart = (context: Context<HttpBindings>, size: number): Response => {
  context.header('Content-Range', `bytes */${size}`);
  return problem(context, {
    status: 416,
    code: 'range_not_there',
    title: 'No such part',
    detail: `The file has ${size} bytes; the Range asked for lies behind them.`,
    fix: 'Leave Range out, or begin within the file.',
  });
};
