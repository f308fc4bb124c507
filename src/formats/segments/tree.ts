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
  /** How many loops are around it. */
  depth: number;
  around: Loop | null;
  holds: ReadonlySet<string> | null;
  until: ReadonlySet<string>;
  /** Loops that may open in it, by the tag that opens them. */
  opens: Map<string, Loop>;
  /** What becomes of a segment while it is the innermost open loop: of those with tags that a declaration names, and of all others. */
  moves: Map<string, Move>;
  other: Move;
}

/** A segment belongs to the loop open at that depth, or opens another one in it. */
interface Move {
  depth: number;
  opens: Loop | null;
}

export interface LoopTree {
  root: LoopNode;
  /** All loops of the kind that are records, in the order of the file. */
  records: LoopNode[];
}

/** @param record the loop of which each is a record; undefined: the set is one. */
export function treeBuilder(specs: LoopSpecs, record: string | undefined): (set: SegmentSet) => LoopTree {
  const whole = loopOf('', specs, null);
  const tags = new Set(Object.entries(specs).flatMap(([name, spec]) => tagsOf(name, spec)));
  addMoves(whole, tags);
  return ({ header, segments }) => {
    const envelope: LoopNode = { loop: '', parent: null, segments: [...header], inner: NO_INNER, byteTo: 0 };
    const [first] = segments;
    const root = nodeIn(envelope, first?.tag ?? '', first);
    const records: LoopNode[] = record === undefined ? [root] : [];
    let loop = whole;
    let node = root;
    let { byteTo } = root;
    for (let at = 1; at < segments.length; at++) {
      const segment = segments[at];
      if (segment === undefined) break;
      const { depth, opens } = loop.moves.get(segment.tag) ?? loop.other;
      for (; loop.depth > depth && loop.around !== null; loop = loop.around) {
        node.byteTo = byteTo;
        node = node.parent ?? root;
      }
      ({ byteTo } = segment);
      if (opens === null) node.segments.push(segment);
      else {
        loop = opens;
        node = nodeIn(node, loop.name, segment);
        if (loop.name === record) records.push(node);
      }
    }
    for (let open: LoopNode | null = node; open !== null && open !== envelope; open = open.parent) open.byteTo = byteTo;
    return { root, records };
  };
}

function loopOf(name: string, specs: LoopSpecs, around: Loop | null): Loop {
  const spec = specs[name];
  const loop: Loop = {
    name,
    depth: around === null ? 0 : around.depth + 1,
    around,
    holds: spec?.holds === undefined ? null : new Set(spec.holds),
    until: new Set(spec?.until ?? []),
    opens: new Map(),
    moves: new Map(),
    other: { depth: 0, opens: null },
  };
  for (const [inner, { in: within = '', opens = inner }] of Object.entries(specs)) {
    if (within === name) loop.opens.set(opens, loopOf(inner, specs, loop));
  }
  return loop;
}

const tagsOf = (name: string, { opens = name, holds = [], until = [] }: LoopSpecs[string]): string[] => [
  opens,
  ...holds,
  ...until,
];

/** Tags that no declaration names all go the same way, so that a file cannot make the tables longer. */
function addMoves(loop: Loop, tags: ReadonlySet<string>): void {
  const open: Loop[] = [];
  for (let each: Loop | null = loop; each !== null; each = each.around) open.unshift(each);
  for (const tag of tags) loop.moves.set(tag, moveOf(tag, open));
  loop.other = moveOf('', open);
  for (const inner of loop.opens.values()) addMoves(inner, tags);
}

/**
 * Where a segment belongs: to the innermost loop that names it among those it holds; else it opens a loop in the innermost one
 * that has such; else it stays in the innermost loop that holds whatever comes.
 */
function moveOf(tag: string, open: readonly Loop[]): Move {
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
