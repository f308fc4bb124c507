/** Shapes that answers of several rooms have. */
import * as z from 'zod';
import type { BatchState as State } from '../../batch/core/ticket.ts';
import { REASON_MESSAGES, ROW_MESSAGES } from '../../delivery/messages.ts';
import type { ShownDifference } from '../../delivery/orders/merge-messages.ts';
import type { RecordState as RowState } from '../../delivery/outcome.ts';
import { REQUEST_STATES, type StateReason as Reason } from '../../delivery/states.ts';
import { ENVIRONMENTS } from '../../kernel/names.ts';
import { REQUEST_KINDS } from '../../mapping/request.ts';
import { list, Time } from './route.ts';

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  Object.keys(table) as unknown as readonly [Name, ...Name[]];

export const Environment = z.enum(ENVIRONMENTS).meta({ id: 'Environment' });
export const BatchState = z
  .enum(['reading', 'delivering', 'settled', 'unreadable'] as const satisfies readonly State[])
  .meta({ id: 'BatchState' });
export const RequestState = z.enum(REQUEST_STATES).meta({ id: 'RequestState' });
export const RecordState = z.enum(namesOf<RowState>(ROW_MESSAGES)).meta({ id: 'RowState' });
export const StateReason = z.enum(namesOf<Reason>(REASON_MESSAGES)).meta({ id: 'StateReason' });
export const RequestKind = z.enum(REQUEST_KINDS).meta({ id: 'RequestKind' });
/** What became of a request that ended without a plain answer. */
export const Applied = z.enum(['not_applied', 'unknown']);

/** Where a record is in the file. */
export const Position = z
  .strictObject({
    record: z.number(),
    line: z.number(),
    byteFrom: z.number(),
    byteTo: z.number(),
    place: z
      .exactOptional(z.string())
      .describe("The location in the format's own words, such as `ISA 000000905, GS 1, ST 0001`."),
    file: z.exactOptional(z.string()).describe('In an archive, the file with the record: lines and bytes count in it.'),
  })
  .meta({ id: 'Position' });

/** What is wrong with a record, a file or a mapping. */
export const FoundProblem = z
  .strictObject({
    code: z.string().describe('Stable; see the error codes.'),
    path: z.string().describe('The column, element or member.'),
    value: z.string().describe('What was received.'),
    message: z.string(),
    fix: z.string(),
    position: z.exactOptional(Position),
    file: z.exactOptional(z.string()),
  })
  .meta({ id: 'FoundProblem' });

export const RequestLocation = z
  .strictObject({ batchId: z.string(), record: z.number(), request: z.number() })
  .meta({ id: 'RequestLocation' });

export const RowLinks = z
  .strictObject({ batch: z.string(), row: z.string(), console: z.string() })
  .meta({ id: 'RowLinks' });

/** Something about the order or the time of events that deserves a look. */
export const Warning = z
  .strictObject({
    code: z.enum(['sequence_suspicious', 'time_in_future', 'time_too_old']),
    kind: z.enum(['cameLate', 'inFuture', 'outOfOrder', 'speed', 'stops', 'tooOld']),
    value: z.string(),
    other: z.string(),
    message: z.string(),
    fix: z.string(),
  })
  .meta({ id: 'Warning' });

export const EnvelopePolicy = z
  .strictObject({
    broken: z.enum(['interchange', 'set']).describe('What a broken set costs: itself, or its interchange.'),
    counts: z.enum(['lenient', 'strict']).describe('`lenient`: a wrong count is a note, not a problem.'),
    width: z.enum(['strict', 'tolerant']).describe('`strict`: the elements of ISA must have their fixed widths.'),
  })
  .meta({ id: 'EnvelopePolicy' });

/** A refusal (RFC 9457). Members beside these belong to its code. */
export const ProblemDocument = z
  .strictObject({
    type: z.string().describe('The address of a page that explains the code: `/problems/{code}`.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('Stable: programs decide by it.'),
    fix: z.exactOptional(z.string()).describe('What to do.'),
    requestId: z.string().describe('Tell the operator this one.'),
  })
  .catchall(z.unknown())
  .meta({ id: 'Problem' });

/** Each attempt to send a request. */
export const Attempt = z.strictObject({
  attempt: z.number(),
  purpose: z.enum(['check', 'precheck', 'send', 'status']).describe('A sending or a lookup.'),
  startedAt: Time,
  effect: z.string().nullable(),
  status: z.number().nullable(),
  answer: z.string().nullable(),
  answerEnd: z.string().nullable(),
  detail: z.string().nullable().describe('Why there is no answer.'),
  latencyMs: z.number().nullable(),
  headers: z.exactOptional(z.unknown()).describe('Of the answer; for operators.'),
});

export const Notes = list(z.string()).describe('Sentences for a person.');
export const Next = z.string().nullable().describe('The address of the next page; null: this is the last one.');

const Shown = z.unknown() as unknown as z.ZodType<
  Exclude<ShownDifference['before'] & ShownDifference['after'], undefined>
>;
/** What an update changes of an order; a member that is missing was not there. */
export const Difference = z
  .strictObject({ path: z.string(), before: z.exactOptional(Shown), after: z.exactOptional(Shown) })
  .meta({ id: 'Difference' });

/** What shows that a request was delivered. */
export const Evidence = z.enum(['answer', 'operator', 'reconcile']);
