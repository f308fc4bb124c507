/**
 * Checks one field beyond its form: keys that exclude each other, lists and zones that exist, constants that fit.
 *
 * Each function returns every problem it finds, with its location in the document.
 */

import { quoteValue } from '../../kernel/problem.ts';
import { isZone } from '../../kernel/zones.ts';
import type { CodeList, CodeLists } from '../document/code-list.ts';
import { type Condition, conditionFault, innerConditions } from '../document/condition.ts';
import {
  captureGroup,
  longForm,
  lookupNames,
  namedForm,
  ORIGINS,
  type Origin,
  ownPatterns,
  patternsOf,
  type TextField,
  type TextFunctions,
  type TextObject,
  type TimeField,
} from '../document/field-spec.ts';
import { didYouMean } from '../document/nearest.ts';
import { type DocumentPath, type LocatedProblem, noEffect } from '../document/problems.ts';
import {
  compileDateTimePattern,
  describePatternProblem,
  readsMoment,
  readsOffset,
} from '../values/date-time-pattern.ts';
import { parseTemplate } from '../values/origin.ts';
import { compileCapture } from '../values/text.ts';

export function checkText(field: TextField, at: DocumentPath, lists: CodeLists): LocatedProblem[] {
  const spec = longForm(field);
  return [...checkOrigin(spec, at), ...checkFunctions(spec, at), ...checkCodes(spec, at, lists)];
}

export function checkOrigin(origin: Origin, at: DocumentPath): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const given = ORIGINS.filter((key) => origin[key] !== undefined);
  if (given.length !== 1) {
    const message =
      given.length === 0
        ? 'The field does not say where its value comes from.'
        : `"${given.join('" and "')}" exclude each other.`;
    problems.push({ at, code: 'origin_invalid', message, wanted: `exactly one of ${ORIGINS.join(', ')}` });
  }
  const template = origin.template === undefined ? undefined : parseTemplate(origin.template);
  if (template?.ok === false) {
    const message = `The template has ${template.error}.`;
    const wanted = 'text with columns in braces: "{Load #}-{Stop}"';
    problems.push({ at: [...at, 'template'], code: 'template_invalid', value: origin.template ?? '', message, wanted });
  }
  if (origin.join !== undefined && !Array.isArray(origin.from)) {
    problems.push(noEffect([...at, 'join'], '"join" joins the parts of "from"', 'from: [column, column]'));
  }
  if (origin.optional !== undefined && origin.const !== undefined) {
    problems.push(noEffect([...at, 'optional'], '"optional" speaks of columns, and a constant has none'));
  }
  return [...problems, ...checkCondition(origin.when, [...at, 'when'])];
}

export function checkFunctions(functions: TextFunctions, at: DocumentPath): LocatedProblem[] {
  const problems = checkCapture(functions.capture, [...at, 'capture']);
  if (functions.upper !== true || functions.lower !== true) return problems;
  const message = '"upper" and "lower" exclude each other.';
  return [...problems, { at: [...at, 'lower'], code: 'keys_exclude', message, wanted: 'one of upper, lower' }];
}

function checkCapture(capture: TextFunctions['capture'], at: DocumentPath): LocatedProblem[] {
  if (capture === undefined) return [];
  const compiled = compileCapture(capture.pattern, captureGroup(capture));
  if (compiled.ok) return [];
  const message = `The regular expression cannot be used: ${compiled.error}.`;
  const wanted = 'RE2 syntax with parentheses around the part that is kept: "PRO[ :]*([0-9]+)"';
  return [{ at: [...at, 'pattern'], code: 'pattern_invalid', value: capture.pattern, message, wanted }];
}

export function checkCodes(
  spec: Pick<TextObject, 'lookup' | 'reverse' | 'onMiss' | 'default' | 'const'>,
  at: DocumentPath,
  lists: CodeLists,
): LocatedProblem[] {
  const problems = lookupNames(spec.lookup).flatMap((name, index): LocatedProblem[] => {
    const place = typeof spec.lookup === 'string' ? [...at, 'lookup'] : [...at, 'lookup', index];
    const list = lists.get(name);
    if (list === undefined) {
      const message = `There is no code list "${name}".${didYouMean(name, lists.keys())}`;
      const wanted = 'the name of a file in mappings/code-lists, without .yaml';
      return [{ at: place, code: 'code_list_unknown', value: name, message, wanted }];
    }
    return spec.reverse === true ? checkReverse(list, place) : [];
  });
  if (spec.lookup === undefined) {
    for (const key of ['onMiss', 'reverse'] as const) {
      if (spec[key] === undefined) continue;
      problems.push(noEffect([...at, key], `"${key}" speaks of a lookup, and there is none`, 'lookup: <code list>'));
    }
  }
  if (spec.default !== undefined && spec.const !== undefined) {
    problems.push(noEffect([...at, 'default'], 'A constant is never empty, so "default" is never used', 'const alone'));
  }
  return problems;
}

/** In reverse, a code must lead to one word. */
function checkReverse(list: CodeList, at: DocumentPath): LocatedProblem[] {
  const [code] = list.ambiguousCodes();
  if (code === undefined) return [];
  const message = `Several words of "${list.name}" lead to "${code}", so it cannot be translated back.`;
  const wanted = `reverse: { "${code}": <word> } in the code list`;
  return [{ at, code: 'code_twice', value: code, message, wanted }];
}

/** Depth counts from 1. */
export function checkCondition(of: Condition | undefined, at: DocumentPath, depth = 1): LocatedProblem[] {
  if (of === undefined) return [];
  const fault = conditionFault(of, depth);
  if (fault !== undefined) {
    const wanted =
      '{ field: column, in | notIn | equals | empty: … }, or { all | any: [conditions] }, or { not: condition }';
    return [{ at, code: 'condition_invalid', message: `The condition cannot be asked: ${fault}.`, wanted }];
  }
  return innerConditions(of).flatMap(({ path, condition }) => checkCondition(condition, [...at, ...path], depth + 1));
}

/** The texts that a document itself provides for a field, with their locations. */
export function ownTexts(field: TextField, at: DocumentPath): { text: string; at: DocumentPath }[] {
  const spec = longForm(field);
  // A constant that is looked up is a partner's word, not what is sent.
  const constant = spec.lookup === undefined ? spec.const : undefined;
  return [
    ...(constant === undefined ? [] : [{ text: constant, at: [...at, 'const'] }]),
    ...(spec.default === undefined ? [] : [{ text: spec.default, at: [...at, 'default'] }]),
  ];
}

/* Times and zones: readable patterns, zones that exist, and a zone wherever one is needed. */

/** @param hasZone whether the document names a zone for all its times, or none is needed. */
export function checkTime(field: TimeField, at: DocumentPath, lists: CodeLists, hasZone: boolean): LocatedProblem[] {
  const problems = [
    ...checkOrigin(field, at),
    ...checkFunctions(field, at),
    ...checkPatterns(field.parse, [...at, 'parse'], lists),
    ...(field.zone === undefined ? [] : checkZone(field.zone, [...at, 'zone'], lists)),
  ];
  if (field.zone === undefined && !hasZone && !patternsOf(field.parse, lists).some(readsOffset)) {
    const message = 'The time is local, and nothing says in which time zone.';
    const wanted = 'zone: { from: column }, zone: { const: America/Chicago }, or a pattern with the offset (XXX)';
    problems.push({ at, code: 'zone_missing', message, wanted });
  }
  return problems;
}

function checkPatterns(parse: TimeField['parse'], at: DocumentPath, lists: CodeLists): LocatedProblem[] {
  const form = namedForm(parse);
  const own = ownPatterns(parse).flatMap((pattern, index) => {
    if (form !== undefined) return checkPattern(pattern, [...at, 'default']);
    return checkPattern(pattern, typeof parse === 'string' ? at : [...at, index]);
  });
  if (form === undefined) return own;
  const place = [...at, 'lookup'];
  return [...own, ...patternsOf(parse, lists).flatMap((pattern) => checkNamedPattern(pattern, place))].filter(
    (problem, index, all) => all.findIndex(({ value }) => value === problem.value) === index,
  );
}

/** Whether a time is a day or a moment must not depend on the record. */
function checkNamedPattern(pattern: string, at: DocumentPath): LocatedProblem[] {
  if (!readsMoment(pattern)) return checkPattern(pattern, at);
  const message = `"${pattern}" counts seconds; a code list of forms leads to dates and times that are written out.`;
  return [{ at, code: 'pattern_invalid', value: pattern, message, wanted: 'a pattern such as yyyyMMddHHmm' }];
}

function checkPattern(pattern: string, at: DocumentPath): LocatedProblem[] {
  const compiled = compileDateTimePattern(pattern);
  if (compiled.ok) return [];
  return compiled.error.map((problem) => {
    const { message, fix } = describePatternProblem(problem);
    return { at, code: 'pattern_invalid', value: pattern, message, wanted: fix };
  });
}

export function checkZone(field: TextField, at: DocumentPath, lists: CodeLists): LocatedProblem[] {
  if (typeof field === 'string' && field.includes('/') && isZone(field)) {
    const message = `"${field}" is a time zone, but a plain text here names a column.`;
    return [{ at, code: 'zone_unknown', value: field, message, wanted: `{ const: ${field} }` }];
  }
  const own = ownTexts(field, at).filter(({ text }) => !isZone(text));
  return [
    ...checkText(field, at, lists),
    ...own.map(({ text, at: place }) => unknownZone(text, place)),
    ...checkZoneList(field, at, lists),
  ];
}

/** A list used for zones must have zones as codes. */
function checkZoneList(field: TextField, at: DocumentPath, lists: CodeLists): LocatedProblem[] {
  const { lookup, reverse } = longForm(field);
  const codes = lookupNames(lookup).flatMap((name) => {
    const { document } = lists.get(name) ?? {};
    return reverse === true ? Object.keys(document?.codes ?? {}) : Object.values(document?.codes ?? {});
  });
  const wrong = codes.find((code) => !isZone(code));
  return wrong === undefined ? [] : [unknownZone(wrong, [...at, 'lookup'])];
}

const unknownZone = (zone: string, at: DocumentPath): LocatedProblem => ({
  at,
  code: 'zone_unknown',
  value: zone,
  message: `"${quoteValue(zone)}" is not a time zone.`,
  wanted: 'an IANA name (America/Chicago) or an offset (-06:00)',
});
