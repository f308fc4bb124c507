/** `/v1/batches` and `/v1/messages`: what partners send, and what became of it. */
import * as z from 'zod';
import { BATCHES_PAGE_MAX, MESSAGES_AT_ONCE, ROWS_PAGE_DEFAULT, ROWS_PAGE_MAX } from '../../kernel/limits.ts';
import { CORRECTED_ROWS_MAX } from '../../ops/publishing/limits.ts';
import {
  Batch,
  BatchIssues,
  BatchList,
  CancelAnswer,
  Message,
  MessageList,
  MessageReceipt,
  Receipt,
  Report,
  RetryAnswer,
  RowDetail,
  RowPage,
} from './batch-shapes.ts';
import { CorrectableRows, SentCorrections, TriedCorrections, UndeliveredRows } from './correction-shapes.ts';
import { DRY_RUN, pageOf, RETRY, ROW_FILTER, required, text, UPLOAD, UPLOAD_HEADERS, whole } from './parameters.ts';
import {
  ANY_TYPE,
  type Answer,
  BYTES_TYPE,
  CSV_TYPE,
  file,
  JSON_TYPE,
  json,
  jsonBody,
  nothing,
  type Routes,
} from './route.ts';

const EDI = { 'application/EDI-X12': null, 'application/EDIFACT': null } as const;

const UPLOADED_FILE = {
  media: { [ANY_TYPE]: null, 'multipart/form-data': null },
  does: 'The file as it is: CSV, JSON, NDJSON, XML, fixed width, XLSX, X12 or EDIFACT; also gzipped or in a ZIP. A form has it in the field `file`, after fields that say what the parameters of the address say.',
} as const;

const upload = (does: string) =>
  ({
    who: 'partner',
    does,
    query: UPLOAD,
    headers: UPLOAD_HEADERS,
    body: UPLOADED_FILE,
    answers: {
      202: {
        ...json('The receipt: nothing can be lost from now on.', Receipt),
        headers: { ...LOCATION, ...REPLAYED },
      },
    },
    refuses: [400, 403, 404, 409, 411, 413, 415, 422, 429],
  }) as const;

const LOCATION = { Location: 'Where to look what became of it.' } as const;
const REPLAYED = { 'Idempotency-Replayed': '`true`: it was taken before.' } as const;

const OF_MESSAGE = {
  ...LOCATION,
  ...REPLAYED,
  'Preference-Applied': 'How long it waited, as `Prefer` asked.',
} as const;

/** Answers that are only there as long as the bytes are kept. */
const GONE = [404, 410] as const;

const PAGED_ROWS = {
  ...ROW_FILTER,
  after: whole('Rows after this one.'),
  before: whole('Rows before this one.'),
  limit: pageOf(ROWS_PAGE_MAX, ROWS_PAGE_DEFAULT),
} as const;
const rowPages = {
  does: 'its rows, page by page, forward (`after`) and back (`before`); `records=3,17` names them',
  query: { ...PAGED_ROWS, records: text(`Numbers of rows, separated by commas, ${ROWS_PAGE_MAX} at most.`) },
  answers: { 200: json('A page of rows.', RowPage) },
  refuses: [400, 404],
  isPolled: true,
} as const;

/** A part of a file can be had: of reports and corrections, once the batch has settled. */
const RANGE = {
  Range: 'A part of it, such as `bytes=0-1023`.',
  'If-Range': 'Only if the `ETag` is still this one.',
} as const;
const DIGEST = { 'Repr-Digest': 'The SHA-256 of the whole (RFC 9530).' } as const;
const PART_HEADERS = { 'Accept-Ranges': '`bytes`: a part can be had.', ETag: 'The same for all parts of it.' } as const;

const inParts = <Whole extends Answer>(whole: Whole, type: string, more: Readonly<Record<string, string>> = {}) =>
  ({
    200: { ...whole, headers: { ...PART_HEADERS, ...more } },
    206: {
      ...file('The part.', type),
      headers: { ...PART_HEADERS, ...more, 'Content-Range': 'Which part of how many bytes.' },
    },
  }) as const;

/** Of a batch, the same for a partner and for an operator. */
export const BATCH_PARTS = {
  whole: {
    does: 'counts, progress and problems of a batch',
    answers: { 200: json('The batch.', Batch) },
    refuses: [404],
    isPolled: true,
  },
  rows: rowPages,
  row: {
    does: 'one row: what it was made from, what was sent, every attempt with its answer',
    answers: { 200: json('The row.', RowDetail) },
    refuses: [404],
    isPolled: true,
  },
  issues: {
    does: 'what failed alike: how many rows, why, and what to do',
    answers: { 200: json('Most rows first.', BatchIssues) },
    refuses: [404],
  },
  messages: {
    does: 'the messages that share the batch, page by page',
    query: { after: whole('Messages after this number.'), limit: pageOf(MESSAGES_AT_ONCE, 100) },
    answers: { 200: json('A page of messages; none if the batch is of one upload.', MessageList) },
    refuses: [404],
  },
  reportCsv: {
    does: 'the file again, with result columns',
    headers: RANGE,
    answers: inParts(file('A line for each row.', CSV_TYPE), CSV_TYPE),
    refuses: [...GONE, 416],
  },
  reportJson: {
    does: 'the same as JSON, with the requests that were sent',
    headers: RANGE,
    answers: inParts(json('The batch and all its rows.', Report), JSON_TYPE),
    refuses: [...GONE, 416],
  },
  corrections: {
    does: 'only the rows to correct, as a file of the same kind; `form=xlsx`: a table as a workbook whose wrong cells are marked',
    query: { form: text('`xlsx`: as a workbook.') },
    headers: RANGE,
    answers: inParts(file('Without rows if there are none.', ANY_TYPE), ANY_TYPE),
    refuses: [...GONE, 413, 416],
  },
  source: {
    does: 'the exact bytes of the upload',
    headers: RANGE,
    answers: inParts(file('The bytes.', BYTES_TYPE), BYTES_TYPE, DIGEST),
    refuses: [...GONE, 416],
  },
  acknowledgment: {
    does: 'its 997, 999 (`kind=999`) or CONTRL; a TA1 comes with it as ISA14 asks',
    query: { kind: text('`997`, `999` or `CONTRL`, as its format has; the first that it has if left out.') },
    answers: {
      200: { does: 'The acknowledgment.', media: EDI },
      204: nothing('There is nothing to acknowledge.'),
    },
    refuses: [...GONE, 409],
  },
} as const;

/** Of one message, the same for a partner and for an operator. */
export const MESSAGE_PARTS = {
  whole: {
    does: 'what became of this message: state, rows, counts, problems',
    answers: { 200: json('The message, with its first rows.', Message) },
    refuses: [404],
    isPolled: true,
  },
  rows: { ...rowPages, does: 'all rows of this message, page by page', query: PAGED_ROWS },
  acknowledgment: { ...BATCH_PARTS.acknowledgment, does: 'the acknowledgment of this message' },
  source: { ...BATCH_PARTS.source, does: 'the exact bytes of this message' },
} as const;

const own = { who: 'partner' } as const;

export const BATCH_ROUTES = {
  'POST /v1/batches': upload('takes a file; answers 202 with a receipt'),
  'PUT /v1/batches': upload('the same, for `curl -T`'),
  'POST /v1/batches/{fileName}': upload('the same; the last part of the address is the name of the file'),
  'PUT /v1/batches/{fileName}': upload('the same; `curl -T FILE …/v1/batches/` adds the name by itself'),
  'GET /v1/batches': {
    who: 'partner',
    does: 'your batches, newest first',
    query: {
      before: text('As `next` says.'),
      fileName: text('Only files with this in their names.'),
      limit: pageOf(BATCHES_PAGE_MAX, 50),
    },
    answers: { 200: json('A page of batches.', BatchList) },
    refuses: [400],
  },
  'GET /v1/rows': {
    who: 'partner',
    does: 'undelivered rows that have a text in what they became or in what is wrong with them',
    query: { text: required('A reference, a load or a word.') },
    answers: { 200: json('Rows of the newest batches that have such rows.', UndeliveredRows) },
    refuses: [400],
  },
  'GET /v1/batches/{id}': { ...own, ...BATCH_PARTS.whole, page: '/console/batches/{id}' },
  'GET /v1/batches/{id}/rows': { ...own, ...BATCH_PARTS.rows },
  'GET /v1/batches/{id}/rows/{record}': { ...own, ...BATCH_PARTS.row },
  'GET /v1/batches/{id}/issues': { ...own, ...BATCH_PARTS.issues },
  'GET /v1/batches/{id}/messages': { ...own, ...BATCH_PARTS.messages },
  'GET /v1/batches/{id}/report.csv': { ...own, ...BATCH_PARTS.reportCsv },
  'GET /v1/batches/{id}/report.json': { ...own, ...BATCH_PARTS.reportJson },
  'GET /v1/batches/{id}/corrections': { ...own, ...BATCH_PARTS.corrections },
  'GET /v1/batches/{id}/source': { ...own, ...BATCH_PARTS.source },
  'GET /v1/batches/{id}/acknowledgment': { ...own, ...BATCH_PARTS.acknowledgment },
  'GET /v1/batches/{id}/correctable': {
    who: 'partner',
    does: 'rows of a table, JSON, fixed width, X12 or EDIFACT that can be corrected one by one, with their cells and which of them are at fault',
    query: { after: whole('Rows after this one.'), limit: pageOf(CORRECTED_ROWS_MAX, CORRECTED_ROWS_MAX) },
    answers: { 200: json('A page of rows with their cells.', CorrectableRows) },
    refuses: [400],
  },
  'POST /v1/batches/{id}/corrections': {
    who: 'partner',
    does: 'corrected cells by row and column: what is right is sent as corrections',
    query: { dryRun: DRY_RUN },
    body: {
      ...jsonBody(
        z.strictObject({
          rows: z.array(
            z.strictObject({
              record: z.int(),
              cells: z.record(z.string(), z.string()).describe('The changed ones, by column.'),
            }),
          ),
        }),
      ),
      does: 'The changed cells.',
    },
    answers: {
      200: json('What would be sent, and what is still wrong.', TriedCorrections),
      202: {
        ...json('The batch of the corrections.', SentCorrections),
        headers: LOCATION,
      },
    },
    refuses: [400, 409, 413, 415, 422],
  },
  'POST /v1/batches/{id}/cancel': {
    who: 'partner',
    does: 'withdraws what was not sent yet',
    query: { dryRun: DRY_RUN },
    answers: {
      200: json('The plan; nothing was changed.', CancelAnswer),
      202: { ...json('What is withdrawn.', CancelAnswer), headers: LOCATION },
    },
    refuses: [400, 404, 409],
  },
  'POST /v1/batches/{id}/retry': {
    who: 'partner',
    does: 'sends failed rows again',
    query: RETRY,
    answers: {
      200: json('The plan; nothing was changed.', RetryAnswer),
      202: { ...json('What is sent again.', RetryAnswer), headers: LOCATION },
    },
    refuses: [400, 404, 409],
  },
  'POST /v1/messages': {
    who: 'partner',
    does: 'takes one document and waits for its outcome; answers with the acknowledgment if `Accept` asks for EDI',
    query: UPLOAD,
    headers: { ...UPLOAD_HEADERS, Prefer: 'How long to wait, in seconds: `wait=10`.' },
    body: UPLOADED_FILE,
    answers: {
      200: {
        does: 'What became of it, or its acknowledgment.',
        media: { [JSON_TYPE]: Message, ...EDI },
        headers: OF_MESSAGE,
      },
      202: { ...json('The receipt: it is still being worked on.', MessageReceipt), headers: OF_MESSAGE },
      204: { ...nothing('It is itself an acknowledgment: there is nothing to answer.'), headers: OF_MESSAGE },
      403: { does: 'The acknowledgment that refuses its sender.', media: EDI },
      409: { does: 'The acknowledgment that refuses it: it was received before.', media: EDI },
      422: {
        does: 'Nothing of it could be used; its rows say why. Or the acknowledgment that refuses it.',
        media: { [JSON_TYPE]: Message, ...EDI },
        headers: OF_MESSAGE,
      },
    },
    refuses: [400, 403, 404, 409, 411, 413, 415, 422],
  },
  'GET /v1/messages/{id}/{message}': { ...own, ...MESSAGE_PARTS.whole },
  'GET /v1/messages/{id}/{message}/rows': { ...own, ...MESSAGE_PARTS.rows },
  'GET /v1/messages/{id}/{message}/acknowledgment': { ...own, ...MESSAGE_PARTS.acknowledgment },
  'GET /v1/messages/{id}/{message}/source': { ...own, ...MESSAGE_PARTS.source },
} as const satisfies Routes;
