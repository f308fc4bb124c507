import { DurableObject } from 'cloudflare:workers';
import { inJurisdiction } from './namespaces.ts';

/** An object that finds others in the deployment's jurisdiction. */
export abstract class BoundObject extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, inJurisdiction(env));
  }
}
