/**
 * Paths into an XML record: `stop/city`, `status/@code`, `ref[@type='PRO']/value`, `stop[2]/city`, `.`, and out of it:
 * `../@id`, `/root/header/sender`.
 *
 * A name without prefix matches in any namespace, one with a prefix in its own. A step takes the first matching element
 * and tries no other, so that no value comes from the next stop. Positions count from 1. Pure and total.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { PATH_CHARACTERS_MAX } from './limits.ts';

/** @property uri undefined: any namespace. */
export interface NameTest {
  local: string;
  uri: string | undefined;
}

interface AttributeTest extends NameTest {
  value: string;
}

export interface Step extends NameTest {
  attributes: readonly AttributeTest[];
  /** Which of the matching elements, from 1. */
  position: number | null;
}

interface XmlPath {
  from: 'element' | 'document';
  /** Levels to go up before the first step. */
  ups: number;
  steps: readonly Step[];
  attribute: NameTest | null;
}

type Namespaces = Readonly<Record<string, string>>;

const ELEMENT = '.';
const WANTED =
  "element names joined by /, such as stop/city, status/@code, ref[@type='PRO']/value, stop[2]/city, ../@id or /root/header/sender";
const NAME = String.raw`[\p{L}_][\p{L}\p{N}_.\-]*`;
const QUALIFIED = `(?:(${NAME}):)?(${NAME})`;
const STEP_NAME = new RegExp(QUALIFIED, 'uy');
const ATTRIBUTE = new RegExp(`@${QUALIFIED}`, 'uy');
const PREDICATE = new RegExp(String.raw`\[@${QUALIFIED}=(?:'([^']*)'|"([^"]*)")\]|\[([1-9]\d{0,5})\]`, 'uy');

/** @returns the expected form when the text is not a path; an empty text is not one. */
export function compilePath(written: string, namespaces: Namespaces): Result<XmlPath, string> {
  const text = written.trim();
  if (text.length > PATH_CHARACTERS_MAX) return err(`a path of at most ${PATH_CHARACTERS_MAX} characters`);
  if (text === ELEMENT) return ok({ from: 'element', ups: 0, steps: [], attribute: null });
  const from = text.startsWith('/') ? 'document' : 'element';
  let at = from === 'document' ? 1 : 0;
  let ups = 0;
  while (from === 'element' && text.startsWith('../', at)) {
    ups += 1;
    at += 3;
  }
  const steps: Step[] = [];
  for (;;) {
    const attribute = matchAt(ATTRIBUTE, text, at);
    if (attribute !== null) {
      const name = nameTest(attribute[1], attribute[2] ?? '', namespaces);
      if (!name.ok) return name;
      const isWhole = at + attribute[0].length === text.length && (from === 'element' || steps.length > 0);
      return isWhole ? ok({ from, ups, steps, attribute: name.value }) : err(WANTED);
    }
    const step = stepAt(text, at, namespaces);
    if (!step.ok) return step;
    steps.push(step.value.step);
    at = step.value.to;
    if (at === text.length) return ok({ from, ups, steps, attribute: null });
    if (text[at] !== '/') return err(WANTED);
    at += 1;
  }
}

function stepAt(text: string, from: number, namespaces: Namespaces): Result<{ step: Step; to: number }, string> {
  const match = matchAt(STEP_NAME, text, from);
  if (match === null) return err(WANTED);
  const name = nameTest(match[1], match[2] ?? '', namespaces);
  if (!name.ok) return name;
  const attributes: AttributeTest[] = [];
  let position: number | null = null;
  let to = from + match[0].length;
  for (let found = matchAt(PREDICATE, text, to); found !== null; found = matchAt(PREDICATE, text, to)) {
    const [whole, prefix, local, single, double, number] = found;
    to += whole.length;
    if (position !== null) return err('a position such as [2] only as the last one in brackets');
    if (number !== undefined) {
      position = Number(number);
      continue;
    }
    const test = nameTest(prefix, local ?? '', namespaces);
    if (!test.ok) return test;
    attributes.push({ ...test.value, value: single ?? double ?? '' });
  }
  return ok({ step: { ...name.value, attributes, position }, to });
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function nameTest(prefix: string | undefined, local: string, namespaces: Namespaces): Result<NameTest, string> {
  if (prefix === undefined) return ok({ local, uri: undefined });
  const uri = Object.hasOwn(namespaces, prefix) ? namespaces[prefix] : undefined;
  return uri === undefined ? err(`the prefix "${prefix}" among "namespaces" of the source`) : ok({ local, uri });
}

/** The path to the repeated element: names only, from the root. */
export function compileRecordsPath(text: string, namespaces: Namespaces): Result<readonly NameTest[], string> {
  const path = compilePath(text, namespaces);
  if (!path.ok) return path;
  const { ups, steps, attribute } = path.value;
  const isPlain = steps.length > 0 && ups === 0 && attribute === null && steps.every(isBare);
  return isPlain ? ok(steps) : err('element names from the root to the repeated element, such as shipments/shipment');
}

const isBare = ({ attributes, position }: Step): boolean => attributes.length === 0 && position === null;

/**
 * Where the text of a path is found, seen from an element of a record.
 *
 * - `tree`: so many levels up, still in the record, then down.
 * - `around`: outside the record; `base` enclosing elements from the root, then down.
 */
export type Reach =
  | { kind: 'tree'; ups: number; steps: readonly Step[]; attribute: NameTest | null }
  | { kind: 'around'; base: number; steps: readonly Step[]; attribute: NameTest | null };

/** @param depth of the element in its record; the record's own element has 0. */
export function reachOf(path: XmlPath, records: readonly NameTest[], depth: number): Result<Reach, string> {
  const { from, ups, steps, attribute } = path;
  if (from === 'document') {
    const leadsIn = steps.length >= records.length && records.every((name, index) => isSameName(steps[index], name));
    return leadsIn
      ? ok({ kind: 'tree', ups: depth, steps: steps.slice(records.length), attribute })
      : around(0, steps, attribute);
  }
  if (ups <= depth) return ok({ kind: 'tree', ups, steps, attribute });
  const base = records.length - (ups - depth);
  return base < 0 ? err('fewer "../": this leaves the document') : around(base, steps, attribute);
}

function around(base: number, steps: readonly Step[], attribute: NameTest | null): Result<Reach, string> {
  if (base === 0 && steps.length === 0) return err(WANTED);
  if (steps.some(({ position }) => position !== null)) {
    return err('no position such as [2] outside of the record: the first one is taken');
  }
  return ok({ kind: 'around', base, steps, attribute });
}

const isSameName = (step: Step | undefined, { local, uri }: NameTest): boolean =>
  step !== undefined && isBare(step) && step.local === local && step.uri === uri;

/** A path to elements of the record that are read one by one: only down, and only to elements. */
export function compileListPath(written: string, namespaces: Namespaces): Result<readonly Step[], string> {
  const path = compilePath(written, namespaces);
  if (!path.ok) return path;
  const { from, ups, steps, attribute } = path.value;
  const isList = from === 'element' && ups === 0 && attribute === null && steps.length > 0;
  return isList ? ok(steps) : err('element names joined by /, from the record down, such as items/item');
}

/* A record as a tree of elements, created tag by tag, and following a path in it. */

/** @property uri '' in no namespace, or in one that is not declared. */
export interface XmlName {
  local: string;
  uri: string;
}

export interface XmlAttribute extends XmlName {
  hasPrefix: boolean;
  value: string;
}

export interface XmlElement extends XmlName {
  attributes: readonly XmlAttribute[];
  /** Its own text and CDATA, joined; not that of elements inside. */
  text: string;
  children: XmlElement[];
  /** Null: the record's own element. */
  parent: XmlElement | null;
}

export const fitsName = ({ local, uri }: XmlName, test: NameTest): boolean =>
  local === test.local && (test.uri === undefined || uri === test.uri);

/** Of attributes with the same local name, a test without prefix means the one without prefix. */
export function attributeOf(attributes: readonly XmlAttribute[], test: NameTest): string | undefined {
  const fitting = attributes.filter((attribute) => fitsName(attribute, test));
  return (fitting.find(({ hasPrefix }) => !hasPrefix) ?? fitting[0])?.value;
}

/** Whether an element matches a step, apart from its position. */
export const fitsStep = (element: XmlName & Pick<XmlElement, 'attributes'>, step: Step): boolean =>
  fitsName(element, step) && step.attributes.every((test) => attributeOf(element.attributes, test) === test.value);

const fitting = ({ children }: XmlElement, step: Step): XmlElement[] => {
  const all = children.filter((child) => fitsStep(child, step));
  return step.position === null ? all : all.slice(step.position - 1, step.position);
};

/** @returns the element so many levels up; undefined above the record's own. */
export function elementAbove(from: XmlElement, ups: number): XmlElement | undefined {
  let found: XmlElement | null = from;
  for (let up = 0; up < ups && found !== null; up++) found = found.parent;
  return found ?? undefined;
}

/** @returns the first element at each step; undefined where there is none. */
export function elementAt(from: XmlElement, steps: readonly Step[]): XmlElement | undefined {
  let found: XmlElement | undefined = from;
  for (const step of steps) {
    if (found === undefined) return undefined;
    found = step.position === null ? found.children.find((child) => fitsStep(child, step)) : fitting(found, step)[0];
  }
  return found;
}

/** @returns all elements to which the steps lead, in the order of the document. */
export const elementsAt = (from: XmlElement, steps: readonly Step[]): XmlElement[] =>
  steps.reduce<XmlElement[]>((found, step) => found.flatMap((element) => fitting(element, step)), [from]);

/* Creates the tree of one record tag by tag, up to a number of nodes. */

export class RecordBuilder {
  readonly root: XmlElement;
  /** More nodes than allowed: nothing more is stored, only the depth is tracked. */
  isOverfull = false;
  private readonly nodesMax: number;
  private nodes = 0;
  private element: XmlElement;
  /** Open elements that are not stored. */
  private unkept = 0;

  constructor(name: XmlName, attributes: readonly XmlAttribute[], nodesMax: number) {
    this.nodesMax = nodesMax;
    this.root = { ...name, attributes, text: '', children: [], parent: null };
    this.element = this.root;
    this.count(attributes);
  }

  open(name: XmlName, attributes: readonly XmlAttribute[]): void {
    this.count(attributes);
    if (this.isOverfull) {
      this.unkept++;
      return;
    }
    const element: XmlElement = { ...name, attributes, text: '', children: [], parent: this.element };
    this.element.children.push(element);
    this.element = element;
  }

  text(text: string): void {
    if (this.unkept === 0) this.element.text += text;
  }

  /** @returns true when it was the record's own element that ended. */
  close(): boolean {
    if (this.unkept > 0) {
      this.unkept--;
      return false;
    }
    const { parent } = this.element;
    if (parent === null) return true;
    this.element = parent;
    return false;
  }

  private count(attributes: readonly XmlAttribute[]): void {
    this.nodes += 1 + attributes.length;
    if (this.nodes > this.nodesMax) this.isOverfull = true;
  }
}
