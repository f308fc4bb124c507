/** Which keys of the language, and which of their values, an example of the guide shows; found by the documents' own schema. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REQUEST_KINDS } from '../../../src/mapping/request.ts';
import type { Loose } from './documents.ts';
import { type BlockExample, fieldOf, type LineExample } from './guide-examples.ts';
import { MAPPINGS } from './shipped.ts';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: string[];
}

const ROOT: Schema & { definitions: Record<string, Schema> } = JSON.parse(
  readFileSync(join(MAPPINGS, 'mapping.schema.json'), 'utf8'),
);
/** What a key does is the same in all of them, and is shown once. */
const FIELDS = ['TextField', 'IntegerField', 'NumberField', 'CoordinateField', 'TimeField', 'OrderNode'];
/** Keys whose examples are whole documents. */
const OF_WHOLE_DOCUMENTS = ['mapping', 'description', 'source', 'examples', 'scac', 'time'];

interface Named {
  schema: Schema;
  /** Of the nearest definition, or the way from it. */
  name: string;
}

function resolved({ schema, name }: Named): Named {
  const [inner] = schema.allOf ?? [];
  if (inner !== undefined) return resolved({ schema: inner, name });
  if (schema.$ref === undefined) return { schema, name };
  const definition = schema.$ref.split('/').at(-1) ?? '';
  const target = ROOT.definitions[definition] ?? {};
  if (definition === 'Dialect') return resolved({ schema: target, name: 'Document' });
  return resolved({ schema: target, name: FIELDS.includes(definition) ? 'Field' : definition });
}

/** A kind of request is one wherever it stands. */
const valueName = (name: string, value: string): string =>
  REQUEST_KINDS.some((kind) => kind === value) ? `kind=${value}` : `${name}=${value}`;

/** Every key and listed value there is: `Group.by`, `Group.order=anywhere`. */
export function allKeys(): string[] {
  const found = new Set<string>();
  const seen = new Set<Schema>();
  const visit = (at: Named) => {
    const { schema, name } = resolved(at);
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const value of schema.enum ?? []) found.add(valueName(name, value));
    for (const [key, inner] of Object.entries(schema.properties ?? {})) {
      if (name === 'Document' && OF_WHOLE_DOCUMENTS.includes(key)) continue;
      if (name !== 'EventFields') found.add(`${name}.${key}`); // the table of targets names them
      visit({ schema: inner, name: `${name}.${key}` });
    }
    for (const inner of [...(schema.anyOf ?? []), schema.items, schema.additionalProperties]) {
      if (typeof inner === 'object') visit({ schema: inner, name });
    }
  };
  visit({ schema: ROOT, name: 'Document' });
  return [...found];
}

/** The keys and listed values that examples show. */
export function shownKeys(lines: readonly LineExample[], blocks: readonly BlockExample[]): Set<string> {
  const shown = new Set<string>();
  const visit = (at: Named, value: unknown) => {
    const { schema, name } = resolved(at);
    if (schema.anyOf !== undefined) {
      for (const each of schema.anyOf) if (fits(each, value)) visit({ schema: each, name }, value);
    } else if (Array.isArray(value)) {
      for (const item of value) if (schema.items !== undefined) visit({ schema: schema.items, name }, item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        const known = schema.properties?.[key];
        if (known !== undefined) shown.add(`${name}.${key}`);
        const next = known ?? schema.additionalProperties;
        if (typeof next === 'object')
          visit({ schema: next, name: known === undefined ? name : `${name}.${key}` }, inner);
      }
    } else if (schema.enum?.includes(String(value))) shown.add(valueName(name, String(value)));
  };
  for (const { document } of blocks) visit({ schema: ROOT, name: 'Document' }, document as Loose);
  for (const line of lines) {
    const { axis, field } = fieldOf(line);
    const definition = axis === undefined ? 'OrderNode' : 'CoordinateField';
    visit({ schema: { $ref: `#/definitions/${definition}` }, name: '' }, field);
  }
  return shown;
}

function fits(schema: Schema, value: unknown): boolean {
  const { schema: own } = resolved({ schema, name: '' });
  if (own.anyOf !== undefined) return own.anyOf.some((each) => fits(each, value));
  if (Array.isArray(value)) return own.type === 'array';
  if (typeof value === 'object') return own.type === 'object';
  return own.type !== 'array' && own.type !== 'object';
}
