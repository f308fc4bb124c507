/** The contract as OpenAPI 3.1. Made when it is first asked for: a Worker that is never asked starts without it. */
import * as z from 'zod';
import { ROUTES, refusalsOf } from './contract.ts';
import { PATH_PARAMETERS } from './parameters.ts';
import { type Answer, type Body, type Media, PROBLEM_TYPE, type Route } from './route.ts';
import { ProblemDocument } from './shapes.ts';

type Json = { [member: string]: unknown };

interface OpenApi {
  openapi: '3.1.0';
  paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  components: { schemas: Readonly<Record<string, Json>>; securitySchemes: Json; responses: Json };
  [more: string]: unknown;
}

/** Shapes with a name of their own become components; the others stay where they are used. */
class Schemas {
  readonly named: Record<string, Json> = {};

  of(shape: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Json;
    for (const [name, inner] of Object.entries($defs as Record<string, Json>)) this.#name(name, inner);
    return this.#named(withComponents(schema));
  }

  #name(name: string, schema: Json): Json {
    const { id: _, ...rest } = withComponents(schema) as Json;
    this.named[name] ??= rest;
    return { $ref: `#/components/schemas/${name}` };
  }

  #named = (schema: unknown): Json => {
    const { id } = schema as Json;
    return typeof id === 'string' ? this.#name(id, schema as Json) : (schema as Json);
  };
}

const withComponents = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withComponents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name === '$ref' && typeof member === 'string'
        ? [name, member.replace('#/$defs/', '#/components/schemas/')]
        : [name, withComponents(member)],
    ),
  );
};

const contentOf = (media: Media, schemas: Schemas, io: 'input' | 'output'): Json =>
  Object.fromEntries(
    Object.entries(media).map(([type, shape]) => [type, shape === null ? {} : { schema: schemas.of(shape, io) }]),
  );

const headersOf = (headers: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

function answerOf({ does, media, headers = {} }: Answer, schemas: Schemas): Json {
  const content = contentOf(media, schemas, 'output');
  return {
    description: does,
    ...(Object.keys(headers).length === 0 ? {} : { headers: headersOf(headers) }),
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

const bodyOf = ({ media, does, isOptional = false }: Body, schemas: Schemas): Json => ({
  ...(does === undefined ? {} : { description: does }),
  required: !isOptional,
  content: contentOf(media, schemas, 'input'),
});

function parametersOf(path: string, { query = {}, headers = {} }: Route, schemas: Schemas): Json[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS],
    schema: { type: 'string' },
  }));
  const asked = Object.entries(query).map(([name, shape]) => {
    const { description, ...schema } = schemas.of(shape, 'input');
    const required = shape._zod.optin !== 'optional';
    return { name, in: 'query', required, ...(description === undefined ? {} : { description }), schema };
  });
  const sent = Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [...named, ...asked, ...sent];
}

function operationOf(name: string, path: string, route: Route, schemas: Schemas): Json {
  const { who, does, answers, body, isPolled, page } = route;
  const refused = refusalsOf(route).filter((status) => answers[status] === undefined);
  return {
    operationId: operationId(name),
    summary: does,
    tags: [tagOf(path)],
    ...(who === 'anybody' ? { security: [] } : {}),
    'x-caller': who,
    parameters: parametersOf(path, route, schemas),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, schemas) }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer, schemas)])),
      ...(page === undefined ? {} : { 302: { description: 'A browser that opens it is sent to its page.' } }),
      ...(isPolled ? { 304: { description: 'It is still what `If-None-Match` names.' } } : {}),
      ...Object.fromEntries(refused.map((status) => [status, { $ref: '#/components/responses/Problem' }])),
    },
  };
}

/** `getV1BatchesIdRows` */
const operationId = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+(\w)/gi, (_, letter: string) => letter.toUpperCase())
    .replace(/\W/g, '');

/** The subject of a path: `batches`, or `ops/issues`. */
export function tagOf(path: string): string {
  const [, , first = '', second = ''] = path.split(/[/.]/);
  if (!path.startsWith('/v1/')) return 'open';
  return first === 'ops' ? `ops/${second}` : first;
}

const INFO = {
  title: 'Transload',
  version: 'v1',
  description:
    'Takes partners’ files, maps them into requests and delivers them. Errors are `application/problem+json` with a stable `code`.',
};

let made: OpenApi | undefined;

export function openApi(): OpenApi {
  made ??= openApiOf(ROUTES);
  return made;
}

/** @param routes by method and path. */
function openApiOf(routes: Readonly<Record<string, Route>>): OpenApi {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(name, path, route, schemas) };
  }
  const problem = { [PROBLEM_TYPE]: { schema: schemas.of(ProblemDocument, 'output') } };
  return {
    openapi: '3.1.0',
    info: INFO,
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components: {
      schemas: schemas.named,
      responses: { Problem: { description: 'It is refused, and why.', content: problem } },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The key of a partner or an operator.' },
        basic: { type: 'http', scheme: 'basic', description: 'The key as the password; any name.' },
      },
    },
  };
}
