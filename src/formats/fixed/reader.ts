/** Fixed-width text behind the face that all formats share: a record has all declared fields, and the name of its kind. */
import { NO_LISTS, type ReadRecord, type RecordReader } from '../record-reader.ts';
import { type FixedCheckpoint, fixedStart } from './checkpoint.ts';
import type { FixedSource } from './declaration.ts';
import { describeFixedProblem } from './problems.ts';
import { type FixedRecord, fixedSlices } from './read.ts';

export function fixedReader(source: FixedSource): RecordReader<FixedCheckpoint> {
  const readSlice = fixedSlices(source);
  return {
    start: fixedStart,
    read(checkpoint, bytes, atEnd) {
      const read = readSlice(checkpoint, bytes, atEnd);
      if (read.outcome === 'more') return read;
      if (read.outcome === 'unreadable') {
        return { outcome: 'unreadable', problems: read.problems.map(describeFixedProblem) };
      }
      const endProblem = read.endProblem === null ? null : describeFixedProblem(read.endProblem);
      return { ...read, records: read.records.map(fixedRecord), endProblem };
    },
  };
}

function fixedRecord({ position, fields, problems }: FixedRecord): ReadRecord {
  const [problem, ...otherProblems] = problems.map(describeFixedProblem);
  if (problem === undefined) return { position, fields, lists: NO_LISTS };
  return { position, fields, lists: NO_LISTS, problem, ...(otherProblems.length === 0 ? {} : { otherProblems }) };
}

/** What a person should know of how the file was read though nothing is wrong. */
export function fixedNotes({ short }: FixedCheckpoint): string[] {
  if (short === null) return [];
  const { lines, firstLine } = short;
  return [
    lines === 1
      ? `Line ${firstLine} is shorter than the mapping declares: it was read as if blanks followed.`
      : `${lines} lines are shorter than the mapping declares, the first of them line ${firstLine}: they were read as if blanks followed.`,
  ];
}
