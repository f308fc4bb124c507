/**
 * YAML text to plain values, strictly: every syntax error with its line, duplicate keys refused, keys always text as
 * written (`01` stays `01`), no tags, few aliases.
 *
 * Says where a path of the document stands in the text, so that later checks can name the line.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { err, ok, type Result } from '../../kernel/result.ts';
import { ALIASES_MAX, DOCUMENT_CHARACTERS_MAX, DOCUMENT_PROBLEMS_MAX } from '../limits.ts';
import type { DocumentPath, DocumentProblem } from './document-problem.ts';
import { cutPaths, type PlacedInText, withoutBrackets, yamlTraps } from './yaml-traps.ts';

export interface YamlText {
  value: unknown;
  /** Readable, and yet not what the author can have meant: the document must be refused, but can be checked further. */
  traps: DocumentProblem[];
  /** Where a path stands, or the nearest place above it that exists; line and column count from 1. */
  placeOf(path: DocumentPath): { line: number; column: number };
}

export function readYaml(text: string): Result<YamlText, DocumentProblem[]> {
  if (text.length > DOCUMENT_CHARACTERS_MAX) return err([tooLarge(text.length)]);
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
  return ok({ value: value.value, traps, placeOf: (path) => position(offsetOf(document, path)) });
}

const STRICT = {
  stringKeys: true,
  strict: true,
  uniqueKeys: false, // yaml-traps.ts finds double keys
  logLevel: 'error',
  prettyErrors: false,
} as const;

/** Of paths that end at their bracket only the paths are told, with what is wrong besides: nothing else in the text is at fault. */
function syntaxProblems(text: string, document: Document): PlacedInText[] {
  const covered = withoutBrackets(text);
  const other = parseDocument(covered, STRICT);
  const paths = cutPaths(text, covered, other);
  if (paths.length === 0) return yamlErrors(document);
  return [...paths, ...yamlErrors(other)].sort((left, right) => left.offset - right.offset);
}

/** Once the structure is lost, everything behind the first fault looks like one. */
const AFTER_LOSS = / token in YAML stream\b| at node end$/;

function yamlErrors({ errors, warnings }: Document): PlacedInText[] {
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

function describeYamlError(error: YAMLError): DocumentProblem {
  const message = `${error.message.replace(/\.$/, '')}.`;
  if (error.code === 'TAG_RESOLVE_FAILED' || error.code === 'MULTIPLE_DOCS') {
    return { path: '', code: 'yaml_not_supported', message, wanted: 'one document of plain YAML, without tags' };
  }
  return { path: '', code: 'yaml_syntax', message, wanted: 'valid YAML (look at indentation, colons and quotes)' };
}

/** Turning nodes into values resolves aliases; the library counts what they unfold to and throws above the limit. */
function resolveAliases(document: Document): Result<unknown, DocumentProblem[]> {
  try {
    return ok(document.toJS({ maxAliasCount: ALIASES_MAX }));
  } catch {
    const message = 'The aliases (*name) of this document unfold to too much.';
    return err([{ path: '', code: 'yaml_not_supported', message, wanted: `at most ${ALIASES_MAX} resolved aliases` }]);
  }
}

/** Offset of the key or list item a path leads to, as far as it exists; of a key that is missing, the one above. */
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
