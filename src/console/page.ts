/** What every page of the console begins with: who reads it, of which environment, and how it reaches the API. Types only. */
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { OpsRoute, SharedRoute } from '../http/contract/contract.ts';
import type { ConsoleSession, HttpBindings } from '../http/edge/context.ts';
import type { Environment } from '../kernel/names.ts';
import type { OpsRole } from '../ops/directory/directory.ts';
import type { Api, ApiProblem, Parameters } from './api.ts';
import type { NavName } from './parts/navigation.ts';

export interface Shown {
  /** Begins with the thing: it is what a tab shows. */
  title: string;
  /** The entry of the navigation that the page belongs to. */
  nav: NavName | null;
  body: Child;
  status?: number;
  /** The address of its server-sent events, and notes for what they say; left out: nothing changes by itself. */
  live?: { address: string; notes: Child } | null;
  /** It is as wide as the window allows: tables. */
  isWide?: boolean;
  /** Address of a script of its own. */
  script?: string;
  /** Of style elements that its script makes; without it there are none. */
  styleNonce?: string;
}

export interface Page {
  context: Context<HttpBindings>;
  session: ConsoleSession;
  api: Api;
  environment: Environment;
  environments: readonly Environment[];
  isOps: boolean;
  /** Whoever reads it came by an upload link. */
  isLink: boolean;
  /** The address of a page of this environment. @param path below `/console`, such as `/batches`. */
  at(path: string, parameters?: Parameters): string;
  /** The address below `/v1/ops` for an operator, below `/v1` for a partner. */
  /** The same route: of operators for an operator, of partners for a partner. */
  own<Name extends SharedRoute>(route: Name): Name | OpsRoute<Name>;
  /** A parameter of the address; '' where it is missing. */
  query(name: string): string;
  mayActAs(role: OpsRole): boolean;
  show(shown: Shown): Response;
  /** A refusal of the API, as a page. */
  refuse(problem: ApiProblem): Response;
  /** @param address of a page. */
  goTo(address: string): Response;
}

export type PageHandler = (page: Page) => Promise<Response> | Response;

/** This page as it is, to come back to. */
export function hereOf({ context: { req } }: Pick<Page, 'context'>): string {
  return `${req.path}${new URL(req.url).search}`;
}
