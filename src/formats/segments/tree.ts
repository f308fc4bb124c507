/**
 * A set's flat list of segments → nested loops, as the mapping declares them. Pure and total: a segment that fits
 * nowhere stays in the innermost loop that may hold it, at the latest in the set.
 */

import { listOf, listOfSet, openingOf } from './list.ts';
import type { LoopSpecs } from './loops.ts';
import type { EnvelopeFact, EnvelopeProblem, Segment, SegmentList, SegmentSet } from './segment.ts';
import { TagMap, tagCode } from './tags.ts';

/** The segments of a set, and for each the innermost loop that holds it. */
interface LocatedSegments {
  list: SegmentList;
  owners: LoopNode[];
  /** A segment of a loop around it is between the segments of this loop and of those inside it. */
  isInterleaved: boolean;
}

/** A loop in a set: from the segment that opens it to the last one in it or in a loop inside it. */
export class LoopNode {
  readonly loop: string;
  readonly parent: LoopNode | null;
  /** How many loops are around it. */
  readonly depth: number;
  readonly placed: LocatedSegments;
  readonly from: number;
  /** After its last segment; updated while the tree is built. */
  to: number;
  private own: readonly Segment[] | null = null;
  private byName: Map<string, LoopNode[]> | null = null;

  constructor(loop: string, parent: LoopNode | null, placed: LocatedSegments, from: number, to: number) {
    this.loop = loop;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.placed = placed;
    this.from = from;
    this.to = to;
  }

  /** A loop of these segments alone. */
  static of(loop: string, parent: LoopNode | null, segments: readonly Segment[]): LoopNode {
    const owners: LoopNode[] = [];
    const node = new LoopNode(
      loop,
      parent,
      { list: listOf(segments), owners, isInterleaved: false },
      0,
      segments.length,
    );
    for (const _ of segments) owners.push(node);
    return node;
  }

  /** The segment that opens it; undefined if the set has none at all. */
  get opening(): Segment | undefined {
    const { list } = this.placed;
    return this.from < list.length ? list.segmentAt(this.from) : undefined;
  }

  get byteTo(): number {
    return this.to > 0 ? this.placed.list.byteToAt(this.to - 1) : 0;
  }

  /** Its own segments, without those of the loops inside it; the one that opens it comes first. */
  get segments(): readonly Segment[] {
    if (this.own === null) {
      const own: Segment[] = [];
      for (let at = this.from; at < this.to; at++) {
        const segment = this.ownAt(at);
        if (segment !== null) own.push(segment);
      }
      this.own = own;
    }
    return this.own;
  }

  /** The segment at that index of the set, from `from` up to `to`; null if a loop inside this one holds it. */
  ownAt(at: number): Segment | null {
    return this.placed.owners[at] === this ? this.placed.list.segmentAt(at) : null;
  }

  /** The loops of that name inside this one, in the order of the file. */
  inner(loop: string): readonly LoopNode[] {
    this.byName ??= Map.groupBy(this.openedInside(), (node) => node.loop);
    return this.byName.get(loop) ?? NO_NODES;
  }

  private openedInside(): LoopNode[] {
    const { owners } = this.placed;
    const opened: LoopNode[] = [];
    for (let at = this.from; at < this.to; at++) {
      const node = owners[at];
      if (node !== undefined && node.from === at && node.parent === this) opened.push(node);
    }
    return opened;
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
  passes: ReadonlySet<string>;
  /** Loops that may open in it, by the tag that opens them. */
  opens: Map<string, Loop>;
  /**
   * What happens to a segment while this is the innermost open loop: by the tag numbers that a declaration names, and
   * for all others.
   */
  moves: TagMap<Move>;
  other: Move;
}

/** A segment belongs to the loop open at that depth, or opens another one in it. */
interface Move {
  depth: number;
  opens: Loop | null;
  /** The depth of the innermost loop that stays open: deeper than the segment's own if the loop passes the segment. */
  stays: number;
}

/** Closes all loops. */
const END: Move = { depth: 0, opens: null, stays: 0 };

interface LoopTree {
  root: LoopNode;
  /** All loops of the kind that are records, in the order of the file. */
  records: LoopNode[];
}

/** How a set is classified: as the loops that are its records, skipped, or with its problems as a whole. */
export type AcceptedSet =
  | { outcome: 'records'; tree: LoopTree }
  | { outcome: 'ignored' }
  | { outcome: 'refused'; problems: readonly EnvelopeProblem[] };

/** A fact of an envelope, or a set and how it was classified. Each has its records: see `recordsIn`. */
export type ReadPart = { fact: EnvelopeFact } | { set: SegmentSet; taken: AcceptedSet };

/** How many records a part has: each fault of an envelope is one, and so is a refused set. */
export function recordsIn(part: ReadPart): number {
  if ('fact' in part) return part.fact.problems.length;
  const { taken } = part;
  if (taken.outcome === 'ignored') return 0;
  return taken.outcome === 'refused' ? 1 : taken.tree.records.length;
}

/** @param record the loop of which each is a record; undefined: the set is one. */
export function treeBuilder(specs: LoopSpecs, record: string | undefined): (set: SegmentSet) => LoopTree {
  const whole = loopOf('', specs, null);
  const tags = new Set(Object.entries(specs).flatMap(([name, spec]) => tagsOf(name, spec)));
  addMoves(whole, tags);
  let envelope = LoopNode.of('', null, []);
  let around: readonly Segment[] = [];
  return (set) => {
    const { header } = set;
    const list = listOfSet(set);
    const { length } = list;
    const owners: LoopNode[] = new Array(length);
    const placed: LocatedSegments = { list, owners, isInterleaved: false };
    // All sets of a group have the same envelope.
    if (header !== around) envelope = LoopNode.of('', null, header);
    around = header;
    const root = new LoopNode(openingOf(set)?.tag ?? '', envelope, placed, 0, length);
    const records: LoopNode[] = record === undefined ? [root] : [];
    let loop = whole;
    let node = root;
    // After the last segment that no loop passed, and the depth of the innermost loop that owns one passed since then.
    let ownTo = 1;
    let passedDepth = -1;
    if (length > 0) owners[0] = root;
    // One more than there are segments: at the end of the set all loops close.
    for (let at = 1; at <= length; at++) {
      const move = at === length ? END : (loop.moves.get(list.tagCodeAt(at)) ?? loop.other);
      const { depth, opens, stays } = move;
      for (; loop.depth > stays && loop.around !== null; loop = loop.around) {
        node.to = loop.depth > passedDepth ? ownTo : at;
        node = node.parent ?? root;
      }
      if (at === length) break;
      if (stays > depth) {
        placed.isInterleaved = true;
        passedDepth = Math.max(passedDepth, depth);
        owners[at] = nodeAround(node, stays - depth) ?? root;
        continue;
      }
      if (opens !== null) {
        loop = opens;
        node = new LoopNode(loop.name, node, placed, at, length);
        if (loop.name === record) records.push(node);
      }
      owners[at] = node;
      ownTo = at + 1;
      passedDepth = -1;
    }
    return { root, records };
  };
}

function nodeAround(inner: LoopNode, loops: number): LoopNode | null {
  let node: LoopNode | null = inner;
  for (let left = loops; left > 0 && node !== null; left -= 1) node = node.parent;
  return node;
}

function loopOf(name: string, specs: LoopSpecs, around: Loop | null): Loop {
  const spec = specs[name];
  const loop: Loop = {
    name,
    depth: around === null ? 0 : around.depth + 1,
    around,
    holds: spec?.holds === undefined ? null : new Set(spec.holds),
    until: new Set(spec?.until ?? []),
    passes: new Set(spec?.passes ?? []),
    opens: new Map(),
    moves: new TagMap(new Map()),
    other: { depth: 0, opens: null, stays: 0 },
  };
  // By name: a stored version does not keep the order of its keys.
  for (const [inner, { in: within = '', opens = inner }] of Object.entries(specs).sort(byName)) {
    if (within === name) loop.opens.set(opens, loopOf(inner, specs, loop));
  }
  return loop;
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

const tagsOf = (name: string, { opens = name, holds = [], until = [], passes = [] }: LoopSpecs[string]): string[] => [
  opens,
  ...holds,
  ...until,
  ...passes,
];

/** Tags that no declaration names are all treated alike, so that a file cannot make the tables grow. */
function addMoves(loop: Loop, tags: ReadonlySet<string>): void {
  const open: Loop[] = [];
  for (let each: Loop | null = loop; each !== null; each = each.around) open.unshift(each);
  loop.moves = new TagMap(new Map([...tags].map((tag) => [tagCode(tag), moveOf(tag, open)])));
  loop.other = moveOf('', open);
  for (const inner of loop.opens.values()) addMoves(inner, tags);
}

/**
 * Where a segment belongs: to the innermost loop that lists it; else it opens a loop in the innermost one that has
 * such; else it stays in the innermost loop that holds anything. A segment that a loop passes does not belong to that
 * loop, and leaves it open for those after it.
 */
function moveOf(tag: string, open: readonly Loop[]): Move {
  const isEnded = open.findIndex((loop) => loop.until.has(tag));
  const last = isEnded === -1 ? open.length - 1 : isEnded - 1;
  const passing = open.findLastIndex((loop, depth) => depth <= last && loop.passes.has(tag));
  for (let depth = last; depth >= 0; depth -= 1) {
    const loop = open[depth];
    if (loop?.passes.has(tag) === true) continue;
    if (loop?.holds?.has(tag) === true) return { depth, opens: null, stays: Math.max(depth, passing) };
    const opens = loop?.opens.get(tag);
    if (opens !== undefined) return { depth, opens, stays: depth };
  }
  let depth = last;
  while (depth > 0 && (open[depth]?.holds !== null || open[depth]?.passes.has(tag) === true)) depth -= 1;
  return { depth: Math.max(0, depth), opens: null, stays: Math.max(0, depth, passing) };
}
