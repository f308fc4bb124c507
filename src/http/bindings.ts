/** What every handler finds in its context. */
import type { Principal } from '../intake/ports.ts';

export interface HttpBindings {
  Bindings: Env;
  Variables: { requestId: string; principal: Principal };
}
