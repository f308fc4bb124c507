/**
 * A set's flat list of segments → loops within loops, as the mapping declares them. Pure and total: a segment that fits nowhere
 * stays in the innermost loop that may hold it, at the latest in the set.
 */
import type { LoopSpecs } from './loops.ts';
import type { Segment, SegmentSet } from './segment.ts';

/** @property segments its own, without those of the loops inside it; the one that opens it comes first. */
export interface LoopNode {
  loop: string;
  parent: LoopNode | null;
  segments: Segment[];
  inner: ReadonlyMap<string, LoopNode[]>;
  byteTo: number;
}

interface Loop {
  name: string;
  holds: ReadonlySet<string> | null;
  until: ReadonlySet<string>;
  /** Loops that may open in it, by the tag that opens them. */
  opens: ReadonlyMap<string, Loop>;
}

export interface LoopTree {
  root: LoopNode;
  /** All loops of the kind that are records, in the order of the file. */
  records: LoopNode[];
}

/** @param record the loop of which each is a record; undefined: the set is one. */
export function treeBuilder(specs: LoopSpecs, record: string | undefined): (set: SegmentSet) => LoopTree {
  const whole = loopOf('', specs);
  return ({ header, segments }) => {
    const envelope: LoopNode = { loop: '', parent: null, segments: [...header], inner: NO_INNER, byteTo: 0 };
    const [first] = segments;
    const root = nodeIn(envelope, first?.tag ?? '', first);
    const records: LoopNode[] = record === undefined ? [root] : [];
    // What is open, from the set inwards: loops as declared, and as they are here.
    const loops: Loop[] = [whole];
    const nodes: LoopNode[] = [root];
    for (let at = 1; at < segments.length; at++) {
      const segment = segments[at];
      if (segment === undefined) break;
      const { tag, byteTo } = segment;
      const depth = depthOf(tag, loops);
      const opens = loops[depth]?.holds?.has(tag) === true ? undefined : loops[depth]?.opens.get(tag);
      loops.length = depth + 1;
      nodes.length = depth + 1;
      const within = nodes[depth] ?? root;
      if (opens === undefined) within.segments.push(segment);
      else {
        const node = nodeIn(within, opens.name, segment);
        loops.push(opens);
        nodes.push(node);
        if (opens.name === record) records.push(node);
      }
      for (const node of nodes) node.byteTo = byteTo;
    }
    return { root, records };
  };
}

function loopOf(name: string, specs: LoopSpecs): Loop {
  const inside = Object.entries(specs).filter(([, spec]) => (spec.in ?? '') === name);
  const spec = specs[name];
  return {
    name,
    holds: spec?.holds === undefined ? null : new Set(spec.holds),
    until: new Set(spec?.until ?? []),
    opens: new Map(inside.map(([inner, { opens }]) => [opens ?? inner, loopOf(inner, specs)])),
  };
}

/**
 * Where a segment belongs: to the innermost loop that names it among those it holds; else it opens a loop in the innermost one
 * that has such; else it stays in the innermost loop that holds whatever comes.
 */
function depthOf(tag: string, open: readonly Loop[]): number {
  const last = beforeEnded(tag, open);
  for (let depth = last; depth >= 0; depth -= 1) {
    const loop = open[depth];
    if (loop?.holds?.has(tag) === true || loop?.opens.has(tag) === true) return depth;
  }
  let depth = last;
  while (depth > 0 && open[depth]?.holds !== null) depth -= 1;
  return Math.max(0, depth);
}

/** Depth of the innermost loop that such a segment does not end. */
function beforeEnded(tag: string, open: readonly Loop[]): number {
  for (let depth = 0; depth < open.length; depth += 1) if (open[depth]?.until.has(tag) === true) return depth - 1;
  return open.length - 1;
}

/** Most loops have none inside them. */
const NO_INNER: ReadonlyMap<string, LoopNode[]> = new Map();

function nodeIn(parent: LoopNode, loop: string, first: Segment | undefined): LoopNode {
  const node: LoopNode = {
    loop,
    parent,
    segments: first === undefined ? [] : [first],
    inner: NO_INNER,
    byteTo: first?.byteTo ?? 0,
  };
  const siblings = parent.inner.get(loop);
  if (siblings === undefined) parent.inner = new Map(parent.inner).set(loop, [node]);
  else siblings.push(node);
  return node;
}
