/**
 * Paths to elements of segments, in the field's own notation: `B10-03`, `STS-02.1`, `L11[02=QN]-01`, `N1[01=SH]/N4-01`.
 *
 * Elements and components count from 1. Brackets choose a segment, or a loop by the segment that opens it, by what stands in an
 * element: `[02=BM|PO]`. A path begins at the record and is looked for outwards, loop by loop, to the envelope; a first name that
 * is the record's own loop or one around it says exactly which. Compiled once. Pure and total.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Choice } from './divide.ts';
import { elementText, type Segment } from './segment.ts';
import { UndividedSegment } from './undivided.ts';

export interface Step {
  /** A loop, or a segment's tag. */
  name: string;
  choices: readonly Choice[];
}

/** `steps`: loops, the last one the segment. */
export interface SegmentPath {
  steps: readonly Step[];
  element: number;
  component: number | null;
}

/** Longest path, in characters. Ours. */
const PATH_CHARACTERS_MAX = 300;

const NAME = /[A-Za-z][A-Za-z0-9_]*/y;
const CHOICE = /\[(\d{1,2})(?:\.(\d{1,2}))?=([^[\]]+)\]/y;
const PLACE = /-(\d{1,2})(?:\.(\d{1,2}))?$/y;

const WANTED_ELEMENT =
  'a segment and an element, such as B10-03, STS-02.1 or L11[02=QN]-01, with the loop before it where it is needed: N1[01=SH]/N4-01';
const WANTED_LIST = 'a loop or a segment, such as LX, N1[01=SH]/PER or L11[02=BM|PO]';

/** @returns the wanted form when the text is no path to an element. */
export function compileElementPath(text: string): Result<SegmentPath, string> {
  const read = readSteps(text);
  if (read === null) return err(WANTED_ELEMENT);
  PLACE.lastIndex = read.to;
  const place = PLACE.exec(text);
  if (place === null) return err(WANTED_ELEMENT);
  const [, element, component] = place;
  if (Number(element) === 0 || component === '0' || component === '00')
    return err('elements and components count from 1');
  return ok({
    steps: read.steps,
    element: Number(element),
    component: component === undefined ? null : Number(component),
  });
}

/** @returns the wanted form when the text names neither a loop nor a segment. */
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
      const [whole, element, component, values = ''] = match;
      choices.push({
        element: Number(element),
        component: component === undefined ? null : Number(component),
        values: values.split('|'),
      });
      at += whole.length;
    }
    steps.push({ name, choices });
    if (text[at] !== '/') return { steps, to: at };
  }
}

/** Asked of every segment of a file: a loop, so that nothing is made for it. */
export function isChosen(segment: Segment, choices: readonly Choice[]): boolean {
  for (let index = 0; index < choices.length; index++) {
    const choice = choices[index];
    if (choice !== undefined && !holds(segment, choice)) return false;
  }
  return true;
}

function holds(segment: Segment, choice: Choice): boolean {
  if (segment instanceof UndividedSegment) return segment.holds(choice);
  return choice.values.includes(elementText(segment, choice.element, choice.component).trim());
}
