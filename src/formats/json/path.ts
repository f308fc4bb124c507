/**
 * Paths into a JSON value: `stop.city`, `stops[0].city`, `["odd.name"].list`. Items count from 0.
 *
 * Compiled once, then followed without looking at the text again. Arrays whose elements are read one by one have paths
 * of their own, `shipment[].package[].activity[]`, and paths of their elements can lead out of them: `../number`. Pure
 * and total.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { numberText } from './characters.ts';

/**
 * A value as it is written. `text` of a string is its content; of a number the exact digits of the file (`1.10`,
 * `1e400`), so that nothing is rounded; else `true`, `false` or `null`. `values`: in the order of their names.
 */
export type JsonValue =
  | { kind: 'object'; names: MemberNames; values: readonly JsonValue[] }
  | { kind: 'array'; items: readonly JsonValue[] }
  | { kind: 'string' | 'number' | 'boolean' | 'null'; text: string };

export type JsonKind = JsonValue['kind'];

/**
 * The names of an object's members in their order, each once. The objects of a file are much alike, and those that have
 * the same names share them: a Map for each object took a third of the time of reading it.
 */
export class MemberNames {
  /** As they are written in the file, between their quotes. */
  readonly written: string[] = [];
  private readonly names: string[] = [];
  /** A Map: `__proto__` is a name like any other. */
  private readonly indexes = new Map<string, number>();

  get count(): number {
    return this.names.length;
  }

  nameAt(index: number): string {
    return this.names[index] ?? '';
  }

  /** @returns undefined if there is no such member. */
  indexOf(name: string): number | undefined {
    return this.indexes.get(name);
  }

  /** @returns false if the name is there already. */
  add(name: string, written: string): boolean {
    if (this.indexes.has(name)) return false;
    this.indexes.set(name, this.names.length);
    this.names.push(name);
    this.written.push(written);
    return true;
  }

  /** The first of them, as many as `count` says. */
  first(count: number): MemberNames {
    const first = new MemberNames();
    for (let index = 0; index < count; index++) first.add(this.nameAt(index), this.written[index] ?? '');
    return first;
  }
}

/** A text names a member, a number an item. */
export type JsonPath = readonly (string | number)[];

/** The path to the value itself, where a path inside the elements of an array is expected. */
export const ELEMENT = '.';

/** Longest path, in characters. Ours: ten long names fit. */
const PATH_CHARACTERS_MAX = 500;

/**
 * One step: a bare name, an item or a quoted name. Every bare name but the first has a dot before it; `*` only in
 * quotes.
 */
const STEP = /(\.?)([^.*[\]"\s](?:[^.*[\]"]*[^.*[\]"\s])?)|\[(0|[1-9]\d{0,8})\]|\[("(?:[^"\\]|\\.)*")\]/y;
const BARE_NAME = /^[^.*[\]"\s](?:[^.*[\]"]*[^.*[\]"\s])?$/;

const WANTED = 'member names joined by dots, such as stop.city, stops[0].city or ["odd.name"].list';

/** @returns the expected form when the text is not a path; an empty text is not one. */
export function compilePath(text: string): Result<JsonPath, string> {
  const levels = stepsOf(text, WANTED);
  if (!levels.ok) return levels;
  const [path = [], ...others] = levels.value;
  return others.length === 0 ? ok(path) : err(WANTED);
}

/** What follows an array whose elements are read one by one. */
export const EACH = '[]';
const WANTED_LIST = 'the path of an array, such as stops, or of arrays in arrays: shipment[].package[].activity[]';

/** @returns the path of each array, the first from the record on, each further one inside an element of the one before. */
export function compileListPath(text: string): Result<readonly JsonPath[], string> {
  const levels = stepsOf(text, WANTED_LIST);
  if (!levels.ok) return levels;
  const whole = levels.value.at(-1)?.length === 0 ? levels.value.slice(0, -1) : levels.value; // the last brackets may be left out
  return whole.length > 0 && whole.every(({ length }) => length > 0) ? ok(whole) : err(WANTED_LIST);
}

/** A path inside an element. @property ups how many elements further out it starts, the record being the last. */
interface ElementPath {
  ups: number;
  path: JsonPath;
}

const UP = '../';

export function compileElementPath(text: string): Result<ElementPath, string> {
  if (text === ELEMENT) return ok({ ups: 0, path: [] });
  let ups = 0;
  while (text.startsWith(UP, ups * UP.length)) ups += 1;
  const path = compilePath(text.slice(ups * UP.length));
  return path.ok ? ok({ ups, path: path.value }) : path;
}

/** @returns the steps between the brackets of arrays; one list of steps if there are none. */
function stepsOf(text: string, wanted: string): Result<(string | number)[][], string> {
  if (text.length > PATH_CHARACTERS_MAX) return err(`a path of at most ${PATH_CHARACTERS_MAX} characters`);
  if (text === '') return err(wanted);
  let path: (string | number)[] = [];
  const levels = [path];
  for (let at = 0; at < text.length; ) {
    if (text.startsWith(EACH, at)) {
      path = [];
      levels.push(path);
      at += EACH.length;
      continue;
    }
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    if (match === null) return err(wanted);
    const [, dot, bare, item, quoted] = match;
    if (bare !== undefined && (dot === '') !== (at === 0)) return err(wanted);
    const step = bare ?? (item === undefined ? unquote(quoted ?? '') : Number(item));
    if (step === null) return err(wanted);
    path.push(step);
    at = STEP.lastIndex;
  }
  return ok(levels);
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
    return null; // an escape that JSON does not have
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

/**
 * @returns undefined if there is nothing, null, or an object or array; `lookUp` tells these apart. Exponents are
 * written out.
 */
export function textAt(value: JsonValue, path: JsonPath): string | undefined {
  const found = valueAt(value, path);
  if (found === undefined || found.kind === 'object' || found.kind === 'array' || found.kind === 'null')
    return undefined;
  return found.kind === 'number' ? numberText(found.text) : found.text;
}

/** A non-empty array where a path continues by name: its content would be skipped. */
interface ArrayInTheWay {
  path: JsonPath;
  items: number;
}

/** @returns none if there is nothing or null; a single value counts as a list of one, as some exports write it. */
export function itemsAt(value: JsonValue, path: JsonPath): readonly JsonValue[] | ArrayInTheWay {
  let found: JsonValue | undefined = value;
  for (const [depth, step] of path.entries()) {
    if (found.kind === 'array' && typeof step === 'string' && found.items.length > 0) {
      return { path: path.slice(0, depth), items: found.items.length };
    }
    found = stepInto(found, step);
    if (found === undefined) return [];
  }
  if (found.kind === 'null') return [];
  return found.kind === 'array' ? found.items : [found];
}

/** What is found at the end of a path, for messages: `reached` is the longest part of the path that exists. */
type LookedUp =
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

function memberOf({ names, values }: JsonValue & { kind: 'object' }, name: string): JsonValue | undefined {
  const index = names.indexOf(name);
  return index === undefined ? undefined : values[index];
}

function stepInto(value: JsonValue, step: string | number): JsonValue | undefined {
  if (typeof step === 'string') return value.kind === 'object' ? memberOf(value, step) : undefined;
  return value.kind === 'array' ? value.items[step] : undefined;
}
