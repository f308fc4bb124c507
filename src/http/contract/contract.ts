/**
 * The API as data: every route, by method and path. Held against the routers by a test, and against every answer that
 * the tests of the Worker see.
 */
import type { z } from 'zod';
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

export const CONTRACT = {
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

export type Contract = typeof CONTRACT;
/** `GET /v1/batches/{id}` */
export type RouteName = keyof Contract;

/** The same, for whoever needs no types of single routes. */
export const ROUTES: Readonly<Record<string, Route>> = CONTRACT;

/** What a refusal may be without a word in the route itself. */
export function refusalsOf({ who, refuses = [] }: Route): readonly number[] {
  return [...new Set([...refuses, ...ALWAYS, ...(who === 'anybody' ? [] : OF_CALLER[who])])].sort((a, b) => a - b);
}

/** Wrong method or form, or the bridge itself. */
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
type Good = 200 | 201 | 202;

/** The JSON that a route answers with when it does what was asked. */
export type Answered<Name extends RouteName> = Values<{
  [Status in Extract<keyof Contract[Name]['answers'], Good>]: ShapeIn<
    Contract[Name]['answers'][Status]
  > extends z.ZodType
    ? z.output<ShapeIn<Contract[Name]['answers'][Status]>>
    : never;
}>;

export type QueryOf<Name extends RouteName> = Contract[Name] extends { query: infer Query extends z.ZodRawShape }
  ? z.input<z.ZodObject<Query>>
  : Record<string, never>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
export type PathOf<Name extends RouteName> = Readonly<Record<NamesIn<Name>, string | number>>;
