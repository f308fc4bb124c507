/** What is answered to operators about batches, dead letters, issues, decisions and replays. */
import * as z from 'zod';
import { BatchLinks, Stops } from '../batch-shapes.ts';
import { countsBy, list, open, Time } from '../route.ts';
import {
  Applied,
  Environment,
  Evidence,
  FoundProblem,
  Next,
  Position,
  RecordState,
  RequestKind,
  RequestState,
  StateReason,
} from '../shapes.ts';

const PartnersBatch = z.strictObject({ partner: z.string(), batchId: z.string() });

const LookupAnswer = z.union([
  z.strictObject({
    outcome: z.literal('found'),
    facts: z.strictObject({
      city: z.exactOptional(z.string()),
      country: z.exactOptional(z.string()),
      latitude: z.exactOptional(z.string()),
      licensePlate: z.exactOptional(z.string()),
      line1: z.exactOptional(z.string()),
      locationNumber: z.exactOptional(z.string()),
      longitude: z.exactOptional(z.string()),
      name: z.exactOptional(z.string()),
      postalCode: z.exactOptional(z.string()),
      state: z.exactOptional(z.string()),
      timeZone: z.exactOptional(z.string()),
      vehicleNumber: z.exactOptional(z.string()),
      vin: z.exactOptional(z.string()),
    }),
    atMs: z.number(),
  }),
  z.strictObject({ outcome: z.literal('none'), atMs: z.number() }),
  z.strictObject({ outcome: z.literal('several'), count: z.number(), atMs: z.number() }),
  z.strictObject({ outcome: z.literal('unavailable'), why: z.string(), atMs: z.number() }),
]);

const RowLocation = z.strictObject({ batchId: z.string(), record: z.number() });

export const DeadLetterLine = z.strictObject({
  batchId: z.string(),
  record: z.number(),
  request: z.number(),
  line: z.number(),
  fileName: z.string().nullable().describe('Of its upload; null: it has none, or the rows came as messages.'),
  state: z.enum(['cancelled', 'dead', 'held', 'invalid', 'rejected']),
  reason: StateReason.nullable(),
  outcome: Applied.nullable(),
  kind: RequestKind.nullable(),
  subject: z.string().nullable(),
  scac: z.string().nullable(),
  generation: z.number(),
  attempts: z.number(),
  status: z.number().nullable(),
  answer: z.string().nullable().describe('Beginning of the last answer.'),
  possibleDuplicate: z.boolean(),
  problems: list(FoundProblem).describe('Why the row could not become a request.'),
  replacedBy: RowLocation.nullable().describe('The row of a later batch that replaced it.'),
  partner: z.string(),
  decidedAt: Time.nullable(),
  recommended: z.string(),
  links: z.strictObject({ batch: z.string(), row: z.string(), console: z.string(), self: z.string() }),
});

const Decision = z.enum(['adopt_id', 'close', 'create_again', 'mark_delivered', 'send_again']);

const ReplayedBatch = z.strictObject({
  batchId: z.string(),
  state: z.enum(['cancelled', 'done', 'refused', 'running', 'waiting']),
  requests: z.number(),
  sentAgain: z.number(),
  skipped: z.number(),
  left: z.number(),
  outcome: countsBy(RequestState)
    .nullable()
    .describe(
      'What became of what was sent again, by state, of the first 2,000; null: nothing was, or it was not asked.',
    ),
  problem: z
    .strictObject({
      code: z.enum(['batch_gone', 'batch_unreadable', 'cancel_under_way', 'file_sent_again', 'plan_changed']),
      detail: z.string(),
    })
    .nullable(),
});

export const OpsBatchList = z.strictObject({
  environment: Environment,
  batches: list(
    z.strictObject({
      batchId: z.string(),
      partner: z.string(),
      mapping: z.string(),
      mappingSha256: z.string(),
      scac: z.string().nullable(),
      fileName: z.string().nullable(),
      messages: z.number().nullable(),
      bytes: z.number(),
      dryRun: z.boolean(),
      cancelled: z.boolean(),
      state: z.string(),
      receivedAt: Time,
      settledAt: Time.nullable(),
      rows: z.number(),
      rowStates: z.record(z.string(), z.number()),
      held: z.number(),
      refused: z.number(),
      needsSomebody: z.boolean(),
      stops: Stops,
      trouble: z.string().nullable(),
      dollars: z
        .number()
        .nullable()
        .describe('What it took so far, at list price; null: it began before this was counted.'),
      asOf: z.string().nullable().describe('When the batch reported it: by now it may be some seconds further.'),
      links: BatchLinks.extend({ messages: z.exactOptional(z.string()), mapping: z.string(), partner: z.string() }),
    }),
  ),
  next: Next,
});

export const Reindexed = z.strictObject({
  written: z.number(),
  removed: z.number().describe('Rows of batches that are gone.'),
  failed: list(PartnersBatch).describe('Those that did not answer, or could not write.'),
  environment: Environment,
  next: Next,
});

export const LookUps = z.strictObject({
  answers: list(
    z.strictObject({
      asked: z.union([
        z.strictObject({
          of: z.literal('vehicle'),
          by: z.enum(['licensePlate', 'vehicleNumber', 'vin']),
          key: z.string(),
        }),
        z.strictObject({ of: z.literal('location'), by: z.literal('locationNumber'), key: z.string() }),
      ]),
      answer: LookupAnswer,
    }),
  ),
});

export const Interchanges = z.strictObject({
  environment: Environment,
  control: z.string(),
  interchanges: list(
    z.strictObject({
      sender: z.string(),
      receiver: z.string(),
      batchId: z.string(),
      message: z.number().nullable(),
      partner: z.string(),
      receivedAt: Time,
      links: z.strictObject({ self: z.string(), console: z.string() }),
    }),
  ),
});

export const DeadLetterList = z.strictObject({ environment: Environment, letters: list(DeadLetterLine), next: Next });

export const DeadLetter = z.strictObject({
  batchId: z.string(),
  record: z.number(),
  request: z.number(),
  environment: Environment,
  partner: z.string(),
  position: Position,
  state: RecordState,
  reason: StateReason.nullable(),
  outcome: Applied.nullable(),
  kind: RequestKind.nullable(),
  subject: z.string().nullable(),
  scac: z.string().nullable(),
  problems: list(FoundProblem),
  replaces: z.string().nullable(),
  replacedBy: RowLocation.nullable(),
  body: open<object>('In the spelling of the receiving system.').nullable().describe('As it is sent.'),
  diff: z.unknown().describe('What it changes of its order; null before that is known, and for anything else.'),
  generation: z.number(),
  version: z.string().nullable().describe('For If-Match of a decision.'),
  decisions: list(Decision),
  recommended: z.string(),
  replay: z.enum(['may_have_arrived', 'order_exists', 'order_may_exist', 'replaced', 'retried']).nullable(),
  generations: list(
    z.strictObject({
      generation: z.number(),
      state: RequestState,
      reason: StateReason.nullable(),
      outcome: Applied.nullable(),
      evidence: Evidence.nullable(),
      status: z.number().nullable(),
      possibleDuplicate: z.boolean(),
      late: z.boolean(),
      acceptedAt: Time.nullable(),
      deadline: Time.nullable(),
      nextAt: Time.nullable(),
      decidedAt: Time.nullable(),
      travelsIn: z
        .strictObject({
          batchId: z.string(),
          record: z.number(),
          request: z.number(),
          state: RequestState,
          reason: StateReason.nullable(),
          status: z.number().nullable(),
        })
        .nullable(),
      attempts: list(
        z.strictObject({
          attempt: z.number(),
          purpose: z.enum(['check', 'precheck', 'send', 'status']).describe('A sending or a lookup.'),
          startedAt: Time.nullable(),
          requestSha256: z.string(),
          effect: z.string().nullable(),
          status: z.number().nullable(),
          headers: z.unknown(),
          answer: z.string().nullable(),
          answerEnd: z.string().nullable(),
          detail: z.string().nullable(),
          latencyMs: z.number().nullable(),
        }),
      ),
    }),
  ),
  decided: list(
    z.strictObject({
      at: Time.nullable(),
      who: z.string(),
      name: z.string(),
      why: z.string(),
      decision: Decision,
      orderId: z.string().nullable(),
      outcome: Applied.nullable(),
      before: z.unknown(),
    }),
  ),
  batchActions: list(z.strictObject({ at: Time.nullable(), who: z.string(), what: z.string(), detail: z.unknown() })),
  links: z.strictObject({
    batch: z.string(),
    row: z.string(),
    console: z.string(),
    self: z.string(),
    decisions: z.string(),
  }),
});

export const DeadLetterDecided = z.strictObject({
  replayed: z.boolean().describe('It was made before, under the same id.'),
  decision: Decision,
  state: RequestState.describe('State of the request right after the decision.'),
  version: z.string(),
  requests: z.number().describe('How many requests it covers: for a set of positions, all that travel in it.'),
  batchId: z.string(),
  record: z.number(),
  request: z.number(),
  environment: Environment,
  partner: z.string(),
  dryRun: z.boolean(),
  links: z.strictObject({ self: z.string() }),
});

export const DecisionsPlan = z.strictObject({
  dryRun: z.boolean(),
  environment: Environment,
  decision: z.enum(['close', 'create_again', 'mark_delivered', 'send_again']),
  outcome: Applied.nullable(),
  partners: list(z.string()),
  requests: z.number(),
  kinds: z.record(z.string(), z.number()),
  leftOut: z.record(z.string(), z.number()),
  seconds: z.number(),
  perSecond: z.number(),
  confirm: z.string(),
  notes: list(z.string()),
});

export const ReplayPlan = z.strictObject({
  requests: z.number(),
  states: z.record(z.string(), z.number()),
  kinds: z.record(z.string(), z.number()),
  mayHaveArrived: z.number(),
  leftOut: z.record(z.string(), z.number()),
  seconds: z.number().describe('About how long dispatching takes.'),
  perSecond: z.number(),
  confirm: z.string().describe('Identifies exactly this plan.'),
  environment: Environment,
  partner: z.string(),
  batches: list(
    z.strictObject({
      requests: z.number(),
      states: z.record(z.string(), z.number()),
      kinds: z.record(z.string(), z.number()),
      mayHaveArrived: z.number(),
      leftOut: z.record(z.string(), z.number()),
      batchId: z.string(),
      fileName: z.string().nullable(),
      examples: list(
        z.strictObject({ record: z.number(), subject: z.string(), line: z.number(), place: z.string().nullable() }),
      ).describe('The first requests of it, each with where its row is in the file.'),
    }),
  ),
  notes: list(z.string()),
  dryRun: z.boolean(),
});

export const ActionRequests = z.strictObject({
  environment: Environment,
  actionId: z.string(),
  requests: list(
    z.strictObject({
      partner: z.string(),
      batchId: z.string(),
      record: z.number(),
      request: z.number(),
      subject: z.string(),
      state: z.enum(['decided', 'skipped', 'waiting']),
      now: RequestState.nullable().describe('Of one that was decided: its state by now; null: its batch is gone.'),
      problem: z
        .strictObject({
          code: z.enum([
            'decision_id_reused',
            'decision_not_open',
            'moved_since',
            'not_held',
            'order_id_wanted',
            'outcome_wanted',
            'request_unknown',
          ]),
          detail: z.string(),
        })
        .nullable(),
      links: z.strictObject({ letter: z.string() }),
    }),
  ),
  next: Next,
});

export const ActionList = z.strictObject({
  environment: Environment,
  actions: list(
    z.strictObject({
      actionId: z.string(),
      action: z.enum(['decision', 'decisions', 'replay']),
      partner: z.string().nullable(),
      decision: Decision.nullable(),
      who: z.string(),
      name: z.string(),
      why: z.string(),
      begunAt: Time.nullable(),
      endedAt: Time.nullable(),
      state: z.enum(['cancelled', 'cancelling', 'done', 'not_begun', 'running']),
      requests: z.number(),
      done: z.number(),
      skipped: z.number(),
      left: z.number(),
      batchId: z.exactOptional(z.string()).describe('Of a decision about one request.'),
      record: z.exactOptional(z.number()),
      request: z.exactOptional(z.number()),
      links: z.strictObject({ self: z.exactOptional(z.string()), letter: z.exactOptional(z.string()) }),
    }),
  ),
  next: Next,
});

export const ReplayRun = z.strictObject({
  requests: z.number(),
  sentAgain: z.number(),
  skipped: z.number(),
  left: z.number(),
  seconds: z.number().nullable().describe('Until all are dispatched; null when none are left.'),
  actionId: z.string(),
  action: z.literal('replay'),
  state: z.enum(['cancelled', 'cancelling', 'done', 'running']),
  environment: Environment,
  partner: z.string(),
  perSecond: z.number(),
  includeUnknown: z.boolean(),
  who: z.string(),
  name: z.string(),
  why: z.string(),
  begunAt: Time.nullable(),
  endedAt: Time.nullable(),
  cancelledBy: z.strictObject({ who: z.string(), name: z.string(), at: Time.nullable() }).nullable(),
  batches: list(ReplayedBatch),
  links: z.strictObject({ self: z.string(), cancel: z.string() }),
});

export const DecisionRun = z.strictObject({
  requests: z.number(),
  decided: z.number(),
  skipped: z.number(),
  left: z.number(),
  seconds: z.number().nullable().describe('Until all are decided; null when it has ended.'),
  actionId: z.string(),
  action: z.literal('decisions'),
  state: z.enum(['cancelled', 'done', 'running']),
  environment: Environment,
  partner: z.string().nullable(),
  decision: Decision,
  outcome: Applied.nullable(),
  perSecond: z.number(),
  who: z.string(),
  name: z.string(),
  why: z.string(),
  begunAt: Time.nullable(),
  endedAt: Time.nullable(),
  cancelledBy: z.strictObject({ who: z.string(), name: z.string(), at: Time.nullable() }).nullable(),
  links: z.strictObject({ self: z.string(), requests: z.string(), cancel: z.string() }),
});
