/**
 * Where in a YAML document the cursor stands: the keys above it, and whether a key or a value is being written. The text
 * is unfinished there, so that a parser sees little of it: lines and their indents decide. Pure.
 */

/** A key, or an entry of a list. */
export type YamlStep = string | typeof ENTRY;
export const ENTRY = 0;

interface Cursor {
  path: YamlStep[];
  /** The key whose value is written; null: a key is. */
  key: string | null;
  /** Keys that are there already, beside the one being written. */
  beside: string[];
  /** What stands of it before the cursor. */
  typed: string;
}

interface Line {
  /** Columns of its dashes, outermost first. */
  dashes: number[];
  /** Column of its key or value. */
  at: number;
  key: string | null;
  /** What follows the colon, or the whole where there is no key. */
  rest: string;
}

const KEY =
  /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#:{}[\],&*!|>'"%@`-][^:#{}[\]]*?|-[^\s:][^:]*?))\s*:(?:\s+(.*))?$/;

function lineOf(text: string): Line | null {
  if (/^\s*(?:#.*)?$/.test(text)) return null;
  const dashes: number[] = [];
  let at = text.search(/\S/);
  for (let dash = /^-(?:\s+|$)/.exec(text.slice(at)); dash !== null; dash = /^-(?:\s+|$)/.exec(text.slice(at))) {
    dashes.push(at);
    at += dash[0].length;
    if (at >= text.length) break;
  }
  const content = text.slice(at);
  const found = KEY.exec(content);
  const key = found === null ? null : (found[1] ?? found[2] ?? found[3] ?? '');
  return { dashes, at, key, rest: found === null ? content : (found[4] ?? '') };
}

/** @returns null: within a comment or a block of text. */
export function cursorAt(text: string, offset: number): Cursor | null {
  const lines = text.split('\n');
  const number = text.slice(0, offset).split('\n').length - 1;
  const start = offset - (text.slice(0, offset).length - (text.lastIndexOf('\n', offset - 1) + 1));
  const before = text.slice(start, offset);
  if (/(?:^|\s)#/.test(withoutQuoted(before))) return null;
  const flow = openFlow(before);
  const head = flow === null ? before : before.slice(0, flow.at);
  const line = lineOf(head.trim() === '' ? `${head}x` : head);
  if (line === null) return null;
  const isFresh = head.trim() === '' || (line.key === null && flow === null && line.rest === 'x');
  const parents = parentsOf(lines, number, line);
  if (parents === null) return null;
  if (flow !== null) {
    const outer = line.key === null ? parents.path : [...parents.path, line.key];
    return { ...flow.cursor, path: [...outer, ...flow.cursor.path] };
  }
  if (line.key !== null) return { path: parents.path, key: line.key, beside: [], typed: line.rest };
  const typed = isFresh && head.trim() === '' ? '' : line.rest;
  return { path: parents.path, key: null, beside: parents.beside, typed };
}

const withoutQuoted = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?/g, (all) => '_'.repeat(all.length));

/** Keys and entries around a line, outermost first; null: it is part of a block of text. */
function parentsOf(lines: readonly string[], number: number, own: Line): { path: YamlStep[]; beside: string[] } | null {
  const path: YamlStep[] = [];
  let limit = own.at;
  let mayEqual = false;
  const enter = (dashes: readonly number[]): void => {
    for (const dash of dashes.toReversed()) {
      path.unshift(ENTRY);
      limit = dash;
      mayEqual = true;
    }
  };
  enter(own.dashes);
  for (let at = number - 1; at >= 0 && limit >= 0; at -= 1) {
    const line = lineOf(lines[at] ?? '');
    if (line === null) continue;
    const isParent =
      line.key !== null && (line.at < limit || (mayEqual && line.at === limit && line.dashes.length === 0));
    if (isParent && line.key !== null) {
      if (/^[|>][+-]?\d*\s*$/.test(line.rest)) return null;
      path.unshift(line.key);
      limit = line.at;
      mayEqual = false;
      enter(line.dashes);
    } else if (line.dashes.some((dash) => dash < limit) && line.at <= limit && !mayEqual) {
      enter(line.dashes.filter((dash) => dash < limit));
    }
  }
  return { path, beside: siblings(lines, number, own.at) };
}

/** Keys in the same column, up to a line that ends their map. */
function siblings(lines: readonly string[], number: number, at: number): string[] {
  const found: string[] = [];
  for (const step of [-1, 1]) {
    for (let index = number + step; index >= 0 && index < lines.length; index += step) {
      const line = lineOf(lines[index] ?? '');
      if (line === null) continue;
      const isEntry = line.dashes.some((dash) => dash < at);
      if (line.at < at || (step === 1 && isEntry)) break;
      if (line.at === at && line.key !== null) found.push(line.key);
      if (isEntry) break;
    }
  }
  return found;
}

/** `{ from: City, up` on one line. */
function openFlow(before: string): { at: number; cursor: Cursor } | null {
  const text = withoutQuoted(before);
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '{' || letter === '[') open.push(at);
    else if (letter === '}' || letter === ']') open.pop();
  }
  const [first] = open;
  if (first === undefined) return null;
  const path: YamlStep[] = [];
  let cursor: Cursor = { path, key: null, beside: [], typed: '' };
  open.forEach((from, depth) => {
    const inner = before.slice(from + 1, open[depth + 1] ?? before.length);
    const parts = flowParts(inner);
    const last = parts.at(-1) ?? '';
    const isList = text.charAt(from) === '[';
    const [, key = null, value = ''] = /^\s*["']?([^:"']+?)["']?\s*:\s*(.*)$/.exec(last) ?? [];
    const isInner = depth === open.length - 1;
    if (isList) path.push(ENTRY);
    if (!isInner) {
      if (key !== null) path.push(key.trim());
      return;
    }
    const beside = parts.slice(0, -1).map((part) => part.split(':')[0]?.trim() ?? '');
    if (isList && key === null) cursor = { path: path.slice(0, -1), key: '', beside: [], typed: last.trimStart() };
    else cursor = { path, key, beside, typed: key === null ? last.trimStart() : value };
  });
  return { at: first, cursor };
}

function flowParts(text: string): string[] {
  const bare = withoutQuoted(text);
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < bare.length; at += 1) {
    const letter = bare.charAt(at);
    if (letter === '{' || letter === '[') depth += 1;
    if (letter === '}' || letter === ']') depth -= 1;
    if (letter === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}
