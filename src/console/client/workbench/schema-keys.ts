/** What the JSON Schema of mappings allows at a path: keys with their meaning, and fixed values. Pure. */
import { ENTRY, type YamlStep } from './yaml-path.ts';

export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  definitions?: Record<string, Schema>;
}

/** References that lead on to references. Ours: none goes deeper. */
const DEPTH_MAX = 12;

function whole(schemas: readonly Schema[], root: Schema, depth = 0): Schema[] {
  if (depth > DEPTH_MAX) return [];
  return schemas.flatMap((schema) => {
    const { $ref, anyOf = [], oneOf = [], allOf = [] } = schema;
    const named =
      $ref === undefined ? [] : [$ref === '#' ? root : (root.definitions?.[$ref.replace('#/definitions/', '')] ?? {})];
    const inner = [...named, ...anyOf, ...oneOf, ...allOf];
    return inner.length === 0 ? [schema] : [...whole(inner, root, depth + 1), ...(schema.properties ? [schema] : [])];
  });
}

function schemasAt(root: Schema, path: readonly YamlStep[]): Schema[] {
  let at = whole([root], root);
  for (const step of path) {
    const inner = at.flatMap(({ items, properties = {}, additionalProperties }) => {
      if (step === ENTRY) return items ?? [];
      if (Object.hasOwn(properties, step)) return properties[step] ?? [];
      return typeof additionalProperties === 'object' ? additionalProperties : [];
    });
    at = whole(inner, root);
  }
  return at;
}

/** Each key once, in the schema's order. */
export function keysAt(root: Schema, path: readonly YamlStep[]): { key: string; about: string }[] {
  const found = new Map<string, string>();
  for (const { properties = {} } of schemasAt(root, path)) {
    for (const [key, schema] of Object.entries(properties)) {
      if (!found.has(key)) found.set(key, schema.description ?? '');
    }
  }
  return [...found].map(([key, about]) => ({ key, about }));
}

export function valuesAt(root: Schema, path: readonly YamlStep[]): string[] {
  const values = schemasAt(root, path).flatMap((schema) => [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(schema.type === 'boolean' ? [true, false] : []),
  ]);
  return [...new Set(values.map(String))];
}
