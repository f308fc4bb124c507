/** Divides a segment that holds release characters or line breaks into its tag and elements. */
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
 * For any segment: a released character is text whatever it is; line breaks are the wrapping of the file and
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
