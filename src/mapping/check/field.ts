/**
 * Checks one field beyond its form: keys that exclude each other, lists that exist, constants that fit.
 *
 * Each function returns every problem it finds, with its location in the document.
 */

import type { CodeList, CodeLists } from '../document/code-list.ts';
import { type Condition, conditionFault, innerConditions } from '../document/condition.ts';
import {
  captureGroup,
  longForm,
  lookupNames,
  ORIGINS,
  type Origin,
  type TextField,
  type TextFunctions,
  type TextObject,
} from '../document/field-spec.ts';
import { didYouMean } from '../document/nearest.ts';
import type { DocumentPath, LocatedProblem } from '../document/problems.ts';
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
    problems.push(
      noEffect([...at, 'optional'], '"optional" speaks of columns, and a constant has none', 'no such key'),
    );
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
  const problems = lookupNames(spec.lookup).flatMap((name, index) => {
    const place = typeof spec.lookup === 'string' ? [...at, 'lookup'] : [...at, 'lookup', index];
    const list = lists.get(name);
    if (list === undefined) return [unknownList(name, place, lists)];
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

const unknownList = (name: string, at: DocumentPath, lists: CodeLists): LocatedProblem => ({
  at,
  code: 'code_list_unknown',
  value: name,
  message: `There is no code list "${name}".${didYouMean(name, lists.keys())}`,
  wanted: 'the name of a file in mappings/code-lists, without .yaml',
});

/** In reverse, a code must lead to one word. */
function checkReverse(list: CodeList, at: DocumentPath): LocatedProblem[] {
  const [code] = list.ambiguousCodes();
  if (code === undefined) return [];
  const message = `Several words of "${list.name}" lead to "${code}", so it cannot be translated back.`;
  const wanted = `reverse: { "${code}": <word> } in the code list`;
  return [{ at, code: 'code_twice', value: code, message, wanted }];
}

const noEffect = (at: DocumentPath, why: string, wanted: string): LocatedProblem => ({
  at,
  code: 'no_effect',
  message: `${why}.`,
  wanted,
});

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
