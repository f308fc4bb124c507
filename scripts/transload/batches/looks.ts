/** `batches` and `report`: what was sent, and what became of each row. */
import { constants, copyFileSync, createWriteStream, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answered } from '../../../src/http/contract/contract.ts';
import { NotRun, visible, whole } from '../../frame/command.ts';
import { type Bridge, firstOf, openBridge, pagesOf, unheard } from '../bridge.ts';
import { printJson } from '../definitions.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { paintFor, table } from '../terminal.ts';
import { countsLine, isOver, isWell, type ShownBatch, summaryLines, wrongRowLines } from './messages.ts';
import { tell, wrongRows } from './upload.ts';
import { summaryOf, watchBatch } from './watch.ts';

interface ListOptions extends BridgeOptions {
  limit: string;
  watch?: boolean;
  partner?: string;
  json?: boolean;
}

type ListedBatch = Answered<'GET /v1/batches' | 'GET /v1/ops/batches'>['batches'][number];

const PAGE_MOST = 100;
/** Who may read and write a file. */
const MODE_BITS = 0o777;

export async function batches(
  surroundings: Surroundings,
  batchId: string | undefined,
  options: ListOptions,
): Promise<ExitCode> {
  const bridge = openBridge(options, surroundings);
  if (batchId !== undefined) return one(bridge, batchId, options, surroundings);
  if (options.watch) throw new NotRun('Say which batch to watch.');
  const limit = whole(options.limit, 1);
  const query = { limit: Math.min(limit + 1, PAGE_MOST), partner: options.partner };
  const found = await pagesOf<'GET /v1/batches' | 'GET /v1/ops/batches', ListedBatch>(
    bridge,
    bridge.own('GET /v1/batches'),
    { query },
    { entriesIn: (page) => page.batches, enough: limit + 1 },
  );
  const { shown: listed, more } = firstOf(found, limit, surroundings);
  if (options.json) printJson(surroundings, { batches: listed, more });
  else surroundings.output.write(listTable(listed, surroundings));
  return EXIT_CODES.done.code;
}

function listTable(listed: readonly ListedBatch[], { output, environment }: Surroundings): string {
  if (listed.length === 0) return 'Nothing was sent yet.\n';
  const isOps = listed.some((each) => 'partner' in each);
  const rows = listed.map((each) => [
    each.receivedAt.slice(0, 16).replace('T', ' '),
    each.batchId,
    ...(isOps ? ['partner' in each ? each.partner : ''] : []),
    each.mapping,
    each.fileName ?? (each.messages === null ? '' : `${each.messages} messages`),
    each.state,
    each.rowStates === null ? '' : countsLine(each.rowStates),
  ]);
  return table(
    ['UTC', 'BATCH', ...(isOps ? ['PARTNER'] : []), 'MAPPING', 'FILE', 'STATE', 'ROWS'],
    rows,
    paintFor(output, environment),
  );
}

async function one(
  bridge: Bridge,
  batchId: string,
  options: ListOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const batch = options.watch ? await watchBatch(bridge, batchId, surroundings) : await summaryOf(bridge, batchId);
  if (options.json) printJson(surroundings, batch);
  else if (options.watch) await tell(bridge, batch, surroundings);
  else surroundings.output.write(summaryLines(batch, paintFor(surroundings.output, surroundings.environment)));
  if (options.watch && !isOver(batch)) return EXIT_CODES.interrupted.code;
  return codeOf(batch);
}

/** Rows that are still on their way are no fault. */
const codeOf = (batch: ShownBatch): ExitCode =>
  isOver(batch) && !isWell(batch) ? EXIT_CODES.found.code : EXIT_CODES.done.code;

interface ReportOptions extends BridgeOptions {
  csv?: boolean;
  json?: boolean;
  output?: string;
}

export async function report(surroundings: Surroundings, batchId: string, options: ReportOptions): Promise<ExitCode> {
  const bridge = openBridge(options, surroundings);
  if (options.csv && options.json) throw new NotRun('--csv and --json exclude each other.');
  const batch = await summaryOf(bridge, batchId);
  if (options.csv || options.json) {
    const report = bridge.own(`GET /v1/batches/{id}/report.${options.csv ? 'csv' : 'json'}`);
    const answer = await bridge.answer(report, { path: { id: batchId }, headers: ANY });
    await download(bridge, answer, options.output === undefined ? null : { path: options.output }, surroundings);
    return codeOf(batch);
  }
  const shownOn = options.output === undefined ? surroundings.output : {};
  const paint = paintFor(shownOn, surroundings.environment);
  const rows = isWell(batch) ? [] : await wrongRows(bridge, batchId, Number.POSITIVE_INFINITY);
  const text = [summaryLines(batch, paint), ...wrongRowLines(rows, paint).map((line) => `${line}\n`)].join('');
  if (options.output === undefined) surroundings.output.write(text);
  else await written(Readable.from([text]), { path: options.output }, surroundings.interrupted());
  return codeOf(batch);
}

/** For files, whatever their type. */
export const ANY = { Accept: '*/*' } as const;

/** @property isNew nothing may be there. */
interface Into {
  path: string;
  isNew?: boolean;
}

/** As it comes, however large it is. @param into null: standard output. */
export async function download(
  { asked }: Pick<Bridge, 'asked'>,
  answer: Response,
  into: Into | null,
  { output, errors, interrupted }: Surroundings,
): Promise<void> {
  if (answer.body === null) return;
  const body = Readable.from(answer.body);
  try {
    if (into === null) return await pipeline(body, output, { end: false });
    await written(body, into, interrupted());
  } catch (thrown) {
    throw unheard(asked, thrown);
  }
  errors.write(`Written to ${visible(into.path)}.\n`);
}

/** Moved into its place whole: what breaks off leaves what was there. A pipe or a device takes it as it comes. */
async function written(text: Readable, { path, isNew = false }: Into, signal: AbortSignal): Promise<void> {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before !== undefined && !before.isFile()) return pipeline(text, createWriteStream(path), { signal });
  const place = before === undefined ? path : realpathSync(path);
  const part = `${place}.${process.pid}.part`;
  try {
    await pipeline(text, createWriteStream(part, { flags: 'wx', ...(before && { mode: before.mode & MODE_BITS }) }), {
      signal,
    });
    if (isNew) copyFileSync(part, place, constants.COPYFILE_EXCL);
    else renameSync(part, place);
  } finally {
    rmSync(part, { force: true });
  }
}
