/** `upload`, `batches`, `report`, `correct`: a file on its way, and what became of each row. */
import { type Definitions, examples, withBridge, withEnvironment, withJson } from '../definitions.ts';
import { correct } from './correct.ts';
import { batches, report } from './looks.ts';
import { upload } from './upload.ts';

export function addBatchCommands({ program, run }: Definitions): void {
  const sent = withJson(withBridge(program.command('upload')))
    .summary('send files; the same file twice is one batch')
    .description(
      'Sends files. With the receipt a file is safe and each row will reach its end. An upload that broke off is sent again with the same command: the same file is the same batch, and the command goes on watching it. With --force each run is a sending of its own: look at transload batches first.',
    )
    .argument('<file...>', 'files; - is standard input')
    .option('-m, --mapping <name>', 'which kind of file it is; suggested where it is left out')
    .option('--scac <scac>', 'whose events they are, if the key may send for several carriers')
    .option('-w, --watch', 'wait for the end, and say what became of the rows')
    .option('--dry-run', 'map and report everything, send nothing; waits for the end')
    .option('--force', 'send a file again that was sent before')
    .action(run(upload));
  examples(sent, [
    ['transload upload events.csv --mapping carrier-status-csv --watch', ''],
    ['transload upload *.csv -m carrier-status-csv', 'one batch for each file'],
    ['transload upload events.csv --dry-run', 'suggests the mapping; sends nothing'],
    ['gzip -c events.csv | transload upload - -m carrier-status-csv', ''],
  ]);
  const listed = withJson(withEnvironment(program.command('batches')))
    .summary('what was sent, newest first; or one batch')
    .description('The batches of your key, newest first, or one of them. An operator sees those of all partners.')
    .argument('[batch]', 'one of them')
    .option('-n, --limit <number>', 'how many', '20')
    .option('-w, --watch', 'with a batch: wait for its end')
    .option('--partner <name>', 'for operators: of this partner alone')
    .action(run(batches));
  examples(listed, [
    ['transload batches', ''],
    ['transload batches b_01m7ww39jy4zp0vsb9jmf5mjzh --watch', ''],
  ]);
  const reported = withEnvironment(program.command('report'))
    .summary('what became of each row')
    .description(
      'The rows of a batch that did not arrive, each with what to change. With --csv your file again with result columns, with --json all rows and what was sent.',
    )
    .argument('<batch>')
    .option('--csv', 'your file again, with the result of each row in columns of its own')
    .option('--json', 'all rows as JSON, with the requests that were sent')
    .option('-o, --output <path>', 'into a file instead of standard output')
    .action(run(report));
  examples(reported, [
    ['transload report b_01m7ww39jy4zp0vsb9jmf5mjzh', ''],
    ['transload report b_01m7ww39jy4zp0vsb9jmf5mjzh --csv -o report.csv', ''],
  ]);
  const corrected = withJson(withBridge(program.command('correct')))
    .summary('get the rows to correct as a file, and send it corrected')
    .description(
      'Without a file: writes the rows that did not arrive into a file of the kind you sent. Change the cells that _column names, leave _batch and _record as they are. With that file: sends it; each row replaces the one it came from. CSV without a header and lines of fixed width have no room for these columns: their rows go as new ones.',
    )
    .argument('<batch>')
    .argument('[file]', 'the corrected file')
    .option('-o, --output <path>', 'where to write the rows to correct')
    .action(run(correct));
  examples(corrected, [
    ['transload correct b_01m7ww39jy4zp0vsb9jmf5mjzh', 'writes corrections-b_01m7….csv'],
    ['transload correct b_01m7ww39jy4zp0vsb9jmf5mjzh corrections-b_01m7….csv', 'sends it and waits'],
  ]);
}
