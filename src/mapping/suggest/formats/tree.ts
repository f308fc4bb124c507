/**
 * Trees of names and values, as JSON and XML have them: where the records are, which array holds the events, and which
 * paths lead to values. Pure.
 */

import { SAMPLE_COLUMNS_MAX, SAMPLE_RECORDS_MAX } from '../limits.ts';
import { nameTerms } from '../names.ts';
import { cellText, type SampleColumn } from '../shape.ts';
import { ROLES } from '../terms.ts';

/** Before a number or a word of JSON, which is no text: so it can be written again as it was. */
export const BARE_VALUE = '\u0000';

/** A text, a list, or an object with its members in order. */
export type TreeNode = string | readonly TreeNode[] | TreeObject;
export interface TreeObject {
  members: ReadonlyMap<string, TreeNode>;
}

export const isObject = (node: TreeNode | undefined): node is TreeObject =>
  typeof node === 'object' && 'members' in node;
const isList = (node: TreeNode | undefined): node is readonly TreeNode[] => Array.isArray(node);

/** How a format writes its paths. */
export interface PathForm {
  join(names: readonly string[]): string;
  item(path: string, index: number): string;
  /** Arrays inside of a record, each inside an element of the one before. */
  list(levels: readonly string[]): string;
  /** A path of the element around, so many elements further out. */
  outer(path: string, ups: number): string;
}

export interface TreeRecords {
  /** Names from the root to the records. */
  path: readonly string[];
  records: readonly TreeNode[];
  /** Names to each array, the first inside the record. Empty: records are the events. */
  levels: readonly (readonly string[])[];
  columns: SampleColumn[];
  /** Elements, or records. */
  count: number;
}

/** Names that say nothing without the one before them. */
const GENERIC = new Set(
  'code id name value description type number text date time key no nr status reason line1 line2 line sequence offset'.split(
    ' ',
  ),
);
/** Depth to which paths are followed. */
const DEPTH_MAX = 8;
/** Items of an array that are paths of their own. */
const ITEMS_MAX = 2;

const terms = (key: 'says' | 'hints', roles: readonly (keyof typeof ROLES)[]): ReadonlySet<string> =>
  new Set(roles.flatMap((role) => ROLES[role][key].split(';').map((name) => nameTerms(name).join(' '))));
const EVENT_NAMES = new Set([
  ...terms('says', ['status', 'dateTime', 'date', 'time']),
  ...terms('hints', ['dateTime', 'date']),
]);
const LOAD_NAMES = new Set([...terms('says', ['loadNumber']), ...terms('hints', ['loadNumber'])]);

/** @returns null: there is nothing but a single value. */
export function recordsOf(root: TreeNode, form: PathForm, answer: string | undefined): TreeRecords | null {
  const found = arraysIn(root, []);
  const chosen = answer === undefined ? undefined : found.find(({ path }) => form.join(path) === answer);
  const outer = chosen ?? outermost(found);
  if (isList(root)) return withColumns([], root.filter(isObject), form);
  if (!isObject(root)) return null;
  if (outer === undefined || (chosen === undefined && isOwnRecord(root, outer))) return withColumns([], [root], form);
  return withColumns(outer.path, outer.items.filter(isObject), form);
}

interface FoundArray {
  path: readonly string[];
  items: readonly TreeNode[];
}

/** Arrays of objects that names alone lead to. */
function arraysIn(node: TreeNode, path: readonly string[]): FoundArray[] {
  if (!isObject(node) || path.length > DEPTH_MAX) return [];
  return [...node.members].flatMap(([name, member]): FoundArray[] => {
    const to = [...path, name];
    if (isList(member)) return member.some(isObject) ? [{ path: to, items: member }] : [];
    return arraysIn(member, to);
  });
}

const outermost = (found: readonly FoundArray[]): FoundArray | undefined =>
  found.reduce<FoundArray | undefined>(
    (best, each) => (best === undefined || weightOf(each) > weightOf(best) ? each : best),
    undefined,
  );

const weightOf = ({ items }: FoundArray): number => items.reduce<number>((sum, item) => sum + sizeOf(item, 0), 0);
const sizeOf = (node: TreeNode, depth: number): number => {
  if (typeof node === 'string' || depth > DEPTH_MAX) return 1;
  const inner = isList(node) ? node : [...node.members.values()];
  return inner.reduce<number>((sum, each) => sum + sizeOf(each, depth + 1), 0);
};

/** The document is one record: it says which load it is, and the elements of its array do not. */
function isOwnRecord(root: TreeNode, { items, path }: FoundArray): boolean {
  const names = (node: TreeNode): string[] => leavesOf(node, [], false).map(({ path: own }) => calledBy(own));
  const around = leavesOf(root, [], false).filter(
    (leaf) => leaf.path[0] !== path[0] || leaf.path.length <= path.length,
  );
  const saysLoad = (called: string): boolean => LOAD_NAMES.has(nameTerms(called).join(' '));
  return (
    around.some((leaf) => saysLoad(calledBy(leaf.path))) &&
    !items.some((item) => names(item).some(saysLoad) || hasLoadInside(item))
  );
}

const hasLoadInside = (item: TreeNode): boolean =>
  isObject(item) &&
  [...item.members.values()].some(
    (member) =>
      isList(member) &&
      member.some((each) =>
        leavesOf(each, [], false).some(({ path }) => LOAD_NAMES.has(nameTerms(calledBy(path)).join(' '))),
      ),
  );

/* Events in arrays inside of records. */

function withColumns(path: readonly string[], records: readonly TreeNode[], form: PathForm): TreeRecords | null {
  if (records.length === 0) return null;
  const levels = eventLevels(records);
  const rows = elementsOf(records, levels).slice(0, SAMPLE_RECORDS_MAX);
  return { path, records, levels, columns: columnsOf(rows, levels, form), count: rows.length };
}

/** The deepest arrays whose elements are named like events. */
function eventLevels(records: readonly TreeNode[]): (readonly string[])[] {
  const first = records.slice(0, 20);
  const chains = first.flatMap((record) => chainsIn(record, [], 0));
  const scored = chains.map((chain) => ({ chain, score: eventScore(elementsOf(first, chain)) }));
  const own = eventScore(first.map((node) => [node]));
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (top, each) => (top === undefined || each.score > top.score ? each : top),
    undefined,
  );
  return best !== undefined && best.score >= 2 && best.score > own ? best.chain : [];
}

function chainsIn(node: TreeNode, chain: readonly (readonly string[])[], depth: number): (readonly string[])[][] {
  if (depth > 3) return [];
  return arraysIn(node, []).flatMap(({ path, items }) => {
    const to = [...chain, path];
    const inner = items.slice(0, 5).flatMap((item) => chainsIn(item, to, depth + 1));
    return [to, ...inner];
  });
}

/** How many kinds of names of events the elements have: a status, a date, a time. */
function eventScore(rows: readonly (readonly TreeNode[])[]): number {
  const names = new Set(
    rows
      .slice(0, 50)
      .flatMap((row) => leavesOf(row[0] ?? '', [], false).map(({ path }) => nameTerms(calledBy(path)).join(' '))),
  );
  return [...names].filter((name) => EVENT_NAMES.has(name)).length;
}

/** @returns for each element: itself, then the elements around it, the record last. */
function elementsOf(records: readonly TreeNode[], levels: readonly (readonly string[])[]): TreeNode[][] {
  let rows: TreeNode[][] = records.map((record) => [record]);
  for (const path of levels) {
    rows = rows.flatMap((row) => {
      const list = at(row[0] ?? '', path);
      const items = isList(list) ? list : list === undefined ? [] : [list];
      return items.map((item) => [item, ...row]);
    });
  }
  return rows;
}

function at(node: TreeNode, path: readonly string[]): TreeNode | undefined {
  let found: TreeNode | undefined = node;
  for (const name of path) found = isObject(found) ? found.members.get(name) : undefined;
  return found;
}

/* Paths to values. */

interface Leaf {
  path: readonly (string | number)[];
  text: string;
}

const textOf = (node: string): string =>
  node === `${BARE_VALUE}null` ? '' : node.startsWith(BARE_VALUE) ? node.slice(1) : node;

function leavesOf(node: TreeNode, path: readonly (string | number)[], withItems: boolean): Leaf[] {
  if (typeof node === 'string') return [{ path, text: textOf(node) }];
  if (path.length > DEPTH_MAX) return [];
  if (isList(node)) {
    if (!withItems) return [];
    return node.slice(0, ITEMS_MAX).flatMap((item, index) => leavesOf(item, [...path, index], true));
  }
  return [...node.members].flatMap(([name, member]) => leavesOf(member, [...path, name], withItems));
}

function columnsOf(
  rows: readonly (readonly TreeNode[])[],
  levels: readonly (readonly string[])[],
  form: PathForm,
): SampleColumn[] {
  const columns = new Map<string, { called: string; isOuter: boolean; values: string[] }>();
  rows.forEach((row, index) => {
    row.forEach((node, ups) => {
      const hidden = levels[levels.length - ups]?.[0];
      for (const { path, text } of leavesOf(node, [], true)) {
        if (ups > 0 && path[0] === hidden && path.some((step) => typeof step === 'number')) continue;
        const name = form.outer(pathText(path, form), ups);
        if (name === '' || (!columns.has(name) && columns.size >= SAMPLE_COLUMNS_MAX)) continue;
        const column = columns.get(name) ?? { called: calledBy(path), isOuter: ups > 0, values: rows.map(() => '') };
        column.values[index] = cellText(text);
        columns.set(name, column);
      }
    });
  });
  return [...columns].map(([name, column]) => ({ name, ...column }));
}

function pathText(path: readonly (string | number)[], form: PathForm): string {
  let text = '';
  let names: string[] = [];
  const flush = (): void => {
    if (names.length > 0) text = form.join(text === '' ? names : [text, ...names]);
    names = [];
  };
  for (const step of path) {
    if (typeof step === 'string') names.push(step);
    else {
      flush();
      text = form.item(text, step);
    }
  }
  flush();
  return text;
}

/** Two numbers called coordinates are longitude and latitude, in this order (RFC 7946, 3.1.1). */
const GEO_JSON = ['longitude', 'latitude'];

function calledBy(path: readonly (string | number)[]): string {
  const last = path.at(-1);
  const names = path.filter((step) => typeof step === 'string');
  const name = names.at(-1) ?? '';
  if (typeof last === 'number' && /^coordinates$/i.test(name)) return GEO_JSON[last] ?? name;
  const bare = name.replace(/^@/, '');
  const before = names.at(-2);
  return GENERIC.has(nameTerms(bare).join(' ')) && before !== undefined ? `${before} ${bare}` : bare;
}
