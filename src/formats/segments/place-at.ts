/** Where a path leads. Pure and total. */
import { firstPaired, firstSegment } from './find.ts';
import { compileElementPath } from './path.ts';
import type { Segment } from './segment.ts';
import type { LoopNode } from './tree.ts';

export interface ElementPlace {
  segment: Segment;
  element: number;
  component: number | null;
}

/** @returns undefined where the text is no path, or leads to no segment. */
export function placeAt(node: LoopNode, text: string): ElementPlace | undefined {
  const path = compileElementPath(text);
  if (!path.ok) return undefined;
  const { steps, element, component, pair } = path.value;
  if (pair !== null) {
    const found = firstPaired(node, steps, pair);
    return found && { ...found, component: null };
  }
  const segment = firstSegment(node, steps);
  return segment && { segment, element, component };
}
