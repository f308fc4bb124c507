/** A record as a tree of elements, built tag by tag, and the way along a path in it. Pure. */
import type { NameTest, Step } from './path.ts';

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

/** Of attributes that share a local name, the one without prefix is meant by a test without one. */
export function attributeOf(attributes: readonly XmlAttribute[], test: NameTest): string | undefined {
  const fitting = attributes.filter((attribute) => fitsName(attribute, test));
  return (fitting.find(({ hasPrefix }) => !hasPrefix) ?? fitting[0])?.value;
}

/** Whether an element fits a step, its position aside. */
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
