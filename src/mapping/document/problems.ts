/**
 * Problems of a mapping document or a code list, for its author: all at once, each with its location and the wanted
 * form.
 */

import type * as z from 'zod';
import { quoteValue } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { ORIGINS } from './field-spec.ts';
import { didYouMean } from './nearest.ts';

type DocumentProblemCode =
  | 'too_large' // the document as a whole
  | 'yaml_syntax' // not readable as YAML; nothing further was checked
  | 'yaml_not_supported' // readable, but with tags, too many aliases or a forbidden key
  | 'duplicate_key'
  | 'wrong_form' // another kind of value is wanted here
  | 'key_missing'
  | 'unknown_key'
  | 'unknown_field' // the target has no such field
  | 'field_missing' // the target requires it, and the document does not fill it
  | 'name_differs' // the name inside is not the file's
  | 'origin_invalid' // not exactly one of from, firstOf, template, const
  | 'template_invalid'
  | 'keys_exclude' // keys that make no sense together
  | 'no_effect' // a key that never has an effect
  | 'condition_invalid'
  | 'path_invalid' // a path into a JSON record
  | 'pattern_invalid' // a time pattern or a regular expression
  | 'unit_unknown' // no such unit, or two that measure different things
  | 'zone_unknown'
  | 'zone_missing' // a local time without a zone
  | 'code_list_unknown'
  | 'base_unknown' // `extends` names no document that can be extended
  | 'column_unknown' // not among the columns the document declares
  | 'value_too_long'
  | 'code_twice' // two words of a code list that compare as equal
  | 'code_unknown' // a word or code that the list itself lacks
  | 'too_many';

/** @property path like `requests[0].fields.time`, list indexes from 0; line and column from 1, if known. */
export interface DocumentProblem {
  path: string;
  code: DocumentProblemCode;
  value?: string;
  message: string;
  wanted: string;
  line?: number;
  column?: number;
}

export type DocumentPath = readonly (string | number)[];

const PLAIN_KEY = /^[\w-]+$/;

export function formatPath(path: DocumentPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!PLAIN_KEY.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** A problem whose location in the text is not known yet. */
export interface LocatedProblem extends Omit<DocumentProblem, 'path' | 'line' | 'column'> {
  at: DocumentPath;
}

/** A key that never has an effect. */
export const noEffect = (at: DocumentPath, why: string, wanted = 'no such key'): LocatedProblem => ({
  at,
  code: 'no_effect',
  message: `${why}.`,
  wanted,
});

/** Each once, if several checks found it. */
export const distinct = (problems: readonly LocatedProblem[]): LocatedProblem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.code, problem.value]), problem])).values(),
];

/** @returns one line for a terminal or a log: `line 12:3 fields.time.parse: … Wanted: …` */
export function problemLine(problem: DocumentProblem): string {
  const place = problem.line === undefined ? '' : `line ${problem.line}:${problem.column ?? 1} `;
  const value = problem.value === undefined ? '' : ` (received: ${quoteValue(problem.value)})`;
  return `${place}${problem.path === '' ? '' : `${problem.path}: `}${problem.message}${value} Wanted: ${problem.wanted}`;
}

/*
 * Turns zod's issues into problems an author can act on: the path, the value there, and the wanted form.
 *
 * A union's failure is described by the branch that fits the author's value; an unknown key by a similar known one.
 */

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** @returns the value as the schema reads it, or every problem of it. */
export function readForm<Form extends Schema & z.ZodType>(
  schema: Form,
  value: unknown,
): Result<z.output<Form>, LocatedProblem[]> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.flatMap((issue) => describeIssue(issue, issue.path.map(step), { schema, value })));
}

interface Root {
  schema: Schema;
  value: unknown;
}

const NOT_THE_FORM = 'This is not of the form that is wanted here.';

const step = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key));

function describeIssue(issue: Issue, at: DocumentPath, root: Root): LocatedProblem[] {
  if (issue.code === 'invalid_union') return describeUnion(issue, at, root);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, at, root));
  if (issue.code === 'invalid_key') return [wrongForm(at, issue.issues[0] ?? issue, at.at(-1))];
  const value = valueAt(root.value, at);
  if (value === undefined) return [keyMissing(at, wantedForm(issue))];
  const told = issue.code === 'invalid_type' ? (misplaced(at, value, root) ?? tooShort(at, value, root)) : undefined;
  return [told ?? wrongForm(at, issue, value)];
}

/** A column name alone, where it must be said, too, how the value is read. */
function tooShort(at: DocumentPath, value: unknown, root: Root): LocatedProblem | undefined {
  if (typeof value !== 'string') return undefined;
  const known = keysAt(root.schema, at);
  const key = ['parse', 'as'].find((each) => known.includes(each));
  if (!known.includes('from') || key === undefined) return undefined;
  const column = PLAIN_COLUMN.test(value) ? value : JSON.stringify(value);
  const message = `A ${key === 'parse' ? 'time' : 'number'} has no short form: its column alone is not enough.`;
  const more = key === 'parse' ? 'parse: "yyyy-MM-dd HH:mm"' : 'as: integer';
  return { at, code: 'wrong_form', value, message, wanted: `${at.at(-1)}: { from: ${column}, ${more} }` };
}

const PLAIN_COLUMN = /^[A-Za-z][\w ./-]*$/;

function keyMissing(at: DocumentPath, wanted: string): LocatedProblem {
  return { at, code: 'key_missing', message: `"${at.at(-1) ?? 'document'}" is missing.`, wanted };
}

function wrongForm(at: DocumentPath, issue: Issue, value: unknown): LocatedProblem {
  const code = issue.code === 'too_big' && issue.origin === 'array' ? 'too_many' : 'wrong_form';
  const message = code === 'too_many' ? 'There are too many of these.' : NOT_THE_FORM;
  return { at, code, value: shown(value), message, wanted: wantedForm(issue, value) };
}

/** Describes the branches whose kind (text, list, object) the value has; if there are none, names all branches. */
function describeUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  at: DocumentPath,
  root: Root,
): LocatedProblem[] {
  const value = valueAt(root.value, at);
  const branches = issue.errors.filter((errors) => !errors.some((each) => isOfOtherKind(each, value)));
  const [best] = branches.sort((left, right) => left.length - right.length);
  if (best !== undefined) {
    return best.flatMap((each) => describeIssue(each, [...at, ...each.path.map(step)], root));
  }
  const forms = issue.errors.flatMap((errors) => errors.slice(0, 1).map((each) => wantedForm(each, value)));
  const wanted = STANDARD_MESSAGE.test(issue.message) ? [...new Set(forms)].join(', or ') : issue.message;
  if (value === undefined) return [keyMissing(at, wanted)];
  return [misplaced(at, value, root) ?? { at, code: 'wrong_form', value: shown(value), message: NOT_THE_FORM, wanted }];
}

const isOrigin = (key: string): boolean => ORIGINS.some((origin) => origin === key);

/** An object with keys of the object around it: they were written one level too deep. */
function misplaced(at: DocumentPath, value: unknown, root: Root): LocatedProblem | undefined {
  const key = at.at(-1);
  if (typeof key !== 'string' || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const known = keysAt(root.schema, at.slice(0, -1));
  const keys = Object.keys(value);
  if (keys.length === 0 || keys.some((each) => !known.includes(each))) return undefined;
  const isInstead = isOrigin(key) && keys.some(isOrigin);
  const place = isInstead ? `in the place of "${key}"` : `beside "${key}"`;
  const names = keys.map((each) => `"${each}"`).join(' and ');
  const pairs = Object.entries(value)
    .map(([each, inner]) => `${each}: ${shown(inner)}`)
    .join(', ');
  return {
    at,
    code: 'wrong_form',
    value: shown(value),
    message: `${names} ${keys.length === 1 ? 'stands' : 'stand'} ${place}, not under it.`,
    wanted: isInstead ? `${pairs}, without "${key}"` : `${key}: …, ${pairs}`,
  };
}

/** Whether a branch wants another kind of value: a list of words also wants text. */
const isOfOtherKind = ({ code, path }: Issue, value: unknown): boolean =>
  path.length === 0 && (code === 'invalid_type' || (code === 'invalid_value' && typeof value !== 'string'));

/** `fields` of the document, of a request or of a case; an order may have a member with that name. */
const isFields = (at: DocumentPath): boolean => at.at(-1) === 'fields' && at.length === FIELDS_DEPTHS.get(at[0] ?? '');
const FIELDS_DEPTHS = new Map<string | number, number>([
  ['fields', 1],
  ['requests', 3],
  ['target', 4],
]);

function unknownKey(key: string, at: DocumentPath, root: Root): LocatedProblem {
  const known = keysAt(root.schema, at);
  const isField = isFields(at);
  return {
    at: [...at, key],
    code: isField ? 'unknown_field' : 'unknown_key',
    value: key,
    message: `${isField ? 'The target has no field' : 'There is no key'} "${key}" here.${didYouMean(key, known)}`,
    wanted: known.length === 0 ? 'no key at all' : `one of ${known.join(', ')}`,
  };
}

/** zod's own sentences; anything else is a message of our schemas, which names the wanted form. */
const STANDARD_MESSAGE = /^(Invalid|Too small|Too big|Unrecognized)/;

function wantedForm(issue: Issue, value?: unknown): string {
  if (!STANDARD_MESSAGE.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_FORMS.get(issue.expected) + quoteAdvice(issue.expected, value);
    case 'invalid_value':
      return issue.values.length === 1 ? shown(issue.values[0]) : `one of ${issue.values.map(shown).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? `text of at least ${issue.minimum} character` : `at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' ? `text of at most ${issue.maximum} characters` : `at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.pattern === undefined ? issue.message : `text of the form ${issue.pattern}`;
    default:
      return issue.message;
  }
}

const TYPE_FORMS = new Map<string, string>([
  ['string', 'a text'],
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'keys with values'],
  ['record', 'keys with values'],
]);

/** `const: 03` is the number 3 to YAML: the zero would be lost, so numbers are not accepted as text. */
const quoteAdvice = (expected: string, value: unknown): string =>
  expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')
    ? ` (put it in quotes: "${value}")`
    : '';

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));

function valueAt(root: unknown, path: DocumentPath): unknown {
  let value: unknown = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** The keys that a schema knows at a path, through lists, optional parts and every branch of a union. */
function keysAt(schema: Schema, path: DocumentPath): string[] {
  const { def } = (schema as z.ZodType)._zod as unknown as { def: SchemaDefinition };
  const [head, ...rest] = path;
  if (def.type === 'optional' && def.innerType !== undefined) return keysAt(def.innerType, path);
  if (def.type === 'lazy' && def.getter !== undefined) return keysAt(def.getter(), path);
  if (def.type === 'union') return [...new Set((def.options ?? []).flatMap((option) => keysAt(option, path)))];
  if (def.type === 'array' && def.element !== undefined) return head === undefined ? [] : keysAt(def.element, rest);
  if (def.type === 'record' && def.valueType !== undefined)
    return head === undefined ? [] : keysAt(def.valueType, rest);
  if (def.type !== 'object' || def.shape === undefined) return [];
  if (head === undefined) return Object.keys(def.shape);
  const inner = Object.hasOwn(def.shape, head) ? def.shape[head] : undefined;
  return inner === undefined ? [] : keysAt(inner, rest);
}

interface SchemaDefinition {
  type: string;
  innerType?: Schema;
  getter?: () => Schema;
  options?: Schema[];
  element?: Schema;
  valueType?: Schema;
  shape?: Record<string | number, Schema>;
}
