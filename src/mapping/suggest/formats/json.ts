/** JSON and lines of JSON, also cut off at any place: a tree whose values are texts as written. Pure. */

import { EXAMPLE_CHARACTERS_MAX } from '../limits.ts';
import type { Question } from '../suggestion.ts';
import { fact, type JsonObject, type Sample, type SampleOptions, type Unread } from './sample.ts';
import type { EncodedText } from './text-encoding.ts';
import {
  BARE_VALUE,
  isObject,
  type PathForm,
  recordFacts,
  recordsOf,
  type TreeNode,
  type TreeRecords,
} from './tree.ts';

const BARE = /^[^.*[\]"\s](?:[^.*[\]"]*[^.*[\]"\s])?$/;
const JSON_PATHS: PathForm = {
  join: (names) =>
    names.reduce((text, name, index) => {
      if (index === 0 && text === '')
        return BARE.test(name) || name.includes('[') || name.includes('.') ? name : `[${JSON.stringify(name)}]`;
      return BARE.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`;
    }, ''),
  item: (path, index) => `${path}[${index}]`,
  chosen: () => null,
  list: (levels) =>
    levels.map((level) => (levels.length === 1 ? JSON_PATHS.join(level) : `${JSON_PATHS.join(level)}[]`)).join('.'),
  outer: (path, left) => '../'.repeat(left.length) + path,
  inside: (each, path) => `${each}[]${path === '.' ? '' : path.startsWith('[') ? path : `.${path}`}`,
  elementName: () => '',
  around: () => null,
};

export function jsonSample(
  { text, fact: encoding, questions }: EncodedText,
  { answers, isPart }: SampleOptions,
): Sample | Unread {
  const lines = linesOfJson(text);
  const root = lines ?? new LooseJson(text).read();
  if (root === null) {
    return {
      format: [encoding, fact('format', 'json', 'unsure', 'It begins like JSON, but is none that can be read.')],
      questions,
    };
  }
  const found = recordsOf(root, JSON_PATHS, answers.get('records'));
  if (found === null) {
    return {
      format: [encoding, fact('format', 'json', 'unsure', 'There are no objects in it that could be records.')],
      questions,
    };
  }
  const path = JSON_PATHS.join(found.path);
  const each = found.levels.length === 0 ? null : JSON_PATHS.list(found.levels);
  const where = lines !== null ? 'lines' : path === '' ? 'the document' : path;
  const format = lines === null ? 'json' : 'ndjson';
  const source: JsonObject = lines === null && path !== '' ? { format, records: path } : { format };
  return {
    source,
    format: [
      fact('format', format, 'sure', lines === null ? 'It is one JSON document.' : 'Each line is a JSON object.'),
      encoding,
      ...recordFacts(found, where, each),
    ],
    questions: [...questions, ...recordsQuestion(root, path, answers.get('records'))],
    columns: found.columns,
    orders: found.orders,
    records: found.count,
    each,
    exampleOf: (records) => exampleOf(root, found, lines !== null, records, isPart),
  };
}

/** Several arrays could hold the records. */
function recordsQuestion(root: TreeNode, chosen: string, answer: string | undefined): Question[] {
  if (!isObject(root)) return [];
  const paths = [...root.members]
    .filter(([, member]) => Array.isArray(member) && member.some(isObject))
    .map(([name]) => JSON_PATHS.join([name]));
  if (paths.length < 2 || (chosen === '' && answer === undefined)) return [];
  return [
    {
      id: 'records',
      asks: 'Which array holds the records?',
      why: 'There are several arrays of objects.',
      columns: [],
      evidence: [],
      choices: paths.map((path) => ({ choice: path, says: path, isLikely: path === chosen })),
      free: null,
      answer: answer ?? null,
    },
  ];
}

/** The document with its first records only. */
function exampleOf(
  root: TreeNode,
  { path, records }: TreeRecords,
  isLines: boolean,
  count: number,
  isPart: boolean,
): string | null {
  const whole = records.slice(0, Math.min(count, isPart ? Math.max(1, records.length - 1) : records.length));
  if (isLines) return fitting(whole.map((record) => `${jsonText(record)}\n`).join(''));
  if (Array.isArray(root)) return fitting(`[${whole.map(jsonText).join(',\n')}]\n`);
  if (path.length === 0) return fitting(`${jsonText(root)}\n`);
  return fitting(`${jsonText(within(path, whole))}\n`);
}

const within = (path: readonly string[], items: readonly TreeNode[]): TreeNode =>
  path.toReversed().reduce<TreeNode>((inner, name) => ({ members: new Map([[name, inner]]) }), items);

const fitting = (text: string): string | null => (text.length > EXAMPLE_CHARACTERS_MAX ? null : text);

function jsonText(node: TreeNode): string {
  if (typeof node === 'string') return node.startsWith(BARE_VALUE) ? node.slice(1) : JSON.stringify(node);
  if (Array.isArray(node)) return `[${(node as readonly TreeNode[]).map(jsonText).join(', ')}]`;
  return `{${[...(node as { members: ReadonlyMap<string, TreeNode> }).members].map(([name, member]) => `${JSON.stringify(name)}: ${jsonText(member)}`).join(', ')}}`;
}

/** @returns null: it is one document. */
function linesOfJson(text: string): TreeNode[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const [first, second] = lines;
  if (
    first === undefined ||
    second === undefined ||
    !/^\s*\{.*\}\s*$/.test(first) ||
    !second.trimStart().startsWith('{')
  )
    return null;
  const nodes = lines.map((line) => new LooseJson(line).read());
  const objects = nodes.filter((node) => node !== null);
  return objects.length >= nodes.length - 1 ? objects : null;
}

/** Ends each open value where the text ends. */
class LooseJson {
  readonly #text: string;
  #at = 0;
  #isBroken = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns null: no object and no array, or no JSON. */
  read(): TreeNode | null {
    const node = this.#value(0);
    this.#blanks();
    return this.#isBroken || typeof node === 'string' || this.#at < this.#text.length ? null : node;
  }

  #blanks(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? '.')) this.#at += 1;
  }

  #value(depth: number): TreeNode {
    this.#blanks();
    const character = this.#text[this.#at];
    if (depth > 60) this.#isBroken = true;
    if (this.#isBroken || character === undefined) return '';
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    if (character === '"') return this.#string();
    const word = /[-+.\w]+/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0];
    if (found === undefined || !/^(?:-?\d[\d.eE+-]*|true|false|null|[a-z]{1,4})$/.test(found)) {
      this.#isBroken = true;
      return '';
    }
    this.#at += found.length;
    return BARE_VALUE + found;
  }

  #object(depth: number): TreeNode {
    const members = new Map<string, TreeNode>();
    this.#at += 1;
    for (;;) {
      this.#blanks();
      const character = this.#text[this.#at];
      if (character === undefined) break;
      if (character === '}') {
        this.#at += 1;
        break;
      }
      if (character === ',') {
        this.#at += 1;
        continue;
      }
      if (character !== '"') {
        this.#isBroken = true;
        break;
      }
      const name = this.#string();
      this.#blanks();
      if (this.#text[this.#at] === undefined) break;
      if (this.#text[this.#at] !== ':') {
        this.#isBroken = true;
        break;
      }
      this.#at += 1;
      members.set(name, this.#value(depth + 1));
      if (this.#isBroken) break;
    }
    return { members };
  }

  #array(depth: number): TreeNode {
    const items: TreeNode[] = [];
    this.#at += 1;
    for (;;) {
      this.#blanks();
      const character = this.#text[this.#at];
      if (character === undefined || this.#isBroken) break;
      if (character === ']') {
        this.#at += 1;
        break;
      }
      if (character === ',') this.#at += 1;
      else items.push(this.#value(depth + 1));
    }
    return items;
  }

  #string(): string {
    const string = /"(?:[^"\\]|\\.)*"/sy;
    string.lastIndex = this.#at;
    const written = string.exec(this.#text)?.[0];
    if (written === undefined) {
      this.#at = this.#text.length;
      return '';
    }
    this.#at += written.length;
    try {
      return String(JSON.parse(written));
    } catch {
      this.#isBroken = true;
      return '';
    }
  }
}
