/**
 * YAML text to plain values, strictly: every syntax error with its line, duplicate keys refused, keys always text as
 * written (`01` stays `01`), no tags, few aliases.
 *
 * Also finds a document path in the text, so that later checks can name the line.
 */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { err, ok, type Result } from '../../kernel/result.ts';
import { ALIASES_MAX, DOCUMENT_CHARACTERS_MAX, DOCUMENT_PROBLEMS_MAX } from '../limits.ts';
import { didYouMean } from './nearest.ts';
import type { DocumentPath, DocumentProblem, LocatedProblem } from './problems.ts';

/*
 * What YAML allows but an author cannot have meant: a duplicate key (the last would win), the key `__proto__` (it would
 * vanish in plain objects), `Load #` without quotes, of which YAML reads `Load`, and `stops[0]` without quotes within
 * braces, where the bracket begins a list.
 *
 * The library's own search for duplicate keys is quadratic: a list of ten thousand codes would take seconds.
 */

/** @property offset in the text. */
interface LocatedInText {
  offset: number;
  problem: DocumentProblem;
}

function yamlTraps(document: Document): LocatedInText[] {
  const found: LocatedInText[] = [];
  visit(document, {
    Map: (_, map) => {
      found.push(...doubleKeys(map));
    },
    Scalar: (role, scalar) => {
      const problem = role === 'key' ? forbiddenKey(scalar) : swallowedText(scalar);
      if (problem !== undefined) found.push({ offset: scalarOffset(scalar), problem });
    },
  });
  return found;
}

const scalarOffset = (scalar: Scalar): number => scalar.range?.[0] ?? 0;

function doubleKeys({ items }: YAMLMap): LocatedInText[] {
  const known = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const isDouble = known.has(key.value);
    known.add(key.value);
    if (!isDouble) return [];
    const message = 'This key stands twice in the same place.';
    return [
      {
        offset: scalarOffset(key),
        problem: { path: '', code: 'duplicate_key', value: `${key.value}`, message, wanted: 'each key once' },
      },
    ];
  });
}

function forbiddenKey({ value }: Scalar): DocumentProblem | undefined {
  if (value !== '__proto__') return undefined;
  const message = 'This key cannot be used.';
  return { path: '', code: 'yaml_not_supported', value, message, wanted: 'another name' };
}

function swallowedText({ type, comment, source }: Scalar): DocumentProblem | undefined {
  if (type !== 'PLAIN' || comment?.trim() !== '') return undefined;
  const message = 'A "#" after a blank begins a comment, so it is not part of this text.';
  return { path: '', code: 'yaml_syntax', value: `${source} #`, message, wanted: `the text in quotes: "${source} #"` };
}

/** A bracket right after a letter or digit, as in paths. */
const BRACKETS = /(?<=[\w.\])])\[[^[\]\n]*\]/g;

/** The text without brackets of paths and without a `#` within braces, with unchanged offsets. Only for a second reading. */
const withoutCuts = (text: string): string =>
  text
    .replace(BRACKETS, (found) => '_'.repeat(found.length))
    .split('\n')
    .map(withoutComments)
    .join('\n');

/** A `#` after a blank, where more braces and brackets were opened than closed before it in its line, and one is after it. */
function withoutComments(line: string): string {
  const last = Math.max(line.lastIndexOf('}'), line.lastIndexOf(']'));
  let depth = 0;
  return line.replace(/[{[\]}]|(?<=[ \t])#/g, (mark, at: number) => {
    if (mark === '#') return depth > 0 && at < last ? '_' : mark;
    depth += mark === '{' || mark === '[' ? 1 : -1;
    return mark;
  });
}

/**
 * The texts that YAML cuts within `{ }` or `[ ]`: plain ones with a bracket of a path, or with a `#` after a blank.
 *
 * @param covered the text without them, from which `document` was read.
 */
function cutTexts(text: string, covered: string, document: Document): LocatedInText[] {
  const found: LocatedInText[] = [];
  visit(document, {
    Scalar: (_, { type, range }, ancestors) => {
      const [from, to] = range ?? [0, 0];
      const path = text.slice(from, to);
      if (type !== 'PLAIN' || path === covered.slice(from, to)) return;
      if (!ancestors.some((node) => isCollection(node) && node.flow === true)) return;
      found.push({ offset: from, problem: COMMENT_IN.test(path) ? cutByComment(path) : cutPath(path) });
    },
  });
  return found;
}

function cutPath(path: string): DocumentProblem {
  const message = 'Within { } or [ ] a bracket begins a list, so that this path ends before it.';
  const quoted = path.includes('"') ? `'${path}'` : `"${path}"`;
  return { path: '', code: 'yaml_syntax', value: path, message, wanted: `the path in quotes: ${quoted}` };
}

const COMMENT_IN = /[ \t]#/;

function cutByComment(text: string): DocumentProblem {
  const message =
    'A "#" after a blank begins a comment within { } and [ ], too, so that the rest of the line is cut off.';
  return { path: '', code: 'yaml_syntax', value: text, message, wanted: `the text in quotes: ${JSON.stringify(text)}` };
}

export interface YamlText {
  value: unknown;
  /** Readable, but not what the author can have meant: the document is refused, but can be checked further. */
  traps: DocumentProblem[];
  /** Location of a path, or of its nearest existing parent; line and column count from 1. */
  locationOf(path: DocumentPath): { line: number; column: number };
}

export function readYaml(text: string): Result<YamlText, DocumentProblem[]> {
  if (text.length > DOCUMENT_CHARACTERS_MAX) return err([tooLarge(text.length)]);
  if (hasManyAliases(text)) return err([manyAliases()]);
  const lines = new LineCounter();
  const document = parseDocument(text, { ...STRICT, lineCounter: lines });
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length + document.warnings.length > 0) {
    const found = syntaxProblems(text, document).map(({ offset, problem }) => ({ ...problem, ...position(offset) }));
    return err(found.slice(0, DOCUMENT_PROBLEMS_MAX));
  }
  const value = resolveAliases(document);
  if (!value.ok) return value;
  const traps = yamlTraps(document).map(({ offset, problem }) => ({ ...problem, ...position(offset) }));
  return ok({ value: value.value, traps, locationOf: (path) => position(offsetOf(document, path)) });
}

const STRICT = {
  stringKeys: true,
  strict: true,
  uniqueKeys: false, // duplicate keys are found below
  logLevel: 'error',
  prettyErrors: false,
} as const;

/** If texts are cut, only those and unrelated problems are reported. */
function syntaxProblems(text: string, document: Document): LocatedInText[] {
  const covered = withoutCuts(text);
  const other = parseDocument(covered, STRICT);
  const cut = cutTexts(text, covered, other);
  if (cut.length === 0) return yamlErrors(document);
  return [...cut, ...yamlErrors(other)].sort((left, right) => left.offset - right.offset);
}

/** Once the structure is lost, everything after the first fault looks wrong. */
const AFTER_LOSS = / token in YAML stream\b| at node end$/;

function yamlErrors({ errors, warnings }: Document): LocatedInText[] {
  const [first, ...others] = errors;
  const own = first === undefined ? [] : [first, ...others.filter(({ message }) => !AFTER_LOSS.test(message))];
  return [...own, ...warnings].map((error) => ({ offset: error.pos[0], problem: describeYamlError(error) }));
}

const tooLarge = (characters: number): DocumentProblem => ({
  path: '',
  code: 'too_large',
  value: `${characters} characters`,
  message: 'The document is too large.',
  wanted: `at most ${DOCUMENT_CHARACTERS_MAX} characters`,
});

const INDENTED = 'keys of one level below each other, those that belong to a key two blanks further in';
const CLOSED = 'each quote, { and [ closed, commas between entries, and "key: value" with a blank after the colon';
const QUOTED = 'the text in quotes';

/** What the library found, in the words of somebody who writes a mapping: what is wrong, and what is wanted. */
const YAML_TEXTS: Readonly<Record<YAMLError['code'], readonly [message: string, wanted: string]>> = {
  ALIAS_PROPS: ['A "*" at the beginning refers to another part; nothing more can be said of it here.', QUOTED],
  BAD_ALIAS: ['A text that begins with "*" refers to a part that has a name, and there is none of this name.', QUOTED],
  BAD_COLLECTION_TYPE: ['The tag wants another kind of value than stands here.', 'the value without a tag'],
  BAD_DIRECTIVE: ['A line that begins with "%" is no part of a mapping.', QUOTED],
  BAD_DQ_ESCAPE: ['In double quotes a "\\" begins a special character, and this is none.', 'the text in single quotes'],
  BAD_INDENT: ['This line is not indented as those that it belongs to.', INDENTED],
  BAD_PROP_ORDER: ['A name or a tag stands where none can be.', QUOTED],
  BAD_SCALAR_START: ['A text cannot begin with this character.', QUOTED],
  BLOCK_AS_IMPLICIT_KEY: ['A second "key: value" stands in one line.', 'each key in a line of its own'],
  BLOCK_IN_FLOW: ['A list or keys by indentation cannot stand within { } or [ ].', CLOSED],
  DUPLICATE_KEY: ['This key stands twice in the same place.', 'each key once'],
  IMPOSSIBLE: ['What stands here cannot be read.', CLOSED],
  KEY_OVER_1024_CHARS: ['This key is too long: a quote or a bracket before it may not be closed.', CLOSED],
  MISSING_CHAR: ['Something is missing here: a closing quote or bracket, a comma, or a blank after a colon.', CLOSED],
  MULTILINE_IMPLICIT_KEY: [
    'A key goes over several lines, or has no colon after it.',
    'each key in a line, with ": " after it',
  ],
  MULTIPLE_ANCHORS: ['A part has two names.', 'one name after "&"'],
  MULTIPLE_DOCS: ['A line "---" begins a second document.', 'one document of plain YAML, without tags'],
  MULTIPLE_TAGS: ['A value has two tags.', 'the value without a tag'],
  NON_STRING_KEY: ['A key must be a text.', 'the key in quotes'],
  RESOURCE_EXHAUSTION: ['It is nested too deep to be read.', 'fewer levels'],
  TAB_AS_INDENT: ['A tab stands where the line is indented.', 'blanks in place of the tab'],
  TAG_RESOLVE_FAILED: [
    'A word that begins with "!" is a tag, and tags are not read.',
    'one document of plain YAML, without tags',
  ],
  UNEXPECTED_TOKEN: ['This cannot stand here: what comes before it may not be closed.', CLOSED],
};

const NOT_SUPPORTED: readonly YAMLError['code'][] = ['TAG_RESOLVE_FAILED', 'MULTIPLE_DOCS'];

function describeYamlError({ code: found }: YAMLError): DocumentProblem {
  const [message, wanted] = YAML_TEXTS[found];
  return { path: '', code: NOT_SUPPORTED.includes(found) ? 'yaml_not_supported' : 'yaml_syntax', message, wanted };
}

/** The library takes a time for each alias that grows with the document: thousands of them would take seconds. */
function hasManyAliases(text: string): boolean {
  if (text.split('*', ALIASES_MAX + 2).length <= ALIASES_MAX + 1) return false;
  let aliases = 0;
  let before = '';
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('*') && before !== SCALAR_NEXT) aliases += 1;
    if (aliases > ALIASES_MAX) return true;
    before = token;
  }
  return false;
}

/** What the library's lexer puts before the text of a plain scalar. */
const SCALAR_NEXT = '\x1f';

const manyAliases = (): DocumentProblem => ({
  path: '',
  code: 'yaml_not_supported',
  message: 'The aliases (*name) of this document unfold to too much.',
  wanted: `at most ${ALIASES_MAX} resolved aliases`,
});

/** Converting nodes to values resolves aliases; the library counts the result and throws above the limit. */
function resolveAliases(document: Document): Result<unknown, DocumentProblem[]> {
  try {
    return ok(document.toJS({ maxAliasCount: ALIASES_MAX }));
  } catch (thrown) {
    // The library looks for the parts that are referred to only here.
    const [message, wanted] = YAML_TEXTS.BAD_ALIAS;
    const isUnknown = thrown instanceof ReferenceError && thrown.message.startsWith('Unresolved alias');
    return err([isUnknown ? { path: '', code: 'yaml_syntax', message, wanted } : manyAliases()]);
  }
}

/** Offset of the key or list item at a path, as far as it exists; of a missing key, its parent's. */
function offsetOf(document: Document, path: DocumentPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined || !isScalar(pair.key)) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/*
 * A document that extends a shipped one: a partner's dialect, which says only what differs.
 *
 * The result is a whole document, which is validated, proved and stored: a batch knows nothing of its base, and a base
 * changed by a later deploy reaches a dialect only when the dialect is published again.
 */

/** Whole documents that may be extended: texts by name. */
export type Bases = ReadonlyMap<string, string>;

interface Expanded {
  value: unknown;
  /** Whether the list of paths that must have one value is the base's. */
  hasInheritedSingle: boolean;
}

/** These are never inherited. */
const OWN_KEYS = ['mapping', 'description', 'examples'];
/** Merged with the base's by name; anything else replaces the base's value as a whole. */
const MERGED_KEYS = ['source', 'fields', 'order'];

type Members = Readonly<Record<string, unknown>>;

export function expanded(own: unknown, bases: Bases): Result<Expanded, LocatedProblem[]> {
  if (!isMembers(own) || own.extends === undefined) return ok({ value: own, hasInheritedSingle: false });
  const { extends: name, ...others } = own;
  const text = typeof name === 'string' ? bases.get(name) : undefined;
  const yaml = text === undefined ? undefined : readYaml(text);
  const base = yaml?.ok === true ? yaml.value.value : undefined;
  if (!isMembers(base) || base.extends !== undefined) return err([unknownBase(name, bases)]);
  const inherited = Object.fromEntries(Object.entries(base).filter(([key]) => !OWN_KEYS.includes(key)));
  const merged = MERGED_KEYS.flatMap((key) => {
    const [before, after] = [inherited[key], others[key]];
    return isMembers(before) && isMembers(after) ? [[key, { ...before, ...after }] as const] : [];
  });
  const hasInheritedSingle = !(isMembers(others.source) && 'single' in others.source);
  return ok({ value: { ...inherited, ...others, ...Object.fromEntries(merged) }, hasInheritedSingle });
}

/** A path that must have one value in the base, but that the dialect does not read, is no longer checked. */
export function withoutUnread(value: unknown, problems: readonly LocatedProblem[]): unknown {
  const unread = new Set(problems.filter(isUnreadSingle).map(({ at }) => at[2]));
  if (unread.size === 0 || !isMembers(value) || !isMembers(value.source)) return value;
  const { single, ...source } = value.source;
  const kept = Array.isArray(single) ? single.filter((_, index) => !unread.has(index)) : [];
  return { ...value, source: kept.length === 0 ? source : { ...source, single: kept } };
}

const isUnreadSingle = ({ at, code }: LocatedProblem): boolean =>
  code === 'no_effect' && at[0] === 'source' && at[1] === 'single' && at.length === 3;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unknownBase = (name: unknown, bases: Bases): LocatedProblem => ({
  at: ['extends'],
  code: 'base_unknown',
  value: String(name),
  message: `"extends" names no shipped mapping that is whole in itself.${didYouMean(String(name), bases.keys())}`,
  wanted: 'the name of a shipped mapping that extends none',
});
