/** What a mapping reads of a loop: texts by path, and the elements of its lists. Pure and total; what is missing reads as ''. */
import { type Cells, NO_LISTS, type RecordShape } from '../record-reader.ts';
import { compileElementPath, compileListPath, isChosen, type Step } from './path.ts';
import { elementText, type Segment } from './segment.ts';
import type { LoopNode } from './tree.ts';

export type ReadCells = (node: LoopNode) => Cells;

/** Paths were checked with the document; one that is none reads nothing. */
export function cellsReader(shape: RecordShape): ReadCells {
  const { segments, places } = compilePaths(shape.paths);
  const lists = shape.lists.map((list) => {
    const path = compileListPath(list.path.trim());
    return { steps: path.ok ? path.value : [], read: cellsReader(list.shape) };
  });
  return (node) => {
    const found = segments.map((steps) => firstSegment(node, steps));
    const fields = places.map(({ at, element, component }) => {
      const segment = found[at];
      return segment === undefined ? '' : elementText(segment, element, component);
    });
    const inner = lists.length === 0 ? NO_LISTS : lists.map(({ steps, read }) => nodesAt(node, steps).map(read));
    return { fields, lists: inner };
  };
}

/** @property at which of the segments; -1 for a path that is none. */
interface PlaceInSegment {
  at: number;
  element: number;
  component: number | null;
}

/** Most paths lead to several elements of a few segments: each of these is looked for once. */
function compilePaths(texts: readonly string[]): { segments: (readonly Step[])[]; places: PlaceInSegment[] } {
  const segments: (readonly Step[])[] = [];
  const known = new Map<string, number>();
  const places = texts.map((text): PlaceInSegment => {
    const path = compileElementPath(text.trim());
    if (!path.ok) return { at: -1, element: 1, component: null };
    const { steps, element, component } = path.value;
    const name = JSON.stringify(steps);
    const at = known.get(name) ?? segments.push(steps) - 1;
    known.set(name, at);
    return { at, element, component };
  });
  return { segments, places };
}

function firstSegment(node: LoopNode, steps: readonly Step[]): Segment | undefined {
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  if (steps.length === 1) {
    for (let scope: LoopNode | null = node; scope !== null; scope = scope.parent) {
      const found = segmentIn(scope, last);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const start of startsOf(node, steps.slice(0, -1))) {
    const found = segmentIn(start, last);
    if (found !== undefined) return found;
  }
  return undefined;
}

function segmentIn({ segments }: LoopNode, { name, choices }: Step): Segment | undefined {
  for (const segment of segments) if (segment.tag === name && isChosen(segment, choices)) return segment;
  return undefined;
}

const isStep = (segment: Segment, { name, choices }: Step): boolean =>
  segment.tag === name && isChosen(segment, choices);

/** All elements of a list: loops, or segments each on its own. */
function nodesAt(node: LoopNode, steps: readonly Step[]): readonly LoopNode[] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  const within = steps.length === 1 ? around(node) : [startsOf(node, steps.slice(0, -1))];
  for (const scopes of within) {
    const loops = scopes.flatMap((scope) => innerLoops(scope, last));
    if (loops.length > 0) return loops;
    const alone = scopes.flatMap((scope) =>
      scope.segments.filter((segment) => isStep(segment, last)).map(onItsOwn(scope)),
    );
    if (alone.length > 0) return alone;
  }
  return [];
}

/** @returns the loops that the steps lead to: through the loop of that name around the record, or else the nearest ones inside. */
function startsOf(node: LoopNode, steps: readonly Step[]): readonly LoopNode[] {
  const [first, ...rest] = steps;
  if (first === undefined) return [];
  const named = outwards(node, (scope) =>
    scope.loop === first.name && scope.segments[0] !== undefined && isChosen(scope.segments[0], first.choices)
      ? scope
      : undefined,
  );
  const begun = named === undefined ? nearestInner(node, first) : [named];
  return rest.reduce<readonly LoopNode[]>((scopes, step) => scopes.flatMap((scope) => innerLoops(scope, step)), begun);
}

function nearestInner(node: LoopNode, step: Step): readonly LoopNode[] {
  for (const [scope] of around(node)) {
    const found = innerLoops(scope, step);
    if (found.length > 0) return found;
  }
  return [];
}

const innerLoops = (scope: LoopNode, { name, choices }: Step): LoopNode[] =>
  (scope.inner.get(name) ?? []).filter(
    ({ segments: [opening] }) => opening !== undefined && isChosen(opening, choices),
  );

const onItsOwn =
  (parent: LoopNode) =>
  (segment: Segment): LoopNode => ({
    loop: segment.tag,
    parent,
    segments: [segment],
    inner: new Map(),
    byteTo: segment.byteTo,
  });

/** The loop itself and those around it, innermost first. */
function* around(node: LoopNode): Generator<[LoopNode]> {
  for (let scope: LoopNode | null = node; scope !== null; scope = scope.parent) yield [scope];
}

function outwards<Found>(node: LoopNode, find: (scope: LoopNode) => Found | undefined): Found | undefined {
  for (let scope: LoopNode | null = node; scope !== null; scope = scope.parent) {
    const found = find(scope);
    if (found !== undefined) return found;
  }
  return undefined;
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
    const compiled = compileElementPath(path);
    const segment = compiled.ok ? firstSegment(within, compiled.value.steps) : undefined;
    if (compiled.ok && segment !== undefined) {
      const { element, component } = compiled.value;
      return { segment, element, component };
    }
  }
  const [segment] = paths.find(({ within }) => within !== node)?.within.segments ?? [];
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
