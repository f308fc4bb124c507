/** Reads a whole small file through slices of a chosen size, as the caller of the reader does: longer slices on `more`. */
import { Buffer } from 'node:buffer';
import { type FixedCheckpoint, fixedStart } from '../../../../src/formats/fixed/checkpoint.ts';
import { type FixedSource, fixedSource } from '../../../../src/formats/fixed/declaration.ts';
import { FIXED_LIMITS, type FixedLimits } from '../../../../src/formats/fixed/limits.ts';
import type { FixedFileProblem, TrailerFault } from '../../../../src/formats/fixed/problems.ts';
import { type FixedRecord, fixedSlices } from '../../../../src/formats/fixed/reader.ts';

export interface WholeRead {
  columns: readonly string[];
  records: FixedRecord[];
  problems: FixedFileProblem[];
  endProblem: TrailerFault | null;
  checkpoint: FixedCheckpoint;
}

export const declare = (source: Record<string, unknown>): FixedSource =>
  fixedSource.parse({ format: 'fixed', ...source });

/** A load line whose number is carried, status lines, a trailer that counts them. */
export const LOADS = {
  lineLength: 20,
  records: {
    LOAD: { use: 'carried', fields: { load: { at: 5, length: 6 } } },
    STOP: { use: 'carried', fields: { stop: { at: 5, length: 2, number: {} } } },
    S: { marker: 'STAT', fields: { code: { at: 5, length: 2 }, city: { at: 7, length: 8, trim: 'right' } } },
    T: {
      marker: 'TRLR',
      use: 'trailer',
      count: { at: 5, length: 4 },
    },
    note: { marker: '*', use: 'passed' },
  },
};

export function readWhole(
  input: string | Uint8Array,
  source: FixedSource = declare(LOADS),
  { sliceBytes = Number.POSITIVE_INFINITY, limits = FIXED_LIMITS }: { sliceBytes?: number; limits?: FixedLimits } = {},
): WholeRead {
  const file = typeof input === 'string' ? Buffer.from(input, 'utf8') : input;
  const readSlice = fixedSlices(source, limits);
  const records: FixedRecord[] = [];
  let checkpoint = fixedStart;
  let length = sliceBytes;
  for (let steps = 0; steps <= 4 * file.byteLength + 100; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const read = readSlice(checkpoint, new Uint8Array(file.subarray(checkpoint.byte, to)), to === file.byteLength);
    if (read.outcome === 'unreadable') {
      return { columns: [], records: [], problems: read.problems, endProblem: null, checkpoint: fixedStart };
    }
    if (read.outcome === 'more') {
      length = length < 64 ? length + 1 : length * 2;
      continue;
    }
    records.push(...read.records);
    length = sliceBytes;
    checkpoint = JSON.parse(JSON.stringify(read.checkpoint)) as FixedCheckpoint; // as it comes back from storage
    if (read.finished) {
      return { columns: read.columns, records, problems: [], endProblem: read.endProblem, checkpoint };
    }
  }
  throw new Error('the reader does not come to an end');
}

export const fieldsOf = ({ records }: WholeRead): (readonly string[])[] => records.map(({ fields }) => fields);
export const codesOf = ({ records }: WholeRead): string[] =>
  records.map(({ problems }) => problems.map(({ code }) => code).join(' '));
