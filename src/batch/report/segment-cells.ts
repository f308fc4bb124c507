/**
 * A record of an interchange as cells: each text that its mapping reads, under its path. What stands in its envelope is no
 * cell of it. Pure.
 */

import type { RecordShape } from '../../formats/record-reader.ts';
import { locationAt, nodesAt } from '../../formats/segments/fields.ts';
import { compileListPath } from '../../formats/segments/path.ts';
import { elementOf, elementText, type Segment } from '../../formats/segments/segment.ts';
import type { LoopNode } from '../../formats/segments/tree.ts';

export interface SegmentCell {
  column: string;
  text: string;
  segment: Segment;
  element: number;
  component: number | null;
}

/** Cells of one record. Ours: a page of fields. */
const CELLS_MAX = 300;
/** What their writer counts and numbers, and we too. */
const COUNTED: readonly string[] = ['ST', 'SE', 'UNH', 'UNT'];

/**
 * @param opening of its set. elements what an element without a component is: the whole, or its first component.
 * @param wanted paths that problems name: these come first where there are too many.
 */
export function segmentCells(
  node: LoopNode,
  shape: RecordShape,
  { opening, elements }: { opening: Segment; elements: 'whole' | 'first' },
  wanted: readonly string[],
): SegmentCell[] {
  const all: SegmentCell[] = [];
  collect({ node, shape, within: '', opening, elements }, all);
  const isWanted = ({ column }: SegmentCell): boolean => wanted.includes(column);
  const shown = all.filter((cell) => isWanted(cell) || cell.text !== '');
  if (shown.length <= CELLS_MAX) return shown;
  const room = CELLS_MAX - shown.filter(isWanted).length;
  let others = 0;
  return shown.filter((cell) => isWanted(cell) || ++others <= room);
}

interface Within {
  node: LoopNode;
  shape: RecordShape;
  /** The lists around it, as problems name them. */
  within: string;
  opening: Segment;
  elements: 'whole' | 'first';
}

function collect({ node, shape, within, opening, elements }: Within, cells: SegmentCell[]): void {
  for (const path of shape.paths.map((each) => each.trim())) {
    const found = locationAt(node, path);
    if (found === undefined || found.segment.byteFrom < opening.byteFrom || COUNTED.includes(found.segment.tag))
      continue;
    const { segment, element } = found;
    const component = found.component ?? (elements === 'first' ? 1 : null);
    cells.push({ column: within + path, text: textOf(segment, element, component), segment, element, component });
  }
  for (const list of shape.lists) {
    const steps = compileListPath(list.path.trim());
    const nodes = steps.ok ? nodesAt(node, steps.value) : [];
    for (const [at, item] of nodes.entries())
      collect(
        { node: item, shape: list.shape, within: `${within}${list.path.trim()}[${at}].`, opening, elements },
        cells,
      );
  }
}

function textOf(segment: Segment, element: number, component: number | null): string {
  if (component !== null) return elementText(segment, element, component).trim();
  const found = elementOf(segment, element) ?? '';
  return (typeof found === 'string' ? found : found.join(' ')).trim();
}
