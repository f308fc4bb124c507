/**
 * A set's flat list of segments → loops within loops, as the mapping declares them. Pure and total: a segment that fits nowhere
 * stays in the innermost loop that may hold it, at the latest in the set.
 */
import type { LoopSpecs } from './loops.ts';
import type { Segment, SegmentSet } from './segment.ts';

/** A loop as it stands in a set. */
export class LoopNode {
  readonly loop: string;
  readonly parent: LoopNode | null;
  /** How many loops are around it. */
  readonly depth: number;
  /** Its own, without those of the loops inside it; the one that opens it comes first. */
  readonly segments: Segment[];
  byteTo: number;
  /** Most loops have none inside them. */
  private children: LoopNode[] | null = null;
  private byName: Map<string, LoopNode[]> | null = null;

  constructor(loop: string, parent: LoopNode | null, segments: Segment[]) {
    this.loop = loop;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.segments = segments;
    this.byteTo = segments[0]?.byteTo ?? 0;
  }

  /** Opens a loop inside this one. */
  open(loop: string, segment: Segment): LoopNode {
    const node = new LoopNode(loop, this, [segment]);
    if (this.children === null) this.children = [node];
    else this.children.push(node);
    return node;
  }

  /** The loops of that name inside this one, in the order of the file. Asked for when the set is built. */
  inner(loop: string): readonly LoopNode[] {
    if (this.children === null) return NO_NODES;
    this.byName ??= Map.groupBy(this.children, (child) => child.loop);
    return this.byName.get(loop) ?? NO_NODES;
  }
}

const NO_NODES: readonly LoopNode[] = [];

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
    const envelope = new LoopNode('', null, [...header]);
    const [first] = segments;
    const root = first === undefined ? new LoopNode('', envelope, []) : envelope.open(first.tag, first);
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
        node = node.open(loop.name, segment);
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
