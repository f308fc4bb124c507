/** Looks for segments and loops along the steps of a path. Pure and total. */
import { isChosen, type Step } from './path.ts';
import type { Segment } from './segment.ts';
import { LoopNode } from './tree.ts';

/** @returns the first segment that the steps lead to: in the loop itself, or else in the nearest one around it. */
export function firstSegment(node: LoopNode, steps: readonly Step[]): Segment | undefined {
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
export function nodesAt(node: LoopNode, steps: readonly Step[]): readonly LoopNode[] {
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
    scope.loop === first.name && scope.opening !== undefined && isChosen(scope.opening, first.choices)
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
  scope.inner(name).filter(({ opening }) => opening !== undefined && isChosen(opening, choices));

const onItsOwn =
  (parent: LoopNode) =>
  (segment: Segment): LoopNode =>
    LoopNode.of(segment.tag, parent, [segment]);

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
