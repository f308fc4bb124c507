/** `/v1/ops/actions`: what operators did with undelivered requests; how far a bulk action is, its requests, stopping it. */
import { Hono } from 'hono';
import type { ReplayOutcome } from '../../batch/actions/replay.ts';
import { type DecisionItem, decisionTotals } from '../../batch/core/decision-run.ts';
import { type ReplayRun, totalsOf } from '../../batch/core/replay-run.ts';
import type { RequestState } from '../../delivery/states.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import { ACTION_ID_FORM } from '../../kernel/ids.ts';
import {
  ACTIONS_PAGE_DEFAULT,
  ACTIONS_PAGE_MAX,
  DECISIONS_MAX,
  DECISIONS_PAGE_DEFAULT,
  REPLAY_OUTCOME_BATCHES_MAX,
} from '../../kernel/limits.ts';
import { actionName, batchName, type Environment } from '../../kernel/names.ts';
import { ACTION_KINDS, type ActionCursor, type ListedAction } from '../../ops/index/action-list.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { pageSize, readChoice, wholeNumber } from '../edge/query.ts';
import { decisionItemView, decisionsView } from './decisions.ts';
import { refusedByOps } from './refusals.ts';
import { runView } from './replays.ts';
import { type OpsQuery, opsRoute } from './request.ts';
import { deadLetterPath } from './views/dead-letter.ts';

export function opsActionRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['partner', 'action', 'cursor', 'limit'], list));
  routes.get('/:id', opsRoute(ports, [], show));
  routes.get('/:id/requests', opsRoute(ports, ['from', 'limit'], requests));
  routes.post('/:id/cancel', opsRoute(ports, [], cancel));
  return routes;
}

/** Objects called at once: an invocation has 6 slots for calls awaiting an answer (Workers limits). */
const CALLED_AT_ONCE = 6;

async function list(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const kinds = readChoice(context.req.query(), 'action', ACTION_KINDS);
  if (!kinds.ok) return problem(context, kinds.error);
  const limit = pageSize(get('limit'), ACTIONS_PAGE_DEFAULT, ACTIONS_PAGE_MAX);
  const found = await ports.actions(context.env).list({
    environment,
    partner: get('partner') || null,
    kinds: get('action') === undefined ? null : kinds.value,
    after: cursorIn(get('cursor')),
    limit,
  });
  if (!found.ok) return refusedByOps(context, found.error);
  const lines: object[] = [];
  for (let from = 0; from < found.value.length; from += CALLED_AT_ONCE) {
    const some = found.value.slice(from, from + CALLED_AT_ONCE);
    lines.push(...(await Promise.all(some.map((action) => lineOf(context, action)))));
  }
  const last = found.value.length === limit ? found.value.at(-1) : undefined;
  const more = new URLSearchParams(context.req.query());
  more.set('environment', environment);
  if (last) more.set('cursor', `${last.begunAtMs}.${last.actionId}`);
  return context.json({ environment, actions: lines, next: last === undefined ? null : `${context.req.path}?${more}` });
}

/** What no cursor of a page before says is read from the beginning. */
function cursorIn(text: string | undefined): ActionCursor | null {
  const [, atMs = '', actionId = ''] = /^(\d{1,15})\.(a_[0-9a-f]{32})$/.exec(text ?? '') ?? [];
  return actionId === '' ? null : { begunAtMs: Number(atMs), actionId };
}

async function lineOf(context: OpsContext, action: ListedAction) {
  const { actionId, environment, kind, partner, about, decision, who, name, why, begunAtMs } = action;
  const line = { actionId, action: kind, partner, decision, who, name, why, begunAt: isoOrNull(begunAtMs) };
  const none = { requests: action.requests, done: action.requests, skipped: 0, left: 0, endedAt: line.begunAt };
  if (kind === 'decision') {
    const [batchId = '', record, request] = about.split('/');
    const at = { batchId, record: Number(record), request: Number(request) };
    const letter = deadLetterPath(environment, partner ?? '', at);
    return { ...line, ...at, state: 'done', ...none, links: { letter } };
  }
  const links = { self: `/v1/ops/actions/${actionId}?environment=${environment}` };
  const object = context.env.REPLAY.getByName(actionName(environment, actionId));
  if (kind === 'replay') {
    const run = await object.view();
    if (run === undefined) return { ...line, state: 'not_begun', ...none, done: 0, links };
    const { sentAgain: done, requests: all, skipped, left } = totalsOf(run);
    return { ...line, state: run.state, requests: all, done, skipped, left, endedAt: isoOrNull(run.endedAtMs), links };
  }
  const run = await object.decisions();
  if (run === undefined) return { ...line, state: 'not_begun', ...none, done: 0, links };
  const { decided: done, requests: all, skipped, left } = decisionTotals(run);
  return { ...line, state: run.state, requests: all, done, skipped, left, endedAt: isoOrNull(run.endedAtMs), links };
}

async function show(context: OpsContext, { environment }: OpsQuery): Promise<Response> {
  const object = actionIn(context, environment);
  const run = await object?.view();
  if (run) return context.json(runView(run, totalsOf(run), await outcomesOf(context, run)));
  const decisions = await object?.decisions();
  return decisions ? context.json(decisionsView(decisions)) : refusedByOps(context, { code: 'action_unknown' });
}

/** What became of what it sent again, of the first of its batches that sent anything. */
async function outcomesOf({ env }: OpsContext, run: ReplayRun): Promise<Map<string, ReplayOutcome>> {
  const sent = run.batches.filter(({ chosen }) => chosen > 0).slice(0, REPLAY_OUTCOME_BATCHES_MAX);
  const outcomes = new Map<string, ReplayOutcome>();
  for (let from = 0; from < sent.length; from += CALLED_AT_ONCE) {
    const some = sent.slice(from, from + CALLED_AT_ONCE).map(async ({ batchId }) => {
      const outcome = await env.BATCH.getByName(batchName(run, batchId)).replayOutcome(run.actionId);
      outcomes.set(batchId, outcome);
    });
    await Promise.all(some);
  }
  return outcomes;
}

/** Of a decision about many; what a replay sends again, its batches know. */
async function requests(context: OpsContext, { environment, get }: OpsQuery): Promise<Response> {
  const object = actionIn(context, environment);
  const run = await object?.decisions();
  if (!object || !run) return refusedByOps(context, { code: 'action_unknown' });
  const from = wholeNumber(get('from')) ?? 0;
  const limit = pageSize(get('limit'), DECISIONS_PAGE_DEFAULT, DECISIONS_MAX);
  const items = await object.decisionItems(from, limit);
  const now = await statesNow(context, environment, items);
  const next = from + items.length;
  const path = `${context.req.path}?environment=${environment}&from=${next}&limit=${limit}`;
  return context.json({
    environment,
    actionId: run.actionId,
    requests: items.map((item) => decisionItemView(environment, item, now.get(locationOf(item)) ?? null)),
    next: next < run.requests && items.length > 0 ? path : null,
  });
}

const locationOf = ({ batchId, record, request }: Pick<DecisionItem, 'batchId' | 'record' | 'request'>): string =>
  `${batchId}/${record}/${request}`;

/** The states by now of those that were decided, by batch, record and request. */
async function statesNow({ env }: OpsContext, environment: Environment, items: readonly DecisionItem[]) {
  const states = new Map<string, RequestState>();
  const byBatch = [...Map.groupBy(items, ({ batchId }) => batchId)];
  for (let from = 0; from < byBatch.length; from += CALLED_AT_ONCE) {
    const some = byBatch.slice(from, from + CALLED_AT_ONCE).map(async ([batchId, its]) => {
      const decided = its.filter(({ state }) => state === 'decided');
      const [first] = decided;
      if (first === undefined) return;
      const batch = env.BATCH.getByName(batchName({ environment, partner: first.partner }, batchId));
      for (const row of await batch.rowsAt(decided.map(({ record }) => record))) {
        for (const { request, state } of row.requests)
          states.set(locationOf({ batchId, record: row.record, request }), state);
      }
    });
    await Promise.all(some);
  }
  return states;
}

async function cancel(context: OpsContext, { environment }: OpsQuery): Promise<Response> {
  const { keyId: who, name } = context.get('operator');
  const object = actionIn(context, environment);
  const run = await object?.cancel({ who, name });
  if (run) return context.json(runView(run, totalsOf(run)));
  const decisions = await object?.cancelDecisions({ who, name });
  return decisions ? context.json(decisionsView(decisions)) : refusedByOps(context, { code: 'action_unknown' });
}

function actionIn(context: OpsContext, environment: Environment) {
  const actionId = context.req.param('id') ?? '';
  if (!ACTION_ID_FORM.test(actionId)) return undefined;
  return context.env.REPLAY.getByName(actionName(environment, actionId));
}
