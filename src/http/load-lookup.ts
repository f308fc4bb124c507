/**
 * From a load number in the address to a load of the caller's own, under one of the SCACs of their key.
 *
 * No list of loads is kept: each SCAC of the key is asked whether it has this number, and a key has few. What another partner
 * has under the same number stands in objects of other names, which are never asked.
 */
import type { Context } from 'hono';
import { callEach } from '../batch/hand-over.ts';
import { LOAD_SCACS_MAX } from '../kernel/limits.ts';
import { loadName } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { Load } from '../tracking/load.ts';
import type { HttpBindings } from './bindings.ts';
import { problem } from './problem.ts';

export interface FoundLoad {
  scac: string;
  stub: DurableObjectStub<Load>;
}

export type LoadRefusal =
  | { code: 'scac_not_allowed'; scac: string; allowed: readonly string[] }
  | { code: 'scac_required'; allowed: readonly string[] }
  | { code: 'load_unknown_here'; scacs: readonly string[] }
  | { code: 'load_ambiguous'; scacs: readonly string[] };

/** @param scac null: it is looked for under all of the key. */
export async function findLoad(
  context: Context<HttpBindings>,
  loadNumber: string,
  scac: string | null,
): Promise<Result<FoundLoad, LoadRefusal>> {
  const principal = context.get('principal');
  const allowed = principal.scacs;
  if (scac !== null && !allowed.includes(scac)) return err({ code: 'scac_not_allowed', scac, allowed });
  if (scac === null && allowed.length > LOAD_SCACS_MAX) return err({ code: 'scac_required', allowed });
  const asked = scac === null ? allowed : [scac];
  const found: FoundLoad[] = [];
  await callEach([...asked], async (each) => {
    const stub = context.env.LOAD.getByName(loadName(principal, each, loadNumber));
    if (await stub.exists()) found.push({ scac: each, stub });
  });
  const [only, ...others] = found;
  if (only === undefined) return err({ code: 'load_unknown_here', scacs: asked });
  if (others.length > 0) return err({ code: 'load_ambiguous', scacs: found.map((each) => each.scac).sort() });
  return ok(only);
}

export function refusedLoad(context: Context<HttpBindings>, loadNumber: string, refusal: LoadRefusal): Response {
  const named = loadNumber.slice(0, SHOWN_CHARACTERS_MAX);
  switch (refusal.code) {
    case 'scac_not_allowed':
      return problem(context, {
        status: 403,
        code: refusal.code,
        title: 'SCAC not allowed',
        detail: `This key may not use the SCAC "${refusal.scac.slice(0, 20)}".`,
        fix: `Use one of ${refusal.allowed.join(', ')}.`,
      });
    case 'scac_required':
      return problem(context, {
        status: 400,
        code: refusal.code,
        title: 'SCAC required',
        detail: `This key has ${refusal.allowed.length} SCACs, too many to look for a load under each.`,
        fix: 'Add scac= and the SCAC of the load.',
      });
    case 'load_unknown_here':
      return problem(context, {
        status: 404,
        code: refusal.code,
        title: 'No events of this load here',
        detail: `No event of a load "${named}" under ${refusal.scacs.join(', ')} is kept here. That says nothing of what the receiving system knows.`,
        fix: 'Check the number, with its leading zeros and prefix, and the SCAC. Events that are wrong never reach a load: GET /v1/batches lists what was sent. A load is kept for 30 days after its last event.',
      });
    case 'load_ambiguous':
      return problem(
        context,
        {
          status: 409,
          code: refusal.code,
          title: 'Load number under several SCACs',
          detail: `A load "${named}" stands under ${refusal.scacs.join(', ')}.`,
          fix: 'Add scac= and the one that is meant.',
        },
        { scacs: refusal.scacs },
      );
  }
}

/** Of a number that a caller made up. Ours. */
const SHOWN_CHARACTERS_MAX = 80;
