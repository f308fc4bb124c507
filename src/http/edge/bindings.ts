/** What every handler finds in its context. */

import type { Context } from 'hono';
import type { Principal } from '../../intake/ports.ts';
import type { OpsPrincipal } from '../../ops/directory/ops-directory.ts';
import type { ProblemPage } from './problem.ts';
import type { Reader } from './reader.ts';

export type OpsContext = Context<HttpBindings>;

export interface HttpBindings {
  Bindings: Env;
  /**
   * `principal` where a partner signs in, `operator` where those who operate the bridge do; `reader` where things of one partner are
   * read, by either of them; `problemPage` where a person reads the answer in a browser.
   */
  Variables: {
    requestId: string;
    principal: Principal;
    operator: OpsPrincipal;
    reader: Reader;
    problemPage?: ProblemPage;
  };
}
