/**
 * Validates a whole mapping document before any input is read: every problem at once, each with its path, its line and
 * the wanted form.
 *
 * Form first (zod), then meaning; the meaning of well-formed parts is checked even if others are not.
 */

import { err, type Result } from '../../kernel/result.ts';
import type { CodeLists } from '../document/code-list.ts';
import { type MappingDocument, mappingDocument } from '../document/document.ts';
import { type DocumentParts, documentParts, type Leaf, leavesOf } from '../document/document-parts.ts';
import { type CoordinateField, longForm, type NumberKeys } from '../document/field-spec.ts';
import {
  type DocumentPath,
  type DocumentProblem,
  formatPath,
  type LocatedProblem,
  readForm,
} from '../document/problems.ts';
import { type Bases, expanded, readYaml, withoutUnread, type YamlText } from '../document/read-yaml.ts';
import { isOrderKind, kindsWith } from '../document/targets.ts';
import { DOCUMENT_PROBLEMS_MAX } from '../limits.ts';
import { enrichesOf } from '../lookups/enrichment.ts';
import { dimensionOf, readUnit, UNITS } from '../values/units.ts';
import { checkColumns, misreadConditions, rivalLoops, unorderedKinds } from './columns.ts';
import { checkCodes, checkCondition, checkFunctions, checkOrigin, checkText, checkTime, checkZone } from './field.ts';
import { checkChanges, checkOrders } from './order.ts';
import { checkPlans } from './plans.ts';

/* Checks of delivery rules: a rule that can never matter is a misunderstanding. */

function checkDelivery({ deliveryKeys, plans }: DocumentParts): LocatedProblem[] {
  const kinds = plans.map(({ target }) => target);
  if (kinds.length === 0 || kinds.includes(undefined)) return []; // its kind is not known yet
  const naming = kindsWith('references');
  const areOrders = kinds.every((kind) => kind !== undefined && isOrderKind(kind));
  return deliveryKeys.flatMap((key): LocatedProblem[] => {
    const problem = { at: ['delivery', key], code: 'no_effect', value: key } as const;
    if (areOrders) {
      const message = 'Orders have rules of their own: one that is not clear is looked up, never sent again by itself.';
      return [{ ...problem, message, wanted: 'no such key, or a target that is an event' }];
    }
    if (key !== 'requestKey' || kinds.some((kind) => kind !== undefined && naming.includes(kind))) return [];
    const message = 'Nothing this document makes has references.';
    return [{ ...problem, message, wanted: `one of ${naming.join(', ')} as target` }];
  });
}

/* Checks of lookup rules for the whole document: useful only if something is looked up. */

function checkEnrichment(parts: DocumentParts): LocatedProblem[] {
  if (!parts.hasEnrichment || enrichesOf(parts).length > 0) return [];
  const message = 'No field of this document looks anything up.';
  return [{ at: ['enrichment'], code: 'no_effect', message, wanted: 'enrich: { vehicle: vin } in a field' }];
}

/* Checks of grouping: a request made of several rows must use all of them. */

function checkGroup({ group, plans }: DocumentParts): LocatedProblem[] {
  if (group === undefined) return [];
  const each = plans.filter((plan) => plan.each !== undefined);
  return [
    ...each.map((plan): LocatedProblem => {
      const message = 'A group is one record made of several, so that "each" of one of them cannot be told.';
      return { at: [...plan.at, 'each'], code: 'keys_exclude', message, wanted: 'no group, or no each under requests' };
    }),
    ...repeatedColumns(group.by),
  ];
}

function repeatedColumns(by: readonly string[]): LocatedProblem[] {
  return by.flatMap((column, index) => {
    if (by.findIndex((other) => other.trim() === column.trim()) === index) return [];
    const message = `"${column}" stands twice in the key of the group.`;
    return [{ at: ['group', 'by', index], code: 'no_effect', value: column, message, wanted: 'each column once' }];
  });
}

/* Checks one leaf of a document by its kind: what it reads, its functions, and that lists, units and patterns exist. */

type CoordinateObject = Exclude<CoordinateField, string>;

/** @param hasZone whether the document names a zone for all its times. */
function checkLeaf(leaf: Exclude<Leaf, { kind: 'condition' }>, lists: CodeLists, hasZone: boolean): LocatedProblem[] {
  const { at } = leaf;
  switch (leaf.kind) {
    case 'text':
      return checkText(leaf.field, at, lists);
    case 'zone':
      return checkZone(leaf.field, at, lists);
    case 'number': {
      const spec = longForm(leaf.field);
      return [
        ...checkOrigin(spec, at),
        ...checkFunctions(spec, at),
        ...checkCodes(spec, at, lists),
        ...checkNumber(spec, at),
      ];
    }
    case 'coordinate': {
      const spec = longForm(leaf.field);
      return [...checkOrigin(spec, at), ...checkFunctions(spec, at), ...checkHemisphere(spec, leaf.target, at)];
    }
    case 'time':
      return checkTime(leaf.field, at, lists, hasZone || leaf.isDay);
  }
}

function checkHemisphere({ hemisphere }: CoordinateObject, axis: string, at: DocumentPath): LocatedProblem[] {
  const letters = axis === 'latitude' ? ['N', 'S'] : ['E', 'W'];
  if (hemisphere === undefined || letters.includes(hemisphere)) return [];
  const message = `A ${axis} has no half "${hemisphere}".`;
  return [{ at: [...at, 'hemisphere'], code: 'wrong_form', value: hemisphere, message, wanted: letters.join(' or ') }];
}

function checkNumber({ decimal = '.', thousands, unit }: NumberKeys, at: DocumentPath): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  if (decimal === thousands) {
    const message = 'Decimals and thousands cannot have the same mark.';
    problems.push({ at: [...at, 'thousands'], code: 'keys_exclude', message, wanted: 'two different marks' });
  }
  if (unit === undefined) return problems;
  const named = { to: unit.to, ...(typeof unit.from === 'string' ? { from: unit.from } : {}) };
  const dimensions = Object.entries(named).map(([key, name]) => {
    const read = readUnit(name);
    if (read !== undefined) return dimensionOf(read);
    const message = `There is no unit "${name}".`;
    const wanted = `one of ${UNITS.join(', ')}`;
    problems.push({ at: [...at, 'unit', key], code: 'unit_unknown', value: name, message, wanted });
    return undefined;
  });
  if (!dimensions.includes(undefined) && new Set(dimensions).size > 1) {
    const message = `"${unit.from}" cannot be converted to "${unit.to}".`;
    problems.push({ at: [...at, 'unit'], code: 'unit_unknown', message, wanted: 'two units that measure the same' });
  }
  return problems;
}

/**
 * @property name of the file, if there is one: the name inside must be the same; bases: what it may extend; isPublished:
 * it was published before, so what is refused only while a document is written is let be.
 */
interface Filed {
  name?: string;
  bases?: Bases;
  isPublished?: boolean;
}

/** @returns the whole document: if it extends another, both merged. */
export function checkMapping(
  text: string,
  lists: CodeLists,
  { name, bases = new Map(), isPublished = false }: Filed = {},
): Result<MappingDocument, DocumentProblem[]> {
  const yaml = readYaml(text);
  if (!yaml.ok) return yaml;
  return withTraps(checkWritten(yaml.value.value, lists, { name, bases, isPublished }), yaml.value);
}

/** @property document null: it cannot be tried. @property text where its parts stand. */
type Draft = { problems: DocumentProblem[] } & (
  | { document: MappingDocument; text: YamlText }
  | { document: null; text: null }
);

/** As `checkMapping`, for a document that is being written: where only its examples are wrong, it can be tried. */
export function checkDraft(text: string, lists: CodeLists, bases: Bases): Draft {
  const yaml = readYaml(text);
  if (!yaml.ok) return { problems: yaml.error, document: null, text: null };
  const written = yaml.value.value;
  const filed = { name: undefined, bases, isPublished: false };
  const whole = withTraps(checkWritten(written, lists, filed), yaml.value);
  if (whole.ok) return { problems: [], document: whole.value, text: yaml.value };
  const problems = whole.error;
  if (problems.some(({ path }) => !EXAMPLES_PATH.test(path))) return { problems, document: null, text: null };
  const tried = checkWritten({ ...(written as object), examples: [NO_EXAMPLE] }, lists, filed);
  return tried.ok
    ? { problems, document: { ...tried.value, examples: [] }, text: yaml.value }
    : { problems, document: null, text: null };
}

const EXAMPLES_PATH = /^examples(\[|$)/;
const NO_EXAMPLE = { input: '-', records: [] };

function checkWritten(
  written: unknown,
  lists: CodeLists,
  { name, bases, isPublished }: { name: string | undefined; bases: Bases; isPublished: boolean },
): Result<MappingDocument, LocatedProblem[]> {
  const whole = expanded(written, bases);
  if (!whole.ok) return whole;
  const { value, hasInheritedSingle } = whole.value;
  const check = isPublished ? checkMappingValue : checkBeingWritten;
  const checked = check(value, lists, name);
  if (checked.ok || !hasInheritedSingle || value === written) return checked;
  return check(withoutUnread(value, checked.error), lists, name);
}

/** As `checkMappingValue`, and what its author cannot have meant: stored versions go on to do what they did. */
function checkBeingWritten(
  value: unknown,
  lists: CodeLists,
  name: string | undefined,
): Result<MappingDocument, LocatedProblem[]> {
  const checked = checkMappingValue(value, lists, name);
  if (!checked.ok) return checked;
  const parts = documentParts(value);
  const misread = [...misreadConditions(parts), ...rivalLoops(parts), ...unorderedKinds(parts)];
  return misread.length === 0 ? checked : err(misread);
}

/** As `checkMapping`, for a document that is already parsed (a stored version). */
export function checkMappingValue(
  value: unknown,
  lists: CodeLists,
  name?: string,
): Result<MappingDocument, LocatedProblem[]> {
  const parts = documentParts(value);
  const form = readForm(mappingDocument, value);
  const problems = [...(form.ok ? [] : form.error), ...checkMeaning(parts, lists, name)];
  return form.ok && problems.length === 0 ? form : err(problems.slice(0, DOCUMENT_PROBLEMS_MAX));
}

/** Adds path and line to the problems, and the problems of the text itself, in text order. */
export function withTraps<T>(checked: Result<T, LocatedProblem[]>, yaml: YamlText): Result<T, DocumentProblem[]> {
  if (checked.ok && yaml.traps.length === 0) return checked;
  const found = (checked.ok ? [] : checked.error).map(({ at, ...problem }) => ({
    path: formatPath(at),
    ...problem,
    ...yaml.locationOf(at),
  }));
  const line = (problem: DocumentProblem): number => problem.line ?? 0;
  const problems: DocumentProblem[] = [...yaml.traps, ...found];
  return err(problems.sort((left, right) => line(left) - line(right) || (left.column ?? 0) - (right.column ?? 0)));
}

function checkMeaning(parts: DocumentParts, lists: CodeLists, name: string | undefined): LocatedProblem[] {
  return [
    ...checkName(parts.name, name, 'mapping'),
    ...leavesOf(parts).flatMap((leaf) =>
      leaf.kind === 'condition' ? checkCondition(leaf.when, leaf.at) : checkLeaf(leaf, lists, parts.hasZone),
    ),
    ...checkOrders(parts),
    ...checkChanges(parts),
    ...checkPlans(parts),
    ...checkGroup(parts),
    ...checkDelivery(parts),
    ...checkEnrichment(parts),
    ...checkColumns(parts),
  ];
}

/** @param key the document's own key for its name. */
export function checkName(own: unknown, filed: string | undefined, key: string): LocatedProblem[] {
  if (filed === undefined || typeof own !== 'string' || own === filed) return [];
  return [{ at: [key], code: 'name_differs', value: own, message: `The file is called "${filed}".`, wanted: filed }];
}
