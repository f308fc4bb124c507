/**
 * A JSON record as cells: each text, number, true, false and null in it, under its path as mappings write it
 * (`stops[1].code`). A changed cell is put into the record's own text, so that nothing else of it changes. Pure.
 */

/** @property from, to where the value stands in the text. isText: it is in quotes. */
interface JsonCell {
  column: string;
  text: string;
  from: number;
  to: number;
  isText: boolean;
}

/** Cells of one record. Ours: a page of fields. */
const CELLS_MAX = 300;
/** Objects and arrays inside of each other. Ours: more than files have, and far from a deep stack. */
const DEPTH_MAX = 32;

/** @returns null for what is no JSON object, or has more cells than one can look at. */
export function jsonCells(record: string): JsonCell[] | null {
  if (!isObject(record)) return null;
  const cells: JsonCell[] = [];
  const reader = { text: record, at: 0, cells };
  return walked(reader, '', 0) && cells.length <= CELLS_MAX ? cells : null;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

interface Walk {
  text: string;
  at: number;
  cells: JsonCell[];
}

const BLANK = /[ \t\r\n]*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y;

/** The text is JSON, so that each step is what it must be. @returns false: too deep. */
function walked(walk: Walk, path: string, depth: number): boolean {
  if (depth > DEPTH_MAX) return false;
  skipped(walk, BLANK);
  const open = walk.text[walk.at];
  if (open !== '{' && open !== '[') {
    const from = walk.at;
    const token = skipped(walk, SCALAR);
    const isText = token.startsWith('"');
    const text = isText ? (JSON.parse(token) as string) : token === 'null' ? '' : token;
    walk.cells.push({ column: path, text, from, to: walk.at, isText });
    return true;
  }
  const close = open === '{' ? '}' : ']';
  for (let index = 0; ; index += 1) {
    walk.at += 1; // the bracket, or the comma
    skipped(walk, BLANK);
    if (walk.text[walk.at] === close) break;
    let inner = `${path}[${index}]`;
    if (open === '{') {
      const name = JSON.parse(skipped(walk, SCALAR)) as string;
      inner = path === '' ? name : `${path}.${name}`;
      skipped(walk, BLANK);
      walk.at += 1; // the colon
    }
    if (!walked(walk, inner, depth + 1)) return false;
    skipped(walk, BLANK);
    if (walk.text[walk.at] === close) break;
  }
  walk.at += 1;
  return true;
}

function skipped(walk: Walk, pattern: RegExp): string {
  pattern.lastIndex = walk.at;
  const [found = ''] = pattern.exec(walk.text) ?? [];
  walk.at += found.length;
  return found;
}

/** A member of the record itself, which can be added where it is missing. */
const OWN_MEMBER = /^[^.[\]\s,"]+$/;

/** Empty cells for what problems miss in the record. */
export const missingCells = (paths: readonly string[], cells: readonly { column: string }[]): string[] =>
  [...new Set(paths)].filter((path) => OWN_MEMBER.test(path) && !cells.some(({ column }) => isWithin(column, path)));

const isWithin = (column: string, path: string): boolean =>
  column === path || column.startsWith(`${path}.`) || column.startsWith(`${path}[`);

/** @param changes by path. What was a number, or is one now, stays without quotes where JSON can write it. */
export function withJsonChanges(record: string, changes: Readonly<Record<string, string>>): string {
  const cells = jsonCells(record) ?? [];
  let text = record;
  for (const { column, from, to, isText } of cells.toReversed()) {
    const value = changes[column];
    if (value === undefined) continue;
    text = text.slice(0, from) + (isText ? JSON.stringify(value) : written(value)) + text.slice(to);
  }
  const added = Object.entries(changes).filter(([path]) => !cells.some(({ column }) => column === path));
  const members = added.map(([path, value]) => `${JSON.stringify(path)}:${JSON.stringify(value)}`).join(',');
  if (members === '') return text;
  const rest = text.trimStart().slice(1);
  return `{${members}${/^\s*\}/.test(rest) ? '' : ','}${rest}`;
}

/**
 * Without the members of these names, wherever they stand in the record itself; each goes with one comma, and all else stays
 * as written. What is no JSON is cut as far as it reads like some.
 * @param record from its first brace to its last.
 */
export function withoutMembers(record: string, names: readonly string[]): string {
  const kept = membersOf(record).filter((member) => !names.includes(nameOf(member)));
  return `{${kept.join(',')}}`;
}

/** The texts between the commas of the record itself. */
function membersOf(record: string): string[] {
  const members: string[] = [];
  let [from, depth, isInText] = [1, 0, false];
  for (let at = 1; at < record.length - 1; at += 1) {
    const unit = record[at];
    if (unit === '"') isInText = !isInText;
    else if (isInText) at += unit === '\\' ? 1 : 0;
    else if (unit === '{' || unit === '[') depth += 1;
    else if (unit === '}' || unit === ']') depth -= 1;
    else if (unit === ',' && depth === 0) {
      members.push(record.slice(from, at));
      from = at + 1;
    }
  }
  return [...members, record.slice(from, -1)];
}

const NAME = /^\s*"([^"]*)"\s*:/;
const ESCAPED_UNIT = /\\u([0-9a-f]{4})/gi;

/** Of one with an escaped quote, and of what is no member: none. */
function nameOf(member: string): string {
  const [, written = ''] = NAME.exec(member) ?? [];
  return written.replace(ESCAPED_UNIT, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false)$/;

const written = (value: string): string =>
  LITERAL.test(value) ? value : value === '' ? 'null' : JSON.stringify(value);
