/** `report-columns.md`: the result columns of a report. */
import { RESULT_COLUMNS } from '../../src/batch/report/report-csv.ts';
import { code, page, table } from './markdown.ts';

type ResultColumn = (typeof RESULT_COLUMNS)[number];

const COLUMNS: Record<ResultColumn, string> = {
  _batch: 'the id of the batch',
  _record: 'the number of the row, from 1; the header is not a row',
  _line: 'its line in the file, from 1',
  _state: 'what became of it: [states](states.md)',
  _status: 'the HTTP status of the last answer of the receiving system',
  _attempts: 'how often it was sent',
  _code: 'the error code, or the reason of the state',
  _column: 'the column at fault',
  _value: 'the value that was there',
  _problem: 'what is wrong',
  _fix: 'what to do about it',
  _answer: 'the beginning of the answer of the receiving system',
  _possible_duplicate: 'whether it may have arrived twice',
  _effect: 'of what was given up: whether it may have arrived',
  _requests: 'what became of each event, if the row makes several',
  _into: 'the row whose request it travelled in, or which it repeats',
  _file: 'the file of an archive, or the message',
  _group: 'the row that carries the request of several rows, such as the first of an order',
  _replaces: 'the row of an earlier batch that this one replaces',
  _generation: '1, and one more for each retry',
  _evidence:
    'what shows that it was delivered: `answer` (of the receiving system), `reconcile` (the order was found by its reference), `operator`',
  _place: 'where the row is, in the words of its format: control numbers, segment, sheet',
  _change: 'what the row changed of its order',
  _action:
    'what the receiving system says of the operation. A word that refuses it means that it was not done, even if `_state` is `delivered`',
  _warning: 'the code of what is odd about the event',
  _warning_words: 'what it contradicts, and what to do',
  _looked_up: 'what was looked up for the row among vehicles and locations, and when',
  _replaced_by:
    'the row of a later upload (`batch/record`) that was delivered in its place; this row needs nothing more',
};

export function reportColumnsPage(): string {
  return page(
    'Columns of a report',
    "A report has all columns of the file in their order, then these. A cell that a spreadsheet would run as a formula begins with `'`.",
    [
      table(
        ['Column', 'Says'],
        RESULT_COLUMNS.map((column) => [code(column), COLUMNS[column]]),
      ),
    ],
  );
}
