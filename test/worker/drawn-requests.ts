/** Requests drawn from the contract's own schemas: as it says, or spoiled in one place. */
import fc from 'fast-check';
import * as z from 'zod';
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
/** @param place what stands before the name in a path, such as `partners`: it tells one `{name}` from another. */
const valuesOf = (known: Known, name: string, place = ''): fc.Arbitrary<string> =>
  fc.constantFrom(...(known[`${place}/${name}`] ?? known[name] ?? ['x']));

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
      return valuesOf(known, name);
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
    .record({ path: pathOf(template, known), query: queryOf(route, known), body: bodyOf(route, known) })
    .map((drawn): Drawn => ({ ...drawn, headers: {}, spoiled: null }))
    .chain((drawn) =>
      fc.oneof(
        { weight: 5, arbitrary: fc.constant(drawn) },
        { weight: 1, arbitrary: spoiledQuery(route, drawn) },
        { weight: 1, arbitrary: HEADERS.map((headers) => ({ ...drawn, headers, spoiled: JSON.stringify(headers) })) },
        ...(template.includes('{') ? [{ weight: 1, arbitrary: spoiledPath(template, drawn) }] : []),
        ...(drawn.body === null ? [] : [{ weight: 3, arbitrary: spoiledBody(drawn) }]),
      ),
    )
    .map(({ path, query, body, headers, spoiled }) => {
      const search = new URLSearchParams(query);
      const type: Record<string, string> = body === null ? {} : { 'Content-Type': body.type };
      const init: RequestInit = { method, headers: { ...type, ...headers }, redirect: 'manual' };
      if (body !== null) init.body = body.content;
      return { path: search.size === 0 ? path : `${path}?${search}`, init, spoiled };
    });
}

const HEADERS: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  ...[{ Accept: 'text/csv' }, { Accept: 'text/html, */*;q=0.1' }, { Accept: 'application/EDI-X12' }],
  ...[{ 'If-None-Match': '*' }, { Range: 'bytes=0-9' }, { 'If-Match': '"x"' }, { 'Idempotency-Key': '\u00ff' }],
  ...[{ 'Idempotency-Key': 'drawn' }, { Prefer: 'wait=0' }, { Origin: 'https://elsewhere.example' }],
);

function pathOf(template: string, known: Known): fc.Arbitrary<string> {
  const parts = template.split('/').map((part, at, all) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? fc.constant(part) : valuesOf(known, name, all[at - 1]).map(encodeURIComponent);
  });
  return fc.tuple(...parts).map((values) => values.join('/'));
}

/** An empty part, or one of dots, would be another address. */
const spoiledPath = (template: string, drawn: Drawn) =>
  odd
    .filter((text) => /[^.]/.test(text) && text.isWellFormed())
    .map((text) => {
      const parts = template.split('/').map((part, at) => (part.startsWith('{') ? at : -1));
      const last = Math.max(...parts);
      const path = drawn.path
        .split('/')
        .map((part, at) => (at === last ? encodeURIComponent(text) : part))
        .join('/');
      return { ...drawn, path, spoiled: 'the path' };
    });

type Query = Record<string, string>;

const queryOf = ({ query = {} }: Route, known: Known): fc.Arbitrary<Query> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(query).flatMap(([name, shape]) => {
          const { schema, defs } = schemaOf(shape);
          // what may be left out and nobody knows a value of, such as a cursor, is left out
          const isUnknown = schema.type === 'string' && schema.enum === undefined && known[name] === undefined;
          if (isUnknown && shape._zod.optin === 'optional') return [];
          return [[name, drawnFrom(schema, name, known, defs).map(String)]];
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
const FILES = ['not a file', '\u0000\u0001\u0002', '[]'];

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
  headers: Record<string, string>;
  spoiled: string | null;
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
