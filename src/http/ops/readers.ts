/** An operator reads the things of one partner: whose they are is found, so that an id alone is enough. */
import type { MiddlewareHandler } from 'hono';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { ownerOf } from '../../ops/letters/letters.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type Reader, withParameters } from '../edge/reader.ts';
import { letterPorts } from './actions.ts';
import { refusedByOps } from './refusals.ts';

/**
 * Whose batch it is, in one of these environments. The index is asked first, and what it does not know, the registers.
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
    const owner = await ownerOf(letterPorts(context, ports), { environment: each, partner, batchId });
    if (owner.ok) return ok({ environment: each, partner: owner.value, isOps: true });
    if (owner.error.code !== 'letter_unknown') return err(refusedByOps(context, owner.error));
  }
  return unknown();
}

/** Whoever opens a page need not know how an environment is spelled: the first one of the key is put into the address. */
export const inSomeEnvironment: MiddlewareHandler<HttpBindings> = async (context, next) => {
  const [first] = context.get('operator').environments;
  if (context.req.query('environment') !== undefined || context.req.method !== 'GET' || first === undefined) {
    await next();
    return undefined;
  }
  return context.redirect(withParameters(context.req.path, { ...context.req.query(), environment: first }), 303);
};
