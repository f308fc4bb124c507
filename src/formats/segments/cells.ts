/** What a mapping reads of a loop: texts by path, and the elements of its lists. Pure and total; what is missing reads as ''. */
import { type Cells, NO_LISTS, type RecordShape } from '../record-reader.ts';
import { type FieldRules, fieldsReader } from './fields.ts';
import { nodesAt } from './find.ts';
import { compileListPath } from './path.ts';
import { placeAt } from './place-at.ts';
import type { Segment } from './segment.ts';
import type { LoopNode } from './tree.ts';

export type ReadCells = (node: LoopNode) => Cells;

/** Paths were checked with the document; one that is none reads nothing. */
export function cellsReader(shape: RecordShape, rules: FieldRules): ReadCells {
  const readFields = fieldsReader(shape.paths, rules);
  const lists = shape.lists.map((list) => {
    const path = compileListPath(list.path.trim());
    return { steps: path.ok ? path.value : [], read: cellsReader(list.shape, rules) };
  });
  const readLists = (node: LoopNode): Cells['lists'] =>
    lists.length === 0 ? NO_LISTS : lists.map(({ steps, read }) => nodesAt(node, steps).map(read));
  return (node) => ({ fields: readFields(node), lists: readLists(node) });
}

/** Where a path leads. `element`: null where the segment is known and nothing stands there. */
export interface SegmentPlace {
  segment: Segment;
  element: number | null;
  component: number | null;
}

/**
 * @param text the path of a problem, or several joined by commas: the first that leads to a segment counts. One inside a list
 * bears the list's own path and the element's number, from 0: `GID[1].GID-02.1`; where it leads nowhere, that element is meant.
 * @returns undefined where nothing stands there.
 */
export function segmentAt(node: LoopNode, text: string): SegmentPlace | undefined {
  const paths = text.split(',').map((path) => pathWithin(node, path.trim()));
  for (const { within, path } of paths) {
    const found = placeAt(within, path);
    if (found !== undefined) return found;
  }
  const segment = paths.find(({ within }) => within !== node)?.within.opening;
  return segment && { segment, element: null, component: null };
}

const IN_LIST = /^(.*?)\[(\d{1,6})\]\.(?=[A-Za-z])/;

function pathWithin(node: LoopNode, path: string): { within: LoopNode; path: string } {
  const [prefix, list = '', index] = IN_LIST.exec(path) ?? [];
  if (prefix === undefined) return { within: node, path };
  const steps = compileListPath(list);
  const inner = steps.ok ? nodesAt(node, steps.value)[Number(index)] : undefined;
  return inner === undefined ? { within: node, path } : pathWithin(inner, path.slice(prefix.length));
}
