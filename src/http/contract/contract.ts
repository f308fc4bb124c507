/**
 * The API as data: every route, by method and path. Held against the routers by a test, and against every answer that
 * the tests of the Worker see.
 */
import type * as z from 'zod';
import { BATCH_ROUTES } from './batches.ts';
import { FLEET_ROUTES } from './fleet.ts';
import { MAPPING_ROUTES } from './mappings.ts';
import { OPEN_ROUTES } from './open.ts';
import { SETUP_ROUTES } from './ops/setup.ts';
import { SYSTEM_ROUTES } from './ops/system.ts';
import { WORK_ROUTES } from './ops/work.ts';
import { OWN_ROUTES } from './own.ts';
import { PROPOSAL_ROUTES } from './proposals.ts';
import type { Caller, JSON_TYPE, Route } from './route.ts';
import { TRACKING_ROUTES } from './tracking.ts';

const CONTRACT = {
  ...OPEN_ROUTES,
  ...BATCH_ROUTES,
  ...TRACKING_ROUTES,
  ...MAPPING_ROUTES,
  ...PROPOSAL_ROUTES,
  ...FLEET_ROUTES,
  ...OWN_ROUTES,
  ...WORK_ROUTES,
  ...SYSTEM_ROUTES,
  ...SETUP_ROUTES,
} as const;

type Contract = typeof CONTRACT;
/** `GET /v1/batches/{id}` */
export type RouteName = keyof Contract;

/** The same, for whoever needs no types of single routes. */
export const ROUTES: Readonly<Record<string, Route>> = CONTRACT;

/** What a refusal may be without a word in the route itself. */
export function refusalsOf({ who, query, refuses = [] }: Route): readonly number[] {
  const ofCaller = who === 'anybody' ? [] : OF_CALLER[who];
  const ofQuery = query === undefined ? [] : [400];
  return [...new Set([...refuses, ...ALWAYS, ...ofCaller, ...ofQuery])].sort((a, b) => a - b);
}

/** Wrong method or form, or the bridge itself. A parameter may be misspelt wherever there is one. */
const ALWAYS = [404, 405, 406, 500, 503] as const;
const OF_CALLER: Readonly<Record<Exclude<Caller, 'anybody'>, readonly number[]>> = {
  partner: [401, 403, 429],
  viewer: [400, 401, 403, 429],
  operator: [400, 401, 403, 429],
  admin: [400, 401, 403, 429],
  visitor: [401, 403],
};

/* Types of one route. */

type Values<Of> = Of[keyof Of];
type ShapeIn<Of> = Of extends { media: Record<typeof JSON_TYPE, infer Shape> } ? Shape : never;
type Read<Shape> = Shape extends z.ZodType ? z.output<Shape> : never;
type Good = 200 | 201 | 202;
/** The one answer of a route that does not say its status in its type counts for any. */
type At<Name extends RouteName, Status> = Values<{
  [Each in number extends keyof Contract[Name]['answers']
    ? keyof Contract[Name]['answers']
    : Extract<keyof Contract[Name]['answers'], Status>]: Read<ShapeIn<Contract[Name]['answers'][Each]>>;
}>;

/** The JSON that a route answers with when it does what was asked, or says what it would do. */
export type Answered<Name extends RouteName> = Name extends RouteName ? At<Name, Good> : never;

/** It can say what it would do (`dryRun`). A dry run of an upload is none of these: it is a batch like any other. */
type HasPlan<Name extends RouteName> = Contract[Name] extends { query: { dryRun: unknown } }
  ? Contract[Name] extends { query: { force: unknown } }
    ? false
    : true
  : false;

/** The plan of a route that has one. */
export type Planned<Name extends RouteName> = Name extends RouteName
  ? HasPlan<Name> extends true
    ? Or<Extract<At<Name, 200>, { dryRun: true }>, At<Name, 200>>
    : never
  : never;
type Or<One, Other> = [One] extends [never] ? Other : One;

/** What it answers when it has acted: where a plan has a status of its own, not that. */
export type Done<Name extends RouteName> = Name extends RouteName
  ? HasPlan<Name> extends true
    ? Extract<keyof Contract[Name]['answers'], 201 | 202> extends never
      ? Exclude<At<Name, 200>, { dryRun: true }>
      : At<Name, 201 | 202>
    : At<Name, Good>
  : never;

export type QueryOf<Name extends RouteName> = Name extends RouteName
  ? Contract[Name] extends { query: infer Query extends z.ZodRawShape }
    ? Omit<z.input<z.ZodObject<Query>>, HasPlan<Name> extends true ? 'dryRun' : never>
    : Record<never, never>
  : never;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
export type PathOf<Name extends RouteName> = Readonly<Record<NamesIn<Name>, string | number>>;

/** The JSON of a request; never: it takes none. */
export type BodyOf<Name extends RouteName> = Name extends RouteName
  ? Contract[Name] extends { body: infer Body }
    ? ShapeIn<Body> extends infer Shape extends z.ZodType
      ? z.input<Shape>
      : never
    : never
  : never;

type OpsOf<Name extends string> = Name extends `${infer Method} /v1/${infer Path}`
  ? `${Method} /v1/ops/${Path}`
  : never;
/** Routes that partners and operators have at the same address, below `/v1` and `/v1/ops`. */
export type SharedRoute = Values<{ [Name in RouteName]: OpsOf<Name> extends RouteName ? Name : never }>;
export type OpsRoute<Name extends SharedRoute> = Extract<OpsOf<Name>, RouteName>;
