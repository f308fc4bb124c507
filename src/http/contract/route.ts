/**
 * What the contract says of a route, as data: who may call it, what it takes, what it answers. Routers, pages, OpenAPI,
 * the client and the tests all read this.
 */
import * as z from 'zod';
import type { OpsRole } from '../../ops/directory/directory.ts';

/** Whoever may do this. `visitor`: a partner or any operator, signed in to the console. */
export type Caller = 'anybody' | 'partner' | OpsRole | 'visitor';

/** Media type → the shape of its JSON; null: it is no JSON, or its shape is told elsewhere. */
export type Media = Readonly<Record<string, z.ZodType | null>>;

/** @property headers those that matter, by name: what they say. */
export interface Answer {
  does: string;
  media: Media;
  headers?: Readonly<Record<string, string>>;
}

export interface Body {
  media: Media;
  does?: string;
  /** There may be none. */
  isOptional?: boolean;
}

export interface Route {
  who: Caller;
  /** One line: what it does. */
  does: string;
  /** Parameters behind `?`: name → shape of the value. Those of the path are in `parameters.ts`. */
  query?: Readonly<Record<string, z.ZodType>>;
  /** Request headers that it knows beside the usual ones: name → what it does. */
  headers?: Readonly<Record<string, string>>;
  body?: Body;
  answers: Readonly<Record<number, Answer>>;
  /** Statuses of refusals beside those that every route of its caller has: `contract.ts`. */
  refuses?: readonly number[];
  /** Asked again and again: answers have an `ETag`, and `If-None-Match` is answered 304. */
  isPolled?: true;
  /** The page of the same thing: a browser that opens the address is sent there. */
  page?: string;
}

export type Routes = Readonly<Record<string, Route>>;

/* How entries are written. */

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';
export const CSV_TYPE = 'text/csv';
export const BYTES_TYPE = 'application/octet-stream';
export const YAML_TYPE = 'application/yaml';
export const ANY_TYPE = '*/*';

export const json = <Shape extends z.ZodType>(does: string, shape: Shape) =>
  ({ does, media: { [JSON_TYPE]: shape } as Record<typeof JSON_TYPE, Shape> }) as const;

/** The same as JSON or in other types, as `Accept` or the address asks. */
export const jsonOr = <Shape extends z.ZodType>(does: string, shape: Shape, types: readonly string[]) => ({
  does,
  media: { [JSON_TYPE]: shape, ...withoutShape(types) } as Record<typeof JSON_TYPE, Shape> & Record<string, z.ZodType>,
});

export const file = (does: string, ...types: readonly string[]): Answer => ({ does, media: withoutShape(types) });
export const nothing = (does: string): Answer => ({ does, media: {} });

export const jsonBody = <Shape extends z.ZodType>(shape: Shape) =>
  ({ media: { [JSON_TYPE]: shape } as Record<typeof JSON_TYPE, Shape> }) as const;

const withoutShape = (types: readonly string[]): Record<string, null> =>
  Object.fromEntries(types.map((type) => [type, null]));

/** Several of the same. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** A time as ISO 8601, in UTC unless it says otherwise. */
export const Time = z.string().meta({ format: 'date-time' });

/** Numbers by name; a name whose number is 0 may be missing. */
export const countsBy = <Name extends string>(names: z.ZodType<Name>) =>
  z.partialRecord(names as z.ZodType<Name> & z.core.$ZodRecordKey, z.int()) as unknown as z.ZodType<
    Partial<Record<Name, number>>
  >;

/** What somebody else decides the members of: a mapping, a partner's file, the receiving system. */
export const open = <Value = Record<string, unknown>>(does: string) =>
  z.record(z.string(), z.unknown()).describe(does) as unknown as z.ZodType<Value>;
