/**
 * Paths to elements of segments, in the field's own notation: `B10-03`, `STS-02.1`, `L11[02=QN]-01`, `N1[01=SH]/N4-01`.
 *
 * Elements and components count from 1. Brackets choose a segment, or a loop by the segment that opens it, by the value
 * of an element: `[02=BM|PO]`, or not that value: `[03!=TL]`; in `[01=ST>CN]` the first value that occurs at all. A
 * path starts at the record and searches outwards, loop by loop, to the envelope; a first name that is the record's own
 * loop or one around it says exactly which. `PO1-06=VN` is the element after the first of 06, 08, 10 … that is `VN`.
 * Compiled once. Pure and total.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { type Choice, elementText, type Segment } from './segment.ts';

export interface Step {
  /** A loop, or a segment's tag. */
  name: string;
  choices: readonly Choice[];
}

/**
 * `steps`: loops, the last one the segment.
 *
 * @property pair not null: the element is the first qualifier; each qualifier says what the element after it is, and
 * the text is the one after the wanted qualifier; if several are `ranked`, the first that occurs counts.
 */
interface SegmentPath {
  steps: readonly Step[];
  element: number;
  component: number | null;
  pair: ElementPair | null;
}

export type ElementPair = Pick<Choice, 'element' | 'values' | 'ranked'>;

/** Longest path, in characters. Ours. */
const PATH_CHARACTERS_MAX = 300;

const NAME = /[A-Za-z][A-Za-z0-9_]*/y;
const CHOICE = /\[(\d{1,2})(?:\.(\d{1,2}))?(!?)=([^[\]]+)\]/y;
const PLACE = /-(\d{1,2})(?:\.(\d{1,2}))?$/y;
const PAIR = /-(\d{1,2})=([^[\]/,]+)$/y;

const WANTED_ELEMENT =
  'a segment and an element, such as B10-03, STS-02.1 or L11[02=QN]-01, with the loop before it where it is needed: N1[01=SH]/N4-01';
const WANTED_LIST = 'a loop or a segment, such as LX, N1[01=SH]/PER or L11[02=BM|PO]';

/** @returns the expected form when the text is not a path to an element. */
export function compileElementPath(text: string): Result<SegmentPath, string> {
  const read = readSteps(text);
  if (read === null) return err(WANTED_ELEMENT);
  PLACE.lastIndex = read.to;
  PAIR.lastIndex = read.to;
  const pair = PAIR.exec(text);
  const place = pair ?? PLACE.exec(text);
  if (place === null) return err(WANTED_ELEMENT);
  const element = Number(place[1]);
  const component = pair === null ? place[2] : undefined;
  if (element === 0 || component === '0' || component === '00') return err('elements and components count from 1');
  return ok({
    steps: read.steps,
    element,
    component: component === undefined ? null : Number(component),
    pair: pair === null ? null : { element, ...valuesOf(pair[2] ?? '') },
  });
}

/** `BM|PO`: either of them; `ST>CN`: the first of them that occurs. */
function valuesOf(text: string): Pick<Choice, 'values' | 'ranked'> {
  const ranked = text.includes('>');
  return { values: text.split(ranked ? '>' : '|'), ranked };
}

/** @returns the expected form when the text names neither a loop nor a segment. */
export function compileListPath(text: string): Result<readonly Step[], string> {
  const read = readSteps(text);
  return read !== null && read.to === text.length ? ok(read.steps) : err(WANTED_LIST);
}

function readSteps(text: string): { steps: Step[]; to: number } | null {
  if (text.length > PATH_CHARACTERS_MAX) return null;
  const steps: Step[] = [];
  for (let at = 0; ; at += 1) {
    NAME.lastIndex = at;
    const name = NAME.exec(text)?.[0];
    if (name === undefined) return null;
    at += name.length;
    const choices: Choice[] = [];
    for (;;) {
      CHOICE.lastIndex = at;
      const match = CHOICE.exec(text);
      if (match === null) break;
      const [whole, element, component, sign, values = ''] = match;
      choices.push({
        element: Number(element),
        component: component === undefined ? null : Number(component),
        isNot: sign === '!',
        ...(sign === '!' ? { values: values.split('|'), ranked: false } : valuesOf(values)),
      });
      at += whole.length;
    }
    steps.push({ name, choices });
    if (text[at] !== '/') return { steps, to: at };
  }
}

/** Of matching segments, or loops by the segments that open them: those with the best of the ranked values. */
export function bestOf<Found>(
  found: readonly Found[],
  choices: readonly Choice[],
  segmentOf: (one: Found) => Segment | undefined,
): readonly Found[] {
  let left = found;
  for (const { element, component, values, ranked } of choices) {
    if (!ranked || left.length < 2) continue;
    const ranks = left.map((one) => {
      const segment = segmentOf(one);
      return segment === undefined ? -1 : values.indexOf(elementText(segment, element, component).trim());
    });
    const best = ranks.reduce((least, rank) => Math.min(least, rank));
    left = left.filter((_, at) => ranks[at] === best);
  }
  return left;
}

/** @returns the element after the wanted qualifier; undefined if there is none, or nothing after it. */
export function pairedElement(segment: Segment, { element: first, values, ranked }: ElementPair): number | undefined {
  const { elements } = segment;
  let best: { rank: number; element: number } | undefined;
  for (let at = first - 1; at + 1 < elements.length; at += 2) {
    const kind = elements[at];
    const isFilled = elements[at + 1] !== '';
    const rank = isFilled && typeof kind === 'string' ? values.indexOf(kind.trim()) : -1;
    if (rank === -1 || (best !== undefined && rank >= best.rank)) continue;
    best = { rank, element: at + 2 };
    if (!ranked) break;
  }
  return best?.element;
}

export const isRanked = ({ choices }: Step): boolean => choices.some(({ ranked }) => ranked);
