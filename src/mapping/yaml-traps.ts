/**
 * What YAML allows and an author cannot have meant: a key that stands twice (the last would win), the key `__proto__`
 * (it would vanish on the way through plain objects), and `Load #` without quotes, of which YAML keeps `Load`.
 *
 * The library's own search for double keys compares each with each, which a list of ten thousand codes turns into seconds.
 */
import { type Document, isScalar, type Scalar, visit, type YAMLMap } from 'yaml';
import type { DocumentProblem } from './document-problem.ts';

/** @property offset of the place in the text. */
export interface YamlTrap {
  offset: number;
  problem: DocumentProblem;
}

export function yamlTraps(document: Document): YamlTrap[] {
  const found: YamlTrap[] = [];
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

function doubleKeys({ items }: YAMLMap): YamlTrap[] {
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
