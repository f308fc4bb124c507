/**
 * Checks a mapping document whole, before the first byte of any input: every problem at once, each with its path, its
 * line and the wanted form.
 *
 * Form first (zod), then meaning, and meaning also for the parts whose form is right while others' is wrong.
 */
import { err, ok, type Result } from '../kernel/result.ts';
import { checkChanges } from './check-change.ts';
import { checkColumns } from './check-columns.ts';
import { checkDelivery } from './check-delivery.ts';
import { checkEnrichment } from './check-enrichment.ts';
import { checkCondition } from './check-field.ts';
import { checkGroup } from './check-group.ts';
import { checkLeaf } from './check-leaf.ts';
import { checkOrders } from './check-order.ts';
import { checkPlans } from './check-plans.ts';
import type { CodeLists } from './code-list.ts';
import { type MappingDocument, mappingDocument } from './document.ts';
import { type DocumentParts, documentParts } from './document-parts.ts';
import { type DocumentProblem, formatPath, type PlacedProblem } from './document-problem.ts';
import { leavesOf } from './leaves.ts';
import { DOCUMENT_PROBLEMS_MAX } from './limits.ts';
import { readYaml, type YamlText } from './read-yaml.ts';
import { schemaProblems } from './schema-problems.ts';

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
