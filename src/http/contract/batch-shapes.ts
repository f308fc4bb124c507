/** What is answered about batches, their rows and their messages; the same for partners and operators. */
import * as z from 'zod';
import type { BatchCost } from '../../batch/core/cost.ts';
import { RETRIABLE_STATES } from '../../delivery/retry.ts';
import type { RequestKind as Kind, RequestBodies } from '../../mapping/request.ts';
import { countsBy, list, open, Time } from './route.ts';
import {
  Applied,
  Attempt,
  BatchState,
  Difference,
  EnvelopePolicy,
  Evidence,
  FoundProblem,
  Next,
  Notes,
  Position,
  RecordState,
  RequestKind,
  RequestLocation,
  RequestState,
  RowLinks,
  StateReason,
  Warning,
} from './shapes.ts';

export const BatchLinks = z
  .strictObject({
    self: z.string(),
    rows: z.string(),
    reportCsv: z.string(),
    reportJson: z.string(),
    corrections: z.string(),
    source: z.string(),
    console: z.string(),
  })
  .meta({ id: 'BatchLinks' });

const FORMATS = ['csv', 'json', 'ndjson', 'xml', 'fixed', 'xlsx', 'x12', 'edifact'] as const;
export const Format = z.enum(FORMATS).meta({ id: 'Format' });

/** What a mapping looks up at the receiving system while a file is read. */
const Awaited = z.strictObject({
  api: z.enum(['fleet', 'locations']),
  since: Time,
  tries: z.number(),
  nextAt: Time,
  status: z.number().nullable(),
  detail: z.string(),
});

const SendingStop = z
  .strictObject({
    scac: z.string().nullable().describe('Only its requests wait; null: all of the batch do.'),
    why: z.enum(['channel_refused', 'credentials_refused', 'failures', 'not_onboarded', 'redirects', 'scacs_parked']),
    since: Time,
    nextTry: Time,
  })
  .meta({ id: 'SendingStop' });
export const Stops = list(SendingStop).describe('What keeps its requests from being sent.');

const BatchSummary = z.strictObject({
  batchId: z.string(),
  state: BatchState,
  environment: z.string(),
  partner: z.string(),
  mapping: z.string(),
  mappingSha256: z.string(),
  format: Format.nullable().describe('Format of its file; null: unknown.'),
  scac: z.string().nullable(),
  fileName: z.string().nullable(),
  bytes: z.number(),
  contentBytes: z.number().nullable().describe('Of the contents of a compressed upload; null: the upload is the file.'),
  files: list(
    z.strictObject({
      name: z.string(),
      bytes: z.number(),
      state: z.enum(['read', 'reading', 'unread', 'unreadable']),
      rows: z.number(),
    }),
  )
    .nullable()
    .describe('Of an archive, in order; null: the upload has one file.'),
  messages: z.number().nullable().describe('Messages that share the batch; null: it is of one upload.'),
  sha256: z.string().nullable().describe('null: of several messages.'),
  dryRun: z.boolean(),
  forced: z.boolean().describe('New work on request, whether or not the same file had been sent before.'),
  sentAgainFrom: z.string().nullable().describe('The batch whose rows came once more, where no file can say so.'),
  corrected: z.boolean().describe('Its sender has corrected those rows; false: an operator had them mapped again.'),
  receivedAt: Time,
  uploadedBy: z.string().nullable().describe('Id of the key it came with; null: unknown, or of several messages.'),
  settledAt: Time.nullable(),
  bytesDeletedAt: Time.nullable().describe('Since then its file and its reports are no longer available.'),
  cancelledAt: Time.nullable().describe('When its unsent requests were withdrawn; null: never, or retried since.'),
  bytesRead: z.number().describe('Bytes of the (unpacked) file read so far.'),
  rows: z.number(),
  rowStates: countsBy(RecordState),
  resolved: z
    .number()
    .describe('Rows that were corrected: another was delivered in their place. They keep their states.'),
  resolvedStates: countsBy(RecordState).describe('The states of these.'),
  requests: z.number(),
  requestStates: countsBy(RequestState),
  problems: list(FoundProblem).describe('Why the file could not be read, or where it breaks off after its rows.'),
  notes: Notes,
  awaits: Awaited.nullable().describe('The lookup it waits for; null: none.'),
  envelopes: EnvelopePolicy.nullable().describe('How strictly its envelopes were validated; null: it has none.'),
});

export const Batch = BatchSummary.extend({
  stops: Stops,
  cost: z.exactOptional(open<BatchCost>('What it took, for operators.').nullable()),
  links: BatchLinks.extend({
    messages: z.exactOptional(z.string()),
    channel: z
      .exactOptional(z.string())
      .describe('For operators, while something stops it: where that is tested and released.'),
  }),
}).meta({ id: 'Batch' });

const NEW_RECEIPT = {
  batchId: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  receivedAt: Time,
  replayed: z.boolean().describe('These bytes already were this batch: nothing is sent twice.'),
};

export const Receipt = z
  .strictObject({
    ...NEW_RECEIPT,
    state: z.exactOptional(BatchState).describe('Of a file that was known before.'),
    rows: z.exactOptional(z.number()),
    rowStates: z.exactOptional(countsBy(RecordState)),
    requests: z.exactOptional(z.number()),
    requestStates: z.exactOptional(countsBy(RequestState)),
    links: BatchLinks.extend({ retry: z.exactOptional(z.string()) }),
  })
  .meta({ id: 'Receipt' });

/** Counts of the list may be some seconds late; null: they are not known. */
export const BatchList = z.strictObject({
  batches: list(
    z.strictObject({
      batchId: z.string(),
      state: z.string(),
      mapping: z.string(),
      messages: z.number().nullable(),
      fileName: z.string().nullable(),
      bytes: z.number().nullable(),
      sha256: z.string().nullable(),
      receivedAt: Time,
      dryRun: z.boolean(),
      rows: z.number().nullable().describe('This and the other counts may be some seconds late; null: not known.'),
      rowStates: z.record(z.string(), z.number()).nullable(),
      held: z.number().nullable(),
      refused: z.number().nullable(),
      cancelled: z.boolean().nullable(),
      stops: Stops,
      links: BatchLinks,
    }),
  ),
  next: Next,
});

/* Rows. */

const Earlier = z.strictObject({
  generation: z.number(),
  state: RequestState,
  reason: StateReason.nullable(),
  outcome: Applied.nullable(),
  attempts: z.number(),
  status: z.number().nullable(),
  answer: z.string().nullable(),
  decidedAt: Time.nullable(),
});

const REQUEST = {
  request: z.number().describe('From 1, within its row.'),
  kind: RequestKind,
  body: open<RequestBodies[Kind]>(
    'As it was mapped, in the spelling of the receiving system; of an update, the change.',
  ),
  generation: z.number().describe('From 1; each retry adds one. What follows is of this generation.'),
  earlier: list(Earlier).describe('Oldest first.'),
  subject: z.string().describe('`load:<loadNumber>` or `order:<orderRef>`'),
  scac: z.string(),
  state: RequestState,
  reason: StateReason.nullable(),
  outcome: Applied.nullable(),
  evidence: Evidence.nullable().describe('What shows that it was delivered.'),
  attempts: z.number(),
  status: z.number().nullable(),
  answer: z.string().nullable(),
  possibleDuplicate: z.boolean(),
  late: z.boolean(),
  into: RequestLocation.nullable().describe('The request it travels in (coalesced) or repeats (duplicate).'),
  intoState: RequestState.nullable().describe('The state of that one.'),
  nextAt: Time.nullable(),
  decidedAt: Time.nullable(),
  diff: list(Difference).nullable().describe('Of an update: its changes to the order; null before they are known.'),
  action: z.string().nullable().describe("The receiving system's word for an order's operation."),
  warnings: list(Warning),
  links: z.strictObject({ subject: z.string(), console: z.string(), into: z.exactOptional(z.string()) }),
} as const;

const ROW = {
  record: z.number(),
  position: Position,
  state: RecordState,
  errors: list(FoundProblem),
  group: z.number().nullable().describe('The row with the requests of its group; null: its requests are its own.'),
  replaces: z.string().nullable().describe('`batch/record` of the earlier row that it replaces, as its file says.'),
  replacedBy: z
    .strictObject({ batchId: z.string(), record: z.number(), link: z.string() })
    .nullable()
    .describe('The row of a later batch delivered in its place; null: none.'),
  lookedUp: list(
    z.strictObject({
      of: z.enum(['location', 'vehicle']),
      by: z.enum(['licensePlate', 'locationNumber', 'vehicleNumber', 'vin']),
      key: z.string(),
      outcome: z.enum(['found', 'none', 'several', 'silent', 'unavailable']),
      fields: z.record(z.string(), z.string()).describe('What the lookup gave or was to give, by field.'),
      at: Time.describe('When the answer was fetched.'),
      words: z.string(),
    }),
  ).describe('Its lookups of vehicles and locations.'),
} as const;

/** The body is of its kind. */
type OfKind<Request> = {
  [Each in Kind]: Omit<Request, 'kind' | 'body'> & { kind: Each; body: RequestBodies[Each] };
}[Kind];
const ofKind = <Shape extends z.ZodType>(shape: Shape) => shape as unknown as z.ZodType<OfKind<z.output<Shape>>>;

const Row = z.strictObject({ ...ROW, requests: list(ofKind(z.strictObject(REQUEST))) }).meta({ id: 'Row' });

export const RowPage = z.strictObject({
  rows: list(Row),
  next: Next,
  previous: z.string().nullable().describe('The address of the page before.'),
});

const Generation = z.strictObject({
  generation: z.number(),
  state: RequestState,
  reason: StateReason.nullable(),
  outcome: Applied.nullable(),
  acceptedAt: Time,
  deadline: Time.nullable(),
  nextAt: Time.nullable(),
  travelsIn: RequestLocation.nullable().describe('The row it travels with, where that is another one.'),
  attempts: list(Attempt),
});

export const RowDetail = z
  .strictObject({
    batchId: z.string(),
    ...ROW,
    original: z
      .strictObject({
        cells: list(z.strictObject({ column: z.string(), text: z.string() }))
          .nullable()
          .describe('null: no row of a table, or too long.'),
        text: z.string(),
        isCut: z.boolean().describe('The text is only its beginning.'),
      })
      .nullable()
      .describe('What it was made from; null: its bytes are kept no longer.'),
    requests: list(
      ofKind(
        z.strictObject({
          ...REQUEST,
          generations: list(Generation)
            .nullable()
            .describe('The newest last; null: not looked up, the row has too many requests. Empty: no longer kept.'),
        }),
      ),
    ),
  })
  .meta({ id: 'RowDetail' });

/* What failed alike. */

const ISSUE = {
  code: z.string().describe('Code of the problem; else the reason, or the state of the request without one.'),
  state: z.enum(['cancelled', 'dead', 'held', 'invalid', 'rejected']),
  path: z.string().nullable().describe('Of a problem.'),
  value: z.string().nullable(),
  message: z.string().nullable(),
  reason: StateReason.nullable().describe('Of a request that ended.'),
  status: z.number().nullable(),
  answer: z.string().nullable(),
} as const;

export const BatchIssues = z.strictObject({
  batchId: z.string(),
  issues: list(
    z.strictObject({
      ...ISSUE,
      id: z.string(),
      rows: z.number(),
      requests: z.number().describe('How many of them are requests: those alone can be sent again.'),
      held: z.number().describe('How many of these wait for a decision.'),
      title: z.string().describe('Short enough for a line of a table.'),
      cause: z.string(),
      fix: z.string(),
      list: z.string().nullable().describe('The code list that lacks the word; null: it is something else.'),
      firstRecord: z.number().nullable(),
      examples: list(
        z.strictObject({
          record: z.number(),
          request: z.number(),
          line: z.number(),
          subject: z.string().nullable(),
          links: RowLinks,
        }),
      ),
      links: z.strictObject({ issue: z.exactOptional(z.string()).describe('The same in all batches, for operators.') }),
    }),
  ),
  isCut: z.boolean().describe('There may be more, of fewer rows each.'),
});

/* Messages that share a batch. */

const MessageLinks = z
  .strictObject({
    self: z.string(),
    rows: z.string(),
    acknowledgment: z.string(),
    source: z.string(),
    batch: z.string(),
    console: z.string(),
  })
  .meta({ id: 'MessageLinks' });

const MessageState = z.enum(['read', 'reading', 'unread', 'unreadable']);

export const MessageList = z.strictObject({
  messages: list(
    z.strictObject({
      message: z.number(),
      state: MessageState,
      fileName: z.string().nullable(),
      bytes: z.number(),
      sha256: z.string(),
      receivedAt: Time,
      records: z.number().nullable(),
      problems: list(FoundProblem),
      links: MessageLinks,
    }),
  ),
  next: Next,
});

/* Cancel and retry. */

const RetriableState = z.enum(RETRIABLE_STATES);

export const CancelAnswer = z.strictObject({
  batchId: z.string(),
  dryRun: z.boolean(),
  cancelledAt: Time.nullable().describe('null: nothing was withdrawn, this is what would be.'),
  withdrawn: z.strictObject({ rows: z.number(), requests: z.number() }),
  stays: countsBy(RequestState).describe('Requests that go on, or have ended.'),
  restOfFile: z.boolean().describe('Some rows are not read yet; none of them will be sent.'),
  notes: Notes,
  links: BatchLinks,
});

export const RetryAnswer = z.strictObject({
  batchId: z.string(),
  dryRun: z.boolean(),
  retriedAt: Time.nullable().describe('null: nothing is sent again, this is what would be.'),
  retried: z.number(),
  states: countsBy(RetriableState).describe('How they had ended.'),
  mayHaveArrived: z.number().describe('Those that may arrive twice.'),
  leftOut: z.record(z.string(), z.number()),
  notes: Notes,
  links: BatchLinks,
});

/* One message. */

/** What became of it, with its first rows; `rows` of its links has them all. */
export const Message = z
  .strictObject({
    batchId: z.string(),
    message: z.number(),
    state: BatchState,
    mapping: z.string(),
    format: Format.nullable(),
    fileName: z.string().nullable(),
    bytes: z.number(),
    sha256: z.string(),
    receivedAt: Time,
    dryRun: z.boolean(),
    rows: list(
      z.strictObject({
        record: z.number(),
        position: Position,
        state: RecordState,
        errors: list(FoundProblem),
        requests: list(
          z.strictObject({
            kind: RequestKind,
            subject: z.string(),
            scac: z.string(),
            state: RequestState,
            status: z.number().nullable(),
            answer: z.string().nullable(),
          }),
        ),
      }),
    ).describe('The first ones.'),
    rowCount: z.number(),
    rowStates: countsBy(RecordState),
    requests: z.number(),
    requestStates: countsBy(RequestState),
    problems: list(FoundProblem),
    notes: Notes,
    links: MessageLinks,
  })
  .meta({ id: 'Message' });

export const MessageReceipt = z.strictObject({
  ...NEW_RECEIPT,
  message: z.number().nullable().describe('null: the key was used for a file before.'),
  links: z.union([MessageLinks, BatchLinks]),
});

/** `report.json`: the batch, and its rows with their original columns. */
export const Report = z.strictObject({
  batch: BatchSummary,
  rows: list(
    z.strictObject({
      ...ROW,
      requests: list(z.strictObject(REQUEST).omit({ links: true })),
      columns: list(z.tuple([z.string(), z.string()])).describe('Name and text of each original column.'),
    }),
  ),
});
