/**
 * YAML text to plain values, strictly: every syntax error with its line, duplicate keys refused, keys always text as
 * written (`01` stays `01`), no tags, few aliases.
 *
 * Says where a path of the document stands in the text, so that later checks can name the line.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { err, ok, type Result } from '../kernel/result.ts';
import type { DocumentPath, DocumentProblem } from './document-problem.ts';
import { ALIASES_MAX, DOCUMENT_CHARACTERS_MAX, DOCUMENT_PROBLEMS_MAX } from './limits.ts';

export interface YamlText {
  value: unknown;
  /** Where a path stands, or the nearest place above it that exists; line and column count from 1. */
  placeOf(path: DocumentPath): { line: number; column: number };
}

export function readYaml(text: string): Result<YamlText, DocumentProblem[]> {
  if (text.length > DOCUMENT_CHARACTERS_MAX) return err([tooLarge(text.length)]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    stringKeys: true,
    strict: true,
    uniqueKeys: true,
    logLevel: 'silent',
    prettyErrors: false,
  });
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems: DocumentProblem[] = [...document.errors, ...document.warnings].map((error) => ({
    ...describeYamlError(error),
    ...position(error.pos[0]),
  }));
  if (problems.length === 0) problems.push(...traps(document, position));
  if (problems.length > 0) return err(problems.slice(0, DOCUMENT_PROBLEMS_MAX));
  const value = resolveAliases(document);
  if (!value.ok) return value;
  return ok({ value: value.value, placeOf: (path) => position(offsetOf(document, path)) });
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
  if (error.code === 'DUPLICATE_KEY') {
    return {
      path: '',
      code: 'duplicate_key',
      message: 'This key stands twice in the same place.',
      wanted: 'each key once',
    };
  }
  if (error.code === 'TAG_RESOLVE_FAILED' || error.code === 'MULTIPLE_DOCS') {
    return { path: '', code: 'yaml_not_supported', message, wanted: 'one document of plain YAML, without tags' };
  }
  return { path: '', code: 'yaml_syntax', message, wanted: 'valid YAML (look at indentation, colons and quotes)' };
}

/**
 * What YAML allows and an author cannot have meant: `__proto__`, which would vanish on the way through plain objects, and
 * `Load #` without quotes, of which YAML keeps `Load` and takes the rest for a comment.
 */
function traps(document: Document, position: (offset: number) => { line: number; column: number }): DocumentProblem[] {
  const found: DocumentProblem[] = [];
  visit(document, {
    Scalar(key, node) {
      const place = position(node.range?.[0] ?? 0);
      if (key === 'key' && node.value === '__proto__') {
        const message = 'This key cannot be used.';
        found.push({
          path: '',
          code: 'yaml_not_supported',
          value: '__proto__',
          message,
          wanted: 'another name',
          ...place,
        });
      }
      if (key !== 'key' && node.type === 'PLAIN' && node.comment?.trim() === '') {
        const message = 'A "#" after a blank begins a comment, so it is not part of this text.';
        const wanted = `the text in quotes: "${node.source} #"`;
        found.push({ path: '', code: 'yaml_syntax', value: `${node.source} #`, message, wanted, ...place });
      }
    },
  });
  return found;
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
