/**
 * Paths of what is read in the elements of an array, as seen from the record: `lines[2].quantity`, in XML
 * `lines/line[3]/@quantity`.
 *
 * `../` leads out of an element, to the one around it. A place is known when a mapping is compiled, the element only when a record is read: until then it is written as `[]`
 * or `[*]`, which is no path of its own.
 */
import { EACH, ELEMENT } from '../../formats/json/path.ts';
import type { Problem } from '../../kernel/problem.ts';

/** How a format writes paths. XML counts elements from 1, as XPath does. */
export type PathStyle = 'json' | 'xml';
const PLACEHOLDER: Record<PathStyle, string> = { json: EACH, xml: '[*]' };
const isXml = (elements: string): boolean => elements.endsWith(PLACEHOLDER.xml);

/** @param within where the array itself stands, '' in the record. @returns where its elements are: `lines[]`. */
export function elementsOf(within: string, array: string, style: PathStyle): string {
  const path = array.trim();
  const isBracketed = style === 'json' && path.endsWith(EACH);
  return `${pathWithin(within, isBracketed ? path.slice(0, -EACH.length) : path)}${PLACEHOLDER[style]}`;
}

/** @param path inside an element, or in the record where `within` is ''. */
export function pathWithin(within: string, path: string): string {
  if (within === '') return path;
  const inside = path.trim();
  if (inside === ELEMENT) return within;
  if (isXml(within)) return inside.startsWith('/') ? inside : `${within}/${inside}`;
  if (inside.startsWith('../')) return pathWithin(outerOf(within), inside.slice('../'.length));
  return inside.startsWith('[') ? within + inside : `${within}.${inside}`;
}

/** @returns where the elements are whose arrays these stand in: of `lines[].parts[]` `lines[]`, '' for the record. */
function outerOf(elements: string): string {
  const end = elements.lastIndexOf(EACH, elements.length - EACH.length - 1);
  return end === -1 ? '' : elements.slice(0, end + EACH.length);
}

/** Says which element a problem is in. @param at its place in the array, counted from 0; of arrays in arrays in each of them. */
export function inElement(elements: string, at: readonly number[], problem: Problem): Problem {
  const written = isXml(elements)
    ? [[elements, `${elements.slice(0, -PLACEHOLDER.xml.length)}[${(at[0] ?? 0) + 1}]`] as const]
    : jsonElements(elements, at);
  const placed = (text: string): string =>
    written.reduce((placing, [unknown, element]) => placing.replaceAll(unknown, element), text);
  return { ...problem, path: placed(problem.path), message: placed(problem.message), fix: placed(problem.fix) };
}

/** The innermost first, so that an outer element is found where it stands alone. */
function jsonElements(elements: string, at: readonly number[]): (readonly [string, string])[] {
  const parts = elements.split(EACH).slice(0, -1);
  const before = parts.splice(0, parts.length - at.length).map((part) => part + EACH);
  const written = parts.map((_, depth) => {
    const own = parts.slice(0, depth + 1);
    const unknown = own.map((part) => part + EACH);
    const known = own.map((part, index) => `${part}[${at[index]}]`);
    return [[...before, ...unknown].join(''), [...before, ...known].join('')] as const;
  });
  return written.reverse();
}
