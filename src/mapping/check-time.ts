/** Checks of times and zones in a document: patterns that can be read, zones that exist, and a zone wherever one is needed. */
import { quoteValue } from '../kernel/problem.ts';
import { isZone } from '../kernel/zones.ts';
import { checkFunctions, checkOrigin, checkText, ownTexts } from './check-field.ts';
import type { CodeLists } from './code-list.ts';
import { compileDateTimePattern } from './date-time-pattern.ts';
import { describePatternProblem } from './date-time-problems.ts';
import { type DocumentPath, formatPath, type PlacedProblem } from './document-problem.ts';
import { longForm, lookupNames, patternsOf, type TextField, type TimeField } from './field-spec.ts';

/** @param hasZone whether the document names a zone for all its times, or none is needed. */
export function checkTime(field: TimeField, at: DocumentPath, lists: CodeLists, hasZone: boolean): PlacedProblem[] {
  const patterns = patternsOf(field.parse);
  const problems = [
    ...checkOrigin(field, at),
    ...checkFunctions(field, at),
    ...patterns.flatMap((pattern, index) =>
      checkPattern(pattern, typeof field.parse === 'string' ? [...at, 'parse'] : [...at, 'parse', index]),
    ),
    ...(field.zone === undefined ? [] : checkZone(field.zone, [...at, 'zone'], lists)),
  ];
  if (field.zone === undefined && !hasZone && !patterns.some(readsOffset)) {
    problems.push({
      at,
      code: 'zone_missing',
      message: 'The time is local, and nothing says in which time zone.',
      wanted: 'zone: { from: column }, zone: { const: America/Chicago }, or a pattern with the offset (XXX)',
    });
  }
  return problems;
}

function checkPattern(pattern: string, at: DocumentPath): PlacedProblem[] {
  const compiled = compileDateTimePattern(pattern);
  if (compiled.ok) return [];
  return compiled.error.map((problem) => {
    const { message, fix } = describePatternProblem(problem, pattern, formatPath(at));
    return { at, code: 'pattern_invalid', value: pattern, message, wanted: fix };
  });
}

/** Whether a pattern can read an offset from UTC: then a zone is not needed for every record. */
export function readsOffset(pattern: string): boolean {
  return pattern === 'iso' || /[XZ]/.test(pattern.replace(/'[^']*'/g, ''));
}

export function checkZone(field: TextField, at: DocumentPath, lists: CodeLists): PlacedProblem[] {
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

/** A list used for zones must lead to zones. */
function checkZoneList(field: TextField, at: DocumentPath, lists: CodeLists): PlacedProblem[] {
  const { lookup, reverse } = longForm(field);
  const codes = lookupNames(lookup).flatMap((name) => {
    const { document } = lists.get(name) ?? {};
    return reverse === true ? Object.keys(document?.codes ?? {}) : Object.values(document?.codes ?? {});
  });
  const wrong = codes.find((code) => !isZone(code));
  return wrong === undefined ? [] : [unknownZone(wrong, [...at, 'lookup'])];
}

const unknownZone = (zone: string, at: DocumentPath): PlacedProblem => ({
  at,
  code: 'zone_unknown',
  value: zone,
  message: `"${quoteValue(zone)}" is not a time zone.`,
  wanted: 'an IANA name (America/Chicago) or an offset (-06:00)',
});
