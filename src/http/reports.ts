/** A batch's report as a stream: a report of a million rows never stands in memory. */
import type { Context } from 'hono';
import { pinnedMapping, storedSource } from '../batch/pinned.ts';
import { type ReportPort, reportColumns, reportRecords } from '../batch/report.ts';
import { headerLine, recordLine, unreadableReport } from '../batch/report-csv.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { FoundBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';

export async function reportCsv(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const { batchId, state } = batch.summary;
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${batchId}-report.csv"`,
  };
  if (state === 'unreadable') return context.body(unreadableReport(batch.summary), 200, headers);
  return context.body(streamOf(csvLines(await portOf(context, batch), batchId)), 200, headers);
}

export async function reportJson(context: Context<HttpBindings>, batch: FoundBatch): Promise<Response> {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  if (batch.summary.state === 'unreadable') return context.json({ batch: batch.summary, rows: [] });
  return context.body(streamOf(jsonLines(await portOf(context, batch), batch)), 200, headers);
}

async function portOf(context: Context<HttpBindings>, { stub, summary }: FoundBatch): Promise<ReportPort> {
  const { FILES } = context.env;
  const principal = context.get('principal');
  return {
    source: storedSource(
      FILES,
      { ...principal, batchId: summary.batchId, bytes: summary.bytes },
      summary.contentBytes === null ? null : { bytes: summary.contentBytes },
    ),
    mapping: await pinnedMapping(FILES, summary.mappingSha256),
    rows: (after, limit) => stub.rows(after, limit, null),
  };
}

async function* csvLines(port: ReportPort, batchId: string): AsyncGenerator<string> {
  yield headerLine(await reportColumns(port));
  for await (const record of reportRecords(port)) yield recordLine(batchId, record);
}

async function* jsonLines(port: ReportPort, { summary }: FoundBatch): AsyncGenerator<string> {
  yield `{"batch":${JSON.stringify(summary)},"rows":[`;
  let between = '\n';
  for await (const { columns, fields, row } of reportRecords(port)) {
    const original = columns.map((name, index) => [name, fields[index] ?? '']);
    yield `${between}${JSON.stringify({ ...row, columns: original })}`;
    between = ',\n';
  }
  yield '\n]}\n';
}

/** Lines are sent in blocks: a chunk per line costs more than the line. */
const BLOCK_CHARACTERS = 64 * 1024;

function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        let block = '';
        while (block.length < BLOCK_CHARACTERS) {
          const { done, value } = await lines.next();
          if (done) {
            if (block !== '') controller.enqueue(encoder.encode(block));
            controller.close();
            return;
          }
          block += value;
        }
        controller.enqueue(encoder.encode(block));
      } catch (thrown) {
        log('error', 'report_broken', { detail: messageOf(thrown) });
        controller.error(thrown); // a cut answer must look cut, not complete
      }
    },
  });
}
