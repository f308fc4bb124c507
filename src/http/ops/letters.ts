/** `/v1/ops/letters`: everything that did not arrive, one of them whole, and decisions about what is held. */
import { Hono } from 'hono';
import { z } from 'zod';
import { DECISIONS } from '../../delivery/decisions.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { writeCursor } from '../../ops/letters/cursor.ts';
import { type FoundLetter, findLetter, listLetters } from '../../ops/letters/letters.ts';
import { subjectOf } from '../../ops/letters/ports.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { letterPorts, operatorsKey } from './actions.ts';
import { readJson } from './body.ts';
import { LETTER_PARAMETERS, readLettersQuery } from './letters-query.ts';
import { readOpsQuery } from './query.ts';
import { refusedByOps } from './refusals.ts';
import { letterLine, letterPath, letterView } from './views/letter.ts';

export function opsLetterRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', (context) => list(context, ports));
  routes.get('/:batch/:record/:request', (context) => show(context, ports));
  routes.post('/:batch/:record/:request/decisions', (context) => decide(context, ports));
  return routes;
}

async function list(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context, LETTER_PARAMETERS);
  if (!query.ok) return problem(context, query.error);
  const asked = readLettersQuery(context.req.query());
  if (!asked.ok) return problem(context, asked.error);
  const { environment } = query.value;
  const page = await listLetters(letterPorts(context, ports), { environment, ...asked.value });
  if (!page.ok) return refusedByOps(context, page.error);
  const { letters, next } = page.value;
  const more = new URLSearchParams(context.req.query());
  more.set('environment', environment);
  if (next !== null) more.set('cursor', writeCursor(next));
  return context.json({
    environment,
    letters: letters.map((letter) => letterLine(environment, letter)),
    next: next === null ? null : `${context.req.path}?${more}`,
  });
}

/** The letter that an address names. */
async function found(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
): Promise<Result<FoundLetter & { place: { batchId: string; record: number; request: number } }, Response>> {
  const { batch: batchId = '', record = '', request = '' } = context.req.param();
  const isNumber = (text: string): boolean => /^(?:0|[1-9]\d{0,14})$/.test(text);
  const unknown = { code: 'letter_unknown' } as const;
  if (!BATCH_ID_FORM.test(batchId) || !isNumber(record) || !isNumber(request)) {
    return err(refusedByOps(context, unknown));
  }
  const place = { record: Number(record), request: Number(request) };
  const partner = context.req.query('partner') ?? null;
  const letter = await findLetter(letterPorts(context, ports), { environment, partner, batchId, place });
  if (!letter.ok) return err(refusedByOps(context, letter.error));
  return ok({ ...letter.value, place: { batchId, ...place } });
}

async function show(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context, ['partner']);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
  const letter = await found(context, ports, environment);
  if (!letter.ok) return letter.error;
  const view = letterView(environment, letter.value.place, letter.value);
  if (view.version !== null) context.header('ETag', `"${view.version}"`);
  return context.json(view);
}

const decisionBody = z
  .strictObject({
    decision: z.enum(DECISIONS),
    why: z.string().trim().min(1, 'must say why').max(NOTE_CHARACTERS_MAX),
    orderId: z.string().optional(),
    outcome: z.enum(['not_applied', 'unknown']).optional(),
  })
  .refine(({ decision, orderId }) => (orderId !== undefined) === (decision === 'adopt_id'), {
    message: 'orderId goes with adopt_id, and with nothing else',
  })
  .refine(({ decision, outcome }) => (outcome !== undefined) === (decision === 'close'), {
    message: 'outcome goes with close, and with nothing else',
  });

async function decide(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context, ['partner', 'dryRun']);
  if (!query.ok) return problem(context, query.error);
  const { environment, dryRun, ifMatch } = query.value;
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
  const made = await subjectOf(letterPorts(context, ports), scope, { subject, scac }).decide({
    id: JSON.stringify([keyId, key.value]),
    place,
    who: keyId,
    name,
    why,
    decision,
    orderId,
    outcome,
    // Of several tags the one that fits is meant; none that fits is an older sight of it.
    seen: ifMatch === null ? null : (ifMatch.find((tag) => tag === version) ?? ''),
    dryRun,
  });
  if (!made.ok) return refusedByOps(context, made.error);
  context.header('ETag', `"${made.value.version}"`);
  if (made.value.replayed) context.header('Idempotency-Replayed', 'true');
  return context.json({
    environment,
    partner,
    ...place,
    dryRun,
    ...made.value,
    links: { self: letterPath(environment, partner, place) },
  });
}
