/**
 * Sets and envelopes → records of texts, for X12 and EDIFACT alike.
 *
 * Every record is a loop of a set. A set that is broken, that the mapping does not accept, or that has no such loop is
 * one record with its problems, and so is each fault of an envelope: nothing in a file is dropped silently. Pure.
 */

import type { Position, Problem } from '../../kernel/problem.ts';
import {
  type Cells,
  NO_LISTS,
  type ReadRecord,
  type RecordReader,
  type RecordShape,
  type RecordsRead,
} from '../record-reader.ts';
import { NONE_SEEN, type SeenControls, see } from './control-numbers.ts';
import { ambiguousProblems, type FieldRules, fieldsReader, isAmbiguous, locationAt, nodesAt } from './fields.ts';
import { openingOf } from './list.ts';
import type { LoopSpecs } from './loops.ts';
import type { PartsReader, SegmentCheckpoint } from './parts.ts';
import { compileListPath } from './path.ts';
import {
  controlOf,
  locationMessage,
  locationWithin,
  messageAround,
  noRecordProblem,
  notAcceptedProblem,
  openingMessage,
  repeatedProblem,
  versionProblem,
} from './problems.ts';
import {
  type EnvelopeProblem,
  elementText,
  type Segment,
  type SegmentPart,
  type SegmentSet,
  type SetRef,
} from './segment.ts';
import { type AcceptedSet, type LoopNode, type ReadPart, treeBuilder } from './tree.ts';

/*
 * What a mapping reads of a loop: texts by path, and the elements of its lists. Pure and total; what is missing reads
 * as ''.
 */

type ReadCells = (node: LoopNode) => Cells;

/** Paths were checked with the document; an invalid one reads nothing. */
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

/** The location of a path. `element`: null if the segment is known and the element is missing. */
export interface SegmentLocation {
  segment: Segment;
  element: number | null;
  component: number | null;
}

/**
 * @param text the path of a problem, or several joined by commas: the first that leads to a segment counts. A path
 * inside a list has the list's own path and the element's number, from 0: `GID[1].GID-02.1`; if it leads nowhere, that
 * element is meant.
 * @returns undefined if nothing is found.
 */
export function segmentAt(node: LoopNode, text: string): SegmentLocation | undefined {
  const paths = text.split(',').map((path) => pathWithin(node, path.trim()));
  for (const { within, path } of paths) {
    const found = locationAt(within, path);
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

/** What a mapping reads of a file of segments. */
export interface SegmentTaking {
  /** Kinds of set it accepts, and those it skips. */
  takes: readonly string[];
  ignores: readonly string[];
  /** Versions of a group (X12 GS08), or their beginnings, that it cannot read. */
  notVersions: readonly string[];
  loops: LoopSpecs;
  /** The loop of which each is a record; undefined: the set is one. */
  record: string | undefined;
  reads: FieldRules;
}

/** `own`: of the reader of the standard. */
export interface SegmentFileCheckpoint<Own extends SegmentCheckpoint = SegmentCheckpoint> {
  byte: number;
  notes: readonly string[];
  record: number;
  /** Control numbers of the current group. */
  seen: SeenControls;
  own: Own;
}

export function segmentReader<Own extends SegmentCheckpoint>(
  parts: PartsReader<Own>,
  taking: SegmentTaking,
  shape: RecordShape,
): RecordReader<SegmentFileCheckpoint<Own>> {
  const columns = shape.paths;
  const classify = partClassifier(taking);
  const recordsOf = recordsReader(taking, shape);
  return {
    start: { byte: parts.start.byte, notes: [], record: 0, seen: NONE_SEEN, own: parts.start },
    read(checkpoint, bytes, atEnd): RecordsRead<SegmentFileCheckpoint<Own>> {
      const records: ReadRecord[] = [];
      const readParts: ReadPart[] = [];
      let { seen } = checkpoint;
      const read = parts.read(checkpoint.own, bytes, atEnd, (part) => {
        const classified = classify(part, seen);
        seen = classified.seen;
        readParts.push(classified.read);
        recordsOf(classified.read, (record) => {
          records.push(record);
          record.position.record = checkpoint.record + records.length;
        });
      });
      if (read.outcome !== 'parts') return read;
      const { byte, notes } = read.checkpoint;
      const endProblem = read.endProblem === null ? null : plainProblem(read.endProblem);
      const next = { byte, notes, record: checkpoint.record + records.length, seen, own: read.checkpoint };
      return {
        outcome: 'records',
        columns,
        records,
        parts: readParts,
        checkpoint: next,
        finished: read.finished,
        endProblem,
      };
    },
  };
}

/** @param seen control numbers before the part. @returns those after it, too. */
type ReadPartOf = (part: SegmentPart, seen: SeenControls) => { read: ReadPart; seen: SeenControls };

/** The same wherever a set is classified: when it is read, and when it is read again to be acknowledged. */
function partClassifier({ takes, ignores, notVersions, loops, record }: SegmentTaking): ReadPartOf {
  const build = treeBuilder(loops, record);
  const take = (set: SegmentSet, isRepeated: boolean): AcceptedSet => {
    if (ignores.includes(set.id)) return { outcome: 'ignored' };
    if (set.problems.length > 0) return { outcome: 'refused', problems: set.problems };
    if (isRepeated) return { outcome: 'refused', problems: [repeatedProblem(set)] };
    if (!takes.includes(set.id)) return { outcome: 'refused', problems: [notAcceptedProblem(set, takes)] };
    const version = versionOf(set);
    if (notVersions.some((known) => version.startsWith(known))) {
      return { outcome: 'refused', problems: [versionProblem(set, version)] };
    }
    const tree = build(set);
    if (tree.records.length === 0) return { outcome: 'refused', problems: [noRecordProblem(set, record ?? '', loops)] };
    return { outcome: 'records', tree };
  };
  const groupOf = groupMessage();
  return (part, before) => {
    if ('fact' in part) return { read: part, seen: before };
    const { set } = part;
    const { isRepeated, seen } = see(before, groupOf(set.ref), controlOfSet(set));
    return { read: { set, taken: take(set, isRepeated) }, seen };
  };
}

/** All parts of a file, as they are classified when it is read. */
export async function* readParts(parts: AsyncIterable<SegmentPart>, taking: SegmentTaking): AsyncGenerator<ReadPart> {
  const classify = partClassifier(taking);
  let before = NONE_SEEN;
  for await (const part of parts) {
    const { read, seen } = classify(part, before);
    before = seen;
    yield read;
  }
}

/** The same text for all sets of a group. */
function groupMessage(): (ref: SetRef) => string {
  let known = { interchange: 0, group: 0, words: '0/0' };
  return ({ interchange, group }) => {
    if (known.interchange !== interchange || known.group !== group) {
      known = { interchange, group, words: `${interchange}/${group}` };
    }
    return known.words;
  };
}

/** X12 GS08; '' where there is no such header. */
function versionOf({ header }: SegmentSet): string {
  const group = header.find(({ tag }) => tag === 'GS');
  return group === undefined ? '' : elementText(group, 8, null).trim();
}

function controlOfSet(set: SegmentSet): string {
  const opening = openingOf(set);
  return opening === undefined ? '' : controlOf(opening);
}

/** @returns a function that reads the records of a part. The caller numbers them. */
function recordsReader(
  taking: SegmentTaking,
  shape: RecordShape,
): (part: ReadPart, give: (record: ReadRecord) => void) => void {
  const read = cellsReader(shape, taking.reads);
  const around = locationsAround();
  return (part, give) => {
    if ('fact' in part) {
      const { fact } = part;
      for (const problem of fact.problems) give(faultRecord([problem], 'header' in fact ? [fact.header] : []));
      return;
    }
    const { set, taken } = part;
    switch (taken.outcome) {
      case 'ignored':
        break;
      case 'refused':
        give(faultRecord(taken.problems, openingsOf(set), set.segments));
        break;
      case 'records': {
        const place = around(set);
        for (const node of taken.tree.records) {
          const { opening, byteTo } = node;
          const cells = read(node);
          const position = positionOf(opening, byteTo, locationWithin(place, opening));
          const [problem, ...otherProblems] = isAmbiguous(cells) ? ambiguousProblems(node, shape, cells) : [];
          if (problem === undefined) give(new LoopRecord(position, cells.fields, cells.lists));
          else give({ position, fields: [], lists: NO_LISTS, problem, otherProblems });
        }
      }
    }
  };
}

/** The location text of a set's records; that of its envelope is the same for all sets of a group. */
function locationsAround(): (set: SegmentSet) => string {
  let known: readonly Segment[] = [];
  let words = '';
  return (set) => {
    const { header } = set;
    const opening = openingOf(set);
    if (header !== known) words = messageAround(header);
    known = header;
    if (opening === undefined) return words;
    const own = openingMessage(opening);
    return words === '' ? own : `${words}, ${own}`;
  };
}

/**
 * A class where a literal would do: the engine treats literals that survive a few collections as long-lived and
 * allocates all later ones where only a full collection frees them; that took a fifth of the reader's time.
 */
class LoopRecord implements ReadRecord {
  readonly position: Position;
  readonly fields: readonly string[];
  readonly lists: ReadRecord['lists'];

  constructor(position: Position, fields: readonly string[], lists: ReadRecord['lists']) {
    this.position = position;
    this.fields = fields;
    this.lists = lists;
  }
}

const openingsOf = ({ header, segments }: SegmentSet): Segment[] => [...header, ...segments.slice(0, 1)];

const positionOf = (from: Segment | undefined, byteTo: number, place: string): Position =>
  new LoopPosition(from?.line ?? 1, from?.byteFrom ?? 0, byteTo, place);

/** A class for the same reason. */
class LoopPosition implements Position {
  record = 0;
  readonly line: number;
  readonly byteFrom: number;
  readonly byteTo: number;
  readonly place: string;

  constructor(line: number, byteFrom: number, byteTo: number, place: string) {
    this.line = line;
    this.byteFrom = byteFrom;
    this.byteTo = byteTo;
    this.place = place;
  }
}

/** @param segments of the set, if it is one that cannot be read; else the problem has its own location. */
function faultRecord(
  problems: readonly EnvelopeProblem[],
  openings: readonly Segment[],
  segments: readonly Segment[] = [],
): ReadRecord {
  const [first, ...others] = problems;
  const [opening] = segments;
  const place = locationMessage(openings, first?.segment);
  const position =
    opening === undefined
      ? { record: 0, line: 1, byteFrom: 0, byteTo: 0, ...first?.at, ...(place === '' ? {} : { place }) }
      : positionOf(opening, segments.at(-1)?.byteTo ?? opening.byteTo, place);
  const problem = first === undefined ? {} : { problem: plainProblem(first) };
  return { position, fields: [], lists: NO_LISTS, ...problem, otherProblems: others.map(plainProblem) };
}

/**
 * As every report shows it: the location text is part of the record's position, the standard's code comes after the
 * message.
 */
function plainProblem({ code, path, value, message, fix, standard }: EnvelopeProblem): Problem {
  return { code, path, value, message: standard === '' ? message : `${message} (${standard})`, fix };
}
