/** Texts from outside of the records that a mapping reads, followed tag by tag while the document passes. Pure. */
import type { NameTest, Step } from './path.ts';
import { attributeOf, fitsStep, type XmlAttribute, type XmlName } from './tree.ts';

/** @property base so many enclosing elements from the root, then the steps. */
export interface Capture {
  base: number;
  steps: readonly Step[];
  attribute: NameTest | null;
}

/** @property steps met by the open elements; done: its first element was seen to its end. */
export interface CaptureState {
  value: string;
  steps: number;
  done: boolean;
}

export const NOT_CAPTURED: CaptureState = { value: '', steps: 0, done: false };

export interface OpenedElement extends XmlName {
  attributes: readonly XmlAttribute[];
  /** The root has 1. */
  depth: number;
  /** Elements on the path to the records that are open, it among them where it is one. */
  matched: number;
}

export function afterOpening(state: CaptureState, capture: Capture, element: OpenedElement): CaptureState {
  const { base, steps, attribute } = capture;
  const { depth, matched, attributes } = element;
  if (depth === base && matched === base) {
    if (steps.length > 0) return NOT_CAPTURED;
    return { value: attribute === null ? '' : (attributeOf(attributes, attribute) ?? ''), steps: 0, done: true };
  }
  const step = steps[state.steps];
  const isNext = !state.done && depth === base + state.steps + 1 && matched >= base;
  if (!isNext || step === undefined || !fitsStep(element, step)) return state;
  const met = state.steps + 1;
  if (met < steps.length || attribute === null) return { ...state, steps: met };
  return { value: attributeOf(attributes, attribute) ?? '', steps: met, done: true };
}

/** @param depth of the element that ends. */
export function afterClosing(state: CaptureState, { base, steps }: Capture, depth: number): CaptureState {
  if (depth === base && base > 0) return NOT_CAPTURED;
  const ends = !state.done && steps.length > 0 && state.steps > 0 && depth === base + state.steps;
  return ends ? { ...state, done: true } : state;
}

/** @param depth of the element whose text it is. */
export function afterText(
  state: CaptureState,
  { base, steps, attribute }: Capture,
  depth: number,
  text: string,
): CaptureState {
  const isIts = !state.done && attribute === null && steps.length > 0 && state.steps === steps.length;
  return isIts && depth === base + steps.length ? { ...state, value: state.value + text } : state;
}
