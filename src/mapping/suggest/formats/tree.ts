/**
 * Trees of names and values, as JSON and XML have them: where the records are, which array holds the events, and which
 * paths lead to values. Pure.
 */

import { SAMPLE_COLUMNS_MAX, SAMPLE_RECORDS_MAX } from '../limits.ts';
import { nameTerms } from '../names.ts';
import { cellText, type SampleColumn } from '../shape.ts';
import type { FormatFact } from '../suggestion.ts';
import { ROLES } from '../terms.ts';
import { fact, type OrderColumns, type SampleArray } from './sample.ts';

/** Before a number or a word of JSON, which is no text: so it can be written again as it was. */
export const BARE_VALUE = '\u0000';

/** A text, a list, or an object with its members in order. */
export type TreeNode = string | readonly TreeNode[] | TreeObject;
interface TreeObject {
  members: ReadonlyMap<string, TreeNode>;
}

export const isObject = (node: TreeNode | undefined): node is TreeObject =>
  typeof node === 'object' && 'members' in node;
const isList = (node: TreeNode | undefined): node is readonly TreeNode[] => Array.isArray(node);

/** How a format writes its paths. */
export interface PathForm {
  join(names: readonly string[]): string;
  item(path: string, index: number): string;
  /** The item of a list that says itself what it is; null: only its place tells it apart. */
  chosen(item: TreeNode): Chosen | null;
  /** Arrays inside of a record, each inside an element of the one before. */
  list(levels: readonly (readonly string[])[]): string;
  /** A path of the element around, out of these arrays. */
  outer(path: string, left: readonly (readonly string[])[]): string;
  /** What stands at a path in each element of an array, to people. */
  inside(each: string, path: string): string;
  /** What an element is called by the names that lead to it, where that says more of its own values; '': nothing. */
  elementName(path: readonly string[]): string;
  /** A path to what stands around all records; null: mappings cannot read it. */
  around(names: readonly string[]): string | null;
}

/** An item known by one of its own values, such as `ref[@type='PRO']`. */
interface Chosen {
  /** What follows the name of the list. */
  written: string;
  called: string;
}

export interface TreeRecords {
  /** Names from the root to the records. */
  path: readonly string[];
  records: readonly TreeNode[];
  /** Names to each array, the first inside the record. Empty: records are the events. */
  levels: readonly (readonly string[])[];
  columns: SampleColumn[];
  orders: OrderColumns;
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
  if (isList(root)) return withColumns(root, [], root.filter(isObject), form);
  if (!isObject(root)) return null;
  if (outer === undefined || (chosen === undefined && isOwnRecord(root, outer, form)))
    return withColumns(root, [], [root], form);
  return withColumns(root, outer.path, outer.items.filter(isObject), form);
}

/** What is said about where the records are. @param where as people read it. each: of arrays inside of them, if any. */
export function recordFacts({ records, count, path }: TreeRecords, where: string, each: string | null): FormatFact[] {
  const reason =
    path.length === 0 && records.length === 1 ? 'The document is one record.' : `There are ${records.length} of them.`;
  const facts = [fact('records', where, path.length === 0 || records.length > 1 ? 'sure' : 'likely', reason)];
  return each === null
    ? facts
    : [
        ...facts,
        fact('events', each, 'likely', `The elements of this list have a status and a time; there are ${count}.`),
      ];
}

export interface FoundArray {
  path: readonly string[];
  items: readonly TreeNode[];
}

/** Arrays of objects that names alone lead to. */
export function arraysIn(node: TreeNode, path: readonly string[]): FoundArray[] {
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

export const weightOf = ({ items }: FoundArray): number =>
  items.reduce<number>((sum, item) => sum + sizeOf(item, 0), 0);
const sizeOf = (node: TreeNode, depth: number): number => {
  if (typeof node === 'string' || depth > DEPTH_MAX) return 1;
  const inner = isList(node) ? node : [...node.members.values()];
  return inner.reduce<number>((sum, each) => sum + sizeOf(each, depth + 1), 0);
};

/** The document is one record: it says which load it is, and the elements of its array do not. */
function isOwnRecord(root: TreeNode, { items, path }: FoundArray, form: PathForm): boolean {
  const names = (node: TreeNode): string[] =>
    leavesOf(node, [], null).map(({ path: own }) => calledBy(own, form.elementName(path)));
  const around = leavesOf(root, [], null).filter((leaf) => leaf.path[0] !== path[0] || leaf.path.length <= path.length);
  const saysLoad = (called: string): boolean => LOAD_NAMES.has(nameTerms(called).join(' '));
  return (
    around.some((leaf) => saysLoad(calledBy(leaf.path, form.elementName([])))) &&
    !items.some((item) => names(item).some(saysLoad) || hasLoadInside(item))
  );
}

const hasLoadInside = (item: TreeNode): boolean =>
  isObject(item) &&
  [...item.members.values()].some(
    (member) =>
      isList(member) &&
      member.some((each) =>
        leavesOf(each, [], null).some(({ path }) => LOAD_NAMES.has(nameTerms(calledBy(path, '')).join(' '))),
      ),
  );

/* Events in arrays inside of records. */

function withColumns(
  root: TreeNode,
  path: readonly string[],
  records: readonly TreeNode[],
  form: PathForm,
): TreeRecords | null {
  if (records.length === 0) return null;
  const levels = eventLevels(records, path, form);
  const rows = elementsOf(records, levels).slice(0, SAMPLE_RECORDS_MAX);
  const columnsIn = (of: readonly (readonly TreeNode[])[], within: typeof levels): SampleColumn[] =>
    [...columnsOf(of, within, path, form), ...aroundColumns(root, path, of.length, form)].slice(0, SAMPLE_COLUMNS_MAX);
  const columns = columnsIn(rows, levels);
  const first = records.slice(0, SAMPLE_RECORDS_MAX);
  const own = levels.length === 0 ? columns : columnsIn(elementsOf(first, []), []);
  const orders = { columns: own, arrays: arraysOfRecords(first, form) };
  return { path, records, levels, columns, orders, count: rows.length };
}

/** Most arrays of a record that are looked at. */
const ARRAYS_MAX = 8;

/** The arrays in records, each with what any of its elements has. */
function arraysOfRecords(records: readonly TreeNode[], form: PathForm): SampleArray[] {
  const paths = new Map(
    records.flatMap((record) => arraysIn(record, []).map(({ path }) => [form.list([path]), path] as const)),
  );
  return [...paths].slice(0, ARRAYS_MAX).map(([each, path]) => {
    const elements = records.map((record) => elementsOf([record], [path]).map(([element]) => [element ?? '']));
    const rows = elements.flatMap((own, index) => own.map(() => index + 1)).slice(0, SAMPLE_RECORDS_MAX);
    const found = columnsOf(elements.flat().slice(0, SAMPLE_RECORDS_MAX), [], path, form);
    const columns = found.slice(0, SAMPLE_COLUMNS_MAX).map(
      (column): SampleColumn => ({
        ...column,
        name: form.inside(each, column.name),
        list: each,
        inElement: column.name,
        rows,
      }),
    );
    return { each, isAlways: elements.every(({ length }) => length > 0), columns };
  });
}

/** What stands before the records holds for all of them. */
function aroundColumns(root: TreeNode, path: readonly string[], rows: number, form: PathForm): SampleColumn[] {
  const leaves: Leaf[] = [];
  let node: TreeNode | undefined = root;
  path.forEach((name, depth) => {
    if (!isObject(node)) return;
    for (const [before, member] of node.members) {
      if (before === name) break;
      leaves.push(...leavesOf(member, [...path.slice(0, depth), before], null));
    }
    node = node.members.get(name);
  });
  return leaves.flatMap((leaf): SampleColumn[] => {
    const names = leaf.path.filter((step) => typeof step === 'string');
    const name = form.around(names);
    if (name === null) return [];
    const values = Array.from({ length: rows }, () => cellText(leaf.text));
    return [{ name, called: calledBy(leaf.path, ''), isOuter: true, values }];
  });
}

/** The deepest arrays whose elements are named like events. */
function eventLevels(records: readonly TreeNode[], path: readonly string[], form: PathForm): (readonly string[])[] {
  const first = records.slice(0, 20);
  const chains = first.flatMap((record) => chainsIn(record, [], 0));
  const scored = chains.map((chain) => ({
    chain,
    score: eventScore(elementsOf(first, chain), form.elementName(chain.flat())),
  }));
  const own = eventScore(
    first.map((node) => [node]),
    form.elementName(path),
  );
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
function eventScore(rows: readonly (readonly TreeNode[])[], element: string): number {
  const names = new Set(
    rows
      .slice(0, 50)
      .flatMap((row) =>
        leavesOf(row[0] ?? '', [], null).map(({ path }) => nameTerms(calledBy(path, element)).join(' ')),
      ),
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

/** A name, a place in a list, or an item that says itself what it is. */
type Step = string | number | Chosen;

interface Leaf {
  path: readonly Step[];
  text: string;
}

const textOf = (node: string): string =>
  node === `${BARE_VALUE}null` ? '' : node.startsWith(BARE_VALUE) ? node.slice(1) : node;

/** @param form null: not into lists. */
function leavesOf(node: TreeNode, path: readonly Step[], form: PathForm | null): Leaf[] {
  if (typeof node === 'string') return [{ path, text: textOf(node) }];
  if (path.length > DEPTH_MAX) return [];
  if (isList(node)) {
    if (form === null) return [];
    const chosen = node.map((item) => form.chosen(item));
    const steps = chosen.map((each, index) => each ?? index);
    return node.flatMap((item, index) => {
      const step = steps[index] ?? index;
      const isShown = typeof step === 'number' ? index < ITEMS_MAX : isFirst(chosen, index);
      return isShown ? leavesOf(item, [...path, step], form) : [];
    });
  }
  return [...node.members].flatMap(([name, member]) => leavesOf(member, [...path, name], form));
}

/** Of several that say the same, paths lead to the first. */
const isFirst = (chosen: readonly (Chosen | null)[], index: number): boolean =>
  chosen.findIndex((each) => each?.written === chosen[index]?.written) === index;

function columnsOf(
  rows: readonly (readonly TreeNode[])[],
  levels: readonly (readonly string[])[],
  path: readonly string[],
  form: PathForm,
): SampleColumn[] {
  const columns = new Map<string, Omit<SampleColumn, 'name' | 'values'> & { values: string[] }>();
  rows.forEach((row, index) => {
    row.forEach((node, ups) => {
      const hidden = levels[levels.length - ups]?.[0];
      const around = levels.slice(0, levels.length - ups);
      const element = form.elementName(around.length === 0 ? path : around.flat());
      for (const leaf of leavesOf(node, [], form)) {
        if (ups > 0 && leaf.path[0] === hidden && leaf.path.some((step) => typeof step !== 'string')) continue;
        const name = form.outer(pathText(leaf.path, form), levels.slice(levels.length - ups));
        if (name === '' || (!columns.has(name) && columns.size >= SAMPLE_COLUMNS_MAX)) continue;
        const called = calledBy(leaf.path, element);
        const list = listOn(leaf.path, form);
        const column = columns.get(name) ?? {
          ...{ called, isOuter: ups > 0, values: rows.map(() => '') },
          ...(list === null ? {} : { list }),
        };
        column.values[index] = cellText(leaf.text);
        columns.set(name, column);
      }
    });
  });
  return [...columns].map(([name, column]) => ({ name, ...column }));
}

/** The first array that a path leads through. */
function listOn(path: readonly Step[], form: PathForm): string | null {
  const end = path.findIndex((step) => typeof step !== 'string');
  return end === -1 ? null : form.list([path.slice(0, end).map(String)]);
}

function pathText(path: readonly Step[], form: PathForm): string {
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
      text = typeof step === 'number' ? form.item(text, step) : text + step.written;
    }
  }
  flush();
  return text;
}

/** Two numbers called coordinates are longitude and latitude, in this order (RFC 7946, 3.1.1). */
const GEO_JSON = ['longitude', 'latitude'];

/** By its last name, with the one before where it says too little. @param element what the element around is called. */
function calledBy(path: readonly Step[], element: string): string {
  const last = path.at(-1);
  const names = path.filter((step) => typeof step === 'string' && step !== '').map((step) => String(step));
  const name = names.at(-1) ?? element;
  if (typeof last === 'number' && /^coordinates$/i.test(name)) return GEO_JSON[last] ?? name;
  const chosenAt = path.findLastIndex((step) => typeof step === 'object');
  const chosen = path[chosenAt];
  const bare = name.replace(/^@/, '');
  const isGeneric = GENERIC.has(nameTerms(bare).join(' '));
  if (typeof chosen === 'object') {
    const isOwn = path.slice(chosenAt + 1).every((step) => step === '');
    return isOwn || isGeneric ? chosen.called : `${chosen.called} ${bare}`;
  }
  const before = names.at(-2) ?? (path.length > 0 && names.length > 0 ? element : '');
  return isGeneric && before !== '' ? `${before} ${bare}` : bare;
}
