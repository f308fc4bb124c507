/** `correct`: the rows that did not arrive as a file, and that file sent again. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { NotRun } from '../../frame/command.ts';
import { openBridge } from '../bridge.ts';
import { printJson } from '../definitions.ts';
import type { BridgeOptions } from '../profiles.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { ANY, download } from './looks.ts';
import { isOver, isWell, type ShownBatch } from './messages.ts';
import { CORRECTED_STATES, sent, tell, wrongRows } from './upload.ts';
import { summaryOf, watchBatch } from './watch.ts';

interface CorrectOptions extends BridgeOptions {
  output?: string;
  json?: boolean;
}

/** Corrections come as the format of the file; of a workbook as CSV. */
const EXTENSIONS: Readonly<Record<string, string>> = { xlsx: 'csv', fixed: 'txt' };

export async function correct(
  surroundings: Surroundings,
  batchId: string,
  file: string | undefined,
  options: CorrectOptions,
): Promise<ExitCode> {
  const bridge = openBridge(options, surroundings);
  const batch = await summaryOf(bridge, batchId);
  const { format, mapping, scac, dryRun } = batch;
  if (dryRun)
    throw new NotRun(`${batchId} was a dry run, and nothing of it was sent. Correct your own file, and send that.`);
  if (file === undefined) {
    if (!isOver(batch))
      throw new NotRun(
        `${batchId} is not finished: more rows may turn out wrong. First: transload batches ${batchId} --watch`,
      );
    if (batch.state === 'unreadable')
      throw new NotRun(
        `The file of ${batchId} could not be read: mend what its problems name, and send the file again.`,
      );
    const wrong = isWell(batch) ? [] : await wrongRows(bridge, batchId, 1, CORRECTED_STATES);
    if (wrong.length === 0) {
      if (options.json) printJson(surroundings, { batchId, file: null });
      else
        surroundings.output.write(
          `Nothing of ${batchId} is to be corrected.${(batch.rowStates.held ?? 0) === 0 ? '' : ' What is held waits for a decision of the operator.'}\n`,
        );
      return EXIT_CODES.done.code;
    }
    const into = options.output ?? `corrections-${batchId}.${EXTENSIONS[format ?? ''] ?? format ?? 'txt'}`;
    if (existsSync(into)) {
      throw new NotRun(
        `${into} is there already, perhaps with your corrections. Send it, remove it, or name another: -o PATH.`,
      );
    }
    const corrections = { path: { id: batchId }, headers: ANY };
    const answer = await bridge.answer(bridge.own('GET /v1/batches/{id}/corrections'), corrections);
    await download(bridge, answer, { path: into, isNew: true }, surroundings);
    const replaces = namesReplaced(into, format);
    if (options.json) printJson(surroundings, { batchId, file: into, replaces });
    else surroundings.output.write(replaces ? replacingLine(batchId, into) : newRowsLines(batch, into));
    return EXIT_CODES.done.code;
  }
  if (bridge.isOps) throw new NotRun("Files are sent with a partner's key, and this is an operator's.");
  if (!existsSync(file)) throw new NotRun(`There is no file ${file}.`);
  const sending = { ...(scac === null ? {} : { scac }), ...(options.json ? { json: true } : {}) };
  const { receipt } = await sent(bridge, { file, mapping, options: sending }, surroundings);
  let corrected: ShownBatch | null = null;
  try {
    corrected = await watchBatch(bridge, receipt.batchId, surroundings);
  } finally {
    // The receipt is said also where the batch is not heard of again.
    if (options.json) printJson(surroundings, { corrects: batchId, file, mapping, receipt, batch: corrected });
  }
  if (!options.json) await tell(bridge, corrected, surroundings);
  if (!isOver(corrected)) return EXIT_CODES.interrupted.code;
  return isWell(corrected) ? EXIT_CODES.done.code : EXIT_CODES.found.code;
}

/** What a header of any delimiter has. */
const PLACE_COLUMNS = /_batch\W{1,3}_record/;
/** A header is shorter. */
const HEADER_BYTES = 256 * 1024;

/** Whether each row of the file says which one it replaces: without column names it cannot. */
function namesReplaced(path: string, format: string | null): boolean {
  if (format !== 'csv' && format !== 'xlsx') return format !== 'fixed';
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEADER_BYTES);
    return PLACE_COLUMNS.test(head.toString('utf8', 0, readSync(file, head)));
  } finally {
    closeSync(file);
  }
}

const replacingLine = (batchId: string, file: string): string =>
  `Correct the cells that _column names, then: transload correct ${batchId} ${file}\n`;

/** Lines of fixed width are mended in the page, too, and there their places are known. */
const newRowsLines = ({ batchId, format }: ShownBatch, file: string): string =>
  [
    `Such a file has no room for _batch and _record: its rows go as new ones, and the old ones stay listed in ${batchId}.`,
    ...(format === 'fixed' ? ['Rows that are mended on the page of the batch replace the old ones instead.'] : []),
    `What is wrong with each: transload report ${batchId}`,
    `Correct them, then: transload correct ${batchId} ${file}`,
    '',
  ].join('\n');
