/**
 * What is around the records of a document: texts that a mapping reads there, captured tag by tag, and the namespaces
 * that enclosing elements declare. Pure.
 */
import type { CaptureState, OpenElement } from './checkpoint.ts';
import { attributeOf, fitsStep, type NameTest, type Step, type XmlAttribute, type XmlName } from './path.ts';

/** @property base number of enclosing elements from the root, then the steps. */
export interface Capture {
  base: number;
  steps: readonly Step[];
  attribute: NameTest | null;
}

export const NOT_CAPTURED: CaptureState = { value: '', steps: 0, done: false };

interface OpenedElement extends XmlName {
  attributes: readonly XmlAttribute[];
  /** The root has 1. */
  depth: number;
  /** Elements on the path to the records that are open, including this one if it is on the path. */
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

/*
 * Names as written → local names and namespaces, by the declarations of the enclosing elements (Namespaces in XML 1.0).
 */

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const DECLARES = 'xmlns';

/** @returns the prefixes for which an element declares namespaces, '' for the default one. */
export function prefixesOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const declared = Object.entries(attributes).flatMap(([name, uri]) => {
    if (name === DECLARES) return [['', uri] as const];
    return name.startsWith(`${DECLARES}:`) ? [[name.slice(DECLARES.length + 1), uri] as const] : [];
  });
  return Object.fromEntries(declared);
}

/** @param open the enclosing elements, and the element itself as the last. */
export function nameOf(written: string, open: readonly OpenElement[]): XmlName {
  const { prefix, local } = divided(written);
  return { local, uri: namespaceOf(prefix, open) };
}

/** Without the declarations. An attribute without prefix is in no namespace. */
export function attributesOf(
  attributes: Readonly<Record<string, string>>,
  open: readonly OpenElement[],
): readonly XmlAttribute[] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const { prefix, local } = divided(name);
    if (name === DECLARES || prefix === DECLARES) return [];
    const hasPrefix = prefix !== '';
    return [{ local, uri: hasPrefix ? namespaceOf(prefix, open) : '', hasPrefix, value }];
  });
}

function divided(name: string): { prefix: string; local: string } {
  const colon = name.indexOf(':');
  return colon === -1 ? { prefix: '', local: name } : { prefix: name.slice(0, colon), local: name.slice(colon + 1) };
}

function namespaceOf(prefix: string, open: readonly OpenElement[]): string {
  if (prefix === 'xml') return XML_NAMESPACE;
  for (let at = open.length - 1; at >= 0; at--) {
    const prefixes = open[at]?.prefixes ?? {};
    if (Object.hasOwn(prefixes, prefix)) return prefixes[prefix] ?? '';
  }
  return '';
}
