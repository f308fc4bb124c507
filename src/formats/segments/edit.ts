/**
 * Writes one text into a segment as it stands in its file: in its place, released where the file has a release
 * character, and with the separators it needs. Everything else of the segment stays as it is. Pure.
 */

/** One unit each; '' or null where the file has none. Units are bytes. */
export interface SegmentSyntax {
  element: string;
  component: string | null;
  repetition: string | null;
  release: string;
  terminator: string;
}

/** @property component null: the element as a whole. */
interface TextLocation {
  element: number;
  component: number | null;
}

interface Range {
  from: number;
  to: number;
}

/** @returns the ranges between separators, of which those that are released are none. */
function divided(units: string, { from, to }: Range, separator: string, release: string): Range[] {
  const ranges: Range[] = [];
  let start = from;
  for (let at = from; at < to; at += 1) {
    if (release !== '' && units[at] === release) at += 1;
    else if (units[at] === separator) {
      ranges.push({ from: start, to: at });
      start = at + 1;
    }
  }
  return [...ranges, { from: start, to }];
}

/** @returns where the text of a segment ends. A line feed as its terminator also covers CRLF. */
function endOfText(units: string, terminator: string): number {
  if (terminator === '' || !units.endsWith(terminator)) return units.length;
  const end = units.length - terminator.length;
  return terminator === '\n' && units[end - 1] === '\r' ? end - 1 : end;
}

/** @param units of the whole segment, with its terminator. text in units, released. */
export function withText(
  units: string,
  syntax: SegmentSyntax,
  { element, component }: TextLocation,
  text: string,
): string {
  const { release, terminator } = syntax;
  const end = endOfText(units, terminator);
  const elements = divided(units, { from: 0, to: end }, syntax.element, release);
  const found = elements[element];
  // The tag is the first of them.
  if (found === undefined)
    return replaced(
      units,
      { from: end, to: end },
      syntax.element.repeat(element + 1 - elements.length) +
        (syntax.component ?? '').repeat((component ?? 1) - 1) +
        text,
    );
  const [once = found] = syntax.repetition === null ? [found] : divided(units, found, syntax.repetition, release);
  if (component === null) return replaced(units, once, text);
  const components = syntax.component === null ? [once] : divided(units, once, syntax.component, release);
  const place = components[component - 1];
  if (place !== undefined) return replaced(units, place, text);
  const missing = (syntax.component ?? '').repeat(component - components.length);
  return replaced(units, { from: once.to, to: once.to }, missing + text);
}

const replaced = (units: string, { from, to }: Range, text: string): string =>
  units.slice(0, from) + text + units.slice(to);

const CONTROLS = /\p{Cc}/u;

/** @returns null: it cannot stand in this file, for it holds what divides it, or a line break. */
export function releasedText(
  text: string,
  { element, component, repetition, release, terminator }: SegmentSyntax,
): string | null {
  if (CONTROLS.test(text) || !text.isWellFormed()) return null;
  const dividing = [element, component, repetition, release, terminator].filter((each) => each !== null && each !== '');
  if (!dividing.some((each) => each !== null && text.includes(each))) return text;
  if (release === '') return null;
  return [...text].map((character) => (dividing.includes(character) ? release + character : character)).join('');
}
