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

/** @param units without the terminator; in them no release character and no line break. */
export function dividePlain(units: string, { element, component, repetition }: Dividers): SegmentText {
  const parts = units.split(element);
  const elements: SegmentElement[] = [];
  for (let at = 1; at < parts.length; at++) {
    let text = parts[at] ?? '';
    if (repetition !== '' && text.includes(repetition)) text = text.slice(0, text.indexOf(repetition));
    elements.push(text.includes(component) ? text.split(component) : text);
  }
  const tag = parts[0] ?? '';
  // Components of a tag count repetitions of nested segments (ISO 9735 §9.3).
  return { tag: tag.includes(component) ? tag.slice(0, tag.indexOf(component)) : tag, elements };
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
