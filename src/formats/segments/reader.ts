/**
 * Sets and envelopes → records of texts, for X12 and EDIFACT alike.
 *
 * Every record is a loop of a set. A set that is broken, that the mapping does not take, or that holds no such loop is one record
 * with its problems, and so is each fault of an envelope: nothing of a file goes without a word. Pure.
 */
import type { Position, Problem } from '../../kernel/problem.ts';
import { NO_LISTS, type ReadRecord, type RecordReader, type RecordShape, type RecordsRead } from '../record-reader.ts';
import { cellsReader } from './cells.ts';
import type { LoopSpecs } from './loops.ts';
import type { PartsReader, SegmentCheckpoint } from './parts.ts';
import { placeWords } from './place.ts';
import { noRecordProblem, notTakenProblem } from './problems.ts';
import type { EnvelopeFact, EnvelopeProblem, Segment, SegmentSet } from './segment.ts';
import { treeBuilder } from './tree.ts';

/** What a mapping takes of a file of segments. */
export interface SegmentTaking {
  /** Kinds of set it takes, and those it passes over. */
  takes: readonly string[];
  ignores: readonly string[];
  loops: LoopSpecs;
  record: string | undefined;
}

/** `own`: of the reader of the standard. */
export interface SegmentFileCheckpoint<Own extends SegmentCheckpoint = SegmentCheckpoint> {
  byte: number;
  notes: readonly string[];
  record: number;
  own: Own;
}

export function segmentReader<Own extends SegmentCheckpoint>(
  parts: PartsReader<Own>,
  taking: SegmentTaking,
  shape: RecordShape,
): RecordReader<SegmentFileCheckpoint<Own>> {
  const columns = shape.paths;
  const recordsOf = setReader(taking, shape);
  return {
    start: { byte: parts.start.byte, notes: [], record: 0, own: parts.start },
    read(checkpoint, bytes, atEnd): RecordsRead<SegmentFileCheckpoint<Own>> {
      const read = parts.read(checkpoint.own, bytes, atEnd);
      if (read.outcome !== 'parts') return read;
      const records: ReadRecord[] = [];
      const envelopes: EnvelopeFact[] = [];
      let last = checkpoint.record;
      const keep = (found: readonly ReadRecord[]): void => {
        for (const record of found) {
          last += 1;
          records.push({ ...record, position: { ...record.position, record: last } });
        }
      };
      for (const part of read.parts) {
        if ('set' in part) {
          const from = last + 1;
          const { records: found, problems } = recordsOf(part.set);
          keep(found);
          const [header] = part.set.segments;
          if (header !== undefined) {
            const { ref } = part.set;
            envelopes.push({ kind: 'set', ref, header, records: { from, to: last }, problems });
          }
          continue;
        }
        const { fact } = part;
        keep(fact.problems.map((problem) => faultRecord([problem], 'header' in fact ? [fact.header] : [])));
        envelopes.push(fact);
      }
      const { byte, notes } = read.checkpoint;
      const endProblem = read.endProblem === null ? null : plain(read.endProblem);
      const next = { byte, notes, record: last, own: read.checkpoint };
      return { outcome: 'records', columns, records, checkpoint: next, finished: read.finished, endProblem, envelopes };
    },
  };
}

interface SetRecords {
  records: ReadRecord[];
  /** What is wrong with the set as a whole. */
  problems: readonly EnvelopeProblem[];
}

function setReader(
  { takes, ignores, loops, record }: SegmentTaking,
  shape: RecordShape,
): (set: SegmentSet) => SetRecords {
  const build = treeBuilder(loops, record);
  const read = cellsReader(shape);
  const broken = (set: SegmentSet, problems: readonly EnvelopeProblem[]): SetRecords => ({
    records: [faultRecord(problems, openingsOf(set), set.segments)],
    problems,
  });
  return (set) => {
    if (ignores.includes(set.id)) return { records: [], problems: [] };
    if (set.problems.length > 0) return broken(set, set.problems);
    if (!takes.includes(set.id)) return broken(set, [notTakenProblem(set, takes)]);
    const tree = build(set);
    if (tree.records.length === 0) return broken(set, [noRecordProblem(set, record ?? '')]);
    const openings = openingsOf(set);
    return {
      records: tree.records.map((node) => {
        const [opening] = node.segments;
        return { position: positionOf(opening, node.byteTo, placeWords(openings, opening)), ...read(node) };
      }),
      problems: [],
    };
  };
}

const openingsOf = ({ header, segments }: SegmentSet): Segment[] => [...header, ...segments.slice(0, 1)];

/** Numbered by whoever collects the records. */
const positionOf = (from: Segment | undefined, byteTo: number, place: string): Position => ({
  record: 0,
  line: from?.line ?? 1,
  byteFrom: from?.byteFrom ?? 0,
  byteTo,
  place,
});

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
      ? {
          record: 0,
          line: first?.at.line ?? 1,
          byteFrom: first?.at.byteFrom ?? 0,
          byteTo: first?.at.byteTo ?? 0,
          place,
        }
      : positionOf(opening, segments.at(-1)?.byteTo ?? opening.byteTo, place);
  const problem = first === undefined ? {} : { problem: plain(first) };
  return { position, fields: [], lists: NO_LISTS, ...problem, otherProblems: others.map(plain) };
}

/** As every report shows it: the place in words stands in the record's position, the standard's code behind the message. */
function plain({ code, path, value, message, fix, standard }: EnvelopeProblem): Problem {
  return { code, path, value, message: standard === '' ? message : `${message} (${standard})`, fix };
}
