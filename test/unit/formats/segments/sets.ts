/** Sets written as X12 is written, without a reader: `ST*214*0001~…`, a component separator `:`. */
import type { Segment, SegmentElement, SegmentSet } from '../../../../src/formats/segments/segment.ts';

export function aSet(text: string, header: string = 'ISA*00~GS*QM~'): SegmentSet {
  const segments = segmentsOf(text);
  return {
    ref: { interchange: 1, group: 1, set: 1 },
    id: String(segments[0]?.elements[0] ?? ''),
    header: segmentsOf(header, 0),
    segments,
    problems: [],
  };
}

function segmentsOf(text: string, numberFrom = 1): Segment[] {
  let byte = 0;
  return text
    .split('~')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one, index) => {
      const [tag = '', ...elements] = one.split('*');
      const byteFrom = byte;
      byte += one.length + 1;
      const number = numberFrom === 0 ? 0 : index + 1;
      return { tag, elements: elements.map(componentsOf), number, line: index + 1, byteFrom, byteTo: byte };
    });
}

const componentsOf = (text: string): SegmentElement => (text.includes(':') ? text.split(':') : text);
