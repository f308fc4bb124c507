/**
 * What YAML allows and an author cannot have meant: a key that stands twice (the last would win), the key `__proto__`
 * (it would vanish on the way through plain objects), `Load #` without quotes, of which YAML keeps `Load`, and `stops[0]`
 * without quotes within braces, where the bracket begins a list.
 *
 * The library's own search for double keys compares each with each, which a list of ten thousand codes turns into seconds.
 */
import { type Document, isCollection, isScalar, type Scalar, visit, type YAMLMap } from 'yaml';
import type { DocumentProblem } from './document-problem.ts';

/** @property offset of the place in the text. */
export interface PlacedInText {
  offset: number;
  problem: DocumentProblem;
}

export function yamlTraps(document: Document): PlacedInText[] {
  const found: PlacedInText[] = [];
  visit(document, {
    Map: (_, map) => {
      found.push(...doubleKeys(map));
    },
    Scalar: (role, scalar) => {
      const problem = role === 'key' ? forbiddenKey(scalar) : swallowedText(scalar);
      if (problem !== undefined) found.push({ offset: offsetOf(scalar), problem });
    },
  });
  return found;
}

const offsetOf = (scalar: Scalar): number => scalar.range?.[0] ?? 0;

function doubleKeys({ items }: YAMLMap): PlacedInText[] {
  const known = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const isDouble = known.has(key.value);
    known.add(key.value);
    if (!isDouble) return [];
    const message = 'This key stands twice in the same place.';
    return [
      {
        offset: offsetOf(key),
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

/** A bracket right behind a letter or digit, as paths have them. */
const BRACKETS = /(?<=[\w.\])])\[[^[\]\n]*\]/g;

/** The text without the brackets of paths, each place in it where it was. Only good for being read a second time. */
export const withoutBrackets = (text: string): string => text.replace(BRACKETS, (found) => '_'.repeat(found.length));

/**
 * The paths that YAML cuts at their bracket: plain texts with one within `{ }` or `[ ]`.
 *
 * @param covered the text without brackets, as `document` was read from it.
 */
export function cutPaths(text: string, covered: string, document: Document): PlacedInText[] {
  const found: PlacedInText[] = [];
  visit(document, {
    Scalar: (_, { type, range }, ancestors) => {
      const [from, to] = range ?? [0, 0];
      const path = text.slice(from, to);
      if (type !== 'PLAIN' || path === covered.slice(from, to)) return;
      if (!ancestors.some((node) => isCollection(node) && node.flow === true)) return;
      found.push({ offset: from, problem: cutPath(path) });
    },
  });
  return found;
}

function cutPath(path: string): DocumentProblem {
  const message = 'Within { } or [ ] a bracket begins a list, so that this path ends before it.';
  const quoted = path.includes('"') ? `'${path}'` : `"${path}"`;
  return { path: '', code: 'yaml_syntax', value: path, message, wanted: `the path in quotes: ${quoted}` };
}
