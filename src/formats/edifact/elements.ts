/** Divides one segment into its tag and elements. Only a segment with a release character or a line break goes the slow way. */
import type { SegmentElement } from '../segments/segment.ts';
import type { Delimiters } from './delimiters.ts';

export interface SegmentText {
  tag: string;
  elements: SegmentElement[];
}

export interface Dividers extends Delimiters {
  /** '' where repetitions are not divided. */
  repetition: string;
}

/**
 * One pass over the units from `from` to `to`, where the terminator stands; no release character and no line break stands
 * among them. Several times faster than `split`, which makes a list of every segment and another of every element.
 */
export function dividePlain(text: string, from: number, to: number, dividers: Dividers): SegmentText {
  const separator = dividers.element.charCodeAt(0);
  const component = dividers.component.charCodeAt(0);
  // Of no character: no unit equals NaN.
  const repetition = dividers.repetition.charCodeAt(0);
  const elements: SegmentElement[] = [];
  let at = from;
  let tagTo = -1;
  for (; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === separator) break;
    // Components of a tag count repetitions of nested segments (ISO 9735 §9.3).
    if (code === component && tagTo === -1) tagTo = at;
  }
  const tag = text.slice(from, tagTo === -1 ? at : tagTo);
  while (at < to) {
    let components: string[] | null = null;
    let start = at + 1;
    let end = -1;
    for (at = start; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code === separator) break;
      if (end !== -1) continue;
      if (code === component) {
        components ??= [];
        components.push(text.slice(start, at));
        start = at + 1;
      } else if (code === repetition) end = at;
    }
    const last = text.slice(start, end === -1 ? at : end);
    if (components === null) elements.push(last);
    else {
      components.push(last);
      elements.push(components);
    }
  }
  return { tag, elements };
}

/**
 * The same for any segment: a released character is text whatever it is; line breaks are the wrapping of the file and
 * no text, also between a release character and what it releases.
 */
export function divideReleased(units: string, dividers: Dividers): SegmentText {
  const { element, component, repetition, release } = dividers;
  const parts: SegmentElement[] = [];
  let components: string[] = [];
  let text = '';
  let isRepeated = false;
  const endComponent = (): void => {
    if (!isRepeated) components.push(text);
    text = '';
  };
  const endElement = (): void => {
    endComponent();
    parts.push(components.length === 1 ? (components[0] ?? '') : components);
    components = [];
    isRepeated = false;
  };
  for (let at = 0; at < units.length; at++) {
    const unit = units.charAt(at);
    if (unit === '\r' || unit === '\n') continue;
    if (unit === release) {
      do at++;
      while (units[at] === '\r' || units[at] === '\n');
      text += units.charAt(at);
    } else if (unit === element) endElement();
    else if (unit === component) endComponent();
    else if (unit === repetition && parts.length > 0) {
      endComponent();
      isRepeated = true;
    } else text += unit;
  }
  endElement();
  const [tag = '', ...elements] = parts;
  return { tag: typeof tag === 'string' ? tag : (tag[0] ?? ''), elements };
}
