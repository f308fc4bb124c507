/**
 * Fills one record: the conditions it must meet say what its columns may hold, then its cells are filled, then the
 * elements of its arrays, each like a record of its own.
 */
import { compilePath } from '../formats/json/path.ts';
import type { Condition } from './condition.ts';
import type { DocumentPath } from './document-problem.ts';
import { type Domains, type Narrowing, narrowed } from './sample-domains.ts';
import { columnsOf, type Draft, rotated, shapeIn } from './sample-draft.ts';
import type { CellTexts } from './sample-leaf.ts';
import { type Composing, questionsOf, type Turn } from './sample-questions.ts';
import { type Branch, isAt, isWithin, type Reading, readingOf, type Scenario } from './sample-scenarios.ts';
import { solve } from './sample-solve.ts';

export interface Given extends Turn {
  /** What is filled already. */
  fixed: CellTexts;
}

/** Ways in which conditions can be met that are tried for one record. */
const WAYS_MAX = 16;
/** Elements of every second array; the others have one more. */
const ELEMENTS_LEAST = 1;
/** A path can name an item as far out as it likes. */
const ELEMENTS_MAX = 20;

export function composeRecord(
  composing: Composing,
  scenario: Scenario,
  given: Given,
): { draft: Draft; reading: Reading } | undefined {
  for (const domains of waysToMeet(composing, scenario.demands, given)) {
    const met = withOthers(composing, scenario, domains, given.turn);
    const reading = readingOf(composing.parts, met.plans);
    const draft = fillWithin(composing, { reading, path: [], around: NO_CELLS }, met.domains, given);
    if (draft !== undefined) return { draft, reading };
  }
  return undefined;
}

/** A further row of a group, whose shared cells are fixed. */
export function fillDraft(
  composing: Composing,
  { reading, demands }: { reading: Reading; demands: Condition },
  given: Given,
): Draft | undefined {
  for (const domains of waysToMeet(composing, demands, given)) {
    const draft = fillWithin(composing, { reading, path: [], around: NO_CELLS }, domains, given);
    if (draft !== undefined) return draft;
  }
  return undefined;
}

const NO_CELLS: CellTexts = new Map();

function waysToMeet({ effort }: Composing, demands: Condition, { fixed, turn }: Given): Iterable<Domains> {
  const start: Domains = new Map(
    [...fixed].map(([column, text]) => [column, { allowed: [text.trim()], refused: new Set<string>() }]),
  );
  return narrowed(start, demands, true, { turn, effort }).take(WAYS_MAX);
}

function firstWay(domains: Domains, of: Condition, how: Narrowing): Domains | undefined {
  for (const way of narrowed(domains, of, true, how)) return way;
  return undefined;
}

/** Adds every further plan that can apply to the same record. */
function withOthers({ effort }: Composing, { plan, others }: Scenario, start: Domains, turn: number) {
  const plans = [plan];
  let domains = start;
  for (const other of others) {
    const next = other.when === undefined ? domains : firstWay(domains, other.when, { turn, effort });
    if (next === undefined) continue;
    domains = next;
    plans.push(other);
  }
  return { plans, domains };
}

/** @property path of arrays; around: the record's cells, where it is an element that is filled. */
interface Within {
  reading: Reading;
  path: readonly string[];
  around: CellTexts;
}

function fillWithin(composing: Composing, within: Within, start: Domains, given: Given): Draft | undefined {
  const { path, around } = within;
  const { domains, reading } = withBranches(composing, within, start, given.turn);
  const questions = questionsOf(composing, { reading, path, domains, ...given });
  const cells = solve(questions, given.fixed, { around, domains, effort: composing.effort, writes: composing.writes });
  if (cells === undefined) return undefined;
  const recordCells = path.length === 0 ? cells : around;
  const names = new Set(
    reading.leaves.flatMap(({ scope }) => (isBelow(scope, path) ? (scope[path.length] ?? []) : [])),
  );
  const lists = [...names].map((name) => {
    const inner = { reading, path: [...path, name], around: recordCells };
    return [name, elements(composing, inner, given)] as const;
  });
  return { cells: inOrder(cells, composing, path), lists: new Map(lists) };
}

/** As the document reads them, not as they were found. */
function inOrder(cells: CellTexts, { mapping }: Composing, path: readonly string[]): CellTexts {
  const columns = columnsOf(shapeIn(mapping.shape, path));
  return new Map(columns.map((column) => [column, cells.get(column) ?? '']));
}

const isBelow = (scope: readonly string[], path: readonly string[]): boolean =>
  scope.length > path.length && path.every((name, index) => scope[index] === name);

function elements(composing: Composing, within: Within, { turn, number }: Turn): Draft[] {
  const count = Math.max(ELEMENTS_LEAST + (turn % 2), itemsNamed(composing, within.path));
  return Array.from({ length: count }, (_, index) =>
    fillWithin(composing, within, new Map(), { turn: turn + index, number: number + index, fixed: NO_CELLS }),
  ).filter((draft) => draft !== undefined);
}

/** Items that paths from around the array name by number: `stops[1].city` is the second of `stops`. */
function itemsNamed({ mapping }: Composing, path: readonly string[]): number {
  const list = compilePath(path.at(-1) ?? '');
  if (!list.ok) return 0;
  const steps = list.value;
  const counts = columnsOf(shapeIn(mapping.shape, path.slice(0, -1))).map((column) => {
    const inside = compilePath(column);
    const item = inside.ok && steps.every((step, index) => inside.value[index] === step) && inside.value[steps.length];
    return typeof item === 'number' ? item + 1 : 0;
  });
  return Math.min(ELEMENTS_MAX, Math.max(0, ...counts));
}

/**
 * Takes every condition of a field or a branch that can hold beside the others, another one first each time, so that of
 * two that exclude each other both are seen. What stands under one that cannot hold is not read.
 */
function withBranches({ effort }: Composing, { reading, path }: Within, start: Domains, turn: number) {
  const own: Branch[] = reading.leaves.flatMap((leaf) => {
    const when = typeof leaf.field === 'string' ? undefined : leaf.field.when;
    return when === undefined ? [] : [{ when, at: leaf.at, scope: leaf.scope }];
  });
  const rejected: DocumentPath[] = [];
  let domains = start;
  const here = [...reading.branches, ...own].filter(({ scope }) => isAt(scope, path));
  for (const { when, at } of rotated(here, turn)) {
    const next = firstWay(domains, when, { turn, effort });
    if (next === undefined) rejected.push(at);
    else domains = next;
  }
  const isRead = ({ at }: { at: DocumentPath }) => !rejected.some((place) => isWithin(at, place));
  return { domains, reading: { leaves: reading.leaves.filter(isRead), branches: reading.branches.filter(isRead) } };
}
