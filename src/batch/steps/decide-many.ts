/**
 * Decides about many held requests, a limited number per second, in the object of an operator's action. Each decision
 * has an id of its own, so that a step repeated after a crash changes nothing twice.
 */

import { reachable } from '../../kernel/let-go.ts';
import { DECISIONS_PER_SECOND, REPLAY_STEP_MS } from '../../kernel/limits.ts';
import { loadName, orderName, requestKey } from '../../kernel/names.ts';
import { loadNumberOf, orderRefOf, orderSubject } from '../../mapping/request.ts';
import type { DecisionRequest } from '../../tracking/decisions.ts';
import { type DecisionItem, type DecisionRun, progressedRun } from '../core/decision-run.ts';
import type { DecisionStore } from '../store/decision-store.ts';

/** @returns whether there is more to do. */
export async function decideStep(store: DecisionStore, env: Pick<Env, 'LOAD' | 'ORDER'>): Promise<boolean> {
  const run = store.run();
  if (run?.state !== 'running') return false;
  const from = run.decided + run.skipped;
  const limit = Math.max(1, Math.round((DECISIONS_PER_SECOND * REPLAY_STEP_MS) / 1_000));
  const ended: DecisionItem[] = [];
  for (const item of store.items(from, limit)) ended.push(await decided(env, run, item));
  store.putItems(from, ended);
  // It may have been cancelled meanwhile: what was decided in this step counts all the same.
  const next = progressedRun(store.run() ?? run, ended, Date.now());
  store.putRun(next);
  return next.state === 'running';
}

async function decided(env: Pick<Env, 'LOAD' | 'ORDER'>, run: DecisionRun, item: DecisionItem): Promise<DecisionItem> {
  const { batchId, record, request, version } = item;
  const wanted: DecisionRequest = {
    id: JSON.stringify([run.actionId, requestKey(batchId, record, request)]),
    place: { batchId, record, request },
    who: run.who,
    name: run.name,
    why: run.why,
    decision: run.decision,
    orderId: null,
    outcome: run.outcome,
    seen: version,
    dryRun: false,
  };
  const scope = { environment: run.environment, partner: item.partner };
  const made = item.subject.startsWith(orderSubject(''))
    ? await reachable(() => env.ORDER.getByName(orderName(scope, orderRefOf(item.subject)))).decide(wanted)
    : await reachable(() => env.LOAD.getByName(loadName(scope, item.scac, loadNumberOf(item.subject)))).decide(wanted);
  return made.ok ? { ...item, state: 'decided', why: null } : { ...item, state: 'skipped', why: made.error.code };
}
