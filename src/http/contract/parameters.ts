/** Parameters that several routes have: of the path by name, of the query as parts. */
import * as z from 'zod';
import { RETRIABLE_STATES } from '../../delivery/retry.ts';

/** One that itself ends so can be had as JSON, too. */
const CSV_AFTER = '`.csv` after it asks for CSV, unless `Accept` names `application/json`: then it belongs to it.';

/** What stands in a path for each name in braces. */
export const PATH_PARAMETERS = {
  id: 'The id of a batch (`b_…`), an issue, an action, a proposal or a person.',
  batch: 'The id of a batch (`b_…`).',
  record: 'The number of a row, from 1, without the header.',
  request: 'The number of a request within its row, from 1.',
  message: 'The number of a message within its batch, from 1.',
  fileName: 'The name of the file, for display.',
  loadNumber: `The number of a load, with its leading zeros; ${CSV_AFTER}`,
  ref: `The reference of an order; ${CSV_AFTER}`,
  name: 'The name of a mapping, a code list, a channel or a partner.',
  vehicleNumber: `The number of a vehicle, with its leading zeros; ${CSV_AFTER}`,
  locationNumber: `The number of a location, with its leading zeros; ${CSV_AFTER}`,
  keyId: 'The id of a key: what stands in it before the secret.',
  target: 'The name of a webhook.',
  link: 'The id of an upload link (`l_…`).',
  event: 'The id of an event.',
  subject: 'A subject of the API, such as `batches` or `ops-issues`.',
  code: 'The code of a problem.',
  poll: 'The number of a poll.',
} as const satisfies Readonly<Record<string, string>>;

/* Parts of a query. All may be left out unless they are `required`. */

export const text = (does: string) => z.exactOptional(z.string()).describe(does);
/** May be said any number of times. */
export const several = (does: string) => z.exactOptional(z.array(z.string())).describe(does);
export const required = (does: string) => z.string().describe(does);
export const whole = (does: string) => z.exactOptional(z.int()).describe(does);
export const flag = (does: string) => z.exactOptional(z.boolean()).describe(does);
export const choice = <Word extends string>(words: readonly [Word, ...Word[]], does: string) =>
  z.exactOptional(z.enum(words)).describe(does);

export const pageOf = (most: number, normal: number) =>
  z.exactOptional(z.int().min(1).max(most)).describe(`How many on a page; ${normal} if left out.`);

export const DRY_RUN = flag('Says what would happen, and changes nothing.');

/** Where an upload goes, and how. */
export const UPLOAD = {
  mapping: required(
    'The name of the mapping that reads the file. A form may say it in a field before its file instead.',
  ),
  scac: text('The carrier; needed if your key has several and the mapping names none.'),
  fileName: text('Shown in lists and reports.'),
  dryRun: flag('Everything is read and checked, nothing is sent.'),
  force: flag('New work even if the same file was sent before; needs an `Idempotency-Key`.'),
} as const;

export const UPLOAD_HEADERS = {
  'Idempotency-Key': 'A repeat with the same key and file is the same batch.',
} as const;

/** What a batch's rows are chosen by. */
export const ROW_FILTER = {
  state: text('One or several row states, separated by commas.'),
  code: text('An error code.'),
  column: text('A column, element or member that is wrong.'),
  value: text('The wrong value.'),
  status: whole('The HTTP status that the receiving system answered.'),
  text: text('A text in the row.'),
} as const;

export const RETRY = {
  state: text(`One or several of ${RETRIABLE_STATES.join(', ')}, separated by commas; all of them if left out.`),
  includeUnknown: flag('Also what may have arrived: it may then arrive twice.'),
  dryRun: DRY_RUN,
} as const;
