/**
 * Checks a mapping document whole, before the first byte of any input: every problem at once, each with its path, its
 * line and the wanted form.
 *
 * Form first (zod), then meaning, and meaning also for the parts whose form is right while others' is wrong.
 */
import { compilePath } from '../formats/json/path.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { checkCodes, checkCondition, checkFunctions, checkOrigin, checkText, ownTexts } from './check-field.ts';
import { checkTime, checkZone } from './check-time.ts';
import type { CodeLists } from './code-list.ts';
import { columnUses } from './columns.ts';
import { type MappingDocument, type MilestoneFieldSpecs, mappingDocument } from './document.ts';
import { type DocumentParts, documentParts, type FieldParts } from './document-parts.ts';
import { type DocumentPath, type DocumentProblem, formatPath, type PlacedProblem } from './document-problem.ts';
import { longForm, type TextField } from './field-spec.ts';
import { DOCUMENT_PROBLEMS_MAX, FIELDS_MAX } from './limits.ts';
import { didYouMean } from './nearest.ts';
import { readYaml, type YamlText } from './read-yaml.ts';
import { schemaProblems } from './schema-problems.ts';
import { targetFields } from './targets.ts';

/** @param name what the document is filed under, when it is: the name inside must be the same. */
export function checkMapping(
  text: string,
  lists: CodeLists,
  name?: string,
): Result<MappingDocument, DocumentProblem[]> {
  const yaml = readYaml(text);
  if (!yaml.ok) return yaml;
  const checked = checkMappingValue(yaml.value.value, lists, name);
  return withTraps(checked, yaml.value);
}

/** As `checkMapping`, for a document that has left its YAML already (a stored version). */
export function checkMappingValue(
  value: unknown,
  lists: CodeLists,
  name?: string,
): Result<MappingDocument, PlacedProblem[]> {
  const parts = documentParts(value);
  const problems = [...schemaProblems(mappingDocument, value), ...checkMeaning(parts, lists, name)];
  const parsed = mappingDocument.safeParse(value);
  if (problems.length === 0 && parsed.success) return ok(parsed.data);
  return err(problems.slice(0, DOCUMENT_PROBLEMS_MAX));
}

/** Adds path and line to what was found, and what was found in the text itself, in the order of the text. */
export function withTraps<T>(checked: Result<T, PlacedProblem[]>, yaml: YamlText): Result<T, DocumentProblem[]> {
  if (checked.ok && yaml.traps.length === 0) return checked;
  const found = (checked.ok ? [] : checked.error).map(({ at, ...problem }) => ({
    path: formatPath(at),
    ...problem,
    ...yaml.placeOf(at),
  }));
  const line = (problem: DocumentProblem): number => problem.line ?? 0;
  const problems: DocumentProblem[] = [...yaml.traps, ...found];
  return err(problems.sort((left, right) => line(left) - line(right) || (left.column ?? 0) - (right.column ?? 0)));
}

function checkMeaning(parts: DocumentParts, lists: CodeLists, name: string | undefined): PlacedProblem[] {
  return [
    ...checkName(parts.name, name, 'mapping'),
    ...checkCondition(parts.skip, ['skip', 'when']),
    ...(parts.scac === undefined ? [] : checkText(parts.scac, ['scac'], lists)),
    ...(parts.zone === undefined ? [] : checkZone(parts.zone, ['zone'], lists)),
    ...checkFields(parts.fields, ['fields'], lists, parts.hasZone),
    ...(parts.requests ?? []).flatMap(({ when, fields }, index) => [
      ...checkCondition(when, ['requests', index, 'when']),
      ...checkFields(fields, ['requests', index, 'fields'], lists, parts.hasZone),
    ]),
    ...checkRequired(parts),
    ...checkOverlaid(parts),
    ...checkColumns(parts),
    ...checkCount(parts),
  ];
}

/** @param key the document's own key for its name. */
export function checkName(own: unknown, filed: string | undefined, key: string): PlacedProblem[] {
  if (filed === undefined || typeof own !== 'string' || own === filed) return [];
  return [{ at: [key], code: 'name_differs', value: own, message: `The file is called "${filed}".`, wanted: filed }];
}

function checkFields(
  fields: MilestoneFieldSpecs,
  at: DocumentPath,
  lists: CodeLists,
  hasZone: boolean,
): PlacedProblem[] {
  const { time, references = [], stopsequenceNumber, ...texts } = fields;
  const problems = Object.entries(texts).flatMap(([name, field]) =>
    field === undefined
      ? []
      : [...checkText(field, [...at, name], lists), ...checkTargetLimits(field, name, [...at, name])],
  );
  if (stopsequenceNumber !== undefined) {
    const place = [...at, 'stopsequenceNumber'];
    problems.push(...checkOrigin(stopsequenceNumber, place), ...checkFunctions(stopsequenceNumber, place));
    problems.push(...checkCodes(stopsequenceNumber, place, lists));
  }
  if (time !== undefined) {
    problems.push(
      ...checkTime(time, [...at, 'time'], lists, hasZone),
      ...checkUnconditional(time.when, [...at, 'time']),
    );
  }
  references.forEach(({ value }, index) => {
    problems.push(...checkText(value, [...at, 'references', index, 'value'], lists));
  });
  return problems;
}

/** What the document itself provides must fit the target, or every record would fail. */
function checkTargetLimits(field: TextField, name: string, at: DocumentPath): PlacedProblem[] {
  const target = targetFields('milestone').find((each) => each.name === name);
  if (target?.holds !== 'text') return [];
  const tooLong = ownTexts(field, at).filter(({ text }) => text.length > target.charactersMax);
  return [
    ...tooLong.map(({ text, at: place }): PlacedProblem => {
      const wanted = `at most ${target.charactersMax} characters`;
      return { at: place, code: 'value_too_long', value: text, message: `${name} cannot be that long.`, wanted };
    }),
    ...(target.required ? checkUnconditional(longForm(field).when, at) : []),
  ];
}

function checkUnconditional(when: unknown, at: DocumentPath): PlacedProblem[] {
  if (when === undefined) return [];
  const message = 'A required field cannot be left out, so a condition on it would make every other record an error.';
  return [
    { at: [...at, 'when'], code: 'keys_exclude', message, wanted: 'the condition under skip, or under requests' },
  ];
}

/** Each request must have all required fields, its own or shared. */
function checkRequired(parts: DocumentParts): PlacedProblem[] {
  const required = parts.target === undefined ? [] : targetFields(parts.target).filter((field) => field.required);
  const missingIn = ({ names }: FieldParts, at: DocumentPath) =>
    required
      .filter(({ name }) => !names.has(name) && !parts.names.has(name))
      .map(({ name, about }): PlacedProblem => {
        const message = `${name} is required, and nothing fills it. ${about}`;
        return { at: [...at, name], code: 'field_missing', message, wanted: `${name}: <column>, or { const: … }` };
      });
  if (parts.requests === undefined) return missingIn(parts, ['fields']);
  return parts.requests.flatMap((request, index) => missingIn(request, ['requests', index, 'fields']));
}

/** A shared field that every request replaces is never used, and its columns would be demanded of the file all the same. */
function checkOverlaid({ names, requests }: DocumentParts): PlacedProblem[] {
  if (requests === undefined) return [];
  return [...names]
    .filter((name) => requests.every((request) => request.names.has(name)))
    .map((name) => {
      const message = 'Every request has this field of its own, so the shared one is never used.';
      return { at: ['fields', name], code: 'no_effect', message, wanted: 'the field in one place' };
    });
}

/** Without a header the document declares the columns, so a name that is none of them is known to be wrong. */
function checkColumns(parts: DocumentParts): PlacedProblem[] {
  if (parts.source !== undefined && parts.source.format !== 'csv') return checkPaths(parts);
  const columns = parts.source?.columns;
  if (columns === undefined) return [];
  const declared = new Set(columns.map((column) => column.trim()));
  return columnUses(parts)
    .filter(({ column, optional }) => !optional && !declared.has(column.trim()))
    .map(({ column, at }) => ({
      at,
      code: 'column_unknown',
      value: column,
      message: `"${column}" is not among the columns of "source".${didYouMean(column, columns)}`,
      wanted: `one of ${columns.join(', ')}`,
    }));
}

/** In a tree, what a document calls a column is a path. */
const checkPaths = (parts: DocumentParts): PlacedProblem[] =>
  columnUses(parts).flatMap(({ column, at }) => {
    const path = compilePath(column.trim());
    if (path.ok) return [];
    return [
      { at, code: 'path_invalid', value: column, message: `"${column}" is no path into a record.`, wanted: path.error },
    ];
  });

/** Counted as they are read: shared fields once for every request. */
function checkCount({ fields, requests }: DocumentParts): PlacedProblem[] {
  const read = requests === undefined ? [fields] : requests.map((request) => ({ ...fields, ...request.fields }));
  const total = read.reduce((sum, each) => sum + Object.keys(each).length + (each.references?.length ?? 0), 0);
  if (total <= FIELDS_MAX) return [];
  const message = 'The document fills too many fields.';
  return [{ at: ['fields'], code: 'too_many', value: `${total}`, message, wanted: `at most ${FIELDS_MAX}` }];
}
