/** The form in which each page hands in its addresses, the routes of the API it reads, and the actions it offers. */
import type { RouteName } from '../http/contract/contract.ts';
import type { Action, Values } from './actions.ts';
import type { Page, PageHandler } from './page.ts';

export interface ConsolePages {
  /** Below `/console`: path → page. */
  get: Readonly<Record<string, PageHandler>>;
  /** Forms that are not actions. */
  post?: Readonly<Record<string, (page: Page, form: Values) => Promise<Response> | Response>>;
  /** Forms with a file, which is passed on as it arrives: each page checks the token of the session itself. */
  streamed?: Readonly<Record<string, PageHandler>>;
  /** Routes of the API that these pages read, such as `GET /v1/ops/batches/{id}`. */
  reads: readonly RouteName[];
  actions?: readonly Action[];
}
