/**
 * Compiles a field into a function that reads its text from a record.
 *
 * Order: when, origin, text functions, lookup, enrich, default (docs/mappings.md); checked.ts validates the result. The
 * compiled function never throws; problems are added to the record's errors, and the value is then absent.
 */

import { RE2JS } from 're2js';
import { EACH, ELEMENT } from '../../formats/json/path.ts';
import type { Problem } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { trimmed } from '../../kernel/text.ts';
import type { CodeList, CodeLists } from '../document/code-list.ts';
import { type Condition, compileCondition } from '../document/condition.ts';
import {
  captureGroup,
  type Enrich,
  longForm,
  lookupNames,
  type Origin,
  type TextField,
  type TextFunctions,
  type TextObject,
} from '../document/field-spec.ts';
import { PATTERN_CHARACTERS_MAX, WORKING_CHARACTERS_MAX } from '../limits.ts';
import type { Fact, LookedUp, Lookup, LookupAnswer, Lookups } from '../lookups/lookup.ts';
import { describeFault, type FieldFault, type FieldLocation } from './fault.ts';
import { compileOrigin, type IndexOf, originColumns, type ReadText } from './origin.ts';

/*
 * Paths of what is read in the elements of an array, seen from the record: `lines[2].quantity`, in XML
 * `lines/line[3]/@quantity`.
 *
 * `../` leads out of an element, to the one around it. The path is known when a mapping is compiled, the element only
 * when a record is read: until then it is written as `[]` or `[*]`, which is no valid path.
 */

/** How a format writes paths. XML counts elements from 1, as XPath does. */
export type PathStyle = 'json' | 'xml';
const PLACEHOLDER: Record<PathStyle, string> = { json: EACH, xml: '[*]' };
const isXml = (elements: string): boolean => elements.endsWith(PLACEHOLDER.xml);

/** @param within path of the array's parent, '' in the record. @returns the path of its elements: `lines[]`. */
export function elementsOf(within: string, array: string, style: PathStyle): string {
  const path = array.trim();
  const isBracketed = style === 'json' && path.endsWith(EACH);
  return `${pathWithin(within, isBracketed ? path.slice(0, -EACH.length) : path)}${PLACEHOLDER[style]}`;
}

/** @param path inside an element, or in the record if `within` is ''. */
export function pathWithin(within: string, path: string): string {
  if (within === '') return path;
  const inside = path.trim();
  if (inside === ELEMENT) return within;
  if (isXml(within)) return inside.startsWith('/') ? inside : `${within}/${inside}`;
  if (inside.startsWith('../')) return pathWithin(outerOf(within), inside.slice('../'.length));
  return inside.startsWith('[') ? within + inside : `${within}.${inside}`;
}

/** @returns the elements around these: for `lines[].parts[]` it is `lines[]`, '' for the record. */
function outerOf(elements: string): string {
  const end = elements.lastIndexOf(EACH, elements.length - EACH.length - 1);
  return end === -1 ? '' : elements.slice(0, end + EACH.length);
}

/** Adds the element to a problem's path. @param at its index in the array, from 0; of nested arrays one for each. */
export function inElement(elements: string, at: readonly number[], problem: Problem): Problem {
  const written = isXml(elements)
    ? [[elements, `${elements.slice(0, -PLACEHOLDER.xml.length)}[${(at[0] ?? 0) + 1}]`] as const]
    : jsonElements(elements, at);
  const located = (text: string): string =>
    written.reduce((placing, [unknown, element]) => placing.replaceAll(unknown, element), text);
  return { ...problem, path: located(problem.path), message: located(problem.message), fix: located(problem.fix) };
}

/** Innermost first, so that an outer element is found where it is alone. */
function jsonElements(elements: string, at: readonly number[]): (readonly [string, string])[] {
  const parts = elements.split(EACH).slice(0, -1);
  const before = parts.splice(0, parts.length - at.length).map((part) => part + EACH);
  const written = parts.map((_, depth) => {
    const own = parts.slice(0, depth + 1);
    const unknown = own.map((part) => part + EACH);
    const known = own.map((part, index) => `${part}[${at[index]}]`);
    return [[...before, ...unknown].join(''), [...before, ...known].join('')] as const;
  });
  return written.reverse();
}

/*
 * Compiles a pattern of a mapping document into a function that captures one of its groups from a text.
 *
 * The engine is RE2's: no back-references and no look-around, but time proportional to the text for every pattern.
 * JavaScript's own expressions would let one document, or one cell, stop the whole Worker.
 */

/**
 * Largest compiled pattern, in instructions of the engine: repetitions multiply, so that 200 characters can need
 * 25,000. Every letter of a pattern is one, every digit of \d{10} is one. Time is this times the text: some 30 ms at
 * both limits.
 */
export const CAPTURE_INSTRUCTIONS_MAX = 256;

type Capture = (text: string) => string | undefined;

/**
 * @param group counted from 1; 0 is the whole match.
 * @returns a function that never throws and gives undefined if nothing matches or the group took no part in the match;
 * or what is wrong with the pattern, as part of a sentence.
 */
export function compileCapture(pattern: string, group: number): Result<Capture, string> {
  if (pattern === '') return err('the pattern is empty');
  if (pattern.length > PATTERN_CHARACTERS_MAX) {
    return err(`the pattern has ${pattern.length} characters, at most ${PATTERN_CHARACTERS_MAX} are allowed`);
  }
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return compiled;
  const expression = compiled.value;
  const instructions = expression.programSize();
  if (instructions > CAPTURE_INSTRUCTIONS_MAX) {
    return err(
      `the pattern is too costly: with its repetitions it has ${instructions} steps, at most ${CAPTURE_INSTRUCTIONS_MAX} are allowed`,
    );
  }
  if (!Number.isInteger(group) || group < 0 || group > expression.groupCount()) {
    return err(`the pattern has no group ${group}, only ${expression.groupCount()} in parentheses`);
  }
  return ok((text) => {
    if (text.length > WORKING_CHARACTERS_MAX) return undefined;
    const matcher = expression.matcher(text);
    return matcher.find() ? (matcher.group(group) ?? undefined) : undefined;
  });
}

/** The engine's own message, without its prefix: "missing closing ): `(a`". */
function compilePattern(pattern: string): Result<RE2JS, string> {
  try {
    return ok(RE2JS.compile(pattern));
  } catch (error) {
    return err((error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, ''));
  }
}

/*
 * Looks a field's value up among vehicles and locations: the file's text is the key, and the fact found under it is
 * sent.
 *
 * Answers are an input: equal records and equal answers give equal requests.
 */

export function withEnrichment(
  spec: Enrich | undefined,
  read: ReadValue<string>,
  locate: FieldLocation,
  lookUps: Lookups | undefined,
): ReadValue<string> {
  if (spec === undefined) return read;
  const { onMiss = 'reject' } = spec;
  const { of, fact, asks } = wantedOf(spec);
  return (fields, errors) => {
    const key = read(fields, errors);
    if (key === undefined) return undefined;
    const asked = asks(key);
    const answer = lookUps?.answers(asked);
    if (answer === undefined) return refuse({ code: 'look_up_unanswered', value: key, of }, locate, errors);
    const found = answer.outcome === 'found' ? answer.facts[fact] : undefined;
    const outcome: LookedUp['outcome'] = answer.outcome === 'found' && found === undefined ? 'silent' : answer.outcome;
    lookUps?.note?.({ ...asked, outcome, fields: { [locate.target]: fact }, atMs: answer.atMs });
    if (found !== undefined) return found;
    if (onMiss === 'keep') return key;
    return onMiss === 'empty' ? undefined : refuse(faultOf(asked, fact, answer), locate, errors);
  };
}

function wantedOf(spec: Enrich): { of: Lookup['of']; fact: Fact; asks(key: string): Lookup } {
  if ('location' in spec) {
    return { of: 'location', fact: spec.location, asks: (key) => ({ of: 'location', by: 'locationNumber', key }) };
  }
  const { vehicle: fact, by = 'vehicleNumber' } = spec;
  return { of: 'vehicle', fact, asks: (key) => ({ of: 'vehicle', by, key }) };
}

function faultOf({ of, by, key: value }: Lookup, fact: Fact, answer: LookupAnswer): FieldFault {
  switch (answer.outcome) {
    case 'found':
      return { code: 'look_up_silent', value, of, by, fact };
    case 'none':
      return { code: 'look_up_missing', value, of, by };
    case 'several':
      return { code: 'look_up_ambiguous', value, of, by, count: answer.count };
    case 'unavailable':
      return { code: 'look_up_unavailable', value, of, why: answer.why };
  }
}

/*
 * The functions a field can apply to its text, in a fixed order.
 *
 * A closed set: a mapping can use nothing else. Every function is total and leaves an empty text empty.
 */

type TextFunction = (text: string) => string;

/** The order of this list is the order of application (docs/mappings.md). One entry may give several functions. */
const IN_ORDER: readonly ((options: TextFunctions) => TextFunction[])[] = [
  ({ substring }) => (substring === undefined ? [] : [cut(substring.from, substring.length)]),
  ({ replace = [] }) => replace.map((each) => (text) => text.replaceAll(each.find, () => each.with)),
  // Cutting and replacing can leave blanks at the ends; padding comes later, so blanks it adds stay.
  ({ trim = true, substring, replace }) =>
    trim && (substring ?? replace) !== undefined ? [(text) => text.trim()] : [],
  ({ upper = false }) => (upper ? [(text) => text.toUpperCase()] : []),
  ({ lower = false }) => (lower ? [(text) => text.toLowerCase()] : []),
  ({ pad }) => (pad === undefined ? [] : [fill(pad)]),
];

/** @returns the functions a field uses, to be applied in order. */
function textFunctions(options: TextFunctions): TextFunction[] {
  return IN_ORDER.flatMap((compile) => compile(options));
}

/** Characters outside the 16-bit range take two units; only texts with such characters need the slow way. */
const WIDE = /[\ud800-\udfff]/;

/** @param from first character, counted from 1; negative counts from the end. */
function cut(from: number, length = Number.MAX_SAFE_INTEGER): TextFunction {
  return (text) => {
    const characters = WIDE.test(text) ? Array.from(text) : text;
    const start = from > 0 ? from - 1 : Math.max(0, characters.length + from);
    const kept = characters.slice(start, start + length);
    return typeof kept === 'string' ? kept : kept.join('');
  };
}

function fill(pad: { to: number; with: string; side: 'left' | 'right' }): TextFunction {
  return (text) => {
    if (text === '') return '';
    // padStart counts 16-bit units; to a reader, a wide character is one character.
    const to = WIDE.test(text) ? pad.to + text.length - Array.from(text).length : pad.to;
    return pad.side === 'left' ? text.padStart(to, pad.with) : text.padEnd(to, pad.with);
  };
}

/** Similar words named in a message. */
const NEAREST_LISTED_MAX = 3;

/** Undefined: no value, because the cells are empty, the field's `when` does not hold, or an error was added. */
export type ReadValue<Value> = (fields: readonly string[], errors: Problem[]) => Value | undefined;

export interface FieldContext {
  indexOf: IndexOf;
  lists: CodeLists;
  /** The array whose elements are read, as `elementsOf` writes it; '' for the record itself. */
  within: string;
  /** Absent: nothing is looked up, so a field that needs a lookup is in error. */
  lookUps?: Lookups | undefined;
}

/** The columns of a field, seen from the record. */
export function locationOf(
  field: Origin | string,
  target: string,
  { within }: Pick<FieldContext, 'within'>,
): FieldLocation {
  const columns = typeof field === 'string' ? [field] : originColumns(field);
  const isFirst = typeof field !== 'string' && field.firstOf !== undefined;
  return { columns: columns.map((column) => pathWithin(within, column)), target, ...(isFirst ? { isFirst } : {}) };
}

/** @returns the location with those of its columns that are filled: the problem is in one of them. */
export function filledLocations(
  field: Origin,
  locate: FieldLocation,
  { indexOf }: FieldContext,
): (fields: readonly string[]) => FieldLocation {
  const indexes = originColumns(field).map(indexOf);
  return (fields) => ({
    ...locate,
    filled: locate.columns.filter((_, at) => trimmed(fields[indexes[at] ?? -1] ?? '') !== ''),
  });
}

export function compileText(field: TextField, locate: FieldLocation, context: FieldContext): ReadValue<string> {
  const spec = longForm(field);
  return onlyWhen(spec.when, compileUnconditionalText(spec, locate, context), context);
}

/** The text of a field, ignoring its `when`. */
export function compileUnconditionalText(
  field: CodedText,
  locate: FieldLocation,
  context: FieldContext,
): ReadValue<string> {
  const working = compileWorkingText(field, locate, context);
  const coded = compileLookup(field, working, filledLocations(field, locate, context), context.lists);
  return withDefault(field.default, withEnrichment(field.enrich, coded, locate, context.lookUps));
}

type CodedText = Origin & TextFunctions & Pick<TextObject, 'lookup' | 'reverse' | 'onMiss' | 'enrich' | 'default'>;

/** The text of a field before any lookup, default, cast or condition. */
export function compileWorkingText(
  field: Origin & TextFunctions,
  locate: FieldLocation,
  context: FieldContext,
): ReadValue<string> {
  const read = withCapture(field.capture, compileOrigin(field, field.trim ?? true, context.indexOf), locate);
  const steps = textFunctions(field);
  return (fields, errors) => {
    let text = read(fields, errors);
    if (text === undefined) return undefined;
    if (text.length > WORKING_CHARACTERS_MAX) return refuse(tooLong(text), locate, errors);
    for (const step of steps) {
      text = step(text);
      if (text.length > WORKING_CHARACTERS_MAX) return refuse(tooLong(text), locate, errors);
    }
    return text === '' ? undefined : text;
  };
}

/** The part of the text that a pattern finds; an empty text has no part. */
function withCapture(capture: TextFunctions['capture'], read: ReadText, locate: FieldLocation): ReadValue<string> {
  if (capture === undefined) return read;
  const { pattern, onMiss = 'reject' } = capture;
  const compiled = compileCapture(pattern, captureGroup(capture));
  if (!compiled.ok) throw new Error(`bad pattern "${pattern}": the document was not checked`);
  const find = compiled.value;
  return (fields, errors) => {
    const text = read(fields);
    if (text === '') return undefined;
    if (text.length > WORKING_CHARACTERS_MAX) return refuse(tooLong(text), locate, errors);
    const found = find(text);
    if (found !== undefined) return found.trim();
    return onMiss === 'empty' ? undefined : refuse({ code: 'pattern_not_found', value: text, pattern }, locate, errors);
  };
}

const tooLong = (value: string): FieldFault => ({
  code: 'value_too_long',
  value,
  charactersMax: WORKING_CHARACTERS_MAX,
});

export function refuse(fault: FieldFault, locate: FieldLocation, errors: Problem[]): undefined {
  errors.push(describeFault(fault, locate));
  return undefined;
}

function compileLookup(
  { lookup, reverse = false, onMiss = 'reject' }: CodedText,
  read: ReadValue<string>,
  placeIn: (fields: readonly string[]) => FieldLocation,
  known: CodeLists,
): ReadValue<string> {
  if (lookup === undefined) return read;
  const lists = lookupNames(lookup).map((name) => {
    const list = known.get(name);
    if (list === undefined) throw new Error(`code list "${name}" was not given: the document was not checked`);
    return list;
  });
  return (fields, errors) => {
    const word = read(fields, errors);
    if (word === undefined) return undefined;
    for (const list of lists) {
      const code = reverse ? list.findWord(word) : list.find(word);
      if (code !== undefined) return code;
    }
    if (onMiss === 'keep') return word;
    if (onMiss === 'empty') return undefined;
    return refuse(unknownCode(word, lists, reverse), placeIn(fields), errors);
  };
}

function unknownCode(value: string, lists: readonly CodeList[], reverse: boolean): FieldFault {
  const near = lists.flatMap((list) => (reverse ? list.nearestCodes(value) : list.nearest(value)));
  return {
    code: 'code_unknown',
    value,
    lists: lists.map(({ name }) => name),
    nearest: near.slice(0, NEAREST_LISTED_MAX),
    known: near.length > 0 ? [] : (lists[0]?.first(reverse, NEAREST_LISTED_MAX) ?? []),
  };
}

/** A missing value may also be one in error: the default then changes nothing, because the error blocks the request. */
function withDefault(text: string | undefined, read: ReadValue<string>): ReadValue<string> {
  if (text === undefined) return read;
  return (fields, errors) => read(fields, errors) ?? text;
}

/** Outermost: a field whose condition does not hold is not read at all, so it has no errors and no default either. */
export function onlyWhen<Value>(
  when: Condition | undefined,
  read: ReadValue<Value>,
  context: FieldContext,
): ReadValue<Value> {
  if (when === undefined) return read;
  const applies = compileCondition(when, context.indexOf);
  return (fields, errors) => (applies(fields) ? read(fields, errors) : undefined);
}
