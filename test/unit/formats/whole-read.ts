/** Reads a whole small file through slices of a chosen size, as the caller of a reader does: longer slices on `more`. */
import type { AnyCheckpoint, Slices } from '../../../src/formats/record-reader.ts';

export interface WholeRead<Own, Found, Fact, EndFact = never> {
  columns: readonly string[];
  records: Found[];
  /** Of the file as a whole: then no records were read. */
  problems: Fact[];
  endProblem: EndFact | null;
  /** The last one; the first for a file that is unreadable. */
  checkpoint: Own;
}

/** @param onCheckpoint told every checkpoint, as it comes back from storage, and the records read before it */
export function readSlices<Own extends AnyCheckpoint, Found, Fact, EndFact>(
  slices: Slices<Own, Found, Fact, EndFact>,
  start: Own,
  file: Uint8Array,
  sliceBytes: number = Number.POSITIVE_INFINITY,
  onCheckpoint: (checkpoint: Own, recordsBefore: number) => void = () => undefined,
): WholeRead<Own, Found, Fact, EndFact> {
  const records: Found[] = [];
  let checkpoint = start;
  let length = sliceBytes;
  for (let steps = 0; steps <= 4 * file.byteLength + 100; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const read = slices(checkpoint, new Uint8Array(file.subarray(checkpoint.byte, to)), to === file.byteLength);
    if (read.outcome === 'unreadable') {
      if (records.length > 0) throw new Error('records were given before the file was called unreadable');
      return { columns: [], records: [], problems: read.problems, endProblem: null, checkpoint: start };
    }
    if (read.outcome === 'more') {
      if (to === file.byteLength) throw new Error('the reader wants more than the whole file');
      length = length < 64 ? length + 1 : length * 2;
      continue;
    }
    for (const record of read.records) records.push(record);
    length = sliceBytes;
    checkpoint = JSON.parse(JSON.stringify(read.checkpoint)) as Own;
    onCheckpoint(checkpoint, records.length);
    const { columns = [], endProblem, finished } = read;
    if (finished) return { columns, records, problems: [], endProblem, checkpoint };
    if (endProblem !== null) throw new Error('an end problem before the end');
  }
  throw new Error('the reader does not come to an end');
}
