/** Looks for segments and loops along the steps of a path. Pure and total. */
import { bestOf, isChosen, isRanked, type Pair, pairedElement, type Step } from './path.ts';
import type { Segment } from './segment.ts';
import { LoopNode } from './tree.ts';

/** @returns the first segment that the steps lead to: in the loop itself, or else in the nearest one around it. */
export function firstSegment(node: LoopNode, steps: readonly Step[]): Segment | undefined {
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  for (const scopes of scopesOf(node, steps)) {
    const found = isRanked(last) ? chosenIn(scopes, last)[0] : firstIn(scopes, last);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstIn(scopes: readonly LoopNode[], step: Step): Segment | undefined {
  for (const { segments } of scopes) for (const segment of segments) if (isAt(segment, step)) return segment;
  return undefined;
}

/** @returns all segments that the steps lead to, in the loop in which the first of them is found. */
export function segmentsAt(node: LoopNode, steps: readonly Step[]): readonly Segment[] {
  for (const found of segmentsOutwards(node, steps)) if (found.length > 0) return found;
  return [];
}

/** @returns the nearest segment that has such a pair, and the element of its value; of ranked kinds the first one that is near. */
export function firstPaired(
  node: LoopNode,
  steps: readonly Step[],
  pair: Pair,
): { segment: Segment; element: number } | undefined {
  const kinds = pair.ranked ? pair.values.map((value) => [value]) : [pair.values];
  for (const found of segmentsOutwards(node, steps)) {
    for (const values of kinds) {
      for (const segment of found) {
        const element = pairedElement(segment, { ...pair, values });
        if (element !== undefined) return { segment, element };
      }
    }
  }
  return undefined;
}

function* segmentsOutwards(node: LoopNode, steps: readonly Step[]): Generator<readonly Segment[]> {
  const last = steps.at(-1);
  if (last === undefined) return;
  for (const scopes of scopesOf(node, steps)) yield chosenIn(scopes, last);
}

/** Where the last step is looked for: in the loops that the others lead to, or in the loop itself and then in each around it. */
const scopesOf = (node: LoopNode, steps: readonly Step[]): Iterable<readonly LoopNode[]> =>
  steps.length === 1 ? around(node) : [startsOf(node, steps.slice(0, -1))];

const isAt = (segment: Segment, { name, choices }: Step): boolean => segment.tag === name && isChosen(segment, choices);

const chosenIn = (scopes: readonly LoopNode[], step: Step): readonly Segment[] =>
  bestOf(
    scopes.flatMap(({ segments }) => segments.filter((segment) => isAt(segment, step))),
    step.choices,
    (segment) => segment,
  );

/** All elements of a list: loops, or segments each on its own. */
export function nodesAt(node: LoopNode, steps: readonly Step[]): readonly LoopNode[] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  for (const scopes of scopesOf(node, steps)) {
    const loops = scopes.flatMap((scope) => innerLoops(scope, last));
    if (loops.length > 0) return loops;
    const alone = scopes.flatMap((scope) => chosenIn([scope], last).map(onItsOwn(scope)));
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

const innerLoops = (scope: LoopNode, { name, choices }: Step): readonly LoopNode[] =>
  bestOf(
    scope.inner(name).filter(({ opening }) => opening !== undefined && isChosen(opening, choices)),
    choices,
    ({ opening }) => opening,
  );

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
