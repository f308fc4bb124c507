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
  inner: Map<string, LoopNode[]>;
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
    const envelope: LoopNode = { loop: '', parent: null, segments: [...header], inner: new Map(), byteTo: 0 };
    const [first] = segments;
    const root = nodeIn(envelope, first?.tag ?? '', first);
    const records: LoopNode[] = record === undefined ? [root] : [];
    const open: { loop: Loop; node: LoopNode }[] = [{ loop: whole, node: root }];
    for (const segment of segments.slice(1)) {
      const place = placeOf(
        segment.tag,
        open.map(({ loop }) => loop),
      );
      open.length = place.depth + 1;
      const within = open[place.depth]?.node ?? root;
      if (place.opens === null) within.segments.push(segment);
      else {
        const node = nodeIn(within, place.opens.name, segment);
        open.push({ loop: place.opens, node });
        if (place.opens.name === record) records.push(node);
      }
      for (const { node } of open) node.byteTo = segment.byteTo;
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
function placeOf(tag: string, open: readonly Loop[]): { depth: number; opens: Loop | null } {
  const isEnded = open.findIndex((loop) => loop.until.has(tag));
  const last = isEnded === -1 ? open.length - 1 : isEnded - 1;
  for (let depth = last; depth >= 0; depth -= 1) {
    const loop = open[depth];
    if (loop?.holds?.has(tag) === true) return { depth, opens: null };
    const opens = loop?.opens.get(tag);
    if (opens !== undefined) return { depth, opens };
  }
  let depth = last;
  while (depth > 0 && open[depth]?.holds !== null) depth -= 1;
  return { depth: Math.max(0, depth), opens: null };
}

function nodeIn(parent: LoopNode, loop: string, first: Segment | undefined): LoopNode {
  const node: LoopNode = {
    loop,
    parent,
    segments: first === undefined ? [] : [first],
    inner: new Map(),
    byteTo: first?.byteTo ?? 0,
  };
  const siblings = parent.inner.get(loop);
  if (siblings === undefined) parent.inner.set(loop, [node]);
  else siblings.push(node);
  return node;
}
