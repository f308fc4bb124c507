/** What the routes of operators have in common. */
import * as z from 'zod';
import { text, whole } from '../parameters.ts';
import { file, json, jsonBody } from '../route.ts';

/** Every route of operators takes it. */
export const ENVIRONMENT = {
  environment: text('`test` or `production`; may be left out if your key has only one.'),
} as const;

/** Whose batch, load or order it is, where several may have one. */
export const PARTNER = { partner: text('The name of a partner.') } as const;

export const PAGE = { limit: whole('How many on a page.'), cursor: text('As `next` says.') } as const;

export const DRY = {
  dryRun: z.exactOptional(z.boolean()).describe('Says what would happen, and changes nothing.'),
} as const;

export const WHY = z.string().describe('Why, for the audit.');
export const NOTE = z.string().describe('Why, for the history.');

/** Request headers of what acts once: a repeat with the same key is the same action. */
export const ONCE = { 'Idempotency-Key': 'A text of your own; a repeat with it is the same action.' } as const;
export const IF_MATCH = { 'If-Match': 'The version that was seen, as its `ETag` says.' } as const;
export const IF_REVISION = {
  'If-Match': 'The `edition` that was seen, in quotes; `"0"`: there is none yet. Another one now is 412.',
} as const;
export const VERSION = { ETag: 'Its version.' } as const;
export const BEGUN = {
  Location: 'Where to look how far it is.',
  'Idempotency-Replayed': '`true`: it was begun before.',
} as const;

/** Refusals of what changes something: unreadable, unknown, in the way of something, or moved meanwhile. */
export const CHANGE_REFUSALS = [400, 404, 409, 412, 413, 422] as const;

const reads = [404] as const;

/** @param query beside `environment`. */
export const look = <Shape extends z.ZodType, Query extends Readonly<Record<string, z.ZodType>> = Record<never, never>>(
  does: string,
  shape: Shape,
  query?: Query,
) =>
  ({
    who: 'viewer',
    does,
    query: { ...ENVIRONMENT, ...(query as Query) },
    answers: { 200: json('What is known.', shape) },
    refuses: reads,
  }) as const;

/** All that is stored of something. @param query beside `environment`. */
export const record = <Query extends Readonly<Record<string, z.ZodType>>>(what: string, query: Query) =>
  ({
    who: 'operator',
    does: `all that is stored of ${what}, as lines of JSON; whoever takes it stands in the audit`,
    query: { ...ENVIRONMENT, ...query, note: text('Why, for the audit.') },
    answers: { 200: file('The last line counts the others: without it the file was cut.', 'application/x-ndjson') },
    refuses: [400, 404, 409],
  }) as const;

interface Change<Who extends 'operator' | 'admin', Status extends number, Shape, Body, Query> {
  does: string;
  answer: Shape;
  body?: Body;
  query?: Query;
  who?: Who;
  status?: Status;
  /** Those of the request, and of the answer. */
  headers?: Readonly<Record<string, string>>;
  answered?: Readonly<Record<string, string>>;
}

/** Never, where it takes none. */
type WithBody<Body extends Readonly<Record<string, z.ZodType>>> = [keyof Body] extends [never]
  ? Record<never, never>
  : { body: { media: { 'application/json': z.ZodObject<{ -readonly [Name in keyof Body]: Body[Name] }> } } };

/** @param change `status` of the answer, 200 if left out. */
export function acts<
  Shape extends z.ZodType,
  Body extends Readonly<Record<string, z.ZodType>> = Record<never, never>,
  Query extends Readonly<Record<string, z.ZodType>> = Record<never, never>,
  Who extends 'operator' | 'admin' = 'operator',
  Status extends number = 200,
>({ does, answer, body, query, who, status, headers, answered }: Change<Who, Status, Shape, Body, Query>) {
  const told = { ...json('Done.', answer), ...(answered === undefined ? {} : { headers: answered }) };
  const answers = { [status ?? 200]: told } as Record<
    Status,
    { does: string; media: Record<'application/json', Shape>; headers?: Readonly<Record<string, string>> }
  >;
  return {
    who: (who ?? 'operator') as Who,
    does,
    query: { ...ENVIRONMENT, ...(query as Query) },
    ...(headers === undefined ? {} : { headers }),
    ...((body === undefined ? {} : { body: jsonBody(z.strictObject(body)) }) as WithBody<Body>),
    answers,
    refuses: CHANGE_REFUSALS,
  } as const;
}
