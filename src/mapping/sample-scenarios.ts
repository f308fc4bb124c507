/**
 * What a sample file has to show: each thing a record can become, and for each of them the leaves that are then read.
 *
 * Several entries of `requests` may apply to one record; where they can, they do.
 */
import type { Condition } from './condition.ts';
import { type DocumentParts, type Plan, plannedFields, plannedOrder } from './document-parts.ts';
import { type DocumentPath, formatPath } from './document-problem.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import { GROUP_ROWS } from './order-spec.ts';
import type { AskedLeaf } from './sample-leaf.ts';
import { isOrderKind } from './targets.ts';

export interface Scenario {
  /** Where it stands in the document; '' where a record can become one thing only. */
  place: string;
  plan: Plan;
  /** Further plans that may apply to the same record. */
  others: readonly Plan[];
  /** What a record must be for the plan to apply. */
  demands: Condition;
}

export function scenariosOf(parts: DocumentParts): Scenario[] {
  return parts.plans.map((plan) => ({
    place: formatPath(plan.at),
    plan,
    others: parts.switch === undefined ? parts.plans.filter((other) => other !== plan) : [],
    demands: { all: [notSkipped(parts), ...caseDemand(parts, plan), ...(plan.when === undefined ? [] : [plan.when])] },
  }));
}

export const notSkipped = ({ skip }: DocumentParts): Condition => ({ all: skip === undefined ? [] : [{ not: skip }] });

const caseDemand = (parts: DocumentParts, { caseOf }: Plan): Condition[] =>
  parts.switch === undefined || caseOf === undefined ? [] : [{ field: parts.switch.column, equals: caseOf }];

/** A condition above leaves: of an object, a list or the items of an array. */
export interface Branch {
  when: Condition;
  at: DocumentPath;
  scope: readonly string[];
}

export interface Reading {
  leaves: readonly (AskedLeaf & { perRow: boolean })[];
  branches: readonly Branch[];
}

/** What is read of a record that becomes these. A group's rows are records, so `rows` is no array here. */
export function readingOf(parts: DocumentParts, plans: readonly Plan[]): Reading {
  const leaves = leavesOf(parts).flatMap((leaf) => {
    const user = plans.find((plan) => isUsed(parts, plan, leaf.at));
    const ofAll = leaf.kind !== 'condition' && leaf.at.length === 1; // the zone and the SCAC of the document
    if (user === undefined && !ofAll) return [];
    const perRow = parts.group !== undefined && leaf.scope[0] === GROUP_ROWS;
    return [{ ...leaf, request: user?.target, perRow, scope: perRow ? leaf.scope.slice(1) : leaf.scope }];
  });
  return {
    leaves: leaves.filter((leaf) => leaf.kind !== 'condition'),
    branches: leaves.flatMap((leaf) =>
      leaf.kind === 'condition' ? [{ when: leaf.when, at: leaf.at.slice(0, -1), scope: leaf.scope }] : [],
    ),
  };
}

function isUsed({ shared }: DocumentParts, plan: Plan, at: Leaf['at']): boolean {
  if (plan.target === undefined) return false;
  if (isOrderKind(plan.target)) return isWithin(at, plannedOrder(shared, plan).at);
  return plannedFields(shared, plan).some((field) => isWithin(at, field.at));
}

export const isWithin = (at: DocumentPath, place: DocumentPath): boolean =>
  place.every((step, index) => at[index] === step);

/** Whether a leaf or a branch is read right in the record, or in the elements of the array, at this path of arrays. */
export const isAt = (scope: readonly string[], path: readonly string[]): boolean =>
  scope.length === path.length && scope.every((name, index) => path[index] === name);
