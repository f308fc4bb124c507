/** Lets an operator read one partner's data by id alone: finds whose it is. */

import type { Context } from 'hono';
import { isUsableKey } from '../../intake/admit.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { reachable } from '../../kernel/let-go.ts';
import { batchName, type Environment, registerName } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type DeadLetterPorts, ownerOf } from '../../ops/dead-letters/dead-letters.ts';
import type { ListedIssue } from '../../ops/index/issues.ts';
import type { OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import type { ProblemMessages } from '../edge/problem.ts';
import type { Reader } from '../edge/reader.ts';
import { refusedByOps } from './refusals.ts';

/* What ops routes that act on deliveries share: access to registers, batches and subjects, and the idempotency key. */

export const deadLetterPorts = ({ env }: OpsContext, ports: AppPorts): DeadLetterPorts => ({
  partners: ports.partners(env),
  register: (scope) => env.INTAKE_REGISTER.getByName(registerName(scope)),
  batch: (scope, batchId) => env.BATCH.getByName(batchName(scope, batchId)),
  load: (name) => reachable(() => env.LOAD.getByName(name)),
  order: (name) => reachable(() => env.ORDER.getByName(name)),
});

/**
 * A double click, or a repeat after a lost connection, must be one action, so the caller names it. A dry run needs no
 * name.
 */
export function operatorsKey(context: OpsContext, dryRun: boolean): Result<string, ProblemMessages> {
  const key = context.req.header('Idempotency-Key');
  if (key === undefined && dryRun) return ok('');
  if (key === undefined) {
    return err({
      status: 400,
      code: 'idempotency_key_required',
      title: 'No Idempotency-Key',
      detail: 'The request names itself nowhere, so a repeat of it could act twice. Nothing was done.',
      fix: 'Add the header Idempotency-Key with a text of your own, new for every action, and the same for a repeat.',
    });
  }
  if (isUsableKey(key)) return ok(key);
  return err({
    status: 400,
    code: 'idempotency_key_invalid',
    title: 'Idempotency-Key not usable',
    detail: 'The Idempotency-Key is empty, too long, or holds characters that cannot be printed. Nothing was done.',
    fix: 'Use up to 200 printable characters, such as a UUID.',
  });
}

/**
 * Finds whose batch it is, in one of these environments: first in the index, then in the registers.
 * @param partner null: whoever has it.
 */
export async function readerOfBatch(
  context: OpsContext,
  ports: AppPorts,
  { environments, partner, batchId }: { environments: readonly Environment[]; partner: string | null; batchId: string },
): Promise<Result<Reader, Response>> {
  const unknown = () => err(refusedByOps(context, { code: 'batch_unknown', batchId }));
  if (!BATCH_ID_FORM.test(batchId)) return unknown();
  const listed = await ports.batches(context.env).owner(environments, batchId);
  if (!listed.ok) return err(refusedByOps(context, listed.error));
  const environment = environments.find((name) => name === listed.value?.environment);
  if (
    listed.value !== undefined &&
    environment !== undefined &&
    (partner ?? listed.value.partner) === listed.value.partner
  )
    return ok({ environment, partner: listed.value.partner, isOps: true });
  for (const each of environments) {
    const owner = await ownerOf(deadLetterPorts(context, ports), { environment: each, partner, batchId });
    if (owner.ok) return ok({ environment: each, partner: owner.value, isOps: true });
    if (owner.error.code !== 'letter_unknown') return err(refusedByOps(context, owner.error));
  }
  return unknown();
}

/** The issue of the address. */
export const issueIdIn = (context: Context): string => context.req.param('id') ?? '';

export async function foundIssue(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
): Promise<Result<ListedIssue, Response>> {
  const issue = await ports.issues(context.env).find(environment, issueIdIn(context));
  if (!issue.ok) return err(refusedByOps(context, issue.error));
  return issue.value === undefined ? err(refusedByOps(context, { code: 'issue_unknown' })) : ok(issue.value);
}
