/**
 * Checks a mapping document whole, before the first byte of any input: every problem at once, each with its path, its
 * line and the wanted form.
 *
 * Form first (zod), then meaning, and meaning also for the parts whose form is right while others' is wrong.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { CodeLists } from '../document/code-list.ts';
import { type MappingDocument, mappingDocument } from '../document/document.ts';
import { type DocumentParts, documentParts } from '../document/document-parts.ts';
import { type DocumentProblem, formatPath, type PlacedProblem } from '../document/document-problem.ts';
import { type Bases, expanded, withoutUnread } from '../document/extends.ts';
import { leavesOf } from '../document/leaves.ts';
import { readYaml, type YamlText } from '../document/read-yaml.ts';
import { schemaProblems } from '../document/schema-problems.ts';
import { DOCUMENT_PROBLEMS_MAX } from '../limits.ts';
import { checkChanges } from './change.ts';
import { checkColumns } from './columns.ts';
import { checkDelivery } from './delivery.ts';
import { checkEnrichment } from './enrichment.ts';
import { checkCondition } from './field.ts';
import { checkGroup } from './group.ts';
import { checkLeaf } from './leaf.ts';
import { checkOrders } from './order.ts';
import { checkPlans } from './plans.ts';

/** @property name what the document is filed under, when it is: the name inside must be the same; bases: what it may extend. */
export interface Filed {
  name?: string;
  bases?: Bases;
}

/** @returns the whole document: of one that extends another, what both say together. */
export function checkMapping(
  text: string,
  lists: CodeLists,
  { name, bases = new Map() }: Filed = {},
): Result<MappingDocument, DocumentProblem[]> {
  const yaml = readYaml(text);
  if (!yaml.ok) return yaml;
  return withTraps(checkWritten(yaml.value.value, lists, { name, bases }), yaml.value);
}

function checkWritten(
  written: unknown,
  lists: CodeLists,
  { name, bases }: { name: string | undefined; bases: Bases },
): Result<MappingDocument, PlacedProblem[]> {
  const whole = expanded(written, bases);
  if (!whole.ok) return whole;
  const { value, hasInheritedSingle } = whole.value;
  const checked = checkMappingValue(value, lists, name);
  if (checked.ok || !hasInheritedSingle || value === written) return checked;
  return checkMappingValue(withoutUnread(value, checked.error), lists, name);
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
export function checkName(own: unknown, filed: string | undefined, key: string): PlacedProblem[] {
  if (filed === undefined || typeof own !== 'string' || own === filed) return [];
  return [{ at: [key], code: 'name_differs', value: own, message: `The file is called "${filed}".`, wanted: filed }];
}
