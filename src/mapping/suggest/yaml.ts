/** The YAML of a drafted document: a line for each field, comments where somebody has to look. Pure. */
import type { Json } from '../document/canonical.ts';

/**
 * A key of the document. `value` undefined: it is not decided, and only its comments are written.
 *
 * @property comments lines above it. @property note behind it, in its line.
 */
export interface Entry {
  key: string;
  value: Json | Entry[] | ListOfLines | ListOfBlocks | undefined;
  comments: readonly string[];
  note: string | null;
}

/** A list of which each item has a line of its own. */
export interface ListOfLines {
  lines: readonly { value: Json; note: string | null }[];
}

/** A list of which each item has keys in lines of their own. */
interface ListOfBlocks {
  items: readonly (readonly Entry[])[];
}

const isBlocks = (value: Entry['value']): value is ListOfBlocks =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'items' in value;

const isLines = (value: Entry['value']): value is ListOfLines =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'lines' in value;

const isEntries = (value: Entry['value']): value is Entry[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null && 'comments' in each);

export const entry = (key: string, value: Entry['value'], note: string | null = null): Entry => ({
  key,
  value,
  comments: [],
  note,
});

/** Words that are plain in every YAML: letters first, no mark that has a meaning in flow or block. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_]*(?:[ ./-][A-Za-z0-9_]+)*$/;
/** Of those, words that some YAML reads as something else. */
const SPECIAL = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

export const yamlText = (text: string): string =>
  PLAIN.test(text) && !SPECIAL.test(text) ? text : JSON.stringify(text);

/** In one line, between braces and brackets. */
export function yamlFlow(value: Json | undefined): string {
  if (typeof value === 'string') return yamlText(value);
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).map(([key, each]) => `${yamlText(key)}: ${yamlFlow(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

export function yamlLines(entries: readonly Entry[], indent = ''): string[] {
  return entries.flatMap(({ key, value, comments, note }) => {
    const above = comments.map((comment) => `${indent}# ${oneLine(comment)}`);
    if (value === undefined) return above;
    const behind = note === null ? '' : ` # ${oneLine(note)}`;
    const name = yamlText(key);
    // Of a key of which nothing is decided yet only the comments can be written.
    if (isEntries(value) && value.length > 0 && value.every((each) => each.value === undefined)) {
      return [...above, ...yamlLines(value, indent)];
    }
    if (isEntries(value)) return [...above, `${indent}${name}:${behind}`, ...yamlLines(value, `${indent}  `)];
    if (isLines(value)) {
      const items = value.lines.map(
        (line) => `${indent}  - ${yamlFlow(line.value)}${line.note === null ? '' : ` # ${oneLine(line.note)}`}`,
      );
      return [...above, `${indent}${name}:${behind}`, ...items];
    }
    if (isBlocks(value)) {
      const blocks = value.items.flatMap((item) => {
        const [first = '', ...more] = yamlLines(item, `${indent}    `);
        return [`${indent}  - ${first.trimStart()}`, ...more];
      });
      return [...above, `${indent}${name}:${behind}`, ...blocks];
    }
    return [...above, `${indent}${name}: ${yamlFlow(value)}${behind}`];
  });
}

/** A comment ends with its line: a name from the file must not go on as a key of the document. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n\u0085\u2028\u2029]+/g, ' ');

/** A text of several lines, as it is, under its key. Null: it cannot be written so. */
export function yamlBlock(text: string, indent: string): string | null {
  // A block cannot hold these, nor begin with a blank without saying how deep it is.
  if (/[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd\n\t]|[\u0085\u2028\u2029\ufeff]/.test(text)) return null;
  const lines = text.replace(/\n$/, '').split('\n');
  const depth = /^[ \n]/.test(text) ? '2' : '';
  return [`|${depth}`, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
}
