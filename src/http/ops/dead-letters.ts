/**
 * `/v1/ops/letters`: everything that was not delivered, one dead letter with all details, and decisions about held
 * requests.
 */

import { Hono } from 'hono';
import * as z from 'zod';
import { DEAD_LETTER_STATES, type DeadLetterFilter, TROUBLED_STATES } from '../../batch/core/dead-letters.ts';
import { DECISIONS } from '../../delivery/decisions.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { DEAD_LETTERS_PAGE_DEFAULT, DEAD_LETTERS_PAGE_MAX } from '../../kernel/limits.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { REQUEST_KINDS } from '../../mapping/request.ts';
import {
  type DeadLetterCursor,
  type FoundDeadLetter,
  findDeadLetter,
  listDeadLetters,
  readCursor,
  subjectOf,
  writeCursor,
} from '../../ops/dead-letters/dead-letters.ts';
import { actionIdOf } from '../../ops/dead-letters/replays.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { type Parameters, pageSize, readChoice, SUBJECT_FORM, SUBJECT_WANTED } from '../edge/query.ts';
import { decideMany } from './decisions.ts';
import { deadLetterPorts, operatorsKey } from './lookup.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute, readJson, why } from './request.ts';
import { deadLetterLine, deadLetterPath, deadLetterView } from './views/dead-letter.ts';

/* Parameters of the list of dead letters. Nothing is guessed: a misspelt one is refused. */

const DEAD_LETTER_PARAMETERS = [
  'partner',
  'batch',
  'subject',
  'state',
  'reason',
  'status',
  'kind',
  'limit',
  'cursor',
] as const;

interface DeadLettersQuery {
  partner: string | null;
  batchId: string | null;
  filter: DeadLetterFilter;
  cursor: DeadLetterCursor | null;
  limit: number;
}

const REASON_FORM = /^[a-z][a-z0-9_]{0,63}$/;
const STATUS_FORM = /^[1-5]\d\d$/;

export function readDeadLettersQuery(parameters: Parameters): Result<DeadLettersQuery, ProblemMessages> {
  const states = readChoice(parameters, 'state', DEAD_LETTER_STATES);
  if (!states.ok) return states;
  const kinds = readChoice(parameters, 'kind', REQUEST_KINDS);
  if (!kinds.ok) return kinds;
  const reasons = readList(parameters, 'reason', REASON_FORM, 'one or several reasons or error codes');
  if (!reasons.ok) return reasons;
  const statuses = readList(parameters, 'status', STATUS_FORM, 'one or several HTTP statuses, such as 422');
  if (!statuses.ok) return statuses;
  const { partner = null, batch: batchId = null, subject = null, cursor: from } = parameters;
  if (batchId !== null && !BATCH_ID_FORM.test(batchId)) return err(unreadable('batch', batchId, 'the id of a batch'));
  if (subject !== null && !SUBJECT_FORM.test(subject)) return err(unreadable('subject', subject, SUBJECT_WANTED));
  const cursor = from === undefined ? ok(null) : readCursor(from);
  if (!cursor.ok) return err(unreadable('cursor', from ?? '', 'what "next" of the page before says'));
  const filter: DeadLetterFilter = {
    states: parameters.state === undefined ? TROUBLED_STATES : states.value,
    kinds: parameters.kind === undefined ? null : kinds.value,
    reasons: reasons.value,
    statuses: statuses.value?.map(Number) ?? null,
    subject,
    places: null,
  };
  const limit = pageSize(parameters.limit, DEAD_LETTERS_PAGE_DEFAULT, DEAD_LETTERS_PAGE_MAX);
  return ok({ partner, batchId, filter, cursor: cursor.value, limit });
}

/** Several, separated by commas. @returns null where none is given. */
function readList(
  parameters: Parameters,
  name: string,
  form: RegExp,
  wanted: string,
): Result<string[] | null, ProblemMessages> {
  const text = parameters[name];
  if (text === undefined) return ok(null);
  const asked = text.split(',').map((part) => part.trim());
  return asked.every((part) => form.test(part)) ? ok(asked) : err(unreadable(name, text, wanted));
}

const unreadable = (name: string, value: string, wanted: string): ProblemMessages => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}". Nothing was done.`,
  fix: `Write ${name}= and ${wanted}, separated by commas where there are several.`,
});

export function opsDeadLetterRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, DEAD_LETTER_PARAMETERS, list));
  routes.post('/decisions', opsRoute(ports, ['dryRun'], decideMany));
  routes.get('/:batch/:record/:request', opsRoute(ports, ['partner'], show));
  routes.post('/:batch/:record/:request/decisions', opsRoute(ports, ['partner', 'dryRun'], decide));
  return routes;
}

async function list(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const asked = readDeadLettersQuery(context.req.query());
  if (!asked.ok) return problem(context, asked.error);
  const page = await listDeadLetters(deadLetterPorts(context, ports), { environment, ...asked.value });
  if (!page.ok) return refusedByOps(context, page.error);
  const { letters, next } = page.value;
  const more = new URLSearchParams(context.req.query());
  more.set('environment', environment);
  if (next !== null) more.set('cursor', writeCursor(next));
  return context.json({
    environment,
    letters: letters.map((letter) => deadLetterLine(environment, letter)),
    next: next === null ? null : `${context.req.path}?${more}`,
  });
}

/** The dead letter that an address names. */
async function found(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
): Promise<Result<FoundDeadLetter & { place: { batchId: string; record: number; request: number } }, Response>> {
  const { batch: batchId = '', record = '', request = '' } = context.req.param();
  const isNumber = (text: string): boolean => /^(?:0|[1-9]\d{0,14})$/.test(text);
  const unknown = { code: 'letter_unknown' } as const;
  if (!BATCH_ID_FORM.test(batchId) || !isNumber(record) || !isNumber(request)) {
    return err(refusedByOps(context, unknown));
  }
  const place = { record: Number(record), request: Number(request) };
  const partner = context.req.query('partner') ?? null;
  const letter = await findDeadLetter(deadLetterPorts(context, ports), { environment, partner, batchId, place });
  if (!letter.ok) return err(refusedByOps(context, letter.error));
  return ok({ ...letter.value, place: { batchId, ...place } });
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const letter = await found(context, ports, environment);
  if (!letter.ok) return letter.error;
  const view = deadLetterView(environment, letter.value.place, letter.value);
  if (view.version !== null) context.header('ETag', `"${view.version}"`);
  return context.json(view);
}

const decisionBody = z
  .strictObject({
    decision: z.enum(DECISIONS),
    why,
    orderId: z.string().optional(),
    outcome: z.enum(['not_applied', 'unknown']).optional(),
  })
  .refine(({ decision, orderId }) => (orderId !== undefined) === (decision === 'adopt_id'), {
    message: 'orderId goes with adopt_id, and with nothing else',
  })
  .refine(({ decision, outcome }) => (outcome !== undefined) === (decision === 'close'), {
    message: 'outcome goes with close, and with nothing else',
  });

async function decide(
  context: OpsContext,
  { environment, dryRun, ifMatch }: OpsQuery,
  ports: AppPorts,
): Promise<Response> {
  const key = operatorsKey(context, dryRun);
  if (!key.ok) return problem(context, key.error);
  const body = await readJson(context, decisionBody);
  if (!body.ok) return problem(context, body.error);
  const letter = await found(context, ports, environment);
  if (!letter.ok) return letter.error;
  const { partner, whole, history, place } = letter.value;
  const version = history?.generations.at(-1)?.version ?? null;
  const { subject, scac } = whole;
  if (subject === null || scac === null) return refusedByOps(context, { code: 'no_request' });
  const { keyId, name } = context.get('operator');
  const scope = { environment, partner };
  const { decision, why, orderId = null, outcome = null } = body.value;
  const made = await subjectOf(deadLetterPorts(context, ports), scope, { subject, scac }).decide({
    id: JSON.stringify([keyId, key.value]),
    place,
    who: keyId,
    name,
    why,
    decision,
    orderId,
    outcome,
    // Of several tags the matching one counts; if none matches, the caller saw an older state.
    seen: ifMatch === null ? null : (ifMatch.find((tag) => tag === version) ?? ''),
    dryRun,
  });
  if (!made.ok) return refusedByOps(context, made.error);
  if (!dryRun && !made.value.replayed) {
    // The load or order has the decision with its reason; the list of actions only leads there. One key may name several.
    const about = `${place.batchId}/${place.record}/${place.request}`;
    const actionId = actionIdOf(environment, keyId, JSON.stringify([key.value, about]));
    await ports.actions(context.env).note({
      ...{ environment, actionId, kind: 'decision', partner, decision, about, requests: made.value.requests },
      ...{ who: keyId, name, why, begunAtMs: Date.now() },
    });
  }
  noteForAudit(context, { detail: { decision, partner } });
  context.header('ETag', `"${made.value.version}"`);
  if (made.value.replayed) context.header('Idempotency-Replayed', 'true');
  return context.json({
    environment,
    partner,
    ...place,
    dryRun,
    ...made.value,
    links: { self: deadLetterPath(environment, partner, place) },
  });
}
