/**
 * Paths into a JSON value: `stop.city`, `stops[0].city`, `["odd.name"].list`. Items count from 0.
 *
 * Compiled once, then followed without looking at the text again. No wildcards: `itemsAt` gives all items of an array.
 * Pure and total.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { JsonKind, JsonValue } from './record.ts';

/** A text names a member, a number an item. */
export type JsonPath = readonly (string | number)[];

/** What stands for the value itself, where a path is asked for inside the elements of an array. */
export const ELEMENT = '.';

/** Longest path, in characters. Ours: ten long names fit. */
const PATH_CHARACTERS_MAX = 500;

/** One step: a bare name, an item or a quoted name. A dot stands before every bare name but the first; `*` only in quotes. */
const STEP = /(\.?)([^.*[\]"\s](?:[^.*[\]"]*[^.*[\]"\s])?)|\[(0|[1-9]\d{0,8})\]|\[("(?:[^"\\]|\\.)*")\]/y;
const BARE_NAME = /^[^.*[\]"\s](?:[^.*[\]"]*[^.*[\]"\s])?$/;

const WANTED = 'member names joined by dots, such as stop.city, stops[0].city or ["odd.name"].list';

/** @returns the wanted form when the text is no path; an empty text is none. */
export function compilePath(text: string): Result<JsonPath, string> {
  if (text.length > PATH_CHARACTERS_MAX) return err(`a path of at most ${PATH_CHARACTERS_MAX} characters`);
  if (text === '') return err(WANTED);
  const path: (string | number)[] = [];
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    if (match === null) return err(WANTED);
    const [, dot, bare, item, quoted] = match;
    if (bare !== undefined && (dot === '') !== (at === 0)) return err(WANTED);
    const step = bare ?? (item === undefined ? unquote(quoted ?? '') : Number(item));
    if (step === null) return err(WANTED);
    path.push(step);
  }
  return ok(path);
}

/** The path to the array of records: names only; empty when the document itself is the array. */
export function compileRecordsPath(text: string): Result<readonly string[], string> {
  if (text === '') return ok([]);
  const path = compilePath(text);
  if (!path.ok) return path;
  const names = path.value.filter((step) => typeof step === 'string');
  return names.length === path.value.length
    ? ok(names)
    : err('member names only: the records are all items of an array');
}

function unquote(quoted: string): string | null {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null; // an escape that JSON does not know
  }
}

/** The path as `compilePath` reads it; '' for the value itself. */
export function pathText(path: JsonPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (BARE_NAME.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** @returns undefined when a member or an item on the path is missing. */
export function valueAt(value: JsonValue, path: JsonPath): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    found = stepInto(found, step);
    if (found === undefined) return undefined;
  }
  return found;
}

/** @returns undefined where there is nothing, null, or an object or array; `lookUp` tells these apart. */
export function textAt(value: JsonValue, path: JsonPath): string | undefined {
  const found = valueAt(value, path);
  if (found === undefined || found.kind === 'object' || found.kind === 'array' || found.kind === 'null')
    return undefined;
  return found.text;
}

/** @returns none where there is nothing or null; a value that stands alone is the one item, as some exports write it. */
export function itemsAt(value: JsonValue, path: JsonPath): readonly JsonValue[] {
  const found = valueAt(value, path);
  if (found === undefined || found.kind === 'null') return [];
  return found.kind === 'array' ? found.items : [found];
}

/** What stands at the end of a path, for messages: `reached` is the longest part of the path that exists. */
export type LookedUp =
  | { found: Exclude<JsonKind, 'object' | 'array' | 'null'>; text: string }
  | { found: 'object' | 'array' | 'null' }
  | { found: 'missing'; reached: JsonPath };

export function lookUp(value: JsonValue, path: JsonPath): LookedUp {
  let found = value;
  for (const [depth, step] of path.entries()) {
    const next = stepInto(found, step);
    if (next === undefined) return { found: 'missing', reached: path.slice(0, depth) };
    found = next;
  }
  switch (found.kind) {
    case 'object':
    case 'array':
    case 'null':
      return { found: found.kind };
    default:
      return { found: found.kind, text: found.text };
  }
}

function stepInto(value: JsonValue, step: string | number): JsonValue | undefined {
  if (typeof step === 'string') return value.kind === 'object' ? value.members.get(step) : undefined;
  return value.kind === 'array' ? value.items[step] : undefined;
}
