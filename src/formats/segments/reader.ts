/**
 * Sets and envelopes → records of texts, for X12 and EDIFACT alike.
 *
 * Every record is a loop of a set. A set that is broken, that the mapping does not take, or that holds no such loop is one record
 * with its problems, and so is each fault of an envelope: nothing of a file goes without a word. Pure.
 */
import type { Position, Problem } from '../../kernel/problem.ts';
import { NO_LISTS, type ReadRecord, type RecordReader, type RecordShape, type RecordsRead } from '../record-reader.ts';
import { cellsReader } from './cells.ts';
import type { FieldRules } from './fields.ts';
import { openingOf } from './list.ts';
import type { LoopSpecs } from './loops.ts';
import type { PartsReader, SegmentCheckpoint } from './parts.ts';
import { controlOf, openingWords, placeWithin, placeWords, wordsAround } from './place.ts';
import { noRecordProblem, notTakenProblem, repeatedProblem, versionProblem } from './problems.ts';
import { NONE_SEEN, type SeenControls, see } from './seen.ts';
import {
  type EnvelopeProblem,
  elementText,
  type Segment,
  type SegmentPart,
  type SegmentSet,
  type SetRef,
} from './segment.ts';
import { type LoopTree, treeBuilder } from './tree.ts';
import { isUnclear, unclearProblems } from './unclear.ts';

/** What a mapping takes of a file of segments. */
export interface SegmentTaking {
  /** Kinds of set it takes, and those it passes over. */
  takes: readonly string[];
  ignores: readonly string[];
  /** Versions of a group (X12 GS08), or how they begin, that it cannot read. */
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
  /** Control numbers of the group that is read. */
  seen: SeenControls;
  own: Own;
}

export function segmentReader<Own extends SegmentCheckpoint>(
  parts: PartsReader<Own>,
  taking: SegmentTaking,
  shape: RecordShape,
): RecordReader<SegmentFileCheckpoint<Own>> {
  const columns = shape.paths;
  const recordsOf = partReader(taking, shape);
  return {
    start: { byte: parts.start.byte, notes: [], record: 0, seen: NONE_SEEN, own: parts.start },
    read(checkpoint, bytes, atEnd): RecordsRead<SegmentFileCheckpoint<Own>> {
      const records: ReadRecord[] = [];
      let { seen } = checkpoint;
      const read = parts.read(checkpoint.own, bytes, atEnd, (part) => {
        seen = recordsOf(part, seen, (record) => {
          records.push(record);
          record.position.record = checkpoint.record + records.length;
        });
      });
      if (read.outcome !== 'parts') return read;
      const { byte, notes } = read.checkpoint;
      const endProblem = read.endProblem === null ? null : plainProblem(read.endProblem);
      const next = { byte, notes, record: checkpoint.record + records.length, seen, own: read.checkpoint };
      return { outcome: 'records', columns, records, checkpoint: next, finished: read.finished, endProblem };
    },
  };
}

/** How a set is taken: as the loops that are its records, not at all, or with what is wrong with it as a whole. */
export type TakenSet =
  | { outcome: 'records'; tree: LoopTree }
  | { outcome: 'ignored' }
  | { outcome: 'refused'; problems: readonly EnvelopeProblem[] };

export type TakeSet = (set: SegmentSet, seen: SeenControls) => { taken: TakenSet; seen: SeenControls };

/** The same wherever a set is judged: when it is read, and when it is acknowledged. */
export function setTaker({ takes, ignores, notVersions, loops, record }: SegmentTaking): TakeSet {
  const build = treeBuilder(loops, record);
  const take = (set: SegmentSet, isRepeated: boolean): TakenSet => {
    if (ignores.includes(set.id)) return { outcome: 'ignored' };
    if (set.problems.length > 0) return { outcome: 'refused', problems: set.problems };
    if (isRepeated) return { outcome: 'refused', problems: [repeatedProblem(set)] };
    if (!takes.includes(set.id)) return { outcome: 'refused', problems: [notTakenProblem(set, takes)] };
    const version = versionOf(set);
    if (notVersions.some((known) => version.startsWith(known))) {
      return { outcome: 'refused', problems: [versionProblem(set, version)] };
    }
    const tree = build(set);
    if (tree.records.length === 0) return { outcome: 'refused', problems: [noRecordProblem(set, record ?? '', loops)] };
    return { outcome: 'records', tree };
  };
  const groupOf = groupWords();
  return (set, before) => {
    const { isRepeated, seen } = see(before, groupOf(set.ref), controlOfSet(set));
    return { taken: take(set, isRepeated), seen };
  };
}

/** The same text for all sets of a group. */
function groupWords(): (ref: SetRef) => string {
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

/** @returns what reads the records of a part. They are numbered by whoever collects them. */
function partReader(
  taking: SegmentTaking,
  shape: RecordShape,
): (part: SegmentPart, seen: SeenControls, give: (record: ReadRecord) => void) => SeenControls {
  const take = setTaker(taking);
  const read = cellsReader(shape, taking.reads);
  const around = placesAround();
  return (part, before, give) => {
    if ('fact' in part) {
      const { fact } = part;
      for (const problem of fact.problems) give(faultRecord([problem], 'header' in fact ? [fact.header] : []));
      return before;
    }
    const { set } = part;
    const { taken, seen } = take(set, before);
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
          const position = positionOf(opening, byteTo, placeWithin(place, opening));
          const [problem, ...otherProblems] = isUnclear(cells) ? unclearProblems(node, shape, cells) : [];
          if (problem === undefined) give(new LoopRecord(position, cells.fields, cells.lists));
          else give({ position, fields: [], lists: NO_LISTS, problem, otherProblems });
        }
      }
    }
    return seen;
  };
}

/** The words for what stands around the records of a set; those for its envelope are the same for all sets of a group. */
function placesAround(): (set: SegmentSet) => string {
  let known: readonly Segment[] = [];
  let words = '';
  return (set) => {
    const { header } = set;
    const opening = openingOf(set);
    if (header !== known) words = wordsAround(header);
    known = header;
    if (opening === undefined) return words;
    const own = openingWords(opening);
    return words === '' ? own : `${words}, ${own}`;
  };
}

/**
 * A class where a literal would do: the engine takes literals that outlive a few collections for long-lived, puts all later ones
 * where only a full collection finds them, and a fifth of the reader's time went there.
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

/** @param segments of the set, where it is one that cannot be read; else the problem says where it stands. */
function faultRecord(
  problems: readonly EnvelopeProblem[],
  openings: readonly Segment[],
  segments: readonly Segment[] = [],
): ReadRecord {
  const [first, ...others] = problems;
  const [opening] = segments;
  const place = placeWords(openings, first?.segment);
  const position =
    opening === undefined
      ? { record: 0, line: 1, byteFrom: 0, byteTo: 0, ...first?.at, ...(place === '' ? {} : { place }) }
      : positionOf(opening, segments.at(-1)?.byteTo ?? opening.byteTo, place);
  const problem = first === undefined ? {} : { problem: plainProblem(first) };
  return { position, fields: [], lists: NO_LISTS, ...problem, otherProblems: others.map(plainProblem) };
}

/** As every report shows it: the place in words stands in the record's position, the standard's code behind the message. */
function plainProblem({ code, path, value, message, fix, standard }: EnvelopeProblem): Problem {
  return { code, path, value, message: standard === '' ? message : `${message} (${standard})`, fix };
}
