/** Writes the records of a sample as JSON or NDJSON: paths become objects and arrays, numbers stand without quotes. */

import { compilePath, compileRecordsPath, ELEMENT, type JsonPath } from '../formats/json/path.ts';
import type { DocumentParts } from './document-parts.ts';
import { patternsOf } from './field-spec.ts';
import type { Draft } from './sample-draft.ts';
import { leafColumns } from './sample-ideas.ts';
import { type AskedLeaf, isBoolean } from './sample-leaf.ts';
import { readingOf } from './sample-scenarios.ts';

/** A Map, as in the reader: a member may have any name. */
type Tree =
  | { kind: 'object'; members: Map<string, Tree> }
  | { kind: 'array'; items: (Tree | undefined)[] }
  | { kind: 'value'; json: string };

/** Places in an array that are written so that a path into it can be: beyond them a path leads nowhere. */
const ITEMS_MAX = 1_000;
const INDENT = '  ';

/** @param bare columns whose numbers and truth values stand without quotes, see `bareColumns`. */
export function jsonText(records: readonly Draft[], recordsPath: string, bare: ReadonlySet<string>): string {
  const path = compileRecordsPath(recordsPath);
  const items = records.map((record) => treeOf(record, [], bare));
  const whole = placed(undefined, path.ok ? path.value : [], { kind: 'array', items });
  return `${printed(whole, '\n')}\n`;
}

export const ndjsonText = (records: readonly Draft[], bare: ReadonlySet<string>): string =>
  records.map((record) => `${printed(treeOf(record, [], bare), '')}\n`).join('');

/** Columns that are read as numbers, as positions, as truth values, or as seconds counted since 1970. */
export function bareColumns(parts: DocumentParts): ReadonlySet<string> {
  const { leaves } = readingOf(parts, parts.plans);
  return new Set(
    leaves.flatMap((leaf) => (isBare(leaf) ? leafColumns(leaf).map((column) => keyOf(leaf.scope, column)) : [])),
  );
}

const keyOf = (scope: readonly string[], column: string): string => JSON.stringify([...scope, column]);

function isBare(leaf: AskedLeaf): boolean {
  if (leaf.kind === 'time') return patternsOf(leaf.field.parse).some((pattern) => pattern.startsWith('epoch'));
  return leaf.kind === 'number' || leaf.kind === 'coordinate' || isBoolean(leaf);
}

function treeOf({ cells, lists }: Draft, scope: readonly string[], bare: ReadonlySet<string>): Tree {
  let tree: Tree | undefined;
  const write = ([column, text]: [string, string]) => {
    tree = placed(tree, pathOf(column), { kind: 'value', json: valueText(text, bare.has(keyOf(scope, column))) });
  };
  const filled = [...cells].filter(([, text]) => text !== '');
  // A path into an array finds its elements there.
  const isInside = ([column]: [string, string]) =>
    [...lists.keys()].some((name) => startsWith(pathOf(column), pathOf(name)));
  for (const cell of filled) if (!isInside(cell)) write(cell);
  for (const [name, elements] of lists) {
    const items = elements.map((element) => treeOf(element, [...scope, name], bare));
    tree = placed(tree, pathOf(name), { kind: 'array', items });
  }
  for (const cell of filled) if (isInside(cell)) write(cell);
  return tree ?? { kind: 'object', members: new Map() };
}

const startsWith = (path: JsonPath, start: JsonPath): boolean => start.every((step, index) => path[index] === step);

function pathOf(text: string): JsonPath {
  const path = text === ELEMENT ? undefined : compilePath(text);
  return path?.ok === true ? path.value : [];
}

const BARE_VALUE = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/;

const valueText = (text: string, isBare: boolean): string =>
  isBare && BARE_VALUE.test(text) ? text : JSON.stringify(text);

/** What stands there first stays: two paths that contradict each other cannot both be written. */
function placed(into: Tree | undefined, path: JsonPath, tree: Tree): Tree {
  const [step, ...rest] = path;
  if (step === undefined) return into ?? tree;
  if (typeof step === 'string') {
    const object = into ?? { kind: 'object', members: new Map() };
    if (object.kind === 'object') object.members.set(step, placed(object.members.get(step), rest, tree));
    return object;
  }
  const array = into ?? { kind: 'array', items: [] };
  if (array.kind === 'array' && step < ITEMS_MAX) array.items[step] = placed(array.items[step], rest, tree);
  return array;
}

/** @param line what each member begins with: a line end and its indent, or nothing for a tree on one line. */
function printed(tree: Tree | undefined, line: string): string {
  if (tree === undefined) return 'null';
  if (tree.kind === 'value') return tree.json;
  const inner = line === '' ? '' : line + INDENT;
  if (tree.kind === 'array')
    return bracketed(
      '[]',
      Array.from(tree.items, (item) => printed(item, inner)),
      line,
    );
  const colon = line === '' ? ':' : ': ';
  const members = [...tree.members].map(([name, member]) => JSON.stringify(name) + colon + printed(member, inner));
  return bracketed('{}', members, line);
}

function bracketed(brackets: '[]' | '{}', parts: readonly string[], line: string): string {
  if (parts.length === 0) return brackets;
  const inner = line === '' ? '' : line + INDENT;
  return `${brackets[0]}${inner}${parts.join(`,${inner}`)}${line}${brackets[1]}`;
}
