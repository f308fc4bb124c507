/** `upload`: files to the bridge, and what became of them. */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { hasEnvelopes } from '../../../src/formats/reader.ts';
import { type CallOptions, optionsIn, requestOf } from '../../../src/http/contract/client.ts';
import type { Done } from '../../../src/http/contract/contract.ts';
import { NotRun, visible } from '../../frame/command.ts';
import { type Bridge, openBridge, pagesOf, Unclear, UnderWay, Unreached } from '../bridge.ts';
import { printJson } from '../definitions.ts';
import { type BridgeOptions, isOperators } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { bar, LiveLine, paintFor } from '../terminal.ts';
import { isOver, isWell, type ShownBatch, type ShownRow, summaryLines, wrongRowLines } from './messages.ts';
import { fileOnDisk, type SentFile, sendFile } from './send-file.ts';
import { mappingFor } from './suggest-mapping.ts';
import { watchBatch } from './watch.ts';

interface UploadOptions extends BridgeOptions {
  mapping?: string;
  scac?: string;
  watch?: boolean;
  dryRun?: boolean;
  force?: boolean;
  json?: boolean;
}

type Receipt = Done<'PUT /v1/batches'>;

/** @property batch null: nobody waited for it, or it was not heard of again. */
interface Uploaded {
  file: string;
  mapping: string;
  receipt: Receipt;
  batch: ShownBatch | null;
}

/** A connection that breaks, and a bridge that is just deployed: sending the same again is safe. */
const SEND_TRIES = 4;
const SEND_PAUSE_MS = 1_500;
/** So long a bridge may go on taking in a try whose connection broke, and between two looks at that. */
const UNDER_WAY_MS_MAX = 150_000;
const UNDER_WAY_PAUSE_MS = 5_000;
/** As many wrong rows as a screen holds. */
const SHOWN_ROWS = 10;

export async function upload(surroundings: Surroundings, files: string[], options: UploadOptions): Promise<ExitCode> {
  const bridge = openBridge(options, surroundings);
  if (isOperators(bridge.asked)) throw new NotRun("Files are sent with a partner's key, and this is an operator's.");
  for (const file of files) if (file !== '-') mustBeFile(file);
  const uploads: Uploaded[] = [];
  let tried = 0;
  let code: ExitCode = EXIT_CODES.done.code;
  try {
    for (const [at, file] of files.entries()) {
      tried = at;
      const mapping = options.mapping ?? (await mappingFor(bridge, file, surroundings));
      const { receipt } = await sent(bridge, { file, mapping, options }, surroundings);
      const taken: Uploaded = { file, mapping, receipt, batch: null };
      uploads.push(taken);
      if (!options.watch && !options.dryRun) continue;
      const batch = await watchBatch(bridge, receipt.batchId, surroundings);
      taken.batch = batch;
      if (!options.json) await tell(bridge, batch, surroundings);
      if (!isOver(batch)) {
        surroundings.errors.write(unsent(files.slice(at + 1)));
        return EXIT_CODES.interrupted.code;
      }
      if (!isWell(batch)) code = EXIT_CODES.found.code;
    }
    return code;
  } catch (thrown) {
    const isTaken = uploads.length > tried;
    if (files.length > 1 && !isTaken) surroundings.errors.write(`Not taken in: ${files[tried]}\n`);
    surroundings.errors.write(unsent(files.slice(tried + 1)));
    throw thrown;
  } finally {
    // Receipts are said also where a later file is refused.
    if (options.json && uploads.length > 0) printJson(surroundings, { uploads });
  }
}

const unsent = (files: readonly string[]): string => (files.length === 0 ? '' : `Not sent: ${files.join(', ')}\n`);

function mustBeFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new NotRun(`There is no file ${path}.`);
  if (!stat.isFile()) throw new NotRun(`${path} is no file.`);
}

interface Wanted {
  file: string;
  mapping: string;
  options: Pick<UploadOptions, 'scac' | 'dryRun' | 'force' | 'json'>;
}

/** @throws NotRun, Refused */
export async function sent(
  bridge: Bridge,
  { file, mapping, options }: Wanted,
  surroundings: Surroundings,
): Promise<{ receipt: Receipt }> {
  const { output, errors, environment, input } = surroundings;
  const isPiped = file === '-';
  const source: SentFile = isPiped ? { open: () => input, bytes: undefined } : fileOnDisk(file, statSync(file).size);
  const line = new LiveLine(errors);
  const name = isPiped ? 'standard input' : visible(basename(file));
  const { scac, dryRun, force } = options;
  const asked: CallOptions<'PUT /v1/batches'> = {
    query: { mapping, fileName: isPiped ? null : basename(file), scac, dryRun, force },
    headers: { 'Content-Type': 'application/octet-stream' },
    // One name for all tries of this run: a forced upload whose receipt was lost is not sent twice.
    ...(force ? { idempotencyKey: randomUUID() } : {}),
  };
  const signal = surroundings.interrupted();
  let waitedMs = 0;
  for (let tries = 1; ; ) {
    try {
      const receipt = await sendFile<Receipt>(bridge.asked, {
        ...requestOf('PUT /v1/batches', optionsIn([asked])),
        file: source,
        signal,
        sent: (bytes) => line.show(sendingLine(name, bytes, source.bytes)),
      });
      line.clear();
      if (!options.json) output.write(receiptLine(name, receipt, paintFor(output, environment)));
      return { receipt };
    } catch (thrown) {
      line.clear();
      if (signal.aborted) errors.write(`Broken off. ${noReceiptLine(name, force)}`);
      if (signal.aborted || !(thrown instanceof Unclear)) throw thrown;
      if (thrown instanceof UnderWay && waitedMs < UNDER_WAY_MS_MAX) {
        waitedMs += UNDER_WAY_PAUSE_MS;
        line.show(`${name} is still being taken in …`);
        await surroundings.pause(UNDER_WAY_PAUSE_MS, signal);
        continue;
      }
      if (isPiped || tries >= SEND_TRIES || !(thrown instanceof Unreached) || thrown instanceof UnderWay) {
        if (!(thrown instanceof Unreached && thrown.isRefused)) errors.write(noReceiptLine(name, force));
        throw thrown instanceof UnderWay ? new NotRun('An earlier try is still being taken in.') : thrown;
      }
      errors.write(`${visible(thrown.message)}\nSending ${name} again …\n`);
      await surroundings.pause(SEND_PAUSE_MS * tries, signal);
      tries += 1;
    }
  }
}

/** What to do without a receipt. @param force each run of the command is a sending of its own. */
const noReceiptLine = (name: string, force: boolean | undefined): string =>
  force
    ? `Without a receipt ${name} may have been taken in: transload batches shows it. Sent with --force again, it is sent twice.\n`
    : `Without a receipt ${name} may not have been taken in: send it again, it is never taken in twice.\n`;

const MIB = 1024 * 1024;

const sendingLine = (name: string, bytes: number, whole: number | undefined): string =>
  `${whole === undefined ? '' : `${bar(bytes / Math.max(1, whole))}  `}sending ${name}, ${(bytes / MIB).toFixed(1)} MiB`;

function receiptLine(
  name: string,
  { batchId, replayed, receivedAt, bytes }: Receipt,
  paint: ReturnType<typeof paintFor>,
): string {
  const minute = receivedAt.slice(0, 16).replace('T', ' ');
  return replayed
    ? `${paint.bold(name)} was taken in before, at ${minute} UTC: it is batch ${batchId}. Nothing is sent twice.\n`
    : `${paint.bold(name)} is taken in: batch ${batchId}, ${bytes} bytes.\n`;
}

/** How a batch ended, its first wrong rows, and what to do next. */
export async function tell(bridge: Bridge, batch: ShownBatch | null, surroundings: Surroundings): Promise<void> {
  if (batch === null) return;
  const { output, errors, environment } = surroundings;
  const paint = paintFor(output, environment);
  output.write(summaryLines(batch, paint));
  if (!isOver(batch)) {
    errors.write(`It goes on by itself. To watch it again: transload batches ${batch.batchId} --watch\n`);
    return;
  }
  if (isWell(batch)) return;
  const rows = await wrongRows(bridge, batch.batchId, SHOWN_ROWS + 1);
  for (const text of wrongRowLines(rows.slice(0, SHOWN_ROWS), paint)) output.write(`${text}\n`);
  if (rows.length > SHOWN_ROWS) output.write(`  … and more: transload report ${batch.batchId}\n`);
  // What is held is decided by the operator, and a file of X12 or EDIFACT has no file of corrections.
  const isToCorrect = rows.some(({ state }) => state !== 'held') && !batch.dryRun && !bridge.isOps;
  if (isToCorrect && hasEnvelopes(batch.format))
    output.write('To correct them: on the page of the batch, or in the system that made the file.\n');
  else if (isToCorrect) output.write(`To correct them: transload correct ${batch.batchId}\n`);
}

/** Of rows that a file of corrections has. */
export const CORRECTED_STATES = 'invalid,rejected,dead,cancelled';

/** Without those that a corrected row has replaced, of which there may be many: a page is always a whole one. */
export const wrongRows = (
  bridge: Bridge,
  batchId: string,
  most: number,
  states = `${CORRECTED_STATES},held`,
): Promise<ShownRow[]> =>
  pagesOf<'GET /v1/batches/{id}/rows' | 'GET /v1/ops/batches/{id}/rows', ShownRow>(
    bridge,
    bridge.own('GET /v1/batches/{id}/rows'),
    {
      path: { id: batchId },
      query: { state: states, limit: PAGE_ROWS },
    },
    { entriesIn: ({ rows }) => rows.filter(({ replacedBy }) => replacedBy === null), enough: most },
  );

const PAGE_ROWS = 500;
