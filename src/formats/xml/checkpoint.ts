/** How far an XML document was read, so that a restart continues after a tag and finds the same records. */

import type { Encoding } from '../encoding.ts';
import { attributeOf, fitsStep, type NameTest, type Step, type XmlAttribute, type XmlName } from './path.ts';
import type { XmlEndProblem } from './problems.ts';

/* Texts from outside the records that a mapping reads, captured tag by tag while the document is read. */

/** @property base number of enclosing elements from the root, then the steps. */
export interface Capture {
  base: number;
  steps: readonly Step[];
  attribute: NameTest | null;
}

/** @property steps matched by the open elements; done: its first element was read to its end. */
export interface CaptureState {
  value: string;
  steps: number;
  done: boolean;
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

/** An open element around the records. @property prefixes it declares namespaces for; '' the default one. */
export interface OpenElement {
  /** As written, with its prefix. */
  name: string;
  prefixes: Readonly<Record<string, string>>;
}

/** Where reading continues: JSON-serialisable, and all that a restart needs besides the file and its declaration. */
export interface XmlCheckpoint {
  /** First byte not read yet. */
  byte: number;
  /** Line feeds read. */
  line: number;
  /** Records read, including those with problems. */
  record: number;
  /** Null: nothing was read yet. */
  encoding: Encoding | null;
  /**
   * Set when a byte-order mark, or the XML declaration, names another encoding than the mapping: it wins, and this is
   * reported.
   */
  encodingByMark: Encoding | null;
  encodingByDeclaration: Encoding | null;
  /** From the root on. */
  open: readonly OpenElement[];
  rootClosed: boolean;
  /** How many of the open elements are on the path to the records; the most there ever were. */
  matched: number;
  deepest: number;
  /** What was found where the next step of the path was expected. */
  names: readonly string[];
  captured: readonly CaptureState[];
  /** Set when reading ended early. */
  endProblem: XmlEndProblem | null;
}

/** The start of any XML file. */
export const xmlStart: XmlCheckpoint = {
  byte: 0,
  line: 0,
  record: 0,
  encoding: null,
  encodingByMark: null,
  encodingByDeclaration: null,
  open: [],
  rootClosed: false,
  matched: 0,
  deepest: 0,
  names: [],
  captured: [],
  endProblem: null,
};

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
