/** A JSON body against its contract: the value, or a refusal that names every field that is wrong. Pure. */
import type { z } from 'zod';
import { type Answer, type FieldProblem, refuse } from './answers.ts';
import { checkMediaType } from './checks.ts';
import type { Received } from './received.ts';

export type Body<T> = { ok: true; value: T } | { ok: false; answer: Answer };

export function readBody<Schema extends z.ZodType>(received: Received, schema: Schema): Body<z.output<Schema>> {
  const refusal = checkMediaType(received, 'application/json');
  if (refusal !== null) return { ok: false, answer: refusal };
  const parsed = parseJson(received.body);
  if (parsed === undefined) return { ok: false, answer: refuse('body_not_json', 'The body is not JSON.') };
  const checked = schema.safeParse(parsed);
  if (checked.success) return { ok: true, value: checked.data };
  const fields = fieldProblems(checked.error.issues);
  return { ok: false, answer: refuse('body_invalid', `${fields.length} field(s) stand in the way.`, fields) };
}

/** @returns undefined, which is no JSON value, when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An unknown field is reported at its own path rather than at its parent's. */
export function fieldProblems(issues: readonly z.core.$ZodIssue[]): FieldProblem[] {
  return issues.flatMap((issue) => {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    const problem = issue.code === 'unrecognized_keys' ? 'unknown field' : issue.message;
    return paths.map((path) => ({ path: writePath(path), problem }));
  });
}

function writePath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The value at a path of object keys; undefined where the path leaves the document. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** An object that holds one value at a path of keys: the inverse of `valueAt`. */
export function objectWith(path: readonly string[], value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : objectWith(rest, value) };
}
