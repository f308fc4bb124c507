/**
 * XML, also cut off at any place: a tree of elements and attributes, in which what repeats is a list. Prefixes are left
 * out, because a path without one is met in any namespace. Pure.
 */
import { SaxesParser } from 'saxes';
import { ENCODINGS, textCodec } from '../../../formats/encoding.ts';
import { XML_LIMITS } from '../../../formats/xml/limits.ts';
import { EXAMPLE_CHARACTERS_MAX } from '../limits.ts';
import type { FormatFact, Question } from '../suggestion.ts';
import { fact, type JsonObject, type Sample, type SampleOptions, type Unread } from './sample.ts';
import { type EncodedText, readText } from './text-encoding.ts';
import {
  arraysIn,
  type FoundArray,
  isObject,
  type PathForm,
  recordFacts,
  recordsOf,
  type TreeNode,
  type TreeRecords,
  weightOf,
} from './tree.ts';

/** The member with an element's own text, beside its attributes and elements. */
const OWN_TEXT = '';
/** Attributes that say what their element is: `ref[@type='PRO']`. */
const QUALIFIERS = ['type', 'qualifier', 'qual', 'kind', 'usage', 'role', 'key', 'name', 'typecode', 'code'];
/** What a path can compare an attribute with. */
const QUALIFIER_VALUE = /^[\w][\w .:-]{0,39}$/;

const xmlPaths = (root: string): PathForm => ({
  join: (names) => names.filter((name) => name !== OWN_TEXT).join('/') || '.',
  item: (path, index) => (index === 0 ? path : `${path}[${index + 1}]`),
  chosen: (item) => {
    const found = qualifierOf(item);
    return found === null ? null : { written: `[${found.name}='${found.value}']`, called: found.value };
  },
  list: (levels) => levels.flat().join('/'),
  outer: (path, left) => {
    const up = '../'.repeat(left.flat().length);
    return up !== '' && path === '.' ? '' : up + path;
  },
  inside: (each, path) => (path === '.' ? each : `${each}/${path}`),
  elementName: (path) => path.at(-1) ?? root,
  around: (names) => {
    const steps = names.filter((name) => name !== OWN_TEXT);
    return `/${[root, ...steps].join('/')}`;
  },
});

function qualifierOf(item: TreeNode): { name: string; value: string } | null {
  if (!isObject(item)) return null;
  for (const [name, value] of item.members) {
    const isQualifier = name.startsWith('@') && QUALIFIERS.includes(name.slice(1).toLowerCase());
    if (isQualifier && typeof value === 'string' && QUALIFIER_VALUE.test(value)) return { name, value };
  }
  return null;
}

/** Decoded as its declaration says, where it has one. */
export function readXml(bytes: Uint8Array, options: SampleOptions): EncodedText {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, XML_LIMITS.sniffBytes));
  const said = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/i.exec(head)?.[1]?.toLowerCase();
  const known = said === 'iso-8859-1' ? 'windows-1252' : said;
  const encoding = ENCODINGS.find((each) => each === known);
  if (encoding === undefined || encoding.startsWith('utf-16')) return readText(bytes, options);
  const codec = textCodec(encoding);
  const text = codec.toText(codec.toUnits(bytes, true));
  return { encoding, text, fact: fact('encoding', encoding, 'sure', 'Its first line declares it.'), questions: [] };
}

export function xmlSample(read: EncodedText, { answers, isPart }: SampleOptions): Sample | Unread {
  const unread = (reason: string): Unread => ({
    format: [fact('format', 'xml', 'unsure', reason), read.fact],
    questions: read.questions,
  });
  if (/<!DOCTYPE/i.test(read.text.slice(0, XML_LIMITS.sniffBytes)))
    return unread('It has a DOCTYPE: such files are refused. Ask for them without it.');
  const parsed = parsedXml(read.text);
  const { root } = parsed;
  if (root === null || (parsed.fault !== null && !isPart))
    return unread(`It is no XML: ${(parsed.fault ?? 'no element').replace(/\.$/, '')}.`);
  const form = xmlPaths(root.name);
  const tree = treeOf(root, listsIn(root));
  const answer = answers.get('records');
  const within = answer?.startsWith(`${root.name}/`) ? answer.slice(root.name.length + 1) : answer;
  const found = recordsOf(tree, form, within);
  if (found === null) return unread('It has a single value, and nothing that could be records.');
  const records = [root.name, ...found.path].join('/');
  const each = found.levels.length === 0 ? null : form.list(found.levels);
  const source: JsonObject = {
    format: 'xml',
    records,
    ...(read.encoding === 'utf-8' ? {} : { encoding: read.encoding }),
  };
  return {
    source,
    format: [
      fact('format', 'xml', 'sure', 'It begins with an element.'),
      read.fact,
      ...facts(root, found, records, each),
    ],
    questions: [...read.questions, ...recordsQuestion(tree, root.name, found, answer)],
    columns: found.columns,
    orders: found.orders,
    records: found.count,
    each,
    exampleOf: (count) => exampleOf(root, found.path, count, isPart),
  };
}

function facts(root: XmlElement, found: TreeRecords, records: string, each: string | null): FormatFact[] {
  const known = recordFacts(found, records, each);
  const isSingle = found.records.length === 1;
  // Of an element that is there once, nobody can tell whether it would be repeated.
  const told = isSingle
    ? known.map((it) => (it.what === 'records' ? { ...it, confidence: 'unsure' as const } : it))
    : known;
  return root.namespaces === 0
    ? told
    : [
        ...told,
        fact(
          'namespaces',
          String(root.namespaces),
          'sure',
          'Paths are written without a prefix: they are met in any namespace.',
        ),
      ];
}

/** A second list that holds as much as half of the one that was chosen may be meant. */
const RIVAL_SHARE = 0.5;

function recordsQuestion(tree: TreeNode, root: string, { path }: TreeRecords, answer: string | undefined): Question[] {
  const pathOf = (list: FoundArray): string => [root, ...list.path].join('/');
  const chosen = [root, ...path].join('/');
  const all = arraysIn(tree, []);
  const most = Math.max(...all.map(weightOf), 0);
  const rivals = all.filter((list) => weightOf(list) >= most * RIVAL_SHARE);
  if (path.length === 0 || rivals.length < 2) return [];
  return [
    {
      id: 'records',
      asks: 'Which element is a record?',
      why: 'Several elements repeat, each with elements of its own.',
      columns: [],
      evidence: [],
      choices: rivals.map((list) => ({ choice: pathOf(list), says: pathOf(list), isLikely: pathOf(list) === chosen })),
      free: null,
      answer: answer ?? null,
    },
  ];
}

/* The elements of a file. */

interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  text: string;
  /** Namespaces that it and its elements declare. */
  namespaces: number;
}

function parsedXml(text: string): { root: XmlElement | null; fault: string | null } {
  let root: XmlElement | null = null;
  let fault: string | null = null;
  let namespaces = 0;
  const open: XmlElement[] = [];
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    fault ??= error.message;
  });
  parser.on('opentag', (tag) => {
    if (fault !== null || open.length >= XML_LIMITS.depthMax) return;
    const all = Object.entries(tag.attributes);
    const isDeclared = (name: string): boolean => /^xmlns(?::|$)/.test(name);
    namespaces += all.filter(([name]) => isDeclared(name)).length;
    const own = all.flatMap(([name, value]): [string, string][] => (isDeclared(name) ? [] : [[bareName(name), value]]));
    const element = { name: bareName(tag.name), attributes: new Map(own), children: [], text: '', namespaces: 0 };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const addText = (piece: string): void => {
    const element = open.at(-1);
    if (element !== undefined && fault === null) element.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    if (fault === null) open.pop();
  });
  parser.write(text.replace(/^\ufeff/, ''));
  if (open.length > 0) fault ??= 'an element has no end';
  const found = root as XmlElement | null;
  return { root: found === null ? null : { ...found, namespaces }, fault };
}

const bareName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Paths of elements that are lists: met twice in one element anywhere in the file, met with several qualifiers, or alone
 * in an element that has the plural of their name, such as `shipments/shipment`.
 */
function listsIn(root: XmlElement): ReadonlySet<string> {
  const lists = new Set<string>();
  const qualifiers = new Map<string, Set<string>>();
  const walk = (element: XmlElement, path: string): void => {
    const counts = new Map<string, number>();
    for (const child of element.children) {
      const to = `${path}/${child.name}`;
      counts.set(to, (counts.get(to) ?? 0) + 1);
      for (const [name, value] of child.attributes) {
        if (!QUALIFIERS.includes(name.toLowerCase())) continue;
        const key = `${to} ${name}`;
        qualifiers.set(key, (qualifiers.get(key) ?? new Set()).add(value));
      }
      walk(child, to);
    }
    for (const [to, count] of counts) if (count > 1) lists.add(to);
    const [only] = element.children;
    if (counts.size === 1 && only !== undefined && holdsMany(element.name, only)) lists.add(`${path}/${only.name}`);
  };
  walk(root, '');
  for (const [key, values] of qualifiers) {
    const [to = ''] = key.split(' ');
    if (values.size > 1 && isLeafList(root, to)) lists.add(to);
  }
  return lists;
}

/** Elements with only a value in them: one that has elements of its own is a record, not a reference. */
const isLeafList = (root: XmlElement, path: string): boolean =>
  elementsAt([root], path.split('/').slice(1)).every(({ children }) => children.length <= 2);

const elementsAt = (from: readonly XmlElement[], names: readonly string[]): readonly XmlElement[] =>
  names.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
    from,
  );

/** `shipments/shipment`; or any plural, such as `significant-events`, around an element with elements of its own. */
const holdsMany = (many: string, { name, children }: XmlElement): boolean => {
  const [plural, single] = [many.toLowerCase(), name.toLowerCase()];
  return (
    (children.length > 1 && /[^su]s$/.test(plural)) ||
    ['s', 'es', 'list', 'en', 'e', 'n'].some((end) => plural === single + end) ||
    plural === single.replace(/y$/, 'ies')
  );
};

function treeOf(element: XmlElement, lists: ReadonlySet<string>, path = ''): TreeNode {
  const text = element.text.trim();
  if (element.attributes.size === 0 && element.children.length === 0) return text;
  const members = new Map<string, TreeNode>([...element.attributes].map(([name, value]) => [`@${name}`, value]));
  if (text !== '') members.set(OWN_TEXT, text);
  for (const child of element.children) {
    const to = `${path}/${child.name}`;
    const node = treeOf(child, lists, to);
    const known = members.get(child.name);
    if (!lists.has(to)) members.set(child.name, node);
    else members.set(child.name, Array.isArray(known) ? [...known, node] : [node]);
  }
  return { members };
}

/* The example. */

/** The document with its first records only, and with what stands before them. */
function exampleOf(root: XmlElement, path: readonly string[], count: number, isPart: boolean): string | null {
  const text = written(cutTo(root, path, count, isPart), 0);
  return text.length > EXAMPLE_CHARACTERS_MAX ? null : text;
}

function cutTo(element: XmlElement, path: readonly string[], count: number, isPart: boolean): XmlElement {
  const [name, ...rest] = path;
  if (name === undefined) return element;
  const isLast = rest.length === 0;
  const own = element.children.filter((child) => child.name === name);
  const whole = isLast && isPart && own.length > 1 ? own.slice(0, -1) : own; // the last one may be cut off
  const kept = isLast ? whole.slice(0, count) : whole.slice(0, 1).map((child) => cutTo(child, rest, count, isPart));
  const before = element.children.slice(
    0,
    element.children.findIndex((child) => child.name === name),
  );
  return { ...element, text: '', children: [...before, ...kept] };
}

function written(element: XmlElement, depth: number): string {
  const indent = '  '.repeat(depth);
  const attributes = [...element.attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`).join('');
  const text = escaped(element.text.trim());
  const head = `${indent}<${element.name}${attributes}`;
  if (element.children.length === 0) return text === '' ? `${head}/>\n` : `${head}>${text}</${element.name}>\n`;
  const inner = element.children.map((child) => written(child, depth + 1)).join('');
  const own = text === '' ? '' : `${indent}  ${text}\n`;
  return `${head}>\n${own}${inner}${indent}</${element.name}>\n`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
