/** Requests drawn from the contract's own schemas: as it says, or spoiled in one place. */
import fc from 'fast-check';
import { z } from 'zod';
import { JSON_TYPE, type Route, YAML_TYPE } from '../../src/http/contract/route.ts';

/** What there is in the world of a test, by the names that paths, parameters and members have. */
export type Known = Readonly<Record<string, readonly string[]>>;

export interface DrawnRequest {
  path: string;
  init: RequestInit;
  /** What is wrong with it; null: nothing. */
  spoiled: string | null;
}

/** Texts that something may stumble over: numbers in other clothes, names that objects have, ends of strings. */
const ODD = [
  ...['0', '-1', '1e9', '01', '9007199254740993', 'NaN', 'null', 'true', '', ' ', '\0', '%', '..', '.csv'],
  ...['__proto__', 'constructor', 'toString', '["test"]', '<b>', 'ü', '😀', '\ud800', "'; --", 'x'.repeat(3_000)],
] as const;
/** Values of any kind but the one that is wanted. */
const OTHER: readonly unknown[] = [null, true, 0, -1, 1.5, 1e300, '', 'x', '\0', [], [null], {}, { __proto__x: 1 }];

type Json = { [member: string]: unknown };

const odd = fc.constantFrom(...ODD);
const valuesOf = (known: Known, name: string): fc.Arbitrary<string> => {
  const there = known[name] ?? [];
  return there.length > 0
    ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...there) }, odd)
    : fc.oneof(fc.constant('x'), odd);
};

/** JSON Schema, as the contract is published in, → values of it. */
function drawnFrom(schema: Json, name: string, known: Known, defs: Json): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') {
    return drawnFrom((defs[schema.$ref.split('/').at(-1) ?? ''] ?? {}) as Json, name, known, defs);
  }
  const choices = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Json[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map((each) => drawnFrom(each, name, known, defs)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case 'integer':
    case 'number':
      return fc.integer({
        min: Math.max(Number(schema.minimum ?? 0), 0),
        max: Math.min(Number(schema.maximum ?? 500), 5_000),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(drawnFrom((schema.items ?? {}) as Json, name, known, defs), { maxLength: 3 });
    case 'object':
      return objectOf(schema, known, defs);
    case 'string':
      return valuesOf(known, name);
    default:
      return fc.oneof(valuesOf(known, name), fc.constantFrom(...OTHER));
  }
}

function objectOf(schema: Json, known: Known, defs: Json): fc.Arbitrary<Json> {
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const required = (schema.required ?? []) as string[];
  // What is open says its members in words.
  const told = [...String(schema.description ?? '').matchAll(/`([a-zA-Z]+)`/g)].map(([, each = '']) => each);
  const names = Object.keys(properties).length > 0 ? Object.keys(properties) : told;
  const members = Object.fromEntries(names.map((name) => [name, drawnFrom(properties[name] ?? {}, name, known, defs)]));
  return fc.record(members, { requiredKeys: required.filter((name) => name in members) }) as fc.Arbitrary<Json>;
}

function schemaOf(shape: z.ZodType): { schema: Json; defs: Json } {
  const { $defs = {}, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Json;
  return { schema, defs: $defs as Json };
}

/** Such as `GET /v1/batches/{id}`. */
export function requestsFor(name: string, route: Route, known: Known): fc.Arbitrary<DrawnRequest> {
  const [method = '', template = ''] = name.split(' ');
  return fc
    .record({ path: pathOf(template, known), query: queryOf(route, known), body: bodyOf(route, known), accept: ACCEPT })
    .chain((drawn) =>
      fc.oneof(
        { weight: 2, arbitrary: fc.constant({ ...drawn, spoiled: null as string | null }) },
        { weight: 1, arbitrary: spoiledQuery(route, drawn) },
        ...(drawn.body === null ? [] : [{ weight: 2, arbitrary: spoiledBody(drawn) }]),
      ),
    )
    .map(({ path, query, body, accept, spoiled }) => {
      const search = new URLSearchParams(query);
      const headers: Record<string, string> = { ...accept };
      if (body !== null) headers['Content-Type'] = body.type;
      const init: RequestInit = {
        method,
        headers,
        redirect: 'manual',
        ...(body === null ? {} : { body: body.content }),
      };
      return { path: search.size === 0 ? path : `${path}?${search}`, init, spoiled };
    });
}

const ACCEPT: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  ...[{}, {}, { Accept: 'application/json' }, { Accept: 'text/csv' }, { Accept: 'text/html, */*;q=0.1' }],
  ...[{ Accept: 'application/EDI-X12' }, { 'If-None-Match': '*' }, { Range: 'bytes=0-9' }, { 'If-Match': '"x"' }],
  ...[{ 'Idempotency-Key': 'drawn' }, { Prefer: 'wait=0' }, { Origin: 'https://elsewhere.example' }],
);

const pathOf = (template: string, known: Known): fc.Arbitrary<string> =>
  fc
    .record(
      Object.fromEntries(
        [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
          name,
          // an empty part, or one of dots, is another address
          valuesOf(known, name).filter((text) => /[^.]/.test(text) && text.isWellFormed()),
        ]),
      ),
    )
    .map((values) => template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name]))));

type Query = Record<string, string>;

const queryOf = ({ query = {} }: Route, known: Known): fc.Arbitrary<Query> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(query).map(([name, shape]) => {
          const { schema, defs } = schemaOf(shape);
          return [name, drawnFrom(schema, name, known, defs).map(String)];
        }),
      ),
      { requiredKeys: Object.entries(query).flatMap(([name, { _zod }]) => (_zod.optin === 'optional' ? [] : [name])) },
    )
    .map((values) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value).toWellFormed()])),
    );

interface Sent {
  type: string;
  content: string;
}

/** A file that is read, and one that nothing reads. */
const FILES = ['Load #,Status\nL1,X3\n', 'not a file', '\u0000\u0001\u0002', '[]', '<a/>'];

function bodyOf({ body }: Route, known: Known): fc.Arbitrary<Sent | null> {
  if (body === undefined) return fc.constant(null);
  const shape = body.media[JSON_TYPE];
  const files = fc.constantFrom(...FILES, ...(known.file ?? [])).map((content) => ({
    type: Object.keys(body.media).find((type) => type === YAML_TYPE) ?? 'application/octet-stream',
    content,
  }));
  if (shape === undefined || shape === null) return files;
  const { schema, defs } = schemaOf(shape);
  const json = drawnFrom(schema, '', known, defs).map((value) => ({ type: JSON_TYPE, content: JSON.stringify(value) }));
  return body.isOptional ? fc.oneof(json, fc.constant(null)) : json;
}

interface Drawn {
  path: string;
  query: Query;
  body: Sent | null;
  accept: Record<string, string>;
}

const spoiledQuery = ({ query = {} }: Route, drawn: Drawn) =>
  fc.tuple(fc.constantFrom('unheardOf', ...Object.keys(query)), odd).map(([name, value]) => ({
    ...drawn,
    query: { ...drawn.query, [name]: value.toWellFormed() },
    spoiled: `the parameter ${name}`,
  }));

const spoiledBody = (drawn: Drawn) =>
  fc
    .tuple(fc.nat(), fc.constantFrom(...OTHER), fc.constantFrom('member', 'whole', 'cut', 'type', 'extra'))
    .map(([at, value, how]) => {
      const { type, content } = drawn.body ?? { type: JSON_TYPE, content: '' };
      const sent = (changed: string, otherType = type) => ({
        ...drawn,
        body: { type: otherType, content: changed },
        spoiled: `the body: ${how}`,
      });
      if (how === 'cut') return sent(content.slice(0, Math.max(0, content.length - 3)));
      if (how === 'type') return sent(content, 'text/unheard-of');
      if (how === 'whole' || type !== JSON_TYPE) return sent(JSON.stringify(value));
      const members = JSON.parse(content) as Json;
      if (how === 'extra') return sent(JSON.stringify({ ...members, unheardOf: value }));
      const names = Object.keys(members);
      const name = names[at % Math.max(1, names.length)] ?? 'why';
      return sent(JSON.stringify({ ...members, [name]: value }));
    });
