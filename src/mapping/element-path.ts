/**
 * Paths of what is read in the elements of an array, as seen from the record: `lines[2].quantity`, in XML
 * `lines/line[3]/@quantity`.
 *
 * A place is known when a mapping is compiled, the element only when a record is read: until then it is written as `[]`
 * or `[*]`, which is no path of its own.
 */
import { ELEMENT } from '../formats/json/path.ts';
import type { Problem } from '../kernel/problem.ts';

/** How a format writes paths. XML counts elements from 1, as XPath does. */
export type PathStyle = 'json' | 'xml';
const PLACEHOLDER: Record<PathStyle, string> = { json: '[]', xml: '[*]' };
const isXml = (elements: string): boolean => elements.endsWith(PLACEHOLDER.xml);

/** @param within where the array itself stands, '' in the record. @returns where its elements are: `lines[]`. */
export const elementsOf = (within: string, array: string, style: PathStyle): string =>
  `${pathWithin(within, array)}${PLACEHOLDER[style]}`;

/** @param path inside an element, or in the record where `within` is ''. */
export function pathWithin(within: string, path: string): string {
  if (within === '') return path;
  const inside = path.trim();
  if (inside === ELEMENT) return within;
  if (isXml(within)) return inside.startsWith('/') ? inside : `${within}/${inside}`;
  return inside.startsWith('[') ? within + inside : `${within}.${inside}`;
}

/** Says which element a problem is in. @param at its place in the array, counted from 0. */
export function inElement(elements: string, at: number, problem: Problem): Problem {
  const element = isXml(elements)
    ? `${elements.slice(0, -PLACEHOLDER.xml.length)}[${at + 1}]`
    : `${elements.slice(0, -PLACEHOLDER.json.length)}[${at}]`;
  const { path, message, fix } = problem;
  return {
    ...problem,
    path: path.replaceAll(elements, element),
    message: message.replaceAll(elements, element),
    fix: fix.replaceAll(elements, element),
  };
}
