/** Checks times and zones in a document: readable patterns, zones that exist, and a zone wherever one is needed. */
import { quoteValue } from '../../kernel/problem.ts';
import { isZone } from '../../kernel/zones.ts';
import type { CodeLists } from '../document/code-list.ts';
import {
  longForm,
  lookupNames,
  namedForm,
  ownPatterns,
  patternsOf,
  type TextField,
  type TimeField,
} from '../document/field-spec.ts';
import type { DocumentPath, LocatedProblem } from '../document/problems.ts';
import { compileDateTimePattern, describePatternProblem, readsMoment } from '../values/date-time-pattern.ts';
import { checkFunctions, checkOrigin, checkText, ownTexts } from './field.ts';

/** @param hasZone whether the document names a zone for all its times, or none is needed. */
export function checkTime(field: TimeField, at: DocumentPath, lists: CodeLists, hasZone: boolean): LocatedProblem[] {
  const problems = [
    ...checkOrigin(field, at),
    ...checkFunctions(field, at),
    ...checkPatterns(field.parse, [...at, 'parse'], lists),
    ...(field.zone === undefined ? [] : checkZone(field.zone, [...at, 'zone'], lists)),
  ];
  if (field.zone === undefined && !hasZone && !patternsOf(field.parse, lists).some(readsOffset)) {
    problems.push({
      at,
      code: 'zone_missing',
      message: 'The time is local, and nothing says in which time zone.',
      wanted: 'zone: { from: column }, zone: { const: America/Chicago }, or a pattern with the offset (XXX)',
    });
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

/** Whether a pattern can read an offset from UTC: then not every record needs a zone. */
export function readsOffset(pattern: string): boolean {
  return pattern === 'iso' || /[XZ]/.test(pattern.replace(/'[^']*'/g, ''));
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
