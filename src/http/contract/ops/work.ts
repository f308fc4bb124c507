/** `/v1/ops`: batches, dead letters, issues, decisions, replays, loads and orders. */
import * as z from 'zod';
import { RETRIABLE_STATES } from '../../../delivery/retry.ts';
import { CancelAnswer, RetryAnswer } from '../batch-shapes.ts';
import { BATCH_PARTS, MESSAGE_PARTS } from '../batches.ts';
import { UndeliveredRows } from '../correction-shapes.ts';
import { DRAFT } from '../mappings.ts';
import { choice, pageOf, RETRY, required, text, whole } from '../parameters.ts';
import { ANY_TYPE, CSV_TYPE, file, json, jsonBody, jsonOr, open, type Routes } from '../route.ts';
import { Environment, RequestKind } from '../shapes.ts';
import { LOAD_QUERY, ORDER_LIST_QUERY, ORDER_QUERY, TRACKS_HEADERS } from '../tracking.ts';
import { FEED_OF_ORDER, Load, ORDER, OrderList, Tracks } from '../tracking-shapes.ts';
import { Rerun, ResubmitPlan, Resubmitted } from './again-shapes.ts';
import { IssueList, IssueRows, IssueWhole } from './issue-shapes.ts';
import {
  acts,
  BEGUN,
  CHANGE_REFUSALS,
  DRY,
  ENVIRONMENT,
  IF_MATCH,
  look,
  ONCE,
  PAGE,
  PARTNER,
  record,
  VERSION,
  WHY,
} from './routes.ts';
import { BaseLoaded } from './setup-shapes.ts';
import {
  ActionList,
  ActionRequests,
  DeadLetter,
  DeadLetterDecided,
  DeadLetterList,
  DecisionRun,
  DecisionsPlan,
  Interchanges,
  LookUps,
  OpsBatchList,
  Reindexed,
  ReplayPlan,
  ReplayRun,
} from './work-shapes.ts';

/** The same part as a partner's, of any partner's batch. */
const part = <Part extends { does: string; query?: object; refuses?: readonly number[] }>(of: Part) =>
  ({
    ...of,
    who: 'viewer',
    query: { ...of.query, ...ENVIRONMENT, ...PARTNER } as Part['query'] & typeof ENVIRONMENT & typeof PARTNER,
  }) as const;

const OpsOrder = z.strictObject({
  environment: Environment,
  partner: z.string(),
  ...ORDER,
  links: z.strictObject({ self: z.string(), console: z.string() }),
});

const Why = z.strictObject({ why: WHY });
const Action = z.union([ReplayRun, DecisionRun]);

const ofBatch = <Shape extends z.ZodType, Query extends Readonly<Record<string, z.ZodType>>>(
  does: string,
  shape: Shape,
  query: Query,
) =>
  ({
    who: 'operator',
    does,
    query: { ...query, ...ENVIRONMENT, ...PARTNER },
    body: { ...jsonBody(Why), isOptional: true },
    answers: {
      200: json('The plan; nothing was changed.', shape),
      202: { ...json('Under way.', shape), headers: { Location: 'Where to look what becomes of it.' } },
    },
    refuses: CHANGE_REFUSALS,
  }) as const;

const DEAD_LETTER_FILTER = {
  ...PARTNER,
  batch: text('The id of a batch.'),
  subject: text('The number of a load or the reference of an order, without `load:` or `order:`.'),
  state: text('One or several states.'),
  reason: text('A reason.'),
  status: whole('The HTTP status that was answered.'),
  kind: text('A kind of request.'),
  ...PAGE,
} as const;

const CONFIRM = z.exactOptional(z.string()).describe('As the plan says: it names exactly what is done.');
const CHOSEN = z.exactOptional(z.array(z.string())).describe('`batch/record/request`, each.');
/** What is chosen where requests are not named one by one. */
const WHICH = {
  reasons: z.exactOptional(z.array(z.string())),
  statuses: z.exactOptional(z.array(z.int())),
  kinds: z.exactOptional(z.array(RequestKind)),
  subject: z
    .exactOptional(z.string())
    .describe('The number of a load or the reference of an order, without `load:` or `order:`.'),
} as const;

const decision = {
  decision: z.enum(['adopt_id', 'close', 'create_again', 'mark_delivered', 'send_again']),
  why: WHY,
  orderId: z.exactOptional(z.string()),
  outcome: z.exactOptional(z.enum(['not_applied', 'unknown'])),
} as const;

const Erasure = z
  .strictObject({
    environment: Environment,
    partner: z.string(),
    name: z.string().describe('The number of the load, or the reference of the order.'),
    dryRun: z.boolean(),
    requests: z.int(),
    batches: z
      .array(z.strictObject({ batchId: z.string(), rows: z.int(), requests: z.int(), hasFile: z.boolean() }))
      .readonly()
      .describe('Those with requests of it. What their files had is erased whole.'),
    files: z.int().describe('Archived attempts.'),
    underWay: z
      .strictObject({ requests: z.int(), reports: z.int(), batches: z.array(z.string()).readonly() })
      .describe('What must end first.'),
    stays: z.array(z.string()).readonly().describe('What is not erased, and why.'),
    confirm: z.string(),
  })
  .meta({ id: 'Erasure' });

const PartnerErasure = z
  .strictObject({
    environment: Environment,
    partner: z.string(),
    dryRun: z.boolean(),
    batches: z.int().describe('Those that are left, each with its loads, orders and files.'),
    openBatches: z.int().describe('What must end first.'),
    notCreated: z
      .int()
      .describe(
        'Of `batches`, files that were accepted an hour ago and could not become batches: nothing of them was sent.',
      ),
    keys: z.int().describe('That are revoked.'),
    uploadLinks: z.int(),
    webhooks: z.int(),
    hasFeed: z.boolean(),
    begunAt: z
      .string()
      .nullable()
      .describe('It goes on by itself from then on, until nothing is left; null: nobody has begun.'),
    stays: z.array(z.string()).readonly().describe('What is not erased, and why.'),
    confirm: z.string(),
  })
  .meta({ id: 'PartnerErasure' });

const erases = <Query extends Readonly<Record<string, z.ZodType>>>(what: string, query: Query) =>
  acts({
    does: `erases all that is stored of ${what}; \`dryRun=true\` says what, and what is not`,
    answer: Erasure,
    body: { why: WHY, confirm: CONFIRM },
    query: { ...query, ...DRY },
    who: 'admin',
  });

export const WORK_ROUTES = {
  'GET /v1/ops/letters': look('what did not arrive', DeadLetterList, DEAD_LETTER_FILTER),
  'GET /v1/ops/letters/{batch}/{record}/{request}': {
    ...look('one of them in full, with what may be decided', DeadLetter, PARTNER),
    answers: { 200: { ...json('What is known.', DeadLetter), headers: VERSION } },
  },
  'POST /v1/ops/letters/{batch}/{record}/{request}/decisions': acts({
    does: 'decides about a held request',
    answer: DeadLetterDecided,
    body: decision,
    query: { ...PARTNER, ...DRY },
    headers: { ...ONCE, ...IF_MATCH },
    answered: { ...VERSION, 'Idempotency-Replayed': '`true`: it was decided before.' },
  }),
  'POST /v1/ops/letters/decisions': {
    who: 'operator',
    does: 'decides about many held requests at once; `dryRun=true` shows the plan',
    query: { ...ENVIRONMENT, ...DRY },
    body: jsonBody(
      z.strictObject({
        decision: z.enum(['close', 'create_again', 'mark_delivered', 'send_again']),
        outcome: z.exactOptional(z.enum(['not_applied', 'unknown'])).describe('Of `close`: what became of it.'),
        why: WHY,
        confirm: CONFIRM,
        partner: z.exactOptional(z.string()),
        batch: z.exactOptional(z.string()),
        requests: CHOSEN,
        ...WHICH,
      }),
    ),
    headers: ONCE,
    answers: { 200: json('The plan.', DecisionsPlan), 202: { ...json('Begun.', DecisionRun), headers: BEGUN } },
    refuses: CHANGE_REFUSALS,
  },
  'GET /v1/ops/batches': look('the batches of all partners', OpsBatchList, {
    ...PARTNER,
    state: text('One or several states of batches.'),
    mapping: text('The name of a mapping.'),
    fileName: text('A part of the name of the file.'),
    from: text('Received since: a day or a time.'),
    to: text('Received before: a day or a time.'),
    needs: text('One or several of `held`, `refused`, `unreadable`, `trouble`: only what needs somebody for that.'),
    ...PAGE,
  }),
  'POST /v1/ops/batches/reindex': {
    who: 'operator',
    does: 'rebuilds that list, 200 batches a call (`npm run index` calls it)',
    query: { ...ENVIRONMENT, cursor: text('As `next` says.') },
    answers: { 200: json('So many.', Reindexed) },
  },
  'GET /v1/ops/batches/{id}': part(BATCH_PARTS.whole),
  'GET /v1/ops/batches/{id}/rows': part(BATCH_PARTS.rows),
  'GET /v1/ops/batches/{id}/rows/{record}': part(BATCH_PARTS.row),
  'GET /v1/ops/batches/{id}/issues': part(BATCH_PARTS.issues),
  'GET /v1/ops/batches/{id}/messages': part(BATCH_PARTS.messages),
  'GET /v1/ops/batches/{id}/report.csv': part(BATCH_PARTS.reportCsv),
  'GET /v1/ops/batches/{id}/report.json': part(BATCH_PARTS.reportJson),
  'GET /v1/ops/batches/{id}/corrections': part(BATCH_PARTS.corrections),
  'GET /v1/ops/batches/{id}/source': part(BATCH_PARTS.source),
  'GET /v1/ops/batches/{id}/acknowledgment': part(BATCH_PARTS.acknowledgment),
  'GET /v1/ops/batches/{id}/messages/{message}': part(MESSAGE_PARTS.whole),
  'GET /v1/ops/batches/{id}/messages/{message}/rows': part(MESSAGE_PARTS.rows),
  'GET /v1/ops/batches/{id}/messages/{message}/acknowledgment': part(MESSAGE_PARTS.acknowledgment),
  'GET /v1/ops/batches/{id}/messages/{message}/source': part(MESSAGE_PARTS.source),
  'POST /v1/ops/batches/{id}/cancel': ofBatch(
    'withdraws what was not sent yet; a plan needs no reason',
    CancelAnswer,
    DRY,
  ),
  'POST /v1/ops/batches/{id}/retry': ofBatch('sends failed rows again; a plan needs no reason', RetryAnswer, RETRY),
  'GET /v1/ops/batches/{id}/rerun': {
    ...look('maps a batch again and compares', Rerun, {
      ...PARTNER,
      to: text('A version, or `current`, `previous`, `bundled`; left out: the one that it was read under.'),
      limit: whole('How many rows are listed.'),
    }),
    refuses: [400, 404, 409, 410, 422],
  },
  'POST /v1/ops/batches/{id}/rerun': {
    who: 'operator',
    ...DRAFT,
    does: 'the same under a document that is being written: a form with `mapping` and any `codeList`. Nothing is stored',
    query: { ...ENVIRONMENT, ...PARTNER, limit: whole('How many rows are listed.') },
    answers: { 200: json('What would differ: as above; `to` is `draft`.', Rerun) },
    refuses: [400, 404, 409, 410, 413, 415, 422, 503],
  },
  'GET /v1/ops/batches/{id}/look-ups': {
    ...look('what the batch looked up, as a file for `npm run map -- … --lookups FILE`', LookUps, {
      ...PARTNER,
      message: whole('Of this message alone.'),
    }),
    refuses: [404, 409, 410, 422],
  },
  'GET /v1/ops/issues': look('what failed alike over all batches', IssueList, {
    state: text('`open`, `acknowledged`, `muted` or `resolved`, the last one without `partner` and `mapping`.'),
    partner: text('The name of a partner whose batches have rows of it.'),
    mapping: text('The name of a mapping that such a batch has.'),
    code: text('An error code.'),
    search: text('A text in its words.'),
    sort: text('How they are ordered.'),
    ...PAGE,
  }),
  'GET /v1/ops/issues/{id}': look('one of them: cause, whose turn it is, what to do, batches, first rows', IssueWhole),
  'GET /v1/ops/issues/{id}/rows': look('all its rows, page by page', IssueRows, { ...PARTNER, ...PAGE }),
  'GET /v1/ops/issues/{id}/rows.csv': {
    who: 'viewer',
    does: 'the same as CSV, of all batches',
    query: { ...ENVIRONMENT, ...PARTNER },
    answers: { 200: file('A line for each.', CSV_TYPE) },
    refuses: [404],
  },
  'POST /v1/ops/issues/{id}/acknowledge': acts({
    does: 'somebody looks after it',
    answer: IssueWhole,
    body: { why: WHY },
  }),
  'POST /v1/ops/issues/{id}/mute': acts({
    does: 'it needs nobody until then',
    answer: IssueWhole,
    body: { until: z.string().meta({ format: 'date-time' }), why: WHY },
  }),
  'POST /v1/ops/issues/{id}/reopen': acts({ does: 'takes that back', answer: IssueWhole, body: { why: WHY } }),
  'POST /v1/ops/issues/{id}/resubmit': {
    who: 'operator',
    does: 'maps its rows again under the mapping of now, and sends those that have become requests; `dryRun=true` shows the plan',
    query: { ...ENVIRONMENT, ...DRY },
    body: jsonBody(
      z.strictObject({ why: WHY, partner: z.exactOptional(z.string()), confirm: z.exactOptional(z.string()) }),
    ),
    answers: {
      200: json('The plan.', ResubmitPlan),
      202: json('Begun.', Resubmitted),
    },
    refuses: CHANGE_REFUSALS,
  },
  'GET /v1/ops/rows': {
    who: 'viewer',
    does: 'undelivered rows that have a text in what they became or in what is wrong with them',
    query: { ...ENVIRONMENT, ...PARTNER, text: required('A reference, a load or a word.') },
    answers: { 200: json('Rows of the newest batches that have such rows.', UndeliveredRows) },
    refuses: [400],
  },
  'GET /v1/ops/interchanges': {
    ...look('which batch an EDI interchange came in', Interchanges, {
      ...PARTNER,
      control: text('The control number; it is required.'),
    }),
    refuses: [400, 404],
  },
  'GET /v1/ops/loads/{loadNumber}': {
    who: 'viewer',
    does: 'a load, whichever partner has it',
    query: { ...LOAD_QUERY, ...ENVIRONMENT, ...PARTNER },
    answers: { 200: jsonOr('The load.', Load, [CSV_TYPE]) },
    refuses: [400, 404, 409],
    isPolled: true,
  },
  'GET /v1/ops/loads/{loadNumber}/record': record('a load', {
    ...PARTNER,
    scac: text('The carrier; needed where the number stands under several.'),
  }),
  'POST /v1/ops/loads/{loadNumber}/erase': erases('a load', {
    ...PARTNER,
    scac: text('The carrier; needed where the number stands under several.'),
  }),
  'GET /v1/ops/orders': look('the orders of one partner', OrderList, { ...PARTNER, ...ORDER_LIST_QUERY }),
  'GET /v1/ops/orders/{ref}': {
    ...look('an order, whichever partner has it', OpsOrder, { ...PARTNER, ...ORDER_QUERY }),
    refuses: [404, 409],
    isPolled: true,
  },
  'GET /v1/ops/orders/{name}/{ref}': { ...look('an order of one partner', OpsOrder, ORDER_QUERY), isPolled: true },
  'GET /v1/ops/orders/{name}/{ref}/feed': look(
    'how far its statuses are known: last poll, gaps, repair',
    z.strictObject({ environment: Environment, partner: z.string(), ...FEED_OF_ORDER }),
  ),
  'GET /v1/ops/orders/{name}/{ref}/tracks': {
    who: 'viewer',
    does: 'what an end consumer may see of it, asked for over the channel of its feed',
    query: ENVIRONMENT,
    answers: { 200: { ...jsonOr('Its milestones.', Tracks, [CSV_TYPE]), headers: TRACKS_HEADERS } },
    refuses: [404, 502],
  },
  'GET /v1/ops/orders/{name}/{ref}/record': record('an order', {}),
  'POST /v1/ops/orders/{name}/{ref}/erase': erases('an order', {}),
  'POST /v1/ops/partners/{name}/erase': acts({
    does: 'erases all that a partner has in this environment; `dryRun=true` says what, what is left, and what is not erased',
    answer: PartnerErasure,
    body: { why: WHY, confirm: CONFIRM },
    query: DRY,
    who: 'admin',
  }),
  'PUT /v1/ops/orders/{name}/{ref}/base': acts({
    does: 'loads an order as it is in the receiving system',
    answer: BaseLoaded,
    body: {
      document: open<object>('The order.'),
      orderId: z.exactOptional(z.string().nullable()),
      replace: z.exactOptional(z.boolean()),
      why: WHY,
    },
    query: DRY,
  }),
  'POST /v1/ops/replays': {
    who: 'operator',
    does: 'sends again what has ended, or all of an `issue`; `dryRun=true` shows the plan',
    query: { ...ENVIRONMENT, ...DRY },
    body: jsonBody(
      z.strictObject({
        partner: z.string(),
        why: WHY,
        confirm: CONFIRM,
        batches: z.exactOptional(z.array(z.string())),
        issue: z.exactOptional(z.string()),
        requests: CHOSEN,
        states: z.exactOptional(z.array(z.enum(RETRIABLE_STATES))),
        ...WHICH,
        includeUnknown: z.exactOptional(z.boolean()).describe('Also what may have arrived: it may then arrive twice.'),
        perSecond: z.exactOptional(z.int()),
      }),
    ),
    headers: ONCE,
    answers: { 200: json('The plan.', ReplayPlan), 202: { ...json('Begun.', ReplayRun), headers: BEGUN } },
    refuses: CHANGE_REFUSALS,
  },
  'GET /v1/ops/actions': look('what operators did: replays and decisions, with who and why', ActionList, {
    ...PARTNER,
    action: choice(['replay', 'decisions'], 'Only these.'),
    ...PAGE,
  }),
  'GET /v1/ops/actions/{id}': look('how far a replay, or a decision about many requests, is', Action),
  'GET /v1/ops/actions/{id}/requests': look('each request of such a decision, and what became of it', ActionRequests, {
    from: whole('As `next` says.'),
    limit: pageOf(1_000, 100),
  }),
  'POST /v1/ops/actions/{id}/cancel': {
    who: 'operator',
    does: 'stops what it has not sent yet',
    query: ENVIRONMENT,
    body: { media: { [ANY_TYPE]: null }, isOptional: true },
    answers: { 200: json('As it stands.', Action) },
    refuses: CHANGE_REFUSALS,
  },
} as const satisfies Routes;
