/** What every handler finds in its context. */
import type { Principal } from '../intake/ports.ts';
import type { OpsPrincipal } from '../ops/ops-directory.ts';

export interface HttpBindings {
  Bindings: Env;
  /** `principal` where a partner signs in, `operator` where those who operate the bridge do. */
  Variables: { requestId: string; principal: Principal; operator: OpsPrincipal };
}
